//! What JSON can say and no database keeps: it reaches the tools as it was sent, and history has it to the letter.

use std::{io::Write as _, process::Stdio as Pipe};

use assay_kit::postgres::Server;
use serde_json::{Value, json};

use super::{Ground, call};
use crate::program::{Stdio, assay, page};

/// 2 to the power of 70.
const HUGE: &str = "1180591620717411303424";

/// A target in a program of its own.
struct Open {
    ground: Ground,
    program: Stdio,
    id: String,
}

impl Open {
    fn new() -> Self {
        Self::on(None)
    }

    /// On SQLite and on PostgreSQL, whose columns refuse other texts and numbers than SQLite's.
    fn on_each_database() -> [Self; 2] {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let database = runtime.block_on(Server::shared().database());
        [Self::new(), Self::on(Some(database.url()))]
    }

    fn on(database: Option<String>) -> Self {
        let ground = Ground::new();
        let mut settings = ground.settings();
        settings.extend(database.map(|url| ("PATCHDIFF_DATABASE_URL", url)));
        let mut program = Stdio::start_with("", "", &settings);
        let made = call(&mut program, "initialize_target", json!({"content": "alpha\n"}));
        let id = made["target_file_id"].as_str().expect("an id").to_owned();
        Self { ground, program, id }
    }

    /// The response to arguments that are sent as they stand here.
    fn response(&mut self, tool: &str, arguments: &str) -> String {
        let arguments = arguments.replace("ID", &self.id);
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{{"name":"patchdiff_{tool}","arguments":{arguments}}}}}"#
        );
        self.program.exchange(&call)
    }

    fn raw(&mut self, tool: &str, arguments: &str) -> Value {
        page(&self.response(tool, arguments))
    }

    fn rows(&mut self) -> Vec<Value> {
        let log = call(&mut self.program, "get_pdcp_log", json!({"target_file_id": self.id, "include_content": true}));
        log["entries"].as_array().expect("rows").clone()
    }

    /// Nothing of the target changed.
    fn is_as_it_was(&mut self) {
        let read = call(&mut self.program, "read_target", json!({"target_file_id": self.id}));
        assert_eq!((&read["version"], &read["text"]), (&json!(1), &json!("alpha\n")));
        let ledger = call(&mut self.program, "get_manifest_ledger", json!({"target_file_id": self.id}));
        assert_eq!(ledger["entries"], json!([]));
    }
}

/// P-100, P-101, P-103, P-104, P-105, P-108, P-109: wherever the text is that cannot be kept, the attempt is, with all that
/// was sent; a key that cannot be kept is no key.
#[test]
fn invalid_text_is_evidence() {
    for mut open in Open::on_each_database() {
        for wrong in [r"\ud800", r"a\u0000b", r"\udc00\ud800"] {
            for (at, key) in
                [("edits", "k"), ("client_request_id", ""), ("intent", "k"), ("source", "k"), ("unknown", "k")]
            {
                let of = |name: &str, right: &str| if at == name { wrong.to_owned() } else { right.to_owned() };
                let key = if key.is_empty() { wrong.to_owned() } else { format!("{key}-{at}-{}", wrong.len()) };
                // Sorted and without spaces, as history spells it.
                let unknown = if at == "unknown" { format!(r#","unk{wrong}":null"#) } else { String::new() };
                let sent = format!(
                    r#"{{"client_request_id":"{key}","edits":[{{"match":"alpha","replace":"{}"}}],"expected_target_version":1,"intent":"{}","source":"{}","target_file_id":"{}"{unknown}}}"#,
                    of("edits", "beta"),
                    of("intent", "try"),
                    of("source", "script"),
                    open.id,
                );
                let before = open.rows().len();
                let answer = open.raw("submit_edits", &sent);
                assert_eq!(
                    (&answer["status"], &answer["failure_reason"], &answer["validity"]["protocol_valid"]),
                    (&json!("rejected"), &json!("target_encoding_invalid"), &json!(false)),
                    "{answer}"
                );
                let rows = open.rows();
                assert_eq!((rows.len(), &rows[0]["pdcp_log_id"]), (before + 1, &answer["pdcp_log_id"]));
                let row = &rows[0];
                let content = row["pdcp_content"].as_str().expect("the evidence");
                let mark = r#"{"evidence_format":"patchdiff-invalid-input/1","original":"#;
                let original = content.strip_prefix(mark).and_then(|rest| rest.strip_suffix('}'));
                assert_eq!(original, Some(sent.as_str()), "{at}");
                let stored_key = if at == "client_request_id" { Value::Null } else { json!(key) };
                assert_eq!(
                    (&row["client_request_id"], &row["validation_stage"]),
                    (&stored_key, &json!("PROTOCOL_VALIDATION"))
                );
                let stored_source = if at == "source" { Value::Null } else { json!("script") };
                assert_eq!(row["submission_source"], stored_source, "{row}");
                let told = row["diagnostic"].to_string();
                // In words, whose backslash is one, and never the character itself.
                assert!(!told.replace(r"\\u", "").contains(r"\u"), "{told}");
            }
        }
        open.is_as_it_was();
        let replayed = call(&mut open.program, "replay_target", json!({"target_file_id": open.id}));
        assert_eq!(
            (&replayed["status"], &replayed["replayed_transactions"]),
            (&json!("success"), &json!(0)),
            "{replayed}"
        );
    }
}

/// P-102, P-106, P-107, P-110, P-117: such a request is recovered by its key without a row more, is told from another, and a
/// key that was another's stays that one's.
#[test]
fn invalid_text_is_recovered_by_its_key() {
    for mut open in Open::on_each_database() {
        let submit = |key: &str, replace: &str, guard: &str| {
            format!(
                r#"{{"target_file_id":"ID","intent":"try","client_request_id":"{key}","expected_target_version":{guard},"edits":[{{"match":"alpha","replace":"{replace}"}}]}}"#
            )
        };
        let first = open.raw("submit_edits", &submit("k1", r"\ud800", "1"));
        for _ in 0..2 {
            let again = open.raw("submit_edits", &submit("k1", r"\uD800", "1"));
            assert_eq!(
                (&again["deduplicated"], &again["pdcp_log_id"]),
                (&json!(true), &first["pdcp_log_id"]),
                "{again}"
            );
        }
        assert_eq!(open.rows().len(), 1);
        let other = open.raw("submit_edits", &submit("k1", r"\ud801", "1"));
        assert_eq!(other["diagnostic"]["code"], json!("request_key_conflict"), "{other}");
        assert_eq!(other["diagnostic"]["existing_pdcp_log_id"], first["pdcp_log_id"]);

        let valid = open.raw("submit_edits", &submit("k2", "beta", "1"));
        assert_eq!(valid["status"], json!("accepted"), "{valid}");
        let conflict = open.raw("submit_edits", &submit("k2", r"\u0000", "1"));
        assert_eq!(
            (&conflict["failure_reason"], &conflict["diagnostic"]["existing_pdcp_log_id"]),
            (&json!("context_invalid"), &valid["pdcp_log_id"]),
            "{conflict}"
        );
        let recovered = open.raw("submit_edits", &submit("k2", "beta", "1"));
        assert_eq!((&recovered["deduplicated"], &recovered["status"]), (&json!(true), &json!("accepted")));
        // It comes before the guards: the first request names a version that is gone.
        let again = open.raw("submit_edits", &submit("k1", r"\ud800", "1"));
        assert_eq!((&again["deduplicated"], &again["pdcp_log_id"]), (&json!(true), &first["pdcp_log_id"]));
        assert_eq!(open.rows().len(), 4);
    }
}

/// P-079, PG-15: numbers that no column holds are null there, and as they were sent in what is told and in the record.
#[test]
fn numbers_keep_their_digits() {
    for mut open in Open::on_each_database() {
        for (sent, raw) in [
            (format!(r#""expected_target_version":{HUGE}"#), format!(r#""raw_expected_target_version":{HUGE}"#)),
            (format!(r#""expected_target_version":-{HUGE}"#), format!(r#""raw_expected_target_version":-{HUGE}"#)),
            (r#""expected_target_version":1.0"#.to_owned(), r#""raw_expected_target_version":1.0"#.to_owned()),
            (format!(r#""attempt":{HUGE},"expected_target_version":1"#), format!(r#""raw_attempt":{HUGE}"#)),
            (format!(r#""expected_current_hash":{HUGE}"#), format!(r#""raw_expected_current_hash":{HUGE}"#)),
        ] {
            let arguments = format!(
                r#"{{"target_file_id":"ID","intent":"try","edits":[{{"match":"alpha","replace":"b"}}],{sent}}}"#
            );
            let response = open.response("submit_edits", &arguments);
            let answer = page(&response);
            assert_eq!(answer["failure_reason"], json!("context_invalid"), "{answer}");
            let written = |text: &str| text.replace('"', "\\\"");
            assert!(response.contains(&written(&raw)), "{raw}: {response}");
            let log = open.response("get_pdcp_log", r#"{"target_file_id":"ID","limit":1,"include_content":true}"#);
            assert!(log.contains(&written(&raw)), "{raw}: {log}");
            let content = page(&log)["entries"][0]["pdcp_content"].as_str().expect("the record").to_owned();
            let first = sent.split(",\"").next().expect("one member");
            assert!(content.contains(first), "{content}");
        }
        open.is_as_it_was();
    }
}

/// P-111, P-112, P-175: reads and searches say what is wrong in words that can be kept, and leave no row.
#[test]
fn reads_refuse_invalid_text() {
    for mut open in Open::on_each_database() {
        for (tool, more) in [
            ("find_occurrences", r#""text":"\ud800""#),
            ("find_occurrences", r#""text":"a\u0000""#),
            ("find_occurrences", r#""text":"a","\udc00":1"#),
            ("get_pdcp_log", r#""content_hash":"\ud800""#),
            ("get_pdcp_log", r#""client_request_id":"\u0000""#),
            ("get_pdcp_log", r#""status":"\ud800""#),
            ("export_target", r#""format":"\ud800""#),
            ("list_scopes", r#""kinds":["\ud800"]"#),
            ("read_target", r#""start":"\ud800""#),
            ("get_manifest_ledger", r#""before_sequence":"\ud800""#),
        ] {
            let answer = open.raw(tool, &format!(r#"{{"target_file_id":"ID",{more}}}"#));
            assert_eq!(answer["status"], json!("invalid_argument"), "{tool} {more}: {answer}");
            let is_history = tool.starts_with("get_");
            assert_eq!((answer["entries"] == json!([])) && answer["has_more"] == json!(false), is_history, "{answer}");
        }
        for tool in ["read_target", "read_lines", "get_pdcp_log", "replay_target", "save"] {
            let answer = open.raw(tool, r#"{"target_file_id":"\ud800"}"#);
            assert_eq!(answer["status"], json!("invalid_argument"), "{tool}: {answer}");
        }
        let answer = open.raw("observe_scopes", r#"{"snapshot_id":"\ud800","scope_ids":["a"]}"#);
        assert_eq!(answer["status"], json!("invalid_argument"), "{answer}");
        assert_eq!(open.rows(), Vec::<Value>::new());
    }
}

/// P-034, P-166, P-169, P-171, P-174: a number that counts past everything counts as much as there is.
#[test]
fn numbers_past_everything_are_numbers() {
    for mut open in Open::on_each_database() {
        let edit = r#"{"target_file_id":"ID","intent":"i","expected_target_version":1,"edits":[{"match":"alpha","replace":"beta"}]}"#;
        assert_eq!(open.raw("submit_edits", edit)["status"], json!("accepted"));
        for number in
            ["2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", HUGE]
        {
            for (tool, more) in [
                ("get_pdcp_log", "before_sequence"),
                ("get_pdcp_log", "limit"),
                ("get_manifest_ledger", "before_sequence"),
                ("get_manifest_ledger", "limit"),
            ] {
                let page = open.raw(tool, &format!(r#"{{"target_file_id":"ID","{more}":{number}}}"#));
                assert_eq!(page["entries"].as_array().map(Vec::len), Some(1), "{tool} {more} {number}: {page}");
            }
            for (tool, more, status) in [
                ("read_target", r#""length":N"#, "ok"),
                ("read_target", r#""start":N"#, "invalid_argument"),
                ("read_lines", r#""max_lines":N,"max_chars":N"#, "ok"),
                ("read_lines", r#""start_line":N"#, "invalid_argument"),
                ("find_occurrences", r#""text":"beta","context_chars":N,"max_results":N"#, "ok"),
                ("find_occurrences", r#""text":"beta","start_occurrence":N"#, "ok"),
                ("list_scopes", r#""max_results":N"#, "ok"),
                ("list_scopes", r#""start":N"#, "ok"),
                ("export_target", r#""length":N"#, "ok"),
                ("export_target", r#""start":N"#, "invalid_argument"),
                ("restore_target", r#""to_version":N,"expected_target_version":2"#, "invalid_argument"),
                (
                    "preview",
                    r#""expected_target_version":N,"edits":[{"match":"beta","replace":"b","occurrence_index":N}]"#,
                    "rejected",
                ),
                (
                    "preview",
                    r#""operations":[{"op":"span","start":N,"end":N,"expected_text":"","replace":""}]"#,
                    "rejected",
                ),
            ] {
                let answer = open.raw(tool, &format!(r#"{{"target_file_id":"ID",{}}}"#, more.replace('N', number)));
                assert_eq!(answer["status"], json!(status), "{tool} {more} {number}: {answer}");
            }
        }
        let read = call(&mut open.program, "read_target", json!({"target_file_id": open.id}));
        assert_eq!((&read["version"], &read["text"]), (&json!(2), &json!("beta\n")));
    }
}

/// PG-15, P-018, P-080, P-112: what is no envelope is told by code and leaves no row, and the next call is answered.
#[test]
fn a_broken_envelope_is_no_attempt() {
    let mut open = Open::new();
    for (arguments, id) in [
        (r#"{"target_file_id":"ID","intent":"i","intent":"j","edits":[]}"#, json!("x")),
        (r#"{"target_file_id":"ID","edits":[{"match":"a","\u006datch":"b"}]}"#, json!("x")),
        (r#"{"target_file_id":"ID","attempt":1e400}"#, json!("x")),
        (r#"{"target_file_id":"ID","intent":"\ud8"}"#, Value::Null),
        (r#"{"target_file_id":"ID","attempt":01}"#, Value::Null),
    ] {
        let response: Value = serde_json::from_str(&open.response("submit_edits", arguments)).expect("JSON");
        assert_eq!((&response["error"]["code"], &response["id"]), (&json!(-32700), &id), "{arguments}: {response}");
    }
    // As long as a message may be, and as many values as it can hold: decided, not survived.
    let many = format!(r#"{{"target_file_id":"ID","edits":[{}[]]}}"#, "[],".repeat(300_000));
    assert_eq!(open.raw("submit_edits", &many)["status"], json!("rejected"));
    assert_eq!(open.rows().len(), 1);
    open.is_as_it_was();
}

/// P-079, P-100, PG-15: `assay call` takes the same, as an argument and on standard input.
#[test]
fn the_command_line_takes_the_same() {
    let mut open = Open::new();
    let sent = r#"{"target_file_id":"ID","intent":"\ud800","attempt":1180591620717411303424,"expected_target_version":1,"edits":[]}"#;
    let sent = sent.replace("ID", &open.id);
    let run = |arguments: &str, input: &str| {
        let mut command = assay();
        command.args(["call", "patchdiff_submit_edits", arguments]).envs(open.ground.settings());
        let mut child =
            command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::piped()).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("piped");
        // It may end without having read.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().expect("it ends")
    };
    for (arguments, input) in [(sent.as_str(), ""), ("-", sent.as_str())] {
        let output = run(arguments, input);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(answer["failure_reason"], json!("target_encoding_invalid"), "{answer}");
    }
    for (arguments, said) in
        [(r#"{"a":1,"a":2}"#, "a key twice"), ("[]", "not one JSON object"), ("{", "not one JSON object")]
    {
        let output = run(arguments, "");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
    let rows = open.rows();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().all(|row| row["pdcp_content"].as_str().is_some_and(|content| content.contains(HUGE))));
}
