//! Numbers, truths and ids as JSON may spell them: an integer is one by how it is written.

use serde_json::{Value, json};

use crate::ground::{Ground, ROOM};

/// Spellings that are an integer in no argument.
const NONE: [&str; 11] = ["1.0", "1e0", "1E0", "10e-1", "true", "false", "-1", "0.5", r#""1""#, "[1]", "{}"];

/// P-034, P-035, P-038, P-046, P-079, P-066: guards, attempts and selectors by their spelling: what is no integer of the range is
/// refused and kept as it was given, at both ends of each range; negative zero is zero.
#[test]
fn members_of_a_request_have_their_ranges() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let submit = |more: &str| {
        let request = format!(
            r#"{{"target_file_id":"{}","intent":"i","edits":[{{"match":"x","replace":"y"}}]{more}}}"#,
            target.id
        );
        ground.raw("submit_edits", &request, ROOM).unwrap()
    };
    let hash = format!(r#","expected_current_hash":"{}""#, target.hash);
    for (member, more) in [("expected_target_version", &hash), ("attempt", &hash)] {
        for spelled in NONE.into_iter().chain(["9223372036854775808", "18446744073709551616", "-9223372036854775809"]) {
            let answer = submit(&format!(r#","{member}":{spelled}{more}"#));
            assert_eq!(answer["failure_reason"], "context_invalid", "{member} {spelled}: {answer}");
            assert_eq!(answer["validity"]["protocol_valid"], false);
            let raw = &answer["diagnostic"][format!("raw_{member}")];
            let told = if raw.is_object() { raw["text"].clone() } else { raw.clone() };
            let given: Value = serde_json::from_str(spelled).unwrap();
            let same = told == given
                || told == json!(spelled)
                || told == json!(given.to_string())
                || told.as_f64() == given.as_f64();
            assert!(same, "{member} {spelled}: {raw}");
            let row = &ground.log(&target).first().cloned().unwrap_or_else(|| panic!("{spelled}"));
            assert_eq!(row["regeneration_attempt"], Value::Null);
        }
    }
    for (spelled, reason) in [
        ("0", "target_version_mismatch"),
        ("-0", "target_version_mismatch"),
        ("2", "target_version_mismatch"),
        ("9223372036854775807", "target_version_mismatch"),
        ("1", "match_absent"),
        ("null", "context_missing"),
    ] {
        assert_eq!(submit(&format!(r#","expected_target_version":{spelled}"#))["failure_reason"], reason, "{spelled}");
    }
    for (spelled, reason) in [
        ("1", "match_absent"),
        ("2147483647", "match_absent"),
        ("null", "match_absent"),
        ("0", "context_invalid"),
        ("-0", "context_invalid"),
        ("2147483648", "context_invalid"),
    ] {
        assert_eq!(submit(&format!(r#","attempt":{spelled}{hash}"#))["failure_reason"], reason, "{spelled}");
    }
    let selected = |spelled: &str| {
        let request = format!(
            r#"{{"target_file_id":"{}","intent":"i","edits":[{{"match":"a","replace":"y","occurrence_index":{spelled}}}]{hash}}}"#,
            target.id
        );
        ground.raw("submit_edits", &request, ROOM).unwrap()
    };
    for spelled in NONE.into_iter().chain(["0", "-0"]) {
        let answer = selected(spelled);
        let told = (&answer["failure_reason"], &answer["diagnostic"]["validation_stage"], &answer["failed_change_id"]);
        assert_eq!(
            told,
            (&json!("disambiguation_invalid"), &json!("PROTOCOL_VALIDATION"), &json!("chg_001")),
            "{spelled}"
        );
    }
    for spelled in ["2", "9223372036854775807", "9223372036854775808", "18446744073709551616"] {
        let answer = selected(spelled);
        let told = (&answer["failure_reason"], &answer["diagnostic"]["validation_stage"]);
        assert_eq!(told, (&json!("disambiguation_invalid"), &json!("TRANSACTION_APPLICABILITY")), "{spelled}");
    }
    assert_eq!(selected("1")["status"], "accepted");
}

/// P-166, P-167, P-169, P-171, P-174, P-175, PG-32: the numbers that reads take: no truth and no fraction is one, zero only where it
/// counts from there, and what is too large is the largest.
#[test]
fn arguments_of_reads_have_their_ranges() {
    let ground = Ground::new();
    let target = ground.begin("a\nb\n");
    ground.edit(&target, json!([{"match": "a", "replace": "c"}]));
    let ask = |tool: &str, member: &str, spelled: &str| {
        let text = if tool == "find_occurrences" { r#","text":"b""# } else { "" };
        let arguments = format!(r#"{{"target_file_id":"{}"{text},"{member}":{spelled}}}"#, target.id);
        ground.raw(tool, &arguments, ROOM).unwrap()
    };
    for (tool, member, least) in [
        ("read_target", "start", 0),
        ("read_target", "length", 1),
        ("export_target", "start", 0),
        ("export_target", "length", 1),
        ("read_lines", "start_line", 1),
        ("read_lines", "max_lines", 1),
        ("read_lines", "max_chars", 1),
        ("find_occurrences", "context_chars", 0),
        ("find_occurrences", "start_occurrence", 1),
        ("find_occurrences", "max_results", 1),
        ("list_scopes", "start", 0),
        ("list_scopes", "max_results", 1),
        ("get_pdcp_log", "limit", 1),
        ("get_pdcp_log", "before_sequence", 1),
        ("get_manifest_ledger", "limit", 1),
        ("get_manifest_ledger", "before_sequence", 1),
    ] {
        for spelled in NONE {
            let answer = ask(tool, member, spelled);
            assert_eq!(answer["status"], "invalid_argument", "{tool} {member} {spelled}: {answer}");
        }
        for spelled in ["0", "-0"] {
            let wanted = if least == 0 { "ok" } else { "invalid_argument" };
            assert_eq!(ask(tool, member, spelled)["status"], wanted, "{tool} {member} {spelled}");
        }
        for spelled in ["1", "null"] {
            assert_eq!(ask(tool, member, spelled)["status"], "ok", "{tool} {member} {spelled}");
        }
        for spelled in ["9223372036854775807", "9223372036854775808", "18446744073709551616"] {
            let is_place =
                matches!((tool, member), ("read_target" | "export_target", "start") | ("read_lines", "start_line"));
            // PG-31: a place past the end is refused; every other number is clamped.
            let wanted = if is_place { "invalid_argument" } else { "ok" };
            assert_eq!(ask(tool, member, spelled)["status"], wanted, "{tool} {member} {spelled}");
        }
    }
    for (tool, member) in [("get_pdcp_log", "include_content"), ("get_manifest_ledger", "include_previous_cycles")] {
        for spelled in ["0", "1", r#""true""#, "[]", "1.0"] {
            let answer = ask(tool, member, spelled);
            assert_eq!((&answer["status"], &answer["entries"]), (&json!("invalid_argument"), &json!([])), "{spelled}");
            assert_eq!((&answer["has_more"], &answer["next_sequence"]), (&json!(false), &Value::Null));
        }
    }
}

/// P-034, P-040, P-156: the guards of a save and of a restore have the same ranges.
#[test]
fn guards_of_a_save_have_their_ranges() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    for spelled in NONE.into_iter().chain(["9223372036854775808"]) {
        let arguments = format!(r#"{{"target_file_id":"{}","expected_target_version":{spelled}}}"#, target.id);
        assert_eq!(ground.raw("save", &arguments, ROOM).unwrap()["status"], "invalid_argument", "{spelled}");
        let arguments =
            format!(r#"{{"target_file_id":"{}","expected_target_version":1,"to_version":{spelled}}}"#, target.id);
        assert_eq!(ground.raw("restore_target", &arguments, ROOM).unwrap()["status"], "invalid_argument", "{spelled}");
    }
    let arguments = format!(r#"{{"target_file_id":"{}","expected_target_version":9223372036854775807}}"#, target.id);
    assert_eq!(ground.raw("save", &arguments, ROOM).unwrap()["failure_reason"], "target_version_mismatch");
}

/// P-043, P-076, P-078, P-120, P-035: ids and hashes with something before or behind them are others, in each place that takes one.
#[test]
fn ids_are_whole_texts() {
    let ground = Ground::new();
    let target = ground.begin("a\n");
    let rejected =
        ground.edit(&target, json!([{"match": "x", "replace": ""}]))["pdcp_log_id"].as_str().unwrap().to_owned();
    let around = |id: &str| {
        [
            format!("{id}\n"),
            format!("\n{id}"),
            format!(" {id}"),
            format!("{id} "),
            format!("{{{id}}}"),
            id.replace('-', ""),
            format!("{id}\u{feff}"),
        ]
    };
    for id in around(&target.id) {
        for tool in [
            "read_target",
            "read_lines",
            "export_target",
            "list_scopes",
            "replay_target",
            "get_pdcp_log",
            "get_manifest_ledger",
            "save",
            "restore_target",
        ] {
            let arguments = json!({"target_file_id": id, "to_version": 1, "expected_target_version": 1});
            let arguments: Value = match tool {
                "save" => json!({"target_file_id": id, "expected_target_version": 1}),
                "restore_target" => arguments,
                _ => json!({"target_file_id": id}),
            };
            assert_eq!(ground.call(tool, &arguments)["status"], "invalid_argument", "{tool} {id:?}");
        }
        let request = json!({"target_file_id": id, "intent": "i", "expected_target_version": 1, "edits": [{"match": "a", "replace": "b"}]});
        let answer = ground.told("rejected", "submit_edits", &request);
        assert_eq!((&answer["failure_reason"], &answer["pdcp_log_id"]), (&json!("context_invalid"), &Value::Null));
    }
    let submit = |more: Value| {
        let mut request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
            "edits": [{"match": "a", "replace": "b"}]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.told("rejected", "submit_edits", &request)
    };
    for parent in around(&rejected) {
        let answer = submit(json!({"parent_pdcp_log_id": parent}));
        assert_eq!(answer["failure_reason"], "context_invalid", "{parent:?}");
        assert_eq!(ground.log(&target)[0]["parent_pdcp_log_id"], Value::Null);
    }
    for hash in [
        format!("{}\n", target.hash),
        format!(" {}", target.hash),
        target.hash.to_uppercase(),
        target.hash[1..].to_owned(),
        format!("{}0", target.hash),
    ] {
        let answer = submit(json!({"expected_current_hash": hash}));
        assert_eq!(answer["failure_reason"], "context_invalid", "{hash:?}");
        assert_eq!(answer["diagnostic"]["raw_expected_current_hash"], hash);
    }
    for id in ["a\n", "\na", "a b", "", "é", &"x".repeat(65)] {
        let answer = submit(json!({"edits": [{"match": "a", "replace": "b", "change_id": id}]}));
        assert_eq!(answer["failure_reason"], "manifest_invalid", "{id:?}");
    }
    assert_eq!(ground.now(&target).version, 1);
}
