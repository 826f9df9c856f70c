//! Real clients: both lines of the Python and of the TypeScript SDK, fastmcp, the inspector and mcp-remote list the tools
//! and read a diff and a file to their ends, over the ways they have, in the eras of the protocol they speak. What they
//! assemble is git's (D-044, F-046).

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat, evidence::sha256_hex};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    program::assay,
    wire::{Gateway, Served},
};

/// The file that only the branch has; its name is no ASCII.
const FILE: &str = "größer.txt";

#[test]
fn libraries_read_to_the_end() {
    let ground = Ground::with(2_000_000);
    for client in libraries() {
        ground.read(&client, Way::Stdio);
        ground.read(&client, Way::Http);
    }
}

/// mcp-remote is a server on standard input and output to its client, and a client of ours over HTTP.
#[test]
fn a_bridge_carries_both_eras() {
    let ground = Ground::with(200_000);
    for client in [node("TypeScript SDK 1", "read_v1", None), node("TypeScript SDK 2", "read_v2", Some("modern"))] {
        ground.read(&client, Way::Bridge);
    }
}

/// It starts a process for each page, so there are few of them. It also judges the schemas of all tools.
#[test]
fn the_inspector_reads_to_the_end() {
    let ground = Ground::with(60_000);
    for era in ["legacy", "auto", "modern"] {
        let client = node("inspector", "read_inspector", Some(era));
        ground.read(&client, Way::Stdio);
        ground.read(&client, Way::Http);
    }
}

/// How a client reaches the program.
#[derive(Clone, Copy, Debug)]
enum Way {
    Stdio,
    Http,
    Bridge,
}

/// A program on a client's library.
struct Client {
    name: &'static str,
    command: Vec<String>,
    /// The era to ask for, where the client lets one choose.
    era: Option<&'static str>,
}

/// A repository, a forge over it, and the program over that.
struct Ground {
    diff: Vec<u8>,
    file: Vec<u8>,
    branch: String,
    served: Served,
    gateway: Gateway,
    /// Clients keep things at home; not in the tester's.
    home: TempDir,
    _repository: AwkwardRepository,
}

impl Ground {
    fn with(bytes: usize) -> Self {
        let repository = AwkwardRepository::large(bytes, ObjectFormat::Sha1);
        let branch = repository.branches().first().expect("one topic").clone();
        let diff = repository.diff("main", &branch, DiffStyle::default());
        let file = repository.git(["cat-file", "blob", &format!("{branch}:{FILE}")]);
        assert!(diff.len() > bytes && file.len() >= bytes);
        let served = Served::over(&repository);
        let gateway = Gateway::start(&served.url());
        let home = tempfile::tempdir().expect("there is room for a folder");
        Self { diff, file, branch, served, gateway, home, _repository: repository }
    }

    fn read(&self, client: &Client, way: Way) {
        let what = format!("{} in the era {:?} over {way:?}", client.name, client.era);
        let output = self.command(client, way).output().unwrap_or_else(|error| panic!("{what} does not run: {error}"));
        assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
        let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON line");
        let reads = told["reads"].as_array().expect("a list");
        let what_came: Vec<_> = reads.iter().map(|read| json!([read["tool"], read["bytes"], read["sha256"]])).collect();
        let is_gits = [("get_pull_request_diff", &self.diff), ("get_file", &self.file)]
            .map(|(tool, bytes)| json!([tool, bytes.len(), sha256_hex(bytes)]));
        assert_eq!(what_came, is_gits, "{what}");
        assert!(reads.iter().all(|read| read["pages"].as_u64() > Some(1)), "{what}: {told}");
        assert_eq!(told["transport"], if matches!(way, Way::Http) { "http" } else { "stdio" }, "{what}");
        let modern = client.era.is_some_and(|era| era != "legacy");
        assert_eq!(told["protocol"] == "2026-07-28", modern, "{what}: {told}");
    }

    fn command(&self, client: &Client, way: Way) -> Command {
        let pull = self.served.pull(&self.branch);
        let mut command = Command::new(&client.command[0]);
        command.args(&client.command[1..]).args(["--owner", text(&pull["owner"]), "--repo", text(&pull["repo"])]);
        command.args(["--index", &pull["index"].to_string(), "--path", FILE, "--ref", &self.branch]);
        if let Some(era) = client.era {
            command.args(["--mode", era]);
        }
        match way {
            Way::Stdio => command.arg("--").arg(assay().get_program()).arg("stdio"),
            Way::Http => command.args(["--url", &self.gateway.url, "--bearer", &self.served.token]),
            Way::Bridge => {
                let authorization = format!("Authorization: Bearer {}", &*self.served.token);
                let bridge = shown(&installed().join("node/node_modules/.bin/mcp-remote"));
                command.args(["--", &nodejs(), &bridge, &self.gateway.url, "--silent", "--header", &authorization])
            }
        };
        command.env("FORGEJO_URL", self.served.url()).env("FORGEJO_TOKEN", &*self.served.token);
        command.env("HOME", self.home.path());
        command
    }
}

fn libraries() -> Vec<Client> {
    vec![
        python("Python SDK 1", "v1", None),
        python("Python SDK 2", "v2", Some("legacy")),
        python("Python SDK 2", "v2", Some("auto")),
        python("fastmcp", "fastmcp", Some("legacy")),
        python("fastmcp", "fastmcp", Some("auto")),
        node("TypeScript SDK 1", "read_v1", None),
        node("TypeScript SDK 2", "read_v2", Some("legacy")),
        node("TypeScript SDK 2", "read_v2", Some("modern")),
    ]
}

fn python(name: &'static str, environment: &str, era: Option<&'static str>) -> Client {
    let interpreter = installed().join(format!("python-{environment}/bin/python"));
    Client { name, command: vec![shown(&interpreter), shown(&root().join("tests/clients/python/read.py"))], era }
}

/// Node.js finds packages beside the script, so the scripts are installed beside the packages.
fn node(name: &'static str, script: &str, era: Option<&'static str>) -> Client {
    Client { name, command: vec![nodejs(), shown(&installed().join(format!("node/{script}.mjs")))], era }
}

/// The one that was installed with the clients, not whatever the machine has.
fn nodejs() -> String {
    shown(&installed().join("node/node_modules/.bin/node"))
}

fn installed() -> PathBuf {
    let installed = std::env::var_os("ASSAY_TEST_CLIENTS").map_or_else(|| root().join("target/clients"), PathBuf::from);
    assert!(installed.exists(), "the clients are not installed: run the tests with `make test`");
    installed
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shown(path: &Path) -> String {
    path.to_str().expect("the project's folder has a plain name").to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
