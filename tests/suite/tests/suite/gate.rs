//! The gated runs: what admits one, how it ends, and that one record says so.

use std::process::{Command, Output};

use serde_json::Value;

use crate::program::assay;

/// The gate, with none of its variables but those given.
fn gate(suite: &str, variables: &[(&str, &str)]) -> (Option<i32>, Value) {
    let beside = std::path::Path::new(assay().get_program()).with_file_name("assay-gate");
    let mut command = Command::new(beside);
    for name in [
        "FORGEJO_URL",
        "E2E_OWNER",
        "E2E_REPO",
        "FORGEJO_TOKEN",
        "FORGEJO_USER",
        "FORGEJO_PASSWORD",
        "REMOTE_E2E_TOKEN",
    ] {
        command.env_remove(name);
    }
    let Output { status, stdout, .. } =
        command.arg(suite).envs(variables.iter().copied()).output().expect("it is built with the other programs");
    let said = String::from_utf8(stdout).expect("UTF-8");
    assert_eq!(said.lines().count(), 1, "one record: {said}");
    (status.code(), serde_json::from_str(&said).expect("JSON"))
}

/// T-070, T-071: bare, a suite names what it lacks, and was not run.
#[test]
fn a_bare_run_is_not_run() {
    for (suite, credential) in [("mcp", "FORGEJO_TOKEN"), ("remote", "REMOTE_E2E_TOKEN")] {
        let (code, record) = gate(suite, &[]);
        assert_eq!((code, &record["schema"], &record["result"]), (Some(3), &1.into(), &"NOT_RUN".into()));
        let missing: Vec<_> = record["missing"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
        assert_eq!(missing, ["FORGEJO_URL", "E2E_OWNER", "E2E_REPO", credential]);
    }
}

/// T-070, T-072: elsewhere than on the loopback it refuses, and where nobody answers it fails.
#[test]
fn a_wrong_target_fails() {
    for (url, word) in [("https://forge.example", "refused"), ("http://127.0.0.1:9", "failed")] {
        let variables =
            [("FORGEJO_URL", url), ("E2E_OWNER", "o"), ("E2E_REPO", "r"), ("FORGEJO_TOKEN", "s3cret-token")];
        let (code, record) = gate("mcp", &variables);
        assert_eq!((code, &record["result"]), (Some(1), &"FAIL".into()), "{record}");
        assert!(record[word].is_string() && !record.to_string().contains("s3cret"), "{record}");
    }
}

/// T-070, T-073, T-074: on ground of its own, with every variable set by the gate, everything is shown, and one artefact holds
/// both records.
#[test]
fn both_suites_pass_on_their_own_ground() {
    let (code, record) = gate("all", &[]);
    assert_eq!((code, &record["result"]), (Some(0), &"PASS".into()), "{record}");
    let results = record["results"].as_array().expect("records");
    assert_eq!(results.iter().map(|one| one["suite"].as_str()).collect::<Vec<_>>(), [Some("mcp"), Some("remote")]);
    assert!(results.iter().all(|one| one["shown"].as_array().is_some_and(|shown| shown.len() > 3)), "{record}");
}
