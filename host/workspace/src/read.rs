//! Reading a file for import (P-006, P-164): its bytes as they are, and what it is.

use crate::{digest::Digest, leaf::Leaf, path::RelativePath, refusal::Refusal, root::Workspace, walk};

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its bytes; nothing is done to them.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub sha256: Digest,
    /// Its permissions and special bits.
    pub mode: u32,
    /// How many names it has; one with more than one is refused.
    pub nlink: u64,
}

impl Workspace {
    /// Reads a regular file of at most this many bytes that stands still meanwhile.
    ///
    /// # Errors
    /// [`Refusal`], and nothing was changed.
    pub fn read(&self, path: &RelativePath, max_bytes: u64) -> Result<File, Refusal> {
        self.check_in_place()?;
        let directory = self.walk.directory_of(&self.handle, path, walk::PASS)?;
        let leaf = Leaf::open(&directory, path, max_bytes)?;
        let bytes = leaf.bytes(path)?;
        if !leaf.is_at(&directory, path) {
            return Err(Refusal::changed(path));
        }
        Ok(File { sha256: Digest::of(&bytes), bytes, mode: leaf.facts.mode, nlink: leaf.facts.nlink })
    }
}
