//! SHA-256 of what is on disk, spelled as history stores it: 64 lower-case hexadecimal digits.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 (P-156).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        let mut hashing = Hashing::default();
        hashing.update(bytes.as_ref());
        hashing.finish()
    }

    /// Of a text that spells one exactly.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut digits = text.bytes();
        let mut digest = [0; 32];
        for byte in &mut digest {
            *byte = digit(digits.next()?)? << 4 | digit(digits.next()?)?;
        }
        digits.next().is_none().then_some(Self(digest))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One that is being made, piece by piece.
#[derive(Default)]
pub(crate) struct Hashing(Sha256);

impl Hashing {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-156: a digest has one spelling, and nothing else is read as one.
    #[test]
    fn a_digest_is_spelled_in_one_way() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of("").to_string(), empty);
        assert_eq!(Digest::from_hex(empty), Some(Digest::of("")));
        for wrong in ["", &empty[1..], &empty.to_uppercase(), &format!("{empty}0"), &empty.replace('e', "g")] {
            assert_eq!(Digest::from_hex(wrong), None, "{wrong}");
        }
    }
}
