//! The cursor of a walk over what stands at a path of one commit: a file's bytes, or a directory's entries (F-051 to F-056).
//!
//! It is pinned to the commit and to the object itself, so that nothing in it can move; whoever follows it asks the forge
//! again whether the caller may see the object there.

use serde::{Deserialize, Serialize};

use super::{Fault, VERSION, first_difference, path_sha256, text};
use crate::{ObjectId, Owner, RepoName, RepoPath, file::TreePath, json::MOST_INTEGER};

/// What is walked over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The bytes of a file.
    File,
    /// The entries of a directory.
    Directory,
}

/// What the arguments of a call say about where it reads.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// As it was given.
    pub owner: &'a Owner,
    /// As it was given.
    pub repo: &'a RepoName,
    /// As it was given; nothing for the root.
    pub path: Option<&'a TreePath>,
    /// As it was given.
    pub reference: Option<&'a str>,
}

/// A position in such a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceCursor {
    written: Written,
    /// The commit that the walk is pinned to.
    pub commit: ObjectId,
    /// The file's blob or the directory's tree.
    pub object: ObjectId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(rename = "v")]
    version: u64,
    kind: String,
    owner: String,
    repo: String,
    /// SHA-256 of the path in bytes, so that a path of 4,096 quotes fits as well.
    path: Option<String>,
    #[serde(rename = "ref")]
    reference: Option<String>,
    commit: String,
    object: String,
    /// Whether a proof leads from the commit to the object.
    proven: bool,
    size: u64,
    offset: u64,
}

impl Over {
    const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
        }
    }
}

impl PlaceCursor {
    /// The position `offset` in a walk over the `size` bytes or entries of `object`, which stands at `path` of `commit`.
    #[must_use]
    pub fn new(
        over: Over,
        place: &Place<'_>,
        path: Option<&RepoPath>,
        (commit, object): (ObjectId, ObjectId),
        proven: bool,
        size: u64,
        offset: u64,
    ) -> Self {
        let written = Written {
            version: VERSION,
            kind: over.as_str().to_owned(),
            owner: place.owner.as_str().to_owned(),
            repo: place.repo.as_str().to_owned(),
            path: path.map(path_sha256),
            reference: place.reference.map(str::to_owned),
            commit: commit.to_string(),
            object: object.to_string(),
            proven,
            size,
            offset,
        };
        Self { written, commit, object }
    }

    /// The text of the cursor.
    #[must_use]
    pub fn encode(&self) -> String {
        text::encode(&self.written)
    }

    /// Reads a cursor's text, every value of it as a stranger's (F-054, F-055, F-065).
    ///
    /// # Errors
    /// [`Fault::Damaged`] for anything that [`Self::encode`] does not give, [`Fault::Version`] for another version's,
    /// [`Fault::Call`] for another tool's, [`Fault::Offset`] for a position that no window ends at.
    pub fn decode(over: Over, text: &str) -> Result<Self, Fault> {
        let written: Written = text::decode(text, Some(over.as_str()))?;
        let id = |hex: &str| ObjectId::from_hex(hex).map_err(|_| Fault::Damaged);
        let (commit, object) = (id(&written.commit)?, id(&written.object)?);
        if commit.format() != object.format() || written.size > MOST_INTEGER {
            return Err(Fault::Damaged);
        }
        if !(1..written.size).contains(&written.offset) {
            return Err(Fault::Offset);
        }
        Ok(Self { written, commit, object })
    }

    /// Whether the cursor belongs to a call with these arguments, and which of the path's names it is of: known before
    /// any request (F-052, F-056). A `ref` that is left out is the one that the walk began with.
    ///
    /// # Errors
    /// [`Fault::Call`] naming the argument that differs.
    pub fn check<'a>(&self, place: &Place<'a>) -> Result<Option<&'a RepoPath>, Fault> {
        let names = place.path.map(TreePath::names).unwrap_or_default();
        let name = names.iter().find(|name| self.written.path == Some(path_sha256(name)));
        let same = [
            ("owner", self.written.owner == place.owner.as_str()),
            ("repo", self.written.repo == place.repo.as_str()),
            ("path", name.is_some() || (place.path.is_none() && self.written.path.is_none())),
            ("ref", place.reference.is_none_or(|given| self.written.reference.as_deref() == Some(given))),
        ];
        first_difference(same).map_or(Ok(name), |argument| Err(Fault::Call(argument)))
    }

    /// The `ref` that the walk began with.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.written.reference.as_deref()
    }

    /// Whether the walk began with a proof from the commit to the object.
    #[must_use]
    pub const fn is_proven(&self) -> bool {
        self.written.proven
    }

    /// Bytes of the file, or entries of the directory.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.written.size
    }

    /// Where the next window starts.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.written.offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::{CURSOR_BYTES, Cursor};

    fn id(digit: &str) -> ObjectId {
        ObjectId::from_hex(&digit.repeat(40)).expect("an id")
    }

    struct Call(Owner, RepoName, Option<TreePath>, Option<&'static str>);

    impl Call {
        fn new(owner: &str, repo: &str, path: Option<&str>, reference: Option<&'static str>) -> Self {
            let path = path.map(|path| TreePath::new(path).expect("a path"));
            Self(Owner::new(owner).expect("a name"), RepoName::new(repo).expect("a name"), path, reference)
        }

        fn place(&self) -> Place<'_> {
            Place { owner: &self.0, repo: &self.1, path: self.2.as_ref(), reference: self.3 }
        }

        fn cursor(&self, size: u64, offset: u64) -> PlaceCursor {
            let place = self.place();
            let name = place.path.and_then(|path| path.names().last());
            PlaceCursor::new(Over::File, &place, name, (id("1"), id("2")), false, size, offset)
        }
    }

    /// F-052 to F-056: what it binds, and what it is compared with.
    #[test]
    fn each_argument_is_bound() {
        let call = Call::new("o", "r", Some("d/a"), Some("main"));
        let cursor = call.cursor(9, 3);
        let read = PlaceCursor::decode(Over::File, &cursor.encode()).expect("as it was written");
        assert_eq!(read, cursor);
        assert_eq!((read.commit, read.object, read.size(), read.offset()), (id("1"), id("2"), 9, 3));
        assert_eq!(read.check(&call.place()), Ok(call.place().path.and_then(|path| path.names().first())));
        assert!(read.check(&Call::new("o", "r", Some("d/a"), None).place()).is_ok());
        for (other, argument) in [
            (Call::new("O", "r", Some("d/a"), None), "owner"),
            (Call::new("o", "R", Some("d/a"), None), "repo"),
            (Call::new("o", "r", Some("d/b"), None), "path"),
            (Call::new("o", "r", None, None), "path"),
            (Call::new("o", "r", Some("d/a"), Some("other")), "ref"),
        ] {
            assert_eq!(read.check(&other.place()), Err(Fault::Call(argument)));
        }
        let unnamed = Call::new("o", "r", Some("d/a"), None).cursor(9, 3);
        assert_eq!(unnamed.check(&call.place()), Err(Fault::Call("ref")));
        let root = Call::new("o", "r", None, None);
        assert_eq!(root.cursor(9, 3).check(&root.place()), Ok(None));
        assert_eq!(root.cursor(9, 3).check(&call.place()), Err(Fault::Call("path")));
    }

    /// F-055: each tool's cursors are its own.
    #[test]
    fn another_tools_cursor_refuses() {
        let text = Call::new("o", "r", Some("a"), None).cursor(9, 3).encode();
        assert_eq!(PlaceCursor::decode(Over::Directory, &text), Err(Fault::Call("tool")));
        assert_eq!(Cursor::decode(&text), Err(Fault::Call("tool")));
    }

    /// F-054, F-065: every value is a stranger's.
    #[test]
    fn forged_values_refuse() {
        let call = Call::new("o", "r", Some("a"), None);
        let cursor = call.cursor(9, 3);
        type Change = fn(&mut Written);
        let changes: [(Change, Fault); 10] = [
            (|w| w.offset = 0, Fault::Offset),
            (|w| w.offset = 9, Fault::Offset),
            (|w| w.offset = u64::MAX, Fault::Offset),
            (|w| w.size = 1 << 53, Fault::Damaged),
            (|w| w.commit = "1".repeat(39), Fault::Damaged),
            (|w| w.commit = "1".repeat(64), Fault::Damaged),
            (|w| w.object = "../../x".into(), Fault::Damaged),
            (|w| w.version = 1, Fault::Version),
            (|w| w.kind = "diff".into(), Fault::Call("tool")),
            (|w| w.kind = String::new(), Fault::Call("tool")),
        ];
        for (change, fault) in changes {
            let mut forged = cursor.clone();
            change(&mut forged.written);
            assert_eq!(PlaceCursor::decode(Over::File, &forged.encode()), Err(fault));
        }
        let mut text = cursor.encode();
        text.replace_range(3..4, if text.as_bytes()[3] == b'x' { "y" } else { "x" });
        assert_eq!(PlaceCursor::decode(Over::File, &text), Err(Fault::Damaged));
    }

    /// D-060: the longest arguments fit.
    #[test]
    fn it_is_short() {
        let (name, path) = ("\"".repeat(255), "\"".repeat(4_096));
        let call = Call::new(&name, &name, Some(&path), None);
        assert!(call.cursor(MOST_INTEGER, 1).encode().len() < CURSOR_BYTES / 2);
    }
}
