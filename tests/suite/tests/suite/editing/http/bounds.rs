//! What is served to whom: the operator's choice, the server's disk, long bodies, and what must be in no log.

use std::{fs, process::Stdio as Pipe};

use serde_json::{Value, json};

use super::{Ground, edit, serve};
use crate::secrets::assert_silent;

/// X-09, P-001, P-003, PG-02: without --patch the tools are refused by a sentence that names it; with it a profile bounds them;
/// and where nothing chooses them they are not there.
#[test]
fn the_tools_are_the_operator_s_to_give() {
    let ground = Ground::new();
    let database = ("PATCHDIFF_DATABASE_URL", ground.place("documents.sqlite"));
    for (arguments, set) in [(&["--toolsets", "patch"][..], ""), (&["--tools", "patchdiff_read_target"], "false")] {
        let mut command = serve();
        command.args(arguments).env("FORGEJO_URL", ground.forge().url()).env(database.0, &database.1);
        if !set.is_empty() {
            command.env("PATCHDIFF_OVER_HTTP", set);
        }
        let output = command.stdin(Pipe::null()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains("--patch") && said.contains("assay stdio"), "{said}");
        assert!(!ground.folder.path().join("documents.sqlite").exists(), "nothing was opened");
    }
    let profile = ("PATCHDIFF_MCP_PROFILE", "observed_v2".to_owned());
    let served = ground.start_with(&[database.clone(), profile]);
    let tools = served.tools(&ground.alice);
    assert_eq!(tools.iter().filter(|tool| tool.starts_with("patchdiff_")).count(), 5, "{tools:?}");
    let (_, hidden) = served.send(&ground.alice, "tools/call", &json!({"name": "patchdiff_save", "arguments": {}}));
    assert!(hidden.contains("-32602"), "{hidden}");
    served.end();
    let served = ground.start_with(&[database, ("GATEWAY_TOOLSETS", "pulls".to_owned())]);
    assert!(!served.tools(&ground.alice).iter().any(|tool| tool.starts_with("patchdiff_")));
    let logged = served.end();
    assert!(logged.contains("--patch"), "who gave it is told that it does nothing: {logged}");
}

/// no caller over HTTP reaches the server's disk, whatever folder the environment names: it is not opened, a file of it is
/// neither imported nor written, and there is no option to name one.
#[test]
fn there_is_no_workspace_over_http() {
    let ground = Ground::new();
    let work = ground.folder.path().join("work");
    fs::create_dir(&work).expect("there is room");
    fs::write(work.join("notes.txt"), "of the server").expect("there is room");
    let database = ("PATCHDIFF_DATABASE_URL", ground.place("documents.sqlite"));
    let nowhere = ground.start_with(&[database.clone(), ("PATCHDIFF_WORKSPACE", "/nonexistent/folder".to_owned())]);
    nowhere.end();
    let served = ground.start_with(&[database, ("PATCHDIFF_WORKSPACE", ground.place("work"))]);
    let import = json!({"from_workspace": true, "path": "notes.txt"});
    let refused = served.call(&ground.alice, "initialize_target", &import);
    assert_eq!(
        (&refused["status"], &refused["failure_reason"]),
        (&json!("rejected"), &json!("workspace_unavailable")),
        "{refused}"
    );
    let id = served.made(&ground.alice, "mine")["target_file_id"].clone();
    let save = json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 1});
    let refused = served.call(&ground.alice, "save", &save);
    assert_eq!(
        (&refused["status"], &refused["failure_reason"]),
        (&json!("rejected"), &json!("workspace_binding_mismatch")),
        "{refused}"
    );
    served.end();
    let files: Vec<_> = fs::read_dir(&work).expect("it is there").collect();
    assert_eq!(files.len(), 1);
    assert_eq!(fs::read_to_string(work.join("notes.txt")).expect("it is there"), "of the server");
    let output = serve().args(["--workspace", "/tmp"]).stdin(Pipe::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("--workspace"), "{said}");
}

/// X-09, P-053: a body over the bound is refused by a sentence that says what to raise; with it raised the longest text, one
/// that JSON makes half as long again, is taken whole.
#[test]
fn a_long_text_needs_a_larger_body() {
    let ground = Ground::new();
    let database = ("PATCHDIFF_DATABASE_URL", ground.place("documents.sqlite"));
    let text = "a\n".repeat(500_000);
    let replacement = |id: &Value, text: &str| {
        json!({"name": "patchdiff_submit_replacement", "arguments":
            {"target_file_id": id, "intent": "try", "expected_target_version": 1, "replacement": text}})
    };
    let served = ground.start_with(std::slice::from_ref(&database));
    let id = served.made(&ground.alice, "short")["target_file_id"].clone();
    let (status, said) = served.send(&ground.alice, "tools/call", &replacement(&id, &text));
    assert!(status == 413 && said.contains("GATEWAY_MAX_BODY") && said.contains("1048576"), "{status} {said}");
    served.end();
    let served = ground.start_with(&[database, ("GATEWAY_MAX_BODY", "8MiB".to_owned())]);
    let (status, said) = served.send(&ground.alice, "tools/call", &replacement(&id, &text));
    assert_eq!(status, 200, "{said}");
    let answer: Value = serde_json::from_str(&said).expect("JSON");
    let accepted = super::page(&answer["result"]);
    assert_eq!(accepted["status"], json!("accepted"), "{accepted}");
    let end = json!({"target_file_id": id, "start": 999_990});
    let read = served.call(&ground.alice, "read_target", &end);
    assert_eq!((&read["text"], &read["total_chars"]), (&json!("a\n".repeat(5)), &json!(1_000_000)), "{read}");
    // One code point more is too much for the text, and that is told by the tool.
    let longer = served.wait(served.sent(&ground.alice, "tools/call", &{
        let mut longer = replacement(&id, &format!("{text}b"));
        longer["arguments"]["expected_target_version"] = json!(2);
        longer
    }));
    assert!(longer.0 == 200 && longer.1.contains("size_limit_exceeded"), "{}", longer.1);
    served.end();
}

/// K-70, G-038: at its loudest, on a database whose driver logs its statements, the program writes neither a document's text nor
/// a token, and counts calls by the names of tools alone.
#[test]
fn no_text_and_no_token_is_logged() {
    let ground = Ground::new();
    let database = ground.runtime.block_on(assay_kit::postgres::Server::shared().database());
    let served = ground.start_with(&[
        ("PATCHDIFF_DATABASE_URL", database.url_with(assay_kit::postgres::PASSWORD)),
        ("ASSAY_LOG", "trace".to_owned()),
        ("ASSAY_LOG_FORMAT", "json".to_owned()),
        ("GATEWAY_METRICS", "127.0.0.1:0".to_owned()),
    ]);
    let (first, second) = ("Quetzalcoatlus", "Zyzzyva");
    let id = served.made(&ground.alice, &format!("a {first} flies"))["target_file_id"].clone();
    let accepted = served.call(&ground.alice, "submit_edits", &edit(&id, 1, first, second));
    assert_eq!(accepted["status"], json!("accepted"), "{accepted}");
    let rejected = served.call(&ground.alice, "submit_edits", &edit(&id, 2, first, second));
    assert_eq!(rejected["failure_reason"], json!("match_absent"), "{rejected}");
    let read = served.call(&ground.alice, "read_target", &json!({"target_file_id": id}));
    assert_eq!(read["text"], json!(format!("a {second} flies")));
    let metrics = served.metrics.clone().expect("it was asked for");
    let counted = served.wait(async { served.client.get(&metrics).send().await.expect("an answer").text().await });
    let counted = counted.expect("a body");
    let line = "assay_tool_calls_total{tool=\"patchdiff_submit_edits\",outcome=\"answered\"} 2";
    assert!(counted.contains(line), "{counted}");
    let logged = served.end();
    assert!(logged.contains("TRACE") && logged.contains("patchdiff_submit_edits"), "it is at its loudest");
    for said in [&logged, &counted] {
        for text in [first, second] {
            let line = said.lines().find(|line| line.contains(text));
            assert!(line.is_none(), "a document's text is logged: {line:?}");
        }
        assert_silent("the log", said, &ground.alice);
        assert_silent("the log", said, assay_kit::postgres::PASSWORD);
    }
}
