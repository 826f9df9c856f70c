//! Documents that go from one database to another, through the program alone.

use std::fs;

use assay_kit::postgres::{Database, Server};
use serde_json::{Value, json};

use super::{Ground, done, failed, text};

/// A PostgreSQL database of the test's own.
fn postgres() -> Database {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(Server::shared().database())
}

/// A document with all kinds of attempts, saved once, on a database. Its id.
fn busy(ground: &Ground, database: &str) -> String {
    fs::write(ground.file("todo.txt"), "\u{feff}# one\r\n\r\nalpha\n\n# two\n\nbeta\n").expect("there is room");
    let call = |tool: &str, arguments: Value| -> Value {
        let output = ground.run_on(Some(database), &["call", &format!("patchdiff_{tool}"), &arguments.to_string()]);
        done(&output);
        serde_json::from_slice(&output.stdout).expect("an answer is JSON")
    };
    let made = call("initialize_target", json!({"from_workspace": true, "path": "todo.txt"}));
    let id = made["target_file_id"].clone();
    let absent = call(
        "submit_edits",
        json!({"target_file_id": id, "intent": "a", "expected_target_version": 1, "client_request_id": "k1", "edits": [{"match": "gamma", "replace": ""}]}),
    );
    call(
        "submit_edits",
        json!({"target_file_id": id, "intent": "b", "expected_target_version": 1, "client_request_id": "k2", "parent_pdcp_log_id": absent["pdcp_log_id"], "attempt": 2, "edits": [{"match": "alpha", "replace": "é\u{1}\u{1f9ea}"}]}),
    );
    call(
        "submit_operations",
        json!({"target_file_id": id, "intent": "c", "expected_target_version": 2, "operations": [{"op": "span", "start": 0, "end": 1, "expected_text": "#", "replace": "##", "expected_after": " one"}]}),
    );
    call(
        "submit_edits",
        json!({"target_file_id": id, "intent": "nul", "expected_target_version": 3, "edits": [{"match": "\0", "replace": ""}]}),
    );
    let saved = call("save", json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 3}));
    assert_eq!(saved["status"], "ok", "{saved}");
    let listed = call("list_scopes", json!({"target_file_id": id, "kinds": ["markdown_heading"]}));
    let scope = &listed["scopes"][1]["scope_id"];
    let observed = call("observe_scopes", json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [scope]}));
    let hash = &observed["scopes"][0]["sha256"];
    let batch = call(
        "submit_observed_batch",
        json!({"target_file_id": id, "intent": "d", "snapshot_id": observed["snapshot_id"], "expected_target_version": 3,
        "groups": [{"scope_id": scope, "expected_scope_sha256": hash, "operations": [{"op": "match", "match": "beta", "replace": "BETA"}]}]}),
    );
    assert_eq!(batch["status"], "accepted", "{batch}");
    call(
        "submit_replacement",
        json!({"target_file_id": id, "intent": "e", "expected_target_version": 4, "replacement": "all new\n", "client_request_id": "k5"}),
    );
    id.as_str().expect("an id").to_owned()
}

/// Every answer about a document, as it is printed.
fn answers(ground: &Ground, database: &str, id: &str) -> Vec<String> {
    let calls = [
        ("read_target", json!({})),
        ("export_target", json!({"format": "original_eol"})),
        ("get_pdcp_log", json!({"include_content": true})),
        ("get_pdcp_log", json!({"client_request_id": "k2"})),
        ("get_manifest_ledger", json!({"include_previous_cycles": true})),
        ("get_manifest_ledger", json!({})),
        ("replay_target", json!({})),
        (
            "submit_replacement",
            json!({"intent": "e", "expected_target_version": 4, "replacement": "all new\n", "client_request_id": "k5"}),
        ),
    ];
    let ask = |(tool, mut arguments): (&str, Value)| {
        arguments["target_file_id"] = json!(id);
        let output = ground.run_on(Some(database), &["call", &format!("patchdiff_{tool}"), &arguments.to_string()]);
        done(&output);
        text(&output.stdout)
    };
    calls.into_iter().map(ask).collect()
}

/// X-01, P-116: what one kind of database wrote replays on the other after export and import, in either direction, and every
/// answer is the same to the byte; a request's key recovers there what was recorded here.
#[test]
fn documents_go_from_either_database_to_the_other() {
    for from_sqlite in [true, false] {
        let ground = Ground::new();
        let (sqlite, postgres) =
            (ground.desk.path("own.sqlite").to_str().expect("it is plain").to_owned(), postgres().url());
        let (from, to) = if from_sqlite { (&sqlite, &postgres) } else { (&postgres, &sqlite) };
        let id = busy(&ground, from);
        let exported = ground.run_on(Some(from), &["patch", "export", "--history", "--all", "-o", "all.jsonl"]);
        assert!(done(&exported).contains("wrote 1 documents"));
        let imported = ground.run_on(Some(to), &["patch", "import", "all.jsonl"]);
        done(&imported);
        let said = text(&imported.stdout);
        assert!(said.contains(&id) && said.contains("todo.txt") && said.contains("6 attempts; replays"), "{said}");
        assert_eq!(answers(&ground, to, &id), answers(&ground, from, &id));
        let back = ground.run_on(Some(to), &["patch", "export", "--history", "todo.txt"]);
        done(&back);
        assert!(back.stdout == ground.desk.read("all.jsonl"), "it is the same file");
        done(&ground.run_on(Some(to), &["patch", "replay", "todo.txt"]));

        let again = ground.run_on(Some(to), &["patch", "import", "all.jsonl"]);
        assert!(failed(&again, 1).contains("target_exists"), "{}", text(&again.stderr));
        let third = ground.desk.path("third.sqlite");
        let third = third.to_str().expect("it is plain");
        busy(&ground, third);
        let taken = ground.run_on(Some(third), &["patch", "import", "all.jsonl"]);
        let said = failed(&taken, 1);
        assert!(said.contains("sequence_taken") && said.contains("--renumber"), "{said}");
        done(&ground.run_on(Some(third), &["patch", "import", "--renumber", "all.jsonl"]));
        done(&ground.run_on(Some(third), &["patch", "replay", &id]));
    }
}

/// a file that is damaged, cut off or none, and a history that does not make its text, are refused; nothing is there then.
#[test]
fn what_does_not_hold_is_not_taken_over() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "one\ntwo\n");
    ground.edit(&id, 1, "k1", &json!([{"match": "two", "replace": "2"}]));
    let lines = ground.says(&["patch", "export", "--history", &id]);
    let cut = &lines[..lines.len() * 2 / 3];
    let damaged = lines.replacen("k1", "k2", 1);
    let other = ground.desk.path("other.sqlite");
    let other = other.to_str().expect("it is plain");
    let import = |content: &[u8]| {
        fs::write(ground.desk.path("in.jsonl"), content).expect("there is room");
        let output = ground.run_on(Some(other), &["patch", "import", "in.jsonl"]);
        let said = failed(&output, 1);
        assert_eq!(text(&ground.run_on(Some(other), &["patch", "list"]).stdout), "There are no documents yet.\n");
        said
    };
    for (content, code) in [
        (cut.as_bytes(), "history_damaged"),
        (damaged.as_bytes(), "history_damaged"),
        (b"", "history_unknown"),
        (b"\x7fELF\x1b[2J", "history_unknown"),
    ] {
        let said = import(content);
        assert!(said.contains(code) && !said.contains('\u{1b}'), "{code}: {said}");
    }
    // The database was changed behind everybody's back, and so was what it exports.
    let database = rusqlite::Connection::open(ground.database()).expect("it is there");
    database.execute("UPDATE cloud_target_files SET content = 'x'", []).expect("it is taken");
    drop(database);
    let lines = ground.says(&["patch", "export", "--history", &id]);
    assert!(import(lines.as_bytes()).contains("history_does_not_replay"));

    let missing = ground.run_on(Some(other), &["patch", "import", "nowhere.jsonl"]);
    assert!(failed(&missing, 2).contains("nowhere.jsonl"));
    let several = ground.run(&["patch", "export", &id, &id]);
    assert!(failed(&several, 2).contains("--history"));
}

/// what comes through a pipe is read to its end before anybody waits for it.
#[test]
fn documents_go_through_a_pipe() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "one\n");
    let mut export = ground.desk.assay(&["patch", "export", "--history", "--all"]);
    let mut export = export.stdout(std::process::Stdio::piped()).spawn().expect("it runs");
    let other = ground.desk.path("other.sqlite");
    let mut import = ground.desk.assay(&["patch", "import", "--database", other.to_str().expect("it is plain"), "-"]);
    let import = import.stdin(export.stdout.take().expect("piped")).output().expect("it runs");
    done(&import);
    assert_eq!(export.wait().expect("it ends").code(), Some(0));
    assert!(text(&import.stdout).contains(&id), "{}", text(&import.stdout));
}
