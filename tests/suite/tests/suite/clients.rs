//! Real clients: both lines of the Python and of the TypeScript SDK read a 2 MB diff to its end, over stdio and over HTTP,
//! in both eras of the protocol, and what they assemble is git's (D-044).

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat, evidence::sha256_hex};
use serde_json::Value;

use crate::{
    program::assay,
    wire::{Gateway, Served},
};

#[test]
fn real_clients_read_to_the_end() {
    let repository = AwkwardRepository::large(2_000_000, ObjectFormat::Sha1);
    let branch = repository.branches().first().expect("one topic").clone();
    let diff = repository.diff("main", &branch, DiffStyle::default());
    assert!(diff.len() > 2_000_000);
    let served = Served::over(&repository);
    let gateway = Gateway::start(&served.url());
    let pull = served.pull(&branch);
    let expected = sha256_hex(&diff);
    for (client, program, era) in clients() {
        for transport in ["stdio", "http"] {
            let mut command = Command::new(&program[0]);
            command.args(&program[1..]).args(["--owner", text(&pull["owner"]), "--repo", text(&pull["repo"])]);
            command.args(["--index", &pull["index"].to_string(), "--expect-sha256", &expected]);
            if let Some(mode) = era {
                command.args(["--mode", mode]);
            }
            match transport {
                "http" => command.args(["--url", &gateway.url, "--bearer", &served.token]),
                _ => command.arg("--").arg(assay().get_program()).arg("stdio"),
            };
            command.env("FORGEJO_URL", served.url()).env("FORGEJO_TOKEN", &*served.token);
            let output = command.output().unwrap_or_else(|error| panic!("{client} does not run: {error}"));
            let reason = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{client} over {transport}: {reason}");
            let told: Value = serde_json::from_slice(&output.stdout).expect("one JSON line");
            assert_eq!((&told["sha256"], &told["bytes"]), (&expected.clone().into(), &diff.len().into()), "{client}");
            assert_eq!(told["transport"], transport);
            let modern = told["protocol"] == "2026-07-28";
            assert_eq!(modern, era.is_some_and(|mode| mode != "legacy"), "{client} over {transport}: {told}");
        }
    }
}

/// Name, command line, and the era to ask for where the SDK lets one choose.
fn clients() -> Vec<(&'static str, Vec<String>, Option<&'static str>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let installed = std::env::var_os("ASSAY_TEST_CLIENTS").map_or_else(|| root.join("target/clients"), PathBuf::from);
    assert!(installed.exists(), "the clients are not installed: run the tests with `make test`");
    let python = |line: &str| {
        let interpreter = installed.join(format!("python-{line}/bin/python"));
        vec![shown(&interpreter), shown(&root.join("tests/clients/python/read_diff.py"))]
    };
    // Node finds packages beside the script, so the scripts are installed beside the packages.
    let node = |line: &str| vec!["node".to_owned(), shown(&installed.join(format!("node/read_diff_{line}.mjs")))];
    vec![
        ("Python SDK 1", python("v1"), None),
        ("Python SDK 2, older era", python("v2"), Some("legacy")),
        ("Python SDK 2, newer era", python("v2"), Some("auto")),
        ("TypeScript SDK 1", node("v1"), None),
        ("TypeScript SDK 2, older era", node("v2"), Some("legacy")),
        ("TypeScript SDK 2, newer era", node("v2"), Some("modern")),
    ]
}

fn shown(path: &Path) -> String {
    path.to_str().expect("the project's folder has a plain name").to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}
