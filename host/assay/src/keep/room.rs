//! Counts what diffs take: bytes, their number, open files. What is counted is given back by being dropped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a diff takes beyond its bytes: key, hash state, places of its pieces.
const OVERHEAD: u64 = 1_024;

/// Diffs at once, read and kept together: each may hold a quarter of a megabyte in memory.
const DIFFS: u64 = 512;

/// Diffs that have a file: a process has a few hundred descriptors in all, and connections want theirs.
const FILES: u64 = 128;

/// An amount of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) bytes: u64,
    diffs: u64,
    pub(super) files: u64,
}

impl Amount {
    pub(super) fn bytes(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    pub(super) fn file() -> Self {
        Self { files: 1, ..Self::default() }
    }

    pub(super) fn diff() -> Self {
        Self { bytes: OVERHEAD, diffs: 1, files: 0 }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            diffs: self.diffs.saturating_add(other.diffs),
            files: self.files.saturating_add(other.files),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self { bytes: self.bytes - other.bytes, diffs: self.diffs - other.diffs, files: self.files - other.files }
    }
}

/// What there is no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Short {
    Files,
    Other,
}

#[derive(Debug)]
pub(super) struct Room {
    bound: Amount,
    used: Mutex<Amount>,
}

impl Room {
    pub(super) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self { bound: Amount { bytes, diffs: DIFFS, files: FILES }, used: Mutex::default() })
    }

    /// Of bytes, what there may be of them in all.
    pub(super) fn bytes(&self) -> u64 {
        self.bound.bytes
    }

    /// Nothing, to be added to.
    pub(super) fn claim(self: &Arc<Self>) -> Claim {
        Claim { room: Arc::clone(self), amount: Amount::default() }
    }

    fn used(&self) -> MutexGuard<'_, Amount> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> Amount {
        *self.used()
    }
}

/// What one diff takes; dropped, it is free again.
#[derive(Debug)]
pub(super) struct Claim {
    room: Arc<Room>,
    amount: Amount,
}

impl Claim {
    pub(super) fn add(&mut self, amount: Amount) -> Result<(), Short> {
        let mut used = self.room.used();
        let sum = used.plus(amount);
        if sum.files > self.room.bound.files {
            return Err(Short::Files);
        }
        if sum.bytes > self.room.bound.bytes || sum.diffs > self.room.bound.diffs {
            return Err(Short::Other);
        }
        *used = sum;
        self.amount = self.amount.plus(amount);
        Ok(())
    }

    pub(super) fn has_file(&self) -> bool {
        self.amount.files > 0
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut used = self.room.used();
        *used = used.minus(self.amount);
    }
}
