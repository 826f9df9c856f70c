//! One message a line.

use std::sync::Arc;

use assay_mcp::lines::{LINE_BYTES, serve};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split},
    task::JoinHandle,
};

use crate::bench::{Bench, ERAS, MODERN, call, initialize, malformed, meta, request};

/// A client at the other end.
pub(crate) struct Client {
    output: tokio::io::WriteHalf<DuplexStream>,
    input: BufReader<tokio::io::ReadHalf<DuplexStream>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    pub(crate) fn connect(bench: &Arc<Bench>) -> Self {
        Self::over(bench, 64 * 1024)
    }

    /// With as many bytes between the two ends at the most.
    fn over(bench: &Arc<Bench>, buffered: usize) -> Self {
        let (theirs, ours) = duplex(buffered);
        let (input, output) = split(theirs);
        let served = tokio::spawn(serve(Arc::clone(bench), BufReader::new(input), output));
        let (input, output) = split(ours);
        Self { output, input: BufReader::new(input), served }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
    }

    /// The next line's length without its end, and the message in it.
    pub(crate) async fn receive(&mut self) -> (usize, Value) {
        let mut line = String::new();
        self.input.read_line(&mut line).await.unwrap();
        let message = line.strip_suffix('\n').expect("a whole line");
        (message.len(), serde_json::from_str(message).expect("one message a line"))
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.receive().await.1
    }

    /// Ends the input, and gives what was still written.
    async fn end(mut self) -> String {
        self.output.shutdown().await.unwrap();
        let mut rest = String::new();
        self.input.read_to_string(&mut rest).await.unwrap();
        self.served.await.unwrap().unwrap();
        rest
    }
}

/// T-020, T-021, G-010, G-011, G-012, G-013, G-014, G-023, G-026, G-035: one line in, one line out, and no line ends the loop.
#[tokio::test]
async fn malformed_lines() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    for (line, code, id) in malformed() {
        let shown = line.get(..line.len().min(120)).unwrap().escape_ascii().to_string();
        client.write(&line).await;
        client.write(b"\n").await;
        let (length, answered) = client.receive().await;
        assert_eq!((&answered["error"]["code"], &answered["id"]), (&code.into(), &id), "{shown}");
        assert!(length < 1_000, "{shown}");
    }
    let pong = client.ask(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"})).await;
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    assert_eq!(client.end().await, "");
}

/// G-015, K-67: the end of the input ends the loop, after what was asked before it is answered, its last line included.
#[tokio::test]
async fn line_ends_and_the_end() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    client.write(b"\n\r\n  \n").await;
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n").await;
    assert_eq!(client.receive().await.1["id"], 1);
    client.write(b"  {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\t\n").await;
    assert_eq!(client.receive().await.1["id"], 2);
    client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    client.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\"}}\n").await;
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}").await;
    assert_eq!(client.end().await, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}\n");
    assert!(bench.calls.lock().unwrap().is_empty(), "a notification calls no tool");
}

/// A line beyond the bound is dropped while it comes, answered once, and the next is read; its neighbours are whole.
#[tokio::test]
async fn a_long_line_is_dropped() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    client.write(format!("{ping}{}\n", " ".repeat(LINE_BYTES - ping.len())).as_bytes()).await;
    assert_eq!(client.receive().await.1["result"], json!({}));
    for length in [LINE_BYTES + 1, 5 * LINE_BYTES] {
        client.write(format!("{ping}{}\n{ping}\n", " ".repeat(length - ping.len())).as_bytes()).await;
        let refused = client.receive().await.1;
        assert_eq!((&refused["error"]["code"], &refused["id"]), (&(-32600).into(), &Value::Null));
        assert_eq!(client.receive().await.1["result"], json!({}));
    }
    client.write(&vec![b'x'; LINE_BYTES + 1]).await;
    assert!(client.end().await.contains("-32600"));
}

/// G-020c, G-021, G-034: both eras in one process, in either order, and without any handshake.
#[tokio::test]
async fn both_eras_in_any_order() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    for era in ERAS.into_iter().chain(ERAS.into_iter().rev()) {
        if era == MODERN {
            let found = client.ask(&request(MODERN, 1, "server/discover", json!({}))).await;
            assert!(found["result"]["supportedVersions"].as_array().unwrap().contains(&MODERN.into()));
        }
        let listed = client.ask(&request(era, 2, "tools/list", json!({}))).await;
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(8), "{era}");
        assert_eq!(listed["result"].get("resultType").is_some(), era == MODERN, "{era}");
        let called = client.ask(&call(era, "c", "echo", json!({"n": 9_007_199_254_740_993_u64}))).await;
        assert!(called["result"]["content"][0]["text"].as_str().unwrap().contains("9007199254740993"));
        assert_eq!(called["result"].get("resultType").is_some(), era == MODERN, "{era}");
        let refused = client.ask(&call(era, 3, "refuse", json!({}))).await;
        assert_eq!(refused["result"]["isError"], true, "{era}");
        let pong = client.ask(&request(era, 4, "ping", json!({}))).await;
        assert_eq!(pong["error"]["code"] == -32601, era == MODERN, "{era}");
        if era != MODERN {
            let initialized = client.ask(&initialize(era)).await;
            assert_eq!(initialized["result"]["protocolVersion"], era);
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
    }
    // The handshake agrees on another version than it was asked for, and what follows has that version's shape.
    let initialized = client.ask(&initialize(MODERN)).await;
    assert_eq!(initialized["result"]["protocolVersion"], "2025-11-25");
    let called = client.ask(&call("2025-11-25", 5, "echo", json!({}))).await;
    assert_eq!(called["result"].get("resultType"), None);
    let mut later = call(MODERN, 6, "echo", json!({}));
    later["params"]["_meta"] = meta("2099-01-01");
    assert_eq!(client.ask(&later).await["error"]["code"], -32022);
    later["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": MODERN});
    assert_eq!(client.ask(&later).await["error"]["code"], -32602);
}

/// A cancelled call ends, says nothing more, and the next is served meanwhile.
#[tokio::test]
async fn a_call_can_be_cancelled() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    client.send(&call("2025-11-25", "w", "wait", json!({}))).await;
    bench.waiting.notified().await;
    assert_eq!(client.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).await["id"], 1);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "w"}});
    client.send(&cancel).await;
    bench.dropped.notified().await;
    assert_eq!(client.end().await, "");
}

/// Lines stay whole where the reader is slow and errors and answers are written at once.
#[tokio::test]
async fn a_slow_reader_gets_whole_lines() {
    let bench = Bench::new();
    let mut client = Client::over(&bench, 7);
    let (mut output, count) = (client.output, 40);
    let writing = tokio::spawn(async move {
        for id in 0..count {
            output
                .write_all(format!("{}\nnonsense\n", call("2025-11-25", id, "echo", json!({}))).as_bytes())
                .await
                .unwrap();
        }
        output
    });
    let mut ids = Vec::new();
    let mut errors = 0;
    let mut line = String::new();
    for _ in 0..2 * count {
        line.clear();
        client.input.read_line(&mut line).await.unwrap();
        let message: Value = serde_json::from_str(&line).expect("one message a line");
        match message["id"].as_u64() {
            Some(id) => ids.push(id),
            None => errors += 1,
        }
    }
    ids.sort_unstable();
    assert_eq!((ids, errors), ((0..count).collect::<Vec<_>>(), count));
    drop(writing.await.unwrap());
}

/// Where nobody reads any more, the loop ends although the input goes on.
#[tokio::test]
async fn a_closed_output_ends_the_loop() {
    let bench = Bench::new();
    let (input, mut requests) = duplex(64);
    let (output, closed) = duplex(64);
    drop(closed);
    let served = tokio::spawn(serve(bench, BufReader::new(input), output));
    requests.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    assert!(served.await.unwrap().is_err());
}
