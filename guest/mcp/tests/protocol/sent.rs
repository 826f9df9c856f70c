//! The arguments of an editing tool, over both transports: they come as they were sent, and nothing else does.

use std::sync::Arc;

use assay_mcp::http::handle;
use bytes::Bytes;
use http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::{
    bench::{Bench, ERAS, MODERN, meta},
    http::policy,
    lines::Client,
};

/// What the SDK could not hold, and what it would have written in another way.
const ARGUMENTS: [&str; 5] = [
    r#"{ "b" : "\ud800" , "a" : [ "\u0000" , "\udfff\udbff" ] }"#,
    r#"{"version":1180591620717411303424,"float":1.10,"zero":-0.0,"\udc00":{"\ud83d\ude00":"\u00e9\/"}}"#,
    r#"{"target_file_id":7,"edits":"of a wrong shape, and null","intent":null}"#,
    r#"{"name":"echo","arguments":{"name":"echo","arguments":{}}}"#,
    "{}",
];

fn message(era: &str, tool: &str, arguments: &str) -> String {
    let meta = if era == MODERN { format!(r#","_meta":{}"#, meta(MODERN)) } else { String::new() };
    format!(
        r#"{{"method":"tools/call","params":{{"arguments": {arguments},"name":"{tool}"{meta}}},"id":7,"jsonrpc":"2.0"}}"#
    )
}

/// What the tool was given, as it answered.
fn given(response: &Value) -> String {
    let text = response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {response}"));
    let given = text.strip_prefix(r#"{"arguments":"#).expect("it echoes");
    given.rsplit_once(r#","room":"#).expect("and tells its room").0.to_owned()
}

/// P-079, P-100, P-103, PG-15: on standard input.
#[tokio::test]
async fn over_lines() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    for era in ERAS {
        for arguments in ARGUMENTS {
            for tool in ["patchdiff_echo", r"patchdiff\u005fecho"] {
                client.write(format!("{}\n", message(era, tool, arguments)).as_bytes()).await;
                assert_eq!(given(&client.receive().await.1), arguments, "{era}");
            }
        }
        client.write(format!("{}\n", message(era, "patchdiff_echo", "null")).as_bytes()).await;
        assert_eq!(given(&client.receive().await.1), "{}", "{era}");
        // Another tool's are read, and written as this program writes them.
        client.write(format!("{}\n", message(era, "echo", r#"{ "b" : 1.10 }"#)).as_bytes()).await;
        assert_eq!(given(&client.receive().await.1), r#"{"b":1.1}"#, "{era}");
    }
}

/// P-079, P-100, P-103, PG-15: over HTTP.
#[tokio::test]
async fn over_http() {
    let bench = Bench::new();
    for era in ERAS {
        for arguments in ARGUMENTS {
            let mut request = Request::post("/mcp")
                .header("host", "localhost")
                .header("content-type", "application/json")
                .header("mcp-protocol-version", era);
            if era == MODERN {
                request = request.header("mcp-method", "tools/call").header("mcp-name", "patchdiff_echo");
            }
            let request = request.body(Bytes::from(message(era, "patchdiff_echo", arguments))).unwrap();
            let response = handle(Arc::clone(&bench), request, &policy()).await;
            assert_eq!(response.status(), StatusCode::OK, "{era}: {response:?}");
            assert_eq!(given(&serde_json::from_slice(response.body()).unwrap()), arguments, "{era}");
        }
    }
}

/// G-012: depth is counted from the message on, for these arguments as for all others.
#[tokio::test]
async fn depth_has_one_bound() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    let deep = |depth: usize| format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    for (depth, is_taken) in [(61, true), (62, false), (100_000, false)] {
        for tool in ["echo", "patchdiff_echo"] {
            client.write(format!("{}\n", message(MODERN, tool, &deep(depth))).as_bytes()).await;
            let answered = client.receive().await.1;
            let code = if is_taken { Value::Null } else { json!(-32700) };
            assert_eq!(answered["error"]["code"], code, "{tool} {depth}");
        }
    }
}
