//! Proof that a diff turns one commit's tree into another's (O-007, O-008, O-008a).
//!
//! The forge's plain diff has no hash to compare with, so it is held against git's own objects: the two commits' trees
//! say which paths differ and between which blobs; every section is applied to its hash-checked base blob and must give
//! the blob that the head's tree names. What git would not apply (names, modes, ids, headings) is held against the same
//! objects. A [`Prover`] listens to the [parser](crate::diff::Parser) and asks an [`ObjectSource`]; it does no I/O itself
//! and keeps one base blob and one result at the most (O-015).

mod bases;
mod binary;
mod changes;
mod contradiction;
mod delta;
mod inflate;
mod level;
mod pieces;
mod prover;
mod section;
mod side;
mod source;
mod text;

pub use changes::Entry;
pub use contradiction::Contradiction;
pub use level::{Level, Reached};
pub use prover::{Conclusion, FILE_BYTES, Limits, Prover};
pub use section::Sides;
pub use source::{ObjectSource, Stopped, Wanted};
