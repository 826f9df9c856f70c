//! `assay patch`: what people see of texts that agents edited, on a real folder and a real database.

mod carried;
mod shown;

use std::{fs, path::PathBuf, process::Output};

use serde_json::{Value, json};

use super::{Desk, done, failed, text};

/// A desk with a workspace, and the database where the program looks for it.
struct Ground {
    desk: Desk,
}

impl Ground {
    fn new() -> Self {
        let desk = Desk::new();
        fs::create_dir_all(desk.path("work/sub")).expect("there is room");
        Self { desk }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.desk.path("work").join(name)
    }

    fn database(&self) -> PathBuf {
        self.desk.path(".local/share/assay/documents.sqlite")
    }

    fn run_on(&self, database: Option<&str>, arguments: &[&str]) -> Output {
        let mut command = self.desk.assay(arguments);
        command.env("PATCHDIFF_WORKSPACE", self.desk.path("work"));
        command.envs(database.map(|database| ("PATCHDIFF_DATABASE_URL", database)));
        command.output().expect("the program runs")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_on(None, arguments)
    }

    /// What a command that ends well prints.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        done(&output);
        text(&output.stdout)
    }

    /// One tool's answer, as a shell has it.
    fn call(&self, tool: &str, arguments: &Value) -> Value {
        let said = self.says(&["call", &format!("patchdiff_{tool}"), &arguments.to_string()]);
        serde_json::from_str(&said).expect("an answer is JSON")
    }

    /// A file of the workspace, as a document. Its id.
    fn import(&self, name: &str, content: &str) -> String {
        fs::write(self.file(name), content).expect("there is room");
        let made = self.call("initialize_target", &json!({"from_workspace": true, "path": name}));
        made["target_file_id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
    }

    fn edit(&self, id: &str, version: u64, key: &str, edits: &Value) -> Value {
        let request = json!({"target_file_id": id, "intent": "try", "expected_target_version": version, "client_request_id": key, "edits": edits});
        self.call("submit_edits", &request)
    }
}

/// P-015, P-016, P-135: a shell finishes what an agent began: it saves, replays and exports by single commands, without any
/// session of the protocol.
#[test]
fn a_shell_saves_replays_and_exports() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "\u{feff}one\r\ntwo\nthree");
    assert_eq!(ground.edit(&id, 1, "k1", &json!([{"match": "two", "replace": "2"}]))["status"], "accepted");
    let before = ground.says(&["patch", "replay", "todo.txt"]);
    assert!(before.contains("1 later version is not saved"), "{before}");
    let saved =
        ground.call("save", &json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 2}));
    assert_eq!(saved["status"], "ok", "{saved}");
    let replayed = ground.says(&["patch", "replay", "todo.txt"]);
    for check in ["content_matches", "stored_hash_matches", "recomputed_hash_matches", "version_matches"] {
        assert!(replayed.lines().any(|line| line.contains(check) && line.ends_with("yes")), "{replayed}");
    }
    assert!(replayed.contains("the one of version 2") && !replayed.contains("later"), "{replayed}");
    let exported = ground.run(&["patch", "export", "todo.txt"]);
    done(&exported);
    assert_eq!(text(&exported.stdout), "\u{feff}one\r\n2\nthree");
    assert_eq!(exported.stdout, fs::read(ground.file("todo.txt")).expect("it is there"));
    done(&ground.run(&["patch", "export", "todo.txt", "--canonical", "-o", "out.txt"]));
    assert_eq!(ground.desk.read("out.txt"), b"one\n2\nthree");
    let earlier = ground.says(&["patch", "export", &id, "--canonical", "--at", "1"]);
    assert_eq!(earlier, "one\ntwo\nthree");

    // A save is no request that can be repeated: the second one is another checkpoint.
    let again =
        ground.call("save", &json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 2}));
    assert_ne!(again["snapshot_id"], saved["snapshot_id"]);
    fs::write(ground.file("todo.txt"), "theirs").expect("it is ours");
    let drifted = ground.run(&["patch", "replay", "todo.txt"]);
    assert!(failed(&drifted, 1).contains("replay_differs"), "{}", text(&drifted.stderr));
    assert!(text(&drifted.stdout).contains("CHANGED since version 2"), "{}", text(&drifted.stdout));
    done(&ground.run(&["patch", "replay", "--text-only", "todo.txt"]));
    let nowhere = ground.desk.run(&["patch", "replay", &id]);
    failed(&nowhere, 1);
    assert!(text(&nowhere.stdout).contains("NOT LOOKED AT"), "{}", text(&nowhere.stdout));
}

/// P-135, P-136, P-137, P-138: each of the four checks that does not hold is told, by the exit code too, and nothing is
/// repaired.
#[test]
fn a_text_that_history_does_not_make_is_told() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "one\ntwo\n");
    ground.edit(&id, 1, "k1", &json!([{"match": "two", "replace": "2"}]));
    let zeros = "0".repeat(64);
    for (change, check) in [
        ("content = replace(content, char(10), char(13, 10))".to_owned(), "content_matches"),
        (format!("content = replace(content, char(13), ''), current_hash = '{zeros}'"), "stored_hash_matches"),
        ("content = 'x'".to_owned(), "recomputed_hash_matches"),
        ("version = 9".to_owned(), "version_matches"),
    ] {
        let database = rusqlite::Connection::open(ground.database()).expect("it is there");
        database.execute(&format!("UPDATE cloud_target_files SET {change}"), []).expect("it is taken");
        drop(database);
        let output = ground.run(&["patch", "replay", "--text-only", &id]);
        failed(&output, 1);
        let said = text(&output.stdout);
        assert!(said.lines().any(|line| line.contains(check) && line.ends_with("NO")), "{said}");
        let lines = ground.run(&["patch", "replay", "--json", &id]);
        failed(&lines, 1);
        let answer: Value = serde_json::from_slice(&lines.stdout).expect("JSON");
        assert_eq!(
            (&answer["materialized_state_checks"][check], &answer["workspace_file"]),
            (&json!(false), &json!("last_synced"))
        );
    }
}

/// X-10, P-153, P-154: a database is made or found, what was done is said, and who only looks makes none.
#[test]
fn a_database_is_brought_forward() {
    let ground = Ground::new();
    for command in [
        &["list"][..],
        &["log", "x"],
        &["ledger", "x"],
        &["replay", "x"],
        &["export", "x"],
        &["export", "--history", "--all"],
    ] {
        let output = ground.run(&[&["patch"], command].concat());
        let said = failed(&output, 2);
        assert!(said.contains("no database of documents") && said.contains("documents.sqlite"), "{command:?}: {said}");
    }
    assert!(!ground.database().exists());
    assert!(ground.says(&["patch", "migrate"]).starts_with("made the database with schema "));
    assert!(ground.says(&["patch", "migrate"]).starts_with("nothing to do"));
    assert_eq!(ground.says(&["patch", "list"]), "There are no documents yet.\n");
    assert_eq!(ground.says(&["patch", "list", "--json"]), "");

    let database = rusqlite::Connection::open(ground.database()).expect("it is there");
    let later = "INSERT INTO assay_schema_revisions (ordinal, revision, sha256, applied_at) VALUES (2, '20991231_0042', 'x', 'x')";
    database.execute(later, []).expect("it is taken");
    drop(database);
    for command in ["migrate", "list"] {
        let newer = ground.run(&["patch", command]);
        assert!(failed(&newer, 2).contains("use a newer program"), "{}", text(&newer.stderr));
    }
    let secret = ground.run(&["patch", "list", "--database", "postgres://me:s3cret@127.0.0.1:1/x"]);
    assert!(!failed(&secret, 2).contains("s3cret"));
}
