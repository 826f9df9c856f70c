//! What each profile takes that another does not.

use super::history::{History, ID};
use crate::{Profile, Protocol, Sha256Hex, json};

const TX1: [&str; 4] = ["patchdiff-mvp-0.1.0", "patchdiff-mvp-0.2.0", "patchdiff-mvp-0.2.1", "patchdiff-mvp-0.2.2"];

/// A history of one row, and whether it replays to `after`.
fn replays(protocol: &str, runtime: Option<&str>, before: &str, members: &str, after: &str) -> bool {
    let mut history = History::of(before, 0);
    let content = format!(r#"{{"intent":"x",{members}}}"#);
    history.push(&Profile::current(Protocol::Tx1, false), &content, after);
    history.rows[0].protocol_version = protocol.to_owned();
    history.rows[0].runtime_version = runtime.map(str::to_owned);
    match history.checks() {
        Ok(checks) => {
            assert!(checks.all());
            true
        }
        Err(broken) => {
            assert_eq!((broken.pdcp_log_id.as_deref(), broken.version), (Some("log-0"), 0));
            false
        }
    }
}

/// P-127, P-129, P-131, PG-08, PG-27: overlaps, selectors of the only occurrence, and change ids, by the profile that wrote
/// the row.
#[test]
fn old_rows_keep_their_rules() {
    let id = |id: &str| format!(r#""edits":[{{"match":"a","replace":"b","change_id":{id}}}]"#);
    let selected = |more: &str| format!(r#""edits":[{{"match":"a","replace":"b",{more}}}]"#);
    let longest = format!("{:?}", "é".repeat(255));
    let longer = format!("{:?}", "é".repeat(256));
    for (before, members, after, taken) in [
        // One occurrence where they may not overlap, two where they may.
        ("aaa", r#""edits":[{"match":"aa","replace":"b"}]"#.to_owned(), "ba", [true, false, false, false]),
        // The second is another one.
        (
            "aaaa",
            r#""edits":[{"match":"aa","replace":"b","occurrence_index":2}]"#.to_owned(),
            "aab",
            [true, false, false, false],
        ),
        (
            "aaaa",
            r#""edits":[{"match":"aa","replace":"b","occurrence_index":2}]"#.to_owned(),
            "aba",
            [false, true, true, true],
        ),
        (
            "aaaa",
            r#""edits":[{"match":"aa","replace":"b","occurrence_index":3}]"#.to_owned(),
            "aab",
            [false, true, true, true],
        ),
        ("a", selected(r#""occurrence_index":2"#), "b", [true, true, true, false]),
        ("a", selected(r#""anchor_after":"x""#), "b", [true, true, true, false]),
        ("a", selected(r#""occurrence_index":1"#), "b", [true, true, true, true]),
        // Of several, they are asked by all.
        ("a a", selected(r#""occurrence_index":3"#), "b", [false; 4]),
        ("a", id(r#""A.b_c:d-9""#), "b", [true, true, true, true]),
        ("a", id(r#"" a\n""#), "b", [true, true, false, false]),
        ("a", id(&longest), "b", [true, true, false, false]),
        ("a", id(&longer), "b", [false; 4]),
        ("a", id(r#""""#), "b", [false; 4]),
        ("a", id("7"), "b", [false; 4]),
        ("a", id("null"), "b", [true, true, true, true]),
    ] {
        for (runtime, taken) in TX1.into_iter().zip(taken) {
            let is_taken = replays("patchdiff-tx/1", Some(runtime), before, &members, after);
            assert_eq!(is_taken, taken, "{runtime}: {before} {members}");
        }
    }
}

/// P-126, P-127, P-130, ambiguity 5 and ambiguity 6: each record under its own runtimes and no other, whatever
/// they could do.
#[test]
fn runtimes_are_not_interchangeable() {
    let plain = r#""operations":[{"op":"match","match":"a","replace":"b"}]"#;
    let context = r#""operations":[{"op":"span","start":0,"end":1,"expected_text":"a","expected_before":null,"expected_after":" ","replace":"b"}]"#;
    let nothing =
        r#""operations":[{"op":"span","start":0,"end":1,"expected_text":"a","expected_before":null,"replace":"b"}]"#;
    let runtimes = ["0.1.0", "0.2.0", "0.2.1", "0.2.2", "0.3.0", "0.4.0", "0.5.0", "0.6.0"];
    let own = [
        ("patchdiff-tx/1", r#""edits":[{"match":"a","replace":"b"}]"#, &["0.1.0", "0.2.0", "0.2.1", "0.2.2"][..]),
        ("patchdiff-tx/2", plain, &["0.3.0", "0.5.0"]),
        ("patchdiff-tx/2", nothing, &["0.3.0", "0.5.0"]),
        ("patchdiff-tx/2", context, &["0.5.0"]),
        ("patchdiff-tx/3", r#""replacement":"b ""#, &["0.4.0"]),
        ("patchdiff-tx/4", r#""edits":[{"match":"a","replace":"b"}]"#, &[]),
        ("", r#""edits":[{"match":"a","replace":"b"}]"#, &[]),
    ];
    for (protocol, members, taken) in own {
        for runtime in runtimes {
            let name = format!("patchdiff-mvp-{runtime}");
            let is_taken = replays(protocol, Some(&name), "a ", members, "b ");
            assert_eq!(is_taken, taken.contains(&runtime), "{protocol} {runtime}: {members}");
        }
        for runtime in
            [None, Some(""), Some("0.2.2"), Some("patchdiff-mvp-0.2.2 "), Some("patchdiff-observed-batch-r1")]
        {
            assert!(!replays(protocol, runtime, "a ", members, "b "), "{protocol} {runtime:?}");
        }
    }
    // A record of another format than the row's.
    assert!(!replays("patchdiff-tx/1", Some("patchdiff-mvp-0.2.2"), "a ", plain, "b "));
    assert!(!replays("patchdiff-tx/3", Some("patchdiff-mvp-0.4.0"), "a ", plain, "b "));
}

/// P-141, P-054: neither the limits of today nor the guards of a record are asked of history.
#[test]
fn history_is_not_asked_todays_questions() {
    let large = "x".repeat(1_048_577);
    let members = format!(r#""replacement":"{large}","expected_target_version":77,"attempt":0"#);
    assert!(replays("patchdiff-tx/3", Some("patchdiff-mvp-0.4.0"), "", &members, &large));
    let source = format!(r#""source":7,"edits":[{{"match":"a","replace":"{large}"}}]"#);
    assert!(replays("patchdiff-tx/1", Some("patchdiff-mvp-0.2.2"), "a", &source, &large));
}

/// P-105: evidence is applied by nothing, even in a row that says it was accepted.
#[test]
fn evidence_is_not_replayed() {
    let original = json::read(&format!(
        r#"{{"target_file_id":"{ID}","intent":"x","edits":[{{"match":"a","replace":"b"}}],"source":"\ud800"}}"#
    ));
    let envelope = json::envelope(&original.unwrap());
    for profile in Profile::ALL {
        let mut history = History::of("a", 0);
        history.push(&profile, &envelope, "b");
        assert_eq!(history.rows[0].pdcp_content_hash, Sha256Hex::of(&envelope).as_str());
        assert!(history.checks().is_err(), "{}", profile.runtime);
    }
}
