//! The port `objects`: what the process keeps, as resources of one call.
//!
//! What is kept and for how long is [`crate::keep`]'s business. Here its handles are looked up, and what touches a file
//! or hashes much is done beside the runtime, on the call's account.

use std::sync::Arc;

use tokio::task::spawn_blocking;
use wasmtime::component::Resource;

use super::bindings::assay::ports::objects as port;
use crate::{
    engine::{State, Stop},
    keep::{self, DiffKey, Kept, ObjectId, Part},
};

/// Bytes that are hashed at once where the call runs: a fraction of a millisecond.
const LIGHT_BYTES: usize = 64 * 1024;

/// A diff that a component reads from the forge.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct Draft(keep::Draft);

/// A kept diff that a component holds.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct Diff(Arc<Kept>);

impl port::Host for State {
    /// Asking is using: it is about to be read.
    fn has(&mut self, repository: u64, id: Vec<u8>) -> wasmtime::Result<bool> {
        Ok(ObjectId::from_bytes(&id).is_some_and(|id| self.keep.object(repository, &id).is_some()))
    }

    fn get(&mut self, repository: u64, id: Vec<u8>) -> wasmtime::Result<Option<port::Object>> {
        let found = ObjectId::from_bytes(&id).and_then(|id| self.keep.object(repository, &id));
        Ok(found.map(|object| port::Object { kind: object.kind.into(), content: object.content.to_vec() }))
    }

    async fn put(&mut self, repository: u64, id: Vec<u8>, object: port::Object) -> wasmtime::Result<bool> {
        let Some(id) = ObjectId::from_bytes(&id) else { return Ok(false) };
        let object = keep::Object { kind: object.kind.into(), content: object.content.into() };
        let light = object.content.len() <= LIGHT_BYTES;
        let keep = Arc::clone(&self.keep);
        self.work(light, move || keep.put(repository, id, object)).await
    }

    fn find_diff(&mut self, key: port::DiffKey) -> wasmtime::Result<Option<Resource<Diff>>> {
        let found = of(&key).and_then(|key| self.keep.diff(&key));
        Ok(found.map(|kept| self.table.push(Diff(kept))).transpose()?)
    }
}

impl port::HostDraft for State {
    fn new(&mut self) -> wasmtime::Result<Resource<Draft>> {
        let draft = self.keep.draft();
        Ok(self.table.push(Draft(draft))?)
    }

    async fn write(&mut self, draft: Resource<Draft>, bytes: Vec<u8>) -> wasmtime::Result<bool> {
        self.append(draft, Part::Diff, bytes).await
    }

    async fn annotate(&mut self, draft: Resource<Draft>, bytes: Vec<u8>) -> wasmtime::Result<bool> {
        self.append(draft, Part::Annotations, bytes).await
    }

    async fn keep(&mut self, draft: Resource<Draft>, key: port::DiffKey, receipt: Vec<u8>) -> wasmtime::Result<bool> {
        // It is over, whatever comes of it.
        let mut draft = std::mem::replace(&mut self.table.get_mut(&draft)?.0, keep::Draft::none());
        let Some(key) = of(&key) else { return Ok(false) };
        let light = draft.is_in_memory();
        self.work(light, move || draft.keep(key, receipt)).await
    }

    fn drop(&mut self, draft: Resource<Draft>) -> wasmtime::Result<()> {
        self.table.delete(draft)?;
        Ok(())
    }
}

impl port::HostDiff for State {
    fn receipt(&mut self, diff: Resource<Diff>) -> wasmtime::Result<Vec<u8>> {
        Ok(self.table.get(&diff)?.0.receipt().to_vec())
    }

    fn length(&mut self, diff: Resource<Diff>) -> wasmtime::Result<u64> {
        Ok(self.table.get(&diff)?.0.length(Part::Diff))
    }

    async fn read(&mut self, diff: Resource<Diff>, offset: u64, max: u32) -> wasmtime::Result<Vec<u8>> {
        self.read_back(diff, Part::Diff, offset, max).await
    }

    async fn read_annotations(&mut self, diff: Resource<Diff>, offset: u64, max: u32) -> wasmtime::Result<Vec<u8>> {
        self.read_back(diff, Part::Annotations, offset, max).await
    }

    fn drop(&mut self, diff: Resource<Diff>) -> wasmtime::Result<()> {
        self.table.delete(diff)?;
        Ok(())
    }
}

impl State {
    async fn append(&mut self, handle: Resource<Draft>, part: Part, bytes: Vec<u8>) -> wasmtime::Result<bool> {
        let draft = &mut self.table.get_mut(&handle)?.0;
        let light = bytes.len() <= LIGHT_BYTES && draft.stays_in_memory(part, bytes.len());
        let mut draft = std::mem::replace(draft, keep::Draft::none());
        let (draft, written) = self
            .work(light, move || {
                let written = draft.write(part, &bytes);
                (draft, written)
            })
            .await?;
        self.table.get_mut(&handle)?.0 = draft;
        Ok(written)
    }

    /// A diff that cannot be read back ends the call, for half of it would be wrong, and is forgotten, so that the next
    /// call reads it from the forge.
    async fn read_back(
        &mut self,
        handle: Resource<Diff>,
        part: Part,
        offset: u64,
        max: u32,
    ) -> wasmtime::Result<Vec<u8>> {
        let kept = Arc::clone(&self.table.get(&handle)?.0);
        let (light, reader) = (kept.is_in_memory(), Arc::clone(&kept));
        let read = self.work(light, move || reader.read(part, offset, max)).await?;
        read.map_err(|error| {
            tracing::warn!("a temporary file cannot be read: {error}");
            self.keep.forget(&kept);
            Stop::Unreadable.into()
        })
    }

    /// Does it at once where it is light, else on a thread that may block. If the call ends meanwhile, it is done to its
    /// end all the same, and what it gives is dropped.
    async fn work<T: Send + 'static>(
        &mut self,
        light: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> wasmtime::Result<T> {
        if light {
            return Ok(work());
        }
        let before = self.meter.before_wait();
        let done = spawn_blocking(work).await;
        self.meter.after_work(before);
        Ok(done?)
    }
}

fn of(key: &port::DiffKey) -> Option<DiffKey> {
    DiffKey::new(key.repository, &key.merge_base, &key.head, &key.sha256)
}

impl From<port::Kind> for keep::Kind {
    fn from(kind: port::Kind) -> Self {
        match kind {
            port::Kind::Commit => Self::Commit,
            port::Kind::Tree => Self::Tree,
            port::Kind::Blob => Self::Blob,
            port::Kind::Tag => Self::Tag,
        }
    }
}

impl From<keep::Kind> for port::Kind {
    fn from(kind: keep::Kind) -> Self {
        match kind {
            keep::Kind::Commit => Self::Commit,
            keep::Kind::Tree => Self::Tree,
            keep::Kind::Blob => Self::Blob,
            keep::Kind::Tag => Self::Tag,
        }
    }
}
