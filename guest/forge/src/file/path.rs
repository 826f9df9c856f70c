//! A path below a repository's root as a caller spells it, and as it is shown.

use std::fmt::Write as _;

use crate::{FilePath, InvalidName, RepoPath};

/// A path whose names are parted by single slashes, none of them a dot segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreePath {
    spelled: String,
    /// What can be meant, the first choice first.
    names: Vec<RepoPath>,
}

impl TreePath {
    /// # Errors
    /// [`InvalidName::TreePath`] where it is no such path of 1 to 4,096 bytes.
    pub fn new(spelled: impl Into<String>) -> Result<Self, InvalidName> {
        let spelled = spelled.into();
        let path = FilePath::new(&spelled).map_err(|_| InvalidName::TreePath)?;
        if !is_sound(spelled.as_bytes()) {
            return Err(InvalidName::TreePath);
        }
        // A name that is no UTF-8 is spelled as git quotes it; what its quotes stand for must be a path as well.
        let names = path.names().filter(|name| is_sound(name.as_bytes())).cloned().collect();
        Ok(Self { spelled, names })
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.spelled
    }

    /// The names in bytes that it can stand for, the first choice first, at least one.
    #[must_use]
    pub fn names(&self) -> &[RepoPath] {
        &self.names
    }
}

fn is_sound(path: &[u8]) -> bool {
    let plain = !path.iter().any(u8::is_ascii_control);
    plain && path.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
}

/// A path as it is shown: itself where it is UTF-8, else as git quotes it, which [`TreePath::new`] reads back.
#[must_use]
pub fn quoted(path: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(path) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => write!(quoted, "\\{byte:03o}").expect("to memory"),
        }
    }
    quoted.push('"');
    quoted
}

/// A path as a forge's JSON shows it: each byte that is no UTF-8 has become U+FFFD.
#[must_use]
pub fn shown(path: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in path.utf8_chunks() {
        shown.push_str(chunk.valid());
        shown.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The contract's rules for `path`, K-45 to K-47.
    #[test]
    fn a_path_has_names() {
        let forty = "0123456789abcdef0123456789abcdef01234567";
        for good in
            ["a", "a/b", "a#b.txt", "a?b", "a;b", "a+b", " a b ", "100%25.txt", "...", "é", forty, "a\\b", "\"a\""]
        {
            assert_eq!(TreePath::new(good).expect(good).names().len(), 1, "{good}");
        }
        for bad in ["", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a\nb", "a\0", "\x7f", &"a".repeat(4_097)] {
            assert_eq!(TreePath::new(bad), Err(InvalidName::TreePath), "{bad:?}");
        }
        assert_eq!(TreePath::new(r#""a\351/b""#).expect("two names").names().len(), 2);
        assert_eq!(TreePath::new(r#""../\351""#).expect("its quotes stand for no path").names().len(), 1);
    }

    /// As Go writes JSON.
    #[test]
    fn broken_bytes_are_shown_one_by_one() {
        assert_eq!(shown(b"a\xe2\x82/\xff\xc3\xa9"), "a\u{fffd}\u{fffd}/\u{fffd}é");
    }

    proptest! {
        /// Whatever a tree can hold without control characters is shown in a form that leads back to it.
        #[test]
        fn what_is_shown_leads_back(name in prop::collection::vec(prop_oneof![0x20_u8..0x7f, 0x80_u8..], 1..40)) {
            prop_assume!(is_sound(&name));
            let path = TreePath::new(quoted(&name)).expect("a path");
            let is_text = std::str::from_utf8(&name).is_ok();
            let meant = if is_text { path.names().first() } else { path.names().last() };
            prop_assert_eq!(meant.map(RepoPath::as_bytes), Some(&name[..]));
        }
    }
}
