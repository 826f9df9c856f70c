//! Repositories of the person's own: branches as pull requests, only read, or served with tokens that stay.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat};
use serde_json::Value;

use super::{Desk, Forge, done, failed, text};

/// G-016a: a branch of a clone is a pull request of a forge that is there for one command.
#[test]
fn a_local_branch_is_a_pull_request() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let path = repository.path();
    let path = path.to_str().expect("it is plain");
    let desk = Desk::new();
    for branch in repository.branches() {
        let diff = repository.diff("main", branch, DiffStyle::FORGE);
        let output = desk.run(&["diff", "--local", path, &format!("main..{branch}")]);
        assert!(done(&output).contains("native evidence"));
        assert_eq!(output.stdout, diff, "{branch}");
    }
    let stock = desk.run(&["diff", "--local", path, "--stock", "everything", "-o", "out.diff"]);
    assert!(done(&stock).contains("proven: applied"), "{}", text(&stock.stderr));
    assert_eq!(desk.read("out.diff"), repository.diff("main", "everything", DiffStyle::FORGE));
    for (range, said) in
        [("main..nobranch", "no branch"), ("names..modes", "default branch"), ("main..", "names no branch")]
    {
        let refused = desk.run(&["diff", "--local", path, range]);
        assert!(failed(&refused, 2).contains(said), "{range}: {}", text(&refused.stderr));
    }
    let both = desk.run(&["diff", "--local", path, "--url", "http://127.0.0.1:9", "main..names"]);
    assert!(failed(&both, 2).contains("--url and --local"));
    let exported =
        desk.assay(&["diff", "--local", path, "main..names"]).env("FORGEJO_URL", "http://127.0.0.1:9").output();
    done(&exported.expect("it runs"));
    assert_eq!(desk.left(), ["out.diff"]);
}

/// A person's own clone is only read: nothing that changes something is offered, or called.
#[test]
fn a_local_repository_is_only_read() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    let path = repository.path();
    let path = path.to_str().expect("it is plain");
    let desk = Desk::new();
    let write = desk.run(&["call", "--local", path, "create_issue", r#"{"owner":"local","repo":"r","title":"t"}"#]);
    assert!(failed(&write, 2).contains("assay local-forge"), "{}", text(&write.stderr));
    let mut session = desk.assay(&["stdio", "--local", path, "--tools", "create_issue,get_issue"]);
    let mut session = session.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    writeln!(session.stdin.take().expect("piped"), "{list}").expect("it reads");
    let listed = session.wait_with_output().expect("it ends");
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("one message");
    let tools = listed["result"]["tools"].as_array().expect("a list");
    assert_eq!(tools.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["get_issue"], "{listed}");
}

/// What an operator leaves out is not called by hand either.
#[test]
fn what_is_not_offered_is_not_called() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    let (desk, forge) = (Desk::new(), Forge::over(&repository, false));
    let issue = r#"{"owner":"local","repo":"r","title":"t"}"#;
    for left_out in
        [["GATEWAY_READ_ONLY", "true"], ["GATEWAY_EXCLUDE_TOOLS", "create_issue"], ["GATEWAY_TOOLS", "get_file"]]
    {
        let mut command = desk.assay(&["call", "create_issue", issue]);
        let refused = forge.told(&mut command).env(left_out[0], left_out[1]).output().expect("the program runs");
        assert!(failed(&refused, 2).contains("is not offered"), "{left_out:?}: {}", text(&refused.stderr));
    }
    let none = desk.run(&["tools", "--toolsets", "memory"]);
    assert!(failed(&none, 2).contains("no tool is left"), "{}", text(&none.stderr));
}

/// A state folder keeps the tokens, for those who put them into a client's configuration; a served repository is none.
#[test]
fn a_local_forges_tokens_are_kept() {
    let repository = AwkwardRepository::large(1_000, ObjectFormat::Sha1);
    let path = repository.path();
    let path = path.to_str().expect("it is plain");
    let desk = Desk::new();
    let told = || {
        let mut forge =
            desk.assay(&["local-forge", "--state", "state", path]).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut lines = BufReader::new(forge.stdout.take().expect("piped")).lines().map(|line| line.expect("it says"));
        let tokens: Vec<String> = lines
            .by_ref()
            .take_while(|line| line != "pull requests:")
            .flat_map(|line| {
                line.split([' ', '=']).filter(|word| word.len() == 40).map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        forge.kill().expect("it runs");
        forge.wait().expect("it ends");
        tokens
    };
    let first = told();
    assert_eq!((first.len(), told()), (2, first.clone()));
    let inside = desk.run(&["local-forge", "--state", &format!("{path}/state"), path]);
    assert!(failed(&inside, 2).contains("a folder elsewhere"), "{}", text(&inside.stderr));
}
