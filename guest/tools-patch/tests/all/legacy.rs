//! Rows that older runtimes wrote, put into the database from outside: they replay by their own rules, keep their keys, and
//! are never written anew.

use serde_json::{Value, json};

use crate::{
    ground::{Ground, ROOM},
    past::{Past, Row, digest, sha256},
};

const TX1: &str = "patchdiff-tx/1";

fn edits(edits: &str) -> String {
    format!(r#"{{"edits":[{edits}],"intent":"old"}}"#)
}

/// P-126, P-127, P-128, P-129, P-131, PG-27, X-03, X-11: a history of all runtimes that there were replays, goes on with today's,
/// has every record as it was, and gives each of its versions back.
#[test]
fn a_history_of_every_runtime_replays() {
    let ground = Ground::new();
    let mut past = Past::of(&ground, "aaa b\n");
    let operations = |operations: &str| format!(r#"{{"operations":[{operations}],"intent":"old"}}"#);
    let rows = [
        // Occurrences do not overlap, so there is one; and an id is any text.
        (TX1, "0.1.0", edits(r#"{"match":"aa","replace":"X","change_id":" old id\n"}"#), "Xa b\n"),
        (TX1, "0.2.0", edits("{\"match\":\"Xa\",\"replace\":\"aaa\",\"change_id\":\"änderung №1\"}"), "aaa b\n"),
        // They overlap, so there are two.
        (TX1, "0.2.0", edits(r#"{"match":"aa","replace":"Z","occurrence_index":2}"#), "aZ b\n"),
        // Of the only occurrence no selector is asked.
        (TX1, "0.2.1", edits(r#"{"match":"Z","replace":"Y","occurrence_index":9,"change_id":"s:1"}"#), "aY b\n"),
        (TX1, "0.2.2", edits(r#"{"match":"Y","replace":"W","occurrence_index":1}"#), "aW b\n"),
        (
            "patchdiff-tx/2",
            "0.3.0",
            operations(r#"{"op":"span","start":0,"end":1,"expected_text":"a","replace":"A"}"#),
            "AW b\n",
        ),
        (
            "patchdiff-tx/2",
            "0.5.0",
            operations(r#"{"op":"span","start":1,"end":2,"expected_text":"W","replace":"","expected_before":"A"}"#),
            "A b\n",
        ),
        ("patchdiff-tx/3", "0.4.0", r#"{"replacement":"end\r\n","intent":"old"}"#.to_owned(), "end\n"),
    ];
    let mut texts = vec!["aaa b\n"];
    for (protocol, version, content, after) in &rows {
        let runtime = format!("patchdiff-mvp-{version}");
        past.accepted(&Row { protocol, runtime: Some(&runtime), content, keyed: None }, after);
        texts.push(after);
    }
    let target = past.seen();
    assert_eq!(ground.replays(&target)["replayed_transactions"], rows.len());
    let before = digest(&ground);
    ground.replays(&target);
    assert_eq!(digest(&ground), before, "a replay writes nothing");

    let answer = ground.edit(&target, json!([{"match": "end", "replace": "new"}]));
    assert_eq!(answer["status"], "accepted", "{answer}");
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    let log = page["entries"].as_array().unwrap();
    assert_eq!((&log[0]["runtime_version"], log.len()), (&json!("patchdiff-mvp-0.2.2"), rows.len() + 1));
    for (row, (protocol, version, content, after)) in log.iter().rev().zip(&rows) {
        assert_eq!((&row["pdcp_content"], &row["protocol_version"]), (&json!(content), &json!(protocol)));
        assert_eq!(row["runtime_version"], format!("patchdiff-mvp-{version}"));
        assert_eq!(row["after_hash"], sha256(after));
    }
    // X-03: to each version, the first and the one before the last among them.
    texts.push("new\n");
    for (version, text) in (1..).zip(&texts) {
        let now = ground.now(&target).version;
        let request = json!({"target_file_id": target.id, "to_version": version, "expected_target_version": now});
        let answer = ground.told("accepted", "restore_target", &request);
        assert_eq!((answer["version"].as_u64(), ground.text(&target).as_str()), (Some(now + 1), *text), "{version}");
        assert_eq!(answer["after_hash"], sha256(text));
    }
    assert_eq!(ground.replays(&target)["replayed_transactions"], rows.len() + 1 + texts.len());
}

/// P-129, P-127, PG-27: what one runtime took, the next one does not; the row is named.
#[test]
fn a_row_is_read_by_its_own_runtime() {
    for (content, after, taken) in [
        (edits(r#"{"match":"aa","replace":"X"}"#), "Xa", ["0.1.0"].as_slice()),
        (edits(r#"{"match":"aa","replace":"X","occurrence_index":2}"#), "aX", &["0.2.0", "0.2.1", "0.2.2"]),
        (edits(r#"{"match":"aaa","replace":"X","change_id":"a\n"}"#), "X", &["0.1.0", "0.2.0"]),
        (edits(r#"{"match":"aaa","replace":"X","anchor_before":"no"}"#), "X", &["0.1.0", "0.2.0", "0.2.1"]),
    ] {
        for version in ["0.1.0", "0.2.0", "0.2.1", "0.2.2"] {
            let ground = Ground::new();
            let mut past = Past::of(&ground, "aaa");
            let runtime = format!("patchdiff-mvp-{version}");
            let row = Row { protocol: TX1, runtime: Some(&runtime), content: &content, keyed: None };
            let id = past.accepted(&row, after);
            let replayed = past.replayed();
            if taken.contains(&version) {
                assert_eq!(replayed["status"], "success", "{version} {content}");
            } else {
                assert_eq!(
                    (&replayed["status"], &replayed["pdcp_log_id"]),
                    (&json!("failed"), &json!(id)),
                    "{version}"
                );
            }
        }
    }
}

/// P-126, P-130, ambiguity 5, ambiguity 6: every other pair of protocol and runtime, and none, breaks history at its row; what
/// was before it can be brought back, what is behind it cannot, and editing goes on.
#[test]
fn an_unknown_runtime_breaks_history_at_its_row() {
    let plain = edits(r#"{"match":"a","replace":"b"}"#);
    let replacement = r#"{"replacement":"b","intent":"x"}"#;
    let operations = r#"{"operations":[{"op":"match","match":"a","replace":"b"}],"intent":"x"}"#;
    for (protocol, runtime, content) in [
        (TX1, None, plain.as_str()),
        (TX1, Some(""), &plain),
        (TX1, Some("patchdiff-mvp-0.2.3"), &plain),
        (TX1, Some("patchdiff-mvp-0.2.2\n"), &plain),
        (TX1, Some("patchdiff-mvp-0.3.0"), &plain),
        (TX1, Some("patchdiff-mvp-0.4.0"), &plain),
        (TX1, Some("patchdiff-mvp-0.5.0"), &plain),
        ("patchdiff-tx/2", Some("patchdiff-mvp-0.2.2"), operations),
        ("patchdiff-tx/2", Some("patchdiff-mvp-0.4.0"), operations),
        ("patchdiff-tx/2", Some("patchdiff-observed-batch-r1"), operations),
        ("patchdiff-tx/3", Some("patchdiff-mvp-0.3.0"), replacement),
        ("patchdiff-tx/3", Some("patchdiff-mvp-0.5.0"), replacement),
        ("patchdiff-tx/4", Some("patchdiff-mvp-0.4.0"), replacement),
        ("patchdiff-observed-batch/1", Some("patchdiff-mvp-0.5.0"), operations),
        ("patchdiff-observed-batch/1", Some("patchdiff-observed-batch-r1"), operations),
    ] {
        let ground = Ground::new();
        let mut past = Past::of(&ground, "a");
        past.accepted(
            &Row {
                protocol: "patchdiff-tx/3",
                runtime: Some("patchdiff-mvp-0.4.0"),
                content: r#"{"replacement":"a","intent":"x"}"#,
                keyed: None,
            },
            "a",
        );
        let id = past.accepted(&Row { protocol, runtime, content, keyed: None }, "b");
        let what = format!("{protocol} {runtime:?}");
        let failed = |replayed: &Value| {
            assert_eq!(
                (
                    &replayed["status"],
                    &replayed["failure_reason"],
                    &replayed["pdcp_log_id"],
                    &replayed["replayed_version"]
                ),
                (&json!("failed"), &json!("replay_protocol_invalid"), &json!(id), &json!(2)),
                "{what}: {replayed}"
            );
        };
        failed(&past.replayed());
        let target = past.seen();
        assert_eq!(ground.edit(&target, json!([{"match": "b", "replace": "c"}]))["status"], "accepted");
        failed(&past.replayed());
        let back = |version: u64| {
            let request = json!({"target_file_id": target.id, "to_version": version, "expected_target_version": 4});
            ground.call("restore_target", &request)
        };
        failed(&back(3));
        assert_eq!(ground.text(&target), "c", "{what}");
        assert_eq!(back(2)["status"], "accepted");
        assert_eq!(ground.text(&target), "a");
    }
}

/// The fingerprint that the contract gives this record of this target (P-114).
fn fingerprint(id: &str, content: &str) -> String {
    sha256(&format!(
        r#"{{"expected_current_hash":null,"expected_target_version":1,"parent_pdcp_log_id":null,"pdcp_content_hash":"{}","protocol_version":"patchdiff-tx/1","target_file_id":"{id}"}}"#,
        sha256(content)
    ))
}

/// P-110, P-114, P-116, P-121, P-178, P-059: keys that no new request may have recover and conflict as they are, and pages are
/// filtered by them; nothing of them is trimmed, and a new row under one of them there is none.
#[test]
fn keys_of_history_recover_as_they_stand() {
    let longest = "é".repeat(255);
    for key in ["old key\n", " k ", "ключ", "a\tb", "\u{7f}", "é\r\n", &longest] {
        let ground = Ground::new();
        let mut past = Past::of(&ground, "a\n");
        let content = |to: &str| {
            format!(
                r#"{{"edits":[{{"match":"x","replace":"{to}"}}],"expected_target_version":1,"format":"patchdiff-tx/1","intent":"i","target_file_id":"{}"}}"#,
                past.id
            )
        };
        let (content, other) = (content("y"), content("z"));
        let print = fingerprint(&past.id, &content);
        let row =
            Row { protocol: TX1, runtime: Some("patchdiff-mvp-0.1.0"), content: &content, keyed: Some((key, &print)) };
        let id = past.rejected(&row, "match_absent");
        let request = |content: &str, key: &str| {
            let mut request: Value = serde_json::from_str(content).unwrap();
            request["client_request_id"] = json!(key);
            request
        };
        let rows = || ground.log(&past.seen()).len();
        let recovered = ground.told("rejected", "submit_edits", &request(&content, key));
        assert_eq!((&recovered["deduplicated"], &recovered["pdcp_log_id"]), (&json!(true), &json!(id)), "{key:?}");
        assert_eq!((&recovered["failure_reason"], rows()), (&json!("match_absent"), 1));
        let conflict = ground.told("rejected", "submit_edits", &request(&other, key));
        assert_eq!(conflict["diagnostic"]["code"], "request_key_conflict", "{key:?}: {conflict}");
        assert_eq!((&conflict["diagnostic"]["existing_pdcp_log_id"], rows()), (&json!(id), 2));
        // One that is like it is another, and none.
        for like in [key.trim().to_owned() + "\u{b}", format!("{key}\n"), key.replace('\n', "\r\n") + " "] {
            let fresh = ground.told("rejected", "submit_edits", &request(&content, &like));
            assert_eq!(fresh["diagnostic"]["code"], "invalid_client_request_id", "{like:?}");
        }
        let found = |key: &str| {
            let page = ground.call("get_pdcp_log", &json!({"target_file_id": past.id, "client_request_id": key}));
            page["entries"].as_array().unwrap().iter().map(|row| row["pdcp_log_id"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(found(key), [json!(id)], "{key:?}");
        assert_eq!(found(&format!("{key} ")), [json!(null); 0]);
        assert_eq!(found(&format!(" {key}")), [json!(null); 0]);
    }
}

/// P-110, P-105, P-107: an outcome of a request with NUL, of before such texts were refused, is found by the fingerprint that it
/// had. Nothing is admitted by it: without the key, or with another text, the request is refused as of today.
#[test]
fn an_outcome_of_a_request_with_nul_is_recovered() {
    let ground = Ground::new();
    let mut past = Past::of(&ground, "a\n");
    let content = format!(
        r#"{{"edits":[{{"match":"x\u0000","replace":"y"}}],"expected_target_version":1,"format":"patchdiff-tx/1","intent":"i","target_file_id":"{}"}}"#,
        past.id
    );
    let print = fingerprint(&past.id, &content);
    let row =
        Row { protocol: TX1, runtime: Some("patchdiff-mvp-0.2.1"), content: &content, keyed: Some(("k", &print)) };
    let id = past.rejected(&row, "match_absent");
    let before = digest(&ground);
    let request = |more: &str| {
        let given = format!(
            r#"{{"target_file_id":"{}","intent":"i","expected_target_version":1,"edits":[{{"match":"x\u0000","replace":"y"}}]{more}}}"#,
            past.id
        );
        ground.raw("submit_edits", &given, ROOM).unwrap()
    };
    let recovered = request(r#","client_request_id":"k""#);
    assert_eq!((&recovered["deduplicated"], &recovered["pdcp_log_id"]), (&json!(true), &json!(id)), "{recovered}");
    assert_eq!(digest(&ground), before, "nothing is written");
    assert_eq!(request("")["failure_reason"], "target_encoding_invalid");
    assert_eq!(request(r#","client_request_id":"k2""#)["failure_reason"], "target_encoding_invalid");
    let conflict = request(r#","client_request_id":"k","source":"other""#);
    assert_eq!(conflict["diagnostic"]["code"], "request_key_conflict");
    assert_eq!(conflict["diagnostic"]["invalid_input"]["count"], 1);
    assert_eq!(ground.text(&past.seen()), "a\n");
}
