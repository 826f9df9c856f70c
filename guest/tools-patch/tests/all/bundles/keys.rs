//! One key for one bundle: the same again, another under it, and what is known in part.

use serde_json::{Value, json};

use super::{TOOL, bundle, edit, keyed, state, statuses, three};
use crate::ground::{Ground, ROOM, Seen, Trouble};

fn alone(mut item: Value, key: &str) -> Value {
    item.as_object_mut().unwrap().extend(json!({"intent": "i", "client_request_id": key}).as_object().unwrap().clone());
    item
}

/// X-04, P-116, P-097: the same bundle again has all its outcomes, in whatever order it is given, and no new row.
#[test]
fn a_bundle_is_recovered() {
    let ground = Ground::new();
    let targets = three(&ground);
    let [one, two, third] = &targets;
    let items = vec![edit(one, "a", "A"), edit(two, "b", "B"), edit(third, "c", "C")];
    let first = ground.told("accepted", TOOL, &keyed("k", items.clone()));
    ground.edit(two, json!([{"match": "B", "replace": "later"}]));
    let before = state(&ground, &targets);
    let again = ground.told("accepted", TOOL, &keyed("k", items.clone()));
    assert_eq!((&again["deduplicated"], &again["validity"]), (&json!(true), &first["validity"]));
    for (again, first) in again["items"].as_array().unwrap().iter().zip(first["items"].as_array().unwrap()) {
        for same in
            ["status", "target_file_id", "pdcp_log_id", "before_hash", "after_hash", "version", "validity", "evidence"]
        {
            assert_eq!(again[same], first[same], "{same}");
        }
    }
    let now = ground.now(two);
    assert_eq!(
        (&again["items"][1]["current_version"], &again["items"][1]["current_hash"]),
        (&json!(3), &json!(now.hash))
    );
    let mut turned = items.clone();
    turned.reverse();
    turned[0]["target_file_id"] = json!(third.id.to_uppercase());
    let other_way = ground.told("accepted", TOOL, &keyed("k", turned));
    assert_eq!(other_way["deduplicated"], true);
    assert_eq!(other_way["items"][0]["pdcp_log_id"], first["items"][2]["pdcp_log_id"]);
    assert_eq!(state(&ground, &targets), before);
    // Without a key it is another one, and about a text that is gone.
    let answer = ground.told("rejected", TOOL, &bundle(items));
    assert_eq!(statuses(&answer), ["rejected"; 3]);
}

/// X-04, P-116, P-082: a rejected bundle again is rejected as before, with no other row, whatever else is known of its key
/// elsewhere by then.
#[test]
fn a_rejection_is_recovered() {
    let ground = Ground::new();
    let targets = three(&ground);
    let [one, two, third] = &targets;
    let items = vec![edit(one, "a", "A"), edit(two, "nope", "B"), edit(third, "nor", "C")];
    let first = ground.told("rejected", TOOL, &keyed("k", items.clone()));
    assert_eq!(statuses(&first), ["not_committed", "rejected", "rejected"]);
    let check = || {
        let before = state(&ground, &targets);
        let again = ground.told("rejected", TOOL, &keyed("k", items.clone()));
        assert_eq!((&again["deduplicated"], statuses(&again)), (&json!(true), statuses(&first)));
        for at in 0..3 {
            for same in ["pdcp_log_id", "failure_reason", "diagnostic", "version"] {
                assert_eq!(again["items"][at][same], first["items"][at][same], "{same}");
            }
            assert_eq!(again["items"][at]["near_misses"], Value::Null);
        }
        assert_eq!((&again["failure_reason"], &again["failed_item"]), (&first["failure_reason"], &json!(1)));
        assert_eq!(state(&ground, &targets), before);
        again
    };
    check();
    // The texts become such that it would apply, and still it does not.
    ground.edit(two, json!([{"match": "b", "replace": "nope"}]));
    assert_eq!(check()["items"][1]["current_context"]["text"], "nope\n");
    // Nothing was stored of the first target, so the key is free there.
    ground.told("accepted", "submit_edits", &alone(edit(one, "a", "A"), "k"));
    assert_eq!(check()["items"][0]["current_version"], 2);
}

/// X-04, P-117, P-118, P-074: under a bundle's key every other one is a conflict, each time, and nothing of it is applied.
#[test]
fn a_key_is_for_one_bundle() {
    let ground = Ground::new();
    let [one, two, third] = three(&ground);
    let items = vec![edit(&one, "a", "A"), edit(&two, "b", "B")];
    let first = ground.told("accepted", TOOL, &keyed("k", items.clone()));
    let targets = [one, two, third].map(|target| ground.now(&target));
    let [one, two, third] = &targets;
    let mut other_intent = keyed("k", items.clone());
    other_intent["intent"] = json!("j");
    let mut other_format = items.clone();
    other_format[1] = super::item(two, "patchdiff-tx/3", json!({"replacement": "B\n"}));
    let others = [
        (keyed("k", vec![items[0].clone(), edit(two, "B", "b")]), 2),
        (keyed("k", vec![edit(one, "A", "a"), edit(two, "B", "b")]), 2),
        (keyed("k", other_format), 2),
        (other_intent, 2),
        // A part of it, more than it, and what it has in common with another.
        (keyed("k", vec![items[1].clone()]), 1),
        (keyed("k", vec![items[0].clone(), items[1].clone(), edit(third, "c", "C")]), 2),
        (keyed("k", vec![edit(third, "nope", "C"), items[0].clone()]), 1),
    ];
    for (request, known) in others {
        for _ in 0..2 {
            let before = state(&ground, &targets);
            let answer = ground.told("rejected", TOOL, &request);
            assert_eq!(
                (&answer["failure_reason"], &answer["deduplicated"]),
                (&json!("context_invalid"), &json!(false))
            );
            let mut conflicts = 0;
            for told in answer["items"].as_array().unwrap() {
                let at = targets.iter().position(|target| told["target_file_id"] == target.id).unwrap();
                let log = ground.log(&targets[at]);
                if at == 2 {
                    assert_eq!((&told["status"], &told["pdcp_log_id"]), (&json!("not_committed"), &Value::Null));
                    assert!(log.is_empty(), "what fails of a conflict beside has no row");
                    continue;
                }
                conflicts += 1;
                let diagnostic = &told["diagnostic"];
                assert_eq!(diagnostic["code"], "request_key_conflict");
                assert_eq!(diagnostic["existing_pdcp_log_id"], first["items"][at]["pdcp_log_id"]);
                assert_eq!(log.len(), before[at].2.len() + 1);
                assert_eq!(
                    (&log[0]["pdcp_log_id"], &log[0]["client_request_id"]),
                    (&told["pdcp_log_id"], &Value::Null)
                );
            }
            assert_eq!(conflicts, known);
            assert!(state(&ground, &targets).iter().zip(&before).all(|(now, before)| now.1 == before.1));
        }
    }
    // An item alone is another request too, and the bundle is still what it was.
    let answer = ground.told("rejected", "submit_edits", &alone(items[0].clone(), "k"));
    assert_eq!(answer["diagnostic"]["code"], "request_key_conflict");
    assert_eq!(ground.told("accepted", TOOL, &keyed("k", items))["deduplicated"], true);
}

/// X-04, P-117: where one target knows the key and another does not, it is a conflict, and never half of a bundle.
#[test]
fn a_key_that_is_known_in_part_is_a_conflict() {
    let ground = Ground::new();
    let targets = three(&ground);
    let [one, two, third] = &targets;
    // The very same submission, by its own tool.
    let known = ground.told("accepted", "submit_edits", &alone(edit(two, "b", "B"), "k"));
    let items = vec![edit(one, "a", "A"), edit(two, "b", "B"), edit(third, "nope", "C")];
    for rows in 2..4 {
        let answer = ground.told("rejected", TOOL, &keyed("k", items.clone()));
        assert_eq!(statuses(&answer), ["not_committed", "rejected", "not_committed"]);
        assert_eq!((&answer["failed_item"], &answer["failure_reason"]), (&json!(1), &json!("context_invalid")));
        assert_eq!(answer["items"][1]["diagnostic"]["existing_pdcp_log_id"], known["pdcp_log_id"]);
        let counts = targets.each_ref().map(|target| ground.log(target).len());
        assert_eq!(counts, [0, rows, 0]);
    }
    assert_eq!(targets.each_ref().map(|target| ground.text(target)), ["a\n", "B\n", "c\n"]);
    assert_eq!(ground.told("accepted", "submit_edits", &alone(edit(two, "b", "B"), "k"))["deduplicated"], true);
}

/// P-039, P-074, P-121: a key that can be none is refused at every target, and stored at none.
#[test]
fn a_malformed_key_is_none() {
    let ground = Ground::new();
    let targets = three(&ground);
    let items = vec![edit(&targets[0], "a", "A"), edit(&targets[1], "b", "B")];
    let answer = ground.told("rejected", TOOL, &keyed("a b", items));
    assert_eq!((statuses(&answer), &answer["failure_reason"]), (vec!["rejected"; 2], &json!("context_invalid")));
    for target in &targets[..2] {
        let log = ground.log(target);
        assert_eq!((log.len(), &log[0]["client_request_id"]), (1, &Value::Null));
        assert_eq!(log[0]["diagnostic"]["code"], "invalid_client_request_id");
    }
}

/// P-112, P-116: after a commit of which nobody knows, the same key tells what became of the whole bundle.
#[test]
fn an_unknown_outcome_is_found_out_by_its_key() {
    let ground = Ground::new();
    for (trouble, kept) in [(Trouble::UnknownButKept, true), (Trouble::UnknownAndLost, false)] {
        for (text, status) in [("b", "accepted"), ("nope", "rejected")] {
            let targets = three(&ground);
            let request = keyed("k", vec![edit(&targets[1], text, "B"), edit(&targets[0], "a", "A")]);
            ground.fail("commit", trouble);
            assert_eq!(ground.within(TOOL, &request, ROOM).unwrap_err().code, "outcome_unknown");
            let rows = || targets.each_ref().map(|target| ground.log(target).len());
            let all = if status == "accepted" { [1, 1, 0] } else { [0, 1, 0] };
            assert_eq!(rows(), if kept { all } else { [0; 3] });
            assert_eq!(ground.told(status, TOOL, &request)["deduplicated"], kept);
            assert_eq!(rows(), all);
            targets.iter().for_each(|target| drop(ground.replays(target)));
        }
    }
}

/// P-112, X-04: a history of which rows were removed is told as damaged, not as a bundle that was half applied.
#[test]
fn a_part_of_a_history_is_no_outcome() {
    let ground = Ground::new();
    let [one, two, _]: [Seen; 3] = three(&ground);
    let request = keyed("k", vec![edit(&one, "a", "A"), edit(&two, "b", "B")]);
    ground.told("accepted", TOOL, &request);
    ground.place.tamper(&format!("DELETE FROM append_only_pdcp_logs WHERE target_file_id = '{}'", two.id));
    let refusal = ground.within(TOOL, &request, ROOM).unwrap_err();
    assert_eq!(refusal.code, "storage_failed", "{refusal:?}");
    assert_eq!(ground.log(&one).len(), 1);
}
