//! What the process keeps between calls: git objects, and diffs that were proven against them (O-012).
//!
//! Everything is found by what it is and may be forgotten at any time. Nothing here says who may see it: a component asks
//! the forge as its caller before it shows a byte. One process has one forge, so the forge is no part of a key.
//!
//! [`identity`] is what an object is called, [`objects`] holds objects in memory. A diff grows as a [`draft`] over a
//! [`spool`], and is kept by [`diffs`]; [`room`] counts what all of them take.

mod diffs;
mod draft;
mod identity;
mod objects;
mod room;
mod spool;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::{diffs::Diffs, objects::Objects};
pub(crate) use self::{
    diffs::{DiffKey, Kept},
    draft::Draft,
    identity::{Kind, ObjectId},
    objects::Object,
    spool::Part,
};

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepLimits {
    /// Bytes of git objects in memory, with what it takes to find them; 0 keeps none (`GATEWAY_OBJECT_CACHE_BYTES`).
    pub object_bytes: u64,
    /// Bytes of diffs and what is kept beside them, those being read included; 0 keeps none (`GATEWAY_SPOOL_BYTES`).
    pub spool_bytes: u64,
}

impl Default for KeepLimits {
    /// 64 MiB of objects and 1 GiB of diffs.
    fn default() -> Self {
        Self { object_bytes: 64 << 20, spool_bytes: 1 << 30 }
    }
}

/// What one process keeps. It is shared by all calls.
#[derive(Debug)]
pub struct Keep {
    objects: Objects,
    diffs: Arc<Diffs>,
}

impl Keep {
    /// Keeps nothing yet. Files are made where the platform puts temporary ones, when a diff first needs one.
    #[must_use]
    pub fn new(limits: KeepLimits) -> Self {
        Self::with_files(limits, Box::new(tempfile::tempfile))
    }

    fn with_files(limits: KeepLimits, file: diffs::MakeFile) -> Self {
        Self { objects: Objects::new(limits.object_bytes), diffs: Arc::new(Diffs::new(limits.spool_bytes, file)) }
    }

    /// An object of a repository.
    pub(crate) fn object(&self, repository: u64, id: &ObjectId) -> Option<Arc<Object>> {
        self.objects.get(repository, id)
    }

    /// Keeps an object that has this id. Whether it did.
    pub(crate) fn put(&self, repository: u64, id: ObjectId, object: Object) -> bool {
        self.objects.put(repository, id, object)
    }

    /// A diff to be read.
    pub(crate) fn draft(&self) -> Draft {
        Draft::new(&self.diffs)
    }

    /// A diff that was kept.
    pub(crate) fn diff(&self, key: &DiffKey) -> Option<Arc<Kept>> {
        self.diffs.find(key)
    }

    /// Forgets a diff that cannot be read back.
    pub(crate) fn forget(&self, diff: &Arc<Kept>) {
        self.diffs.forget(diff);
    }
}
