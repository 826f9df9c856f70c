//! A content that grows at its end: in pieces, because a small memory has no room for the copies of one that doubles.

use crate::{
    ObjectFormat, ObjectId,
    object::{self, Hasher, Kind},
};

/// Bytes of the first piece and of the largest.
const PIECE_BYTES: (usize, usize) = (1024, 64 * 1024);

/// Bytes in order.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Vec<u8>>,
    length: u64,
}

impl Pieces {
    pub(super) const fn len(&self) -> u64 {
        self.length
    }

    pub(super) fn push(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        while !bytes.is_empty() {
            let room = self.pieces.last().map_or(0, |piece| piece.capacity() - piece.len());
            let (fits, rest) = bytes.split_at(room.min(bytes.len()));
            if let Some(piece) = self.pieces.last_mut() {
                piece.extend_from_slice(fits);
            }
            bytes = rest;
            if !bytes.is_empty() {
                let so_far = usize::try_from(self.length).unwrap_or(usize::MAX);
                self.pieces.push(Vec::with_capacity(so_far.clamp(PIECE_BYTES.0, PIECE_BYTES.1)));
            }
        }
    }

    pub(super) fn ends_a_line(&self) -> bool {
        self.pieces.iter().rev().find_map(|piece| piece.last()).is_none_or(|byte| *byte == b'\n')
    }

    pub(super) fn is(&self, content: &[u8]) -> bool {
        let mut rest = Some(content);
        for piece in &self.pieces {
            rest = rest.and_then(|rest| rest.strip_prefix(piece.as_slice()));
        }
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// Its id as a blob.
    pub(super) fn blob_id(&self, format: ObjectFormat) -> Result<ObjectId, object::Fault> {
        let mut hasher = Hasher::new(format, Kind::Blob, self.length);
        self.pieces.iter().for_each(|piece| hasher.update(piece));
        hasher.finish()
    }
}
