//! What is no bundle, or is about targets that are none: nothing is stored of it anywhere.

use serde_json::{Value, json};

use super::{TOOL, bundle, edit, item, keyed, three};
use crate::ground::{Ground, Seen};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

fn told(ground: &Ground, request: &Value, reason: &str, at: Value) {
    ground.switches.calls.borrow_mut().clear();
    let answer = ground.told("rejected", TOOL, request);
    assert_eq!((&answer["failure_reason"], &answer["failed_item"]), (&json!(reason), &at), "{request}: {answer}");
    assert_eq!((&answer["pdcp_log_id"], &answer["deduplicated"]), (&Value::Null, &json!(false)));
    assert_eq!(answer["current_context"]["source"], "unavailable");
    assert_eq!(answer["diagnostic"]["failure_context"]["source"], "unavailable");
    assert_eq!(answer["diagnostic"]["requires_new_submission"], true);
    let protocol_valid = if reason == "manifest_invalid" { json!(false) } else { Value::Null };
    assert_eq!((&answer["validity"]["protocol_valid"], answer.get("items")), (&protocol_valid, None));
    assert!(!ground.switches.calls.borrow().iter().any(|call| ["append", "commit"].contains(call)));
}

/// P-075, P-080, P-066, X-04: what is no bundle is refused before anything is looked at.
#[test]
fn what_is_no_bundle_has_no_row() {
    let ground = Ground::new();
    let [one, two, _] = three(&ground);
    let good = || edit(&one, "a", "A");
    let with = |name: &str, value: Value| {
        let mut changed = edit(&two, "b", "B");
        changed[name] = value;
        bundle(vec![good(), changed])
    };
    let many: Vec<Seen> = (0..17).map(|_| ground.begin("a")).collect();
    let many = bundle(many.iter().map(|target| edit(target, "a", "A")).collect());
    let mut twice = edit(&one, "b", "B");
    twice["target_file_id"] = json!(one.id.to_uppercase());
    let none = Value::Null;
    let wrong = [
        (json!({"intent": "i"}), none.clone()),
        (json!({"intent": "i", "items": null}), none.clone()),
        (json!({"intent": "i", "items": {}}), none.clone()),
        (json!({"intent": "i", "items": []}), none.clone()),
        (many, none.clone()),
        (json!({"intent": "i", "items": [good()], "expected_target_version": 1}), none.clone()),
        (json!({"intent": "i", "items": [good()], "attempt": 1}), none),
        (json!({"intent": "i", "items": [good(), 7]}), json!(1)),
        (with("format", Value::Null), json!(1)),
        (with("format", json!("patchdiff-tx/4")), json!(1)),
        (with("format", json!(1)), json!(1)),
        (with("intent", json!("i")), json!(1)),
        (with("source", json!("s")), json!(1)),
        (with("client_request_id", Value::Null), json!(1)),
        (with("correlation_id", json!("c")), json!(1)),
        (bundle(vec![edit(&two, "b", "B"), good(), twice]), json!(2)),
    ];
    for (request, at) in wrong {
        told(&ground, &request, "manifest_invalid", at);
        assert!(ground.switches.calls.borrow().is_empty(), "{request}");
    }
    assert!(ground.log(&one).is_empty() && ground.log(&two).is_empty());
}

/// P-075, P-076, P-077, P-080, X-09: one target that is none refuses the whole bundle, and no other is touched; nor is the key
/// used up.
#[test]
fn a_target_that_is_none_refuses_all() {
    let ground = Ground::new();
    let [one, two, _] = three(&ground);
    ground.become_owner("another");
    let anothers = ground.begin("x\n");
    ground.become_owner("");
    let beside = |id: Value, at: usize| {
        let mut item = edit(&two, "b", "B");
        item["target_file_id"] = id;
        let mut items = vec![edit(&one, "a", "A")];
        items.insert(at, item);
        keyed("k", items)
    };
    for at in [0, 1] {
        for id in [json!("nope"), json!(7), Value::Null] {
            told(&ground, &beside(id, at), "context_invalid", json!(at));
        }
        for id in [NOBODY, anothers.id.as_str()] {
            told(&ground, &beside(json!(id), at), "target_not_found", json!(at));
        }
    }
    assert_eq!((ground.log(&one).len(), ground.text(&one).as_str()), (0, "a\n"));
    ground.become_owner("another");
    assert!(ground.log(&anothers).is_empty());
    ground.become_owner("");
    let answer = ground.told("accepted", TOOL, &keyed("k", vec![edit(&one, "a", "A"), edit(&two, "b", "B")]));
    assert_eq!(answer["deduplicated"], false);
}

/// PG-28, X-04: an observed batch is of its own target's snapshot, in a bundle as elsewhere.
#[test]
fn scopes_are_of_the_items_target() {
    let ground = Ground::new();
    let [one, two, _] = three(&ground);
    let listed = ground.told("ok", "list_scopes", &json!({"target_file_id": one.id}));
    let ids = json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [listed["scopes"][0]["scope_id"]]});
    let observed = ground.told("ok", "observe_scopes", &ids);
    let scope = &observed["scopes"][0];
    let groups = json!([{"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"],
        "operations": [{"op": "match", "match": "a", "replace": "A"}]}]);
    let batch = json!({"snapshot_id": observed["snapshot_id"], "groups": groups});
    let of_another = item(&two, "patchdiff-observed-batch/1", batch.clone());
    let answer = ground.told("rejected", TOOL, &bundle(vec![of_another, edit(&one, "a", "b")]));
    assert_eq!((&answer["failure_reason"], ground.text(&one).as_str()), (&json!("scope_unknown"), "a\n"));
    let own = item(&one, "patchdiff-observed-batch/1", batch);
    ground.told("accepted", TOOL, &bundle(vec![edit(&two, "b", "B"), own]));
    assert_eq!((ground.text(&one).as_str(), ground.text(&two).as_str()), ("A\n", "B\n"));
}
