//! What a rejection keeps: bounded parts of the text that failed, and what could not go into its column.

use super::desk::{at, decide, json_at, rejected, request, target};
use crate::{
    Protocol::{Tx1, Tx2},
    Reason,
    json::{self, Value},
    submit::Rejection,
    text::Canonical,
};

const GUARD: &str = r#""expected_target_version":3,"intent":"mend""#;

fn edits(text: &str, edits: &str) -> Box<Rejection> {
    rejected(decide(&target(text), Tx1, &request(&format!(r#"{GUARD},"edits":[{edits}]"#))))
}

fn text_at(value: &Value, pointer: &str) -> String {
    at(value, pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A text of code points that are all told apart by where they are.
fn numbered(length: u32) -> String {
    (0..length).filter_map(|at| char::from_u32(0x4e00 + at)).collect()
}

/// P-084, P-085, P-086, P-087: at most 256 code points of the buffer that failed; where a place is known, around it.
#[test]
fn a_failure_has_a_context() {
    let long = numbered(1_000);
    let point = |at: usize| long.chars().nth(at).unwrap();
    let twice = format!("{long}{}", point(600));
    let first = format!(r#"{{"match":"{}","replace":"<new>"}}"#, point(0));
    // The text, the edits, what is told: the source, prior changes, start, end, the length of the whole.
    let rows = [
        ("", r#"{"match":"x","replace":""}"#.to_owned(), ("canonical_target", 0, 0, 0, 0)),
        ("ab", r#"{"match":"x","replace":""}"#.to_owned(), ("canonical_target", 0, 0, 2, 2)),
        (&long, r#"{"match":"x","replace":""}"#.to_owned(), ("canonical_target", 0, 0, 256, 1_000)),
        (&long, format!(r#"{first},{{"match":"x","replace":""}}"#), ("intermediate_buffer", 1, 0, 256, 1_004)),
        (&long, format!(r#"{first},{first}"#), ("intermediate_buffer", 1, 0, 256, 1_004)),
        (&twice, format!(r#"{{"match":"{}","replace":""}}"#, point(600)), ("canonical_target", 0, 536, 792, 1_001)),
        (
            &twice,
            format!(r#"{first},{{"match":"{}","replace":""}}"#, point(600)),
            ("intermediate_buffer", 1, 540, 796, 1_005),
        ),
        (
            &twice,
            format!(r#"{{"match":"{}","replace":"","occurrence_index":3}}"#, point(600)),
            ("canonical_target", 0, 536, 792, 1_001),
        ),
        (
            &twice,
            format!(r#"{{"match":"{}","replace":"","anchor_before":"x"}}"#, point(999)),
            ("canonical_target", 0, 745, 1_001, 1_001),
        ),
    ];
    for (text, given, (source, prior_changes, start, end, total_chars)) in rows {
        let rejection = edits(text, &given);
        let buffer = if prior_changes == 0 { text.to_owned() } else { text.replacen(point(0), "<new>", 1) };
        let expected = json::object([
            ("source", source.into()),
            ("prior_changes", Value::from(prior_changes as u64)),
            ("start", Value::from(start)),
            ("end", Value::from(end)),
            ("total_chars", Value::from(i64::from(total_chars))),
            ("text", buffer.chars().skip(start).take(end - start).collect::<String>().into()),
        ]);
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context"), expected.ascii(), "{given}");
        let before = target(text);
        assert_eq!(json_at(&rejection.diagnostic, "/observed_hash"), format!("{:?}", before.current_hash));
        assert_eq!(json_at(&rejection.diagnostic, "/observed_version"), "3");
    }
}

/// P-084, P-085: what is refused before an edit is tried shows the target's beginning, whatever is wrong.
#[test]
fn a_refusal_has_the_targets_beginning() {
    let text = numbered(300);
    for members in [
        r#""expected_target_version":2"#,
        r#""expected_target_version":3"#,
        r#""intent":"\ud800""#,
        r#""expected_target_version":3,"client_request_id":" ""#,
    ] {
        let rejection = rejected(decide(&target(&text), Tx1, &request(members)));
        assert_eq!(text_at(&rejection.diagnostic, "/failure_context/text"), numbered(256), "{members}");
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context/source"), r#""canonical_target""#);
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context/total_chars"), "300");
        assert_eq!(rejection.failed_change_id, None);
        assert!(rejection.missed.is_none());
    }
}

/// P-084, P-085: what became too large shows the buffer that did.
#[test]
fn a_text_that_grew_too_large_is_shown() {
    let large = "x".repeat(999_999);
    let rejection = edits("ab", &format!(r#"{{"match":"a","replace":"{large}"}},{{"match":"b","replace":"yz"}}"#));
    assert_eq!(rejection.reason, Reason::SizeLimitExceeded);
    assert_eq!(json_at(&rejection.diagnostic, "/failure_context/source"), r#""intermediate_buffer""#);
    assert_eq!(json_at(&rejection.diagnostic, "/failure_context/prior_changes"), "2");
    assert_eq!(json_at(&rejection.diagnostic, "/failure_context/total_chars"), "1000001");
    assert_eq!(text_at(&rejection.diagnostic, "/failure_context/text"), large[..256]);
}

/// P-089, P-091, E-35, E-41: the first five places that could be meant, with what is beside them.
#[test]
fn candidates_are_bounded() {
    let line = "0123456789012345678901234567890123456789}\n";
    for (lines, listed) in [(2, 2), (5, 5), (6, 5), (1_000, 5)] {
        let rejection = edits(&line.repeat(lines), r#"{"match":"}","replace":"x"}"#);
        assert_eq!(rejection.reason, Reason::MatchAmbiguous);
        assert_eq!(json_at(&rejection.diagnostic, "/occurrence_count"), lines.to_string());
        let candidates = at(&rejection.diagnostic, "/exact_candidates").and_then(Value::as_array).unwrap();
        assert_eq!(candidates.len(), listed);
        let expected = concat!(
            r#"{"after":"\n012345678901234567890123456789012345678","before":"0123456789012345678901234567890123456789","#,
            r#""end":41,"occurrence_index":1,"start":40}"#,
        );
        assert_eq!(candidates[0].ascii(), expected);
        assert_eq!(candidates[1].get("start"), Some(&Value::from(82_u64)));
        assert!(at(&rejection.diagnostic, "/near_miss_query").is_none() && rejection.missed.is_none());
    }
}

/// P-091, PG-18, E-25: the change that took the text away, by its id and its place.
#[test]
fn a_consumed_text_names_its_consumer() {
    let rejection =
        edits("one two", r#"{"change_id":"c:1","match":"e t","replace":"E-T"},{"match":"two","replace":"2"}"#);
    assert_eq!(rejection.reason, Reason::SequentialMatchInvalid);
    assert_eq!(rejection.failed_change_id.as_deref(), Some("chg_002"));
    assert_eq!(json_at(&rejection.diagnostic, "/consumed_by"), r#"{"change_id":"c:1","end":5,"start":2}"#);
    assert_eq!(json_at(&rejection.diagnostic, "/failure_context/text"), r#""onE-Two""#);
    let rejection = edits("one two", r#"{"match":"x","replace":""},{"match":"y","replace":""}"#);
    assert_eq!((rejection.reason, rejection.failed_change_id.as_deref()), (Reason::MatchAbsent, Some("chg_001")));
    assert!(at(&rejection.diagnostic, "/consumed_by").is_none());
}

/// P-050, PG-18: which expectation of a span does not hold, and what is there.
#[test]
fn a_span_names_what_does_not_hold() {
    let long = numbered(1_000);
    let point = |at: usize| long.chars().nth(at).unwrap();
    for (members, field) in [
        (r#""expected_text":"x""#.to_owned(), "expected_text"),
        (format!(r#""expected_text":"{}","expected_before":"x""#, point(500)), "expected_before"),
        (format!(r#""expected_text":"{}","expected_after":"x""#, point(500)), "expected_after"),
    ] {
        let members = format!(r#"{GUARD},"operations":[{{"op":"span","start":500,"end":501,"replace":"",{members}}}]"#);
        let rejection = rejected(decide(&target(&long), Tx2, &request(&members)));
        assert_eq!(rejection.reason, Reason::SpanExpectedTextMismatch);
        assert_eq!(text_at(&rejection.diagnostic, "/field"), field);
        assert_eq!(json_at(&rejection.diagnostic, "/failure_context/start"), "436");
        assert!(text_at(&rejection.diagnostic, "/failure_context/text").contains(point(500)));
    }
}

/// PG-22, P-091, P-092, P-029: the row has the query's first 256 code points; what to look in is handed on, and not stored.
#[test]
fn a_miss_keeps_its_query() {
    for (length, kept) in [(1, 1), (256, 256), (257, 256), (5_000, 256)] {
        let missed = format!("{}\r\n", numbered(length - 1));
        let text = "t".repeat(70_000);
        let given = Value::from(&*missed).ascii();
        let rejection = edits(&text, &format!(r#"{{"match":"{}","replace":"u"}}"#, &given[1..given.len() - 1]));
        let canonical = Canonical::of(missed).into_string();
        let expected = json::object([
            ("text", canonical.chars().take(kept).collect::<String>().into()),
            ("total_chars", Value::from(u64::from(length))),
            ("truncated", (length > 256).into()),
        ]);
        assert_eq!(json_at(&rejection.diagnostic, "/near_miss_query"), expected.ascii());
        let found = rejection.missed.expect("it is nowhere");
        assert_eq!((found.text, found.buffer), (canonical, text));
        assert!(rejection.diagnostic.ascii().len() < 4_096, "nothing of the buffer but its beginning");
    }
}

/// P-079, P-034, P-035, P-038: what cannot go into its column is nothing there, and is kept as it was given in the diagnostic
/// and the record.
#[test]
fn malformed_values_are_kept() {
    let digits = "9".repeat(300);
    let (longest, longer) = ("9".repeat(256), "9".repeat(257));
    let long = "f".repeat(300);
    for (key, given, kept) in [
        ("expected_target_version", "-1", "-1".to_owned()),
        ("expected_target_version", "9223372036854775808", "9223372036854775808".to_owned()),
        ("expected_target_version", "3.0", "3.0".to_owned()),
        ("expected_target_version", "true", "true".to_owned()),
        ("expected_target_version", r#""3""#, r#""3""#.to_owned()),
        ("expected_target_version", &digits, format!(r#"{{"text":"{}","truncated":true}}"#, &digits[..256])),
        ("expected_target_version", &longest, longest.clone()),
        ("expected_target_version", &longer, format!(r#"{{"text":"{longest}","truncated":true}}"#)),
        ("expected_target_version", r#"{"a":1}"#, r#"{"text":"{\"a\":1}","truncated":false}"#.to_owned()),
        ("expected_target_version", "[]", r#"{"text":"[]","truncated":false}"#.to_owned()),
        ("expected_current_hash", r#""""#, r#""""#.to_owned()),
        ("expected_current_hash", "7", "7".to_owned()),
        ("expected_current_hash", r#""\u00e9\n""#, r#""\u00e9\n""#.to_owned()),
        ("expected_current_hash", &format!("{long:?}"), format!(r#"{{"text":"\"{}","truncated":true}}"#, &long[..255])),
        ("expected_current_hash", r#""\ud800""#, r#"{"text":"\"\\ud800\"","truncated":false}"#.to_owned()),
        ("expected_current_hash", r#""\u0000""#, r#"{"text":"\"\\u0000\"","truncated":false}"#.to_owned()),
        ("attempt", "0", "0".to_owned()),
        ("attempt", "2147483648", "2147483648".to_owned()),
        ("attempt", "false", "false".to_owned()),
    ] {
        let rejection = rejected(decide(&target("a"), Tx1, &request(&format!(r#""intent":"x","{key}":{given}"#))));
        let raw = json_at(&rejection.diagnostic, &format!("/raw_{key}"));
        assert_eq!(raw, kept, "{key}: {given:.40}");
        let row = &rejection.row;
        assert_eq!((row.expected_target_version, row.regeneration_attempt), (None, None));
        assert_eq!(row.expected_current_hash, None);
        let content = json::read(&row.pdcp_content).unwrap();
        let record = if content.get("format").is_some() { &content } else { content.get("original").unwrap() };
        assert_eq!(record.get(key).map(Value::ascii), Some(json::read(given).unwrap().ascii()));
    }
    let whole = r#""expected_target_version":9223372036854775807,"expected_current_hash":null,"attempt":2147483647"#;
    let rejection = rejected(decide(&target("a"), Tx1, &request(whole)));
    assert_eq!(rejection.row.expected_target_version, Some(9_223_372_036_854_775_807));
    assert!(!rejection.diagnostic.ascii().contains("raw_"));
}

/// P-088, P-090, P-097: what is response-only is not in what is stored, and nothing of the text is in the words.
#[test]
fn the_row_has_nothing_of_the_response() {
    let rejection = edits("secret text", r#"{"match":"secret test","replace":""}"#);
    for absent in ["current_context", "near_misses", "current_hash", "current_version"] {
        assert!(at(&rejection.diagnostic, &format!("/{absent}")).is_none(), "{absent}");
    }
    assert!(!rejection.detail.contains("secret"));
}
