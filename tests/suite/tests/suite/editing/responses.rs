//! How much an agent is told: both modes through the program, on one database.

use std::process::Stdio as Pipe;

use serde_json::{Value, json};

use super::{Ground, call, printed};
use crate::program::{Stdio, assay};

fn start(ground: &Ground, mode: &str) -> Stdio {
    let mut settings = ground.settings();
    settings.push(("PATCHDIFF_MCP_RESPONSE_MODE", mode.to_owned()));
    Stdio::start_with("", "", &settings)
}

/// P-012, PG-06: another value stops the start, before anything is written.
#[test]
fn another_mode_stops_the_start() {
    let ground = Ground::new();
    for mode in ["loud", "", "Compact", "detailed "] {
        for (flag, variable) in [(None, Some(mode)), (Some(format!("--response-mode={mode}")), None)] {
            let mut command = assay();
            command.arg("stdio").args(flag).envs(ground.settings()).stdin(Pipe::null());
            command.envs(variable.map(|mode| ("PATCHDIFF_MCP_RESPONSE_MODE", mode)));
            let output = command.output().expect("the program runs");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{mode:?}: {stderr}");
            let said = ["PATCHDIFF_MCP_RESPONSE_MODE", "--response-mode"].iter().any(|name| stderr.contains(name));
            assert!(said && (mode.is_empty() || stderr.contains("compact")), "{mode:?}: {stderr}");
        }
    }
}

/// P-012, P-013, P-014, P-142, PG-06: what succeeds by observed parts is cut to the published shape, and by nothing else is
/// the other shape larger; the attempt itself, and what it is known by, is the same in either.
#[test]
fn compact_is_a_part_of_detailed() {
    let schemas = printed(&["tools", "--schema", "results"]);
    let ground = Ground::new();
    let (mut detailed, mut compact) = (start(&ground, "detailed"), start(&ground, "compact"));
    let made = call(&mut detailed, "initialize_target", json!({"content": "# one\n\nalpha\n\n# two\n\nbeta\n"}));
    let id = &made["target_file_id"];
    let mut both = |tool: &str, arguments: &Value| {
        let answers = [call(&mut detailed, tool, arguments.clone()), call(&mut compact, tool, arguments.clone())];
        for (answer, mode) in answers.iter().zip(["detailed", "compact"]) {
            let schema = &schemas[format!("patchdiff_{tool}")][mode];
            let rule = jsonschema::validator_for(schema).expect("a sound schema");
            if let Some(error) = rule.iter_errors(answer).next() {
                panic!("{tool} {mode}: {error}: {answer}");
            }
        }
        let lengths = answers.each_ref().map(|answer| answer.to_string().len());
        assert!(lengths[1] < lengths[0], "{tool}: {lengths:?}");
        answers
    };
    let [listed, _] = both("list_scopes", &json!({"target_file_id": id, "max_results": 3}));
    let two = json!({"target_file_id": id, "kinds": ["markdown_heading"]});
    let [_, short] = both("list_scopes", &two);
    assert!(listed["next_start"].is_u64() && short["next_start"].is_null());
    // What the compact listing says suffices for the next call, and so on to the end.
    let observe = json!({"snapshot_id": short["snapshot_id"], "scope_ids": [short["scopes"][1]["scope_id"]]});
    let [_, short] = both("observe_scopes", &observe);
    let scope = &short["scopes"][0];
    assert_eq!(scope["text"], json!("# two\n\nbeta\n"));
    let batch = |replace: &str, key: &str| {
        json!({"target_file_id": id, "intent": "b", "snapshot_id": short["snapshot_id"], "expected_target_version": short["version"], "client_request_id": key, "correlation_id": "c",
            "groups": [{"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": [{"op": "match", "match": "beta", "replace": replace}]}]})
    };
    let [whole, cut] = both("submit_observed_batch", &batch("beta", "k"));
    assert_eq!((&whole["deduplicated"], &cut["deduplicated"]), (&json!(false), &json!(true)), "it is the same request");
    let names: Vec<&String> = cut.as_object().expect("members").keys().collect();
    assert_eq!(
        names,
        [
            "correlation_id",
            "current_hash",
            "deduplicated",
            "pdcp_log_id",
            "status",
            "target_file_id",
            "validity",
            "version",
            "warnings"
        ]
    );
    for name in names.into_iter().filter(|name| *name != "deduplicated") {
        assert_eq!(cut[name], whole[name], "{name}");
    }
    assert_eq!(whole["evidence"]["total_changes"], json!(1));

    // What fails is told in full, and so is what succeeds by other tools.
    let stale = json!({"snapshot_id": short["snapshot_id"], "scope_ids": [scope["scope_id"]]});
    let rejected = batch("x", "k2");
    let log = json!({"target_file_id": id});
    for (tool, arguments) in [
        ("observe_scopes", &stale),
        ("list_scopes", &json!({"target_file_id": "none"})),
        ("submit_observed_batch", &rejected),
        ("get_pdcp_log", &log),
        ("replay_target", &log),
        (
            "submit_edits",
            &json!({"target_file_id": id, "intent": "e", "expected_target_version": 2, "client_request_id": "k3", "edits": [{"match": "alpha", "replace": "a"}]}),
        ),
    ] {
        let mut whole = call(&mut detailed, tool, arguments.clone());
        let mut other = call(&mut compact, tool, arguments.clone());
        for answer in [&mut whole, &mut other] {
            // A recovery says that it is one.
            answer.as_object_mut().expect("members").remove("deduplicated");
        }
        assert_eq!(whole, other, "{tool}");
    }
    let rows = call(&mut compact, "get_pdcp_log", json!({"target_file_id": id, "include_content": true}));
    let row = &rows["entries"][2];
    assert_eq!((&row["pdcp_log_id"], &row["client_request_id"]), (&whole["pdcp_log_id"], &json!("k")), "{rows}");
    assert!(row["pdcp_content"].as_str().is_some_and(|content| content.contains(r#""match":"beta""#)), "{row}");
}

/// P-012, P-014: without a word of it, everything is told; the flag goes before the variable, and `assay call` tells all.
#[test]
fn detailed_is_the_default() {
    let ground = Ground::new();
    let mut program = ground.start();
    let made = call(&mut program, "initialize_target", json!({"content": "a\n"}));
    let arguments = json!({"target_file_id": made["target_file_id"]});
    let listed = call(&mut program, "list_scopes", arguments.clone());
    assert!(listed["total_scopes"].is_u64() && listed["scopes"][0]["parser"].is_string(), "{listed}");
    let mut command = assay();
    let command = command.args(["call", "patchdiff_list_scopes", &arguments.to_string()]).envs(ground.settings());
    let output = command.env("PATCHDIFF_MCP_RESPONSE_MODE", "compact").output().expect("the program runs");
    let called: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(called["total_scopes"].is_u64(), "{called}");
}
