//! Which occurrence is replaced, and when none is.

use super::*;

fn both(index: u64, before: &str, after: &str) -> Selectors {
    Selectors { occurrence_index: Some(index), ..anchored(before, after) }
}

/// P-020, P-026, P-046, P-047, PG-08: what is chosen by number and by what is directly beside it.
#[test]
fn selectors_agree_on_one_occurrence() {
    use Reason::{DisambiguationInvalid, MatchAbsent, MatchAmbiguous};
    for (target, needle, selectors, expected) in [
        ("abcb", "b", numbered(1), Ok("aXcb")),
        ("abcb", "b", numbered(2), Ok("abcX")),
        ("abcb", "b", numbered(3), Err(DisambiguationInvalid)),
        ("abcb", "b", numbered(u64::MAX), Err(DisambiguationInvalid)),
        ("abcb", "b", numbered(0), Err(DisambiguationInvalid)),
        ("abcb", "b", Selectors::default(), Err(MatchAmbiguous)),
        ("abcb", "b", anchored("a", ""), Ok("aXcb")),
        ("abcb", "b", anchored("", "c"), Ok("aXcb")),
        ("abcb", "b", anchored("c", ""), Ok("abcX")),
        ("abcb", "b", anchored("abc", ""), Ok("abcX")),
        ("abcb", "b", anchored("a", "c"), Ok("aXcb")),
        // Directly beside it, not anywhere before or behind.
        ("abcb", "b", anchored("", "cb"), Ok("aXcb")),
        ("abcb", "b", anchored("", "b"), Err(DisambiguationInvalid)),
        ("a-b a+b", "b", anchored("a", ""), Err(DisambiguationInvalid)),
        ("abcb", "b", anchored("c", "c"), Err(DisambiguationInvalid)),
        ("abcb", "b", anchored("xabc", ""), Err(DisambiguationInvalid)),
        ("abcb", "b", anchored("", "cbx"), Err(DisambiguationInvalid)),
        ("abab", "b", anchored("a", ""), Err(MatchAmbiguous)),
        // The number counts all, not those that the anchors leave.
        ("xb ab ab", "b", both(3, "a", ""), Ok("xb ab aX")),
        ("xb ab ab", "b", both(2, "a", ""), Ok("xb aX ab")),
        ("xb ab ab", "b", both(1, "a", ""), Err(DisambiguationInvalid)),
        ("xb ab ab", "b", both(4, "a", ""), Err(DisambiguationInvalid)),
        // Every selector has to hold for the only occurrence too.
        ("abc", "b", both(1, "a", "c"), Ok("aXc")),
        ("abc", "b", numbered(2), Err(DisambiguationInvalid)),
        ("abc", "b", anchored("x", ""), Err(DisambiguationInvalid)),
        ("abc", "b", anchored("", "x"), Err(DisambiguationInvalid)),
        ("abc", "b", both(1, "x", ""), Err(DisambiguationInvalid)),
        // What is nowhere is nowhere, whatever selects it.
        ("abc", "z", both(2, "x", "y"), Err(MatchAbsent)),
        ("", "z", Selectors::default(), Err(MatchAbsent)),
        // Occurrences overlap one another and the anchors.
        ("aaa", "aa", Selectors::default(), Err(MatchAmbiguous)),
        ("aaa", "aa", numbered(1), Ok("Xa")),
        ("aaa", "aa", numbered(2), Ok("aX")),
        ("aaa", "aa", anchored("a", ""), Ok("aX")),
        ("aaa", "aa", anchored("", "a"), Ok("Xa")),
        ("aaaa", "aa", anchored("a", "a"), Ok("aXa")),
        ("aaaaa", "aa", anchored("a", "a"), Err(MatchAmbiguous)),
        ("abababa", "aba", anchored("ab", "ba"), Ok("abXba")),
        ("éaéaé", "éaé", numbered(2), Ok("éaX")),
    ] {
        let found = text(target, [select(needle, "X", selectors.clone())]);
        assert_eq!(found.as_deref(), expected.as_ref().copied(), "{needle:?} {selectors:?} in {target:?}");
    }
}

/// P-067, P-089, PG-08: what could have been meant is told, at most five places, by their numbers among all.
#[test]
fn candidates_are_those_that_could_be_meant() {
    let places = |failure: &Failure| {
        let places = failure.failing.candidates.iter();
        places.map(|place| (place.occurrence_index, place.span.start, place.span.end)).collect::<Vec<_>>()
    };
    let target = "é xb ab ab xb";
    for (needle, selectors, reason, count, expected) in [
        ("b", Selectors::default(), Reason::MatchAmbiguous, 4, &[(1, 3, 4), (2, 6, 7), (3, 9, 10), (4, 12, 13)][..]),
        ("b", anchored("a", ""), Reason::MatchAmbiguous, 4, &[(2, 6, 7), (3, 9, 10)]),
        ("b", both(1, "a", ""), Reason::DisambiguationInvalid, 4, &[(2, 6, 7), (3, 9, 10)]),
        ("b", both(9, "a", ""), Reason::DisambiguationInvalid, 4, &[(2, 6, 7), (3, 9, 10)]),
        ("b", anchored("z", ""), Reason::DisambiguationInvalid, 4, &[(1, 3, 4), (2, 6, 7), (3, 9, 10), (4, 12, 13)]),
        ("é", numbered(2), Reason::DisambiguationInvalid, 1, &[(1, 0, 1)]),
        ("é", anchored("", "x"), Reason::DisambiguationInvalid, 1, &[(1, 0, 1)]),
        ("zz", numbered(2), Reason::MatchAbsent, 0, &[]),
    ] {
        let failure = failure(target, [select(needle, "X", selectors.clone())]);
        assert_eq!(failure.reason, reason, "{selectors:?}");
        assert_eq!(failure.failing.occurrence_count, Some(count), "{selectors:?}");
        assert_eq!(places(&failure), expected, "{selectors:?}");
        assert_eq!(failure.failing.at, expected.first().map(|place| place.1), "{selectors:?}");
        assert_eq!((failure.failing.field, &failure.failing.consumed), (None, &None));
    }
    let many = failure(&"é".repeat(1_000), [replace("éé", "x")]);
    assert_eq!(many.failing.occurrence_count, Some(999));
    assert_eq!(places(&many), [(1, 0, 2), (2, 1, 3), (3, 2, 4), (4, 3, 5), (5, 4, 6)]);
    let far = failure(&format!("{}aXaXaX", "é".repeat(300)), [select("X", "x", anchored("a", ""))]);
    assert_eq!(places(&far), [(1, 301, 302), (2, 303, 304), (3, 305, 306)]);
}
