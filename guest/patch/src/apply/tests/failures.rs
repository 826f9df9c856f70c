//! What is known of an operation that does not apply.

use proptest::prelude::*;

use super::*;

/// P-084, P-085, P-087, P-095: without a place the context is the beginning of the failing buffer, at most 256 code points.
#[test]
fn a_context_without_a_place_is_the_beginning() {
    for length in [0, 1, 255, 256, 257, 1_000] {
        let start = "é".repeat(length);
        let absent = failure(&start, [span(0, 0, "", "x"), replace("nowhere", "")]);
        let context = absent.context();
        let shown = (length + 1).min(256);
        assert_eq!((context.span, context.total_chars), (span_of(0, shown), length + 1));
        assert_eq!(context.text, format!("x{}", "é".repeat(shown - 1)));
        assert_eq!((absent.failing.at, absent.prior_changes), (None, 1));
    }
    let past = failure(&"é".repeat(1_000), [span(1_000, 1_001, "", "x")]);
    assert_eq!((past.context().span, past.prior_changes), (span_of(0, 256), 0));
}

/// P-084: with a place, it is around that: a quarter before it, and never short where there is text.
#[test]
fn a_context_is_around_its_place() {
    let start: String = (0..1_000).map(|at| if at % 2 == 0 { 'é' } else { '漢' }).collect();
    for (at, begin) in [(0, 0), (64, 0), (65, 1), (500, 436), (808, 744), (809, 744), (999, 744), (1_000, 744)] {
        let wrong = failure(&start, [span(at, at, "x", "")]);
        let context = wrong.context();
        assert_eq!((context.span, context.total_chars), (span_of(begin, begin + 256), 1_000), "{at}");
        let expected: String = start.chars().skip(begin).take(256).collect();
        assert_eq!(context.text, expected);
    }
    let ambiguous = failure(&format!("{start}zz"), [replace("z", "")]);
    assert_eq!((ambiguous.failing.at, ambiguous.context().span), (Some(1_000), span_of(746, 1_002)));
}

/// P-088: the same window of any text that a caller holds.
#[test]
fn a_context_is_of_any_text() {
    let text = "漢".repeat(300);
    let context = Context::around(&text, None);
    assert_eq!((context.span, context.total_chars, context.text), (span_of(0, 256), 300, &*"漢".repeat(256)));
    for at in [0, 2, 3, usize::MAX] {
        let short = Context::around("abc", Some(at));
        assert_eq!((short.span, short.text), (span_of(0, 3), "abc"));
    }
}

/// P-067, PG-18: what was there at the beginning was taken away by a change, and that one is named with what it replaced.
#[test]
fn a_consumed_match_names_the_change() {
    let consumed = |start: &str, actions: Vec<Action>| {
        let failure = failure(start, actions);
        let by = failure.failing.consumed.map(|consumed| (consumed.change_id, consumed.span.start, consumed.span.end));
        (failure.reason, by)
    };
    let by = |id: &str, start, end| (Reason::SequentialMatchInvalid, Some((id.to_owned(), start, end)));
    let absent = (Reason::MatchAbsent, None);
    for (start, actions, expected) in [
        ("é abc", vec![replace("abc", "x"), replace("abc", "y")], by("chg_001", 2, 5)),
        ("abc", vec![replace("b", ""), replace("abc", "y")], by("chg_001", 1, 2)),
        ("abc", vec![span(1, 1, "", "é"), replace("ab", "y")], by("chg_001", 1, 1)),
        // Changes beside it move it and do not take it.
        (
            "é abc z",
            vec![replace("é", "漢漢"), replace("z", ""), replace("c", "C"), replace("abc", "y")],
            by("chg_003", 5, 6),
        ),
        (
            "abc",
            vec![span(0, 0, "", "xx"), span(5, 5, "", "xx"), replace("c", ""), replace("abc", "y")],
            by("chg_003", 4, 5),
        ),
        ("xabc", vec![replace("x", ""), replace("a", "A"), replace("abc", "y")], by("chg_002", 0, 1)),
        // One that puts the same there takes nothing.
        (
            "abc",
            vec![replace("abc", "abc"), replace("b", "b"), replace("abc", "x"), replace("abc", "y")],
            by("chg_003", 0, 3),
        ),
        // Of several occurrences, the first.
        ("ab ab", vec![select("b", "", numbered(2)), replace("b", ""), replace("ab", "y")], by("chg_002", 1, 2)),
        ("aaa", vec![span(2, 3, "a", "b"), span(0, 1, "a", "b"), replace("aa", "y")], by("chg_002", 0, 1)),
        ("abc", vec![Action::ReplaceAll { replace: "x".into() }, replace("b", "y")], by("chg_001", 0, 3)),
        ("a\nb", vec![replace("a\r\n", "x"), replace("a\r\n", "y")], by("chg_001", 0, 2)),
        // What no text had is absent, also where a change brought it and another took it away.
        ("abc", vec![replace("b", "x"), replace("z", "y")], absent.clone()),
        ("abc", vec![replace("b", "z"), replace("z", "y"), replace("z", "y")], absent.clone()),
        ("abc", vec![replace("z", "y")], absent.clone()),
        ("", vec![span(0, 0, "", "z"), replace("zz", "y")], absent),
    ] {
        assert_eq!(consumed(start, actions.clone()), expected, "{actions:?}");
    }
    let told = failure("abc", [replace("abc", "x"), replace("abc", "y")]);
    assert!(told.detail.contains("chg_001") && !told.detail.contains("abc"), "{}", told.detail);
}

/// P-090, P-091: what is nowhere is handed on whole and canonical, with the buffer; what is somewhere has no near miss.
#[test]
fn what_is_nowhere_is_handed_on() {
    let missed = |actions: Vec<Action>| {
        let failure = failure("ab\nab", actions);
        (failure.failing.missed, failure.buffer)
    };
    assert_eq!(missed(vec![replace("x\r\ny", "")]), (Some("x\ny".into()), "ab\nab".into()));
    let long = "é".repeat(1_000);
    assert_eq!(missed(vec![span(0, 0, "", "é"), replace(&long, "")]), (Some(long), "éab\nab".into()));
    let all = Action::ReplaceAll { replace: "z".into() };
    assert_eq!(missed(vec![all, replace("ab", "")]), (Some("ab".into()), "z".into()));
    assert_eq!(missed(vec![replace("ab", "")]).0, None);
    assert_eq!(missed(vec![select("\n", "", numbered(2))]).0, None);
    assert_eq!(missed(vec![span(0, 1, "x", "")]).0, None);
}

/// P-067: the reasons that an application has.
#[test]
fn an_application_has_its_reasons() {
    let reasons = [
        text("a", [replace("x", "")]),
        text("aa", [replace("a", "")]),
        text("a", [select("a", "", numbered(2))]),
        text("a", [replace("a", "b"), replace("a", "c")]),
        text("a", [span(0, 2, "", "")]),
        text("a", [span(0, 1, "b", "")]),
    ];
    let expected = [
        Reason::MatchAbsent,
        Reason::MatchAmbiguous,
        Reason::DisambiguationInvalid,
        Reason::SequentialMatchInvalid,
        Reason::SpanOutOfBounds,
        Reason::SpanExpectedTextMismatch,
    ];
    assert_eq!(reasons, expected.map(Err));
    assert!(expected.iter().all(|reason| reason.is_retryable()), "a fresh read can mend each of them (PG-20)");
}

proptest! {
    /// P-084, P-087: a context is where it says, is bounded, and holds its place.
    #[test]
    fn contexts_are_bounded(text in "(a|é|\u{1f9ea}|\n){0,700}", at in prop::option::of(0usize..800)) {
        let context = Context::around(&text, at);
        let letters: Vec<char> = text.chars().collect();
        prop_assert_eq!(context.total_chars, letters.len());
        prop_assert_eq!(context.span.len(), letters.len().min(256));
        let shown = letters.get(context.span.start..context.span.end).expect("it is within");
        prop_assert_eq!(context.text, shown.iter().collect::<String>());
        match at {
            None => prop_assert_eq!(context.span.start, 0),
            Some(at) if at <= letters.len() => {
                prop_assert!(context.span.start <= at && at <= context.span.end);
            }
            Some(_) => prop_assert_eq!(context.span.end, letters.len()),
        }
    }
}
