//! Which occurrence of a text is meant (P-020, P-026, P-046, P-047, PG-08).
//!
//! What is chosen is found without a look at every occurrence, because there can be as many as the text has bytes, and as
//! many edits. All are counted once, where none is chosen.

use std::ops::Range;

use super::{
    buffer::Buffer,
    failure::{Candidate, Failing, MAX_CANDIDATES, Refusal},
};
use crate::{
    Profile, Reason,
    record::Selectors,
    text::{Canonical, Occurrences},
};

/// A text to match, and what must hold of the one occurrence that is meant.
struct Sought<'a> {
    buffer: &'a Buffer,
    text: &'a str,
    occurrence_index: Option<u64>,
    before: String,
    after: String,
    /// The text between its anchors.
    whole: String,
    overlapping: bool,
}

/// The bytes of the one occurrence of `text` that the selectors mean.
pub(super) fn choose(
    buffer: &Buffer,
    text: &str,
    selectors: &Selectors,
    profile: &Profile,
) -> Result<Range<usize>, Box<Refusal>> {
    // An anchor that is not given is the empty text, which is beside everything.
    let canonical = |anchor: &Option<String>| Canonical::of(anchor.as_deref().unwrap_or_default()).into_string();
    let (before, after) = (canonical(&selectors.anchor_before), canonical(&selectors.anchor_after));
    let whole = [&before, text, &after].concat();
    let Selectors { occurrence_index, .. } = *selectors;
    let sought = Sought { buffer, text, occurrence_index, before, after, whole, overlapping: profile.overlapping };
    // Before 0.2.2 selectors were not asked about the only occurrence.
    let unasked = || if profile.enforces_selectors { None } else { only(sought.all()) };
    let start = sought.one().or_else(unasked).ok_or_else(|| sought.refuse())?;
    Ok(start..start + text.len())
}

impl Sought<'_> {
    /// The one for which every selector holds.
    fn one(&self) -> Option<usize> {
        match self.occurrence_index {
            // Where occurrences overlap, an anchored one is where the whole is; else the one before decides too.
            None if self.overlapping => {
                let wholes = Occurrences::of(self.buffer.as_str(), &self.whole, true);
                only(wholes.map(|start| start + self.before.len()))
            }
            None => only(self.places().filter(|(_, is_anchored)| *is_anchored).map(|(start, _)| start)),
            Some(index) => {
                let before = usize::try_from(index.checked_sub(1)?).ok()?;
                self.all().nth(before).filter(|start| self.is_anchored(*start))
            }
        }
    }

    fn all(&self) -> impl Iterator<Item = usize> {
        Occurrences::of(self.buffer.as_str(), self.text, self.overlapping)
    }

    /// Every occurrence, and whether its anchors are beside it: whether the whole is around it. Both searches go through the
    /// text once; to compare long anchors beside each of many occurrences would take their product.
    fn places(&self) -> impl Iterator<Item = (usize, bool)> {
        let wholes = Occurrences::of(self.buffer.as_str(), &self.whole, true);
        let mut wholes = wholes.map(|start| start + self.before.len()).peekable();
        self.all().map(move |start| {
            while wholes.next_if(|whole| *whole < start).is_some() {}
            (start, wholes.next_if_eq(&start).is_some())
        })
    }

    fn is_anchored(&self, start: usize) -> bool {
        let (head, rest) = self.buffer.as_str().split_at(start);
        let tail = &rest[self.text.len()..];
        head.ends_with(&self.before) && tail.starts_with(&self.after)
    }

    /// Why none is chosen.
    fn refuse(&self) -> Box<Refusal> {
        let (mut count, mut anchored_count) = (0, 0);
        let (mut all, mut anchored) = (Vec::new(), Vec::new());
        for (start, is_anchored) in self.places() {
            count += 1;
            let place = (count, start);
            if all.len() < MAX_CANDIDATES {
                all.push(place);
            }
            if is_anchored {
                anchored_count += 1;
                if anchored.len() < MAX_CANDIDATES {
                    anchored.push(place);
                }
            }
        }
        let (reason, detail) = match (self.occurrence_index, anchored_count) {
            _ if count == 0 => (Reason::MatchAbsent, "the text to match is nowhere in the target".to_owned()),
            (Some(index), _) if index == 0 || index > count as u64 => {
                let detail = format!("no occurrence has that occurrence_index: there are {count}");
                (Reason::DisambiguationInvalid, detail)
            }
            (Some(index), _) => {
                (Reason::DisambiguationInvalid, format!("the anchors are not beside occurrence {index}"))
            }
            (None, 0) => (Reason::DisambiguationInvalid, "the anchors are beside no occurrence".to_owned()),
            (None, _) => {
                let detail = format!(
                    "{anchored_count} of {count} occurrences can be meant; say which by occurrence_index, or by what is directly beside it"
                );
                (Reason::MatchAmbiguous, detail)
            }
        };
        let candidates = if anchored.is_empty() { all } else { anchored };
        let candidate = |(occurrence_index, start)| Candidate {
            occurrence_index,
            span: self.buffer.span(start..start + self.text.len()),
        };
        let candidates: Vec<_> = candidates.into_iter().map(candidate).collect();
        let at = candidates.first().map(|candidate| candidate.span.start);
        let failing = Failing { at, occurrence_count: Some(count), candidates, ..Failing::default() };
        Box::new(Refusal { reason, detail, failing })
    }
}

fn only(mut places: impl Iterator<Item = usize>) -> Option<usize> {
    let first = places.next()?;
    places.next().is_none().then_some(first)
}
