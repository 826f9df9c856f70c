//! Spans: where they may be, and what they say of the text.

use super::*;

/// P-050, PG-09: code points, both ends of the text included; a span of nothing inserts.
#[test]
fn spans_are_code_points() {
    let start = "a🟢é\nz";
    for (action, expected) in [
        (span(0, 0, "", "X"), "Xa🟢é\nz"),
        (span(5, 5, "", "X"), "a🟢é\nzX"),
        (span(2, 2, "", "X"), "a🟢Xé\nz"),
        (span(1, 3, "🟢é", "X"), "aX\nz"),
        (span(0, 5, "a🟢é\nz", ""), ""),
        (beside(span_of(1, 3), "🟢é", "X", ["a", "\nz"]), "aX\nz"),
        (beside(span_of(2, 2), "", "X", ["a🟢", "é"]), "a🟢Xé\nz"),
    ] {
        assert_eq!(text(start, [action.clone()]), is(expected), "{action:?}");
    }
    assert_eq!(text("", [span(0, 0, "", "é"), span(1, 1, "", "x")]), is("éx"));
}

/// P-067, P-087, PG-18: a span past the text has no place; one that holds something else has, and says which part of it.
#[test]
fn spans_hold_what_they_say() {
    let start = "a🟢é\nz";
    let out = (Reason::SpanOutOfBounds, None, None);
    let wrong = |field, at| (Reason::SpanExpectedTextMismatch, Some(field), Some(at));
    for (action, expected) in [
        (span(5, 6, "", "X"), out),
        (span(6, 6, "", "X"), out),
        (span(0, usize::MAX, "", "X"), out),
        (span(usize::MAX, usize::MAX, "", "X"), out),
        // No record says so, but a caller may.
        (span(3, 2, "", "X"), out),
        (span(1, 2, "é", "X"), wrong("expected_text", 1)),
        (span(1, 2, "", "X"), wrong("expected_text", 1)),
        (span(1, 1, "🟢", "X"), wrong("expected_text", 1)),
        (span(1, 3, "🟢É", "X"), wrong("expected_text", 1)),
        (span(1, 3, "🟢", "X"), wrong("expected_text", 1)),
        (span(1, 2, "🟢é", "X"), wrong("expected_text", 1)),
        (beside(span_of(2, 3), "é", "X", ["a", ""]), wrong("expected_before", 2)),
        (beside(span_of(2, 3), "é", "X", ["xa🟢", ""]), wrong("expected_before", 2)),
        (beside(span_of(0, 1), "a", "X", ["x", ""]), wrong("expected_before", 0)),
        (beside(span_of(2, 3), "é", "X", ["🟢", "z"]), wrong("expected_after", 2)),
        (beside(span_of(4, 5), "z", "X", ["", "x"]), wrong("expected_after", 4)),
        (beside(span_of(2, 3), "x", "X", ["x", "x"]), wrong("expected_text", 2)),
        (beside(span_of(2, 3), "é", "X", ["x", "x"]), wrong("expected_before", 2)),
    ] {
        let failure = failure(start, [action.clone()]);
        assert_eq!((failure.reason, failure.failing.field, failure.failing.at), expected, "{action:?}");
        assert_eq!((failure.failing.occurrence_count, failure.failing.missed), (None, None), "{action:?}");
        assert!(!failure.detail.contains('🟢'), "{}", failure.detail);
    }
}

/// P-021, PG-09: bounds and texts are those of the buffer, not of the text at the beginning.
#[test]
fn spans_are_of_the_buffer() {
    assert_eq!(text("ab", [replace("b", "bcd"), span(3, 4, "d", "D")]), is("abcD"));
    let shorter = failure("abc", [replace("bc", ""), span(2, 3, "c", "x")]);
    assert_eq!((shorter.reason, shorter.prior_changes), (Reason::SpanOutOfBounds, 1));
    assert!(shorter.detail.contains("1 code points"), "{}", shorter.detail);
    let moved = failure("abc", [span(0, 0, "", "é"), span(0, 1, "a", "x")]);
    assert_eq!((moved.reason, moved.buffer.as_str()), (Reason::SpanExpectedTextMismatch, "éabc"));
}
