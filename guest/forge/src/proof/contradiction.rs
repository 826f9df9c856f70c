//! What a diff can say that the trees and blobs disprove.

/// Something that the diff says and that the two commits' objects disprove: it is not the change between them. The
/// sentences hold no byte of the diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// A section is about a path that is the same on both sides, or on neither.
    #[error("a section is about a path that does not differ")]
    UnchangedPath,
    /// A section says of a path what did not happen to it: an addition where there was a file, a change without a file.
    #[error("a section says of a path what did not happen to it")]
    Status,
    /// Two sections tell the same side of a path.
    #[error("two sections tell the same side of a path")]
    Repeated,
    /// A path differs and no section says so, or not of both sides; or its type does, and the addition does not follow
    /// directly on the deletion.
    #[error("a path differs and no section says how")]
    Missing,
    /// A file is said to be copied from, or renamed from, a path that was not there.
    #[error("a file is said to come from a path that was not there")]
    Source,
    /// A mode is not the one in the tree.
    #[error("a mode is not the one in the tree")]
    Mode,
    /// An `index` line is not about the two blobs, is missing, or is there for equal ones.
    #[error("the ids of a section are not those of its two blobs")]
    Ids,
    /// A body for equal contents, none for different ones, or one of a kind that cannot show them.
    #[error("a section's body cannot be of its two contents")]
    Body,
    /// A context line or a removed line is not the old side's at its place.
    #[error("a hunk does not fit the old side")]
    Hunk,
    /// What the section makes of the old side is not the new one.
    #[error("a section does not lead to the new side")]
    Result,
    /// The second block of a binary part does not lead back to the old side.
    #[error("a binary part does not lead back to the old side")]
    Reverse,
    /// A block of a binary part is no zlib stream of its declared size.
    #[error("a binary part does not inflate to the size that it declares")]
    Inflation,
    /// A delta is malformed, or made for a content of another size.
    #[error("a binary delta is malformed or for another content")]
    Delta,
}
