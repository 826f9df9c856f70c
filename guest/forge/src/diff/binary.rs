//! The structure of `GIT binary patch`: blocks of base 85 lines. What the blocks hold stays deflated here.

use super::{Events, Rule};

/// The largest number of bytes that one line holds.
const FULL: usize = 52;

/// The characters that git writes, in the order of their values.
const DIGITS: &[u8; 85] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// How a block makes one side's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryMethod {
    /// It is the content.
    Literal,
    /// It is a delta against the other side's.
    Delta,
}

/// One of the two blocks of a binary part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryBlock {
    /// Whether it makes the old side from the new, as the second block does.
    pub reverse: bool,
    /// What its bytes are.
    pub method: BinaryMethod,
    /// Bytes it has when inflated. It is what the diff says, and bounded by nothing.
    pub size: u64,
}

/// Where a binary part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    /// A block has to start: the first, or the second, which undoes it.
    Block { reverse: bool },
    /// Data lines; `short` says that the last one was not full, so none may follow.
    Data { reverse: bool, lines: bool, short: bool },
    /// Both blocks are there.
    Done,
}

impl Binary {
    pub(super) const START: Self = Self::Block { reverse: false };

    /// Takes one line, without its line feed.
    pub(super) fn line(self, line: &[u8], events: &mut impl Events) -> Result<Self, Rule> {
        match self {
            Self::Block { reverse } => {
                events.binary_block(block(line, reverse).ok_or(Rule::Binary)?);
                Ok(Self::Data { reverse, lines: false, short: false })
            }
            Self::Data { reverse, lines: true, .. } if line.is_empty() => {
                Ok(if reverse { Self::Done } else { Self::Block { reverse: true } })
            }
            Self::Data { reverse, short: false, .. } => {
                let mut bytes = [0; FULL];
                let count = decode(line, &mut bytes).ok_or(Rule::Binary)?;
                events.binary_data(bytes.get(..count).ok_or(Rule::Binary)?);
                Ok(Self::Data { reverse, lines: true, short: count < FULL })
            }
            Self::Data { .. } | Self::Done => Err(Rule::Binary),
        }
    }
}

fn block(line: &[u8], reverse: bool) -> Option<BinaryBlock> {
    let literal = line.strip_prefix(b"literal ").map(|size| (BinaryMethod::Literal, size));
    let (method, size) = literal.or_else(|| line.strip_prefix(b"delta ").map(|size| (BinaryMethod::Delta, size)))?;
    Some(BinaryBlock { reverse, method, size: super::header::decimal(size)? })
}

/// Decodes a data line and says how many bytes it holds. Git fills the last group with zeros, so other bytes there are
/// not git's.
fn decode(line: &[u8], bytes: &mut [u8; FULL]) -> Option<usize> {
    let (&length, digits) = line.split_first()?;
    let count = match length {
        b'A'..=b'Z' => usize::from(length - b'A') + 1,
        b'a'..=b'z' => usize::from(length - b'a') + 27,
        _ => return None,
    };
    let (groups, rest) = digits.as_chunks::<5>();
    if groups.len() != count.div_ceil(4) || !rest.is_empty() {
        return None;
    }
    for (group, four) in groups.iter().zip(bytes.as_chunks_mut::<4>().0) {
        let value =
            group.iter().try_fold(0_u32, |value, digit| value.checked_mul(85)?.checked_add(value_of(*digit)?))?;
        *four = value.to_be_bytes();
    }
    bytes.get(count..)?.iter().all(|byte| *byte == 0).then_some(count)
}

fn value_of(digit: u8) -> Option<u32> {
    const VALUES: [Option<u32>; 256] = {
        let mut values = [None; 256];
        let mut value = 0;
        while value < DIGITS.len() {
            values[DIGITS[value] as usize] = Some(value as u32);
            value += 1;
        }
        values
    };
    VALUES.get(usize::from(digit)).copied().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_85_digits() {
        assert_eq!((0..=u8::MAX).filter_map(value_of).count(), 85);
    }

    /// The line is git's own for an empty content: eight bytes of deflate.
    #[test]
    fn a_line_is_decoded() {
        let mut bytes = [0; FULL];
        assert_eq!(decode(b"HcmV?d00001", &mut bytes), Some(8));
        assert_eq!(bytes.get(..8), Some(&[0x78, 0x01, 0x03, 0, 0, 0, 0, 0x01][..]));
    }

    /// Length, alphabet, four bytes a group at the most, and no byte behind the last.
    #[test]
    fn a_line_has_the_characters_that_its_length_wants() {
        for wrong in [
            &b""[..],
            b"HcmV?d0000",
            b"HcmV?d000011",
            b"HcmV?d0000\"",
            b"HcmV?d0000 ",
            b"1cmV?d",
            b"AcmV?",
            b"D~~~~~",
            b"AcmV?d",
        ] {
            assert_eq!(decode(wrong, &mut [0; FULL]), None, "{}", wrong.escape_ascii());
        }
    }
}
