//! Submissions in every format, end to end: what is answered, what is stored, and what the text is then.

use serde_json::{Value, json};

use crate::ground::{Ground, ROOM, Seen, seen};

const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// A request about the target as it was seen.
fn request(target: &Seen, more: Value) -> Value {
    let mut request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": target.version});
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

fn edits(target: &Seen, edits: Value) -> Value {
    request(target, json!({"edits": edits}))
}

fn edit(text: &str, replace: &str) -> Value {
    json!([{"match": text, "replace": replace}])
}

/// A rejection, and its row as history has it (P-072, P-082, P-083, P-088).
fn rejected(ground: &Ground, tool: &str, request: &Value, reason: &str, stage: &str) -> Value {
    let before = ground.log(&target_of(request)).len();
    let answer = ground.told("rejected", tool, request);
    assert_eq!(answer["failure_reason"], reason, "{answer}");
    let validity = match stage {
        "PRECONDITION_GUARD" => (Value::Null, Value::Null),
        "PROTOCOL_VALIDATION" => (json!(false), Value::Null),
        "TRANSACTION_APPLICABILITY" => (json!(true), json!(false)),
        other => panic!("{other}"),
    };
    let told = &answer["validity"];
    assert_eq!((&told["protocol_valid"], &told["transaction_valid"]), (&validity.0, &validity.1), "{answer}");
    assert_eq!((&told["task_correct"], &told["semantic"]), (&json!("not_evaluated"), &json!("not_evaluated")));
    assert!(answer["current_context"]["text"].as_str().unwrap().chars().count() <= 256);
    let diagnostic = &answer["diagnostic"];
    assert_eq!(
        (&diagnostic["validation_stage"], &diagnostic["requires_new_submission"]),
        (&json!(stage), &json!(true))
    );
    assert!(diagnostic["retryable"].is_boolean() && diagnostic["format"].is_string());
    let log = ground.log(&target_of(request));
    assert_eq!(log.len(), before + 1);
    let row = &log[0];
    assert_eq!((&row["pdcp_log_id"], &row["status"]), (&answer["pdcp_log_id"], &json!("rejected")));
    assert_eq!((&row["diagnostic"], &row["failure_reason"]), (diagnostic, &json!(reason)));
    assert_eq!((&row["after_version"], &row["after_hash"]), (&Value::Null, &Value::Null));
    assert_eq!(row["validation_stage"], stage);
    answer
}

fn target_of(request: &Value) -> Seen {
    let id = request["target_file_id"].as_str().unwrap().to_owned();
    Seen { id, version: 0, hash: String::new() }
}

/// P-021, P-032, P-083, P-128, P-059, P-060: tx/1 is applied, stored and told.
#[test]
fn edits_are_applied_in_order() {
    let ground = Ground::new();
    let target = ground.begin("alpha\nbeta\n");
    let two = json!([{"match": "alpha", "replace": "gamma"}, {"match": "gamma\n", "replace": "g\n", "risk": "low"}]);
    let answer = ground.told("accepted", "submit_edits", &edits(&target, two));
    assert_eq!(
        (&answer["before_version"], &answer["version"], &answer["after_version"]),
        (&json!(1), &json!(2), &json!(2))
    );
    assert_eq!((&answer["before_hash"], &answer["after_hash"]), (&json!(target.hash), &answer["current_hash"]));
    assert_eq!((&answer["deduplicated"], &answer["validity"]["transaction_valid"]), (&json!(false), &json!(true)));
    let changes = answer["evidence"]["changes"].as_array().unwrap();
    assert_eq!((&changes[0]["change_id"], &changes[1]["span_end"]), (&json!("chg_001"), &json!(6)));
    assert_eq!(ground.text(&target), "g\nbeta\n");
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    let row = &page["entries"][0];
    assert_eq!(
        (&row["protocol_version"], &row["runtime_version"]),
        (&json!("patchdiff-tx/1"), &json!("patchdiff-mvp-0.2.2"))
    );
    assert!(row["pdcp_content"].as_str().unwrap().contains(r#""match":"alpha""#));
    ground.replays(&target);
}

/// P-049, P-050, P-051, P-052, P-142, E-18, E-39: the three other formats.
#[test]
fn every_format_is_applied() {
    let ground = Ground::new();
    let target = ground.begin("hello\nworld");
    let insert = json!({"operations": [{"op": "span", "start": 11, "end": 11, "expected_text": "", "replace": "\ntail", "expected_before": "ld"}]});
    let answer = ground.told("accepted", "submit_operations", &request(&target, insert));
    assert_eq!(ground.text(&target), "hello\nworld\ntail");
    assert_eq!(ground.log(&target)[0]["runtime_version"], "patchdiff-mvp-0.5.0");
    let replace = request(&ground.now(&target), json!({"replacement": "one\n\ntwo\n"}));
    ground.told("accepted", "submit_replacement", &replace);
    assert_eq!(
        (ground.text(&target).as_str(), ground.log(&target)[0]["runtime_version"].as_str()),
        ("one\n\ntwo\n", Some("patchdiff-mvp-0.4.0"))
    );
    let ids = json!({"target_file_id": target.id, "kinds": ["paragraph"]});
    let listed = ground.told("ok", "list_scopes", &ids);
    let id = &listed["scopes"][1]["scope_id"];
    let observed =
        ground.told("ok", "observe_scopes", &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [id]}));
    let scope = &observed["scopes"][0];
    assert_eq!(scope["text"], "two\n");
    let groups = json!([{"scope_id": id, "expected_scope_sha256": scope["sha256"], "operations": [{"op": "match", "match": "t", "replace": "T"}]}]);
    let batch = json!({"snapshot_id": observed["snapshot_id"], "groups": groups});
    ground.told("accepted", "submit_observed_batch", &request(&seen(&observed), batch));
    assert_eq!(ground.text(&target), "one\n\nTwo\n");
    assert_eq!(answer["version"], 2);
    assert_eq!(ground.replays(&target)["replayed_transactions"], 3);
}

/// P-022, P-031, P-067, P-072, P-082, P-083, P-085, P-088, P-089, E-25, E-41: every reason that the text gives, with its row.
#[test]
fn what_does_not_apply_is_stored_and_changes_nothing() {
    let ground = Ground::new();
    let target = ground.begin("x\nx\nlonely\n");
    let stage = "TRANSACTION_APPLICABILITY";
    let submit =
        |tool: &str, more: Value, reason: &str| rejected(&ground, tool, &request(&target, more), reason, stage);
    // E-25.
    let absent = json!({"edits": [{"match": "nope", "replace": ""}, {"match": "neither", "replace": ""}]});
    let answer = submit("submit_edits", absent, "match_absent");
    assert_eq!(
        (&answer["failed_change_id"], &answer["diagnostic"]["near_miss_query"]["text"]),
        (&json!("chg_001"), &json!("nope"))
    );
    // E-41.
    let answer = submit("submit_edits", json!({"edits": edit("x", "y")}), "match_ambiguous");
    assert_eq!(answer["diagnostic"]["occurrence_count"], 2);
    let taken = json!({"edits": [{"match": "lonely", "replace": "l"}, {"match": "lonely", "replace": "m"}]});
    let answer = submit("submit_edits", taken, "sequential_match_invalid");
    assert_eq!(answer["diagnostic"]["consumed_by"]["change_id"], "chg_001");
    assert_eq!(answer["diagnostic"]["failure_context"]["source"], "intermediate_buffer");
    assert_eq!(answer["current_context"]["text"], "x\nx\nlonely\n");
    let selector = json!({"edits": [{"match": "lonely", "replace": "m", "anchor_before": "y"}]});
    submit("submit_edits", selector, "disambiguation_invalid");
    let far = json!({"operations": [{"op": "span", "start": 0, "end": 99, "expected_text": "x", "replace": ""}]});
    submit("submit_operations", far, "span_out_of_bounds");
    let other = json!({"operations": [{"op": "span", "start": 0, "end": 1, "expected_text": "y", "replace": ""}]});
    submit("submit_operations", other, "span_expected_text_mismatch");
    let huge = json!({"operations": [{"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "é".repeat(524_289)}]});
    submit("submit_operations", huge, "size_limit_exceeded");
    assert_eq!((ground.now(&target).version, ground.text(&target).as_str()), (1, "x\nx\nlonely\n"));
    let ledger = ground.call("get_manifest_ledger", &json!({"target_file_id": target.id}));
    assert_eq!(ledger["entries"], json!([]));
    ground.replays(&target);
}

/// P-040, P-048, P-065, P-066, P-070, P-074, P-078, P-053, E-22: every reason that the request gives, with its row.
#[test]
fn what_is_no_request_is_stored_and_changes_nothing() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let submit = |more: Value, reason: &str, stage: &str| {
        let mut whole = edits(&target, edit("x", "y"));
        whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rejected(&ground, "submit_edits", &whole, reason, stage)
    };
    let (guard, shape) = ("PRECONDITION_GUARD", "PROTOCOL_VALIDATION");
    submit(json!({"expected_target_version": 2, "edits": 7}), "target_version_mismatch", guard);
    submit(json!({"expected_current_hash": "0".repeat(64)}), "target_hash_mismatch", guard);
    submit(json!({"expected_target_version": null}), "context_missing", shape);
    let answer = submit(json!({"expected_target_version": "two"}), "context_invalid", shape);
    assert_eq!(answer["diagnostic"]["raw_expected_target_version"], "two");
    submit(json!({"attempt": 0}), "context_invalid", shape);
    let answer = submit(json!({"client_request_id": "a b"}), "context_invalid", shape);
    assert_eq!(answer["diagnostic"]["code"], "invalid_client_request_id");
    submit(json!({"parent_pdcp_log_id": NOBODY}), "context_invalid", shape);
    submit(json!({"edits": []}), "manifest_invalid", shape);
    submit(json!({"edits": null}), "manifest_missing", shape);
    submit(json!({"edits": [{"match": "x", "replace": "y", "region_hint": 1}]}), "manifest_invalid", shape);
    submit(json!({"edits": [{"match": "x", "replace": "y", "occurrence_index": 0}]}), "disambiguation_invalid", shape);
    submit(json!({"intent": " "}), "manifest_invalid", shape);
    submit(json!({"nope": 1}), "manifest_invalid", shape);
    for replacement in ["é".repeat(524_289), "a".repeat(1_000_001)] {
        let whole = request(&target, json!({"replacement": replacement}));
        let answer = rejected(&ground, "submit_replacement", &whole, "size_limit_exceeded", shape);
        assert_eq!(answer["diagnostic"]["retryable"], false);
    }
    let edge = "é".repeat(524_288);
    ground.told("accepted", "submit_replacement", &request(&target, json!({"replacement": edge})));
    // E-22: the other writer's text stays.
    rejected(&ground, "submit_edits", &edits(&target, edit("x", "y")), "target_version_mismatch", guard);
    assert_eq!(ground.now(&target).version, 2);
}

/// P-078, P-120, P-123: an attempt mends a rejected one of its own target, and no other.
#[test]
fn a_rejected_attempt_can_have_a_successor() {
    let ground = Ground::new();
    let (target, other) = (ground.begin("x\n"), ground.begin("x\n"));
    let parent = ground.told("rejected", "submit_edits", &edits(&target, edit("nope", "")))["pdcp_log_id"].clone();
    let mut whole = edits(&target, edit("x", "y"));
    whole["parent_pdcp_log_id"] = json!(parent.as_str().unwrap().to_uppercase());
    whole["attempt"] = json!(2);
    let accepted = ground.told("accepted", "submit_edits", &whole);
    let row = &ground.log(&target)[0];
    assert_eq!((&row["parent_pdcp_log_id"], &row["regeneration_attempt"]), (&parent, &json!(2)));
    for (target, parent) in [(other, parent), (ground.now(&target), accepted["pdcp_log_id"].clone())] {
        let mut whole = edits(&target, edit("x", "y"));
        whole["parent_pdcp_log_id"] = parent;
        rejected(&ground, "submit_edits", &whole, "context_invalid", "PROTOCOL_VALIDATION");
        assert_eq!(ground.log(&target)[0]["parent_pdcp_log_id"], Value::Null);
    }
}

/// P-075, P-076, P-077, P-080, X-09: without a target there is no row, and the answer says so.
#[test]
fn without_a_target_nothing_is_stored() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    for tool in ["submit_edits", "submit_operations", "submit_replacement", "submit_observed_batch"] {
        for (id, reason) in [
            (json!("nope"), "context_invalid"),
            (json!(7), "context_invalid"),
            (Value::Null, "context_invalid"),
            (json!(NOBODY), "target_not_found"),
        ] {
            let answer = ground.told("rejected", tool, &json!({"target_file_id": id, "correlation_id": "c-1"}));
            assert_eq!((&answer["failure_reason"], &answer["pdcp_log_id"]), (&json!(reason), &Value::Null), "{answer}");
            assert_eq!(
                (&answer["current_context"]["source"], &answer["correlation_id"]),
                (&json!("unavailable"), &json!("c-1"))
            );
            assert_eq!(answer["diagnostic"]["failure_context"]["source"], "unavailable");
            assert_eq!(answer["validity"]["protocol_valid"], Value::Null);
        }
    }
    ground.become_owner("another");
    let answer = ground.told("rejected", "submit_edits", &edits(&target, edit("x", "y")));
    assert_eq!(answer["failure_reason"], "target_not_found");
    ground.become_owner("");
    assert!(ground.log(&target).is_empty());
}

/// P-100, P-101, P-102, P-103, P-107: text that no database stores is evidence, not an edit.
#[test]
fn a_text_that_cannot_be_stored_is_refused_with_a_row() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    for wrong in [r"\u0000", r"a\ud800"] {
        let raw = format!(
            r#"{{"target_file_id":"{}","intent":"i","expected_target_version":1,"client_request_id":"k{}","edits":[{{"match":"x","replace":"{wrong}"}}]}}"#,
            target.id,
            wrong.len(),
        );
        let answer = ground.raw("submit_edits", &raw, ROOM).unwrap();
        assert_eq!(
            (&answer["status"], &answer["failure_reason"]),
            (&json!("rejected"), &json!("target_encoding_invalid"))
        );
        assert_eq!(answer["validity"]["protocol_valid"], false);
        let again = ground.raw("submit_edits", &raw, ROOM).unwrap();
        assert_eq!((&again["deduplicated"], &again["pdcp_log_id"]), (&json!(true), &answer["pdcp_log_id"]));
    }
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    assert_eq!(page["entries"].as_array().unwrap().len(), 2);
    assert!(page["entries"][0]["pdcp_content"].as_str().unwrap().contains("patchdiff-invalid-input/1"));
    assert_eq!(ground.now(&target).version, 1);
}

/// PG-16, P-061: a correlation id is given back and stored nowhere.
#[test]
fn a_correlation_id_is_given_back() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let mut whole = edits(&target, edit("x", "y"));
    whole["client_request_id"] = json!("k");
    for (id, shown) in [
        (json!("c 1"), json!("c 1")),
        (json!("é"), Value::Null),
        (json!("c".repeat(129)), Value::Null),
        (json!(7), Value::Null),
    ] {
        whole["correlation_id"] = id;
        let answer = ground.told("accepted", "submit_edits", &whole);
        assert_eq!(answer["correlation_id"], shown);
    }
    let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
    assert!(!page.to_string().contains("correlation_id"));
    assert_eq!(page["entries"].as_array().unwrap().len(), 1);
}
