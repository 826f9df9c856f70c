//! The same request again, another under the same key, and what is known after a fault.

use serde_json::{Value, json};

use crate::ground::{Ground, Trouble};

fn request(id: &str, version: u64, key: &str, text: &str) -> Value {
    json!({"target_file_id": id, "intent": "i", "expected_target_version": version, "client_request_id": key,
        "edits": [{"match": text, "replace": "y"}]})
}

/// P-116, P-097, ambiguity 11: what was recorded comes back, and beside it what is there now.
#[test]
fn an_outcome_is_recovered() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let bad = request(&target.id, 1, "bad", "nope");
    let good = request(&target.id, 1, "good", "x");
    let (rejected, accepted) = (ground.call("submit_edits", &bad), ground.call("submit_edits", &good));
    ground.edit(&target, json!([{"match": "y", "replace": "z\nz"}]));
    let now = ground.now(&target);
    for (request, first) in [(&bad, &rejected), (&good, &accepted)] {
        let again = ground.call("submit_edits", request);
        assert_eq!(again["deduplicated"], true);
        assert_eq!((&again["current_version"], &again["current_hash"]), (&json!(3), &json!(now.hash)));
        for same in [
            "status",
            "pdcp_log_id",
            "before_version",
            "before_hash",
            "version",
            "after_version",
            "after_hash",
            "validity",
            "diagnostic",
            "evidence",
            "failure_reason",
            "failed_change_id",
        ] {
            assert_eq!(again[same], first[same], "{same}");
        }
    }
    let again = ground.call("submit_edits", &bad);
    assert_eq!(again["current_context"]["text"], "z\nz\n");
    assert!(again.get("near_misses").is_none());
    assert_eq!(ground.log(&target).len(), 3);
}

/// P-117, P-118, P-074: another request under a key is an attempt of its own each time, without the key.
#[test]
fn a_key_is_for_one_request() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let first = ground.call("submit_edits", &request(&target.id, 1, "k", "x"));
    let mut ids = vec![first["pdcp_log_id"].clone()];
    for _ in 0..2 {
        let answer = ground.told("rejected", "submit_edits", &request(&target.id, 2, "k", "y"));
        assert_eq!((&answer["failure_reason"], &answer["deduplicated"]), (&json!("context_invalid"), &json!(false)));
        let diagnostic = &answer["diagnostic"];
        assert_eq!(
            (&diagnostic["code"], &diagnostic["existing_pdcp_log_id"]),
            (&json!("request_key_conflict"), &ids[0])
        );
        assert_eq!(diagnostic["submitted_client_request_id"], json!({"text": "k", "truncated": false}));
        assert!(!ids.contains(&answer["pdcp_log_id"]));
        let row = &ground.log(&target)[0];
        assert_eq!((&row["pdcp_log_id"], &row["client_request_id"]), (&answer["pdcp_log_id"], &Value::Null));
        ids.push(answer["pdcp_log_id"].clone());
    }
    let other = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "replacement": "y\n"});
    let answer = ground.told("rejected", "submit_replacement", &other);
    assert_eq!(answer["diagnostic"]["code"], "request_key_conflict");
    assert_eq!(ground.call("submit_edits", &request(&target.id, 1, "k", "x"))["deduplicated"], true);
    assert_eq!(ground.log(&target).len(), 4);
}

/// P-112, P-160: a fault at any call is a refusal, and nothing is half written.
#[test]
fn a_fault_is_never_a_rejection() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let calls = |request: &Value| {
        ground.switches.calls.borrow_mut().clear();
        ground.call("submit_edits", request);
        ground.switches.calls.borrow().clone()
    };
    let accepted = calls(&request(&target.id, 1, "k1", "x"));
    let rejected = calls(&request(&target.id, 2, "k2", "nope"));
    let recovered = calls(&request(&target.id, 2, "k2", "nope"));
    let rows = ground.log(&target);
    let all = [(accepted, "k3", "y"), (rejected, "k4", "nope"), (recovered, "k2", "nope")];
    for (calls, key, text) in all {
        for call in calls {
            ground.fail(call, Trouble::Fails);
            let refusal = ground.within("submit_edits", &request(&target.id, 2, key, text), 49_000).unwrap_err();
            assert_eq!(refusal.code, "storage_failed", "{call}: {refusal:?}");
            assert_eq!(ground.log(&target), rows, "{call}");
            assert_eq!(ground.text(&target), "y\n", "{call}");
        }
    }
    for (tool, arguments, call) in [
        ("initialize_target", json!({"content": "a"}), "create"),
        ("initialize_target", json!({"content": "a"}), "commit"),
        ("read_target", json!({"target_file_id": target.id}), "target"),
        ("read_target", json!({"target_file_id": target.id}), "view"),
        ("list_scopes", json!({"target_file_id": target.id}), "put_scopes"),
        ("get_pdcp_log", json!({"target_file_id": target.id}), "attempts"),
        ("get_pdcp_log", json!({"target_file_id": target.id, "include_content": true}), "attempt"),
        ("get_manifest_ledger", json!({"target_file_id": target.id}), "ledger"),
        ("replay_target", json!({"target_file_id": target.id}), "accepted_after"),
        ("replay_target", json!({"target_file_id": target.id}), "initial_snapshot"),
        ("save", json!({"target_file_id": target.id, "expected_target_version": 2}), "checkpoint"),
    ] {
        ground.fail(call, Trouble::Fails);
        assert_eq!(ground.within(tool, &arguments, 49_000).unwrap_err().code, "storage_failed", "{tool} {call}");
    }
    ground.replays(&target);
}

/// P-112, P-116: after a commit of which nobody knows, the same key tells what became of it.
#[test]
fn an_unknown_outcome_is_found_out_by_its_key() {
    let ground = Ground::new();
    for (trouble, kept) in [(Trouble::UnknownButKept, true), (Trouble::UnknownAndLost, false)] {
        let target = ground.begin("x\n");
        let whole = request(&target.id, 1, "k", "x");
        ground.fail("commit", trouble);
        assert_eq!(ground.within("submit_edits", &whole, 49_000).unwrap_err().code, "outcome_unknown");
        assert_eq!(ground.log(&target).len(), usize::from(kept));
        let again = ground.told("accepted", "submit_edits", &whole);
        assert_eq!((&again["deduplicated"], &again["version"]), (&json!(kept), &json!(2)));
        assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("y\n", 1));
        ground.replays(&target);
    }
}
