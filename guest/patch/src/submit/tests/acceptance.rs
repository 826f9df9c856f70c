//! What an accepted transaction stores.

use super::desk::{Desk, accepted, decide, request, target};
use crate::{
    Protocol::{Tx1, Tx2, Tx3},
    Sha256Hex, Stage,
    json::Value,
    text::{LineEndings, Source},
};

/// P-060, P-082, P-150, P-151, P-042, PG-07, E-13, E-14: one entry for each change, with its span, counts and hashes; what it
/// is for is its own rationale, else the transaction's intent.
#[test]
fn the_ledger_tells_each_change() {
    let members = r#""expected_target_version":3,"intent":"all","operations":[
        {"op":"match","match":"ALPHA","replace":"BETA\r\n","rationale":"this","risk":"high"},
        {"op":"span","start":0,"end":1,"expected_text":"\ud83d\udfe2","replace":"","change_id":"x:1"},
        {"op":"span","start":3,"end":3,"expected_text":"","replace":"**\u9032\u884c\u4e2d**","rationale":null}]"#;
    let acceptance = accepted(decide(&target("🟢🔺📅 ALPHA"), Tx2, &request(members)));
    assert_eq!(acceptance.state.text.as_str(), "🔺📅 **進行中**BETA\n");
    let told: Vec<_> = acceptance
        .ledger
        .iter()
        .map(|entry| (&*entry.change_id, &*entry.intent, entry.risk, entry.derived.ascii()))
        .collect();
    let derived = |start: u32, end: u32, matched: &str, replacement: &str| {
        format!(
            r#"{{"matched_chars":{},"matched_sha256":"{}","replacement_chars":{},"replacement_sha256":"{}","span_end":{end},"span_start":{start}}}"#,
            end - start,
            Sha256Hex::of(matched),
            replacement.chars().count(),
            Sha256Hex::of(replacement)
        )
    };
    let expected = [
        ("chg_001", "this", Some("high"), derived(4, 9, "ALPHA", "BETA\n")),
        ("x:1", "all", None, derived(0, 1, "🟢", "")),
        ("chg_003", "all", None, derived(3, 3, "", "**進行中**")),
    ];
    assert_eq!(told, expected);
    assert_eq!(acceptance.state.current_hash, acceptance.state.text.sha256());
    assert_eq!(acceptance.row.before_hash, target("🟢🔺📅 ALPHA").current_hash);
    let validity = Stage::Accepted.validity();
    assert_eq!((validity.protocol_valid, validity.transaction_valid), (Some(true), Some(true)));
}

/// P-051, P-128, PG-10: the runtime that is recorded.
#[test]
fn a_row_has_the_current_rules() {
    let span = r#""op":"span","start":0,"end":0,"expected_text":"","replace":"""#;
    for (protocol, edits, runtime) in [
        (Tx1, r#""edits":[{"match":"a","replace":""}]"#.to_owned(), "patchdiff-mvp-0.2.2"),
        (Tx2, r#""operations":[{"op":"match","match":"a","replace":""}]"#.to_owned(), "patchdiff-mvp-0.3.0"),
        (Tx2, format!(r#""operations":[{{{span},"expected_before":null}}]"#), "patchdiff-mvp-0.3.0"),
        (Tx2, format!(r#""operations":[{{{span}}},{{{span},"expected_after":"a"}}]"#), "patchdiff-mvp-0.5.0"),
        (Tx3, r#""replacement":"""#.to_owned(), "patchdiff-mvp-0.4.0"),
    ] {
        let members = format!(r#""expected_target_version":3,"intent":"x",{edits}"#);
        let acceptance = accepted(decide(&target("a"), protocol, &request(&members)));
        assert_eq!(acceptance.row.profile.runtime, runtime, "{edits}");
        assert_eq!(acceptance.row.profile.protocol, protocol);
    }
}

/// P-062, P-063, E-31, ambiguity 7: what changes nothing is a version all the same, and is told to be odd.
#[test]
fn a_transaction_that_changes_nothing_is_one() {
    let mut desk = Desk::of("x");
    let hash = desk.target.current_hash.clone();
    for version in 3..6 {
        let members =
            format!(r#""expected_target_version":{version},"intent":"x","edits":[{{"match":"x","replace":"x"}}]"#);
        let acceptance = accepted(desk.submit(Tx1, &request(&members)));
        assert_eq!((acceptance.state.version, acceptance.state.current_hash.as_str()), (version + 1, &*hash));
        let warnings: Vec<_> = acceptance.warnings.iter().map(Value::ascii).collect();
        let expected =
            [r#"{"change_id":"chg_001","code":"no_op_change"}"#, r#"{"change_id":null,"code":"no_op_transaction"}"#];
        assert_eq!(warnings, expected);
    }
    let plain = r#""expected_target_version":6,"intent":"x","edits":[{"match":"x","replace":"y"}]"#;
    assert!(accepted(desk.submit(Tx1, &request(plain))).warnings.is_empty(), "stored only when present");
}

/// P-040, P-034, P-035: either guard is one, and both are when both hold.
#[test]
fn one_guard_is_enough() {
    let hash = target("a").current_hash;
    for guard in [
        r#""expected_target_version":3"#.to_owned(),
        format!(r#""expected_current_hash":"{hash}""#),
        format!(r#""expected_target_version":3,"expected_current_hash":"{hash}""#),
        format!(r#""expected_target_version":null,"expected_current_hash":"{hash}""#),
    ] {
        let members = format!(r#"{guard},"intent":"x","replacement":"b""#);
        accepted(decide(&target("a"), Tx3, &request(&members)));
    }
}

/// P-053, PG-12: the limits are inclusive, for what is given and for what comes of it.
#[test]
fn the_limits_are_inclusive() {
    for (text, fits) in [
        ("x".repeat(1_000_000), true),
        ("x".repeat(1_000_001), false),
        ("é".repeat(524_288), true),
        (format!("{}x", "é".repeat(524_288)), false),
        // 1,000,000 when its line ends are one each; what was given counts too.
        (format!("{}\\r\\n", "x".repeat(999_998)), true),
        (format!("{}\\r\\n", "x".repeat(999_999)), false),
    ] {
        let members = format!(r#""expected_target_version":3,"intent":"x","replacement":"{text}""#);
        let whole = decide(&target("a"), Tx3, &request(&members));
        assert_eq!(matches!(whole, crate::submit::Verdict::Accepted(_)), fits, "{}", text.len());
    }
    // An edit is asked what comes of it, and a deletion in a large text is none of it.
    let large = target(&"x".repeat(1_000_000));
    for (start, replace, fits) in [(0, "", true), (0, "y", true), (0, "yy", false), (999_999, "yy", false)] {
        let members = format!(
            r#""expected_target_version":3,"intent":"x","operations":[{{"op":"span","start":{start},"end":{},"expected_text":"x","replace":"{replace}"}}]"#,
            start + 1
        );
        let verdict = decide(&large, Tx2, &request(&members));
        assert_eq!(matches!(verdict, crate::submit::Verdict::Accepted(_)), fits, "{start} {replace}");
    }
}

/// X-02: the endings of the file go along with the lines.
#[test]
fn line_endings_go_along() {
    let (text, source) = Source::read(b"a\r\nb\nc\r\n").unwrap();
    let mut target = target(text.as_str());
    target.endings = Some(source.endings);
    let members = r#""expected_target_version":3,"intent":"x","edits":[{"match":"b\n","replace":""}]"#;
    let state = accepted(decide(&target, Tx1, &request(members))).state;
    assert_eq!(state.endings.as_ref().map(LineEndings::to_string).as_deref(), Some("2C"));
    target.endings = None;
    assert_eq!(accepted(decide(&target, Tx1, &request(members))).state.endings, None);
}
