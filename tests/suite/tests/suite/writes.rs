//! Every write as an agent makes it: through the program, on a forge over a real git repository, and read back by the tools
//! that read. What each may answer besides is told by the cases.

use assay_kit::{AwkwardRepository, ObjectFormat};
use assay_local_forge::{Accounts, Config, LocalForge, Source, State, Token};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::program::{Stdio, page};

/// A repository, and where the forge over it keeps what is written.
struct Ground {
    runtime: Runtime,
    repository: AwkwardRepository,
    state: TempDir,
}

/// A forge, an agent whose token may change everything there, and one that reviews what the first one did.
struct Running<'a> {
    ground: &'a Ground,
    forge: LocalForge,
    agent: Stdio,
    reviewer: Stdio,
    name: String,
}

impl Ground {
    fn new(format: ObjectFormat) -> Self {
        let runtime = Runtime::new().expect("threads");
        let state = tempfile::tempdir().expect("there is room");
        Self { runtime, repository: AwkwardRepository::new(format), state }
    }

    fn start(&self) -> Running<'_> {
        let (owner, reviewer) = (Token::random(), Token::random());
        let accounts = Accounts::of_owner(owner.clone()).with_reviewer(reviewer.clone());
        let config = Config {
            accounts,
            state: State::Folder(self.state.path().into()),
            native_evidence: false,
            ..Config::serving(vec![Source::from_path(self.repository.path())])
        };
        let forge = self.runtime.block_on(assay_local_forge::start(config)).expect("it starts");
        let name = forge.pulls().first().expect("every branch is one").repo.clone();
        let agent = |token: &Token| Stdio::start_as(&forge.url(), token);
        Running { agent: agent(&owner), reviewer: agent(&reviewer), ground: self, forge, name }
    }

    fn refs(&self) -> Vec<u8> {
        self.repository.git(["for-each-ref"])
    }
}

impl Running<'_> {
    fn send(&mut self, tool: &str, arguments: &Value) -> String {
        let mut all = json!({"owner": "local", "repo": self.name});
        let given = arguments.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(given);
        self.agent.call(tool, &all)
    }

    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        page(&self.send(tool, &arguments))
    }

    /// The sentence with which a call is refused, which must start with this code.
    #[track_caller]
    fn refused(&mut self, tool: &str, arguments: Value, code: &str) -> String {
        let response: Value = serde_json::from_str(&self.send(tool, &arguments)).expect("a response is JSON");
        let result = &response["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(result["isError"] == json!(true) && text.contains(code), "{tool}: not {code}: {response}");
        text
    }

    fn end(self) {
        assert_eq!((self.agent.end(), self.reviewer.end()), (Some(0), Some(0)));
        self.ground.runtime.block_on(self.forge.shutdown());
    }
}

/// G-150 to G-160, K-35: a file is committed to a new branch, proposed, proven, reviewed on its lines and merged, each
/// guarded by what was seen; a guard that no longer holds changes nothing; and the served repository is what it was.
#[test]
fn a_change_is_made_reviewed_and_merged() {
    for format in ObjectFormat::ALL {
        let ground = Ground::new(format);
        let before = ground.refs();
        let mut on = ground.start();
        let content = "one\ntwo\nthree\n";
        let file = |text: &str| json!({"path": "notes/a b#1.txt", "branch": "main", "new_branch": "notes", "message": "Add notes", "text": text});
        let made = on.call("update_file", file(content));
        assert_eq!((&made["action"], &made["content_verified"]), (&json!("created"), &json!(true)), "{made}");
        let blob = made["sha"].clone();
        let read = on.call("get_file", json!({"path": "notes/a b#1.txt", "ref": "notes"}));
        assert_eq!((&read["sha"], &read["text"]), (&blob, &json!(content)), "{read}");

        // The guard of a file: what was read has changed, or is there where nothing was expected.
        let change = |sha: &Value| json!({"path": "notes/a b#1.txt", "branch": "notes", "message": "Change", "text": "one\n2\nthree\n", "sha": sha});
        on.refused("update_file", change(&json!(ground.repository.oid("main:README.md"))), "guard_failed");
        let changed = on.call("update_file", change(&blob));
        assert_eq!((&changed["action"], &changed["branch"]), (&json!("updated"), &json!("notes")), "{changed}");
        on.refused("update_file", change(&blob), "guard_failed");

        let pull = on
            .call("create_pull_request", json!({"title": "Notes", "head": "notes", "base": "main", "body": "Why\r\n"}));
        let index = pull["number"].clone();
        on.refused("create_pull_request", json!({"title": "Again", "head": "notes", "base": "main"}), "already_exists");
        let diff = on.call("get_pull_request_diff", json!({"index": index, "encoding": "text"}));
        assert_eq!((&diff["whole_diff_verified"], &diff["eof"]), (&json!(true), &json!(true)), "{diff}");
        assert!(diff["text"].as_str().is_some_and(|text| text.contains("+2\n")), "{diff}");
        let head = diff["manifest"]["inputs"]["head"]["oid"].clone();

        // A review's comments lie on the diff's lines, and its guard is the commit that was read.
        let comment = |line: u64| json!([{"path": "notes/a b#1.txt", "line": line, "body": "why?"}]);
        let outside = on.refused(
            "create_review",
            json!({"index": index, "event": "comment", "comments": comment(4)}),
            "line_not_in_diff",
        );
        assert!(outside.contains("1-3"), "{outside}");
        let review = on.call(
            "create_review",
            json!({"index": index, "event": "comment", "commit_id": head, "comments": comment(2)}),
        );
        assert_eq!((&review["comments_sent"], &review["comments_verified"]), (&json!(1), &json!(1)), "{review}");
        let listed = on.call("list_reviews", json!({"index": index}));
        assert_eq!(listed["reviews"][0]["id"], review["id"], "{listed}");

        // Nobody approves their own; another does, of the commit that they saw.
        let approval = json!({"index": index, "event": "approve", "commit_id": head});
        on.refused("create_review", approval.clone(), "invalid_request");
        std::mem::swap(&mut on.agent, &mut on.reviewer);
        let approved = on.call("create_review", approval);
        assert_eq!((&approved["state"], &approved["commit_id"]), (&json!("APPROVED"), &head), "{approved}");
        std::mem::swap(&mut on.agent, &mut on.reviewer);

        // A merge is guarded by the head that was reviewed, and is done once.
        let stale = json!(ground.repository.oid("main"));
        on.refused("merge_pull_request", json!({"index": index, "head_commit_id": stale}), "guard_failed");
        let merged = on.call("merge_pull_request", json!({"index": index, "style": "squash", "head_commit_id": head}));
        assert_eq!(merged["merged"], json!(true), "{merged}");
        on.refused("merge_pull_request", json!({"index": index, "head_commit_id": head}), "already_merged");
        let read = on.call("get_file", json!({"path": "notes/a b#1.txt", "ref": "main"}));
        assert_eq!(read["text"], json!("one\n2\nthree\n"), "{read}");
        on.end();
        assert_eq!(ground.refs(), before, "the served repository was written to");
    }
}

/// G-150 to G-153: what is said about a repository is kept, and read back after the forge came up again.
#[test]
fn an_issue_and_its_comments_are_kept() {
    let ground = Ground::new(ObjectFormat::Sha1);
    let mut on = ground.start();
    let (title, body) = ("A title with “quotes” & <tags>", "line\r\n\r\n```\n\u{1f9ea} \\u0000 \"x\"\n```\n");
    let made = on.call("create_issue", json!({"title": title, "body": body}));
    let index = made["number"].clone();
    let comment = on.call("create_comment", json!({"index": index, "body": body}));
    on.end();

    let mut on = ground.start();
    let issue = on.call("get_issue", json!({"index": index}));
    assert_eq!((&issue["title"], &issue["body"]), (&json!(title), &json!(body)), "{issue}");
    let comments = on.call("list_issue_comments", json!({"index": index}));
    assert_eq!(comments["comments"][0]["id"], comment["id"], "{comments}");
    assert_eq!(comments["comments"][0]["body"], json!(body), "{comments}");
    let listed = on.call("list_issues", json!({}));
    assert_eq!(listed["issues"][0]["number"], index, "{listed}");
    on.refused("create_comment", json!({"index": 987_654, "body": "x"}), "not_found");
    on.end();
}
