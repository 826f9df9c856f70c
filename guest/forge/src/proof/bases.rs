//! The base blobs of a proof: told to the source before they are needed, and none asked for twice if it can be helped.

use std::collections::VecDeque;

use super::{
    ObjectSource, Stopped, Wanted,
    changes::{Change, get},
};
use crate::{
    ObjectId,
    object::{Kind, Object, is_empty},
};

/// How many blobs a source is told of at once, so that what it keeps of them is bounded.
const AHEAD: usize = 64;
/// Bytes of one blob that is kept for another section: copies of one file, files of one content.
const KEPT_BLOB_BYTES: usize = 64 * 1024;
/// Bytes of all that are kept.
const KEPT_BYTES: usize = 1024 * 1024;

/// Gets base blobs in the order of the diff.
#[derive(Debug)]
pub(super) struct Bases {
    most: u64,
    /// Blobs that the trees say will be needed, each once, with the first change that needs it.
    planned: VecDeque<(usize, ObjectId)>,
    /// How many of them the source was told of.
    told: usize,
    kept: VecDeque<(ObjectId, Vec<u8>)>,
    kept_bytes: usize,
}

impl Bases {
    /// Plans for these changes, with blobs of at most `most` bytes.
    ///
    /// A changed file's base is needed. One that is gone on the new side mostly is not: what a deletion removes is all of
    /// it and has its id. Whether it is the base of a rename is not known before the diff says so.
    pub(super) fn new(changes: &[Change], most: u64) -> Self {
        let needed = |(at, change): (usize, &Change)| {
            let (old, new) = (change.old?, change.new?);
            (old.is_like(new) && !old.is_submodule() && old.id != new.id && !is_empty(old.id)).then_some((at, old.id))
        };
        let mut planned: Vec<_> = changes.iter().enumerate().filter_map(needed).collect();
        planned.sort_by(|(_, one), (_, other)| one.as_bytes().cmp(other.as_bytes()));
        planned.dedup_by_key(|(_, id)| *id);
        planned.sort_unstable_by_key(|(at, _)| *at);
        Self { most, planned: planned.into(), told: 0, kept: VecDeque::new(), kept_bytes: 0 }
    }

    /// Tells the source of the next blobs, if it has not many left.
    pub(super) fn tell(&mut self, source: &mut impl ObjectSource) {
        if self.told > AHEAD / 2 {
            return;
        }
        let next = self.planned.iter().skip(self.told).take(AHEAD - self.told);
        let next: Vec<Wanted> = next.map(|(_, id)| Wanted { id: *id, kind: Kind::Blob }).collect();
        if !next.is_empty() {
            source.expect(&next);
            self.told += next.len();
        }
    }

    /// The diff has come to the change at this place: what was planned up to it is needed now or not at all.
    pub(super) fn come_to(&mut self, at: usize, source: &mut impl ObjectSource) {
        while self.planned.front().is_some_and(|(planned, _)| *planned <= at) {
            self.planned.pop_front();
            self.told = self.told.saturating_sub(1);
        }
        self.tell(source);
    }

    /// The blob, out of those that are kept or from the source.
    pub(super) fn get(&mut self, source: &mut impl ObjectSource, id: ObjectId) -> Result<Vec<u8>, Stopped> {
        if is_empty(id) {
            return Ok(Vec::new());
        }
        let kept = self.kept.iter().position(|(kept, _)| *kept == id);
        if let Some((_, blob)) = kept.and_then(|at| self.kept.remove(at)) {
            self.kept_bytes -= blob.len();
            return Ok(blob);
        }
        get(source, Wanted { id, kind: Kind::Blob }, self.most).map(Object::into_content)
    }

    /// Takes back a blob that a section is done with.
    pub(super) fn keep(&mut self, id: ObjectId, blob: Vec<u8>) {
        if blob.len() > KEPT_BLOB_BYTES {
            return;
        }
        self.kept_bytes += blob.len();
        self.kept.push_back((id, blob));
        while self.kept_bytes > KEPT_BYTES || self.kept.len() > AHEAD {
            let Some((_, oldest)) = self.kept.pop_front() else { return };
            self.kept_bytes -= oldest.len();
        }
    }
}
