//! What is said of the product as a whole, as far as a test can show it.

use assay_tools_patch::TOOLS;
use serde_json::{Value, json};

use crate::{
    ground::{Ground, Seen},
    past::tamper,
};

const TEXT: &str = "# One\n\nfirst\n\n# Two\n\nsecond\n";

fn observed(ground: &Ground, target: &Seen, lines: &[usize]) -> Value {
    let listed = ground.told("ok", "list_scopes", &json!({"target_file_id": target.id, "kinds": ["line"]}));
    let ids: Vec<&Value> = lines.iter().map(|line| &listed["scopes"][*line]["scope_id"]).collect();
    ground.told("ok", "observe_scopes", &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": ids}))
}

/// P-017: the editing component reaches the documents and the folder and nothing else: no network, no model, no environment and no
/// file a key could be in. Its code depends on nothing that could.
#[test]
fn no_model_is_called_and_no_credential_is_read() {
    let worlds = include_str!("../../../../wit/worlds.wit");
    let world = worlds.split("world tools-patch {").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    let lines: Vec<&str> = world.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["import documents;", "import workspace;", "export tools;"]);
    for interface in [include_str!("../../../../wit/documents.wit"), include_str!("../../../../wit/workspace.wit")] {
        let said = |line: &&str| !line.trim_start().starts_with("//");
        for line in interface.lines().filter(said) {
            let line = line.to_lowercase();
            for word in ["http", "model", "prompt", "credential", "secret", "token", "password", "environment"] {
                // `model_response` is who is said to have made an edit, and no port.
                assert!(!line.contains(word), "{line}");
            }
        }
    }
    for manifest in [include_str!("../../Cargo.toml"), include_str!("../../../patch/Cargo.toml")] {
        let own = manifest.split("[dependencies]").nth(1).unwrap().split("[dev-dependencies]").next().unwrap();
        let names = own.lines().filter_map(|line| line.split_once(".workspace = true")).map(|(name, _)| name);
        for name in names {
            let known =
                ["assay-envelope", "assay-patch", "memchr", "sha2", "thiserror", "unicode-segmentation", "wit-bindgen"];
            assert!(known.contains(&name), "{name}");
        }
    }
}

/// P-019, P-030, P-031, P-083: no tool promises that a task is done well or how fast; what is valid is told level by level, and
/// whether a task is done is never judged, whatever becomes of a request.
#[test]
fn no_success_is_claimed() {
    for tool in TOOLS {
        let said = tool.spec().description().to_lowercase() + tool.spec().input_schema.get();
        for claim in
            ["guarantee", "always succeed", "correctness", "production", "faster", "accuracy", "benchmark", " ms", "%"]
        {
            assert!(!said.contains(claim), "{} says {claim:?}", tool.name);
        }
    }
    let ground = Ground::new();
    let target = ground.begin("x\nx\ny\n");
    let judged = |answer: &Value, protocol: Option<bool>, transaction: Option<bool>| {
        let expected = json!({"protocol_valid": protocol, "transaction_valid": transaction,
            "task_correct": "not_evaluated", "semantic": "not_evaluated"});
        assert_eq!(answer["validity"], expected, "{answer}");
    };
    let request = |more: Value| {
        let mut request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let edit = json!([{"match": "y", "replace": "z"}]);
    let absent = json!({"target_file_id": "00000000-0000-4000-8000-000000000000"});
    judged(&ground.call("submit_edits", &absent), None, None);
    judged(&ground.call("submit_edits", &request(json!({"edits": edit, "expected_target_version": 9}))), None, None);
    judged(&ground.call("submit_edits", &request(json!({"edits": 7}))), Some(false), None);
    judged(
        &ground.call("submit_edits", &request(json!({"edits": [{"match": "x", "replace": ""}]}))),
        Some(true),
        Some(false),
    );
    judged(
        &ground.call("preview", &request(json!({"edits": [{"match": "x", "replace": ""}]}))),
        Some(true),
        Some(false),
    );
    judged(&ground.call("submit_edits", &request(json!({"edits": edit}))), Some(true), Some(true));
}

/// P-055, P-113, P-116, P-128, P-144: the four formats, each recorded by its name under one runtime, and each recovered by its key.
#[test]
fn there_are_four_formats() {
    let ground = Ground::new();
    let target = ground.begin(TEXT);
    let request = |more: Value| {
        let version = ground.now(&target).version;
        let key = format!("key-{version}");
        let mut request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version, "client_request_id": key});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let submit = |tool: &str, more: Value| {
        let request = request(more);
        let first = ground.told("accepted", tool, &request);
        let again = ground.told("accepted", tool, &request);
        assert_eq!((&again["deduplicated"], &again["pdcp_log_id"]), (&json!(true), &first["pdcp_log_id"]), "{tool}");
        assert_eq!((&again["evidence"], &again["after_hash"]), (&first["evidence"], &first["after_hash"]), "{tool}");
    };
    submit("submit_edits", json!({"edits": [{"match": "first", "replace": "1st"}]}));
    submit("submit_operations", json!({"operations": [{"op": "match", "match": "1st", "replace": "first"}]}));
    submit("submit_replacement", json!({"replacement": TEXT}));
    let seen = observed(&ground, &target, &[2]);
    let scope = &seen["scopes"][0];
    let groups = json!([{"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": [{"op": "match", "match": "first", "replace": "1"}]}]);
    submit("submit_observed_batch", json!({"snapshot_id": seen["snapshot_id"], "groups": groups}));
    let recorded: Vec<(Value, Value)> = ground
        .log(&target)
        .into_iter()
        .rev()
        .map(|row| (row["protocol_version"].clone(), row["runtime_version"].clone()))
        .collect();
    let expected = [
        ("patchdiff-tx/1", "patchdiff-mvp-0.2.2"),
        ("patchdiff-tx/2", "patchdiff-mvp-0.3.0"),
        ("patchdiff-tx/3", "patchdiff-mvp-0.4.0"),
        ("patchdiff-observed-batch/1", "patchdiff-observed-batch-r1"),
    ];
    assert_eq!(recorded, expected.map(|(protocol, runtime)| (json!(protocol), json!(runtime))));
    ground.replays(&target);
}

/// P-142, P-144, P-145, P-146, P-116, P-023: a batch: scopes found once for their snapshot; each group by the rules of tx/2 on its
/// own scope, its changes counted through; the scopes put back from the last to the first; one lock, one row, one commit, one
/// version; the same request recovers it; and it replays when no scope is known any more.
#[test]
fn a_batch_is_one_transaction() {
    let ground = Ground::new();
    let target = ground.begin(TEXT);
    let seen = observed(&ground, &target, &[0, 2, 6]);
    let scopes = seen["scopes"].as_array().unwrap();
    let group = |scope: &Value, operations: Value| json!({"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": operations});
    // Each grows or shrinks, so that those behind it would move were they not put back from the last on.
    let groups = json!([
        group(
            &scopes[0],
            json!([{"op": "match", "match": "One", "replace": "Number one"}, {"op": "match", "match": "one\n", "replace": "1\n\n"}])
        ),
        group(
            &scopes[2],
            json!([{"op": "span", "start": 0, "end": 6, "expected_text": "second", "replace": "2", "expected_after": "\n"}])
        ),
        group(&scopes[1], json!([{"op": "match", "match": "first\n", "replace": ""}])),
    ]);
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "snapshot_id": seen["snapshot_id"], "groups": groups});
    ground.switches.calls.borrow_mut().clear();
    let answer = ground.told("accepted", "submit_observed_batch", &request);
    let calls = ground.switches.calls.borrow().clone();
    let count = |name: &str| calls.iter().filter(|call| **call == name).count();
    assert_eq!((calls[0], calls[1], calls[calls.len() - 1]), ("begin", "lock", "commit"), "{calls:?}");
    assert_eq!((count("append"), count("commit"), count("put_scopes")), (1, 1, 0), "{calls:?}");
    assert_eq!(ground.text(&target), "# Number 1\n\n\n\n# Two\n\n2\n");
    assert_eq!((&answer["before_version"], &answer["version"]), (&json!(1), &json!(2)));
    let changes = answer["evidence"]["changes"].as_array().unwrap();
    let told: Vec<(&str, &Value, &Value)> = changes
        .iter()
        .map(|change| (change["change_id"].as_str().unwrap(), &change["scope_id"], &change["span_start"]))
        .collect();
    let [one, first, second] = [0, 1, 2].map(|at| &scopes[at]["scope_id"]);
    let expected = [
        ("chg_001", one, &json!(2)),
        ("chg_002", one, &json!(9)),
        ("chg_003", second, &json!(0)),
        ("chg_004", first, &json!(0)),
    ];
    assert_eq!(told, expected);
    assert_eq!(ground.log(&target).len(), 1);

    ground.edit(&target, json!([{"match": "# Two", "replace": "# 2"}]));
    ground.switches.calls.borrow_mut().clear();
    let again = ground.told("accepted", "submit_observed_batch", &request);
    assert_eq!(
        (&again["deduplicated"], &again["pdcp_log_id"], &again["version"]),
        (&json!(true), &answer["pdcp_log_id"], &json!(2))
    );
    assert_eq!((&again["evidence"], ground.log(&target).len()), (&answer["evidence"], 2));
    assert!(!ground.switches.calls.borrow().contains(&"append"));

    tamper(&ground, "DELETE FROM observed_scopes; DELETE FROM observed_scope_snapshots;");
    assert_eq!(ground.replays(&target)["replayed_transactions"], 2);
}

/// P-099, P-077: what reads observes one committed state: a view, and no lock and no write, be the target there or not.
#[test]
fn reads_take_no_lock() {
    let ground = Ground::new();
    let target = ground.begin(TEXT);
    for id in [target.id.as_str(), "00000000-0000-4000-8000-000000000000"] {
        for (tool, more) in [
            ("read_target", json!({})),
            ("read_lines", json!({})),
            ("find_occurrences", json!({"text": "#"})),
            ("export_target", json!({"format": "original_eol"})),
            ("preview", json!({"edits": [{"match": "first", "replace": "1"}]})),
            ("preview", json!({"replacement": "x", "expected_target_version": 9})),
            ("get_pdcp_log", json!({"include_content": true})),
            ("get_manifest_ledger", json!({})),
        ] {
            let mut arguments = json!({"target_file_id": id});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            ground.switches.calls.borrow_mut().clear();
            ground.call(tool, &arguments);
            let calls = ground.switches.calls.borrow().clone();
            assert_eq!(calls[..2], ["view", "target"], "{tool}");
            assert!(
                calls[2..].iter().all(|call| ["attempts", "attempt", "ledger"].contains(call)),
                "{tool}: {calls:?}"
            );
        }
    }
}

/// P-124, P-125, P-138: a replay locks the target and reads its first text and its accepted rows behind that, in one transaction, which
/// it does not commit.
#[test]
fn a_replay_reads_under_the_lock() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    for _ in 0..20 {
        ground.edit(&target, json!([{"match": "a", "replace": "a"}]));
        ground.edit(&target, json!([{"match": "nowhere", "replace": ""}]));
    }
    ground.switches.calls.borrow_mut().clear();
    assert_eq!(ground.replays(&target)["replayed_transactions"], 20);
    let calls = ground.switches.calls.borrow().clone();
    assert_eq!(calls[..3], ["begin", "lock", "initial_snapshot"], "{calls:?}");
    assert!(calls.len() > 4 && calls[3..].iter().all(|call| *call == "accepted_after"), "{calls:?}");
}

/// P-165, X-06: a page of history is made of what was stored beside the payloads: it is the same when none of them can be read.
#[test]
fn history_is_listed_without_its_payloads() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    for (from, to) in [("a", "b"), ("nope", ""), ("b", "c")] {
        ground.edit(&target, json!([{"match": from, "replace": to, "rationale": "why", "risk": "low"}]));
    }
    let pages = || {
        let id = json!({"target_file_id": target.id});
        (ground.told("ok", "get_pdcp_log", &id), ground.told("ok", "get_manifest_ledger", &id))
    };
    let before = pages();
    tamper(&ground, "UPDATE append_only_pdcp_logs SET pdcp_content = '{\"no JSON'");
    assert_eq!(pages(), before);
    let replayed = ground.call("replay_target", &json!({"target_file_id": target.id}));
    assert_eq!(replayed["failure_reason"], "replay_protocol_invalid", "the payloads are gone indeed");
}

/// P-096, P-097, P-088, P-179: a rejection's context stays what it was, in its row and in its recovery; beside it, and in no row, is
/// what the target is when it is locked for the answer, before the lock is given back.
#[test]
fn contexts_are_of_their_moment() {
    let ground = Ground::new();
    let target = ground.begin("old text\n");
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "edits": [{"match": "absent", "replace": ""}]});
    let first = ground.told("rejected", "submit_edits", &request);
    let context = |answer: &Value| {
        (answer["diagnostic"]["failure_context"]["text"].clone(), answer["current_context"]["text"].clone())
    };
    assert_eq!(context(&first), (json!("old text\n"), json!("old text\n")));
    let row = ground.log(&target)[0].clone();
    ground.edit(&target, json!([{"match": "old", "replace": "new"}]));
    ground.switches.calls.borrow_mut().clear();
    let again = ground.told("rejected", "submit_edits", &request);
    let calls = ground.switches.calls.borrow().clone();
    assert_eq!(calls[..2], ["begin", "lock"], "what is told is what was locked: {calls:?}");
    assert!(!calls.contains(&"target") && !calls.contains(&"view"), "and nothing is read beside the lock: {calls:?}");
    assert_eq!(context(&again), (json!("old text\n"), json!("new text\n")));
    assert_eq!(
        (&again["diagnostic"], &again["current_version"], &again["version"]),
        (&first["diagnostic"], &json!(2), &json!(1))
    );
    let later = ground.log(&target).into_iter().find(|each| each["pdcp_log_id"] == first["pdcp_log_id"]).unwrap();
    assert_eq!(later, row, "history adds nothing to what was stored");
    assert!(!later.to_string().contains("current_context") && !later.to_string().contains("new text"));
    // Another's edit in between: the context is the locked text's, and the guard says why.
    let stale = ground.told(
        "rejected",
        "submit_edits",
        &json!({"target_file_id": target.id, "intent": "i",
        "expected_target_version": 1, "edits": [{"match": "new", "replace": ""}]}),
    );
    assert_eq!(
        (&stale["failure_reason"], context(&stale)),
        (&json!("target_version_mismatch"), (json!("new text\n"), json!("new text\n")))
    );
}

/// X-03, P-098: a preview and a restore take a null where an argument may be left out.
#[test]
fn an_optional_argument_may_be_null() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let preview = json!({"target_file_id": target.id, "intent": null, "edits": [{"match": "a", "replace": "b"}], "operations": null, "replacement": null});
    assert_eq!(ground.call("preview", &preview)["status"], "ok");
    let restore = json!({"target_file_id": target.id, "to_version": 1, "intent": null, "expected_target_version": 1});
    assert_eq!(ground.told("accepted", "restore_target", &restore)["version"], 2);
    let ledger = ground.call("get_manifest_ledger", &json!({"target_file_id": target.id}));
    assert_eq!(ledger["entries"][0]["intent"], "Restore version 1");
}
