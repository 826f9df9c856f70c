//! Guarded editing as an agent meets it: through the program, on a database and a folder that are really there.

mod discovery;
mod encoding;
mod http;
mod responses;

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{Stdio, assay, page};

/// A folder to work in, and a database beside it.
struct Ground {
    folder: TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        fs::create_dir(folder.path().join("work")).expect("there is room");
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("work/notes.txt")
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let place = |name: &str| self.folder.path().join(name).to_str().expect("it is plain").to_owned();
        vec![
            ("GATEWAY_TOOLSETS", "patch".to_owned()),
            ("PATCHDIFF_DATABASE_URL", place("documents.sqlite")),
            ("PATCHDIFF_WORKSPACE", place("work")),
        ]
    }

    /// Without any forge.
    fn start(&self) -> Stdio {
        Stdio::start_with("", "", &self.settings())
    }
}

/// What the program prints, without any forge.
fn printed(arguments: &[&str]) -> Value {
    let output = assay().args(arguments).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

fn call(program: &mut Stdio, tool: &str, arguments: Value) -> Value {
    page(&program.call(&format!("patchdiff_{tool}"), &arguments))
}

/// P-002, P-006 to P-010, P-082, P-116, P-133, P-162 to P-164, X-01 to X-03, E-05, E-06, E-19, E-22, E-26: a file with both kinds of
/// line ends is imported, edited under a guard, saved, drifts, is replayed and restored, and all of it outlives the program.
#[test]
fn a_file_is_edited_under_guards() {
    let ground = Ground::new();
    fs::write(ground.file(), "\u{feff}one\r\ntwo\nthree").expect("there is room");
    fs::set_permissions(ground.file(), fs::Permissions::from_mode(0o750)).expect("it is ours");
    let mut program = ground.start();
    let made = call(&mut program, "initialize_target", json!({"from_workspace": true, "path": "notes.txt"}));
    assert_eq!((&made["status"], &made["has_bom"]), (&json!("ok"), &json!(true)), "{made}");
    let id = made["target_file_id"].clone();
    let read = call(&mut program, "read_target", json!({"target_file_id": id}));
    assert_eq!(read["text"], json!("one\ntwo\nthree"), "{read}");
    let version = read["version"].as_u64().expect("a number");

    let edit = |guard: u64, from: &str, to: &str, key: &str| json!({"target_file_id": id, "intent": "try", "edits": [{"match": from, "replace": to}], "expected_target_version": guard, "client_request_id": key});
    // Nothing is nearly right: what is there is told, and the file and the text stay as they are.
    let absent = call(&mut program, "submit_edits", edit(version, "two three", "x", "k1"));
    assert_eq!(
        (&absent["status"], &absent["failure_reason"]),
        (&json!("rejected"), &json!("match_absent")),
        "{absent}"
    );
    let stale = call(&mut program, "submit_edits", edit(version + 7, "two", "x", "k2"));
    assert_eq!(stale["failure_reason"], json!("target_version_mismatch"), "{stale}");
    let wrong = call(
        &mut program,
        "submit_edits",
        json!({"target_file_id": id, "expected_target_version": version, "intent": "x", "edits": "none"}),
    );
    assert_eq!(
        (&wrong["failure_reason"], &wrong["validity"]["protocol_valid"]),
        (&json!("manifest_invalid"), &json!(false)),
        "{wrong}"
    );
    let done = call(&mut program, "submit_edits", edit(version, "two", "2\n2b", "k3"));
    assert_eq!((&done["status"], &done["deduplicated"]), (&json!("accepted"), &json!(false)), "{done}");
    let again = call(&mut program, "submit_edits", edit(version, "two", "2\n2b", "k3"));
    assert_eq!((&again["pdcp_log_id"], &again["deduplicated"]), (&done["pdcp_log_id"], &json!(true)), "{again}");
    assert_eq!(fs::read_to_string(ground.file()).expect("it is there"), "\u{feff}one\r\ntwo\nthree");

    let save =
        |version: &Value| json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": version});
    let saved = call(&mut program, "save", save(&done["after_version"]));
    assert_eq!(saved["status"], json!("ok"), "{saved}");
    // Each line that stayed has its own end, the byte-order mark is there, and so are the mode's bits.
    let file = fs::read_to_string(ground.file()).expect("it is there");
    assert!(file.starts_with("\u{feff}one\r\n2") && file.ends_with("2b\nthree"), "{file:?}");
    assert_eq!(fs::metadata(ground.file()).expect("it is there").permissions().mode() & 0o777, 0o750);

    // Another program wrote the file: it is not overwritten.
    let next = call(&mut program, "submit_edits", edit(version + 1, "three", "3", "k4"));
    assert_eq!(next["status"], json!("accepted"), "{next}");
    fs::write(ground.file(), "theirs").expect("it is ours");
    let drift = call(&mut program, "save", save(&next["after_version"]));
    assert_eq!(
        (&drift["status"], &drift["failure_reason"]),
        (&json!("rejected"), &json!("workspace_drift")),
        "{drift}"
    );
    assert_eq!(fs::read_to_string(ground.file()).expect("it is there"), "theirs");
    assert_eq!(program.end(), Some(0));

    let mut program = ground.start();
    let replayed = call(&mut program, "replay_target", json!({"target_file_id": id}));
    assert_eq!(
        (&replayed["status"], &replayed["materialized_state_matches"]),
        (&json!("success"), &json!(true)),
        "{replayed}"
    );
    let restored = call(
        &mut program,
        "restore_target",
        json!({"target_file_id": id, "to_version": version, "expected_target_version": version + 2}),
    );
    assert_eq!(
        (&restored["status"], &restored["after_version"]),
        (&json!("accepted"), &json!(version + 3)),
        "{restored}"
    );
    let read = call(&mut program, "read_target", json!({"target_file_id": id}));
    assert_eq!(read["text"], json!("one\ntwo\nthree"), "{read}");
    let log = call(&mut program, "get_pdcp_log", json!({"target_file_id": id}));
    let outcomes: Vec<&str> =
        log["entries"].as_array().expect("rows").iter().filter_map(|row| row["status"].as_str()).collect();
    assert_eq!(outcomes, ["accepted", "accepted", "accepted", "rejected", "rejected", "rejected"], "{log}");
    assert_eq!(program.end(), Some(0));
}

/// P-142 to P-145, PG-28, E-39: one observed part is edited, and every other byte stays.
#[test]
fn an_observed_part_is_edited_alone() {
    let ground = Ground::new();
    let mut program = ground.start();
    let made = call(&mut program, "initialize_target", json!({"content": "# one\n\nalpha\n\n# two\n\nbeta\n"}));
    let id = made["target_file_id"].clone();
    let listed = call(&mut program, "list_scopes", json!({"target_file_id": id, "kinds": ["markdown_heading"]}));
    let scope = listed["scopes"][1].clone();
    assert_eq!(scope["name"], json!("two"), "{listed}");
    let observed = call(
        &mut program,
        "observe_scopes",
        json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [scope["scope_id"]]}),
    );
    assert_eq!(observed["scopes"][0]["text"], json!("# two\n\nbeta\n"), "{observed}");
    let batch = |hash: &Value| {
        json!({"target_file_id": id, "intent": "b", "snapshot_id": observed["snapshot_id"], "expected_target_version": made["version"],
            "groups": [{"scope_id": scope["scope_id"], "expected_scope_sha256": hash, "operations": [{"op": "match", "match": "beta", "replace": "BETA"}]}]})
    };
    let wrong = call(&mut program, "submit_observed_batch", batch(&made["current_hash"]));
    assert_eq!(wrong["failure_reason"], json!("target_hash_mismatch"), "{wrong}");
    let done = call(&mut program, "submit_observed_batch", batch(&observed["scopes"][0]["sha256"]));
    assert_eq!(done["status"], json!("accepted"), "{done}");
    let read = call(&mut program, "read_target", json!({"target_file_id": id}));
    assert_eq!(read["text"], json!("# one\n\nalpha\n\n# two\n\nBETA\n"), "{read}");
    let replayed = call(&mut program, "replay_target", json!({"target_file_id": id}));
    assert_eq!(replayed["materialized_state_matches"], json!(true), "{replayed}");
    assert_eq!(program.end(), Some(0));
}

/// P-005, PG-02, PG-03, X-09, X-10: what cannot be used stops the start, a profile bounds the tools, and HTTP has none of them unless that
/// is said.
#[test]
fn a_start_is_refused_before_the_handshake() {
    let ground = Ground::new();
    let run = |arguments: &[&str], settings: &[(&str, String)]| {
        let mut command = assay();
        let output =
            command.args(arguments).envs(ground.settings()).envs(settings.iter().map(|(name, value)| (name, value)));
        let output = output.stdin(std::process::Stdio::null()).output().expect("the program runs");
        (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let garbage = ground.folder.path().join("garbage");
    fs::write(&garbage, vec![b'x'; 5_000]).expect("there is room");
    let garbage = garbage.to_str().expect("it is plain").to_owned();
    for (setting, said) in [
        (("PATCHDIFF_WORKSPACE", "/nonexistent/folder".to_owned()), "/nonexistent/folder"),
        (("PATCHDIFF_DATABASE_URL", garbage), "SQLite"),
        (("PATCHDIFF_MCP_PROFILE", "nope".to_owned()), "PATCHDIFF_MCP_PROFILE"),
    ] {
        let (code, stdout, stderr) = run(&["stdio"], std::slice::from_ref(&setting));
        assert_eq!((code, stdout.len()), (Some(2), 0), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
    let url = ("FORGEJO_URL", "http://127.0.0.1:9".to_owned());
    let (code, _, stderr) = run(&["serve", "--listen", "127.0.0.1:0"], &[url]);
    assert!(code == Some(2) && stderr.contains("--patch"), "{code:?} {stderr}");

    let mut settings = ground.settings();
    settings.push(("PATCHDIFF_MCP_PROFILE", "observed_v2".to_owned()));
    let mut program = Stdio::start_with("", "", &settings);
    let listed: Value =
        serde_json::from_str(&program.exchange(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)).expect("JSON");
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    let hidden = program.call("patchdiff_save", &json!({}));
    assert!(hidden.contains("-32602"), "{hidden}");
    assert_eq!(program.end(), Some(0));
}
