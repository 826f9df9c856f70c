//! Git's delta: a content written as copies from another one and as bytes of its own.

use super::Contradiction;

/// Reads a delta that comes in pieces.
#[derive(Debug)]
pub(super) struct Delta {
    state: State,
    /// Bytes of the content that are still to come.
    left: u64,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A size, seven bits a byte, the lowest first: the other content's, then the content's.
    Size { of_result: bool, value: u64, shift: u32 },
    /// The first byte of an instruction.
    Instruction,
    /// The bytes of a copy's place and length that its first byte announces, one bit each.
    Copy { announced: u8, next: u32, value: u64 },
    /// Bytes of its own, so many.
    Insert(usize),
}

/// What takes the content.
pub(super) trait Output {
    /// Its size, before its first byte.
    type Error: From<Contradiction>;

    /// It has so many bytes.
    fn begin(&mut self, size: u64) -> Result<(), Self::Error>;

    /// The next of them.
    fn push(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
}

const COPY: u8 = 0x80;
/// The bits of a copy: four for its place and three for its length.
const PARTS: u32 = 7;
const PLACE_PARTS: u32 = 4;
/// A copy's length where none is given.
const COPY_BYTES: u64 = 0x1_0000;

impl Delta {
    pub(super) const fn new() -> Self {
        Self { state: State::Size { of_result: false, value: 0, shift: 0 }, left: 0 }
    }

    /// Takes the next bytes of a delta against `base`.
    pub(super) fn feed<O: Output>(&mut self, mut bytes: &[u8], base: &[u8], out: &mut O) -> Result<(), O::Error> {
        while let Some((&byte, rest)) = bytes.split_first() {
            if let State::Insert(left) = self.state {
                let (own, rest) = bytes.split_at(left.min(bytes.len()));
                bytes = rest;
                self.give(own, out)?;
                self.state = if own.len() < left { State::Insert(left - own.len()) } else { State::Instruction };
                continue;
            }
            bytes = rest;
            self.state = match self.state {
                State::Size { of_result, value, shift } => self.size(byte, (of_result, value, shift), base, out)?,
                State::Instruction if byte & COPY != 0 => {
                    self.copy(State::Copy { announced: byte & !COPY, next: 0, value: 0 }, base, out)?
                }
                State::Instruction if byte == 0 => return Err(Contradiction::Delta.into()),
                State::Instruction | State::Insert(_) => State::Insert(usize::from(byte)),
                State::Copy { announced, next, value } => {
                    let value = value | u64::from(byte) << (8 * next);
                    self.copy(State::Copy { announced, next: next + 1, value }, base, out)?
                }
            };
        }
        Ok(())
    }

    /// The delta is over, and its content whole.
    pub(super) fn end(&self) -> Result<(), Contradiction> {
        let whole = matches!(self.state, State::Instruction) && self.left == 0;
        if whole { Ok(()) } else { Err(Contradiction::Delta) }
    }

    fn size<O: Output>(
        &mut self,
        byte: u8,
        (of_result, value, shift): (bool, u64, u32),
        base: &[u8],
        out: &mut O,
    ) -> Result<State, O::Error> {
        let bits = u64::from(byte & 0x7f);
        // Nine bytes are 63 bits; no content of more is taken.
        if shift > 56 {
            return Err(Contradiction::Delta.into());
        }
        let value = value | bits << shift;
        if byte & 0x80 != 0 {
            return Ok(State::Size { of_result, value, shift: shift + 7 });
        }
        if of_result {
            self.left = value;
            out.begin(value)?;
            return Ok(State::Instruction);
        }
        if value != base.len() as u64 {
            return Err(Contradiction::Delta.into());
        }
        Ok(State::Size { of_result: true, value: 0, shift: 0 })
    }

    /// Goes on with a copy: to the next byte that was announced, or to the copying.
    fn copy<O: Output>(&mut self, state: State, base: &[u8], out: &mut O) -> Result<State, O::Error> {
        let State::Copy { announced, mut next, value } = state else { return Ok(state) };
        while next < PARTS && announced >> next & 1 == 0 {
            next += 1;
        }
        if next < PARTS {
            return Ok(State::Copy { announced, next, value });
        }
        let place = value & u64::from(u32::MAX);
        let length = match value >> (8 * PLACE_PARTS) {
            0 => COPY_BYTES,
            length => length,
        };
        let range = usize::try_from(place).ok().zip(usize::try_from(place + length).ok());
        let copied = range.and_then(|(from, to)| base.get(from..to)).ok_or(Contradiction::Delta)?;
        self.give(copied, out)?;
        Ok(State::Instruction)
    }

    fn give<O: Output>(&mut self, bytes: &[u8], out: &mut O) -> Result<(), O::Error> {
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or(Contradiction::Delta)?;
        out.push(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Kept(Option<u64>, Vec<u8>);

    impl Output for Kept {
        type Error = Contradiction;

        fn begin(&mut self, size: u64) -> Result<(), Contradiction> {
            assert_eq!(self.0.replace(size), None);
            Ok(())
        }

        fn push(&mut self, bytes: &[u8]) -> Result<(), Contradiction> {
            self.1.extend_from_slice(bytes);
            assert!(self.1.len() as u64 <= self.0.expect("begun"));
            Ok(())
        }
    }

    fn apply_by(delta: &[u8], base: &[u8], piece: usize) -> Result<Vec<u8>, Contradiction> {
        let (mut machine, mut kept) = (Delta::new(), Kept::default());
        delta.chunks(piece).try_for_each(|piece| machine.feed(piece, base, &mut kept))?;
        machine.end().map(|()| kept.1)
    }

    /// D-078: each verdict is the same at every split.
    fn apply(delta: &[u8], base: &[u8]) -> Result<Vec<u8>, Contradiction> {
        let whole = apply_by(delta, base, delta.len().max(1));
        for piece in 1..delta.len() {
            assert_eq!(apply_by(delta, base, piece), whole, "{}", delta.escape_ascii());
        }
        whole
    }

    /// O-008: copies from anywhere, bytes of its own, lengths that are left out.
    #[test]
    fn a_delta_is_applied() {
        assert_eq!(apply(b"\x05\x05\x91\x01\x04\x01!", b"hello"), Ok(b"ello!".to_vec()));
        assert_eq!(apply(b"\x05\x02\x01h\x90\x01", b"hello"), Ok(b"hh".to_vec()));
        assert_eq!(apply(b"\x00\x03\x03abc", b""), Ok(b"abc".to_vec()));
        assert_eq!(apply(b"\x05\x00", b"hello"), Ok(vec![]));
        let base: Vec<u8> = (0..70_000_u32).map(|at| at.to_le_bytes()[1]).collect();
        // 70,000 is 0x11170, 65,536 is what a copy without a length has.
        assert_eq!(apply(b"\xf0\xa2\x04\x80\x80\x04\x81\x70", &base), Ok(base[0x70..0x1_0070].to_vec()));
        assert_eq!(apply(b"\xf0\xa2\x04\x02\xb7\x01\x00\x01\x02\x00", &base), Ok(base[0x1_0001..0x1_0003].to_vec()));
    }

    /// O-008: what is malformed, is for another content, or says another size is refused.
    #[test]
    fn other_deltas_are_refused() {
        for delta in [
            &b""[..],
            b"\x05",
            b"\x85",
            b"\x04\x01\x01h",
            b"\x06\x01\x01h",
            b"\x05\x01",
            b"\x05\x01\x02h",
            b"\x05\x01\x01",
            b"\x05\x01\x01hh",
            b"\x05\x01\x02hh",
            b"\x05\x02\x01h",
            b"\x05\x01\x00",
            b"\x05\x01\x01h\x00",
            b"\x05\x06\x90\x06",
            b"\x05\x01\x91\x05\x01",
            b"\x05\x01\x9f\xff\xff\xff\xff\x01",
            b"\x05\x80\x80\x04\x80",
            b"\x05\x01\x91\x01",
            b"\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(apply(delta, b"hello"), Err(Contradiction::Delta), "{}", delta.escape_ascii());
        }
    }
}
