//! What an application does, said anew: on code points, one at a time, with no thought of cost.
//!
//! Each code point remembers where it was in the text at the beginning, so that it can be seen which change took it away.

use unicode_segmentation::UnicodeSegmentation as _;

use super::*;

/// A code point, and where it was at the beginning.
type Letter = (char, Option<usize>);

/// What is told of an operation that does not apply.
pub(super) type Told = Box<(Reason, Failing)>;

/// The buffer, and what was done to it so far.
#[derive(Clone, Debug)]
pub(super) struct Model {
    profile: Profile,
    start: Vec<char>,
    letters: Vec<Letter>,
    pub(super) changes: Vec<Change>,
    pub(super) warnings: Vec<Warning>,
    /// The buffer after each change.
    steps: Vec<Vec<Letter>>,
}

pub(super) fn letters(text: &str) -> Vec<char> {
    text.replace("\r\n", "\n").replace('\r', "\n").chars().collect()
}

fn occurrences(text: &[char], needle: &[char], overlapping: bool) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for start in 0..text.len() {
        let end = start + needle.len();
        let is_free = overlapping || found.last().is_none_or(|last| last.end <= start);
        if !needle.is_empty() && is_free && text.get(start..end) == Some(needle) {
            found.push(Span { start, end });
        }
    }
    found
}

/// Whether one of these places is within a cluster of the whole text.
fn splits(text: &[char], places: [usize; 2]) -> bool {
    let text: String = text.iter().collect();
    let mut boundaries = vec![0];
    for cluster in text.graphemes(true) {
        boundaries.push(boundaries[boundaries.len() - 1] + cluster.chars().count());
    }
    places.iter().any(|place| !boundaries.contains(place))
}

impl Model {
    pub(super) fn new(start: &str, profile: Profile) -> Self {
        let start = letters(start);
        let tagged = start.iter().enumerate().map(|(at, letter)| (*letter, Some(at))).collect();
        Self { profile, start, letters: tagged, changes: Vec::new(), warnings: Vec::new(), steps: Vec::new() }
    }

    pub(super) fn buffer(&self) -> Vec<char> {
        self.letters.iter().map(|(letter, _)| *letter).collect()
    }

    pub(super) fn text(&self) -> String {
        self.buffer().into_iter().collect()
    }

    pub(super) fn is_unchanged(&self) -> bool {
        self.buffer() == self.start
    }

    pub(super) fn step(&mut self, operation: &Operation) -> Result<(), Told> {
        let buffer = self.buffer();
        let (span, replace) = match &operation.action {
            Action::ReplaceAll { replace } => (Span { start: 0, end: buffer.len() }, replace),
            Action::Match { text, replace, selectors } => (self.choose(&letters(text), selectors)?, replace),
            Action::Span { span, expected, replace, before, after } => {
                let Some(found) = buffer.get(span.start..span.end) else {
                    return Err(Box::new((Reason::SpanOutOfBounds, Failing::default())));
                };
                let said = |text: &Option<String>| letters(text.as_deref().unwrap_or_default());
                let field = if *found != letters(expected) {
                    Some("expected_text")
                } else if !buffer[..span.start].ends_with(&said(before)) {
                    Some("expected_before")
                } else if !buffer[span.end..].starts_with(&said(after)) {
                    Some("expected_after")
                } else {
                    None
                };
                if field.is_some() {
                    let failing = Failing { at: Some(span.start), field, ..Failing::default() };
                    return Err(Box::new((Reason::SpanExpectedTextMismatch, failing)));
                }
                (*span, replace)
            }
        };
        self.put(operation, span, &letters(replace));
        Ok(())
    }

    fn choose(&self, text: &[char], selectors: &Selectors) -> Result<Span, Told> {
        let buffer = self.buffer();
        let all = occurrences(&buffer, text, self.profile.overlapping);
        if all.is_empty() {
            let consumed = self.consumed(text);
            let reason = if consumed.is_some() { Reason::SequentialMatchInvalid } else { Reason::MatchAbsent };
            let missed = Some(text.iter().collect());
            let failing = Failing { occurrence_count: Some(0), missed, consumed, ..Failing::default() };
            return Err(Box::new((reason, failing)));
        }
        let said = |text: &Option<String>| letters(text.as_deref().unwrap_or_default());
        let (before, after) = (said(&selectors.anchor_before), said(&selectors.anchor_after));
        let anchored = |span: &Span| buffer[..span.start].ends_with(&before) && buffer[span.end..].starts_with(&after);
        let numbered: Vec<(u64, Span)> = (1..).zip(all.iter().copied()).collect();
        let left: Vec<_> = numbered.iter().filter(|(_, span)| anchored(span)).copied().collect();
        let meant: Vec<_> =
            left.iter().filter(|(number, _)| selectors.occurrence_index.is_none_or(|index| index == *number)).collect();
        match (&meant[..], &all[..]) {
            ([(_, one)], _) => return Ok(*one),
            (_, [only]) if !self.profile.enforces_selectors => return Ok(*only),
            _ => {}
        }
        let is_ambiguous = meant.len() > 1;
        let reason = if is_ambiguous { Reason::MatchAmbiguous } else { Reason::DisambiguationInvalid };
        let candidates: Vec<_> = if left.is_empty() { numbered } else { left };
        let candidates = candidates.into_iter().take(5);
        let candidates: Vec<_> = candidates
            .map(|(number, span)| Candidate { occurrence_index: usize::try_from(number).expect("few"), span })
            .collect();
        let at = candidates.first().map(|candidate| candidate.span.start);
        let failing = Failing { at, occurrence_count: Some(all.len()), candidates, ..Failing::default() };
        Err(Box::new((reason, failing)))
    }

    /// The change after which the letters of the first occurrence are no longer together.
    fn consumed(&self, text: &[char]) -> Option<Consumed> {
        let first = *occurrences(&self.start, text, true).first()?;
        let whole: Vec<_> = (first.start..first.end).map(Some).collect();
        let is_whole = |step: &Vec<Letter>| {
            let origins: Vec<_> = step.iter().map(|(_, origin)| *origin).collect();
            origins.windows(whole.len()).any(|window| window == whole)
        };
        let taken = self.steps.iter().position(|step| !is_whole(step))?;
        let change = self.changes.get(taken)?;
        Some(Consumed { change_id: change.change_id.clone(), span: change.span })
    }

    fn put(&mut self, operation: &Operation, span: Span, replace: &[char]) {
        let before = self.buffer();
        let matched = &before[span.start..span.end];
        let hash = |letters: &[char]| Sha256Hex::of(letters.iter().collect::<String>());
        self.changes.push(Change {
            change_id: operation.change_id.clone(),
            scope_id: None,
            span,
            replacement_chars: replace.len(),
            matched_sha256: hash(matched),
            replacement_sha256: hash(replace),
        });
        let is_same = matched == replace;
        if !is_same {
            self.letters.splice(span.start..span.end, replace.iter().map(|letter| (*letter, None)));
        }
        self.steps.push(self.letters.clone());

        let has_shifted = match &operation.action {
            Action::Match { text, selectors: Selectors { occurrence_index: Some(_), .. }, .. } => {
                let text = letters(text);
                occurrences(&self.start, &text, true) != occurrences(&before, &text, true)
            }
            _ => false,
        };
        let seam = [span.start, span.start + replace.len()];
        let is_split = splits(&before, [span.start, span.end]) || splits(&self.buffer(), seam);
        for (kind, holds) in [
            (WarningKind::NoOpChange, is_same),
            (WarningKind::OccurrenceIndexBasisShift, has_shifted),
            (WarningKind::GraphemeBoundarySplit, is_split),
        ] {
            if holds {
                self.warnings.push(Warning { kind, change_id: Some(operation.change_id.clone()) });
            }
        }
    }
}
