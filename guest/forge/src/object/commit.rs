//! The one line of a commit that a proof needs.

use super::{Fault, Kind, Object};
use crate::ObjectId;

/// The tree of a commit: its first line, `tree` and the id in full.
///
/// # Errors
/// [`Fault::Commit`] where it is no commit, or its first line is another.
pub fn tree_of(commit: &Object) -> Result<ObjectId, Fault> {
    let line = commit.content().split(|byte| *byte == b'\n').next().unwrap_or_default();
    let ended = commit.content().len() > line.len();
    let hex = line.strip_prefix(b"tree ").and_then(|hex| std::str::from_utf8(hex).ok());
    let tree = hex.and_then(|hex| ObjectId::from_hex(hex).ok());
    tree.filter(|tree| ended && commit.kind() == Kind::Commit && tree.format() == commit.id().format())
        .ok_or(Fault::Commit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ObjectFormat, object::Hasher};

    fn object(kind: Kind, content: &str) -> Object {
        let mut hasher = Hasher::new(ObjectFormat::Sha1, kind, content.len() as u64);
        hasher.update(content.as_bytes());
        Object::checked(hasher.finish().expect("whole"), kind, content.into()).expect("its own id")
    }

    /// O-007: the tree is read from the commit's first line alone.
    #[test]
    fn the_first_line_is_the_tree() {
        let hex = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let tree = ObjectId::from_hex(hex).expect("an id");
        assert_eq!(tree_of(&object(Kind::Commit, &format!("tree {hex}\nparent {hex}\n\n"))), Ok(tree));
        for wrong in [
            String::new(),
            format!("tree {hex}"),
            format!("tree {} \n", hex),
            format!("tree {}\n", hex.to_uppercase()),
            format!("tree {}\n", &hex[1..]),
            format!("tree {hex}{}\n", &hex[..24]),
            format!("parent {hex}\ntree {hex}\n"),
            format!("\ntree {hex}\n"),
        ] {
            assert_eq!(tree_of(&object(Kind::Commit, &wrong)), Err(Fault::Commit), "{wrong}");
        }
        assert_eq!(tree_of(&object(Kind::Blob, &format!("tree {hex}\n"))), Err(Fault::Commit));
    }
}
