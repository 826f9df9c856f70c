//! What an agent finds of guarded editing: the profiles, complete schemas, and examples that run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Ground, call, printed};
use crate::program::{Stdio, page};

const TEXT: &str = "# Notes\n\nalpha beta\nbeta\n";

fn listed(program: &mut Stdio) -> BTreeMap<String, Value> {
    let response = program.exchange(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let listed: Value = serde_json::from_str(&response).expect("JSON");
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let named = |tool: &Value| (tool["name"].as_str().expect("a name").to_owned(), tool.clone());
    tools.iter().map(named).collect()
}

/// The examples that the tools come with, by tool.
fn examples() -> BTreeMap<String, Vec<Value>> {
    let examples = include_str!("../../../../../guest/tools-patch/examples.json");
    serde_json::from_str(examples).expect("JSON")
}

/// P-001, P-002, P-003, P-004, PG-01, PG-02: three profiles of named tools beside the full one, and no other tool is there.
#[test]
fn a_profile_is_its_tools() {
    let prefixed = |names: &[&str]| names.iter().map(|name| format!("patchdiff_{name}")).collect::<BTreeSet<_>>();
    let workspace = prefixed(&["initialize_target", "read_target", "find_occurrences", "submit_edits", "save"]);
    let observed =
        prefixed(&["list_scopes", "observe_scopes", "submit_observed_batch", "read_target", "find_occurrences"]);
    let observed_workspace: BTreeSet<_> = observed.union(&prefixed(&["initialize_target", "save"])).cloned().collect();
    let mut full = BTreeSet::new();
    for (profile, tools) in [
        ("full", None),
        ("observed_workspace", Some(observed_workspace)),
        ("workspace", Some(workspace)),
        ("observed_v2", Some(observed)),
    ] {
        let ground = Ground::new();
        let mut settings = ground.settings();
        settings.push(("PATCHDIFF_MCP_PROFILE", profile.to_owned()));
        let mut program = Stdio::start_with("", "", &settings);
        let names: BTreeSet<String> = listed(&mut program).into_keys().collect();
        match tools {
            None => full = names,
            Some(tools) => {
                assert_eq!(names, tools, "{profile}");
                for hidden in full.difference(&names) {
                    let answer = program.call(hidden, &json!({}));
                    assert!(
                        answer.contains("-32602") && answer.contains("Unknown tool"),
                        "{profile} {hidden}: {answer}"
                    );
                }
            }
        }
        assert_eq!(program.end(), Some(0));
    }
    assert_eq!(full.len(), 18);
}

/// P-002, P-004, P-006, P-007, P-008, P-164: the first profile suffices from the file to the file.
#[test]
fn the_first_profile_is_enough_for_a_file() {
    let ground = Ground::new();
    std::fs::write(ground.file(), TEXT).expect("there is room");
    let mut settings = ground.settings();
    settings.push(("PATCHDIFF_MCP_PROFILE", "observed_workspace".to_owned()));
    let mut program = Stdio::start_with("", "", &settings);
    let made = call(&mut program, "initialize_target", json!({"from_workspace": true, "path": "notes.txt"}));
    let id = &made["target_file_id"];
    let listed = call(&mut program, "list_scopes", json!({"target_file_id": id, "kinds": ["line"]}));
    let scopes = [&listed["scopes"][2]["scope_id"], &listed["scopes"][3]["scope_id"]];
    let observed = json!({"snapshot_id": listed["snapshot_id"], "scope_ids": scopes});
    let observed = call(&mut program, "observe_scopes", observed);
    let group = |scope: &Value| json!({"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": [{"op": "match", "match": "beta", "replace": "delta"}]});
    let groups: Vec<Value> = observed["scopes"].as_array().expect("both").iter().map(group).collect();
    let batch = json!({"target_file_id": id, "intent": "Rename beta", "snapshot_id": observed["snapshot_id"], "expected_target_version": 1, "groups": groups});
    let done = call(&mut program, "submit_observed_batch", batch);
    assert_eq!((&done["status"], &done["version"]), (&json!("accepted"), &json!(2)), "{done}");
    assert_eq!(std::fs::read_to_string(ground.file()).expect("it is there"), TEXT);
    let save = json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 2});
    assert_eq!(call(&mut program, "save", save)["status"], json!("ok"));
    let saved = std::fs::read_to_string(ground.file()).expect("it is there");
    assert_eq!(saved, TEXT.replace("beta", "delta"));
}

/// P-018, P-032, P-033, P-041, P-056, ambiguity 13: every member of a transaction is advertised, and nothing that clients
/// refuse.
#[test]
fn the_list_has_whole_schemas() {
    let ground = Ground::new();
    let mut program = ground.start();
    let tools = listed(&mut program);
    let names = |schema: &Value| -> BTreeSet<String> {
        schema["properties"].as_object().expect("members").keys().cloned().collect()
    };
    let set = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let change = ["change_id", "rationale", "risk"];
    let selected = ["match", "replace", "occurrence_index", "anchor_before", "anchor_after"];
    let spans = ["op", "start", "end", "expected_text", "expected_before", "expected_after"];
    let submission = [
        "target_file_id",
        "intent",
        "expected_target_version",
        "expected_current_hash",
        "source",
        "parent_pdcp_log_id",
        "attempt",
        "client_request_id",
        "correlation_id",
    ];
    let operation = [&change[..], &selected, &spans].concat();
    let group = ["scope_id", "expected_scope_sha256", "operations"];
    for (tool, own, items) in [
        ("submit_edits", vec!["edits"], Some([&change[..], &selected].concat())),
        ("submit_operations", vec!["operations"], Some(operation.clone())),
        ("submit_replacement", [&change[..], &["replacement"]].concat(), None),
        ("submit_observed_batch", vec!["snapshot_id", "groups"], Some(group.to_vec())),
    ] {
        let schema = &tools[&format!("patchdiff_{tool}")]["inputSchema"];
        assert_eq!(names(schema), set(&[&submission[..], &own].concat()), "{tool}");
        assert_eq!((&schema["additionalProperties"], schema.get("anyOf")), (&json!(false), None), "{tool}");
        if let (Some(expected), Some(list)) = (items, own.last()) {
            let items = &schema["properties"][list]["items"];
            assert_eq!((names(items), &items["additionalProperties"]), (set(&expected), &json!(false)), "{tool}");
            assert_eq!(schema["properties"][list]["minItems"], json!(1), "{tool}");
        }
    }
    let groups = &tools["patchdiff_submit_observed_batch"]["inputSchema"]["properties"]["groups"];
    assert_eq!(names(&groups["items"]["properties"]["operations"]["items"]), set(&operation));
}

/// P-057, PG-13: each example is a call that succeeds, on a target of its own; a tool's take 8,192 bytes at the most.
#[test]
fn the_examples_run() {
    let examples = examples();
    assert_eq!(examples.values().map(Vec::len).sum::<usize>(), 13);
    let ground = Ground::new();
    let mut program = ground.start();
    let tools = listed(&mut program);
    for (tool, examples) in &examples {
        assert!(json!(examples).to_string().len() <= 8_192, "{tool}");
        let rule = jsonschema::validator_for(&tools[tool]["inputSchema"]).expect("a sound schema");
        for example in examples {
            let arguments = on_a_target(&mut program, &example["arguments"]);
            assert!(rule.is_valid(&arguments), "{tool}: {arguments}");
            let answer = page(&program.call(tool, &arguments));
            let wanted = if tool.contains("submit") { "accepted" } else { "ok" };
            assert_eq!(answer["status"], wanted, "{tool}, {}: {answer}", example["title"]);
        }
    }
    assert_eq!(program.end(), Some(0));
}

/// P-034, P-040, P-146, X-04, ambiguity 13: the full schemas have the rule of the guard, and the tools keep it.
#[test]
fn the_full_schemas_say_what_the_tools_do() {
    let schemas = printed(&["tools", "--schema", "full"]);
    let schemas = schemas.as_object().expect("by tool");
    let ground = Ground::new();
    let mut program = ground.start();
    let tools = listed(&mut program);
    assert_eq!(schemas.keys().collect::<Vec<_>>(), tools.keys().collect::<Vec<_>>());
    let one = printed(&["tools", "--tools", "patchdiff_save,get_file", "--schema", "full"]);
    assert_eq!(one, json!({"patchdiff_save": schemas["patchdiff_save"]}));

    let mut examples = examples();
    examples.insert("patchdiff_restore_target".to_owned(), vec![json!({"arguments": {"target_file_id": "{{target_file_id}}", "to_version": 1, "expected_target_version": 1}})]);
    let mut guarded = BTreeSet::new();
    for (tool, examples) in &examples {
        let rule = jsonschema::validator_for(&schemas[tool]).expect("a sound schema");
        for example in examples {
            let arguments = on_a_target(&mut program, &example["arguments"]);
            // Whatever the schema says may be null may be.
            let nulled = with_nulls(&schemas[tool], &arguments);
            assert!(rule.is_valid(&nulled), "{tool}: {nulled}");
            if let Some(without) = without_guard(&arguments) {
                let answer = page(&program.call(tool, &without));
                let is_told = answer["failure_reason"] == json!("context_missing")
                    || answer["detail"].as_str().is_some_and(|detail| detail.contains("expected_target_version"));
                assert_eq!((is_told, rule.is_valid(&without)), (true, false), "{tool}: {answer}");
                assert!(schemas[tool]["anyOf"].is_array() && tools[tool]["inputSchema"].get("anyOf").is_none());
                guarded.insert(tool.clone());
            }
            let answer = page(&program.call(tool, &nulled));
            assert!([json!("ok"), json!("accepted")].contains(&answer["status"]), "{tool} {nulled}: {answer}");
        }
    }
    // The two whose examples would need more than a target.
    let operations = json!([{"op": "match", "match": "alpha", "replace": ""}]);
    let hash = "0".repeat(64);
    let groups = json!([{"scope_id": "s", "expected_scope_sha256": hash, "operations": operations}]);
    let batch = json!({"target_file_id": "{{target_file_id}}", "intent": "i", "snapshot_id": "s", "groups": groups});
    let item = json!({"target_file_id": "{{target_file_id}}", "format": "patchdiff-tx/2", "operations": operations});
    for (tool, unguarded) in [
        ("patchdiff_submit_observed_batch", batch),
        ("patchdiff_submit_bundle", json!({"intent": "i", "items": [item]})),
    ] {
        let unguarded = on_a_target(&mut program, &unguarded);
        let rule = jsonschema::validator_for(&schemas[tool]).expect("a sound schema");
        assert!(!rule.is_valid(&unguarded), "{tool}");
        let answer = program.call(tool, &unguarded);
        assert!(answer.contains("context_missing"), "{tool}: {answer}");
        guarded.insert(tool.to_owned());
    }
    let bundle = json!({"intent": "i", "items": [{"target_file_id": "{{target_file_id}}", "format": "patchdiff-tx/2", "operations": operations, "expected_target_version": 1}]});
    let bundle = with_nulls(&schemas["patchdiff_submit_bundle"], &on_a_target(&mut program, &bundle));
    let answer = page(&program.call("patchdiff_submit_bundle", &bundle));
    assert_eq!(answer["status"], json!("accepted"), "{bundle}: {answer}");
    let has_rule =
        |schema: &Value| [schema, &schema["properties"]["items"]["items"]].iter().any(|at| at["anyOf"].is_array());
    let with_rule: BTreeSet<String> =
        schemas.iter().filter(|(_, schema)| has_rule(schema)).map(|(tool, _)| tool.clone()).collect();
    assert_eq!(with_rule, guarded);
}

/// An example's arguments about a new target.
fn on_a_target(program: &mut Stdio, arguments: &Value) -> Value {
    let made = call(program, "initialize_target", json!({"content": TEXT}));
    let text = |name: &str| made[name].as_str().expect("text").to_owned();
    let arguments = arguments.to_string().replace("{{target_file_id}}", &text("target_file_id"));
    serde_json::from_str(&arguments.replace("{{current_hash}}", &text("current_hash"))).expect("JSON")
}

/// The same without a guard; nothing where it had none.
fn without_guard(arguments: &Value) -> Option<Value> {
    let mut members = arguments.as_object().expect("an object").clone();
    let had = ["expected_target_version", "expected_current_hash"].map(|guard| members.remove(guard));
    // Another request has another key.
    members.remove("client_request_id");
    had.iter().any(Option::is_some).then_some(Value::Object(members))
}

/// The same with null for everything that is not there and may be null.
fn with_nulls(schema: &Value, value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members = members.clone();
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let may_be_null = property["type"].as_array().is_some_and(|kinds| kinds.contains(&json!("null")));
                match members.get_mut(name) {
                    Some(value) => *value = with_nulls(property, value),
                    None if may_be_null => drop(members.insert(name.clone(), Value::Null)),
                    None => {}
                }
            }
            Value::Object(members)
        }
        Value::Array(items) => items.iter().map(|item| with_nulls(&schema["items"], item)).collect(),
        other => other.clone(),
    }
}
