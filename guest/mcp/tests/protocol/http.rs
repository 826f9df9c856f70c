//! Streamable HTTP, one request at a time.

use std::sync::Arc;

use assay_mcp::http::{Policy, handle};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Bench, ERAS, MODERN, call, initialize, malformed, meta, request};

const MAX_BODY: usize = 1 << 20;

pub(crate) fn policy() -> Policy {
    Policy::new(["forge.example".to_owned()], MAX_BODY)
}

/// A POST as a client of that era sends it; the headers of the modern one are taken from the body.
pub(crate) fn post(era: &str, body: &Value) -> Request<Bytes> {
    let mut request = Request::post("/mcp")
        .header("host", "localhost:8080")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if era == MODERN {
        request = request.header("mcp-protocol-version", MODERN).header("mcp-method", body["method"].as_str().unwrap());
        if let Some(name) = body["params"]["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    } else if body["method"] != "initialize" {
        request = request.header("mcp-protocol-version", era);
    }
    request.body(body.to_string().into()).unwrap()
}

fn raw(body: impl Into<Bytes>) -> Request<Bytes> {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

async fn ask(bench: &Arc<Bench>, request: Request<Bytes>) -> Response<Bytes> {
    handle(Arc::clone(bench), request, &policy()).await
}

async fn answer(bench: &Arc<Bench>, request: Request<Bytes>) -> (StatusCode, Value) {
    let response = ask(bench, request).await;
    assert_eq!(response.headers()["content-type"], "application/json", "{response:?}");
    (response.status(), serde_json::from_slice(response.body()).unwrap())
}

/// T-020, T-021, G-012, G-013, G-014, G-024, G-026, G-035: every malformed input has its code, and its id where one is readable.
#[tokio::test]
async fn malformed_messages() {
    let bench = Bench::new();
    let mut rows = malformed();
    rows.push((Vec::new(), -32700, Value::Null));
    for (body, code, id) in rows {
        let shown = body.get(..body.len().min(120)).unwrap().escape_ascii().to_string();
        let (status, answered) = answer(&bench, raw(body)).await;
        let expected = if matches!(code, -32700 | -32600) { StatusCode::BAD_REQUEST } else { StatusCode::OK };
        assert_eq!((status, &answered["error"]["code"], &answered["id"]), (expected, &code.into(), &id), "{shown}");
        assert!(answered.to_string().len() < 1_000, "{shown}");
    }
    let (status, _) = answer(&bench, raw(initialize("2025-06-18").to_string())).await;
    assert_eq!(status, StatusCode::OK, "it keeps serving");
}

/// G-023: a batch is refused in every version, also in the one that had them.
#[tokio::test]
async fn no_version_takes_batches() {
    let bench = Bench::new();
    for era in ERAS {
        let mut batch = post(era, &request(era, 1, "ping", json!({})));
        *batch.body_mut() = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.into();
        let (status, refused) = answer(&bench, batch).await;
        assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &(-32600).into()), "{era}");
    }
}

/// T-023, G-003, G-020, G-021: the handshake echoes the versions that have one; anything else is answered with the newest.
#[tokio::test]
async fn initialize_in_every_version() {
    let bench = Bench::new();
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        (MODERN, "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let response = ask(&bench, post("2025-11-25", &initialize(asked))).await;
        assert_eq!(response.status(), StatusCode::OK, "{asked}");
        assert!(!response.headers().contains_key("mcp-session-id"), "stateless");
        let answered: Value = serde_json::from_slice(response.body()).unwrap();
        let result = &answered["result"];
        assert_eq!(result["protocolVersion"], given, "{asked}");
        assert_eq!(result["serverInfo"]["name"], "assay");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert!(result["capabilities"]["tools"].is_object());
        assert!(result["instructions"].as_str().unwrap().len() < 2_000);
        assert_eq!(result.get("resultType"), None, "{asked}");
    }
}

/// G-020c, G-036, G-037: tools in every era, without a handshake before.
#[tokio::test]
async fn tools_in_every_era() {
    let bench = Bench::new();
    for era in ERAS {
        let (status, listed) = answer(&bench, post(era, &request(era, 1, "tools/list", json!({})))).await;
        assert_eq!((status, listed["result"]["tools"].as_array().map(Vec::len)), (StatusCode::OK, Some(8)), "{era}");
        assert_eq!(listed["result"]["tools"][0]["annotations"]["readOnlyHint"], true);

        let (status, called) = answer(&bench, post(era, &call(era, "c", "echo", json!({"a": "b"})))).await;
        let result = &called["result"];
        assert_eq!((status, &called["id"], &result["isError"]), (StatusCode::OK, &"c".into(), &false.into()), "{era}");
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1));
        assert_eq!(result["content"][0]["type"], "text");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["arguments"], json!({"a": "b"}));
        assert_eq!(result.get("structuredContent"), None);

        let (status, refused) = answer(&bench, post(era, &call(era, 2, "refuse", json!({})))).await;
        let refusal = json!([{"type": "text", "text": "not_found: There is no such thing; look elsewhere."}]);
        assert_eq!((status, &refused["result"]["isError"]), (StatusCode::OK, &true.into()), "{era}");
        assert_eq!(refused["result"]["content"], refusal);

        for tool in ["fault", "panic"] {
            let (status, failed) = answer(&bench, post(era, &call(era, 3, tool, json!({})))).await;
            assert_eq!(status, StatusCode::OK, "{era}");
            assert_eq!(failed["error"], json!({"code": -32603, "message": "Internal error"}), "{era} {tool}");
        }
        let (status, unknown) = answer(&bench, post(era, &call(era, 4, "nothing", json!({})))).await;
        assert_eq!((status, &unknown["error"]["code"]), (StatusCode::OK, &(-32602).into()), "{era}");

        // What a modern result has, an older one has not.
        for result in [&listed["result"], &called["result"], &refused["result"]] {
            let modern = era == MODERN;
            assert_eq!(result.get("resultType").is_some_and(|kind| kind == "complete"), modern, "{era}");
            let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
            assert_eq!(server, &if modern { "assay".into() } else { Value::Null }, "{era}");
        }
        assert_eq!(listed["result"].get("ttlMs").is_some(), era == MODERN, "{era}");
    }
}

/// Arguments reach a tool as they were written, integers of 64 bits exact; none at all is an empty object (G-083).
#[tokio::test]
async fn arguments_are_exact() {
    let bench = Bench::new();
    for (sent, received) in [
        (r#","arguments":{"n":9007199254740993}"#, r#"{"n":9007199254740993}"#),
        (
            r#","arguments":{"n":[18446744073709551615,-9223372036854775808]}"#,
            r#"{"n":[18446744073709551615,-9223372036854775808]}"#,
        ),
        (r#","arguments":{"n":7.0,"s":"7"}"#, r#"{"n":7.0,"s":"7"}"#),
        (r#","arguments":{"n":null,"u":"\u00e9\u0000"}"#, "{\"n\":null,\"u\":\"é\\u0000\"}"),
        (r#","arguments":null"#, "{}"),
        ("", "{}"),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo"{sent}}}}}"#);
        let (status, _) = answer(&bench, raw(body)).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(bench.calls.lock().unwrap().pop().as_deref(), Some(received));
    }
}

/// G-033, G-034: notifications get 202 and nothing; ping gets an empty result, in the older era alone (G-021).
#[tokio::test]
async fn notifications_and_ping() {
    let bench = Bench::new();
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":null}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"made/up","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}"#,
    ] {
        let response = ask(&bench, raw(body)).await;
        assert_eq!((response.status(), response.body().len()), (StatusCode::ACCEPTED, 0), "{body}");
    }
    assert!(bench.calls.lock().unwrap().is_empty(), "a notification calls no tool");

    let (status, pong) = answer(&bench, raw(r#"{"jsonrpc":"2.0","id":"p","method":"ping","params":null}"#)).await;
    assert_eq!((status, pong), (StatusCode::OK, json!({"jsonrpc": "2.0", "id": "p", "result": {}})));
    let (status, pong) = answer(&bench, post(MODERN, &request(MODERN, 1, "ping", json!({})))).await;
    assert_eq!((status, &pong["error"]["code"]), (StatusCode::NOT_FOUND, &(-32601).into()));
}

/// G-021: the rules of 2026-07-28 on the same endpoint.
#[tokio::test]
async fn the_modern_era() {
    let bench = Bench::new();
    let discover = request(MODERN, 1, "server/discover", json!({}));
    let (status, found) = answer(&bench, post(MODERN, &discover)).await;
    assert_eq!(status, StatusCode::OK);
    let result = &found["result"];
    assert_eq!(result["supportedVersions"].as_array().map(Vec::len), Some(5));
    assert!(result["supportedVersions"].as_array().unwrap().contains(&MODERN.into()));
    assert!(result["capabilities"]["tools"].is_object() && result["instructions"].is_string());
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "assay");

    for method in ["made/up", "resources/list", "subscriptions/listen", "logging/setLevel", "initialize", "ping"] {
        let (status, unknown) = answer(&bench, post(MODERN, &request(MODERN, 2, method, json!({})))).await;
        assert_eq!((status, &unknown["error"]["code"]), (StatusCode::NOT_FOUND, &(-32601).into()), "{method}");
    }

    let echo = call(MODERN, 3, "echo", json!({}));
    for (name, value) in [("mcp-method", "tools/list"), ("mcp-name", "fill"), ("mcp-protocol-version", "2025-11-25")] {
        let mut mismatched = post(MODERN, &echo);
        mismatched.headers_mut().insert(name, value.parse().unwrap());
        let (status, refused) = answer(&bench, mismatched).await;
        assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &(-32020).into()), "{name}");
    }
    for name in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
        let mut missing = post(MODERN, &echo);
        missing.headers_mut().remove(name);
        let (status, refused) = answer(&bench, missing).await;
        assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &(-32020).into()), "{name}");
    }
    let mut encoded = post(MODERN, &echo);
    encoded.headers_mut().insert("mcp-name", "=?base64?ZWNobw==?=".parse().unwrap());
    assert_eq!(answer(&bench, encoded).await.0, StatusCode::OK);

    let mut later = echo.clone();
    later["params"]["_meta"] = meta("2099-01-01");
    let mut unsupported = post(MODERN, &later);
    unsupported.headers_mut().insert("mcp-protocol-version", "2099-01-01".parse().unwrap());
    let (status, refused) = answer(&bench, unsupported).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &(-32022).into()));
    assert_eq!(refused["error"]["data"]["requested"], "2099-01-01");

    for params in [json!({"name": "echo"}), json!({"name": "echo", "_meta": {}}), json!([])] {
        let mut bare = echo.clone();
        bare["params"] = params;
        let mut request = post(MODERN, &bare);
        request.headers_mut().insert("mcp-name", "echo".parse().unwrap());
        let (status, refused) = answer(&bench, request).await;
        assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &(-32602).into()), "{bare}");
    }
    assert_eq!(bench.calls.lock().unwrap().len(), 1, "only the encoded name reached a tool");
}

/// G-022, G-025 and what comes before the body: method, origin, host, kind and size.
#[tokio::test]
async fn at_the_door() {
    let bench = Bench::new();
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::OPTIONS, Method::HEAD] {
        let mut request = raw("{");
        *request.method_mut() = method.clone();
        let response = ask(&bench, request).await;
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(response.headers()["allow"], "POST");
    }

    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for (name, value, status) in [
        ("origin", "https://evil.example", StatusCode::FORBIDDEN),
        ("origin", "null", StatusCode::FORBIDDEN),
        ("origin", "https://localhost.evil.example", StatusCode::FORBIDDEN),
        ("origin", "http://localhost:3000", StatusCode::OK),
        ("origin", "http://127.0.0.1", StatusCode::OK),
        ("origin", "http://[::1]:9", StatusCode::OK),
        ("host", "evil.example", StatusCode::FORBIDDEN),
        ("host", "localhost.evil.example", StatusCode::FORBIDDEN),
        ("host", "127.0.0.1:8080", StatusCode::OK),
        ("host", "[::1]:8080", StatusCode::OK),
        ("host", "forge.example", StatusCode::OK),
        ("host", "a b", StatusCode::BAD_REQUEST),
    ] {
        for body in [ping, "{"] {
            let mut request = raw(body);
            request.headers_mut().insert(name, value.parse().unwrap());
            let status = if status == StatusCode::OK && body == "{" { StatusCode::BAD_REQUEST } else { status };
            assert_eq!(ask(&bench, request).await.status(), status, "{name}: {value}");
        }
    }
    let with_origin = policy().with_origins(["https://app.example:443".to_owned()]);
    let mut request = raw(ping);
    request.headers_mut().insert("origin", "https://app.example".parse().unwrap());
    assert_eq!(handle(Arc::clone(&bench), request, &with_origin).await.status(), StatusCode::OK);

    for (kind, status) in [
        ("application/json", StatusCode::OK),
        ("Application/JSON; charset=utf-8", StatusCode::OK),
        ("text/plain", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("application/json-patch+json", StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let mut request = raw(ping);
        request.headers_mut().insert("content-type", kind.parse().unwrap());
        assert_eq!(ask(&bench, request).await.status(), status, "{kind}");
    }
    let mut untyped = raw(ping);
    untyped.headers_mut().remove("content-type");
    let response = ask(&bench, untyped).await;
    assert_eq!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(response.body(), "the Content-Type must be application/json");

    for accept in ["application/json", "*/*", "text/html", ""] {
        let mut request = raw(ping);
        request.headers_mut().insert("accept", accept.parse().unwrap());
        assert_eq!(answer(&bench, request).await.0, StatusCode::OK, "{accept}");
    }

    let padded = |length: usize| format!("{ping}{}", " ".repeat(length - ping.len()));
    assert_eq!(ask(&bench, raw(padded(MAX_BODY))).await.status(), StatusCode::OK);
    let (status, refused) = answer(&bench, raw(padded(MAX_BODY + 1))).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &(-32600).into()));
}

/// A client's own text never makes an answer larger than the bound, whatever echoes it (G-084).
#[tokio::test]
async fn echoed_text_is_bounded() {
    let bench = Bench::new();
    let version = "9".repeat(60_000);
    let mut later = call(MODERN, 3, "echo", json!({}));
    later["params"]["_meta"] = meta(&version);
    let mut request = post(MODERN, &later);
    request.headers_mut().insert("mcp-protocol-version", version.parse().unwrap());
    let (status, refused) = answer(&bench, request).await;
    assert_eq!(
        (status, &refused["error"]["code"], &refused["id"]),
        (StatusCode::BAD_REQUEST, &(-32022).into(), &3.into())
    );
    assert!(refused.to_string().len() < 49_000);
}

/// A client that goes away ends its call.
#[tokio::test]
async fn a_disconnect_ends_the_call() {
    let bench = Bench::new();
    for era in ["2025-11-25", MODERN] {
        let waiting = tokio::spawn({
            let bench = Arc::clone(&bench);
            async move { ask(&bench, post(era, &call(era, 1, "wait", json!({})))).await }
        });
        bench.waiting.notified().await;
        waiting.abort();
        bench.dropped.notified().await;
    }
}
