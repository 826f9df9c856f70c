//! Diffs that were proven and may be asked for again: found by repository, both ends and hash, the least recently used
//! forgotten first.
//!
//! One that is held by a call is not forgotten for another's sake: it takes its room until it is let go, so forgetting
//! it would make none.

use std::{
    fs::File,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use lru::LruCache;

use super::{
    identity::ObjectId,
    room::{Amount, Claim, Room, Short},
    spool::{Part, Spool},
};

/// Bytes that one read gives at most.
pub(super) const READ_BYTES: usize = 1 << 20;

/// Makes a file without a name.
pub(super) type MakeFile = Box<dyn Fn() -> io::Result<File> + Send + Sync>;

/// What a proven diff is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DiffKey {
    repository: u64,
    merge_base: ObjectId,
    head: ObjectId,
    sha256: [u8; 32],
}

impl DiffKey {
    /// None where one of the ids or the hash is none.
    pub(crate) fn new(repository: u64, merge_base: &[u8], head: &[u8], sha256: &[u8]) -> Option<Self> {
        Some(Self {
            repository,
            merge_base: ObjectId::from_bytes(merge_base)?,
            head: ObjectId::from_bytes(head)?,
            sha256: sha256.try_into().ok()?,
        })
    }

    pub(super) fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }
}

/// A kept diff. It stays whole as long as it is held.
#[derive(Debug)]
pub(crate) struct Kept {
    key: DiffKey,
    receipt: Box<[u8]>,
    spool: Spool,
    claim: Claim,
}

impl Kept {
    pub(super) fn new(key: DiffKey, receipt: Box<[u8]>, spool: Spool, claim: Claim) -> Self {
        Self { key, receipt, spool, claim }
    }

    pub(crate) fn receipt(&self) -> &[u8] {
        &self.receipt
    }

    /// Bytes of one of its texts.
    pub(crate) fn length(&self, part: Part) -> u64 {
        self.spool.length(part)
    }

    /// Whether a read touches no file.
    pub(crate) fn is_in_memory(&self) -> bool {
        !self.spool.has_file()
    }

    /// At most `max` bytes, and at most 1 MiB, from `offset` on; none past the end.
    ///
    /// # Errors
    /// The disk's. [Forget](super::Keep::forget) it then.
    pub(crate) fn read(&self, part: Part, offset: u64, max: u32) -> io::Result<Vec<u8>> {
        self.spool.read(part, offset, usize::try_from(max).unwrap_or(usize::MAX).min(READ_BYTES))
    }
}

pub(super) struct Diffs {
    room: Arc<Room>,
    kept: Mutex<LruCache<DiffKey, Arc<Kept>>>,
    file: MakeFile,
    /// That the disk fails was said.
    told: AtomicBool,
}

impl std::fmt::Debug for Diffs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Diffs").field("room", &self.room).finish_non_exhaustive()
    }
}

impl Diffs {
    /// At most `bytes` of them; 0 keeps nothing.
    pub(super) fn new(bytes: u64, file: MakeFile) -> Self {
        Self { room: Room::new(bytes), kept: Mutex::new(LruCache::unbounded()), file, told: AtomicBool::new(false) }
    }

    pub(super) fn room(&self) -> &Arc<Room> {
        &self.room
    }

    pub(super) fn find(&self, key: &DiffKey) -> Option<Arc<Kept>> {
        self.kept().get(key).cloned()
    }

    /// Keeps it in the place of one with the same key.
    pub(super) fn keep(&self, kept: Kept) {
        let same = self.kept().push(kept.key, Arc::new(kept));
        drop(same);
    }

    pub(super) fn forget(&self, kept: &Arc<Kept>) {
        let mut all = self.kept();
        let found = all.peek(&kept.key).is_some_and(|found| Arc::ptr_eq(found, kept));
        let forgotten = if found { all.pop(&kept.key) } else { None };
        drop(all);
        drop(forgotten);
    }

    /// Adds to a claim, and forgets what it must for that. False where there is nothing more to forget.
    pub(super) fn make_room(&self, claim: &mut Claim, amount: Amount) -> bool {
        loop {
            let Err(short) = claim.add(amount) else { return true };
            // Dropped here, outside of the lock: it gives its room back and closes its file.
            let Some(_forgotten) = self.forget_oldest(short) else { return false };
        }
    }

    /// A file without a name.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn file(&self) -> io::Result<File> {
        (self.file)()
    }

    /// Says once that diffs cannot be kept: a call does not fail by it, so nobody else would.
    pub(super) fn tell(&self, error: &io::Error) {
        if !self.told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a temporary file cannot be written, so large diffs are read again for every page: {error}; \
                 said once, whatever follows"
            );
        }
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<Arc<Kept>> {
        self.kept().iter().map(|(_, kept)| Arc::clone(kept)).collect()
    }

    fn forget_oldest(&self, short: Short) -> Option<Arc<Kept>> {
        let mut all = self.kept();
        let frees = |kept: &Arc<Kept>| Arc::strong_count(kept) == 1 && (short == Short::Other || kept.claim.has_file());
        let key = all.iter().rev().find(|(_, kept)| frees(kept)).map(|(key, _)| *key)?;
        all.pop(&key)
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<DiffKey, Arc<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
