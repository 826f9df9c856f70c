//! A token that cannot leak: everything that the program writes, at its loudest, is searched for it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::Stdio as Pipe,
};

use assay_kit::{AwkwardRepository, ObjectFormat};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{program::assay, stage::client, wire::Served};

/// What of a credential must be nowhere: itself, as base64, and its tail.
fn traces(secret: &str) -> Vec<String> {
    // A base64 text that begins elsewhere in a longer one: the three alignments, without their ragged ends.
    let aligned = (0..3).map(|before| {
        let text = STANDARD.encode(format!("{}{secret}", "x".repeat(before)));
        text.get(4..text.len() - 4).unwrap_or_default().to_owned()
    });
    let tail = secret.get(secret.len() - 8..).unwrap_or_default().to_owned();
    [secret.to_owned(), STANDARD.encode(secret), tail].into_iter().chain(aligned).collect()
}

pub(crate) fn assert_silent(what: &str, said: &str, secret: &str) {
    assert!(!said.is_empty(), "{what} was looked at");
    for trace in traces(secret) {
        assert!(!said.contains(&trace), "{what} holds {trace} of the credential");
    }
}

fn calls(served: &Served, branch: &str) -> Vec<String> {
    let pull = served.pull(branch);
    let missing = json!({"owner": pull["owner"], "repo": pull["repo"], "index": 999_999});
    let call = |id: u32, tool: &str, arguments: &Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
            .to_string()
    };
    vec![
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#.to_owned(),
        call(4, "get_pull_request_diff", &pull),
        call(5, "get_pull_request", &missing),
        call(6, "get_pull_request", &json!({"owner": "o", "index": "x"})),
        "{not json".to_owned(),
        r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#.to_owned(),
    ]
}

/// G-038, K-70, K-71: over HTTP, with good and bad credentials, nothing of them is in an answer or in the log.
#[test]
fn nothing_that_is_said_over_http_holds_the_token() {
    let repository = AwkwardRepository::large(20_000, ObjectFormat::Sha1);
    let branch = repository.branches().first().expect("one topic").clone();
    let served = Served::over(&repository);
    let mut child = assay()
        .args(["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"])
        .env("FORGEJO_URL", served.url())
        .envs([("ASSAY_LOG", "trace"), ("ASSAY_LOG_FORMAT", "json")])
        .stdout(Pipe::piped())
        .stderr(Pipe::piped())
        .spawn()
        .expect("the program starts");
    let mut errors = child.stderr.take().expect("piped");
    let logged = std::thread::spawn(move || {
        let mut text = Vec::new();
        errors.read_to_end(&mut text).map(|_| String::from_utf8_lossy(&text).into_owned())
    });
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut place = |before: &str| {
        let line = lines.next().expect("it says where").expect("UTF-8");
        line.trim().strip_prefix(before).expect("the line's form").to_owned()
    };
    let (url, metrics) = (place("listening on "), place("metrics on "));
    let unknown = "0123456789abcdef0123456789abcdefDEADBEEF".to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let said = runtime.block_on(async {
        let client = client();
        let mut said = String::new();
        for token in [served.token.to_string(), unknown.clone()] {
            for authorization in
                [format!("Bearer {token}"), token.clone(), format!("Basic {token}"), format!("bearer  {token}")]
            {
                for body in calls(&served, &branch) {
                    let request = client.post(&url).header("content-type", "application/json").body(body);
                    let answer = request.header("authorization", &authorization).send().await.expect("an answer");
                    said.push_str(&format!("{:?}\n", answer.headers()));
                    said.push_str(&answer.text().await.expect("a body"));
                }
            }
        }
        let counted = client.get(&metrics).send().await.expect("an answer").text().await.expect("a body");
        assert!(counted.contains("assay_tool_calls_total{tool=\"get_pull_request\",outcome=\"refused\"}"), "{counted}");
        assert!(counted.contains("assay_http_requests_total{status=\"401\"}"), "{counted}");
        said + &counted
    });
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let logged = logged.join().expect("no panic").expect("it can be read");
    assert!(logged.contains("\"tool\":\"get_pull_request_diff\"") && logged.contains("TRACE"), "it is at its loudest");
    for secret in [&*served.token, unknown.as_str()] {
        assert_silent("an answer", &said, secret);
        assert_silent("the log", &logged, secret);
    }
}

/// G-010, G-016, G-038, K-66, K-70: over stdio, with a token and with a password, every line on standard output is a message, and
/// nothing holds the credential.
#[test]
fn nothing_that_is_said_over_stdio_holds_the_credential() {
    let repository = AwkwardRepository::large(20_000, ObjectFormat::Sha1);
    let branch = repository.branches().first().expect("one topic").clone();
    let served = Served::over(&repository);
    let token = served.token.to_string();
    let password = "correct-horse-battery-staple".to_owned();
    for (secret, variables) in [
        (token.clone(), vec![("FORGEJO_TOKEN", token)]),
        (password.clone(), vec![("FORGEJO_USER", "alice".to_owned()), ("FORGEJO_PASSWORD", password)]),
    ] {
        let mut child = assay()
            .arg("stdio")
            .env("FORGEJO_URL", served.url())
            .env("ASSAY_LOG", "trace")
            .envs(variables)
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("piped");
        for line in calls(&served, &branch) {
            writeln!(input, "{line}").expect("it reads");
        }
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0));
        let (said, logged) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        for line in said.lines() {
            let message: Value = serde_json::from_str(line).expect("a message a line");
            assert_eq!(message["jsonrpc"], "2.0");
        }
        assert_eq!(said.lines().count(), 7);
        assert_silent("an answer", &said, &secret);
        assert_silent("the log", &logged, &secret);
    }
}
