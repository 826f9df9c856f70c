//! One bounded page of the places where a text occurs, with what is around each (P-169, P-170, PG-32).

use std::num::NonZeroUsize;

use super::{Positions, Span, spans};

/// Code points of context on either side where none are asked for (P-169).
pub const DEFAULT_CONTEXT_CHARS: usize = 40;
/// The most code points of context on either side (P-169).
pub const MAX_CONTEXT_CHARS: usize = 400;
/// The most occurrences of a page, and as many as it has where nothing is said (PG-32).
pub const MAX_RESULTS: usize = 200;

/// Which occurrences are asked for, and how much around them. Larger numbers than the limits are taken as the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Code points before and after each.
    pub context_chars: usize,
    /// The first one, counted from 1.
    pub start_occurrence: NonZeroUsize,
    /// How many at most.
    pub max_results: NonZeroUsize,
}

/// A page of occurrences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// How many there are in the whole text, overlapping ones counted.
    pub occurrence_count: usize,
    /// Those of the page. There are none where it begins behind the last.
    pub occurrences: Vec<Occurrence<'a>>,
    /// The first one that the page does not reach, counted from 1; nothing where it reaches all (so: whether it is
    /// truncated).
    pub next_occurrence_index: Option<usize>,
}

/// One place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence<'a> {
    /// Counted from 1 over all.
    pub occurrence_index: usize,
    /// Where it is.
    pub span: Span,
    /// The code points before it.
    pub before: &'a str,
    /// The code points after it.
    pub after: &'a str,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            context_chars: DEFAULT_CONTEXT_CHARS,
            start_occurrence: NonZeroUsize::MIN,
            max_results: NonZeroUsize::MAX,
        }
    }
}

/// The occurrences of `needle`, which an empty one has none of.
#[must_use]
pub fn find_occurrences<'a>(positions: &Positions<'a>, needle: &str, page: Page) -> Found<'a> {
    let context = page.context_chars.min(MAX_CONTEXT_CHARS);
    let first = page.start_occurrence.get() - 1;
    let end = first.saturating_add(page.max_results.get().min(MAX_RESULTS));
    let mut occurrences = Vec::new();
    let mut occurrence_count = 0;
    for span in spans(positions, needle, true) {
        if (first..end).contains(&occurrence_count) {
            let before = Span { start: span.start.saturating_sub(context), end: span.start };
            let after = Span { start: span.end, end: (span.end + context).min(positions.len()) };
            occurrences.push(Occurrence {
                occurrence_index: occurrence_count + 1,
                span,
                before: positions.slice(before).unwrap_or_default(),
                after: positions.slice(after).unwrap_or_default(),
            });
        }
        occurrence_count += 1;
    }
    let next_occurrence_index = (end < occurrence_count).then(|| end + 1);
    Found { occurrence_count, occurrences, next_occurrence_index }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(context_chars: usize, start: usize, max: usize) -> Page {
        let number = |number| NonZeroUsize::new(number).expect("from 1");
        Page { context_chars, start_occurrence: number(start), max_results: number(max) }
    }

    /// P-169, P-170, E-13: what an occurrence says.
    #[test]
    fn a_place_is_shown_with_what_is_around_it() {
        let positions = Positions::of("🟢🔺📅 ALPHA, é");
        let found = find_occurrences(&positions, "ALPHA", page(2, 1, 1));
        let span = Span { start: 4, end: 9 };
        let place = Occurrence { occurrence_index: 1, span, before: "📅 ", after: ", " };
        assert_eq!(found, Found { occurrence_count: 1, occurrences: vec![place], next_occurrence_index: None });
        let all = find_occurrences(&positions, "ALPHA", Page::default()).occurrences;
        assert_eq!((all[0].before, all[0].after), ("🟢🔺📅 ", ", é"));
    }

    /// P-169, PG-32: limits clamp, and the count stays exact.
    #[test]
    fn pages_are_bounded() {
        let text = "é".repeat(1_000);
        let positions = Positions::of(&text);
        let found = find_occurrences(&positions, "éé", page(usize::MAX, 401, usize::MAX));
        assert_eq!((found.occurrence_count, found.occurrences.len()), (999, 200));
        assert_eq!(found.next_occurrence_index, Some(601));
        assert_eq!(found.occurrences[0].before.chars().count(), 400);
        assert_eq!(found.occurrences[0].after.chars().count(), 400);
        assert_eq!(find_occurrences(&positions, "é", Page::default()).occurrences.len(), 200);
        for start in [1_000, 1_001, usize::MAX] {
            let found = find_occurrences(&positions, "éé", page(0, start, 5));
            assert_eq!((found.occurrence_count, found.occurrences.len()), (999, 0));
            assert_eq!(found.next_occurrence_index, None);
        }
        assert_eq!(find_occurrences(&positions, "", Page::default()).occurrence_count, 0);
    }

    proptest! {
        /// P-170, ambiguity 12: pages follow one another without a gap, and end.
        #[test]
        fn pages_make_the_whole(text in "(a|é){0,60}", max in 1usize..7, context in 0usize..4) {
            let positions = Positions::of(&text);
            let whole = find_occurrences(&positions, "aa", page(context, 1, 200));
            let (mut pages, mut next) = (Vec::new(), Some(1));
            while let Some(start) = next {
                let found = find_occurrences(&positions, "aa", page(context, start, max));
                prop_assert_eq!(found.occurrence_count, whole.occurrence_count);
                pages.extend(found.occurrences);
                next = found.next_occurrence_index;
            }
            for place in &pages {
                prop_assert_eq!(positions.slice(place.span), Some("aa"));
                let around = [place.before, "aa", place.after].concat();
                prop_assert!(text.contains(&around));
            }
            prop_assert_eq!(pages, whole.occurrences);
        }
    }
}
