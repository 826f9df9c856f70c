//! What was recorded of writes, in the order in which it was recorded, with the reads between: this forge's answers beside
//! those of a real one.

use std::{collections::BTreeSet, fs};

use assay_kit::{Recording, recorded_repo::BRANCHES};
use assay_local_forge::{Accounts, Config, Grant, PrivateReads, Source, Stock, Token, start};
use serde_json::json;

use crate::{
    ground::{Repo, ask_with, write_as},
    recorded_repo::{add, base},
    recording::compare,
};

/// The recorded head of pull request 13.
const OK_HEAD: &str = "9a7e2dd27f0aad3d7593951731933cb2f02dc7a3";
/// The row id of pull request 1.
const ROW: u64 = (1 << 20) + 1;

/// O-006 to O-008, of writes: statuses, headers and errors are the recorded ones, and what was made has the recorded shape.
#[tokio::test]
async fn writes_are_answered_as_by_a_real_forge() {
    let (repo, others) = (base(), [Repo::small(), Repo::small()]);
    for branch in BRANCHES.iter().take(6).chain(&["weird", "okmerge", "race", "ctrl"]) {
        add(&repo, branch);
    }
    let head = repo.git(["rev-parse", "okmerge"]);
    let grant = |login: &str, token: &str, scope: &str| Grant {
        login: login.into(),
        token: Token::new(token),
        scopes: vec![scope.parse().expect("a scope")],
        private: PrivateReads::None,
    };
    let accounts = Accounts::public()
        .granting(grant("root", "roots", "all"))
        .granting(grant("alice", "alices", "all"))
        .granting(grant("alice", "alices-for-issues", "read:issue"))
        .granting(grant("alice", "alices-for-reading", "read:repository"))
        .granting(grant("bob", "bobs", "all"));
    let [private, of_old] = &others;
    let sources = vec![
        repo.source(),
        Source { name: "priv".into(), private: true, ..private.source() },
        Source { owner: "oldowner".into(), ..of_old.source() },
    ];
    // Pull requests are those that are asked for, as there.
    let stock = Stock { branches_are_pulls: false, ..Stock::default() };
    let forge = start(Config { accounts, stock, ..Config::serving(sources) }).await.expect("the forge starts");
    for (old, new) in [(["alice", "priv"], ["alice", "priv2"]), (["oldowner", "proj"], ["alice", "proj-of-old"])] {
        forge.control().rename(old[0], old[1], new[0], new[1]).expect("the name is free");
    }
    // Row ids are not numbers here.
    let renamed = [("id: 1, issue_id: 1,", format!("id: {ROW}, issue_id: {ROW},"))];
    for name in SEQUENCE {
        if name.starts_with("427") {
            // Two pull requests that are left out had these numbers.
            for _ in 0..2 {
                let body = json!({"title": "in their place"});
                write_as(&forge, "alices", "POST", "/api/v1/repos/alice/proj/issues", &body).await;
            }
        }
        let recording = Recording::read(name);
        let token = match &name[..3] {
            "205" | "255" => "alices-for-reading",
            "206" => "alices-for-issues",
            "256" | "261" => "bobs",
            _ => "alices",
        };
        let credential = format!("token {token}");
        let mut headers = vec![("Authorization", &*credential)];
        headers.extend(recording.sent.iter().map(|(name, value)| (&**name, &**value)));
        let Recording { method, target, sent_body, .. } = &recording;
        // The commit whose date is not known.
        let sent_body = String::from_utf8_lossy(sent_body).replace(OK_HEAD, &head);
        let reply = ask_with(forge.address(), method, target, &headers, sent_body.as_bytes()).await;
        compare(&recording, &reply, &forge, &renamed);
    }
}

/// A recording that nobody thought of fails here.
#[test]
fn every_recorded_write_is_replayed_or_left_out_for_a_reason() {
    let list = fs::read_to_string(Recording::folder().join("WRITES.txt")).expect("the list of writes is there");
    let writes = SEQUENCE.iter().copied().filter(|name| Recording::read(name).method != "GET");
    let named: Vec<&str> = writes.chain(LEFT_OUT.iter().flat_map(|(names, _)| names.split(' '))).collect();
    let listed: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), listed.len(), "each is named once");
    assert_eq!(listed, list.lines().collect(), "each is named");
}

/// What is replayed, reads included.
pub(crate) const SEQUENCE: [&str; 88] = [
    "046-create-pr1",
    "047-create-pr1-dup",
    "048-create-pr2",
    "049-create-pr3",
    "050-create-pr4",
    "051-create-pr5",
    "052-create-pr6",
    "053-create-pr-nohead",
    "054-create-pr-same",
    "082-pr4-close",
    "196-issue-create-1",
    "197-issue-create-2",
    "198-issue-create-3",
    "199-issue-create-notitle",
    "200-issue-create-badjson",
    "201-issues-list",
    "202-issues-list-p2",
    "203-issues-list-notype",
    "204-issues-list-p99",
    "205-issues-list-roscope",
    "206-issues-ids",
    "207-issue-get",
    "208-issue-get-of-pr",
    "209-issue-missing",
    "210-comment-0",
    "211-comment-1",
    "212-comment-2",
    "213-comment-3",
    "214-comment-4",
    "215-comment-5",
    "216-comment-6",
    "217-comment-7",
    "218-comment-8",
    "219-comment-9",
    "220-comment-10",
    "221-comment-11",
    "222-comment-12",
    "223-comment-13",
    "224-comment-14",
    "225-comment-15",
    "226-comment-16",
    "227-comment-17",
    "228-comment-18",
    "229-comment-19",
    "230-comment-20",
    "231-comment-21",
    "232-comment-22",
    "233-comment-23",
    "234-comment-24",
    "235-comment-25",
    "236-comment-26",
    "237-comment-27",
    "238-comment-28",
    "239-comment-29",
    "240-comment-30",
    "241-comment-31",
    "242-comment-32",
    "243-comment-33",
    "244-comment-34",
    "245-comments",
    "246-comments-limit2",
    "248-put-nosha",
    "249-put-wrongsha",
    "250-put-ok",
    "251-post-exists",
    "252-post-new",
    "253-post-badb64",
    "254-put-nobranch",
    "255-post-readonly-scope",
    "256-post-bob",
    "257-put-missing-file",
    "267-merge-check",
    "268-merge-check-unmerged",
    "260-merge-nodo",
    "261-merge-bob",
    "269-merge-closed",
    "307-renamed-post",
    "406-owner-redirect-old-post",
    "427-weird-pr",
    "430-ok-pr",
    "436-ok-merge-check",
    "431-ok-merge-wronghead",
    "442-ok-merge-later",
    "443-ok-merge-again2",
    "444-ok-merged2",
    "446-ok-merge-check2",
    "437-race-pr",
    "451-ctrl-pr",
];

/// What is not replayed, and why.
const LEFT_OUT: [(&str, &str); 5] = [
    (
        "003-admin-create-alice 004-admin-create-bob 005-admin-create-carol 006-admin-create-dup 007-admin-create-invalid \
         008-token-alice-full 009-token-alice-ro 010-token-alice-issueonly 011-token-bob-full 012-token-alice-full \
         013-token-via-token-refused",
        "accounts and tokens are the configuration's",
    ),
    (
        "021-create-repo 022-create-repo-private 023-create-repo-empty 270-fork 271-create-pr-fork 274-fork-delete \
         303-rename-repo 309-archive 310-archived-issue",
        "which repositories there are, and under which names, is the configuration's and the control's",
    ),
    ("083-branch-delete-gone", "branches are deleted in the source, or with a merge"),
    ("313-method-not-allowed", "it is replayed among the reads"),
    (
        "259-merge-wronghead 263-merge-ok 264-merge-again 432-ok-merge 433-ok-merge-again",
        "this forge is never in the middle of checking whether a pull request merges",
    ),
];
