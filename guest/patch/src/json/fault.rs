//! Why a text is not taken as JSON, and where.

use super::{Preview, Text};

/// What stopped the reading of a text, at its first fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{flaw}, at byte {at}")]
pub struct Fault {
    /// The byte of the text where it is.
    pub at: usize,
    /// What is there.
    pub flaw: Flaw,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It ends within the value.
    #[error("the JSON ends too early")]
    Ends,
    /// Something else is there than the grammar has.
    #[error("{0} is expected")]
    Expected(&'static str),
    /// It goes on after the value.
    #[error("something follows the JSON")]
    Trailing,
    /// A character below U+0020 within a string.
    #[error("a control character stands in a string")]
    Control,
    /// A backslash that begins no escape.
    #[error("no such escape")]
    Escape,
    /// A number that is no integer and too large for a double.
    #[error("the number is too large")]
    NotFinite,
    /// More arrays and objects within each other than are read.
    #[error("nested too deeply")]
    TooDeep,
    /// A second member of one key (PG-15).
    #[error("the key \"{}\" is there twice", Preview::of(.0).text)]
    DuplicateKey(Text),
}
