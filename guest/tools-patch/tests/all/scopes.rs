//! Scopes: listed of a version, observed, and edited together while it is that version.

use serde_json::{Value, json};

use crate::ground::{Ground, Seen};

const TEXT: &str = "# One\n\nfirst\n\n# Two\n\nsecond é\n";

fn list(ground: &Ground, target: &Seen, more: Value) -> Value {
    let mut arguments = json!({"target_file_id": target.id});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ground.told("ok", "list_scopes", &arguments)
}

fn observe(ground: &Ground, listed: &Value, ids: Value) -> Value {
    ground.call("observe_scopes", &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": ids}))
}

fn group(scope: &Value, operations: Value) -> Value {
    json!({"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": operations})
}

fn submit(ground: &Ground, target: &Seen, snapshot: &Value, groups: Value) -> Value {
    let version = ground.now(target).version;
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version,
        "snapshot_id": snapshot, "groups": groups});
    ground.call("submit_observed_batch", &request)
}

/// P-143, PG-28: pages of scopes follow one another, and small rooms make small pages.
#[test]
fn scopes_are_listed_in_pages() {
    let ground = Ground::new();
    let target = ground.begin(TEXT);
    let all = list(&ground, &target, json!({}))["scopes"].as_array().unwrap().clone();
    for (most, room) in [(1, 49_000), (200, 1_500)] {
        let (mut found, mut start) = (Vec::new(), json!(0));
        while !start.is_null() {
            let arguments = json!({"target_file_id": target.id, "start": start, "max_results": most});
            let page = ground.within("list_scopes", &arguments, room).unwrap();
            assert_eq!(page["total_scopes"], all.len());
            found.extend(page["scopes"].as_array().unwrap().clone());
            start = page["next_start"].clone();
        }
        assert_eq!(found, all);
    }
    let headings = list(&ground, &target, json!({"kinds": ["markdown_heading"]}));
    assert!(headings["scopes"].as_array().unwrap().iter().all(|scope| scope["kind"] == "markdown_heading"));
    for kinds in [json!([]), json!(["nope"]), json!("line"), json!([7])] {
        ground.told("invalid_argument", "list_scopes", &json!({"target_file_id": target.id, "kinds": kinds}));
    }
}

/// P-142, P-144, P-146, E-39, P-126: several scopes change in one step, nothing beside them does, and it replays.
#[test]
fn a_batch_changes_its_scopes_alone() {
    let ground = Ground::new();
    let target = ground.begin(TEXT);
    let listed = list(&ground, &target, json!({"kinds": ["line"]}));
    let ids = json!([listed["scopes"][2]["scope_id"], listed["scopes"][6]["scope_id"]]);
    let observed = observe(&ground, &listed, ids);
    let [first, second] = [&observed["scopes"][0], &observed["scopes"][1]];
    assert_eq!((&first["text"], &second["text"]), (&json!("first\n"), &json!("second é\n")));
    let groups = json!([
        group(second, json!([{"op": "span", "start": 7, "end": 8, "expected_text": "é", "replace": "e"}])),
        group(first, json!([{"op": "match", "match": "first", "replace": "1\n2"}])),
    ]);
    let answer = submit(&ground, &target, &observed["snapshot_id"], groups.clone());
    assert_eq!((&answer["status"], &answer["version"]), (&json!("accepted"), &json!(2)), "{answer}");
    assert_eq!(ground.text(&target), TEXT.replace("first", "1\n2").replace('é', "e"));
    assert_eq!(ground.log(&target)[0]["runtime_version"], "patchdiff-observed-batch-r1");
    // The snapshot is of another version by now.
    let stale = submit(&ground, &target, &observed["snapshot_id"], groups);
    assert_eq!(
        (&stale["failure_reason"], &stale["diagnostic"]["retryable"]),
        (&json!("scope_stale"), &json!(true)),
        "{stale}"
    );
    ground.edit(&target, json!([{"match": "second", "replace": "2nd"}]));
    assert_eq!(ground.replays(&target)["replayed_transactions"], 2);
}

/// P-022, P-145, PG-19, PG-28: what is stale, unknown, twice or overlapping is told with its reason, and changes nothing.
#[test]
fn what_is_no_scope_is_told() {
    let ground = Ground::new();
    let (target, other) = (ground.begin(TEXT), ground.begin(TEXT));
    let listed = list(&ground, &target, json!({"kinds": ["line", "markdown_heading"]}));
    let scopes = listed["scopes"].as_array().unwrap();
    let ids: Vec<&Value> = scopes.iter().map(|scope| &scope["scope_id"]).collect();
    for wrong in [
        "line:0-5",
        "line:00-6",
        "line:+0-6",
        "nope:0-6",
        "line",
        "line:9-1",
        "",
        "function:0-6",
        "line:0-99999999999999999999",
    ] {
        let answer = observe(&ground, &listed, json!([wrong]));
        assert_eq!(
            (&answer["status"], &answer["failure_reason"]),
            (&json!("rejected"), &json!("scope_unknown")),
            "{wrong}"
        );
    }
    for wrong in [
        json!([]),
        json!("line:0-6"),
        json!([7]),
        json!(["line:0-6", "line:0-6"]),
        json!(vec!["line:0-6"; 17]),
        Value::Null,
    ] {
        assert_eq!(observe(&ground, &listed, wrong.clone())["status"], "invalid_argument", "{wrong}");
    }
    for id in ["nope", "00000000-0000-4000-8000-000000000000", ""] {
        ground.told("not_found", "observe_scopes", &json!({"snapshot_id": id, "scope_ids": ["line:0-6"]}));
    }
    let observed = observe(&ground, &listed, json!(ids));
    let of =
        |id: &str| observed["scopes"].as_array().unwrap().iter().find(|scope| scope["scope_id"] == id).unwrap().clone();
    let whole = observed["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|scope| scope["kind"] == "markdown_heading")
        .unwrap()
        .clone();
    let line = of("line:0-6");
    let change = json!([{"op": "match", "match": "One", "replace": "1"}]);
    let mut lied = line.clone();
    lied["sha256"] = json!("0".repeat(64));
    let mut strange = line.clone();
    strange["scope_id"] = json!("line:0-7");
    for (groups, reason) in [
        (json!([group(&lied, change.clone())]), "target_hash_mismatch"),
        (json!([group(&strange, change.clone())]), "scope_unknown"),
        (json!([group(&line, change.clone()), group(&line, change.clone())]), "manifest_invalid"),
        (json!([group(&line, change.clone()), group(&whole, change.clone())]), "manifest_invalid"),
        (json!([group(&line, json!([{"op": "match", "match": "first", "replace": ""}]))]), "match_absent"),
        (json!([]), "manifest_invalid"),
    ] {
        let answer = submit(&ground, &target, &observed["snapshot_id"], groups);
        assert_eq!((&answer["status"], &answer["failure_reason"]), (&json!("rejected"), &json!(reason)), "{answer}");
    }
    // A snapshot without observed scopes, one that is not there, and another target's.
    for (target, snapshot) in [
        (&target, &listed["snapshot_id"]),
        (&target, &json!("nope")),
        (&target, &json!("a\u{1}")),
        (&other, &observed["snapshot_id"]),
    ] {
        let answer = submit(&ground, target, snapshot, json!([group(&line, change.clone())]));
        assert_eq!(answer["failure_reason"], "scope_unknown", "{answer}");
    }
    ground.become_owner("another");
    ground.told(
        "not_found",
        "observe_scopes",
        &json!({"snapshot_id": listed["snapshot_id"], "scope_ids": ["line:0-6"]}),
    );
    ground.become_owner("");
    assert_eq!(ground.text(&target), TEXT);
    ground.edit(&target, json!([{"match": "One", "replace": "1"}]));
    assert_eq!(observe(&ground, &listed, json!(["line:0-4"]))["failure_reason"], "scope_stale");
}
