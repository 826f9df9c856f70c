//! A toolbox whose tools do what a test needs, and the messages that call them.

use std::{
    fmt::Write as _,
    future::pending,
    sync::{Arc, Mutex},
};

use assay_envelope::Refusal;
use assay_mcp::{Catalogue, Failure, ToolSpec, Toolbox};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// - `echo` answers `{"arguments": …, "room": …}` with the very text it was given, and so does `patchdiff_echo`;
/// - `fill` answers a text that takes its room and `over` bytes more;
/// - `refuse`, `fault`, `panic` and `gone` fail, each in its own way;
/// - `wait` never answers, and says when it began and when it was dropped.
pub(crate) struct Bench {
    catalogue: Catalogue,
    /// The arguments of every call, as they came.
    pub(crate) calls: Mutex<Vec<String>>,
    pub(crate) waiting: Notify,
    pub(crate) dropped: Arc<Notify>,
}

impl Bench {
    pub(crate) fn new() -> Arc<Self> {
        let spec = |name: &str| ToolSpec {
            name: name.to_owned(),
            title: format!("The tool {name}"),
            toolset: "pulls".to_owned(),
            description: "For tests.".to_owned(),
            input_schema: r#"{"type":"object"}"#.to_owned(),
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let names = ["echo", "fill", "refuse", "fault", "panic", "gone", "wait", "patchdiff_echo"];
        Arc::new(Self {
            catalogue: Catalogue::new(names.into_iter().map(spec).collect()).unwrap(),
            calls: Mutex::default(),
            waiting: Notify::new(),
            dropped: Arc::default(),
        })
    }
}

impl Toolbox for Bench {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    async fn call(&self, name: &str, arguments: String, room: u32) -> Result<String, Failure> {
        self.calls.lock().unwrap().push(arguments.clone());
        match name {
            "echo" | "patchdiff_echo" => Ok(format!(r#"{{"arguments":{arguments},"room":{room}}}"#)),
            "fill" => {
                let arguments: Value = serde_json::from_str(&arguments).unwrap();
                let over = arguments["over"].as_u64().unwrap_or_default();
                Ok(filled(usize::try_from(u64::from(room) + over).unwrap()))
            }
            "refuse" => Err(Failure::Refused(Refusal::new("not_found", "There is no such thing; look elsewhere."))),
            "fault" => Err(Failure::Fault),
            "panic" => panic!("on purpose"),
            "gone" => Err(Failure::UnknownTool),
            "wait" => {
                let _on_drop = OnDrop(Arc::clone(&self.dropped));
                self.waiting.notify_one();
                pending().await
            }
            _ => unreachable!("not in the catalogue"),
        }
    }
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// A text that takes exactly `bytes` bytes inside a JSON string, with every kind of character in it.
fn filled(bytes: usize) -> String {
    let mut text = "é→🟢\"\\\n\u{1}".repeat(bytes / 21);
    write!(text, "{}", "x".repeat(bytes % 21)).unwrap();
    assert_eq!(serde_json::to_string(&text).unwrap().len() - 2, bytes);
    text
}

pub(crate) const ERAS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
pub(crate) const MODERN: &str = "2026-07-28";

/// A request of an era: in the modern one it carries what every request must.
pub(crate) fn request(era: &str, id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    if era == MODERN {
        params["_meta"] = meta(MODERN);
    }
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn call(era: &str, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(era, id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

pub(crate) fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    })
}

pub(crate) fn initialize(version: &str) -> Value {
    let client = json!({"name": "test", "version": "1"});
    request(
        "2025-11-25",
        0,
        "initialize",
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
    )
}

/// The raw inputs that both transports answer alike: the bytes, the code, the id that comes back.
pub(crate) fn malformed() -> Vec<(Vec<u8>, i64, Value)> {
    let null = || Value::Null;
    let mut rows: Vec<(Vec<u8>, i64, Value)> = Vec::new();
    for (bytes, code, id) in [
        (&b"{"[..], -32700, null()),
        (b"nonsense", -32700, null()),
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", -32700, null()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"\ud800"}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1e400}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":18446744073709551616}}}"#, -32700, null()),
        (b"7", -32600, null()),
        (b"\"text\"", -32600, null()),
        (b"null", -32600, null()),
        (b"[]", -32600, null()),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, null()),
        (b"{}", -32600, null()),
        (br#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, -32600, 5.into()),
        (br#"{"id":5,"method":"ping"}"#, -32600, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5}"#, -32600, 5.into()),
        (br#"{"jsonrpc":"2.0","id":"five","method":7}"#, -32600, "five".into()),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":5,"result":{}}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}"#, -32600, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":[]}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":"x"}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":null}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"initialize"}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"initialize","params":{}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":7}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":null}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call"}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","_meta":[]}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nothing"}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gone"}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"x"}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"made/up"}"#, -32601, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"prompts/list"}"#, -32601, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"debug"}}"#, -32601, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fault"}}"#, -32603, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"panic"}}"#, -32603, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":1,"\u0061":1}}}"#, -32700, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":[{"b":1,"b":1}]}}}"#, -32700, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":1e400}}}"#, -32700, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":01}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":"\ud8"}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{},"x":"\ud800"}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{},"_meta":{"x":18446744073709551616}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_\ud800","arguments":{}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"name":"patchdiff_echo","arguments":{"a":"\ud800"}}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":["\ud800"]}}"#, -32700, null()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":[]}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{},"_meta":7}}"#, -32602, 5.into()),
        (br#"{"jsonrpc":"1.0","id":5,"method":"tools/call","params":{"name":"patchdiff_echo","arguments":{"a":"\ud800"}}}"#, -32600, 5.into()),
        (br#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"patchdiff_gone","arguments":{"a":"\ud800"}}}"#, -32602, 5.into()),
        (br#"["tools/call",["patchdiff_echo",{"a":"\ud800"}]]"#, -32600, null()),
    ] {
        rows.push((bytes.to_vec(), code, id));
    }
    let deep = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{open}{close}}}}}}}"#
        )
    };
    rows.push((deep(70).into_bytes(), -32700, null()));
    rows.push((deep(100_000).into_bytes(), -32700, null()));
    rows.push(("[".repeat(100_000).into_bytes(), -32700, null()));
    let digits = "9".repeat(5_000);
    rows.push((format!(r#"{{"jsonrpc":"2.0","id":{digits},"method":"ping"}}"#).into_bytes(), -32700, null()));
    let id = "i".repeat(40_000);
    rows.push((format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}"#).into_bytes(), -32600, null()));
    let method = "m".repeat(60_000);
    rows.push((format!(r#"{{"jsonrpc":"2.0","id":5,"method":"{method}"}}"#).into_bytes(), -32601, 5.into()));
    rows
}
