//! Issues, comments and labels: made, read, kept, and refused.

use assay_local_forge::{Accounts, Config, Grant, LocalForge, PrivateReads, Source, State, Token, start};
use serde_json::{Value, json};

use crate::ground::{Repo, ask_with, get, get_as, write_as};

const ISSUES: &str = "/api/v1/repos/alice/proj/issues";

/// Alice, who owns it; Carol, who is somebody; and Dave, who only reads.
pub(crate) fn accounts() -> Accounts {
    let grant = |login: &str, scopes: &[&str]| Grant {
        login: login.into(),
        token: Token::new(login),
        scopes: scopes.iter().map(|scope| scope.parse().expect("a scope")).collect(),
        private: PrivateReads::None,
    };
    Accounts::public()
        .granting(grant("alice", &["all"]))
        .granting(grant("carol", &["write:issue", "write:repository"]))
        .granting(grant("dave", &["read:issue", "read:repository"]))
}

async fn forge_of(repo: &Repo) -> LocalForge {
    start(Config { accounts: accounts(), ..Config::serving(vec![repo.source()]) }).await.expect("the forge starts")
}

async fn post(forge: &LocalForge, token: &str, target: &str, body: Value) -> Value {
    let reply = write_as(forge, token, "POST", target, &body).await;
    assert_eq!(reply.status, 201, "{target}: {}", reply.text());
    reply.json()
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().into_iter().flatten().filter_map(|issue| issue["number"].as_u64()).collect()
}

#[tokio::test]
async fn issues_are_made_listed_closed_and_kept() {
    let repo = Repo::small();
    let state = tempfile::tempdir().expect("a temporary folder");
    let config = || Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        ..Config::serving(vec![repo.source()])
    };
    let forge = start(config()).await.expect("the forge starts");
    let label =
        post(&forge, "alice", "/api/v1/repos/alice/proj/labels", json!({"name": "bug", "color": "#AABB00"})).await;
    let body = "b\u{f6}dy\r\n\u{2028} <&> \u{1f600}";
    let first = post(&forge, "alice", ISSUES, json!({"title": "One", "body": body, "labels": [label["id"]]})).await;
    assert_eq!((&first["number"], &first["body"]), (&2.into(), &body.into()), "the branch has the first number");
    assert_eq!((&first["labels"][0]["name"], &first["labels"][0]["color"]), (&"bug".into(), &"aabb00".into()));
    assert_eq!(first["user"]["login"], "alice");
    // Whoever may not write may say something, but not put a label on it.
    let second = post(&forge, "carol", ISSUES, json!({"title": "Two", "labels": [label["id"]]})).await;
    assert_eq!((&second["number"], &second["labels"]), (&3.into(), &json!([])));
    let comment = post(&forge, "carol", &format!("{ISSUES}/2/comments"), json!({"body": "yes\r\n"})).await;
    assert!(comment["html_url"].as_str().is_some_and(|url| url.contains("/alice/proj/issues/2#issuecomment-")));
    let on_pull = post(&forge, "carol", &format!("{ISSUES}/1/comments"), json!({"body": "on a pull request"})).await;
    assert_eq!(on_pull["issue_url"], "");
    assert!(on_pull["pull_request_url"].as_str().is_some_and(|url| url.ends_with("/alice/proj/pulls/1")));
    let closed = write_as(&forge, "carol", "PATCH", &format!("{ISSUES}/3"), &json!({"state": "closed"})).await;
    assert_eq!((closed.status, &closed.json()["state"]), (201, &"closed".into()));
    let refused = write_as(&forge, "carol", "PATCH", &format!("{ISSUES}/2"), &json!({"state": "closed"})).await;
    assert_eq!(refused.status, 403);

    // A branch that comes takes the next number, and not one that an issue has.
    repo.git(["branch", "later", "feature"]);
    for (query, expected) in [
        ("", &[4, 2, 1][..]),
        ("?type=issues", &[2]),
        ("?type=issues&state=closed", &[3]),
        ("?type=issues&state=all", &[3, 2]),
        ("?type=pulls", &[4, 1]),
        ("?type=issues&state=all&limit=1&page=2", &[2]),
        ("?type=issues&q=ONE", &[2]),
        ("?labels=bug", &[2]),
        ("?labels=bug,other", &[]),
    ] {
        assert_eq!(numbers(&get(&forge, &format!("{ISSUES}{query}")).await.json()), expected, "{query}");
    }
    let before = get(&forge, &format!("{ISSUES}?state=all")).await.json();
    let comments = get(&forge, &format!("{ISSUES}/2/comments?limit=1")).await.json();
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj").await.json()["open_issues_count"], 1);
    let url = forge.url();
    forge.shutdown().await;

    let forge = start(config()).await.expect("it starts again");
    let here = |value: Value| serde_json::from_str::<Value>(&value.to_string().replace(&url, &forge.url()));
    let again = get(&forge, &format!("{ISSUES}?state=all")).await.json();
    for (old, new) in
        here(before).expect("it is JSON").as_array().into_iter().flatten().zip(again.as_array().into_iter().flatten())
    {
        for member in
            ["id", "number", "title", "body", "state", "labels", "comments", "created_at", "closed_at", "html_url"]
        {
            assert_eq!(old[member], new[member], "{member}");
        }
        assert_eq!(old["user"]["id"], new["user"]["id"]);
    }
    let kept = get(&forge, &format!("{ISSUES}/2/comments")).await.json();
    assert_eq!((&kept[0]["id"], &kept[0]["body"]), (&comments[0]["id"], &"yes\r\n".into()));
    assert_eq!(post(&forge, "alice", ISSUES, json!({"title": "Next"})).await["number"], 5);
    forge.shutdown().await;
}

#[tokio::test]
async fn a_pull_request_can_be_closed_by_hand_and_opened_again() {
    let repo = Repo::small();
    let forge = forge_of(&repo).await;
    let pull = "/api/v1/repos/alice/proj/pulls/1";
    let edit = |body: Value| {
        let forge = &forge;
        async move { write_as(forge, "alice", "PATCH", pull, &body).await }
    };
    let closed = edit(json!({"state": "closed", "title": "Mine", "body": "now"})).await;
    assert_eq!(closed.status, 201, "{}", closed.text());
    let json = get(&forge, pull).await.json();
    assert_eq!(
        (&json["state"], &json["title"], &json["head"]["ref"]),
        (&"closed".into(), &"Mine".into(), &"feature".into())
    );
    // A push does not open it.
    repo.git(["checkout", "--quiet", "feature"]);
    repo.write("b.txt", "b\n");
    repo.commit("More");
    assert_eq!(get(&forge, pull).await.json()["state"], "closed");
    assert_eq!(edit(json!({"state": "open"})).await.status, 201);
    let json = get(&forge, pull).await.json();
    assert_eq!((&json["state"], &json["closed_at"], &json["body"]), (&"open".into(), &Value::Null, &"now".into()));
    assert_eq!(json["head"]["sha"], repo.git(["rev-parse", "feature"]).as_str());
    assert_eq!(write_as(&forge, "alice", "PATCH", "/api/v1/repos/alice/proj/pulls/9", &json!({})).await.status, 404);
}

#[tokio::test]
async fn who_may_not_write_does_not() {
    let repo = Repo::small();
    let forge = forge_of(&repo).await;
    let title = json!({"title": "t"});
    for (token, target, status) in [
        ("", ISSUES, 401),
        ("nobody", ISSUES, 401),
        ("dave", ISSUES, 403),
        ("carol", "/api/v1/repos/alice/proj/labels", 422),
        ("carol", "/api/v1/repos/alice/other/issues", 404),
        ("carol", "/api/v1/repos/alice/proj/issues/99/comments", 422),
    ] {
        assert_eq!(write_as(&forge, token, "POST", target, &title).await.status, status, "{token} {target}");
    }
    let refused = write_as(&forge, "dave", "POST", ISSUES, &title).await.json();
    let message = "token does not have at least one of required scope(s): [write:issue]";
    assert_eq!(refused["message"], message);
    let label = json!({"name": "bug", "color": "#000000"});
    assert_eq!(write_as(&forge, "carol", "POST", "/api/v1/repos/alice/proj/labels", &label).await.status, 403);
    assert_eq!(get(&forge, &format!("{ISSUES}?state=all&type=issues")).await.json(), json!([]));
    assert_eq!(get_as(&forge, "dave", &format!("{ISSUES}/1")).await.status, 200);
}

#[tokio::test]
async fn a_reader_reads_all_and_writes_nothing() {
    let repo = Repo::small();
    let (accounts, token) = Accounts::with_reader();
    let source = Source { owner: "local".into(), private: true, ..repo.source() };
    let forge = start(Config { accounts, ..Config::serving(vec![source]) }).await.expect("the forge starts");
    let of = |rest: &str| format!("/api/v1/repos/local/proj{rest}");
    for target in ["", "/issues", "/pulls/1.diff"] {
        assert_eq!(get_as(&forge, &token, &of(target)).await.status, 200, "{target}");
    }
    for target in
        ["/issues", "/pulls", "/pulls/1/merge", "/pulls/1/reviews", "/contents/new.txt", "/releases", "/labels"]
    {
        assert_eq!(write_as(&forge, &token, "POST", &of(target), &json!({})).await.status, 403, "{target}");
    }
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_and_nothing_is_made() {
    let repo = Repo::small();
    let forge = forge_of(&repo).await;
    let headers = [("Authorization", "token alice"), ("Content-Type", "application/json")];
    let deep = format!("{{\"title\":{}", "[".repeat(100_000));
    for body in [
        "{",
        "[\"title\"]",
        "\"title\"",
        r#"{"title":7}"#,
        r#"{"title":["x"]}"#,
        r#"{"title":""}"#,
        r#"{"title":"x","labels":[18446744073709551616]}"#,
        r#"{"title":"x","labels":[1]}"#,
        r#"{"title":"x","labels":"bug"}"#,
        r#"{"title":"x","closed":"yes"}"#,
        "{\"title\":\"\u{0}\"}",
        &deep,
        "\u{feff}{\"title\":\"x\"}",
    ] {
        let reply = ask_with(forge.address(), "POST", ISSUES, &headers, body.as_bytes()).await;
        assert_eq!(reply.status, 422, "{}", &body[..body.len().min(60)]);
        assert!(reply.body.len() < 1024);
    }
    let latin1 = ask_with(forge.address(), "POST", ISSUES, &headers, b"{\"title\":\"\xe9\"}").await;
    assert_eq!(latin1.status, 422);
    // What a page of another site may send without asking.
    for kind in ["text/plain", "application/x-www-form-urlencoded"] {
        let headers = [headers[0], ("Content-Type", kind)];
        assert_eq!(
            ask_with(forge.address(), "POST", ISSUES, &headers, br#"{"title":"x"}"#).await.status,
            422,
            "{kind}"
        );
    }
    // A body that says how large it is is not even read.
    let large = [headers[0], headers[1], ("Content-Length", "16777217")];
    let reply = crate::ground::ask(forge.address(), "POST", ISSUES, &large).await;
    assert_eq!(reply.status, 413);
    for (target, status) in [("0", 404), ("-1", 404), ("99999999999999999999", 404), ("..%2f1", 404), ("1%00", 404)] {
        let comments = format!("{ISSUES}/{target}/comments");
        let reply = write_as(&forge, "alice", "POST", &comments, &json!({"body": "x"})).await;
        assert_eq!(reply.status, status, "{target}");
    }
    assert_eq!(write_as(&forge, "alice", "PATCH", &format!("{ISSUES}/1"), &json!({"state": "gone"})).await.status, 422);
    assert_eq!(get(&forge, &format!("{ISSUES}?state=all&type=issues")).await.json(), json!([]));
    assert_eq!(get(&forge, &format!("{ISSUES}/1/comments")).await.json(), json!([]));
    // The next number is the one that would have come without all that.
    assert_eq!(post(&forge, "alice", ISSUES, json!({"title": "t".repeat(300)})).await["number"], 2);
    let title = get(&forge, &format!("{ISSUES}/2")).await.json()["title"].as_str().map(str::len);
    assert_eq!(title, Some(255));
}

#[tokio::test]
async fn writers_at_once_lose_nothing() {
    let repo = Repo::small();
    let forge = std::sync::Arc::new(forge_of(&repo).await);
    let mut writes = tokio::task::JoinSet::new();
    for _ in 0..24 {
        let forge = forge.clone();
        writes.spawn(async move { write_as(&forge, "alice", "POST", ISSUES, &json!({"title": "t"})).await });
    }
    let mut made: Vec<u64> = Vec::new();
    while let Some(reply) = writes.join_next().await {
        made.extend(reply.expect("it does not panic").json()["number"].as_u64());
    }
    made.sort_unstable();
    assert_eq!(made, (2..26).collect::<Vec<_>>());
    assert_eq!(get(&forge, &format!("{ISSUES}?type=issues&limit=50")).await.json().as_array().map(Vec::len), Some(24));
}
