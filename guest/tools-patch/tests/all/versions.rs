//! History applied again, an earlier version brought back, and what a submission would do.

use serde_json::{Value, json};

use crate::ground::Ground;

/// P-124, P-135, P-136, P-137, P-138: history makes the text; where what is stored was changed behind it, each check says so.
#[test]
fn a_replay_reports_and_repairs_nothing() {
    let ground = Ground::new();
    let target = ground.begin("a\nb\n");
    for version in 1..=20 {
        ground.edit(&target, json!([{"match": "a", "replace": "aa", "occurrence_index": version}]));
    }
    let replayed = ground.replays(&target);
    assert_eq!((&replayed["replayed_version"], &replayed["replayed_transactions"]), (&json!(21), &json!(20)));
    assert_eq!(replayed["reconstructed_hash"], json!(ground.now(&target).hash));
    let corrupt = |change: &str| {
        ground.place.run(&format!("UPDATE cloud_target_files SET {change}"));
        let replayed = ground.told("success", "replay_target", &json!({"target_file_id": target.id}));
        assert_eq!(replayed["materialized_state_matches"], false);
        replayed["materialized_state_checks"].clone()
    };
    // P-137.
    let checks = corrupt("content = replace(content, '\n', '\r\n')");
    let all = |content: bool, stored: bool| json!({"content_matches": content, "stored_hash_matches": stored, "recomputed_hash_matches": true, "version_matches": true});
    assert_eq!(checks, all(false, true));
    let zeros = "0".repeat(64);
    let checks = corrupt(&format!("content = replace(content, '\r', ''), current_hash = '{zeros}'"));
    assert_eq!(checks, all(true, false));
}

/// X-03, P-161: an earlier version comes back as one more transaction, by its key only once.
#[test]
fn an_earlier_version_is_brought_back() {
    let ground = Ground::new();
    let target = ground.begin("one\r\n");
    ground.edit(&target, json!([{"match": "one", "replace": "two"}]));
    ground.edit(&target, json!([{"match": "two", "replace": "three"}]));
    let request = json!({"target_file_id": target.id, "to_version": 1, "expected_target_version": 3, "client_request_id": "back"});
    let answer = ground.told("accepted", "restore_target", &request);
    assert_eq!((&answer["version"], ground.text(&target).as_str()), (&json!(4), "one\n"));
    assert_eq!(ground.now(&target).hash, target.hash);
    let row = &ground.log(&target)[0];
    assert_eq!((&row["protocol_version"], ground.log(&target).len()), (&json!("patchdiff-tx/3"), 3));
    assert_eq!(ground.told("accepted", "restore_target", &request)["deduplicated"], true);
    let back = |more: Value| {
        let mut arguments = json!({"target_file_id": target.id, "to_version": 2, "expected_target_version": 4});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.call("restore_target", &arguments)
    };
    assert_eq!(back(json!({"expected_target_version": 3}))["failure_reason"], "target_version_mismatch");
    assert_eq!(back(json!({"expected_target_version": null}))["failure_reason"], "context_missing");
    for wrong in [
        json!({"to_version": 0}),
        json!({"to_version": 5}),
        json!({"to_version": null}),
        json!({"to_version": u64::MAX}),
        json!({"to_version": "1"}),
        json!({"replacement": "mine"}),
    ] {
        assert_eq!(back(wrong.clone())["status"], "invalid_argument", "{wrong}");
    }
    assert_eq!(back(json!({}))["status"], "accepted");
    assert_eq!(ground.text(&target), "two\n");
    let original = ground.call("export_target", &json!({"target_file_id": target.id, "format": "original_eol"}));
    assert_eq!(original["text"], "two\r\n");
    assert_eq!(ground.replays(&target)["replayed_transactions"], 4);
}

/// X-03, P-159: what each version was is exported as history makes it, in windows, and nothing is written.
#[test]
fn an_earlier_version_is_exported() {
    let ground = Ground::new();
    let target = ground.begin("a\r\n");
    for _ in 1..=3 {
        ground.edit(&target, json!([{"match": "a", "replace": "aé"}]));
    }
    let export = |more: Value| {
        let mut arguments = json!({"target_file_id": target.id});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.call("export_target", &arguments)
    };
    for (version, text) in [(1, "a\n"), (2, "aé\n"), (4, "aééé\n")] {
        let answer = export(json!({"version": version}));
        let members = (&answer["text"], &answer["exported_version"], &answer["version"]);
        assert_eq!(members, (&json!(text), &json!(version), &json!(4)), "{answer}");
        assert_eq!((&answer["total_bytes"], &answer["next_start"]), (&json!(text.len()), &Value::Null));
    }
    let window = export(json!({"version": 3, "start": 2, "length": 1}));
    assert_eq!((&window["text"], &window["next_start"]), (&json!("é"), &json!(3)), "{window}");
    assert_eq!(export(json!({"version": 4, "format": "original_eol"}))["text"], "aééé\r\n");
    for wrong in [
        json!({"version": 0}),
        json!({"version": 5}),
        json!({"version": "1"}),
        json!({"version": 3, "format": "original_eol"}),
    ] {
        assert_eq!(export(wrong.clone())["status"], "invalid_argument", "{wrong}");
    }
    assert_eq!(ground.log(&target).len(), 3);
}

/// K-01, P-159: a window is as long as is asked for, while it fits.
#[test]
fn a_text_is_exported_at_once_where_it_fits() {
    let ground = Ground::new();
    let text = "é\n".repeat(100_000);
    let target = ground.begin(&text);
    let arguments = json!({"target_file_id": target.id, "length": 1_000_000});
    let whole = ground.within("export_target", &arguments, 1 << 20).unwrap();
    assert!(whole["text"] == json!(text) && whole["truncated"] == json!(false));
    let part = ground.call("export_target", &arguments);
    assert!(part["end"].as_u64().unwrap() > 8_000 && part["truncated"] == json!(true));
    assert_eq!(ground.call("export_target", &json!({"target_file_id": target.id}))["end"], 4_000);
}

/// P-098, P-099, PG-25: a preview writes nothing, takes no lock, and says what the submission then does.
#[test]
fn a_preview_is_what_a_submission_does() {
    let ground = Ground::new();
    let target = ground.begin("x\nx\nlonely\n");
    for (tool, more) in [
        ("submit_edits", json!({"edits": [{"match": "nope", "replace": ""}]})),
        ("submit_edits", json!({"edits": [{"match": "lonelx", "replace": ""}]})),
        ("submit_edits", json!({"edits": [{"match": "x", "replace": ""}]})),
        ("submit_edits", json!({"edits": []})),
        ("submit_edits", json!({"edits": [{"match": "x\u{0}", "replace": ""}]})),
        ("submit_edits", json!({"edits": [{"match": "lonely", "replace": "l", "nope": 1}]})),
        ("submit_edits", json!({"edits": [{"match": "lonely", "replace": "l"}], "expected_target_version": 7})),
        (
            "submit_edits",
            json!({"edits": [{"match": "lonely", "replace": "l"}], "expected_current_hash": "0".repeat(64)}),
        ),
        (
            "submit_operations",
            json!({"operations": [{"op": "span", "start": 0, "end": 99, "expected_text": "x", "replace": ""}]}),
        ),
        (
            "submit_operations",
            json!({"operations": [{"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "é".repeat(524_289)}]}),
        ),
        ("submit_replacement", json!({"replacement": "a".repeat(1_000_001)})),
        ("submit_edits", json!({"edits": [{"match": "lonely", "replace": "lonely"}]})),
        ("submit_edits", json!({"edits": [{"match": "lonely", "replace": "l"}, {"match": "l\n", "replace": "m\n"}]})),
        (
            "submit_operations",
            json!({"operations": [{"op": "span", "start": 0, "end": 1, "expected_text": "x", "replace": "é"}]}),
        ),
        ("submit_replacement", json!({"replacement": ""})),
    ] {
        let mut request =
            json!({"target_file_id": target.id, "intent": "i", "expected_target_version": ground.now(&target).version});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (log, text) = (ground.log(&target), ground.text(&target));
        ground.switches.calls.borrow_mut().clear();
        let previewed = ground.call("preview", &request);
        assert_eq!(*ground.switches.calls.borrow(), ["view", "target"]);
        assert_eq!((ground.log(&target), ground.text(&target)), (log, text));
        let submitted = ground.call(tool, &request);
        if submitted["status"] == "accepted" {
            assert_eq!(previewed["status"], "ok", "{previewed}");
        } else {
            assert_eq!(previewed["status"], "rejected", "{previewed}");
            assert_eq!(previewed["version"], submitted["current_version"]);
        }
        for same in [
            "failure_reason",
            "failure_detail",
            "failed_change_id",
            "diagnostic",
            "near_misses",
            "evidence",
            "warnings",
            "after_hash",
            "after_version",
        ] {
            assert_eq!(previewed[same], submitted[same], "{same} of {more}");
        }
    }
    let preview = |more: Value| {
        let mut arguments = json!({"target_file_id": target.id});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.call("preview", &arguments)
    };
    let answer = preview(json!({"replacement": "new", "edits": null}));
    assert_eq!((&answer["status"], &answer["first_difference"]["after"]), (&json!("ok"), &json!("new")), "{answer}");
    assert_eq!(preview(json!({}))["status"], "invalid_argument");
    assert_eq!(preview(json!({"replacement": "", "edits": []}))["status"], "invalid_argument");
}
