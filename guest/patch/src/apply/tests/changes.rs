//! What an application does to the text, and what it tells of each change.

use super::*;
use crate::{json, record};

/// P-021, P-050, PG-09: each operation sees what those before it left, and its offsets are of that.
#[test]
fn operations_see_what_was_done_before() {
    for (actions, expected) in [
        (vec![replace("b", "é🟢"), replace("🟢c", "x")], "aéxd"),
        (vec![replace("b", ""), span(1, 2, "c", "x")], "axd"),
        (vec![span(0, 0, "", "🟢"), span(1, 2, "a", "x"), replace("🟢x", "")], "bcd"),
        (vec![replace("d", "b"), select("b", "x", numbered(2))], "abcx"),
        (vec![Action::ReplaceAll { replace: "new".into() }, replace("e", "E"), span(3, 3, "", "!")], "nEw!"),
        (vec![Action::ReplaceAll { replace: String::new() }, span(0, 0, "", "x")], "x"),
    ] {
        assert_eq!(text("abcd", actions.clone()), is(expected), "{actions:?}");
    }
}

/// P-022, P-024: where one operation fails, what came before it counts for nothing, and what came is told.
#[test]
fn all_or_nothing() {
    let start = Canonical::of("one two");
    let actions = [replace("one", "1"), replace("three", "3"), replace("two", "2")];
    let failure = apply(&start, &transaction(actions), &current(), Extras::default()).expect_err("three is nowhere");
    assert_eq!((failure.change_id.as_str(), failure.prior_changes), ("chg_002", 1));
    assert_eq!(failure.buffer, "1 two");
    assert_eq!(start, Canonical::of("one two"));
}

/// P-020: the same code points, and nothing that is like them.
#[test]
fn matching_is_exact() {
    for (text_to_match, target) in [
        ("Foo", "foo"),
        ("foo ", "foo"),
        ("a b", "a  b"),
        ("    x", "\tx"),
        ("é", "e\u{301}"),
        ("e\u{301}", "é"),
        ("\"", "“"),
        ("a b", "a\u{a0}b"),
        ("Å", "\u{212b}"),
        ("ﬁ", "fi"),
        ("ß", "ss"),
        ("\n", "\u{2028}\u{85}"),
    ] {
        assert_eq!(text(target, [replace(text_to_match, "x")]), Err(Reason::MatchAbsent), "{text_to_match:?}");
    }
    // A text is code points: an accent alone can be matched.
    assert_eq!(text("e\u{301}", [replace("\u{301}", "")]), is("e"));
}

/// P-029: line ends of what is submitted count as LF in all that is compared and put into the text.
#[test]
fn line_ends_are_made_canonical() {
    let start = "a\nb\nc\n";
    for action in [
        replace("a\r\nb", "x\r\ny"),
        replace("a\rb", "x\ry"),
        select("\r\n", "\ny", Selectors { anchor_after: Some("c\r\n".into()), ..anchored("b", "") }),
        span(0, 3, "a\r\nb", "x\r\ny"),
        beside(span_of(2, 3), "b", "y", ["a\r\n", "\r\nc\r"]),
        Action::ReplaceAll { replace: "x\r\ny\rc\r\n".into() },
    ] {
        let applied = run(start, [action.clone()]).expect("it applies");
        assert!(!applied.text.as_str().contains('\r'), "{action:?}");
        let [change] = &applied.changes[..] else { panic!("one change") };
        let now: String =
            applied.text.as_str().chars().skip(change.span.start).take(change.replacement_chars).collect();
        assert_eq!(change.replacement_sha256, Sha256Hex::of(now));
    }
    assert_eq!(text(start, [replace("a\r\n", "\r\r\n")]), is("\n\nb\nc\n"));
    // One line end is no half of one.
    assert_eq!(text("a\nb", [replace("\r\n\r\n", "")]), Err(Reason::MatchAbsent));
}

/// P-060: spans and counts are code points, hashes are of the canonical UTF-8.
#[test]
fn changes_tell_what_they_did() {
    let applied = run("🟢é = 1\n", [replace("é =", "漢\r\n漢"), span(5, 6, "1", "")]).expect("it applies");
    let change = |id: &str, span, replacement_chars, matched: &str, replacement: &str| Change {
        change_id: id.into(),
        scope_id: None,
        span,
        replacement_chars,
        matched_sha256: Sha256Hex::of(matched),
        replacement_sha256: Sha256Hex::of(replacement),
    };
    let expected = [change("chg_001", span_of(1, 4), 3, "é =", "漢\n漢"), change("chg_002", span_of(5, 6), 0, "1", "")];
    assert_eq!(applied.changes, expected);
    assert_eq!(applied.text.as_str(), "🟢漢\n漢 \n");

    let applied = run("é\n", [Action::ReplaceAll { replace: "xyz".into() }]).expect("it applies");
    assert_eq!(applied.changes, [change("chg_001", span_of(0, 2), 3, "é\n", "xyz")]);
}

/// P-028, P-052: one change, submitted in each of the formats, makes one text and tells the same of it.
#[test]
fn formats_share_one_applier() {
    let start = "a\né\nc\n";
    let formats = [
        (Protocol::Tx1, "0.2.2", r#"{"intent":"x","edits":[{"match":"é\r\n","replace":"x\r\n"}]}"#),
        (Protocol::Tx2, "0.3.0", r#"{"intent":"x","operations":[{"op":"match","match":"é\n","replace":"x\n"}]}"#),
        (
            Protocol::Tx2,
            "0.5.0",
            r#"{"intent":"x","operations":[
                {"op":"span","start":2,"end":4,"expected_text":"é\n","replace":"x\n","expected_before":"a\n"}]}"#,
        ),
        (Protocol::Tx3, "0.4.0", r#"{"intent":"x","replacement":"a\nx\nc\n"}"#),
    ];
    let applied = formats.map(|(protocol, version, record)| {
        let profile = profile(protocol, version);
        let transaction = record::Transaction::read(&json::read(record).expect("JSON"), &profile).expect("a record");
        apply(&Canonical::of(start), &transaction, &profile, Extras::default()).expect("it applies")
    });
    assert!(applied.iter().all(|applied| applied.text.as_str() == "a\nx\nc\n"));
    let changes = |at: usize| applied[at].changes.first().map(|change| (change.span, &change.replacement_sha256));
    assert!(changes(0).is_some());
    assert!((1..3).all(|at| changes(at) == changes(0)));
    assert_eq!(changes(3).map(|(span, _)| span), Some(span_of(0, 6)));
}

/// P-063: warnings and line endings are made for those who ask, and change nothing else.
#[test]
fn extras_change_nothing_else() {
    let (start, transaction) = (Canonical::of("a\nb\n"), transaction([replace("a", "a"), replace("b", "c\nd")]));
    let endings = || LineEndings::parse("1C1L", 2).ok();
    let plain = apply(&start, &transaction, &current(), Extras::default()).expect("it applies");
    assert_eq!((plain.endings.as_ref(), plain.warnings.len()), (None, 0));
    for (endings, warnings) in [(endings(), false), (None, true), (endings(), true)] {
        let asked = endings.is_some();
        let applied = apply(&start, &transaction, &current(), Extras { endings, warnings }).expect("it applies");
        assert_eq!((&applied.text, &applied.changes), (&plain.text, &plain.changes));
        assert_eq!((applied.endings.is_some(), !applied.warnings.is_empty()), (asked, warnings));
    }
}
