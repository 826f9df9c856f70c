//! SHA-256 as history stores it: 64 lower-case hexadecimal digits.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// A SHA-256 in its stored spelling (P-035).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sha256Hex(String);

impl Sha256Hex {
    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self::of_parts([bytes])
    }

    /// Of these parts, one after the other.
    #[must_use]
    pub fn of_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut hasher = Sha256::new();
        parts.into_iter().for_each(|part| hasher.update(part));
        Self(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Of a text that spells one exactly.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (text.len() == 64 && digits).then(|| Self(text.to_owned()))
    }

    /// The 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Sha256Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-035.
    #[test]
    fn a_hash_is_spelled_in_one_way() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Sha256Hex::of("").as_str(), empty);
        assert_eq!(Sha256Hex::of_parts(["a", "bc"]), Sha256Hex::of("abc"));
        assert_eq!(Sha256Hex::from_hex(empty), Some(Sha256Hex::of("")));
        for wrong in ["", &empty[1..], &empty.to_uppercase(), &format!("{empty}0"), &empty.replace('e', "g")] {
            assert_eq!(Sha256Hex::from_hex(wrong), None, "{wrong}");
        }
    }
}
