//! A string as Python has it: any sequence of code points, be it one that no UTF-8 spells.
//!
//! Such strings must be told apart, ordered, and written down again; they are never repaired (P-100).

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::{fmt, iter};

use memchr::memchr;

/// Code points, among them perhaps NUL and unpaired surrogates. A pair of surrogates is the one code point that it means,
/// as it is to `json.loads`.
///
/// The order is that of the code points, as Python sorts (PG-15).
#[derive(Clone, PartialEq, Eq)]
pub struct Text(Spelling);

/// One of the two, by whether there is an unpaired surrogate: the same text never has two spellings.
#[derive(Clone, PartialEq, Eq)]
enum Spelling {
    Utf8(String),
    /// UTF-8 but for unpaired surrogates, each in the three bytes that its number would have.
    Wtf8(Vec<u8>),
}

impl Text {
    /// Of UTF-16, where what is unpaired remains so.
    #[must_use]
    pub fn from_utf16(units: impl IntoIterator<Item = u16>) -> Self {
        let mut text = Self::default();
        text.extend_utf16(units);
        text
    }

    /// As a Rust string; nothing where it has an unpaired surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Spelling::Utf8(text) => Some(text),
            Spelling::Wtf8(_) => None,
        }
    }

    /// Whether a database stores it: it has no unpaired surrogate and no NUL (P-100).
    #[must_use]
    pub fn is_storable(&self) -> bool {
        self.as_str().is_some_and(|text| memchr(0, text.as_bytes()).is_none())
    }

    /// Its code points, surrogates among them.
    pub fn code_points(&self) -> impl Iterator<Item = u32> {
        let mut bytes = self.bytes().iter().copied();
        iter::from_fn(move || {
            let first = u32::from(bytes.next()?);
            let (mut point, following) = match first {
                0..0xc0 => (first, 0),
                0xc0..0xe0 => (first & 0x1f, 1),
                0xe0..0xf0 => (first & 0x0f, 2),
                _ => (first & 0x07, 3),
            };
            for _ in 0..following {
                point = point << 6 | u32::from(bytes.next()? & 0x3f);
            }
            Some(point)
        })
    }

    /// Its spelling, whose order is that of the code points.
    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Spelling::Utf8(text) => text.as_bytes(),
            Spelling::Wtf8(bytes) => bytes,
        }
    }

    pub(super) fn push_str(&mut self, more: &str) {
        match &mut self.0 {
            Spelling::Utf8(text) => text.push_str(more),
            Spelling::Wtf8(bytes) => bytes.extend_from_slice(more.as_bytes()),
        }
    }

    /// Adds these units. A pair must not have its halves in two calls.
    pub(super) fn extend_utf16(&mut self, units: impl IntoIterator<Item = u16>) {
        for unit in char::decode_utf16(units) {
            match unit {
                Ok(char) => self.push_str(char.encode_utf8(&mut [0; 4])),
                Err(unpaired) => self.push_surrogate(unpaired.unpaired_surrogate()),
            }
        }
    }

    fn push_surrogate(&mut self, surrogate: u16) {
        let [high, low] = surrogate.to_be_bytes();
        let spelled = [0xe0 | high >> 4, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f];
        let mut bytes = match std::mem::replace(&mut self.0, Spelling::Wtf8(Vec::new())) {
            Spelling::Utf8(text) => text.into_bytes(),
            Spelling::Wtf8(bytes) => bytes,
        };
        bytes.extend_from_slice(&spelled);
        self.0 = Spelling::Wtf8(bytes);
    }
}

impl Default for Text {
    fn default() -> Self {
        Self(Spelling::Utf8(String::new()))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Spelling::Utf8(text.to_owned()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Spelling::Utf8(text))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Finds a key by a Rust string's bytes.
impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

/// As JSON in ASCII.
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut quoted = String::new();
        super::write::quote_ascii(&mut quoted, self);
        f.write_str(&quoted)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::documents;

    /// P-100: what a database takes is what has neither unpaired surrogates nor NUL.
    #[test]
    fn some_texts_are_not_stored() {
        for (units, str, storable) in [
            (&[][..], Some(""), true),
            (&[0x61, 0xe9, 0xfffd, 0x7f], Some("aé\u{fffd}\u{7f}"), true),
            (&[0xd83d, 0xde00], Some("\u{1f600}"), true),
            (&[0x61, 0x0], Some("a\0"), false),
            (&[0x61, 0xd83d], None, false),
            (&[0xde00, 0xd83d], None, false),
            (&[0xd83d, 0x20, 0xde00], None, false),
        ] {
            let text = Text::from_utf16(units.iter().copied());
            assert_eq!((text.as_str(), text.is_storable()), (str, storable), "{text:?}");
        }
    }

    /// PG-15: the order is not that of UTF-16.
    #[test]
    fn keys_have_the_order_of_code_points() {
        let sorted = [&[0x7a][..], &[0xd7ff], &[0xd800], &[0xd800, 0x20], &[0xdfff], &[0xfffd], &[0xd83d, 0xde00]];
        let texts = sorted.map(|units| Text::from_utf16(units.iter().copied()));
        assert!(texts.is_sorted(), "{texts:?}");
    }

    proptest! {
        /// P-100, PG-15: a text is its code points, and has their order.
        #[test]
        fn a_text_is_its_code_points(one in documents::text(), other in documents::text()) {
            let points: Vec<u32> = one.code_points().collect();
            let others: Vec<u32> = other.code_points().collect();
            prop_assert_eq!(one.cmp(&other), points.cmp(&others));
            prop_assert_eq!(one == other, points == others);
            let chars: Option<String> = points.iter().map(|point| char::from_u32(*point)).collect();
            prop_assert_eq!(one.as_str(), chars.as_deref());
        }
    }
}
