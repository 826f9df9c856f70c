//! All of a bundle or nothing of it, and what each target's history says then.

use serde_json::{Value, json};

use super::{TOOL, bundle, edit, item, keyed, state, statuses, three};
use crate::ground::{Ground, ROOM, Seen, Trouble, seen};

/// X-04, P-028, P-059, P-082, P-083, P-124, P-128, P-142: every format in one bundle, each with the row that its own tool would
/// have made.
#[test]
fn every_format_is_in_one_bundle() {
    let ground = Ground::new();
    let [one, two, three] = three(&ground);
    let four = ground.begin("one\n\ntwo\n");
    let listed = ground.told("ok", "list_scopes", &json!({"target_file_id": four.id, "kinds": ["paragraph"]}));
    let id = &listed["scopes"][1]["scope_id"];
    let observed =
        ground.told("ok", "observe_scopes", &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [id]}));
    let groups = json!([{"scope_id": id, "expected_scope_sha256": observed["scopes"][0]["sha256"],
        "operations": [{"op": "match", "match": "t", "replace": "T"}]}]);
    let batch = json!({"snapshot_id": observed["snapshot_id"], "groups": groups});
    let span =
        json!([{"op": "span", "start": 1, "end": 1, "expected_text": "", "replace": "B", "expected_before": "b"}]);
    let items = vec![
        item(&seen(&observed), "patchdiff-observed-batch/1", batch),
        edit(&one, "a", "A"),
        item(&three, "patchdiff-tx/3", json!({"replacement": "C\n", "risk": "low", "attempt": 2})),
        item(&two, "patchdiff-tx/2", json!({"operations": span})),
    ];
    let answer =
        ground.told("accepted", TOOL, &json!({"intent": "i", "source": "me", "items": items, "correlation_id": "c"}));
    assert_eq!((&answer["deduplicated"], &answer["correlation_id"]), (&json!(false), &json!("c")));
    assert_eq!(
        (&answer["validity"]["transaction_valid"], &answer["validity"]["semantic"]),
        (&json!(true), &json!("not_evaluated"))
    );
    let rows = [
        (&four, "one\n\nTwo\n", "patchdiff-observed-batch/1", "patchdiff-observed-batch-r1"),
        (&one, "A\n", "patchdiff-tx/1", "patchdiff-mvp-0.2.2"),
        (&three, "C\n", "patchdiff-tx/3", "patchdiff-mvp-0.4.0"),
        (&two, "bB\n", "patchdiff-tx/2", "patchdiff-mvp-0.5.0"),
    ];
    for ((target, text, protocol, runtime), told) in rows.into_iter().zip(answer["items"].as_array().unwrap()) {
        assert_eq!((told["target_file_id"].as_str(), ground.text(target).as_str()), (Some(&*target.id), text));
        assert_eq!(
            (&told["before_version"], &told["version"], &told["current_version"]),
            (&json!(1), &json!(2), &json!(2))
        );
        assert_eq!((&told["before_hash"], &told["after_hash"]), (&json!(target.hash), &told["current_hash"]));
        assert_eq!(told["current_hash"], ground.now(target).hash);
        assert_eq!((&told["evidence"]["total_changes"], &told["evidence"]["omitted_changes"]), (&json!(1), &json!(0)));
        let log = ground.log(target);
        let row = &log[0];
        assert_eq!((log.len(), &row["pdcp_log_id"], &row["status"]), (1, &told["pdcp_log_id"], &json!("accepted")));
        assert_eq!((&row["protocol_version"], &row["runtime_version"]), (&json!(protocol), &json!(runtime)));
        assert_eq!(row["submission_source"], "me");
        let ledger = ground.told("ok", "get_manifest_ledger", &json!({"target_file_id": target.id}));
        let entry = &ledger["entries"][0];
        assert_eq!((&entry["pdcp_log_id"], &entry["intent"]), (&told["pdcp_log_id"], &json!("i")));
        assert_eq!(ground.replays(target)["replayed_transactions"], 1);
    }
    // What is stored is what the tool of the format stores.
    let twin = ground.begin("a\n");
    let mut alone = edit(&twin, "a", "A");
    alone.as_object_mut().unwrap().extend(json!({"intent": "i", "source": "me"}).as_object().unwrap().clone());
    ground.told("accepted", "submit_edits", &alone);
    let content = |target: &Seen| {
        let page = ground.call("get_pdcp_log", &json!({"target_file_id": target.id, "include_content": true}));
        page["entries"][0]["pdcp_content"].as_str().unwrap().replace(&target.id, "ID")
    };
    assert_eq!(content(&one), content(&twin));
}

/// X-04, P-022, P-072, P-082, P-088, P-090, P-092, P-161: one that fails keeps all back. It has its row, the others have none.
#[test]
fn one_that_fails_changes_nothing_anywhere() {
    let ground = Ground::new();
    let targets = three(&ground);
    let before = state(&ground, &targets);
    let [one, two, third] = &targets;
    let absent = item(
        two,
        "patchdiff-tx/1",
        json!({"edits": [{"match": "b", "replace": "B"}, {"match": "bx\n", "replace": "y"}]}),
    );
    let answer = ground.told("rejected", TOOL, &bundle(vec![edit(third, "c", "C"), absent, edit(one, "a", "A")]));
    assert_eq!(statuses(&answer), ["not_committed", "rejected", "not_committed"]);
    assert_eq!((&answer["failed_item"], &answer["failure_reason"]), (&json!(1), &json!("match_absent")), "{answer}");
    assert_eq!((&answer["deduplicated"], &answer["validity"]["transaction_valid"]), (&json!(false), &json!(false)));
    let told = &answer["items"][1];
    assert_eq!((&told["failure_reason"], &told["failed_change_id"]), (&json!("match_absent"), &json!("chg_002")));
    assert_eq!((&told["current_context"]["text"], &told["near_misses"]["complete"]), (&json!("b\n"), &json!(true)));
    assert_eq!(told["diagnostic"]["failure_context"]["source"], "intermediate_buffer");
    for (at, target) in [(0, third), (2, one)] {
        let told = &answer["items"][at];
        assert_eq!((&told["pdcp_log_id"], &told["current_version"]), (&Value::Null, &json!(1)));
        assert_eq!((&told["target_file_id"], &told["current_hash"]), (&json!(target.id), &json!(target.hash)));
    }
    let log = ground.log(two);
    assert_eq!((log.len(), &log[0]["pdcp_log_id"], &log[0]["status"]), (1, &told["pdcp_log_id"], &json!("rejected")));
    assert_eq!(
        (&log[0]["diagnostic"], &log[0]["validation_stage"]),
        (&told["diagnostic"], &json!("TRANSACTION_APPLICABILITY"))
    );
    assert!(log[0]["diagnostic"]["near_miss_query"]["text"] == "bx\n" && !log[0].to_string().contains("misses"));
    let after = state(&ground, &targets);
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    assert_eq!((&after[1].0, after[1].1), (&before[1].0, before[1].1));
    // The row is one that a later attempt mends, in a bundle as elsewhere (P-123).
    let mut mended = edit(two, "b", "B");
    mended["parent_pdcp_log_id"] = told["pdcp_log_id"].clone();
    mended["attempt"] = json!(2);
    ground.told("accepted", TOOL, &bundle(vec![edit(third, "c", "C"), mended, edit(one, "a", "A")]));
    for (target, text) in targets.iter().zip(["A\n", "B\n", "C\n"]) {
        assert_eq!((ground.text(target).as_str(), ground.now(target).version), (text, 2));
        ground.replays(target);
    }
}

/// X-04, P-065, P-066, P-067, P-082, P-101: each that fails has its own row, at its own stage; the first is the bundle's.
#[test]
fn each_that_fails_has_its_row() {
    let ground = Ground::new();
    let targets: Vec<Seen> = (0..5).map(|_| ground.begin("x\nx\n")).collect();
    let mut stale = edit(&targets[0], "x", "y");
    stale["expected_target_version"] = json!(7);
    let mut unguarded = edit(&targets[1], "x", "y");
    unguarded["expected_target_version"] = Value::Null;
    let unknown = item(&targets[2], "patchdiff-tx/3", json!({"replacement": "y", "nope": 1}));
    let good = item(&targets[4], "patchdiff-tx/3", json!({"replacement": "y"}));
    let raw = bundle(vec![good, edit(&targets[3], "x", "UNPAIRED"), stale, unguarded, unknown]).to_string();
    let answer = ground.raw(TOOL, &raw.replace("UNPAIRED", r"\ud800"), ROOM).unwrap();
    assert_eq!(statuses(&answer), ["not_committed", "rejected", "rejected", "rejected", "rejected"]);
    let reasons = ["target_version_mismatch", "context_missing", "manifest_invalid", "target_encoding_invalid"];
    let stages = ["PRECONDITION_GUARD", "PROTOCOL_VALIDATION", "PROTOCOL_VALIDATION", "PROTOCOL_VALIDATION"];
    for ((target, reason), (at, stage)) in targets.iter().zip(reasons).zip([2, 3, 4, 1].into_iter().zip(stages)) {
        let (log, told) = (ground.log(target), &answer["items"][at]);
        assert_eq!((log.len(), &log[0]["pdcp_log_id"]), (1, &told["pdcp_log_id"]), "{reason}");
        assert_eq!((&log[0]["failure_reason"], &told["failure_reason"]), (&json!(reason), &json!(reason)));
        assert_eq!(log[0]["validation_stage"], stage);
    }
    assert!(ground.log(&targets[4]).is_empty());
    assert_eq!((&answer["failed_item"], &answer["failure_reason"]), (&json!(1), &json!("target_encoding_invalid")));
    // What is the bundle's is every item's.
    let mut blank = bundle(vec![edit(&targets[0], "x\nx", "y"), edit(&targets[1], "x\nx", "y")]);
    blank["intent"] = json!(" ");
    let answer = ground.told("rejected", TOOL, &blank);
    assert_eq!((statuses(&answer), &answer["failure_reason"]), (vec!["rejected"; 2], &json!("manifest_invalid")));
    assert_eq!((ground.log(&targets[0]).len(), ground.log(&targets[1]).len()), (2, 2));
    assert!(targets.iter().all(|target| ground.text(target) == "x\nx\n"));
}

/// P-068, X-04: a target that is another at the second look, which no database here shows, keeps all back.
#[test]
fn a_target_that_diverges_keeps_all_back() {
    let ground = Ground::new();
    let targets = three(&ground);
    let [one, two, third] = &targets;
    ground.switches.locks.borrow_mut().clear();
    *ground.switches.diverges.borrow_mut() = Some(two.id.clone());
    let items = vec![edit(one, "a", "A"), edit(two, "b", "B"), edit(third, "c", "C")];
    let answer = ground.told("rejected", TOOL, &bundle(items.clone()));
    assert_eq!(statuses(&answer), ["not_committed", "rejected", "not_committed"]);
    let told = &answer["items"][1];
    assert_eq!(
        (&told["failure_reason"], &told["validity"]["transaction_valid"]),
        (&json!("target_diverged"), &json!(true))
    );
    assert_eq!((&told["version"], &told["current_version"]), (&json!(1), &json!(2)));
    assert_eq!(ground.switches.locks.borrow().len(), 6, "each is looked at twice");
    let log = ground.log(two);
    assert_eq!((log.len(), &log[0]["validation_stage"]), (1, &json!("COMMIT_GUARD")));
    assert!(ground.log(one).is_empty() && ground.log(third).is_empty());
    assert_eq!(targets.each_ref().map(|target| ground.text(target)), ["a\n", "b\n", "c\n"]);
    *ground.switches.diverges.borrow_mut() = None;
    ground.told("accepted", TOOL, &bundle(items));
}

/// P-023, P-022: elsewhere atomicity is per target, and a bundle of one is a submission.
#[test]
fn alone_each_is_for_itself() {
    let ground = Ground::new();
    let [one, two, _] = three(&ground);
    let submit = |mut item: Value| {
        item.as_object_mut().unwrap().extend(json!({"intent": "i"}).as_object().unwrap().clone());
        ground.call("submit_edits", &item)["status"].clone()
    };
    assert_eq!((submit(edit(&one, "a", "A")), submit(edit(&two, "x", "y"))), (json!("accepted"), json!("rejected")));
    assert_eq!((ground.text(&one).as_str(), ground.text(&two).as_str()), ("A\n", "b\n"));
    let answer = ground.told("accepted", TOOL, &bundle(vec![edit(&two, "b", "B")]));
    assert_eq!((statuses(&answer), ground.text(&two).as_str()), (vec!["accepted"], "B\n"));
}

/// P-112, P-116, P-160, X-04: a fault at any call is a refusal, and nothing is half written; one commit has it all.
#[test]
fn a_fault_leaves_nothing_behind() {
    let ground = Ground::new();
    let targets = three(&ground);
    let ask = |key: &str, last: &str| {
        let now = targets.each_ref().map(|target| ground.now(target));
        keyed(key, vec![edit(&now[0], "\n", "\n"), edit(&now[1], "\n", "\n"), edit(&now[2], last, "\n")])
    };
    let calls = |request: &Value, status: &str| {
        ground.switches.calls.borrow_mut().clear();
        ground.told(status, TOOL, request);
        ground.switches.calls.borrow().clone()
    };
    let accepted = calls(&ask("yes", "\n"), "accepted");
    let rejected = ask("no", "nope");
    let all = [
        (accepted, ask("more", "\n"), 1),
        (calls(&rejected, "rejected"), ask("none", "nope"), 1),
        (calls(&rejected, "rejected"), rejected.clone(), 0),
    ];
    let before = state(&ground, &targets);
    for (calls, request, commits) in all {
        assert_eq!(calls.iter().filter(|call| **call == "commit").count(), commits, "{calls:?}");
        assert!(commits == 0 || calls.last() == Some(&"commit"), "{calls:?}");
        for (at, call) in calls.iter().enumerate() {
            let earlier = calls.iter().take(at).filter(|earlier| *earlier == call).count();
            ground.fail_at(call, earlier, Trouble::Fails);
            let refusal = ground.within(TOOL, &request, ROOM).unwrap_err();
            assert_eq!(refusal.code, "storage_failed", "{call} {earlier}: {refusal:?}");
            assert_eq!(state(&ground, &targets), before, "{call} {earlier}");
        }
    }
    targets.iter().for_each(|target| drop(ground.replays(target)));
}
