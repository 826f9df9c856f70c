//! The grammar of `git diff -p [--binary]` between two trees, byte for byte.
//!
//! A diff is read as git writes it: a file's content can hold anything, a diff's header included, so nothing is searched
//! for. Hunks are as long as their counts say (K-25 to K-27), names are what the extended header says or what the two
//! equal halves of the first line are (S-013), and what is not of the grammar is a fault with its place.
//!
//! The parser is fed bytes split anywhere and tells what it meets as [`Events`]; it keeps one header line at the most.

mod binary;
mod header;
mod name;
mod parser;

pub use binary::{BinaryBlock, BinaryMethod};
pub use header::{Body, HunkHeader, Mode, SectionHeader, Status};
pub use name::unquoted_bytes;
pub use parser::{HEADER_LINE_BYTES, Parser};

/// What a parser meets, in order. A consumer implements what it needs.
pub trait Events {
    /// A section starts at this offset of the diff; the bytes that follow are its own.
    fn section(&mut self, _offset: u64) {}

    /// Bytes of the current section, every one once, in order.
    fn bytes(&mut self, _bytes: &[u8]) {}

    /// The section's names and modes are known. Once a section, before any of its hunks.
    fn header(&mut self, _header: &SectionHeader) {}

    /// A hunk starts.
    fn hunk(&mut self, _hunk: &HunkHeader) {}

    /// A line of a hunk starts.
    fn line(&mut self, _kind: LineKind) {}

    /// Text of the line that started last, without its first byte and its line feed. A long line comes in pieces.
    fn text(&mut self, _piece: &[u8]) {}

    /// A block of a binary part starts.
    fn binary_block(&mut self, _block: BinaryBlock) {}

    /// The next bytes of the block, 1 to 52, decoded from base 85 and still deflated.
    fn binary_data(&mut self, _bytes: &[u8]) {}

    /// The section is over: all its bytes have passed.
    fn section_end(&mut self, _end: SectionEnd) {}
}

/// What a section had, told at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectionEnd {
    /// Offset in the diff of the byte after the section.
    pub offset: u64,
    /// Hunks.
    pub hunks: u64,
    /// Lines that hunks add.
    pub additions: u64,
    /// Lines that hunks remove.
    pub deletions: u64,
}

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It is on both sides.
    Context,
    /// It is on the old side.
    Removed,
    /// It is on the new side.
    Added,
    /// The line before it has no line feed at its end.
    NoNewline,
}

/// Where and why bytes are not in the grammar. No byte of the diff is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at byte {offset} it is not in git's grammar ({rule})")]
pub struct Fault {
    /// Offset in the diff of the line that is wrong; of the section where its names are.
    pub offset: u64,
    /// The rule it breaks.
    pub rule: Rule,
}

/// A rule of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// Something else stands where a section has to start.
    #[error("a section starts with `diff --git`")]
    Section,
    /// The two names of a section's first line are not those of its rename, or not the same.
    #[error("a section's names are equal, or are those of its rename or copy")]
    Names,
    /// A quoted name has an escape that git does not write (K-23).
    #[error("a quoted name has git's escapes alone")]
    Quoting,
    /// An extended header line is malformed, repeated or out of order.
    #[error("extended header lines are well-formed and in git's order")]
    Extended,
    /// `---` and `+++` do not name what the header names, or stand alone.
    #[error("`---` and `+++` come in a pair, with the section's names, before a hunk")]
    Labels,
    /// What a header says and what follows it are not one change: a cut diff, or a header that says nothing.
    #[error("a section's header says a change, and the body that it announces follows")]
    Patch,
    /// A line is longer than [`HEADER_LINE_BYTES`] and has no name to blame for it.
    #[error("outside of hunks, only lines with a long name are long")]
    Long,
    /// A hunk stands at line numbers that the hunks before it do not lead to.
    #[error("hunks follow each other, the same lines apart on both sides")]
    Order,
    /// A hunk's first line is malformed.
    #[error("a hunk starts with two ranges that are not both empty")]
    Hunk,
    /// A line within a hunk starts with another byte, or is one more than its counts allow.
    #[error("a hunk has the lines that its ranges count")]
    Count,
    /// `\ No newline at end of file` stands where no file can end.
    #[error("a file ends without a line feed at its last line alone")]
    NoNewline,
    /// A binary part is malformed.
    #[error("a binary part is whole blocks of git's base 85")]
    Binary,
    /// The diff ends inside a section's body.
    #[error("a diff ends with a whole section")]
    End,
}
