//! Parts of a text that can be named: lines, paragraphs, Markdown headings, indented blocks.
//!
//! A scope is found in one version of a text and is observed and edited by its span and hash alone (P-142 to P-145), so
//! what finds it is never asked again: not when an edit applies, and not in replay. That is why the rules here may be rules
//! of thumb, and why a parser of a language can be added beside them. Which target, version and snapshot a scope belongs to
//! is the caller's to keep.

mod disjoint;
mod indent;
mod lines;
mod mark;
mod markdown;
mod page;
mod source;

pub use disjoint::disjoint;
pub use indent::IndentBlocks;
pub use lines::{Lines, Paragraphs};
pub use markdown::MarkdownHeadings;
pub use page::{DEFAULT_RESULTS, Listed, MAX_RESULTS, Page, find, outline, outline_with};

use crate::text::Span;

/// The most code points of a scope's name.
pub const MAX_NAME: usize = 200;

/// The most enclosing names that a scope has: the nearest ones.
pub const MAX_PATH: usize = 16;

/// What a scope is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// One line with its line end.
    Line,
    /// Lines that are not blank, one after the other.
    Paragraph,
    /// A Markdown heading and what is below it.
    MarkdownHeading,
    /// A line and the deeper ones below it.
    IndentBlock,
    /// What a parser of a language names so.
    Parsed(String),
}

/// A part of a text. Without its hash it is a place and no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// What it is.
    pub kind: Kind,
    /// What it is called, at most [`MAX_NAME`] code points: as a rule the start of its first line, white space as one space.
    pub name: String,
    /// The names of the scopes around it that the same parser found, the outermost first, at most [`MAX_PATH`].
    pub path: Vec<String>,
    /// Where it is, in code points.
    pub span: Span,
    /// Whether its parser met an error within it. It can be observed all the same.
    pub has_error: bool,
}

/// What finds scopes: the built-in ones here, or a component that knows a language.
pub trait Parser {
    /// Its name in a listing.
    fn name(&self) -> &str;

    /// The version of its rules or grammar. It changes whenever the same text may give other scopes.
    fn version(&self) -> &str;

    /// The scopes of `text`, whose line ends are LF, in any order.
    fn outline(&self, text: &str) -> Vec<Scope>;
}

impl Kind {
    /// Those that need no parser of a language.
    pub const BUILT_IN: [Self; 4] = [Self::Line, Self::Paragraph, Self::MarkdownHeading, Self::IndentBlock];

    /// Its spelling on the wire (PG-28).
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Line => "line",
            Self::Paragraph => "paragraph",
            Self::MarkdownHeading => "markdown_heading",
            Self::IndentBlock => "indent_block",
            Self::Parsed(name) => name,
        }
    }

    /// The kind of that spelling: a parser's where it is no built-in one.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let built_in = Self::BUILT_IN.into_iter().find(|kind| kind.name() == name);
        built_in.unwrap_or_else(|| Self::Parsed(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-28: every kind has one spelling, and a parser's cannot pass for a built-in one.
    #[test]
    fn kinds_have_stable_names() {
        let names = ["line", "paragraph", "markdown_heading", "indent_block"];
        assert_eq!(Kind::BUILT_IN.map(|kind| kind.name().to_owned()), names);
        for kind in Kind::BUILT_IN.into_iter().chain([Kind::Parsed("function".to_owned())]) {
            assert_eq!(Kind::of_name(kind.name()), kind);
        }
    }
}
