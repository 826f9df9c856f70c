//! A binary part: the first block has to make the new side, the second has to lead back to the old one.
//!
//! Both are checked, since whoever undoes the patch is shown the second. What the second makes is only hashed. A literal
//! needs no base at all: the second block gives the old side, and that has its id.

use super::{
    Contradiction, Stopped,
    delta::{Delta, Output},
    inflate::Inflater,
    side::{Flaw, Side},
};
use crate::{
    ObjectFormat, ObjectId,
    diff::{BinaryBlock, BinaryMethod},
    object::{Hasher, Kind},
};

/// A binary section while its blocks pass.
#[derive(Debug)]
pub(super) struct Binary {
    old: Side,
    new: Side,
    format: ObjectFormat,
    /// Bytes that a content may have.
    most: u64,
    /// The old side, where a delta needs it.
    base: Vec<u8>,
    /// The new side.
    result: Made,
    block: Option<Block>,
}

/// A block while it passes.
#[derive(Debug)]
struct Block {
    reverse: bool,
    /// How it is read, where it is a delta.
    delta: Option<Delta>,
    made: Made,
}

/// What a block makes.
#[derive(Debug)]
enum Made {
    /// Kept, because the second block may be a delta against it.
    Kept { content: Vec<u8>, most: u64 },
    /// Hashed alone.
    Hashed { hasher: Option<Hasher>, format: ObjectFormat, most: u64 },
}

impl Binary {
    /// A part between these sides, each of at most `most` bytes.
    pub(super) fn new(old: Side, new: Side, format: ObjectFormat, most: u64) -> Self {
        let result = Made::Kept { content: Vec::new(), most };
        Self { old, new, format, most, base: Vec::new(), result, block: None }
    }

    /// The blob that has to be given with [`Self::set_base`] before this block begins.
    pub(super) fn needs(&self, block: BinaryBlock) -> Option<ObjectId> {
        match (&self.old, block) {
            (Side::Blob(id), BinaryBlock { reverse: false, method: BinaryMethod::Delta, .. }) => Some(*id),
            _ => None,
        }
    }

    pub(super) fn set_base(&mut self, base: Vec<u8>) {
        self.base = base;
    }

    /// A block begins, and the one before it is over.
    pub(super) fn block(&mut self, block: BinaryBlock, inflater: &mut Inflater) -> Result<(), Flaw> {
        self.end_block(inflater)?;
        if block.size > self.most {
            return Err(Stopped::FileTooLarge.into());
        }
        inflater.begin(block.size);
        let (format, most) = (self.format, self.most);
        let mut made = if block.reverse {
            Made::Hashed { hasher: None, format, most }
        } else {
            Made::Kept { content: Vec::new(), most }
        };
        let delta = match block.method {
            BinaryMethod::Delta => Some(Delta::new()),
            BinaryMethod::Literal => {
                made.begin(block.size)?;
                None
            }
        };
        self.block = Some(Block { reverse: block.reverse, delta, made });
        Ok(())
    }

    /// The next bytes of the block, deflated.
    pub(super) fn data(&mut self, bytes: &[u8], inflater: &mut Inflater) -> Result<(), Flaw> {
        let Some(Block { reverse, delta, made }) = &mut self.block else { return Ok(()) };
        let from = if *reverse { self.result.content() } else { &self.base };
        inflater.feed(bytes, |inflated| match delta {
            Some(delta) => delta.feed(inflated, from, made),
            None => made.push(inflated),
        })
    }

    /// The part is over: both sides have to be right. Gives back the base.
    pub(super) fn finish(mut self, inflater: &mut Inflater) -> Result<Vec<u8>, Flaw> {
        self.end_block(inflater)?;
        Ok(self.base)
    }

    fn end_block(&mut self, inflater: &mut Inflater) -> Result<(), Flaw> {
        let Some(Block { reverse, delta, mut made }) = self.block.take() else { return Ok(()) };
        inflater.end()?;
        delta.map_or(Ok(()), |delta| delta.end())?;
        let side = if reverse { &self.old } else { &self.new };
        let right = made.id(self.format).is_some_and(|id| side.has_id(id));
        if !right {
            return Err(if reverse { Contradiction::Reverse } else { Contradiction::Result }.into());
        }
        if !reverse {
            self.result = made;
        }
        Ok(())
    }
}

impl Made {
    fn content(&self) -> &[u8] {
        match self {
            Self::Kept { content, .. } => content,
            Self::Hashed { .. } => b"",
        }
    }

    /// The id it has as a blob; none where it was made to collide with another.
    fn id(&mut self, format: ObjectFormat) -> Option<ObjectId> {
        match self {
            Self::Kept { content, .. } => {
                let mut hasher = Hasher::new(format, Kind::Blob, content.len() as u64);
                hasher.update(content);
                hasher.finish().ok()
            }
            Self::Hashed { hasher, .. } => hasher.take()?.finish().ok(),
        }
    }
}

impl Output for Made {
    type Error = Flaw;

    fn begin(&mut self, size: u64) -> Result<(), Flaw> {
        match self {
            Self::Kept { most, .. } | Self::Hashed { most, .. } if size > *most => Err(Stopped::FileTooLarge.into()),
            Self::Kept { content, .. } => {
                content.reserve_exact(usize::try_from(size).map_err(|_| Stopped::FileTooLarge)?);
                Ok(())
            }
            Self::Hashed { hasher, format, .. } => {
                *hasher = Some(Hasher::new(*format, Kind::Blob, size));
                Ok(())
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), Flaw> {
        match self {
            Self::Kept { content, .. } => content.extend_from_slice(bytes),
            Self::Hashed { hasher, .. } => {
                if let Some(hasher) = hasher {
                    hasher.update(bytes);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::{Compression, write::ZlibEncoder};

    use super::*;

    const MOST: u64 = 100;

    fn blob(content: &[u8]) -> Side {
        let mut hasher = Hasher::new(ObjectFormat::Sha256, Kind::Blob, content.len() as u64);
        hasher.update(content);
        Side::Blob(hasher.finish().expect("whole"))
    }

    /// Plays the blocks of a part, each a method and what it holds.
    fn play(old: (Side, &[u8]), new: Side, blocks: [(BinaryMethod, &[u8]); 2]) -> Result<(), Flaw> {
        let (mut binary, mut inflater) = (Binary::new(old.0, new, ObjectFormat::Sha256, MOST), Inflater::new());
        for (reverse, (method, content)) in [false, true].into_iter().zip(blocks) {
            let block = BinaryBlock { reverse, method, size: content.len() as u64 };
            if binary.needs(block).is_some() {
                binary.set_base(old.1.to_vec());
            }
            binary.block(block, &mut inflater)?;
            let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
            zlib.write_all(content).expect("to memory");
            let stream = zlib.finish().expect("to memory");
            stream.chunks(5).try_for_each(|piece| binary.data(piece, &mut inflater))?;
        }
        binary.finish(&mut inflater).map(drop)
    }

    /// O-008: literals and deltas, each way, in every pairing.
    #[test]
    fn both_blocks_are_checked() {
        use BinaryMethod::{Delta, Literal};
        let (old, new) = (b"hello", b"hello!");
        let forward: [(BinaryMethod, &[u8]); 2] = [(Literal, new), (Delta, b"\x05\x06\x90\x05\x01!")];
        let reverse: [(BinaryMethod, &[u8]); 2] = [(Literal, old), (Delta, b"\x06\x05\x90\x05")];
        for forward in forward {
            for reverse in reverse {
                assert_eq!(play((blob(old), old), blob(new), [forward, reverse]), Ok(()));
                for (old_side, new_side, expected) in [
                    (blob(b"other"), blob(new), Contradiction::Reverse),
                    (Side::Absent, blob(new), Contradiction::Reverse),
                    (blob(old), blob(b"other"), Contradiction::Result),
                    (blob(old), Side::Absent, Contradiction::Result),
                ] {
                    // A delta against what is not there is for another content.
                    let no_base = old_side == Side::Absent && forward.0 == Delta;
                    let expected = if no_base { Contradiction::Delta } else { expected };
                    let played = play((old_side, old), new_side, [forward, reverse]);
                    assert_eq!(played, Err(expected.into()), "{forward:?} {reverse:?}");
                }
            }
        }
        assert_eq!(play((Side::Absent, b""), blob(new), [(Literal, new), (Literal, b"")]), Ok(()));
        assert_eq!(play((blob(old), old), Side::Absent, [(Literal, b""), (Literal, old)]), Ok(()));
        assert_eq!(play((blob(b""), b""), blob(new), [(Literal, new), (Literal, b"")]), Ok(()));
    }

    /// O-015: neither what is declared nor what a delta makes is larger than was allowed; nothing is made room for before.
    #[test]
    fn sizes_are_bounded() {
        let stopped = Err(Flaw::Stopped(Stopped::FileTooLarge));
        let long = vec![7; 101];
        let literal = |content| (BinaryMethod::Literal, content);
        let (old, new) = (b"hello", b"x");
        assert_eq!(play((blob(old), old), blob(&long), [literal(&long[..]), literal(&old[..])]), stopped);
        assert_eq!(play((blob(&long), &long), blob(new), [literal(&new[..]), literal(&long[..])]), stopped);
        // Twenty-one copies of five bytes; a size of half of what there is.
        let copies = [&b"\x05\x69"[..], &b"\x90\x05".repeat(21)].concat();
        for delta in [&copies[..], b"\x05\xff\xff\xff\xff\xff\xff\xff\x3f\x01x"] {
            let blocks = [(BinaryMethod::Delta, delta), literal(&old[..])];
            assert_eq!(play((blob(old), old), blob(new), blocks), stopped);
        }
        let mut binary = Binary::new(blob(old), blob(new), ObjectFormat::Sha256, MOST);
        let block = BinaryBlock { reverse: false, method: BinaryMethod::Literal, size: u64::MAX };
        assert_eq!(binary.block(block, &mut Inflater::new()).map(drop), stopped);
    }
}
