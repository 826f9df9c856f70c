//! What is known of an operation that does not apply (P-084 to P-091).

use super::Change;
use crate::{
    Reason,
    text::{Canonical, Positions, Span, spans},
};

/// The most exact candidates that are told (P-089).
pub const MAX_CANDIDATES: usize = 5;
/// The most code points of a context (P-084).
const MAX_CONTEXT: usize = 256;

/// An operation that does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub reason: Reason,
    /// The same in words, without a byte of the text.
    pub detail: String,
    /// The operation's.
    pub change_id: String,
    /// How many operations had been applied to the buffer (P-085).
    pub prior_changes: usize,
    /// The text that it failed on.
    pub buffer: String,
    /// What is known beside.
    pub failing: Failing,
}

/// What is known of a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    /// Where in the buffer, as far as that is known (P-087).
    pub at: Option<usize>,
    /// Which expectation of a span does not hold (PG-18).
    pub field: Option<&'static str>,
    /// How often the text to match is there.
    pub occurrence_count: Option<usize>,
    /// The first places that could have been meant.
    pub candidates: Vec<Candidate>,
    /// The text that is nowhere, canonical: what near misses are looked for of (P-091).
    pub missed: Option<String>,
    /// What took the text away.
    pub consumed: Option<Consumed>,
}

/// One occurrence of the text to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its number among all, from 1.
    pub occurrence_index: usize,
    /// Where it is in the buffer.
    pub span: Span,
}

/// The change that replaced what a later one wanted to match (PG-18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// The change's.
    pub change_id: String,
    /// What it replaced, in the text as it found it.
    pub span: Span,
}

/// A part of a text, at most 256 code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// Where it is.
    pub span: Span,
    /// What it says.
    pub text: &'a str,
    /// How many code points the whole has.
    pub total_chars: usize,
}

/// Why an operation does not apply, before it is said which it is and on what it failed.
pub(super) struct Refusal {
    pub(super) reason: Reason,
    pub(super) detail: String,
    pub(super) failing: Failing,
}

impl Failure {
    /// What the failing buffer says: around the failure's place, else its beginning (P-084, P-087).
    #[must_use]
    pub fn context(&self) -> Context<'_> {
        Context::around(&self.buffer, self.failing.at)
    }
}

impl<'a> Context<'a> {
    /// Around a place, or the beginning.
    #[must_use]
    pub fn around(text: &'a str, at: Option<usize>) -> Self {
        let positions = Positions::of(text);
        let total_chars = positions.len();
        // A quarter is before the place: what follows it is what was asked for.
        let start = at.map_or(0, |at| at.saturating_sub(MAX_CONTEXT / 4).min(total_chars.saturating_sub(MAX_CONTEXT)));
        let span = Span { start, end: (start + MAX_CONTEXT).min(total_chars) };
        let text = positions.slice(span).expect("within the text");
        Self { span, text, total_chars }
    }
}

/// Which of `changes` took away what `text` matched when they began: the one that touched its first occurrence. Nothing
/// where there was none.
pub(super) fn consumed(start: &Canonical, text: &str, changes: &[Change]) -> Option<Consumed> {
    let positions = Positions::of(start.as_str());
    let mut sought = spans(&positions, text, true).next()?;
    // What put the same text there took nothing away.
    let effects = changes.iter().filter(|change| change.matched_sha256 != change.replacement_sha256);
    for change in effects {
        let Span { start, end } = change.span;
        if start < sought.end && sought.start < end {
            return Some(Consumed { change_id: change.change_id.clone(), span: change.span });
        }
        if end <= sought.start {
            let moved = |at: usize| at - change.span.len() + change.replacement_chars;
            sought = Span { start: moved(sought.start), end: moved(sought.end) };
        }
    }
    None
}
