//! What is shown: lists, tables, one attempt in full, by the names that people have for their files.

use std::fs;

use serde_json::{Value, json};

use super::{Ground, done, failed, text};

/// P-161, P-172, P-176, X-06: history as a table, newest first, with what each attempt was and came to; the tool's own answer
/// where that is wanted.
#[test]
fn history_is_a_table() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "one\ntwo\n");
    assert_eq!(ground.says(&["patch", "log", "todo.txt"]), "Nothing was made on todo.txt yet.\n");
    assert!(ground.says(&["patch", "ledger", "todo.txt"]).starts_with("Nothing was changed in todo.txt"));
    ground.edit(&id, 1, "k1", &json!([{"match": "three", "replace": "3"}]));
    ground.edit(
        &id,
        1,
        "k2",
        &json!([{"match": "one", "replace": "1"}, {"match": "two", "replace": "2", "risk": "low"}]),
    );
    ground.edit(&id, 1, "k3", &json!([{"match": "1", "replace": "x"}]));
    let table = ground.says(&["patch", "log", "todo.txt"]);
    let rows: Vec<Vec<&str>> =
        table.lines().map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect();
    assert_eq!(rows[0], ["TIME (UTC)", "SEQ", "OUTCOME", "REASON", "VERSION", "FORMAT", "CHANGES", "KEY"]);
    assert_eq!(rows[1][1..], ["3", "rejected", "target_version_mismatch", "2", "tx/1", "-", "k3"], "{table}");
    assert_eq!(rows[2][1..], ["2", "accepted", "-", "1 -> 2", "tx/1", "2", "k2"], "{table}");
    assert_eq!(rows[3][1..], ["1", "rejected", "match_absent", "1", "tx/1", "-", "k1"], "{table}");
    assert_eq!(rows.len(), 4);

    let some = ground.says(&["patch", "log", "todo.txt", "--limit", "1"]);
    assert!(some.contains("k3") && !some.contains("k2") && some.contains("--before 3"), "{some}");
    let older = ground.says(&["patch", "log", "todo.txt", "--before", "3", "--status", "accepted"]);
    assert!(older.contains("k2") && !older.contains("k1") && !older.contains("k3"), "{older}");
    assert!(ground.says(&["patch", "log", "todo.txt", "--before", "1"]).starts_with("No such attempt"));

    let own = ground.says(&["call", "patchdiff_get_pdcp_log", &json!({"target_file_id": id, "limit": 50}).to_string()]);
    assert_eq!(ground.says(&["patch", "log", "todo.txt", "--json"]), own);
    let own = ground.says(&[
        "call",
        "patchdiff_get_manifest_ledger",
        &json!({"target_file_id": id, "limit": 50}).to_string(),
    ]);
    assert_eq!(ground.says(&["patch", "ledger", &id, "--json"]), own);
    let ledger = ground.says(&["patch", "ledger", "todo.txt"]);
    let lines: Vec<&str> = ledger.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].contains("chg_001") && lines[2].contains("chg_002") && lines[2].contains("low"),
        "{ledger}"
    );

    ground.call("save", &json!({"target_file_id": id, "expected_target_version": 2}));
    assert!(ground.says(&["patch", "ledger", "todo.txt"]).contains("--all-cycles"));
    assert_eq!(ground.says(&["patch", "ledger", "todo.txt", "--all-cycles"]), ledger);
}

/// P-171, P-173: more rows than a page of the tool's has are walked, and each is there once.
#[test]
fn long_histories_are_walked() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "x\n");
    let mut program = crate::program::Stdio::start_with(
        "",
        "",
        &[
            ("GATEWAY_TOOLSETS", "patch".to_owned()),
            ("PATCHDIFF_DATABASE_URL", ground.database().to_str().expect("it is plain").to_owned()),
        ],
    );
    for version in 1..=230 {
        let edits: Vec<Value> = (0..2).map(|_| json!({"match": "x", "replace": "x"})).collect();
        let request =
            json!({"target_file_id": id, "intent": "try", "expected_target_version": version, "edits": edits});
        let answer = crate::program::page(&program.call("patchdiff_submit_edits", &request));
        assert_eq!(answer["status"], "accepted", "{answer}");
    }
    assert_eq!(program.end(), Some(0));
    let table = ground.says(&["patch", "log", "todo.txt", "--limit", "1000"]);
    let sequences: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split_whitespace().nth(2)).collect();
    let expected: Vec<String> = (1..=230).rev().map(|sequence: u32| sequence.to_string()).collect();
    assert_eq!(sequences, expected);
    assert!(table.lines().skip(1).all(|line| line.split_whitespace().any(|cell| cell == "2")), "each made two changes");
    let ledger = ground.says(&["patch", "ledger", "todo.txt", "--limit", "300"]);
    let places: Vec<u64> = ledger.lines().filter_map(|line| line.split_whitespace().nth(2)?.parse().ok()).collect();
    assert_eq!(places, (161..=460).collect::<Vec<_>>());
    let last = ground.says(&["patch", "log", "todo.txt", "--attempt", "1"]);
    assert!(last.contains("It left the text as it was."), "{last}");
}

/// P-084, P-091, P-124: one attempt in full: what it did, as history makes it, or what it asked for and where that failed.
#[test]
fn an_attempt_is_shown_as_a_diff() {
    let ground = Ground::new();
    let id = ground.import("todo.txt", "one\ntwo\nthree\nfour\nfive\n");
    ground.edit(&id, 1, "k1", &json!([{"match": "three", "replace": "3\n3b"}, {"match": "five\n", "replace": "5"}]));
    let missed =
        ground.edit(&id, 2, "k2", &json!([{"match": "one", "replace": "1"}, {"match": "fxur", "replace": "4"}]));
    ground.edit(&id, 2, "k3", &json!([{"match": "o", "replace": ""}]));
    let shown = ground.says(&["patch", "log", "todo.txt", "--attempt", "1"]);
    let diff = "--- version 1\n+++ version 2\n@@ -1,5 +1,6 @@\n one\n two\n-three\n+3\n+3b\n four\n-five\n+5\n\\ No newline at end of file\n";
    assert!(shown.ends_with(diff), "{shown}");
    assert!(
        shown.contains("outcome  accepted") && shown.contains("intent   try") && shown.contains("key      k1"),
        "{shown}"
    );

    let attempt = missed["pdcp_log_id"].as_str().expect("an id");
    let shown = ground.says(&["patch", "log", &id, "--attempt", attempt]);
    for part in [
        "match_absent",
        "change   chg_002",
        "-one\n+1\n",
        "-fxur\n+4\n",
        "the text after 1 of its changes",
        "  | 1\n  | two\n",
        "What comes nearest",
        "\"four\"",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    let shown = ground.says(&["patch", "log", &id, "--attempt", "3"]);
    assert!(
        shown.contains("match_ambiguous") && shown.contains("occurrence 1 at 0") && shown.contains("occurrence 2 at 6"),
        "{shown}"
    );
    let json: Value =
        serde_json::from_str(&ground.says(&["patch", "log", &id, "--attempt", "3", "--json"])).expect("JSON");
    assert_eq!(json["entries"][0]["log_sequence"], 3);
    assert!(json["entries"][0]["pdcp_content"].is_string());
    for unknown in ["4", "0", "nope", &id] {
        let output = ground.run(&["patch", "log", &id, "--attempt", unknown]);
        assert!(failed(&output, 1).contains("no attempt"), "{}", text(&output.stderr));
    }
}

/// Colours are for who wants them; what stands in a text, a key or a name drives no terminal, with colours or without.
#[test]
fn nothing_in_a_database_drives_a_terminal() {
    let ground = Ground::new();
    let hostile = "a\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J";
    let name = format!("{hostile}.txt");
    let id = ground.import(&name, &format!("{hostile}\nb\n"));
    let request = json!({"target_file_id": id, "intent": hostile, "source": hostile, "expected_target_version": 1,
        "edits": [{"match": "b", "replace": format!("{hostile}b"), "rationale": hostile}]});
    assert_eq!(ground.call("submit_edits", &request)["status"], "accepted");
    let mut wrong = request.clone();
    wrong["expected_target_version"] = json!(2);
    wrong["edits"][0]["match"] = json!(format!("{hostile}?"));
    assert_eq!(ground.call("submit_edits", &wrong)["failure_reason"], "match_absent");
    let is_driven = |said: &str| said.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}');
    for command in [
        &["list"][..],
        &["log", &id],
        &["log", &id, "--attempt", "1"],
        &["log", &id, "--attempt", "2"],
        &["ledger", &id],
        &["replay", &id],
    ] {
        let output = ground.run(&[&["patch"], command].concat());
        done(&output);
        assert!(
            !is_driven(&text(&output.stdout)) && !is_driven(&text(&output.stderr)),
            "{command:?}: {:?}",
            text(&output.stdout)
        );
    }
    let attempt = ["patch", "log", &id, "--attempt", "1"];
    let plain = ground.says(&attempt);
    assert!(plain.contains("+a<1B>]0;owned<07><202E><9B>2J"), "{plain}");
    assert_eq!(ground.says(&[&attempt[..], &["--color", "never"]].concat()), plain);
    let coloured = ground.says(&[&attempt[..], &["--color", "always"]].concat());
    assert!(coloured.contains("\u{1b}[31m-b\u{1b}[0m\n"), "{coloured:?}");
    let without: String = coloured
        .replace("\u{1b}[0m", "")
        .split("\u{1b}[")
        .map(|part| part.split_once('m').filter(|(code, _)| code.parse::<u8>().is_ok()).map_or(part, |(_, rest)| rest))
        .collect();
    assert_eq!(without, plain, "colours are all that is added");
    let unknown = ground.run(&["patch", "log", hostile]);
    assert!(!is_driven(&failed(&unknown, 2)));
}

/// A file is named from the workspace or from where one stands, and by its id; of several documents of one path the newest is
/// taken, which is said.
#[test]
fn a_file_is_named_as_people_name_it() {
    let ground = Ground::new();
    let old = ground.import("sub/a.txt", "old\n");
    let only = ground.import("a.txt", "only\n");
    let new = ground.import("sub/a.txt", "new\n");
    let from = |folder: &str, file: &str| {
        let mut command = ground.desk.assay(&["patch", "export", file]);
        let output =
            command.env("PATCHDIFF_WORKSPACE", ground.desk.path("work")).current_dir(ground.desk.path(folder)).output();
        let output = output.expect("it runs");
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    for (folder, file, content) in [
        ("", "a.txt", "only\n"),
        ("", "work/a.txt", "only\n"),
        ("work", "./a.txt", "only\n"),
        ("work/sub", "../a.txt", "only\n"),
        ("work/sub", "a.txt", "new\n"),
        ("", "sub/a.txt", "new\n"),
    ] {
        let (stdout, stderr, code) = from(folder, file);
        assert_eq!((stdout.as_str(), code), (content, Some(0)), "{folder} {file}: {stderr}");
        assert_eq!(stderr.contains("2 documents") && stderr.contains(&new), content == "new\n", "{stderr}");
    }
    let absolute = ground.file("a.txt");
    assert_eq!(from("tmp", absolute.to_str().expect("it is plain")).0, "only\n");
    assert_eq!(from("tmp", &old.to_uppercase()).0, "old\n");
    for (folder, file) in
        [("", "b.txt"), ("work", "../a.txt"), ("", "/etc/passwd"), ("", "0f8fad5b-d9cb-469f-a165-70867728950e")]
    {
        let (_, stderr, code) = from(folder, file);
        assert!(code == Some(2) && stderr.contains("assay patch list"), "{folder} {file}: {stderr}");
    }
    let list = ground.says(&["patch", "list"]);
    let ids: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(ids, [&new, &only, &old].map(String::as_str), "{list}");
    assert!(list.lines().nth(1).is_some_and(|line| line.contains("sub/a.txt") && line.ends_with('0')), "{list}");
    let json: Vec<Value> = ground
        .says(&["patch", "list", "--json"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!((json.len(), &json[1]["workspace_path"], &json[1]["bytes"]), (3, &json!("a.txt"), &json!(5)));

    // Another folder of the same files is another workspace.
    fs::create_dir(ground.desk.path("other")).expect("there is room");
    let mut command = ground.desk.assay(&["patch", "export", "a.txt"]);
    let other = command.env("PATCHDIFF_WORKSPACE", ground.desk.path("other")).output().expect("it runs");
    assert!(failed(&other, 2).contains("another workspace"), "{}", text(&other.stderr));
}
