//! The structure of `GIT binary patch`: blocks of base 85 lines.

use super::Rule;

/// The largest number of bytes that one line holds.
const FULL: u8 = 52;

/// Where a binary part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    /// A block has to start: the first, or the second, which undoes it.
    Block { second: bool },
    /// Data lines; `short` says that the last one was not full, so none may follow.
    Data { second: bool, lines: bool, short: bool },
    /// Both blocks are there.
    Done,
}

impl Binary {
    pub(super) const START: Self = Self::Block { second: false };

    /// Takes one line, without its line feed.
    pub(super) fn line(self, line: &[u8]) -> Result<Self, Rule> {
        match self {
            Self::Block { second } if is_block(line) => Ok(Self::Data { second, lines: false, short: false }),
            Self::Data { second, lines: true, .. } if line.is_empty() => {
                Ok(if second { Self::Done } else { Self::Block { second: true } })
            }
            Self::Data { second, short: false, .. } => {
                let full = data(line).ok_or(Rule::Binary)? == FULL;
                Ok(Self::Data { second, lines: true, short: !full })
            }
            _ => Err(Rule::Binary),
        }
    }

    /// Whether the section may end here: git writes both blocks, older writers the first alone.
    pub(super) const fn may_end(self) -> bool {
        matches!(self, Self::Block { second: true } | Self::Done)
    }
}

fn is_block(line: &[u8]) -> bool {
    let size = line.strip_prefix(b"literal ").or_else(|| line.strip_prefix(b"delta "));
    size.is_some_and(|size| super::header::decimal(size).is_some())
}

/// The number of bytes that a data line says it holds, if it has the characters for them.
fn data(line: &[u8]) -> Option<u8> {
    let (&length, digits) = line.split_first()?;
    let count = match length {
        b'A'..=b'Z' => length - b'A' + 1,
        b'a'..=b'z' => length - b'a' + 27,
        _ => return None,
    };
    let sound = digits.len() == usize::from(count).div_ceil(4) * 5 && digits.iter().all(|d| is_digit(*d));
    sound.then_some(count)
}

/// The 85 characters that git writes.
const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'(' | b')' | b'*' | b'+' | b'-' | b';' | b'<' | b'=' | b'>' | b'?'
                | b'@' | b'^' | b'_' | b'`' | b'{' | b'|' | b'}' | b'~'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_85_digits() {
        assert_eq!((0..=u8::MAX).filter(|b| is_digit(*b)).count(), 85);
    }

    #[test]
    fn a_line_has_the_characters_that_its_length_wants() {
        assert_eq!(data(b"HcmV?d00001"), Some(8));
        for wrong in [&b""[..], b"HcmV?d0000", b"HcmV?d000011", b"HcmV?d0000\"", b"1cmV?d", b"AcmV?"] {
            assert_eq!(data(wrong), None, "{}", wrong.escape_ascii());
        }
    }
}
