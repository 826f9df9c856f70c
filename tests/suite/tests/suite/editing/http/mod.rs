//! Editing over HTTP: the program before a forge with several accounts, each with real tokens, on one database.

mod account;
mod bounds;
mod ending;
mod isolation;
mod writers;

use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio as Pipe},
    thread::JoinHandle,
};

use assay_kit::{AwkwardRepository, ObjectFormat};
use assay_local_forge::{Accounts, Area, Config, Grant, LocalForge, PrivateReads, Scope, Source, Token};
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{program::assay, stage::client};

/// A forge: alice has two tokens, bob has one, and carol's does not say whose it is.
struct Ground {
    runtime: Runtime,
    forge: Option<LocalForge>,
    folder: TempDir,
    _repository: AwkwardRepository,
    alice: Token,
    alices_other: Token,
    bob: Token,
    carol: Token,
}

impl Ground {
    fn new() -> Self {
        let runtime = Runtime::new().expect("threads");
        let [alice, alices_other, bob, carol] = [(); 4].map(|()| Token::random());
        let grant = |login: &str, token: &Token, scopes: &[Scope]| Grant {
            login: login.to_owned(),
            token: token.clone(),
            scopes: scopes.to_vec(),
            private: PrivateReads::None,
        };
        let accounts = Accounts::public()
            .granting(grant("alice", &alice, &[Scope::All]))
            .granting(grant("alice", &alices_other, &[Scope::Read(Area::User)]))
            .granting(grant("bob", &bob, &[Scope::All]))
            .granting(grant("carol", &carol, &[Scope::Read(Area::Repository)]));
        let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
        let config = Config { accounts, ..Config::serving(vec![Source::from_path(repository.path())]) };
        let forge = runtime.block_on(assay_local_forge::start(config)).expect("it starts");
        let folder = tempfile::tempdir().expect("there is room");
        Self { runtime, forge: Some(forge), folder, _repository: repository, alice, alices_other, bob, carol }
    }

    fn forge(&self) -> &LocalForge {
        self.forge.as_ref().expect("until it is dropped")
    }

    fn place(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("it is plain").to_owned()
    }

    /// The program with the editing tools beside the usual ones, on a file of its own.
    fn start(&self) -> Served<'_> {
        self.start_with(&[("PATCHDIFF_DATABASE_URL", self.place("documents.sqlite"))])
    }

    /// With these settings beside.
    fn start_with(&self, settings: &[(&str, String)]) -> Served<'_> {
        let mut command = serve();
        command.env("FORGEJO_URL", self.forge().url()).env("GATEWAY_TOOLSETS", "default,patch");
        command.env("PATCHDIFF_OVER_HTTP", "true").envs(settings.iter().map(|(name, value)| (name, value)));
        let mut child = command.stdout(Pipe::piped()).stderr(Pipe::piped()).spawn().expect("the program starts");
        let mut errors = child.stderr.take().expect("piped");
        let logged = std::thread::spawn(move || {
            let mut text = Vec::new();
            errors.read_to_end(&mut text).expect("it can be read");
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        // From here on it ends with the test.
        let mut served = Served {
            ground: self,
            child: Some(child),
            url: String::new(),
            metrics: None,
            client: client(),
            logged: Some(logged),
        };
        let mut place = |before: &str| {
            let line = lines.next()?.expect("UTF-8");
            Some(line.trim().strip_prefix(before).expect("the line's form").to_owned())
        };
        served.url = place("listening on ").expect("it says where");
        if settings.iter().any(|(name, _)| *name == "GATEWAY_METRICS") {
            served.metrics = Some(place("metrics on ").expect("it says where"));
        }
        served
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some(forge) = self.forge.take() {
            self.runtime.block_on(forge.shutdown());
        }
    }
}

/// `assay serve` on any free port, with as many requests as a test makes.
fn serve() -> Command {
    let mut command = assay();
    command.args(["serve", "--listen", "127.0.0.1:0", "--rate-read", "0"]);
    command
}

/// The program while it runs.
struct Served<'a> {
    ground: &'a Ground,
    child: Option<Child>,
    url: String,
    metrics: Option<String>,
    client: Client,
    logged: Option<JoinHandle<String>>,
}

impl Served<'_> {
    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.ground.runtime.block_on(future)
    }

    /// A call as it is on the wire: the status and the body.
    fn sent(&self, token: &str, method: &str, params: &Value) -> impl Future<Output = (u16, String)> + use<> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = self.client.post(&self.url).header("content-type", "application/json").bearer_auth(token);
        async move {
            let response = request.body(body).send().await.expect("it answers");
            (response.status().as_u16(), response.text().await.expect("a body"))
        }
    }

    fn send(&self, token: &str, method: &str, params: &Value) -> (u16, String) {
        self.wait(self.sent(token, method, params))
    }

    /// A call of a tool, to be waited for.
    fn calling(&self, token: &str, tool: &str, arguments: &Value) -> impl Future<Output = Value> + use<> {
        let sent = self.sent(token, "tools/call", &json!({"name": tool, "arguments": arguments}));
        async move {
            let (status, body) = sent.await;
            assert_eq!(status, 200, "{body}");
            serde_json::from_str::<Value>(&body).expect("JSON")["result"].clone()
        }
    }

    /// The text that a tool answers with, as JSON.
    #[track_caller]
    fn call(&self, token: &str, tool: &str, arguments: &Value) -> Value {
        page(&self.wait(self.calling(token, &format!("patchdiff_{tool}"), arguments)))
    }

    /// The sentence with which a tool refuses.
    #[track_caller]
    fn refused(&self, token: &str, tool: &str, arguments: &Value) -> String {
        let result = self.wait(self.calling(token, tool, arguments));
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        result["content"][0]["text"].as_str().expect("a text").to_owned()
    }

    /// The names of the tools that are offered.
    fn tools(&self, token: &str) -> Vec<String> {
        let (_, body) = self.send(token, "tools/list", &json!({}));
        let listed: Value = serde_json::from_str(&body).expect("JSON");
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    /// A new document.
    fn made(&self, token: &str, content: &str) -> Value {
        let made = self.call(token, "initialize_target", &json!({"content": content}));
        assert_eq!(made["status"], json!("ok"), "{made}");
        made
    }

    fn signal(&self, name: &str) {
        let id = self.child.as_ref().expect("it runs").id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().expect("kill is there").success());
    }

    /// Ends the program with a signal. What it logged.
    fn end(mut self) -> String {
        self.signal("-TERM");
        self.ended()
    }

    /// Waits until it has ended, well. What it logged.
    fn ended(&mut self) -> String {
        let code = self.child.take().expect("it runs").wait().expect("it ends").code();
        let logged = self.logged.take().expect("once").join().expect("no panic");
        assert_eq!(code, Some(0), "{logged}");
        logged
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        // Already gone where the test ended it well.
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The text of an answer, as JSON.
#[track_caller]
fn page(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no answer: {result}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("refused: {text}"))
}

/// One exact edit under a version guard.
fn edit(id: &Value, version: u64, from: &str, to: &str) -> Value {
    json!({"target_file_id": id, "intent": "try", "edits": [{"match": from, "replace": to}], "expected_target_version": version})
}
