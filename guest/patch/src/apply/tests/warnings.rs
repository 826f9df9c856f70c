//! What is odd about a transaction that applies (P-062, PG-17).

use super::*;

/// The warnings, as kind and number of the change; 0 where it is about all.
fn warned(start: &str, actions: impl IntoIterator<Item = Action>) -> Vec<(&'static str, usize)> {
    let applied = run(start, actions).expect("it applies");
    let number = |id: &str| id.strip_prefix("chg_").and_then(|number| number.parse().ok()).expect("a number");
    let told = applied.warnings.into_iter();
    told.map(|warning| (warning.kind.name(), warning.change_id.as_deref().map_or(0, number))).collect()
}

const NONE: [(&str, usize); 0] = [];

/// P-062, PG-17: the names on the wire.
#[test]
fn warnings_have_names() {
    let kinds = [
        WarningKind::NoOpChange,
        WarningKind::NoOpTransaction,
        WarningKind::OccurrenceIndexBasisShift,
        WarningKind::GraphemeBoundarySplit,
    ];
    let names = ["no_op_change", "no_op_transaction", "occurrence_index_basis_shift", "grapheme_boundary_split"];
    assert_eq!(kinds.map(WarningKind::name), names);
}

/// P-062, PG-17: a change that changes nothing, and changes that together do not.
#[test]
fn what_changes_nothing_is_told() {
    for (start, actions, expected) in [
        ("ab", vec![replace("a", "b")], vec![]),
        ("ab", vec![replace("a", "a")], vec![("no_op_change", 1), ("no_op_transaction", 0)]),
        ("ab", vec![replace("a", "a"), replace("b", "c")], vec![("no_op_change", 1)]),
        ("ab", vec![replace("a", "x"), replace("x", "a")], vec![("no_op_transaction", 0)]),
        ("ab", vec![span(1, 1, "", "")], vec![("no_op_change", 1), ("no_op_transaction", 0)]),
        ("a\nb", vec![replace("a\r\n", "a\r")], vec![("no_op_change", 1), ("no_op_transaction", 0)]),
        ("ab", vec![Action::ReplaceAll { replace: "ab".into() }], vec![("no_op_change", 1), ("no_op_transaction", 0)]),
        ("", vec![Action::ReplaceAll { replace: String::new() }], vec![("no_op_change", 1), ("no_op_transaction", 0)]),
        // A move is a change, though the text that is moved is the same.
        ("aba", vec![span(0, 1, "a", ""), span(2, 2, "", "a")], vec![]),
    ] {
        assert_eq!(warned(start, actions.clone()), expected, "{actions:?} of {start:?}");
    }
}

/// P-062, PG-17: a number that counts other occurrences than those of the text at the beginning.
#[test]
fn a_number_of_another_text_is_told() {
    let shift = |change| vec![("occurrence_index_basis_shift", change)];
    let x = |index| select("x", "y", numbered(index));
    for (start, actions, expected) in [
        ("x x x", vec![x(2)], vec![]),
        ("x x x", vec![x(2), x(2)], shift(2)),
        ("x x x", vec![x(3), x(1)], shift(2)),
        ("x x x", vec![x(3), select("x", "y", anchored("", " y"))], vec![]),
        // Where another text is changed that is not longer, they are where they were.
        ("a x x", vec![replace("a", "b"), x(2)], vec![]),
        ("a x x", vec![replace("a", "漢"), x(2)], vec![]),
        ("a x x", vec![replace("a", "bb"), x(2)], shift(2)),
        ("é x x", vec![replace("é", "bb"), x(2)], shift(2)),
        ("x x a", vec![replace("a", "bbb"), x(2)], vec![]),
        ("x x a", vec![replace("a", "x"), x(1)], shift(2)),
        ("x x aa", vec![replace("aa", "ax"), replace("ax", "aa"), x(1)], vec![]),
        // Overlapping ones count.
        ("xxx z", vec![span(5, 5, "", "x"), select("xx", "y", numbered(1))], vec![]),
        ("xxx z", vec![span(0, 1, "x", "w"), select("xx", "y", numbered(1))], shift(2)),
        ("\nx\nx", vec![replace("\nx\n", "\nw\n"), select("\r\nx", "y", numbered(1))], shift(2)),
    ] {
        assert_eq!(warned(start, actions.clone()), expected, "{actions:?} of {start:?}");
    }
    // What both texts begin with is not looked through, and what lies across its end is.
    for length in [60, 63, 64, 65, 127, 128, 300] {
        for letter in ["a", "é", "x"] {
            let start = format!("{}xxab", letter.repeat(length));
            let tail = start.chars().count() - 2;
            assert_eq!(warned(&start, [span(tail, tail + 1, "a", "b"), x(1)]), NONE, "{length} {letter}");
            let across = [span(tail - 1, tail, "x", "z"), select("x", "y", numbered(1))];
            assert_eq!(warned(&start, across), shift(2), "{length} {letter}");
        }
    }
}

/// P-064, PG-17: places within a cluster, before the change and at the seams after it; one warning for each change.
#[test]
fn a_split_character_is_told() {
    let split = vec![("grapheme_boundary_split", 1)];
    for (start, action, expected) in [
        ("e\u{301}x", replace("e\u{301}", "a"), vec![]),
        ("e\u{301}x", replace("e", "a"), split.clone()),
        ("e\u{301}x", replace("\u{301}", ""), split.clone()),
        ("e\u{301}x", span(1, 1, "", "-"), split.clone()),
        ("ex", span(1, 1, "", "\u{301}"), split.clone()),
        ("ex", replace("x", "\u{301}"), split.clone()),
        ("a🇩🇪b", replace("🇪", "🇫"), split.clone()),
        ("a🇩🇪b", replace("🇩🇪", "🇫🇷"), vec![]),
        ("🇩🇪🇫🇷", span(1, 3, "🇪🇫", ""), split.clone()),
        ("👩\u{200d}👧", replace("👧", "👦"), split.clone()),
        ("👍🏽", replace("🏽", "🏿"), split.clone()),
        // Only the seam after it is within one.
        ("🇩-🇪", replace("-", ""), split.clone()),
        ("\u{1100}-\u{1161}", replace("-", ""), split.clone()),
        ("e-\u{301}", span(1, 1, "", "x"), vec![]),
        ("e\n\u{301}", replace("e", "a"), vec![]),
        ("e\u{301}", Action::ReplaceAll { replace: "\u{301}".into() }, vec![]),
    ] {
        assert_eq!(warned(start, [action.clone()]), expected, "{action:?} of {start:?}");
    }
    assert_eq!(
        warned("e\u{301} o\u{308}", [replace("e", "a"), replace("x", "x")].into_iter().take(1)),
        split,
        "once, though it is so before and after"
    );
}

/// P-062, P-063: all that is odd about each change, in the order of the changes, and what is odd about all of them last.
#[test]
fn warnings_are_in_order() {
    let actions =
        [span(0, 0, "", "x\u{301}"), select("x", "x", numbered(1)), span(0, 2, "x\u{301}", ""), span(1, 1, "", "")];
    let expected = [
        ("no_op_change", 2),
        ("occurrence_index_basis_shift", 2),
        ("grapheme_boundary_split", 2),
        ("no_op_change", 4),
        ("no_op_transaction", 0),
    ];
    assert_eq!(warned("abc", actions), expected);
}
