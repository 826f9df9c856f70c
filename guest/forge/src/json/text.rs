//! One JSON string, byte by byte: UTF-8, escapes, surrogate pairs, control characters.

use super::Fault;

/// What a byte did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// It is part of a character.
    Part,
    /// It completed a character of the unescaped string.
    Char(char),
    /// It is the closing quote.
    End,
}

/// A string whose opening quote has passed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Text {
    Plain,
    /// A character of several bytes, `have` of `need` seen.
    Multibyte {
        bytes: [u8; 4],
        have: usize,
        need: usize,
    },
    /// A backslash was seen.
    Escape,
    /// `\u` and some of its digits; `high` is the first half of a pair, if this is the second.
    Hex {
        digits: u8,
        value: u16,
        high: Option<u16>,
    },
    /// The first half of a pair is over: a backslash must follow, then a `u`.
    PairBackslash(u16),
    PairMark(u16),
}

impl Text {
    pub(super) fn push(&mut self, byte: u8) -> Result<Piece, Fault> {
        match *self {
            Self::Plain => self.plain(byte),
            Self::Multibyte { bytes, have, need } => self.multibyte(bytes, have, need, byte),
            Self::Escape => self.escape(byte),
            Self::Hex { digits, value, high } => self.hex(digits, value, high, byte),
            Self::PairBackslash(high) => {
                *self = Self::PairMark(high);
                if byte == b'\\' { Ok(Piece::Part) } else { Err(Fault::Escape) }
            }
            Self::PairMark(high) => {
                *self = Self::Hex { digits: 0, value: 0, high: Some(high) };
                if byte == b'u' { Ok(Piece::Part) } else { Err(Fault::Escape) }
            }
        }
    }

    fn plain(&mut self, byte: u8) -> Result<Piece, Fault> {
        let need = match byte {
            b'"' => return Ok(Piece::End),
            b'\\' => {
                *self = Self::Escape;
                return Ok(Piece::Part);
            }
            0..0x20 => return Err(Fault::ControlCharacter),
            0x20..0x80 => return Ok(Piece::Char(char::from(byte))),
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => return Err(Fault::Utf8),
        };
        *self = Self::Multibyte { bytes: [byte, 0, 0, 0], have: 1, need };
        Ok(Piece::Part)
    }

    fn multibyte(&mut self, mut bytes: [u8; 4], have: usize, need: usize, byte: u8) -> Result<Piece, Fault> {
        // Said at once: what would have closed the string is not swallowed by a broken character.
        let place = bytes.get_mut(have).filter(|_| byte & 0xC0 == 0x80).ok_or(Fault::Utf8)?;
        *place = byte;
        let have = have + 1;
        if have < need {
            *self = Self::Multibyte { bytes, have, need };
            return Ok(Piece::Part);
        }
        *self = Self::Plain;
        let whole = bytes.get(..need).and_then(|whole| std::str::from_utf8(whole).ok());
        whole.and_then(|text| text.chars().next()).map(Piece::Char).ok_or(Fault::Utf8)
    }

    fn escape(&mut self, byte: u8) -> Result<Piece, Fault> {
        *self = Self::Plain;
        Ok(Piece::Char(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                *self = Self::Hex { digits: 0, value: 0, high: None };
                return Ok(Piece::Part);
            }
            _ => return Err(Fault::Escape),
        }))
    }

    fn hex(&mut self, digits: u8, value: u16, high: Option<u16>, byte: u8) -> Result<Piece, Fault> {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            _ => return Err(Fault::Escape),
        };
        let value = value << 4 | u16::from(digit);
        if digits < 3 {
            *self = Self::Hex { digits: digits + 1, value, high };
            return Ok(Piece::Part);
        }
        *self = Self::Plain;
        let character = match high {
            None if matches!(value, 0xD800..=0xDBFF) => {
                *self = Self::PairBackslash(value);
                return Ok(Piece::Part);
            }
            // A low half alone is no character, nor is a high one that no low one follows.
            None => char::from_u32(u32::from(value)),
            Some(high) => char::decode_utf16([high, value]).next().and_then(Result::ok),
        };
        character.map(Piece::Char).ok_or(Fault::Escape)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Everything between the quotes, unescaped; the closing quote must be the last byte.
    fn read(content: &[u8]) -> Result<String, Fault> {
        let mut text = Text::Plain;
        let mut unescaped = String::new();
        for (at, byte) in content.iter().enumerate() {
            match text.push(*byte)? {
                Piece::Part => {}
                Piece::Char(character) => unescaped.push(character),
                Piece::End => {
                    assert_eq!(at, content.len() - 1, "closed early");
                    return Ok(unescaped);
                }
            }
        }
        Err(Fault::Truncated)
    }

    /// D-036a, D-036b number 22.
    #[test]
    fn refuses_half_pairs_and_raw_controls() {
        for half in [r#"\ud800""#, r#"\udc00""#, r#"\ud800\ud800""#, r#"\ud83dA""#, r#"\ud83d\n""#, r#"\uD83D\u0041""#]
        {
            assert_eq!(read(half.as_bytes()), Err(Fault::Escape), "{half}");
        }
        assert_eq!(read(br#"\ud83D\uDe00""#).as_deref(), Ok("😀"));
        for escape in [r#"\x41""#, r#"\u00g0""#, r#"\u+041""#, r#"\U0041""#] {
            assert_eq!(read(escape.as_bytes()), Err(Fault::Escape), "{escape}");
        }
        for control in 0..0x20 {
            assert_eq!(read(&[control, b'"']), Err(Fault::ControlCharacter));
        }
        assert_eq!(read(b"\x7f\"").as_deref(), Ok("\u{7f}"));
    }

    /// D-036b number 15: overlong forms, encoded surrogates, cut characters.
    #[test]
    fn refuses_what_is_not_utf8() {
        for bad in [
            &b"\xff\""[..],
            b"\x80\"",
            b"\xc0\x80\"",
            b"\xc1\xbf\"",
            b"\xe0\x80\x80\"",
            b"\xed\xa0\x80\"",
            b"\xf0\x80\x80\x80\"",
            b"\xf4\x90\x80\x80\"",
            b"\xf5\x80\x80\x80\"",
            b"\xc3\"",
            b"\xe2\"",
            b"\xe2\x82\"",
        ] {
            assert_eq!(read(bad), Err(Fault::Utf8), "{bad:x?}");
        }
    }

    proptest! {
        /// The same verdict and the same text as a parser of another make.
        #[test]
        fn agrees_with_serde(content in r#"([ -~é€😀]|\\[u"\\/bfnrtx]|\\u[dD][89a-fA-F][0-9a-f]{2}|\\u00[0-9a-f]{2}){0,12}"#) {
            let quoted = format!("\"{content}\"");
            if let Ok(expected) = serde_json::from_str::<String>(&quoted) {
                prop_assert_eq!(read(&quoted.as_bytes()[1..]), Ok(expected));
            } else if !content.contains('"') {
                prop_assert!(read(&quoted.as_bytes()[1..]).is_err());
            }
        }
    }
}
