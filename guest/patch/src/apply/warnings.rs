//! What is odd about a transaction that applies (P-062 to P-064, PG-17). It is told once, at its commit.

use std::ops::Range;

use super::buffer::Buffer;
use crate::{
    record::{Action, Operation},
    text::{Canonical, Occurrences, graphemes},
};

/// One oddity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What is odd.
    pub kind: WarningKind,
    /// About which change; nothing where it is about all of them.
    pub change_id: Option<String>,
}

/// What can be odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WarningKind {
    /// The new text is the old one.
    NoOpChange,
    /// All changes together leave the text as it was.
    NoOpTransaction,
    /// The occurrences that were counted are not those of the text that the caller had read.
    OccurrenceIndexBasisShift,
    /// A change begins or ends within what a reader sees as one character.
    GraphemeBoundarySplit,
}

impl WarningKind {
    /// Its spelling on the wire and in history.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoOpChange => "no_op_change",
            Self::NoOpTransaction => "no_op_transaction",
            Self::OccurrenceIndexBasisShift => "occurrence_index_basis_shift",
            Self::GraphemeBoundarySplit => "grapheme_boundary_split",
        }
    }
}

/// What is odd about one change, as far as it can be told before the change is made.
pub(super) struct Watch {
    is_same: bool,
    has_shifted: bool,
    splits: bool,
}

impl Watch {
    pub(super) fn before(
        start: &Canonical,
        buffer: &Buffer,
        operation: &Operation,
        bytes: &Range<usize>,
        replace: &Canonical,
    ) -> Self {
        let text = buffer.as_str();
        Self {
            is_same: text[bytes.clone()] == *replace.as_str(),
            has_shifted: has_shifted(start.as_str(), text, &operation.action),
            splits: splits(text, bytes),
        }
    }

    /// What is odd once it is made: `seam` are the bytes of the new text.
    pub(super) fn after(self, buffer: &Buffer, seam: Range<usize>, change_id: &str) -> impl Iterator<Item = Warning> {
        let kinds = [
            (WarningKind::NoOpChange, self.is_same),
            (WarningKind::OccurrenceIndexBasisShift, self.has_shifted),
            (WarningKind::GraphemeBoundarySplit, self.splits || splits(buffer.as_str(), &seam)),
        ];
        let told = kinds.into_iter().filter(|(_, holds)| *holds);
        told.map(move |(kind, _)| Warning { kind, change_id: Some(change_id.to_owned()) })
    }
}

fn splits(text: &str, bytes: &Range<usize>) -> bool {
    [bytes.start, bytes.end].into_iter().any(|at| !graphemes::is_byte_boundary(text, at))
}

/// Whether an occurrence was chosen by number, and the numbered ones are not where they were in the text at the beginning.
fn has_shifted(start: &str, buffer: &str, action: &Action) -> bool {
    let Action::Match { text, selectors, .. } = action else { return false };
    if selectors.occurrence_index.is_none() || start == buffer {
        return false;
    }
    let sought = Canonical::of(text.as_str());
    // What lies within the common beginning is there in both.
    let from = common_beginning(start.as_bytes(), buffer.as_bytes()).saturating_sub(sought.as_str().len());
    let rest = |text| places(text, text.floor_char_boundary(from), sought.as_str());
    !rest(start).eq(rest(buffer))
}

/// How many bytes two different texts begin with, but for less than a piece.
fn common_beginning(one: &[u8], other: &[u8]) -> usize {
    const PIECE: usize = 64;
    PIECE * one.chunks(PIECE).zip(other.chunks(PIECE)).take_while(|(one, other)| one == other).count()
}

/// The code points behind `from`, a boundary, at which a text occurs.
fn places<'a>(text: &'a str, from: usize, sought: &'a str) -> impl Iterator<Item = usize> + 'a {
    let text = &text[from..];
    let (mut at, mut code_point) = (0, 0);
    Occurrences::of(text, sought, true).map(move |start| {
        code_point += text[at..start].chars().count();
        at = start;
        code_point
    })
}
