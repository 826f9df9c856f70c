//! JSON read strictly and as it streams by, for entities that are judged as a whole.
//!
//! A usual parser repairs, forgets or holds: it takes the last of two equal members, reads `7.0` as a number like any
//! other, and keeps a string of any length. Here one top-level object is checked byte by byte; what becomes of a member's
//! value is the taker's choice ([`Take`]): a bounded copy of its raw text, or a string's content handed on unkept.
//! Memory is bounded by those copies, by the depth and by the names, never by the input. No recursion follows the input.
//!
//! What the members mean is the taker's business.

mod grammar;
mod nest;
mod reader;
mod text;

pub use reader::{Members, Reader, Take};

/// The greatest integer that every JSON reader holds exactly: 2^53-1 (D-036a).
pub const MOST_INTEGER: u64 = (1 << 53) - 1;

/// Why bytes are not the strict JSON that is read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The text begins with a byte-order mark.
    #[error("it begins with a byte-order mark")]
    ByteOrderMark,
    /// The text is not one object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// A byte that JSON's grammar has no place for: a comment, a trailing comma, `NaN`.
    #[error("it breaks JSON's grammar")]
    Syntax,
    /// A string or a name is not UTF-8.
    #[error("a string in it is not UTF-8")]
    Utf8,
    /// An escape that JSON does not have, or half of a surrogate pair.
    #[error("an escape in it stands for no character")]
    Escape,
    /// An escape in a string that is handed on raw (D-036).
    #[error("a string that is pure base64 has an escape in it")]
    EscapeInContent,
    /// A control character that was not escaped.
    #[error("a string in it holds a raw control character")]
    ControlCharacter,
    /// A number that is not an integer from 0 to 2^53-1 in its only spelling.
    #[error("a number in it is not an integer from 0 to 2^53-1, written without sign, point, exponent or leading zero")]
    Number,
    /// A top-level member's value is of a kind that none may have.
    #[error("a top-level member has a value of the wrong kind")]
    Kind,
    /// Objects and arrays are nested deeper than was allowed.
    #[error("it is nested deeper than its schema")]
    Depth,
    /// An object has two members of one name, compared after unescaping (D-019).
    #[error("an object in it has two members of the same name")]
    Duplicate,
    /// A name, or all names of the open objects together, are longer than is held.
    #[error("the names of its members are longer than is read")]
    Names,
    /// A member's value is longer than its bound.
    #[error("a member's value is longer than its bound")]
    TooLong,
    /// White space, or members that nobody asked for, without end.
    #[error("it is longer than what is read of it beside its content")]
    TooMuch,
    /// The bytes ended before the object.
    #[error("it ends before its object is closed")]
    Truncated,
    /// Something other than white space follows the object.
    #[error("something follows its closing brace")]
    Trailing,
}
