//! Pages of history: in their order, without a gap, and with the filters that they have.

use serde_json::{Value, json};

use crate::ground::{Ground, Seen};

fn page(ground: &Ground, tool: &str, target: &Seen, more: Value) -> Value {
    let mut arguments = json!({"target_file_id": target.id});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ground.told("ok", tool, &arguments)
}

fn sequences(page: &Value, name: &str) -> Vec<u64> {
    page["entries"].as_array().unwrap().iter().map(|entry| entry[name].as_u64().unwrap()).collect()
}

/// One target with ten accepted attempts of one change each.
fn ten(ground: &Ground) -> Seen {
    let target = ground.begin("0\n");
    for version in 1..=10 {
        ground.told("accepted", "submit_replacement", &json!({"target_file_id": target.id, "intent": "i",
            "expected_target_version": version, "replacement": format!("{version}\n"), "client_request_id": format!("k{version}")}));
    }
    target
}

/// P-173, P-174, P-176, P-177, ambiguity 8: the worked example.
#[test]
fn pages_are_those_of_the_example() {
    let ground = Ground::new();
    let target = ten(&ground);
    let log = page(&ground, "get_pdcp_log", &target, json!({"limit": 3}));
    assert_eq!(
        (sequences(&log, "log_sequence"), &log["has_more"], &log["next_sequence"]),
        (vec![10, 9, 8], &json!(true), &json!(8))
    );
    let ledger = page(&ground, "get_manifest_ledger", &target, json!({"limit": 3}));
    assert_eq!((sequences(&ledger, "ledger_sequence"), &ledger["next_sequence"]), (vec![8, 9, 10], &json!(8)));
    ground.edit(&target, json!([{"match": "10", "replace": "11"}]));
    let next = page(&ground, "get_manifest_ledger", &target, json!({"limit": 3, "before_sequence": 8}));
    assert_eq!(sequences(&next, "ledger_sequence"), [5, 6, 7]);
    let last = page(&ground, "get_pdcp_log", &target, json!({"limit": 3, "before_sequence": 4}));
    assert_eq!(
        (sequences(&last, "log_sequence"), &last["has_more"], &last["next_sequence"]),
        (vec![3, 2, 1], &json!(false), &Value::Null)
    );
    let far = page(&ground, "get_pdcp_log", &target, json!({"before_sequence": u64::MAX, "limit": 5_000}));
    assert_eq!(sequences(&far, "log_sequence").len(), 11);
}

/// P-119, P-171, P-172, P-178: by status, payload and key; a row has all of its members.
#[test]
fn pages_are_filtered() {
    let ground = Ground::new();
    let target = ten(&ground);
    ground.edit(&target, json!([{"match": "nope", "replace": ""}]));
    let only = |more: Value| sequences(&page(&ground, "get_pdcp_log", &target, more), "log_sequence");
    assert_eq!(only(json!({"status": "rejected"})), [11]);
    assert_eq!(only(json!({"status": "accepted"})).len(), 10);
    assert_eq!(only(json!({"status": null})).len(), 11);
    assert_eq!(only(json!({"client_request_id": "k7"})), [7]);
    assert_eq!(only(json!({"client_request_id": "an old key\n"})), [0; 0]);
    let row = page(&ground, "get_pdcp_log", &target, json!({"client_request_id": "k7"}))["entries"][0].clone();
    assert_eq!(only(json!({"content_hash": row["pdcp_content_hash"]})), [7]);
    for name in [
        "pdcp_log_id",
        "log_sequence",
        "status",
        "failure_reason",
        "failure_detail",
        "failed_change_id",
        "before_hash",
        "after_hash",
        "before_version",
        "after_version",
        "pdcp_content_hash",
        "protocol_version",
        "runtime_version",
        "submission_source",
        "parent_pdcp_log_id",
        "regeneration_attempt",
        "regeneration_source",
        "client_request_id",
        "request_fingerprint",
        "diagnostic",
        "created_at",
    ] {
        assert!(row.get(name).is_some(), "{name}");
    }
    assert!(row.get("pdcp_content").is_none());
    assert_eq!((&row["submission_source"], &row["before_version"]), (&json!("model_response"), &json!(7)));
}

/// K-01, P-171: long payloads shorten a page, one that fits into none is told by its length, and no row is lost.
#[test]
fn long_payloads_make_short_pages() {
    let ground = Ground::new();
    let target = ground.begin("0\n");
    for (version, length) in [(1, 10), (2, 20_000), (3, 200_000), (4, 20_000), (5, 20_000)] {
        ground.told(
            "accepted",
            "submit_replacement",
            &json!({"target_file_id": target.id, "intent": "i",
            "expected_target_version": version, "replacement": "a".repeat(length)}),
        );
    }
    let (mut found, mut before) = (Vec::new(), Value::Null);
    loop {
        let read = page(&ground, "get_pdcp_log", &target, json!({"include_content": true, "before_sequence": before}));
        found.extend(read["entries"].as_array().unwrap().clone());
        before = read["next_sequence"].clone();
        if before.is_null() {
            break;
        }
    }
    let lengths: Vec<usize> = found.iter().map(|row| row["pdcp_content"].as_str().map_or(0, str::len)).collect();
    assert_eq!(lengths.len(), 5);
    assert!(lengths[0] > 20_000 && lengths[1] > 20_000 && lengths[2] == 0 && lengths[3] > 20_000 && lengths[4] > 10);
    assert!(found[2]["pdcp_content_omitted_bytes"].as_u64().unwrap() > 200_000);
    assert_eq!(found[4]["log_sequence"], 1);
}

/// P-016, P-150, P-161, P-162, P-174, P-177, ambiguity 10: a save begins a cycle, and the ledger begins anew with it.
#[test]
fn a_save_begins_a_cycle() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    ground.edit(&target, json!([{"match": "a", "replace": "b", "rationale": "why", "risk": "high"}]));
    ground.edit(&target, json!([{"match": "nope", "replace": "b"}]));
    let entries = |previous: bool| {
        page(&ground, "get_manifest_ledger", &target, json!({"include_previous_cycles": previous}))["entries"].clone()
    };
    let before = entries(false);
    assert_eq!(
        (&before[0]["intent"], &before[0]["risk"], &before[0]["origin"]),
        (&json!("why"), &json!("high"), &json!("typed"))
    );
    assert_eq!(before.as_array().unwrap().len(), 1);
    let save = json!({"target_file_id": target.id, "expected_target_version": 2});
    let saved = ground.told("ok", "save", &save);
    assert_eq!((&saved["closed_cycle_id"], &saved["publication"]), (&before[0]["editing_cycle_id"], &Value::Null));
    assert_ne!(saved["cycle_id"], saved["closed_cycle_id"]);
    assert_eq!((entries(false), entries(true)), (json!([]), before));
    ground.edit(&target, json!([{"match": "b", "replace": "c"}]));
    let after = entries(false);
    assert_eq!((&after[0]["editing_cycle_id"], &after[0]["intent"]), (&saved["cycle_id"], &json!("i")));
    assert_eq!(entries(true).as_array().unwrap().len(), 2);
    // P-016: a second save is another checkpoint.
    let again = ground.told(
        "ok",
        "save",
        &json!({"target_file_id": target.id, "expected_current_hash": ground.now(&target).hash}),
    );
    assert_eq!(again["closed_cycle_id"], saved["cycle_id"]);
    ground.replays(&target);
}

/// P-171, P-173, P-174: 50 rows where nothing is said, 200 at the most however many are asked for, and one more row is there or is
/// not, at either bound.
#[test]
fn limits_of_pages_are_clamped() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let same: Vec<Value> = (0..201).map(|_| json!({"match": "a", "replace": "a"})).collect();
    ground.edit(&target, json!(same));
    for _ in 0..200 {
        ground.edit(&target, json!([{"match": "nowhere", "replace": ""}]));
    }
    for (tool, name) in [("get_pdcp_log", "log_sequence"), ("get_manifest_ledger", "ledger_sequence")] {
        for (more, shown, next) in [
            (json!({}), 50, Some(152)),
            (json!({"limit": null}), 50, Some(152)),
            (json!({"limit": 199}), 199, Some(3)),
            (json!({"limit": 200}), 200, Some(2)),
            (json!({"limit": 201}), 200, Some(2)),
            (json!({"limit": u64::MAX}), 200, Some(2)),
            (json!({"limit": 200, "before_sequence": 201}), 200, None),
            (json!({"limit": 199, "before_sequence": 201}), 199, Some(2)),
            (json!({"limit": 1, "before_sequence": 2}), 1, None),
            (json!({"before_sequence": 1}), 0, None),
        ] {
            let mut arguments = json!({"target_file_id": target.id});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let page = ground.within(tool, &arguments, 4 << 20).unwrap();
            let told = (sequences(&page, name).len(), page["next_sequence"].as_u64(), page["has_more"].as_bool());
            assert_eq!(told, (shown, next, Some(next.is_some())), "{tool} {more}");
        }
    }
}
