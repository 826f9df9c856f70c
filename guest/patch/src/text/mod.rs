//! Text as the editor sees it: LF line ends, offsets in code points, hashed as UTF-8 (P-006, P-020).

mod endings;
mod found;
pub mod graphemes;
mod lines;
mod occurrences;
mod positions;
mod window;

use memchr::memchr;

pub use endings::{
    BadEndings, Ending, EndingsMismatch, LineEndings, NotText, OriginalEolUnavailable, Source, Style, original_eol,
};
pub use found::{DEFAULT_CONTEXT_CHARS, Found, MAX_CONTEXT_CHARS, MAX_RESULTS, Occurrence, Page, find_occurrences};
pub use lines::{DEFAULT_READ_LINES, Line, Lines, LinesPastEnd, MAX_READ_LINES, read_lines};
pub use occurrences::{Occurrences, count, spans};
pub use positions::Positions;
pub use window::{DEFAULT_READ_CHARS, MAX_READ_CHARS, StartPastEnd, Window, any_window, read_window};

use crate::Sha256Hex;

/// A text whose only line end is LF.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canonical(String);

/// A half-open range of code points, `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first code point.
    pub start: usize,
    /// The one after the last.
    pub end: usize,
}

impl Canonical {
    /// `text` with CRLF and bare CR as LF. A text that has no CR is taken as it is.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        if memchr(b'\r', text.as_bytes()).is_none() {
            return Self(text);
        }
        let mut lines = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = memchr(b'\r', rest.as_bytes()) {
            let (line, tail) = rest.split_at(at);
            lines.push_str(line);
            lines.push('\n');
            let tail = &tail[1..];
            rest = tail.strip_prefix('\n').unwrap_or(tail);
        }
        lines.push_str(rest);
        Self(lines)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text itself.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// Of its UTF-8.
    #[must_use]
    pub fn sha256(&self) -> Sha256Hex {
        Sha256Hex::of(&self.0)
    }

    /// How many code points it has.
    #[must_use]
    pub fn code_points(&self) -> usize {
        self.0.chars().count()
    }
}

impl Span {
    /// How many code points it covers.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it is a place between two code points.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-006, P-029: every line end is one LF, and nothing else changes.
    #[test]
    fn line_ends_become_one() {
        for (given, canonical) in [
            ("", ""),
            ("a", "a"),
            ("a\nb", "a\nb"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\rb\r", "a\nb\n"),
            ("\r\r\n\n\r", "\n\n\n\n"),
            ("é\r\n\u{2028}\u{85}\u{b}", "é\n\u{2028}\u{85}\u{b}"),
        ] {
            let text = Canonical::of(given);
            assert_eq!(text.as_str(), canonical, "{given:?}");
            assert_eq!(Canonical::of(text.as_str()), text, "twice is once");
            assert_eq!(text.sha256(), Sha256Hex::of(canonical));
            assert_eq!(text.code_points(), canonical.chars().count());
        }
    }
}
