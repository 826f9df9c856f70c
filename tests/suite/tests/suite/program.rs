//! The program as it is run: its standard streams, its exit codes, its processes.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio as Pipe},
};

use assay_kit::{Evidence, ObjectFormat, ScriptedForge};
use serde_json::{Value, json};

use crate::stage::TOKEN;

const TARGET: &str = "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1";

/// The program, with an environment that holds nothing of the tester's.
pub(crate) fn assay() -> Command {
    let suite = std::env::current_exe().expect("a process has a program");
    let beside: PathBuf =
        suite.parent().and_then(|deps| deps.parent()).expect("in target/<profile>/deps").join("assay");
    assert!(beside.exists(), "{} is not built: run the tests with `make test`", beside.display());
    let mut command = Command::new(beside);
    for name in ["FORGEJO_URL", "FORGEJO_TOKEN", "FORGEJO_USER", "FORGEJO_PASSWORD", "ASSAY_LOG"] {
        command.env_remove(name);
    }
    command
}

/// `assay stdio` under a client that writes one line and reads one.
pub(crate) struct Stdio {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Stdio {
    pub(crate) fn start(url: &str) -> Self {
        Self::start_as(url, TOKEN)
    }

    pub(crate) fn start_as(url: &str, token: &str) -> Self {
        Self::start_with(url, token, &[])
    }

    pub(crate) fn start_with(url: &str, token: &str, settings: &[(&str, String)]) -> Self {
        let mut child = assay()
            .arg("stdio")
            .env("FORGEJO_URL", url)
            .env("FORGEJO_TOKEN", token)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdin(Pipe::piped())
            .stdout(Pipe::piped())
            .spawn()
            .expect("the program starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, input, output, id: 0 }
    }

    /// Sends one line and gives the line that answers it.
    pub(crate) fn exchange(&mut self, line: &str) -> String {
        writeln!(self.input.as_mut().expect("until the end"), "{line}").expect("it reads");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("it writes");
        answer
    }

    /// Calls a tool: the response as it stands on the wire.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> String {
        self.id += 1;
        let call = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
        self.exchange(&call.to_string())
    }

    /// Calls a tool many times at once: the responses in the order of the calls.
    pub(crate) fn call_all(&mut self, tool: &str, calls: &[Value]) -> Vec<String> {
        let first = self.id + 1;
        for arguments in calls {
            self.id += 1;
            let call = json!({"jsonrpc": "2.0", "id": self.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
            writeln!(self.input.as_mut().expect("until the end"), "{call}").expect("it reads");
        }
        let mut answers: BTreeMap<u64, String> = BTreeMap::new();
        while answers.len() < calls.len() {
            let mut answer = String::new();
            self.output.read_line(&mut answer).expect("it writes");
            let message: Value = serde_json::from_str(&answer).expect("a message a line");
            let id = message["id"].as_u64().expect("it answers a call");
            assert!((first..=self.id).contains(&id) && answers.insert(id, answer).is_none(), "{id} is answered once");
        }
        answers.into_values().collect()
    }

    /// The most memory the process has had, in KiB.
    pub(crate) fn peak_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("Linux tells");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("Linux tells its peak");
        line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number of KiB")
    }

    /// Ends the input, and gives the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.input = None;
        self.child.wait().expect("it ends").code()
    }

    /// The diff tool's answer.
    pub(crate) fn page(&mut self, arguments: &Value) -> Value {
        page(&self.call("get_pull_request_diff", arguments))
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // Already gone where the test ended it well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(url: &str, arguments: &Value) -> Output {
    assay()
        .args(["call", "get_pull_request_diff", &arguments.to_string()])
        .env("FORGEJO_URL", url)
        .env("FORGEJO_TOKEN", TOKEN)
        .output()
        .expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn exit_codes_say_how_it_went() {
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, [Evidence::new("", 7, ObjectFormat::Sha1).response()]);
    let arguments = json!({"owner": "o", "repo": "r", "index": 7});
    let good = call(&forge.url(), &arguments);
    assert_eq!((good.status.code(), text(&good.stderr)), (Some(0), String::new()));
    let page: Value = serde_json::from_slice(&good.stdout).expect("the answer is one JSON object");
    assert_eq!(page["eof"], true);

    let refused = call(&forge.url(), &json!({"owner": "o", "repo": "r", "index": 8}));
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    let wrong = call(&forge.url(), &json!({"owner": "o", "repo": "r", "index": 0}));
    assert_eq!((wrong.status.code(), wrong.stdout.len()), (Some(2), 0));
    assert!(text(&wrong.stderr).contains("invalid_argument: `index`"), "{}", text(&wrong.stderr));
    for bad in [["call", "no_such_tool", "{}"], ["call", "get_pull_request", "[]"], ["call", "get_pull_request", "{"]] {
        let output = assay().args(bad).env("FORGEJO_URL", forge.url()).env("FORGEJO_TOKEN", TOKEN).output();
        assert_eq!(output.expect("it runs").status.code(), Some(2), "{bad:?}");
    }

    let unset = assay().arg("stdio").output().expect("it runs");
    assert_eq!((unset.status.code(), unset.stdout.len()), (Some(2), 0));
    assert!(text(&unset.stderr).contains("FORGEJO_URL"), "{}", text(&unset.stderr));

    let no_token = assay().arg("stdio").env("FORGEJO_URL", forge.url()).output().expect("it runs");
    assert_eq!(no_token.status.code(), Some(2));
    assert!(text(&no_token.stderr).contains("FORGEJO_TOKEN"), "{}", text(&no_token.stderr));

    let usage = assay().arg("no-such-command").output().expect("it runs");
    assert_eq!(usage.status.code(), Some(2));
}

/// K-66, K-70, G-010, G-038: at the finest log level standard output holds messages alone, and neither stream the token.
#[test]
fn standard_output_is_the_protocols() {
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, [Evidence::new("x\n", 7, ObjectFormat::Sha1).response()]);
    let mut child = assay()
        .args(["stdio", "--log", "trace"])
        .env("FORGEJO_URL", forge.url())
        .env("FORGEJO_TOKEN", TOKEN)
        .env("RUST_LOG", "trace")
        .stdin(Pipe::piped())
        .stdout(Pipe::piped())
        .stderr(Pipe::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("piped");
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "garbage",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_pull_request_diff","arguments":{"owner":"o","repo":"r","index":7}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"nope","arguments":{}}}"#,
    ] {
        writeln!(input, "{line}\r").expect("it reads");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "G-015: the end of input ends it well");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    let tail = TOKEN.get(TOKEN.len() - 8..).expect("long");
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD.encode(TOKEN);
    for stream in [&output.stdout, &output.stderr] {
        for secret in [TOKEN, tail, base64.trim_end_matches('=')] {
            assert!(!text(stream).contains(secret), "a secret is in the output");
        }
    }
    assert!(!output.stderr.is_empty(), "the finest level says something");
}

/// D-016, D-056, D-057, D-057a: a cursor outlives the process, and the same call gives the same window again.
#[test]
fn a_cursor_outlives_the_process() {
    let forge = ScriptedForge::start();
    let diff =
        "diff --git a/f b/f\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,3000 @@\n"
            .to_owned() + &"+a line of some length\n".repeat(3_000);
    forge.script("GET", TARGET, [Evidence::new(&diff, 7, ObjectFormat::Sha1).response()]);
    let mut arguments = json!({"owner": "o", "repo": "r", "index": 7});
    let first = page(&Stdio::start(&forge.url()).call("get_pull_request_diff", &arguments));
    arguments["cursor"] = first["next_cursor"].clone();
    let second = page(&Stdio::start(&forge.url()).call("get_pull_request_diff", &arguments));
    let again = page(&Stdio::start(&forge.url()).call("get_pull_request_diff", &arguments));
    assert_eq!(second["byte_offset"], first["next_byte_offset"]);
    assert_eq!(second, again);
    assert_eq!(forge.requests().len(), 3, "every window is read anew");
}

#[test]
fn the_end_of_input_is_the_end() {
    let forge = ScriptedForge::start();
    let mut program = Stdio::start(&forge.url());
    let pong = program.exchange(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    assert!(pong.contains(r#""id":"p""#), "{pong}");
    assert_eq!(program.end(), Some(0));
}

/// The text of a tool's answer, as JSON.
pub(crate) fn page(response: &str) -> Value {
    let response: Value = serde_json::from_str(response).expect("a response is JSON");
    let text = response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {response}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("refused: {text}"))
}
