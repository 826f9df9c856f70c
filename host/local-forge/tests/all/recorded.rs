//! This forge's answers beside those of a real one: status, headers, framing, errors to the byte, JSON by its shape.

use std::{collections::BTreeSet, fs, path::Path};

use assay_local_forge::{Accounts, Config, Grant, LocalForge, PrivateReads, Source, State, Token, start};
use serde_json::Value;

use crate::ground::{Reply, Repo, ask};

/// Where the recorded forge was.
const RECORDED_BASE: &str = "http://127.0.0.1:3911";

/// Members that this forge has beyond the recorded release; see `shapes`.
const NEWER: [&str; 1] = ["object_format_name"];

enum Who {
    Nobody,
    Alice,
    /// Has the scope `read:issue` alone.
    IssuesOnly,
    Bob,
    Mallory,
}

/// The recording, who asks, and what is asked here where that differs.
const EXCHANGES: [(&str, Who, Option<&str>); 36] = [
    ("001-version", Who::Nobody, None),
    ("002-settings-api", Who::Nobody, None),
    ("015-user", Who::Alice, None),
    ("016-user-noauth", Who::Nobody, None),
    ("017-user-badtoken", Who::Mallory, None),
    ("018-user-scope-missing", Who::IssuesOnly, None),
    ("030-empty-branches", Who::Alice, None),
    ("031-empty-branch", Who::Alice, None),
    ("032-empty-pulls", Who::Alice, None),
    ("035-empty-refs", Who::Alice, None),
    ("036-repo", Who::Alice, None),
    ("037-repo-anon", Who::Nobody, None),
    ("038-priv-anon", Who::Nobody, None),
    ("039-priv-bob", Who::Bob, None),
    ("040-missing-repo", Who::Alice, None),
    ("041-scope-issueonly-on-repo", Who::IssuesOnly, None),
    ("042-scope-issueonly-on-missing", Who::IssuesOnly, None),
    ("055-pr1", Who::Alice, None),
    ("056-pr-missing", Who::Alice, None),
    ("057-pr-nonint", Who::Alice, None),
    ("063-pr1-diff-head", Who::Alice, None),
    ("064-pr1-diff-evidence", Who::Alice, None),
    ("066-pr1-diff-issueonly-scope", Who::IssuesOnly, None),
    ("068-pr-missing-diff", Who::Alice, None),
    ("077-pr3-empty-diff", Who::Alice, None),
    ("086-refs-pull1", Who::Alice, None),
    ("087-refs-pull", Who::Alice, None),
    ("089-refs-full-prefix", Who::Alice, None),
    ("104-branch-main", Who::Alice, None),
    ("105-branch-missing", Who::Alice, None),
    ("313-method-not-allowed", Who::Alice, None),
    ("314-unknown-route", Who::Alice, None),
    ("315-double-slash", Who::Alice, None),
    ("317-case", Who::Alice, None),
    ("452-ctrl-diff", Who::Alice, Some("/api/v1/repos/alice/proj/pulls/2.diff")),
    ("454-binary-param-junk", Who::Alice, None),
];

#[tokio::test]
async fn answers_are_those_of_a_real_forge() {
    let (repo, private, empty) = (recorded_repo(), Repo::small(), Repo::empty("sha1"));
    let grant = |login: &str, token: &str, scope: &str| Grant {
        login: login.into(),
        token: Token::new(token),
        scopes: vec![scope.parse().expect("a scope")],
        private: PrivateReads::None,
    };
    let accounts = Accounts::public()
        .granting(grant("alice", "alices", "all"))
        .granting(grant("alice", "alices-for-issues", "read:issue"))
        .granting(grant("bob", "bobs", "all"));
    let sources = [
        repo.source(),
        Source { name: "priv".into(), private: true, ..private.source() },
        Source { name: "empty".into(), ..empty.source() },
    ];
    // Stock, as recording 064 asks for evidence and gets a plain diff.
    let config = Config { native_evidence: false, accounts, ..Config::serving(sources.into()) };
    let forge = start(config).await.expect("the forge starts");
    for (name, who, target) in EXCHANGES {
        let recording = Recording::read(name);
        let credential = match who {
            Who::Nobody => None,
            Who::Alice => Some("token alices"),
            Who::IssuesOnly => Some("token alices-for-issues"),
            Who::Bob => Some("token bobs"),
            Who::Mallory => Some("token a-guess"),
        };
        let headers: Vec<(&str, &str)> = credential.map(|c| ("Authorization", c)).into_iter().collect();
        let target = target.unwrap_or(&recording.target);
        let reply = ask(forge.address(), &recording.method, target, &headers).await;
        recording.compare(name, &reply, &forge);
    }
    forge.shutdown().await;
}

/// Recordings 294 and 283: a diff that breaks off has the forge's error body at its end, below and above the buffer.
#[tokio::test]
async fn a_diff_that_breaks_off_ends_like_a_real_one() {
    for (name, lines) in [("294-trunc-small-user", 3), ("283-trunc-big-user", 400)] {
        let repo = Repo::small();
        repo.git(["checkout", "--quiet", "-b", "broken", "main"]);
        let text: String = (1..=lines).map(|n| format!("a broken line {n}\n")).collect();
        repo.write("bs_a.txt", &text);
        repo.write("bs_b.txt", "lost\n");
        repo.commit("Add two files");
        repo.git(["checkout", "--quiet", "main"]);
        let state = tempfile::tempdir().expect("a temporary folder");
        let config = Config { state: State::Folder(state.path().into()), ..Config::serving(vec![repo.source()]) };
        let forge = start(config).await.expect("the forge starts");
        lose(state.path(), &repo.git(["rev-parse", "broken:bs_b.txt"]));

        let target = "/api/v1/repos/alice/proj/pulls/1.diff";
        let reply = ask(forge.address(), "GET", target, &[]).await;
        Recording::read(name).compare(name, &reply, &forge);
        let tail = format!("{{\"message\":\"\",\"url\":\"{}/api/swagger\"}}\n", forge.url());
        let whole = reply.text();
        let (diff, _) = whole.split_once(&tail).unwrap_or_else(|| panic!("{whole}"));
        assert!(diff.starts_with("diff --git a/bs_a.txt") && !diff.contains("lost"), "{name}: {diff}");
        assert!(whole.ends_with(&tail), "{name}");

        // Without a byte of diff there is an honest status, in both modes.
        lose(state.path(), &repo.git(["rev-parse", "broken:bs_a.txt"]));
        for query in ["", "?binary=true&evidence=v1"] {
            let reply = ask(forge.address(), "GET", &format!("{target}{query}"), &[]).await;
            assert_eq!((reply.status, reply.text()), (500, tail.clone()), "{name} {query}");
        }
    }
}

/// `main` with one commit; pull 1 has a long diff, 2 one with control bytes, 3 none.
fn recorded_repo() -> Repo {
    let repo = Repo::empty("sha1");
    repo.write("a.txt", "one\n");
    repo.commit("base commit");
    for (branch, content) in [("1-long", "line\n".repeat(1000)), ("2-control", "a\x01b\n".into())] {
        repo.git(["checkout", "--quiet", "-b", branch, "main"]);
        repo.write("aaa.txt", content);
        repo.commit(branch);
    }
    repo.git(["branch", "3-same", "main"]);
    repo.git(["checkout", "--quiet", "main"]);
    repo
}

/// Takes an object out of the forge's copy.
fn lose(state: &Path, oid: &str) {
    let (fan, rest) = oid.split_at(2);
    let object = state.join("copies/1.git/objects").join(fan).join(rest);
    fs::remove_file(&object).expect("a small fetch leaves loose objects");
}

struct Recording {
    method: String,
    target: String,
    status_line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Recording {
    fn read(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recordings/{name}.txt"));
        let text = fs::read(&path).expect("the recording is there");
        let text = String::from_utf8_lossy(&text).into_owned();
        let request = text.lines().nth(1).expect("there is a request line");
        let mut words = request.split(' ');
        let (method, target) = (words.next(), words.next());
        let (_, response) = text.split_once("<<< RESPONSE (raw head)\n").expect("there is a response");
        let (head, rest) = response.split_once("\n\n").expect("the head ends");
        let mut lines = head.lines();
        let status_line = lines.next().expect("there is a status line").to_owned();
        let headers = lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned()));
        let (_, body) = rest.split_once('\n').expect("the body's note is a line");
        Self {
            method: method.expect("there is a method").to_owned(),
            target: target.expect("there is a target").to_owned(),
            status_line,
            headers: headers.collect(),
            body: body.trim_end().to_owned(),
        }
    }

    fn compare(&self, name: &str, reply: &Reply, forge: &LocalForge) {
        assert_eq!(reply.status_line, self.status_line, "{name}");
        assert_eq!(comparable(&reply.headers), comparable(&self.headers), "{name}");
        let recorded_here = self.body.replace(RECORDED_BASE, &forge.url());
        if reply.status >= 400 {
            assert_eq!(reply.text().trim_end(), recorded_here, "{name}");
        } else if let Ok(recorded) = serde_json::from_str::<Value>(&self.body) {
            assert_eq!(shape(&reply.json()), shape(&recorded), "{name}");
            assert_eq!(reply.body.last(), Some(&b'\n'), "{name}");
        } else if self.method == "GET" && !self.body.is_empty() && !self.body.starts_with('{') {
            assert!(reply.body.starts_with(b"diff --git "), "{name}");
        }
    }
}

/// Names and values, but for those that follow from what is served. `Allow` names what can be done, which is less here.
fn comparable(headers: &[(String, String)]) -> Vec<(String, String)> {
    let mut kept: Vec<_> = headers
        .iter()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("date"))
        .map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let follows = matches!(&*name, "content-length" | "x-total-count" | "allow");
            (name, if follows { String::new() } else { value.clone() })
        })
        .collect();
    kept.sort();
    kept.dedup();
    kept
}

/// Every member's path and type; elements of an array have one path.
fn shape(value: &Value) -> BTreeSet<(String, &'static str)> {
    fn walk(value: &Value, path: &str, into: &mut BTreeSet<(String, &'static str)>) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(items) => {
                items.iter().for_each(|item| walk(item, &format!("{path}[]"), into));
                "array"
            }
            Value::Object(members) => {
                for (name, member) in members.iter().filter(|(name, _)| !NEWER.contains(&name.as_str())) {
                    walk(member, &format!("{path}.{name}"), into);
                }
                "object"
            }
        };
        into.insert((path.to_owned(), kind));
    }
    let mut members = BTreeSet::new();
    walk(value, "", &mut members);
    members
}
