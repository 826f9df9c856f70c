//! A git tree as a map from path to entry, and how to write commits of such trees without touching a file system.
//!
//! Names that no file system takes, file modes and submodules are all the same to `git fast-import`.

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _};

/// Paths and what is there.
pub type Tree = BTreeMap<Vec<u8>, Entry>;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A regular file.
    File(Vec<u8>),
    /// A file that may be run.
    Executable(Vec<u8>),
    /// A symbolic link and where it points.
    Link(Vec<u8>),
    /// A commit of another repository: the digit that its id is made of.
    Submodule(char),
}

/// A text file.
#[must_use]
pub fn file(content: impl AsRef<[u8]>) -> Entry {
    Entry::File(content.as_ref().to_vec())
}

/// Puts an entry at a path, and takes away what cannot be beside it: a file where the path needs a folder, and the reverse.
pub fn place(tree: &mut Tree, path: &[u8], entry: Entry) {
    tree.retain(|have, _| !below(have, path) && !below(path, have));
    tree.insert(path.to_vec(), entry);
}

/// One commit to write.
pub(crate) struct Commit<'a> {
    pub(crate) branch: &'a str,
    /// The commit's number in the stream, from 1.
    pub(crate) mark: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) tree: &'a Tree,
}

/// The stream for `git fast-import`, the same for the same commits.
pub(crate) fn import_stream(commits: &[Commit<'_>], hex_digits: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut line = |bytes: &[u8]| out.write_all(bytes).expect("writing to memory does not fail");
    for commit in commits {
        line(format!("commit refs/heads/{}\nmark :{}\n", commit.branch, commit.mark).as_bytes());
        // An hour apart, so that histories have an order.
        let time = 1_700_000_000 + commit.mark * 3_600;
        line(format!("author Ada <ada@example.org> {time} +0000\n").as_bytes());
        line(format!("committer Ada <ada@example.org> {time} +0000\n").as_bytes());
        let message = format!("Change {}", commit.branch);
        line(format!("data {}\n{message}\n", message.len()).as_bytes());
        if let Some(parent) = commit.parent {
            line(format!("from :{parent}\n").as_bytes());
        }
        line(b"deleteall\n");
        for (path, entry) in commit.tree {
            let path = quoted(path);
            let (mode, content) = match entry {
                Entry::File(content) => ("100644", content),
                Entry::Executable(content) => ("100755", content),
                Entry::Link(target) => ("120000", target),
                Entry::Submodule(digit) => {
                    let oid = digit.to_string().repeat(hex_digits);
                    line(format!("M 160000 {oid} {path}\n").as_bytes());
                    continue;
                }
            };
            line(format!("M {mode} inline {path}\ndata {}\n", content.len()).as_bytes());
            line(content);
            line(b"\n");
        }
        line(b"\n");
    }
    line(b"done\n");
    out
}

fn below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"))
}

// Every byte that could mean something is an octal escape; quoting too much is allowed.
fn quoted(path: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in path {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_') {
            out.push(char::from(byte));
        } else {
            write!(out, "\\{byte:03o}").expect("writing to a string does not fail");
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_be_file_and_folder() {
        let mut tree = Tree::new();
        place(&mut tree, b"a/b", file("1"));
        place(&mut tree, b"ab", file("2"));
        place(&mut tree, b"a", file("3"));
        assert_eq!(tree.keys().collect::<Vec<_>>(), [&b"a"[..], b"ab"]);
        place(&mut tree, b"a/b/c", file("4"));
        assert_eq!(tree.keys().collect::<Vec<_>>(), [&b"a/b/c"[..], b"ab"]);
    }

    #[test]
    fn paths_are_quoted_byte_by_byte() {
        assert_eq!(quoted(b"a \"\\\n\xe9/b"), "\"a\\040\\042\\134\\012\\351/b\"");
    }
}
