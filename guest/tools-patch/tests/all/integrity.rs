//! Histories that somebody altered: each single check of a replay is broken in turn, and the row is named.

use serde_json::{Value, json};

use crate::{
    ground::{Ground, Seen},
    past::{digest, sha256, tamper},
};

/// A target of version 4: three edits of one text.
fn three(ground: &Ground) -> (Seen, Vec<String>) {
    let target = ground.begin("a\n");
    for (from, to) in [("a", "b"), ("b", "c"), ("c", "d")] {
        assert_eq!(ground.edit(&target, json!([{"match": from, "replace": to}]))["status"], "accepted");
    }
    let ids = ground.log(&target).iter().rev().map(|row| row["pdcp_log_id"].as_str().unwrap().to_owned()).collect();
    (target, ids)
}

/// What a replay says of it, and that it repaired nothing.
fn replayed(ground: &Ground, target: &Seen) -> Value {
    let before = digest(ground);
    let answer = ground.call("replay_target", &json!({"target_file_id": target.id}));
    assert_eq!(digest(ground), before, "nothing is repaired");
    answer
}

fn record(from: &str, to: &str) -> String {
    format!(r#"{{"edits":[{{"match":"{from}","replace":"{to}"}}],"intent":"i"}}"#)
}

/// P-126, P-130, P-132, P-133, P-134, P-138: the first text, then each column of the second row: what is told is that history
/// breaks, by what, at which row and from which version.
#[test]
fn each_check_of_history_is_broken_in_turn() {
    let zeros = "0".repeat(64);
    let exchanged = |content: &str| format!("pdcp_content = '{content}', pdcp_content_hash = '{}'", sha256(content));
    let evidence = r#"{"evidence_format":"patchdiff-invalid-input/1","original":{}}"#;
    // Where the row is none of the target's any more, the next one is that does not follow.
    let snapshots: [(&str, u64); 6] = [
        ("DELETE FROM target_snapshots WHERE target_file_id = '{id}'", 0),
        ("UPDATE target_snapshots SET snapshot_type = 'save_checkpoint' WHERE target_file_id = '{id}'", 0),
        ("UPDATE target_snapshots SET target_file_id = 'nobody' WHERE target_file_id = '{id}'", 0),
        ("UPDATE target_snapshots SET content = content || 'x' WHERE target_file_id = '{id}'", 1),
        ("UPDATE target_snapshots SET content = '\u{feff}' || content WHERE target_file_id = '{id}'", 1),
        ("UPDATE target_snapshots SET content_hash = '{zeros}' WHERE target_file_id = '{id}'", 1),
    ];
    for (change, version) in snapshots {
        let ground = Ground::new();
        let (target, _) = three(&ground);
        tamper(&ground, &change.replace("{id}", &target.id).replace("{zeros}", &zeros));
        let answer = replayed(&ground, &target);
        assert_eq!(
            (&answer["status"], &answer["failure_reason"], &answer["pdcp_log_id"], &answer["replayed_version"]),
            (&json!("failed"), &json!("replay_protocol_invalid"), &Value::Null, &json!(version)),
            "{change}: {answer}"
        );
        assert!(answer.get("materialized_state_matches").is_none(), "{answer}");
        let back = json!({"target_file_id": target.id, "to_version": 1, "expected_target_version": 4});
        assert_eq!(ground.call("restore_target", &back)["failure_reason"], "replay_protocol_invalid");
    }
    let rows = [
        // It belongs to the target, and is accepted.
        ("target_file_id = 'nobody'".to_owned(), 2),
        ("status = 'rejected', failure_reason = 'match_absent'".to_owned(), 2),
        // It decodes under its protocol, and the runtime is a known one.
        ("protocol_version = 'patchdiff-tx/2'".to_owned(), 1),
        ("protocol_version = ''".to_owned(), 1),
        ("runtime_version = NULL".to_owned(), 1),
        ("runtime_version = 'patchdiff-mvp-0.4.0'".to_owned(), 1),
        (exchanged("no JSON"), 1),
        (exchanged("[]"), 1),
        (exchanged(r#"{"intent":"i","replacement":"c\n"}"#), 1),
        (exchanged(r#"{"intent":"i","edits":["b"]}"#), 1),
        (exchanged(evidence), 1),
        // Its versions and its text follow those before.
        ("before_version = 3".to_owned(), 1),
        ("before_version = 1".to_owned(), 1),
        ("after_version = 4".to_owned(), 1),
        ("after_version = before_version".to_owned(), 1),
        (format!("before_hash = '{zeros}'"), 1),
        // Its record has its hash, applies, and makes what the row says.
        (format!("pdcp_content_hash = '{zeros}'"), 1),
        ("pdcp_content = pdcp_content || ' '".to_owned(), 1),
        ("pdcp_content = replace(pdcp_content, '\"c\"', '\"C\"')".to_owned(), 1),
        (exchanged(&record("nowhere", "c")), 1),
        (exchanged(&record("b", "other")), 1),
        (format!("after_hash = '{zeros}'"), 1),
    ];
    for (change, at) in rows {
        let ground = Ground::new();
        let (target, ids) = three(&ground);
        tamper(&ground, &format!("UPDATE append_only_pdcp_logs SET {change} WHERE id = '{}'", ids[1]));
        let answer = replayed(&ground, &target);
        assert_eq!(
            (&answer["status"], &answer["failure_reason"], &answer["pdcp_log_id"], &answer["replayed_version"]),
            (&json!("failed"), &json!("replay_protocol_invalid"), &json!(ids[at]), &json!(2)),
            "{change}: {answer}"
        );
        assert!(answer["detail"].as_str().unwrap().len() > 10, "{answer}");
        // The text is read and edited all the same.
        assert_eq!(ground.text(&target), "d\n");
        assert_eq!(ground.edit(&target, json!([{"match": "d", "replace": "e"}]))["status"], "accepted");
    }
}

/// P-135, P-136, P-137, P-138: the stored target against what history makes, each of the four by itself; the answer is a success.
#[test]
fn each_check_of_the_stored_text_is_broken_in_turn() {
    let all = [true; 4];
    for (change, expected) in [
        ("content = content", all),
        ("content = replace(content, '\n', '\r\n')", [false, true, true, true]),
        ("content = replace(content, '\n', '\r')", [false, true, true, true]),
        ("content = content || 'x'", [false, true, false, true]),
        ("content = '\u{feff}' || content", [false, true, false, true]),
        ("content = ''", [false, true, false, true]),
        ("current_hash = '{zeros}'", [true, false, true, true]),
        ("version = version + 1", [true, true, true, false]),
        ("version = 0", [true, true, true, false]),
        ("content = 'x', current_hash = '{zeros}', version = 9", [false; 4]),
        // None of these is asked.
        ("line_endings = NULL", all),
        ("line_endings = 'nonsense', source_line_endings = '[1]', has_bom = true", all),
        ("workspace_path = 'elsewhere', workspace_tracked = true, workspace_root_identity = 'x'", all),
    ] {
        let ground = Ground::new();
        let (target, _) = three(&ground);
        tamper(&ground, &format!("UPDATE cloud_target_files SET {}", change.replace("{zeros}", &"0".repeat(64))));
        let answer = replayed(&ground, &target);
        assert_eq!((&answer["status"], &answer["replayed_version"]), (&json!("success"), &json!(4)), "{change}");
        let names = ["content_matches", "stored_hash_matches", "recomputed_hash_matches", "version_matches"];
        let checks = names.map(|name| answer["materialized_state_checks"][name].as_bool().unwrap());
        assert_eq!(checks, expected, "{change}");
        assert_eq!(answer["materialized_state_matches"], expected == all, "{change}");
        assert_eq!(answer["reconstructed_hash"], sha256("d\n"));
    }
}
