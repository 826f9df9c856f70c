//! Where a proof's objects come from: the seam between what is proven here and whoever does the I/O.

use crate::{
    ObjectId,
    object::{self, Kind, Object},
};

/// An object that a proof needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its id.
    pub id: ObjectId,
    /// What it has to be.
    pub kind: Kind,
}

/// Where objects come from: a forge, what was kept of it, a repository.
pub trait ObjectSource {
    /// Objects that will probably be asked for soon, in this order, after those that were told before: a source may start
    /// requests. Some may not be asked for after all, and others may be asked for in between.
    fn expect(&mut self, wanted: &[Wanted]);

    /// The blobs asked for from here on are what this path of the merge base has: for a source that can have a file in
    /// another way than by its id (O-010).
    fn at(&mut self, _path: &[u8]) {}

    /// The object. It was hash-checked when it was made ([`Object::checked`]) and has at most `most` bytes.
    ///
    /// # Errors
    /// Why it is not to be had.
    fn get(&mut self, wanted: Wanted, most: u64) -> Result<Object, Stopped>;
}

/// Why a proof did not come further. It says nothing against the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// A file's side is larger than is taken into memory (O-015).
    #[error("a file in it is larger than what is proven")]
    FileTooLarge,
    /// The forge did not give an object.
    #[error("the forge did not give a git object that the proof needs")]
    ObjectUnavailable,
    /// What came was not the object that was asked for, or is not of git's form.
    #[error("the forge gave something else for a git object that the proof needs")]
    ObjectDamaged,
    /// The change has more, or larger, trees or paths than are held.
    #[error("the change has more paths or folders than are held")]
    TooManyObjects,
    /// A hunk's heading is not of a line of the file above it (O-008a).
    #[error("a hunk's heading is not a line of its file above the hunk")]
    UnexplainedHeading,
    /// `similarity index` is 100% for contents that differ, or less for equal ones; or a modified file has one (O-008a).
    #[error("a similarity index does not tell equal contents from others")]
    UnexplainedSimilarity,
    /// A changed file is shown as `Binary files differ` (O-008a).
    #[error("a changed binary file is only said to differ")]
    BinaryNotShown,
    /// A path is longer than any that can be read from a diff.
    #[error("a path is longer than what is read")]
    NameTooLong,
    /// The source gave up; it knows why.
    #[error("the git objects were not read to the end")]
    Aborted,
}

impl Stopped {
    /// A stable `snake_case` code, as `proof.stopped` has it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::FileTooLarge => "file_too_large",
            Self::ObjectUnavailable => "object_unavailable",
            Self::ObjectDamaged => "object_damaged",
            Self::TooManyObjects => "too_many_objects",
            Self::UnexplainedHeading => "unexplained_heading",
            Self::UnexplainedSimilarity => "unexplained_similarity",
            Self::BinaryNotShown => "binary_not_shown",
            Self::NameTooLong => "name_too_long",
            Self::Aborted => "aborted",
        }
    }
}

impl From<object::Fault> for Stopped {
    fn from(fault: object::Fault) -> Self {
        match fault {
            object::Fault::TooLarge => Self::FileTooLarge,
            object::Fault::Withheld { .. } => Self::ObjectUnavailable,
            _ => Self::ObjectDamaged,
        }
    }
}
