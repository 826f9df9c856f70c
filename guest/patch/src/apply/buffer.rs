//! The text while it is changed.
//!
//! Places are bytes here, and code points where they are told or were given. A table of them would be made anew by every
//! change; counting the way to one place costs less than making it.

use std::ops::Range;

use crate::text::{Canonical, Span};

/// A canonical text that changes.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    text: String,
    code_points: usize,
}

impl Buffer {
    pub(super) fn of(start: &Canonical) -> Self {
        Self { text: start.as_str().to_owned(), code_points: start.code_points() }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// How many code points it has.
    pub(super) fn code_points(&self) -> usize {
        self.code_points
    }

    /// The bytes of a span; nothing where it ends past the text or begins past its own end.
    pub(super) fn bytes(&self, span: Span) -> Option<Range<usize>> {
        let length = span.end.checked_sub(span.start)?;
        if span.end > self.code_points {
            return None;
        }
        if self.code_points == self.text.len() {
            return Some(span.start..span.end);
        }
        let start = skip(&self.text, span.start);
        Some(start..start + skip(self.text.get(start..)?, length))
    }

    /// The span of these bytes, both boundaries within the text.
    pub(super) fn span(&self, bytes: Range<usize>) -> Span {
        if self.code_points == self.text.len() {
            return Span { start: bytes.start, end: bytes.end };
        }
        let start = self.text[..bytes.start].chars().count();
        Span { start, end: start + self.text[bytes].chars().count() }
    }

    /// Puts `added` in the place of `bytes`, of which `span` is the span.
    pub(super) fn replace(&mut self, bytes: Range<usize>, span: Span, added: &str) {
        self.text.replace_range(bytes, added);
        self.code_points = self.code_points - span.len() + added.chars().count();
    }
}

/// The byte behind the first `count` code points.
fn skip(text: &str, count: usize) -> usize {
    let mut chars = text.chars();
    if let Some(last) = count.checked_sub(1) {
        chars.nth(last);
    }
    text.len() - chars.as_str().len()
}
