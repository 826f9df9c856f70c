//! The entries of a raw tree: names are bytes here, as nowhere else in a forge's answers (O-007).

use std::cmp::Ordering;

use super::{Fault, Kind, Object};
use crate::{ObjectFormat, ObjectId};

const TREE: u32 = 0o040_000;
const SUBMODULE: u32 = 0o160_000;

/// One entry of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry<'a> {
    /// Its mode as git compares and shows it: 0o040000, 0o100644, 0o100755, 0o120000 or 0o160000.
    pub mode: u32,
    /// Its name, at least one byte, without a slash.
    pub name: &'a [u8],
    /// What it is.
    pub id: ObjectId,
}

/// Whether an entry of this mode is a folder.
#[must_use]
pub const fn is_tree(mode: u32) -> bool {
    mode == TREE
}

/// Whether an entry of this mode is a commit of another repository.
#[must_use]
pub const fn is_submodule(mode: u32) -> bool {
    mode == SUBMODULE
}

impl TreeEntry<'_> {
    /// Git's order within a tree: a folder stands where its name and a slash would.
    #[must_use]
    pub fn order(&self, other: &TreeEntry<'_>) -> Ordering {
        let common = self.name.len().min(other.name.len());
        let next = |entry: &TreeEntry<'_>| entry.name.get(common).copied().or(is_tree(entry.mode).then_some(b'/'));
        let same = self.name.iter().take(common).cmp(other.name.iter().take(common));
        same.then_with(|| next(self).cmp(&next(other)))
    }
}

/// The entries of a tree, in its order.
///
/// # Errors
/// [`Fault::Tree`] where it is no tree. What its bytes lack is told when they are reached.
pub fn entries(tree: &Object) -> Result<TreeEntries<'_>, Fault> {
    if tree.kind() != Kind::Tree {
        return Err(Fault::Tree);
    }
    Ok(TreeEntries { rest: tree.content(), format: tree.id().format(), last: None, files: Vec::new() })
}

/// Reads one entry after the other; after a fault there are none.
#[derive(Clone, Debug)]
pub struct TreeEntries<'a> {
    rest: &'a [u8],
    format: ObjectFormat,
    last: Option<TreeEntry<'a>>,
    /// Names of files that begin the last name, shortest first: a folder of one of them can still come.
    files: Vec<&'a [u8]>,
}

impl<'a> Iterator for TreeEntries<'a> {
    type Item = Result<TreeEntry<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_none() {
            self.rest = b"";
        }
        Some(entry.ok_or(Fault::Tree))
    }
}

impl<'a> TreeEntries<'a> {
    fn entry(&mut self) -> Option<TreeEntry<'a>> {
        let (mode, rest) = self.rest.split_at_checked(memchr::memchr(b' ', self.rest)?)?;
        let mode = mode_of(mode)?;
        let rest = rest.get(1..)?;
        let (name, rest) = rest.split_at_checked(memchr::memchr(0, rest)?)?;
        // `.` and `..` would be other paths than they look, and git stores neither.
        if name.is_empty() || name.contains(&b'/') || matches!(name, b"." | b"..") {
            return None;
        }
        let rest = rest.get(1..)?;
        let (id, rest) = match self.format {
            ObjectFormat::Sha1 => rest.split_first_chunk().map(|(id, rest)| (ObjectId::Sha1(*id), rest))?,
            ObjectFormat::Sha256 => rest.split_first_chunk().map(|(id, rest)| (ObjectId::Sha256(*id), rest))?,
        };
        let entry = TreeEntry { mode, name, id };
        if self.last.is_some_and(|last| last.order(&entry) != Ordering::Less) {
            return None;
        }
        // A file and a folder of one name need not stand next to each other: `a`, `a.b`, `a/`.
        while self.files.last().is_some_and(|file| !name.starts_with(file)) {
            self.files.pop();
        }
        if !is_tree(mode) {
            self.files.push(name);
        } else if self.files.last() == Some(&name) {
            return None;
        }
        (self.rest, self.last) = (rest, Some(entry));
        Some(entry)
    }
}

/// Reads a mode as git does, which knows two permissions alone and forgives the leading zero of old writers.
fn mode_of(digits: &[u8]) -> Option<u32> {
    if !(5..=7).contains(&digits.len()) {
        return None;
    }
    let octal = |value: u32, digit: &u8| match digit {
        b'0'..=b'7' => Some(value << 3 | u32::from(digit - b'0')),
        _ => None,
    };
    match digits.iter().try_fold(0, octal)? {
        mode @ (TREE | SUBMODULE | 0o120_000) => Some(mode),
        mode if mode & !0o777 == 0o100_000 => Some(if mode & 0o100 == 0 { 0o100_644 } else { 0o100_755 }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Hasher;

    fn read(format: ObjectFormat, content: &[u8]) -> Result<Vec<(u32, Vec<u8>)>, Fault> {
        let mut hasher = Hasher::new(format, Kind::Tree, content.len() as u64);
        hasher.update(content);
        let tree = Object::checked(hasher.finish().expect("whole"), Kind::Tree, content.to_vec()).expect("its own id");
        entries(&tree)?.map(|entry| entry.map(|entry| (entry.mode, entry.name.to_vec()))).collect()
    }

    fn tree(format: ObjectFormat, entries: &[(&str, &[u8])]) -> Vec<u8> {
        let id: &[u8] = if format == ObjectFormat::Sha1 { &[b' '; 20] } else { &[0; 32] };
        let entry = |(mode, name): &(&str, &[u8])| [mode.as_bytes(), b" ", *name, b"\0", id].concat();
        entries.iter().flat_map(entry).collect()
    }

    /// O-007: git's own order, names as bytes, modes as git shows them.
    #[test]
    fn entries_are_gits() {
        for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
            let content = tree(
                format,
                &[
                    ("100644", b"a"),
                    ("100664", b"a-"),
                    ("40000", b"a.b"),
                    ("040000", b"a.c"),
                    ("100755", b"a0"),
                    ("120000", b"b\xe9 \n"),
                    ("160000", b"c"),
                ],
            );
            let modes = [0o100_644, 0o100_644, 0o040_000, 0o040_000, 0o100_755, 0o120_000, 0o160_000];
            let entries = read(format, &content).expect("sound");
            assert_eq!(entries.iter().map(|(mode, _)| *mode).collect::<Vec<_>>(), modes);
            assert_eq!(entries.get(5).expect("seven").1, b"b\xe9 \n");
            let last = content.len() - b"160000 c\0".len() - if format == ObjectFormat::Sha1 { 20 } else { 32 };
            assert_eq!(read(format, &content[..last]).map(|entries| entries.len()), Ok(6));
            for end in last + 1..content.len() {
                assert_eq!(read(format, &content[..end]), Err(Fault::Tree), "cut at {end}");
            }
            assert_eq!(read(format, b""), Ok(vec![]));
        }
    }

    /// O-007: what could be read in two ways is no tree.
    #[test]
    fn other_trees_are_refused() {
        let one = |mode, name: &'static [u8]| vec![(mode, name)];
        for entries in [
            one("100644", b""),
            one("100644", b"."),
            one("40000", b".."),
            one("100644", b"a/b"),
            one("10644", b"a"),
            one("100844", b"a"),
            one("140000", b"a"),
            one("00100644", b"a"),
            one("", b"a"),
            vec![("100644", b"b"), ("100644", b"a")],
            vec![("100644", b"a"), ("100644", b"a")],
            vec![("100644", b"a"), ("40000", b"a")],
            vec![("100644", b"a"), ("100644", b"a-"), ("100644", b"a-x"), ("40000", b"a")],
            vec![("40000", b"a"), ("100644", b"a")],
            vec![("40000", b"a"), ("100644", b"a.b")],
            vec![("100644", b"a0"), ("40000", b"a")],
        ] {
            let content = tree(ObjectFormat::Sha1, &entries);
            assert_eq!(read(ObjectFormat::Sha1, &content), Err(Fault::Tree), "{}", content.escape_ascii());
        }
    }
}
