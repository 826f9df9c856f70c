//! A diff while it is being read: written once, front to back, and kept whole or not at all.

use std::{fs::File, io, sync::Arc};

use sha2::{Digest as _, Sha256};

use super::{
    diffs::{DiffKey, Diffs, Kept},
    room::{Amount, Claim},
    spool::{Part, Spool},
};

/// Bytes of a receipt at most.
const RECEIPT_BYTES: usize = 64 * 1024;

/// Annotations take at most this part of what all diffs may.
const ANNOTATIONS: u64 = 4;

/// Nobody finds it. Once it is given up it takes nothing more, and holds nothing.
#[derive(Debug)]
pub(crate) struct Draft(Option<Open>);

#[derive(Debug)]
struct Open {
    diffs: Arc<Diffs>,
    spool: Spool,
    hash: Sha256,
    claim: Claim,
}

/// Why a draft is given up.
enum GivenUp {
    NoRoom,
    Disk(io::Error),
}

impl Draft {
    /// Given up from the start where there is no room for one.
    pub(super) fn new(diffs: &Arc<Diffs>) -> Self {
        let mut claim = diffs.room().claim();
        let open = diffs.make_room(&mut claim, Amount::diff());
        Self(open.then(|| Open { diffs: Arc::clone(diffs), spool: Spool::default(), hash: Sha256::new(), claim }))
    }

    /// One that is given up.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Whether taking that many bytes touches no file.
    pub(crate) fn stays_in_memory(&self, part: Part, bytes: usize) -> bool {
        self.0.as_ref().is_none_or(|open| open.spool.stays_in_memory(part, bytes))
    }

    /// Whether keeping it touches no file.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.0.as_ref().is_none_or(|open| !open.spool.has_file())
    }

    /// The next bytes of one of the texts. False where it is given up.
    pub(crate) fn write(&mut self, part: Part, bytes: &[u8]) -> bool {
        let Some(open) = &mut self.0 else { return false };
        let written = open.write(part, bytes);
        if let Err(why) = written {
            why.tell(&open.diffs);
            self.0 = None;
        }
        self.0.is_some()
    }

    /// Keeps it, where the key's hash is that of what was written. The draft is over either way.
    pub(crate) fn keep(&mut self, key: DiffKey, receipt: Vec<u8>) -> bool {
        let Some(Open { diffs, mut spool, hash, mut claim }) = self.0.take() else { return false };
        if hash.finalize().as_slice() != key.sha256() || receipt.len() > RECEIPT_BYTES {
            return false;
        }
        if !diffs.make_room(&mut claim, Amount::bytes(length(&receipt))) {
            return false;
        }
        match spool.finish() {
            Ok(()) => {
                diffs.keep(Kept::new(key, receipt.into(), spool, claim));
                true
            }
            Err(error) => {
                diffs.tell(&error);
                false
            }
        }
    }
}

impl Open {
    fn write(&mut self, part: Part, bytes: &[u8]) -> Result<(), GivenUp> {
        let added = length(bytes);
        let most = self.diffs.room().bytes() / ANNOTATIONS;
        if part == Part::Annotations && self.spool.length(part).saturating_add(added) > most {
            return Err(GivenUp::NoRoom);
        }
        if !self.diffs.make_room(&mut self.claim, Amount::bytes(added)) {
            return Err(GivenUp::NoRoom);
        }
        if part == Part::Diff {
            self.hash.update(bytes);
        }
        let Self { diffs, spool, claim, .. } = self;
        spool.append(part, bytes, || file(diffs, claim))
    }
}

fn file(diffs: &Diffs, claim: &mut Claim) -> Result<File, GivenUp> {
    if diffs.make_room(claim, Amount::file()) { Ok(diffs.file()?) } else { Err(GivenUp::NoRoom) }
}

impl GivenUp {
    fn tell(&self, diffs: &Diffs) {
        if let Self::Disk(error) = self {
            diffs.tell(error);
        }
    }
}

impl From<io::Error> for GivenUp {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
