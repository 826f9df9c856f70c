//! Paths as callers name them: beneath the root by their spelling alone. What lies there on disk is the walk's matter.

use std::fmt;

use crate::{
    publish::is_staged_name,
    refusal::{Refusal, Unsupported},
};

/// The longest path; more than that no system call takes.
const MAX_BYTES: usize = 4095;
/// The longest name of one component on the file systems there are.
const MAX_NAME_BYTES: usize = 255;

/// A path beneath the root: names with `/` between them, in any UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelativePath(String);

impl RelativePath {
    /// Takes a path that cannot lead out of the root and has one spelling: not empty, not absolute, and no component that
    /// is empty, `.` or `..`.
    ///
    /// # Errors
    /// [`Refusal::PathUnsupported`], with what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        match fault_of(text) {
            None => Ok(Self(text.to_owned())),
            Some(why) => Err(Refusal::PathUnsupported { path: text.chars().take(MAX_BYTES).collect(), why }),
        }
    }

    /// As it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directory it lies in, if that is not the root itself.
    pub(crate) fn parent(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(parent, _)| parent)
    }

    /// Its last component.
    pub(crate) fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn fault_of(text: &str) -> Option<Unsupported> {
    if text.is_empty() {
        return Some(Unsupported::Empty);
    }
    if text.len() > MAX_BYTES {
        return Some(Unsupported::TooLong);
    }
    if text.contains('\0') {
        return Some(Unsupported::Nul);
    }
    if text.starts_with('/') {
        return Some(Unsupported::Absolute);
    }
    text.split('/').find_map(|name| match name {
        "" | "." | ".." => Some(Unsupported::Component),
        _ if name.len() > MAX_NAME_BYTES => Some(Unsupported::TooLong),
        _ if is_staged_name(name.as_bytes()) => Some(Unsupported::Reserved),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    fn why(text: &str) -> Option<Unsupported> {
        match RelativePath::parse(text) {
            Ok(_) => None,
            Err(Refusal::PathUnsupported { why, .. }) => Some(why),
            Err(other) => panic!("{other}"),
        }
    }

    /// what leaves the root, or has a second spelling, is no path.
    #[test]
    fn a_path_stays_beneath_the_root_by_its_spelling() {
        let long = "a/".repeat(2047) + "ab";
        for (text, expected) in [
            ("", Unsupported::Empty),
            ("/etc/passwd", Unsupported::Absolute),
            ("//a", Unsupported::Absolute),
            ("a/../../b", Unsupported::Component),
            ("..", Unsupported::Component),
            ("./a", Unsupported::Component),
            ("a//b", Unsupported::Component),
            ("a/", Unsupported::Component),
            ("a\0b", Unsupported::Nul),
            (&long, Unsupported::TooLong),
            (&"n".repeat(256), Unsupported::TooLong),
            (".assay-stage-0123456789abcdef", Unsupported::Reserved),
        ] {
            assert_eq!(why(text), Some(expected), "{text:?}");
        }
        for text in [
            "a",
            "a/b",
            "...",
            "..a",
            ".assay-stage",
            "進行中/\u{1f7e2} \n\\",
            "C:\\a",
            &"n".repeat(255),
            &long[1 + 1..],
        ] {
            assert_eq!(why(text), None, "{text:?}");
        }
        let path = RelativePath::parse("a/b/c").expect("it is one");
        assert_eq!((path.parent(), path.name()), (Some("a/b"), "c"));
        let path = RelativePath::parse("c").expect("it is one");
        assert_eq!((path.parent(), path.name()), (None, "c"));
    }

    proptest! {
        /// whatever is taken has named components alone, and is spelled as they are joined.
        #[test]
        fn what_is_taken_is_made_of_names(text in "[a./\u{e9}\0-]{0,12}") {
            if let Ok(path) = RelativePath::parse(&text) {
                let names: Vec<_> = Path::new(path.as_str()).components().collect();
                prop_assert!(!names.is_empty());
                prop_assert!(names.iter().all(|name| matches!(name, Component::Normal(_))));
                let joined: Vec<_> = names.iter().map(|name| name.as_os_str().to_str().expect("UTF-8")).collect();
                prop_assert_eq!(joined.join("/"), text);
            }
        }
    }
}
