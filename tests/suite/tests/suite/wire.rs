//! The whole way: a repository, the local forge over it, the program, and MCP messages as they are on the wire.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Stdio as Pipe},
};

use assay_kit::{AwkwardRepository, DiffStyle, Evidence, ObjectFormat, ScriptedForge, repository::slice_of};
use assay_local_forge::{Accounts, Config, LocalForge, Source, Token};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Runtime;

use crate::{
    program::{Stdio, assay, page},
    stage::{TOKEN, client},
};

/// A local forge over one repository, with a token that may read.
pub(crate) struct Served {
    runtime: Runtime,
    forge: Option<LocalForge>,
    pub(crate) token: Token,
}

impl Served {
    pub(crate) fn over(repository: &AwkwardRepository) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let (accounts, token) = Accounts::with_owner();
        let source = Source { private: true, ..Source::from_path(repository.path()) };
        let config = Config { accounts, ..Config::serving(vec![source]) };
        let forge = runtime.block_on(assay_local_forge::start(config)).expect("it starts");
        Self { runtime, forge: Some(forge), token }
    }

    pub(crate) fn url(&self) -> String {
        self.forge().url()
    }

    fn forge(&self) -> &LocalForge {
        self.forge.as_ref().expect("until it is dropped")
    }

    /// The arguments that name the pull request of a branch.
    pub(crate) fn pull(&self, branch: &str) -> Value {
        let pulls = self.forge().pulls();
        let pull =
            pulls.iter().find(|pull| pull.branch == branch).unwrap_or_else(|| panic!("{branch} is no pull request"));
        json!({"owner": pull.owner, "repo": pull.repo, "index": pull.index})
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(forge) = self.forge.take() {
            self.runtime.block_on(forge.shutdown());
        }
    }
}

/// `assay serve` on a free port.
pub(crate) struct Gateway {
    child: Child,
    pub(crate) url: String,
}

impl Gateway {
    pub(crate) fn start(forge: &str) -> Self {
        let mut child = assay()
            .args(["serve", "--listen", "127.0.0.1:0", "--rate-read", "0"])
            .env("FORGEJO_URL", forge)
            .stdout(Pipe::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where");
        let url = line.trim().strip_prefix("listening on ").expect("the line's form").to_owned();
        Self { child, url }
    }

    pub(crate) fn post(&self, authorization: Option<&str>, body: &str) -> (u16, String) {
        self.send(reqwest::Method::POST, authorization, body)
    }

    fn send(&self, method: reqwest::Method, authorization: Option<&str>, body: &str) -> (u16, String) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let mut request = client().request(method, &self.url).body(body.to_owned());
            request = request.header("content-type", "application/json");
            if let Some(value) = authorization {
                request = request.header("authorization", value);
            }
            let response = request.send().await.expect("it answers");
            (response.status().as_u16(), response.text().await.expect("a body"))
        })
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads to the end and checks every window: D-037, D-038, D-041, D-042, D-044.
fn walk(mut ask: impl FnMut(&Value) -> Value, arguments: &Value) -> (Vec<u8>, Value) {
    let mut arguments = arguments.clone();
    let mut bytes = Vec::new();
    loop {
        let page = ask(&arguments);
        let data = STANDARD.decode(page["data"].as_str().expect("data")).expect("canonical base64");
        assert_eq!(page["byte_offset"], bytes.len());
        assert_eq!(page["chunk_bytes"], data.len());
        assert_eq!(page["chunk_sha256"], hex(&data));
        assert_eq!(page["text"].as_str(), std::str::from_utf8(&data).ok());
        bytes.extend(data);
        if page["eof"] == true {
            assert_eq!((&page["next_cursor"], &page["next_byte_offset"]), (&Value::Null, &Value::Null));
            return (bytes, page);
        }
        assert_eq!(page["next_byte_offset"], bytes.len());
        arguments["cursor"] = page["next_cursor"].clone();
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// D-044, D-022, T-036, K-01: every pull request of an awkward repository reads as git makes it, in both object formats.
#[test]
fn a_full_walk_is_gits_own_diff() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let repository = AwkwardRepository::new(format);
        let served = Served::over(&repository);
        let mut program = start(&served);
        for branch in repository.branches() {
            let (bytes, page) = walk(|arguments| program.page(arguments), &served.pull(branch));
            assert!(bytes == repository.diff("main", branch, DiffStyle::default()), "{branch}");
            assert_eq!(page["manifest"]["content"]["sha256"], hex(&bytes));
            assert_eq!(page["manifest"]["repository"]["object_format"], format.name());
            assert_eq!(page["manifest"]["generation"]["inputs"]["head"]["oid"], repository.oid(branch));
        }
    }
}

/// K-18, K-19, K-21, K-22, K-25, K-26, K-27, K-29, K-30, K-31, S-003, S-004, S-012, S-013, S-014, S-015, S-017: each changed
/// path slices to exactly what git prints for it; the slices together are the whole.
#[test]
fn every_path_slices_as_git_prints_it() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let served = Served::over(&repository);
    let mut program = start(&served);
    let mut sliced = 0;
    for branch in repository.branches() {
        let style = DiffStyle::default();
        let changes = repository.changes("main", branch, style);
        for path in repository.changed_paths("main", branch, style) {
            let mut arguments = served.pull(branch);
            arguments["file_path"] = match std::str::from_utf8(&path) {
                Ok(path) => path.into(),
                // A JSON string cannot hold it: it is given as git quotes it.
                Err(_) => format!("\"{}\"", path.iter().map(|b| format!("\\{b:03o}")).collect::<String>()).into(),
            };
            let (bytes, page) = walk(|arguments| program.page(arguments), &arguments);
            assert!(bytes == slice_of(&changes, &path), "{branch}: {}", path.escape_ascii());
            assert_eq!(page["requested"]["file_path"], arguments["file_path"]);
            assert_eq!(page["slice"]["sha256"], hex(&bytes));
            assert_eq!(page["slice"]["byte_count"], bytes.len());
            sliced += 1;
        }
    }
    assert!(sliced > 30, "{sliced} paths");
}

/// D-050, D-058, D-059: the caller's access and the inputs are asked for with every window.
#[test]
fn a_walk_ends_when_access_or_inputs_do() {
    let repository = AwkwardRepository::large(200_000, ObjectFormat::Sha1);
    let branch = repository.branches().first().expect("one topic").clone();
    let served = Served::over(&repository);
    let mut program = start(&served);
    let mut arguments = served.pull(&branch);
    arguments["cursor"] = program.page(&arguments)["next_cursor"].clone();

    repository.git(["commit-tree", "-p", &branch, "-m", "moved", "main^{tree}"]);
    let moved = repository.git(["commit-tree", "-p", &branch, "-m", "moved", "main^{tree}"]);
    let moved = String::from_utf8(moved).expect("an object id");
    let before = repository.oid(&branch);
    repository.git(["update-ref", &format!("refs/heads/{branch}"), moved.trim()]);
    let refused = program.call("get_pull_request_diff", &arguments);
    assert!(refused.contains("inputs_moved") && refused.contains("start again without a cursor"), "{refused}");
    repository.git(["update-ref", &format!("refs/heads/{branch}"), &before]);
    program.page(&arguments);

    served.forge().revoke(&served.token);
    let refused = program.call("get_pull_request_diff", &arguments);
    assert!(refused.contains("unauthorized"), "{refused}");
}

/// D-064, D-065, D-067, D-040a, K-11: the whole message is measured, with the real id; a long id makes the window smaller.
#[test]
fn every_message_fits() {
    let forge = ScriptedForge::start();
    let awkward = "+\t\\\"\u{1}→\n".repeat(9_000);
    forge.script(
        "GET",
        "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1",
        [Evidence::new(&awkward, 7, ObjectFormat::Sha1).response()],
    );
    forge.script("GET", "/api/v1/user", [assay_kit::Response::error(403, "scope")]);
    let mut program = Stdio::start(&forge.url());
    let gateway = Gateway::start(&forge.url());
    let mut windows = Vec::new();
    for id in [json!(1), json!(u64::from(u32::MAX)), json!("x".repeat(20_000)), json!("\"\\\u{e9}\n".repeat(2_000))] {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "get_pull_request_diff", "arguments": {"owner": "o", "repo": "r", "index": 7}}})
        .to_string();
        let over_stdio = program.exchange(&call);
        let (status, over_http) = gateway.post(Some(&format!("Bearer {TOKEN}")), &call);
        assert_eq!(status, 200);
        for message in [over_stdio.trim_end(), &over_http] {
            assert!(message.len() <= 49_000, "{} bytes", message.len());
            assert!(message.len() > 48_000, "the room is used: {} bytes", message.len());
            assert_eq!(serde_json::from_str::<Value>(message).expect("JSON")["id"], id);
        }
        windows.push(page(&over_http)["chunk_bytes"].as_u64().expect("a count"));
    }
    assert!(windows[2] < windows[0], "{windows:?}");
    let (status, absurd) = gateway.post(
        Some(&format!("Bearer {TOKEN}")),
        &json!({"jsonrpc": "2.0", "id": "x".repeat(48_900), "method": "tools/call", "params": {"name": "get_pull_request_diff", "arguments": {}}}).to_string(),
    );
    assert!(absurd.contains("-32600") && absurd.len() < 100_000, "{status}");
}

/// D-004, D-006, D-007: over HTTP a call is the pre-flight and the one evidence request, both with the caller's own bearer.
#[test]
fn the_wire_map_of_a_call_over_http() {
    let forge = ScriptedForge::start();
    forge.script("GET", "/api/v1/user", [assay_kit::Response::error(403, "scope")]);
    let target = "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1";
    forge.script("GET", target, [Evidence::new("", 7, ObjectFormat::Sha1).response()]);
    let gateway = Gateway::start(&forge.url());
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_pull_request_diff","arguments":{"owner":"o","repo":"r","index":7}}}"#;
    let (status, body) = gateway.post(Some("bearer abc"), call);
    assert_eq!((status, page(&body)["eof"].clone()), (200, json!(true)));
    let seen: Vec<_> =
        forge.requests().iter().map(|r| (r.target.clone(), r.header("authorization").concat())).collect();
    assert_eq!(
        seen,
        [("/api/v1/user".to_owned(), b"Bearer abc".to_vec()), (target.to_owned(), b"Bearer abc".to_vec())]
    );
}

/// G-022, G-027, G-030, G-032, G-040, K-71, K-94: who is let in, before a byte of the body is looked at.
#[test]
fn the_door_over_http() {
    let forge = ScriptedForge::start();
    forge.script("GET", "/api/v1/user", [assay_kit::Response::error(401, "no")]);
    let gateway = Gateway::start(&forge.url());
    for authorization in
        [None, Some("abcdef"), Some("Basic YTpi"), Some("Bearer"), Some("Bearer a b"), Some("Bearer \u{e9}")]
    {
        let (status, body) = gateway.post(authorization, "{not json");
        assert_eq!(status, 401, "{authorization:?}");
        assert!(!body.contains("abcdef") && !body.contains("YTpi"));
    }
    assert_eq!(forge.requests().len(), 0, "what is no bearer is not asked about");
    assert_eq!(gateway.post(Some("Bearer revoked"), "{not json").0, 401);
    for method in [reqwest::Method::GET, reqwest::Method::DELETE] {
        assert_eq!(gateway.send(method, Some("Bearer x"), "").0, 405);
    }
    forge.forget("GET", "/api/v1/user");
    forge.script("GET", "/api/v1/user", [assay_kit::Response::error(500, "")]);
    assert_eq!(gateway.post(Some("Bearer x"), "{}").0, 502, "unknown is not dead");
    let health = Gateway {
        url: gateway.url.replace("/mcp", "/mcp/healthz"),
        child: assay().arg("tools").spawn().expect("runs"),
    };
    let (status, body) = health.send(reqwest::Method::GET, None, "");
    assert_eq!((status, body.as_str()), (200, r#"{"service":"assay"}"#));
}

fn start(served: &Served) -> Stdio {
    Stdio::start_as(&served.url(), &served.token)
}
