//! Texts and selectors that are chosen to cost as much as can be. Work that is a product of two of them would not end.

use super::*;

/// P-047, P-067, P-089, PG-08: anchors of half a megabyte beside each of a million occurrences, which are all alike. None of them
/// is compared anew beside each.
#[test]
fn long_anchors_of_many_occurrences() {
    let (n, m) = (1 << 20, 1 << 19);
    let start = "a".repeat(n);
    let anchor = &start[..m];
    let told = |selectors: Selectors, version: &str| {
        let by = profile(Protocol::Tx1, version);
        let failure = *run_by(&by, &start, [select("a", "x", selectors)]).expect_err("there are many");
        let first = failure.failing.candidates.first().map(|candidate| (candidate.occurrence_index, candidate.span));
        (failure.reason, failure.failing.occurrence_count, first)
    };
    for version in ["0.1.0", "0.2.2"] {
        let before = (Reason::MatchAmbiguous, Some(n), Some((m + 1, span_of(m, m + 1))));
        assert_eq!(told(anchored(anchor, ""), version), before);
        let after = (Reason::MatchAmbiguous, Some(n), Some((1, span_of(0, 1))));
        assert_eq!(told(anchored("", anchor), version), after);
        // Anchors that differ in their last letter are beside none, and all occurrences are candidates.
        let none = (Reason::DisambiguationInvalid, Some(n), Some((1, span_of(0, 1))));
        assert_eq!(told(anchored(&format!("b{anchor}"), ""), version), none);
        assert_eq!(told(anchored("", &format!("{anchor}b")), version), none);
        let numbered = Selectors { occurrence_index: Some(1), ..anchored(anchor, "") };
        let elsewhere = (Reason::DisambiguationInvalid, Some(n), Some((m + 1, span_of(m, m + 1))));
        assert_eq!(told(numbered, version), elsewhere);
    }
    // The one place with both anchors is found among all.
    let middle = anchored(&start[..n / 2 - 1], &start[..n / 2]);
    let applied = run(&start, [select("a", "é", middle)]).expect("it is one");
    assert_eq!(applied.changes[0].span, span_of(n / 2 - 1, n / 2));
}

/// P-129, PG-08: where occurrences do not overlap, an anchor beside one that overlaps the one before is beside none.
#[test]
fn anchors_are_beside_occurrences_that_count() {
    let old = profile(Protocol::Tx1, "0.1.0");
    for (target, selectors, expected) in [
        ("aaa", anchored("a", ""), Err(Reason::DisambiguationInvalid)),
        ("aaaaa", anchored("a", ""), is("aaXa")),
        ("aaaa", anchored("aa", ""), is("aaX")),
        ("baab aaaab", anchored("b", "b"), is("bXb aaaab")),
        ("baaab", anchored("", "b"), Err(Reason::DisambiguationInvalid)),
        ("caab baab", anchored("b", ""), is("caab bXb")),
    ] {
        // Only one of several occurrences is asked for its anchors before 0.2.2.
        let target = format!("{target} aa");
        let expected = expected.map(|text: String| format!("{text} aa"));
        let found = text_by(&old, &target, [select("aa", "X", selectors.clone())]);
        assert_eq!(found, expected, "{selectors:?} in {target:?}");
    }
}

/// P-062, P-063, P-021: as many warnings as changes, and more, in one transaction.
#[test]
fn as_many_warnings_as_changes() {
    let count = 1 << 16;
    let start = "e\u{301}\n".repeat(8);
    let same = (0..count).map(|_| span(1, 1, "", ""));
    let applied = run(&start, same).expect("it applies");
    // Each changes nothing, within a character; and all of them together change nothing.
    assert_eq!(applied.warnings.len(), 2 * count + 1);
    assert_eq!((applied.text.as_str(), applied.changes.len()), (start.as_str(), count));
}

/// P-062, P-064: marks that join what a change put together, from either side, and line ends and separators that do not.
#[test]
fn seams_of_every_kind() {
    let splits = |start: &str, action: Action| {
        let applied = run(start, [action]).expect("it applies");
        applied.warnings.iter().any(|warning| warning.kind == WarningKind::GraphemeBoundarySplit)
    };
    for (start, action, expected) in [
        ("a\u{2028}\u{301}", span(1, 2, "\u{2028}", ""), true),
        ("a\u{2028}b", span(1, 2, "\u{2028}", ""), false),
        ("a\u{2028}\u{301}b", span(3, 4, "b", ""), false),
        ("ab", span(1, 1, "", "\u{feff}"), false),
        ("ab", span(1, 1, "", "\u{200d}"), true),
        ("👩-👧", span(1, 2, "-", "\u{200d}"), true),
        ("a\n\u{301}", span(1, 2, "\n", "\r\n"), false),
        ("a\u{301}\u{301}\u{301}", span(2, 3, "\u{301}", ""), true),
        ("a\u{301}\u{301}b", span(0, 3, "a\u{301}\u{301}", "a"), false),
    ] {
        assert_eq!(splits(start, action.clone()), expected, "{action:?} of {start:?}");
    }
}

/// P-022, P-053: texts that double with each change are within no bound while they are tried, and are what was asked for.
#[test]
fn a_text_may_double_with_each_change() {
    let doubled = (0..18).map(|power| {
        let whole = "ab".repeat(1 << power);
        span(0, whole.len(), &whole, &whole.repeat(2))
    });
    let applied = run("ab", doubled).expect("it applies");
    assert_eq!(applied.text.as_str().len(), 1 << 19);
    assert_eq!(applied.warnings, []);
}
