//! `patchdiff-tx/2`.

use super::*;

fn tx2(context: bool) -> Profile {
    profile(Protocol::Tx2, if context { "0.5.0" } else { "0.3.0" })
}

fn span(more: &str) -> String {
    record("operations", &format!(r#"{{"op":"span","start":1,"end":2,"expected_text":"a","replace":"b"{more}}}"#))
}

/// P-049, PG-09: matches and spans, in the order in which they are given.
#[test]
fn operations_are_matches_and_spans() {
    let items = r#"
        {"op":"span","start":0,"end":0,"expected_text":"","replace":"x","change_id":"s","rationale":"r","risk":"high"},
        {"op":"match","match":"a","replace":"","occurrence_index":2,"anchor_before":"p","anchor_after":"q"},
        {"op":"span","start":3,"end":5,"expected_text":"ab","replace":"","expected_before":"p","expected_after":"q"}"#;
    let selectors =
        Selectors { occurrence_index: Some(2), anchor_before: Some("p".into()), anchor_after: Some("q".into()) };
    let plain = |start, end, expected: &str, replace: &str, beside: Option<[&str; 2]>| Action::Span {
        span: Span { start, end },
        expected: expected.into(),
        replace: replace.into(),
        before: beside.map(|[before, _]| before.into()),
        after: beside.map(|[_, after]| after.into()),
    };
    let expected = [
        Operation {
            change_id: "s".into(),
            rationale: Some("r".into()),
            risk: Some("high"),
            action: plain(0, 0, "", "x", None),
        },
        Operation {
            change_id: "chg_002".into(),
            rationale: None,
            risk: None,
            action: Action::Match { text: "a".into(), replace: String::new(), selectors },
        },
        Operation {
            change_id: "chg_003".into(),
            rationale: None,
            risk: None,
            action: plain(3, 5, "ab", "", Some(["p", "q"])),
        },
    ];
    assert_eq!(read(&record("operations", items), &tx2(true)), Ok(expected.to_vec()));
}

/// P-049, P-066, PG-09: what has to be there, and of what kind it has to be; an item that is no object is none at all.
#[test]
fn an_operation_says_what_it_is() {
    for (record, reason) in [
        (r#"{"intent":"x"}"#.to_owned(), Reason::ManifestMissing),
        (r#"{"intent":"x","operations":null}"#.to_owned(), Reason::ManifestMissing),
        (r#"{"intent":"x","operations":[]}"#.to_owned(), Reason::ManifestInvalid),
        (r#"{"intent":"x","operations":[{}],"edits":[]}"#.to_owned(), Reason::ManifestInvalid),
        (r#"{"operations":[{}]}"#.to_owned(), Reason::ManifestInvalid),
        (record("operations", "null"), Reason::BlockMalformed),
        (record("operations", r#""span""#), Reason::BlockMalformed),
        (record("operations", r#"{"match":"a","replace":"b"}"#), Reason::ManifestInvalid),
        (record("operations", r#"{"op":null,"match":"a","replace":"b"}"#), Reason::ManifestInvalid),
        (record("operations", r#"{"op":"Match","match":"a","replace":"b"}"#), Reason::ManifestInvalid),
        (record("operations", r#"{"op":"replace_all","replace":"b"}"#), Reason::ManifestInvalid),
        (record("operations", r#"{"op":"match","match":"a","replace":"b","start":0}"#), Reason::ManifestInvalid),
        (
            record("operations", r#"{"op":"match","match":"a","replace":"b","expected_before":null}"#),
            Reason::ManifestInvalid,
        ),
        (span(r#","occurrence_index":1"#), Reason::ManifestInvalid),
        (span(r#","anchor_before":"x""#), Reason::ManifestInvalid),
        (span(r#","match":"a""#), Reason::ManifestInvalid),
        (span(r#","length":1"#), Reason::ManifestInvalid),
    ] {
        for context in [false, true] {
            assert_eq!(read(&record, &tx2(context)), refused(reason), "{record}");
        }
    }
}

/// P-050, PG-09: offsets are integers of at least 0, rising; `start == end` inserts.
#[test]
fn a_span_has_a_start_and_an_end() {
    let item = |start: &str, end: &str| {
        record("operations", &format!(r#"{{"op":"span","start":{start},"end":{end},"expected_text":"","replace":""}}"#))
    };
    // The last is past the counting of every machine, and so is past every text on every machine.
    for (start, end, read_start, read_end) in [
        ("0", "0", 0, 0),
        ("7", "7", 7, 7),
        ("0", "4294967295", 0, u32::MAX as usize),
        ("5", "1180591620717411303424", 5, usize::MAX),
        ("1180591620717411303424", "1180591620717411303424", usize::MAX, usize::MAX),
    ] {
        let operations = read(&item(start, end), &tx2(false)).expect("it is a record");
        let [Operation { action: Action::Span { span, .. }, .. }] = &operations[..] else { panic!("one span") };
        assert_eq!(*span, Span { start: read_start, end: read_end }, "{start} {end}");
    }
    for (start, end) in [
        ("1", "0"),
        ("-1", "0"),
        ("0", "-1"),
        ("0", "-1180591620717411303424"),
        ("0", "1.0"),
        ("0.0", "1"),
        ("0", "1e0"),
        ("true", "1"),
        ("null", "1"),
        ("0", "null"),
        (r#""0""#, "1"),
        ("1180591620717411303424", "1"),
    ] {
        assert_eq!(read(&item(start, end), &tx2(false)), refused_first(Reason::ManifestInvalid), "{start} {end}");
    }
    for item in [
        r#"{"op":"span","end":2,"expected_text":"a","replace":"b"}"#,
        r#"{"op":"span","start":1,"expected_text":"a","replace":"b"}"#,
        r#"{"op":"span","start":1,"end":2,"replace":"b"}"#,
        r#"{"op":"span","start":1,"end":2,"expected_text":null,"replace":"b"}"#,
        r#"{"op":"span","start":1,"end":2,"expected_text":"a"}"#,
        r#"{"op":"span","start":1,"end":2,"expected_text":"a","replace":null}"#,
    ] {
        assert_eq!(read(&record("operations", item), &tx2(true)), refused_first(Reason::ManifestInvalid), "{item}");
    }
}

/// P-051, PG-09, PG-10: what is beside a span is a text of 1 to 400 code points, in the profile that knows of it.
#[test]
fn a_span_may_say_what_is_beside_it() {
    let (most, more) = ("é".repeat(400), "é".repeat(401));
    for key in ["expected_before", "expected_after"] {
        for (given, in_old, in_new) in [
            ("null".to_owned(), true, true),
            (r#""x""#.to_owned(), false, true),
            (r#"" ""#.to_owned(), false, true),
            (format!(r#""{most}""#), false, true),
            (format!(r#""{more}""#), false, false),
            (r#""""#.to_owned(), false, false),
            ("0".to_owned(), false, false),
            ("false".to_owned(), false, false),
            ("[]".to_owned(), false, false),
        ] {
            for (context, holds) in [(false, in_old), (true, in_new)] {
                let read = read(&span(&format!(r#","{key}":{given}"#)), &tx2(context)).map(|_| ());
                let wrong = Err((Reason::ManifestInvalid, Some("chg_001".to_owned())));
                assert_eq!(read, if holds { Ok(()) } else { wrong }, "{key} {given} {context}");
            }
        }
    }
}

/// P-051, PG-10: exactly a span that says what is beside it selects the newer profile.
#[test]
fn context_selects_the_profile() {
    let beside = |key: &str, given: &str| span(&format!(r#","{key}":{given}"#));
    for (record, context) in [
        (span(""), false),
        (beside("expected_before", "null"), false),
        (beside("expected_after", "null"), false),
        (beside("expected_before", r#""x""#), true),
        (beside("expected_after", r#""x""#), true),
        // What is wrong is refused by the profile that knows the member.
        (beside("expected_after", r#""""#), true),
        (record("operations", r#"{"op":"match","match":"a","replace":"b","expected_before":"x"}"#), false),
        (record("operations", r#"{"expected_before":"x"}"#), false),
        (record("operations", "1,null,[]"), false),
        (r#"{"operations":{"op":"span","expected_before":"x"}}"#.to_owned(), false),
        ("[]".to_owned(), false),
        (record("operations", r#"{"op":"match","match":"a","replace":"b"},{"op":"span","expected_after":"x"}"#), true),
    ] {
        assert_eq!(Transaction::profile_of(&value(&record), Protocol::Tx2), tx2(context), "{record}");
        for protocol in [Protocol::Tx1, Protocol::Tx3, Protocol::ObservedBatch1] {
            assert_eq!(Transaction::profile_of(&value(&record), protocol), Profile::current(protocol, false));
        }
    }
}

/// P-051: what the older profile takes, the newer one reads as the same.
#[test]
fn the_newer_profile_reads_what_the_older_one_does() {
    for more in ["", r#","expected_before":null"#, r#","risk":"low","expected_after":null"#] {
        let (old, new) = (read(&span(more), &tx2(false)), read(&span(more), &tx2(true)));
        assert!(old.is_ok());
        assert_eq!(old, new, "{more}");
    }
}
