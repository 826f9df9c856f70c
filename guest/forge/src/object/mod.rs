//! Git objects as a forge sends them: nothing is an object here before its content was hashed and had its id (O-010).
//!
//! The forge's JSON around an object is not trusted for anything: it only has to lead to bytes that have the id.

mod answer;
mod commit;
mod hasher;
mod listing;
mod tree;

use crate::{Error, ObjectId, base64, json};

pub use answer::BlobAnswer;
pub use commit::tree_of;
pub use hasher::Hasher;
pub use listing::TreeAnswer;
pub use tree::{TreeEntries, TreeEntry, entries, is_submodule, is_tree};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A commit.
    Commit,
    /// One folder.
    Tree,
    /// A file's content, or where a symbolic link points.
    Blob,
    /// An annotated tag.
    Tag,
}

impl Kind {
    /// Git's name for it, which is hashed with the content.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// Whether it is the id of the blob without a byte.
#[must_use]
pub fn is_empty(blob: ObjectId) -> bool {
    Hasher::new(blob.format(), Kind::Blob, 0).finish() == Ok(blob)
}

/// An object whose content has its id. There is no other way to make one than [`Object::checked`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    id: ObjectId,
    kind: Kind,
    content: Vec<u8>,
}

impl Object {
    /// Hashes `content` as a `kind` and takes it if its id is `id`.
    ///
    /// # Errors
    /// [`Fault::Foreign`] where it has another id, [`Fault::Collision`] where it was made to collide.
    pub fn checked(id: ObjectId, kind: Kind, content: Vec<u8>) -> Result<Self, Fault> {
        let mut hasher = Hasher::new(id.format(), kind, content.len() as u64);
        hasher.update(&content);
        if hasher.finish()? == id { Ok(Self { id, kind, content }) } else { Err(Fault::Foreign) }
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> ObjectId {
        self.id
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Its bytes.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Its bytes, without a copy.
    #[must_use]
    pub fn into_content(self) -> Vec<u8> {
        self.content
    }
}

/// Why bytes are not the object that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// They have another id.
    #[error("it has another id")]
    Foreign,
    /// They bear the marks of a SHA-1 collision attack.
    #[error("it was made to collide with another object")]
    Collision,
    /// Their count is not the one that was said.
    #[error("it is shorter or longer than it says")]
    Size,
    /// They are more than are taken.
    #[error("it is larger than what is taken")]
    TooLarge,
    /// The forge says how large the object is, but gives nothing of it here: it is above the forge's own limit.
    #[error("the forge gives nothing of an object of {size} bytes here")]
    Withheld {
        /// Its bytes, as the forge says.
        size: u64,
    },
    /// A commit that does not start with the id of a tree.
    #[error("it is a commit without a tree")]
    Commit,
    /// A tree with an entry that git would not write, or in another order.
    #[error("it is a tree that git would not write")]
    Tree,
    /// The forge's answer is not strict JSON.
    #[error("its JSON is not strict: {0}")]
    Json(#[from] json::Fault),
    /// The content in the forge's answer is not canonical base64.
    #[error("its base64 is not canonical: {0}")]
    Base64(#[from] base64::Fault),
    /// The forge's answer lacks what is needed, or has it in another form.
    #[error("the answer is not in the form of this route")]
    Answer,
}

impl Fault {
    /// What a reader of JSON hands back, which can be of this kind alone.
    fn told(error: Error) -> Self {
        match error {
            Error::Object(fault) => fault,
            Error::Json(fault) => Self::Json(fault),
            _ => Self::Answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(hex: &str) -> ObjectId {
        ObjectId::from_hex(hex).expect("an id")
    }

    /// O-010: content with another id is no object; kind and format are hashed with it.
    #[test]
    fn an_object_has_its_id() {
        let empty = id("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        let long = id("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
        for id in [empty, long] {
            assert_eq!(Object::checked(id, Kind::Blob, vec![]).expect("the empty blob").content(), b"");
            assert_eq!(Object::checked(id, Kind::Blob, vec![b'x']), Err(Fault::Foreign));
            assert_eq!(Object::checked(id, Kind::Tree, vec![]), Err(Fault::Foreign));
        }
        let hello = id("ce013625030ba8dba906f756967f9e9ca394464a");
        let object = Object::checked(hello, Kind::Blob, b"hello\n".to_vec()).expect("git's own example");
        assert_eq!((object.id(), object.kind(), object.into_content()), (hello, Kind::Blob, b"hello\n".to_vec()));
        assert!(Object::checked(id("4b825dc642cb6eb9a060e54bf8d69288fbee4904"), Kind::Tree, vec![]).is_ok());
    }
}
