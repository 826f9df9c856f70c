//! Many writers on one document, each over connections of its own.

use std::{sync::Arc, thread};

use serde_json::{Value, json};

use crate::{
    ground::{Ground, Seen},
    place::Place,
};

/// How many write at once, and how many edits each of them makes.
const WRITERS: usize = 32;
const EDITS: usize = 4;

fn token(writer: usize, edit: usize) -> String {
    format!("<{writer}.{edit}>")
}

/// Inserts a line until it is accepted, on what was read anew each time. The version that it came to.
fn insert(ground: &Ground, target: &Seen, line: &str) -> u64 {
    loop {
        let now = ground.now(target);
        let request = json!({"target_file_id": target.id, "intent": line,
            "expected_target_version": now.version, "expected_current_hash": now.hash,
            "edits": [{"match": "end", "replace": format!("{line}\nend")}]});
        let answer = ground.call("submit_edits", &request);
        if answer["status"] == "accepted" {
            assert_eq!((&answer["before_version"], &answer["before_hash"]), (&json!(now.version), &json!(now.hash)));
            return answer["version"].as_u64().expect("a version");
        }
        assert_eq!(answer["failure_reason"], "target_version_mismatch", "{answer}");
        assert!(answer["current_version"].as_u64() > Some(now.version), "another was accepted: {answer}");
    }
}

/// P-122, P-139, P-140, P-160, E-22: each accepted version is one more than the one before, the text has every accepted
/// line exactly once, history is one chain, and it replays to the text.
#[test]
fn no_update_of_many_writers_is_lost() {
    let place = Place::new();
    let ground = Ground::at(&place);
    let target = ground.begin("end\n");
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (place, target) = (Arc::clone(&place), target.clone());
            thread::spawn(move || {
                let ground = Ground::at(&place);
                let versions: Vec<u64> =
                    (0..EDITS).map(|edit| insert(&ground, &target, &token(writer, edit))).collect();
                assert!(versions.is_sorted());
                versions
            })
        })
        .collect();
    let mut versions: Vec<u64> =
        writers.into_iter().flat_map(|writer| writer.join().expect("it did not fail")).collect();
    versions.sort_unstable();
    let last = 1 + (WRITERS * EDITS) as u64;
    assert_eq!(versions, (2..=last).collect::<Vec<_>>());

    let text = ground.text(&target);
    for (writer, edit) in (0..WRITERS).flat_map(|writer| (0..EDITS).map(move |edit| (writer, edit))) {
        assert_eq!(text.matches(&token(writer, edit)).count(), 1, "{writer}.{edit}");
    }
    assert_eq!(text.lines().count(), WRITERS * EDITS + 1);
    let accepted = accepted(&ground, &target);
    assert_eq!(accepted.len(), WRITERS * EDITS);
    for pair in accepted.windows(2) {
        assert_eq!(
            (&pair[0]["before_version"], &pair[0]["before_hash"]),
            (&pair[1]["after_version"], &pair[1]["after_hash"])
        );
    }
    let replayed = ground.replays(&target);
    assert_eq!(replayed["replayed_version"], last);
}

/// What was accepted, newest first.
fn accepted(ground: &Ground, target: &Seen) -> Vec<Value> {
    let (mut rows, mut before) = (Vec::new(), Value::Null);
    loop {
        let asked = json!({"target_file_id": target.id, "status": "accepted", "before_sequence": before});
        let page = ground.told("ok", "get_pdcp_log", &asked);
        rows.extend(page["entries"].as_array().expect("an array").iter().cloned());
        before = page["next_sequence"].clone();
        if before.is_null() {
            return rows;
        }
    }
}

/// P-115, P-116, E-26: one request, sent by many at once, is applied once, and all are told the same.
#[test]
fn one_request_of_many_senders_is_applied_once() {
    let place = Place::new();
    let ground = Ground::at(&place);
    let target = ground.begin("end\n");
    let senders: Vec<_> = (0..8)
        .map(|_| {
            let (place, target) = (Arc::clone(&place), target.clone());
            thread::spawn(move || {
                let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
                    "client_request_id": "k", "edits": [{"match": "end", "replace": "one\nend"}]});
                let answer = Ground::at(&place).told("accepted", "submit_edits", &request);
                (answer["deduplicated"] == false, answer["pdcp_log_id"].clone())
            })
        })
        .collect();
    let told: Vec<_> = senders.into_iter().map(|sender| sender.join().expect("it did not fail")).collect();
    assert_eq!(told.iter().filter(|(is_first, _)| *is_first).count(), 1);
    assert!(told.iter().all(|(_, id)| *id == told[0].1));
    assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("one\nend\n", 1));
}
