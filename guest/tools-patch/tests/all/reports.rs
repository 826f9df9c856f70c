//! What users met elsewhere, as the editing tools answer it here.

use serde_json::json;

use crate::ground::Ground;

/// E-01, PG-24, P-090, P-091: a tab for spaces is absent, and near as far as a third of the text goes; what is asked for
/// is stored, and the ranking is not.
#[test]
fn e_01_tab_for_spaces() {
    let ground = Ground::new();
    let target = ground.begin("\tfoo\n");
    let answer = ground.edit(&target, json!([{"match": "    foo", "replace": "x"}]));
    assert_eq!(answer["failure_reason"], "match_absent");
    assert_eq!((&answer["near_misses"]["misses"], &answer["near_misses"]["complete"]), (&json!([]), &json!(true)));
    let answer = ground.edit(&target, json!([{"match": " foo", "replace": "x"}]));
    let first = &answer["near_misses"]["misses"][0];
    assert_eq!((&first["start"], &first["end"], &first["distance"]), (&json!(1), &json!(4), &json!(1)), "{answer}");
    assert_eq!(first["text"], "foo");
    assert!(answer.to_string().contains(r"\tfoo"));
    assert!(!ground.log(&target)[0].to_string().contains("misses"));
}

/// E-03, P-020: whitespace is never guessed.
#[test]
fn e_03_space_for_tab() {
    let ground = Ground::new();
    let target = ground.begin("a\tb\n");
    assert_eq!(ground.edit(&target, json!([{"match": " ", "replace": ""}]))["failure_reason"], "match_absent");
    assert_eq!(ground.text(&target), "a\tb\n");
}

/// E-27, E-26, P-116: a key gives its outcome however much was edited since, and inserts once.
#[test]
fn e_26_e_27_a_key_is_for_one_outcome() {
    let ground = Ground::new();
    let target = ground.begin("end\n");
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "edits": [{"match": "end", "replace": "one\nend"}]});
    let first = ground.told("accepted", "submit_edits", &request);
    for _ in 0..1_000 {
        ground.told(
            "accepted",
            "submit_replacement",
            &json!({"target_file_id": target.id, "intent": "i",
            "expected_target_version": ground.now(&target).version, "replacement": "one\nend\n"}),
        );
    }
    let again = ground.told("accepted", "submit_edits", &request);
    assert_eq!((&again["deduplicated"], &again["pdcp_log_id"]), (&json!(true), &first["pdcp_log_id"]));
    assert_eq!((&again["version"], &again["current_version"]), (&json!(2), &json!(1_002)));
    assert_eq!(ground.text(&target), "one\nend\n");
}

/// E-30: edits need not follow the text.
#[test]
fn e_30_edits_in_any_order() {
    let ground = Ground::new();
    let text: String = (1..=100).map(|line| format!("line {line};\n")).collect();
    let target = ground.begin(&text);
    let edits = json!([{"match": "line 90;", "replace": "ninety"}, {"match": "line 10;", "replace": "ten"}]);
    assert_eq!(ground.edit(&target, edits)["status"], "accepted");
    assert_eq!(ground.text(&target), text.replace("line 90;", "ninety").replace("line 10;", "ten"));
}

/// E-31, P-062, P-063: the same text is a transaction, and says that it changed nothing; so does its recovery.
#[test]
fn e_31_nothing_changed() {
    let ground = Ground::new();
    let target = ground.begin("x\n");
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_current_hash": target.hash,
        "client_request_id": "k", "edits": [{"match": "x", "replace": "x"}]});
    let first = ground.told("accepted", "submit_edits", &request);
    let kinds = first["warnings"].to_string();
    assert!(kinds.contains("no_op_change") && kinds.contains("no_op_transaction"), "{kinds}");
    assert_eq!((&first["after_version"], &first["after_hash"]), (&json!(2), &json!(target.hash)));
    let again = ground.told("accepted", "submit_edits", &request);
    assert_eq!((&again["warnings"], &again["evidence"]), (&first["warnings"], &first["evidence"]));
    assert_eq!(ground.log(&target)[0]["warnings"], first["warnings"]);
}

/// E-33, E-35, P-089: several places are told, and none is chosen.
#[test]
fn e_33_e_35_ambiguous() {
    let ground = Ground::new();
    for (text, sought, count) in [("a\na\na", "a\na", 2), ("}\n}\n}\n", "}", 3), ("x x x x x x x", "x", 7)] {
        let target = ground.begin(text);
        let answer = ground.edit(&target, json!([{"match": sought, "replace": "y"}]));
        assert_eq!(answer["failure_reason"], "match_ambiguous");
        assert_eq!(answer["diagnostic"]["occurrence_count"], count);
        assert_eq!(answer["diagnostic"]["exact_candidates"].as_array().unwrap().len(), count.min(5));
        let edit = json!([{"match": sought, "replace": "y", "occurrence_index": count}]);
        assert_eq!(ground.edit(&target, edit)["status"], "accepted");
    }
}

/// E-34: what differs is shown.
#[test]
fn e_34_a_number_differs() {
    let ground = Ground::new();
    let target = ground.begin("func f() {\n\tx := 1\n\ty := 2\n}\n");
    let answer = ground.edit(&target, json!([{"match": "x := 1\n\ty := 99\n}", "replace": ""}]));
    assert_eq!(answer["failure_reason"], "match_absent");
    let first = &answer["near_misses"]["misses"][0];
    assert_eq!((&first["text"], &first["distance"]), (&json!("x := 1\n\ty := 2\n}"), &json!(2)), "{answer}");
}

/// E-36, E-42, P-027: what looks like another tool's markers is text.
#[test]
fn e_42_markers_are_text() {
    let ground = Ground::new();
    let target = ground.begin("<<<<<<< SEARCH\n:start_line:1\n=======\n>>>>>>> REPLACE\n");
    let edit = json!([{"match": "<<<<<<< SEARCH\n:start_line:1", "replace": "a"}]);
    assert_eq!(ground.edit(&target, edit)["status"], "accepted");
    assert_eq!(ground.text(&target), "a\n=======\n>>>>>>> REPLACE\n");
}

/// E-37, PG-25: an answer about much is bounded, counts what it leaves out, and is given once it is stored.
#[test]
fn e_37_answers_are_bounded() {
    let ground = Ground::new();
    let text: String = (0..3_000).map(|line| format!("<{line}>{}\n", "é".repeat(150))).collect();
    let target = ground.begin(&text);
    let edits: Vec<_> =
        (0..3_000).map(|line| json!({"match": format!("<{line}>"), "replace": format!("<{line}>")})).collect();
    for room in [12_000, 100_000] {
        let request = json!({"target_file_id": target.id, "intent": "i", "edits": edits,
            "expected_target_version": ground.now(&target).version});
        let previewed = ground.within("preview", &request, room).unwrap();
        let answer = ground.within("submit_edits", &request, room).unwrap();
        for answer in [answer, previewed] {
            assert!(answer.to_string().len() <= 32_768);
            let evidence = &answer["evidence"];
            let shown = evidence["changes"].as_array().unwrap().len() as u64;
            assert_eq!(
                (&evidence["total_changes"], evidence["omitted_changes"].as_u64()),
                (&json!(3_000), Some(3_000 - shown))
            );
            assert_eq!(answer["omitted_warnings"], 3_001 - 64);
        }
    }
    assert_eq!(ground.now(&target).version, 3);
    let long = json!([{"match": "\u{1}\"".repeat(3_000), "replace": ""}]);
    let request = json!({"target_file_id": target.id, "intent": "i", "edits": long, "expected_target_version": 3});
    for room in [3_000, 6_000, 49_000] {
        let answer = ground.within("submit_edits", &request, room).unwrap();
        assert_eq!(answer["failure_reason"], "match_absent");
    }
}

/// E-38: a window far into a long text is read, and edited there.
#[test]
fn e_38_a_long_text() {
    let ground = Ground::new();
    let target = ground.begin(&format!("{}needle{}", "a".repeat(999_000), "b".repeat(994)));
    let window = ground.call("read_target", &json!({"target_file_id": target.id, "start": 999_000, "length": 6}));
    assert_eq!(window["text"], "needle");
    assert_eq!(ground.edit(&target, json!([{"match": "needle", "replace": "N"}]))["status"], "accepted");
    ground.replays(&target);
}
