//! Lists of repositories, releases and tags, and what became of old names.

use assay_local_forge::{Accounts, Config, Grant, PrivateReads, Scope, Source, State, Token, start};
use serde_json::{Value, json};

use crate::{
    ground::{Repo, get, get_as, write_as},
    talk::accounts,
};

fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|one| one["full_name"].as_str()).collect()
}

#[tokio::test]
async fn lists_show_what_the_caller_may_see() {
    let repos = [Repo::small(), Repo::small(), Repo::empty("sha256")];
    let [one, two, three] = &repos;
    let sources = vec![
        one.source(),
        Source { name: "Hidden".into(), private: true, ..two.source() },
        Source { owner: "team".into(), name: "project".into(), ..three.source() },
    ];
    let grant = |login: &str, scopes: Vec<Scope>, private| Grant {
        login: login.into(),
        token: Token::new(login),
        scopes,
        private,
    };
    let hidden = PrivateReads::Named(vec![("alice".into(), "hidden".into())]);
    let accounts = Accounts::public()
        .granting(grant("alice", vec![Scope::All], PrivateReads::None))
        .granting(grant("bob", vec![Scope::All], hidden))
        .granting(grant("carol", vec!["read:user".parse().expect("a scope")], PrivateReads::None))
        .letting_write("bob", "alice", "hidden");
    let forge = start(Config { accounts, ..Config::serving(sources) }).await.expect("the forge starts");
    let alice = get_as(&forge, "alice", "/api/v1/users/ALICE").await.json();
    assert_eq!((&alice["login"], &alice["active"]), (&"alice".into(), &true.into()));
    let uid = &alice["id"];
    let search = |query: &str| format!("/api/v1/repos/search?{query}");
    for (token, target, expected) in [
        ("alice", search(""), &["alice/Hidden", "alice/proj", "team/project"][..]),
        ("bob", search("q=HID"), &["alice/Hidden"]),
        ("", search(""), &["alice/proj", "team/project"]),
        ("", search(&format!("uid={uid}&exclusive=true")), &["alice/proj"]),
        ("alice", search(&format!("uid={uid}&exclusive=true&page=2&limit=1")), &["alice/proj"]),
        ("alice", search("uid=18446744073709551615&exclusive=true"), &[]),
        ("alice", search("private=false&sort=id&order=desc"), &["team/project", "alice/proj"]),
        ("alice", search("is_private=true"), &["alice/Hidden"]),
        ("alice", search("q=%25_%2e%2e%2f"), &[]),
        ("alice", search("mode=fork"), &[]),
        ("alice", "/api/v1/user/repos".into(), &["alice/Hidden", "alice/proj"]),
        ("bob", "/api/v1/user/repos".into(), &["alice/Hidden"]),
        ("", "/api/v1/users/alice/repos".into(), &["alice/proj"]),
        ("bob", "/api/v1/users/alice/repos".into(), &["alice/Hidden", "alice/proj"]),
        ("", "/api/v1/users/team/repos".into(), &["team/project"]),
    ] {
        let reply = if token.is_empty() { get(&forge, &target).await } else { get_as(&forge, token, &target).await };
        assert_eq!(reply.status, 200, "{token} {target}");
        let json = reply.json();
        assert_eq!(names(if json.is_array() { &json } else { &json["data"] }), expected, "{token} {target}");
    }
    for (token, target, status) in [
        ("", "/api/v1/user/repos", 401),
        ("carol", "/api/v1/user/repos", 403),
        ("carol", "/api/v1/repos/search", 403),
        ("carol", "/api/v1/users/alice/repos", 403),
        ("alice", "/api/v1/users/nosuch/repos", 404),
        ("alice", "/api/v1/users/%2e%2e", 404),
        ("alice", "/api/v1/repos/search?sort=evil", 422),
        ("alice", "/api/v1/repos/search?sort=id&order=up", 422),
        ("alice", "/api/v1/repos/search?mode=x", 422),
    ] {
        let reply = if token.is_empty() { get(&forge, target).await } else { get_as(&forge, token, target).await };
        assert_eq!(reply.status, status, "{token} {target}");
    }
    let page = get_as(&forge, "alice", "/api/v1/user/repos?limit=1").await;
    assert_eq!(page.header("X-Total-Count"), Some("2"));
    let permissions = |token: &'static str| {
        let forge = &forge;
        async move { get_as(forge, token, "/api/v1/repos/alice/hidden").await.json()["permissions"].clone() }
    };
    assert_eq!(permissions("alice").await, json!({"admin": true, "push": true, "pull": true}));
    assert_eq!(permissions("bob").await, json!({"admin": false, "push": true, "pull": true}));
}

#[tokio::test]
async fn an_old_name_leads_to_the_new_one_after_a_restart_too() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    let config = || Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        ..Config::serving(vec![repo.source()])
    };
    let forge = start(config()).await.expect("the forge starts");
    forge.control().rename("alice", "proj", "alice", "renamed").expect("the name is free");
    // A write goes on meanwhile and must not take the name back.
    let made = write_as(&forge, "alice", "POST", "/api/v1/repos/alice/renamed/issues", &json!({"title": "t"})).await;
    assert_eq!(made.json()["repository"]["full_name"], "alice/renamed");
    forge.shutdown().await;

    let forge = start(config()).await.expect("it starts again");
    let old = get(&forge, "/api/v1/repos/alice/proj/pulls?state=all").await;
    assert_eq!((old.status, old.header("Location")), (307, Some("/api/v1/repos/alice/renamed/pulls?state=all")));
    let moved = write_as(&forge, "alice", "POST", "/api/v1/repos/alice/proj/issues", &json!({"title": "t"})).await;
    assert_eq!((moved.status, moved.body.len(), moved.header("Content-Type")), (307, 0, None));
    assert_eq!(
        get(&forge, "/api/v1/repos/alice/renamed/issues?type=issues").await.json().as_array().map(Vec::len),
        Some(1)
    );
    forge.shutdown().await;

    // Somebody else has the new name now.
    let other = Repo::small();
    let taken = Source { name: "renamed".into(), ..other.source() };
    let forge = start(Config { repositories: vec![repo.source(), taken], ..config() }).await.expect("it starts again");
    let names = get(&forge, "/api/v1/repos/search").await.json();
    let mut names: Vec<_> = names["data"].as_array().into_iter().flatten().map(|r| r["full_name"].clone()).collect();
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, ["alice/proj", "alice/renamed"]);
    forge.shutdown().await;
}

#[tokio::test]
async fn releases_are_made_with_their_tags_and_kept() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    repo.git(["tag", "-a", "v1", "-m", "First", "main"]);
    let config = || Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        ..Config::serving(vec![repo.source()])
    };
    let releases = "/api/v1/repos/alice/proj/releases";
    let forge = start(config()).await.expect("the forge starts");
    let post = |token: &'static str, body: Value| {
        let forge = &forge;
        async move { write_as(forge, token, "POST", releases, &body).await }
    };
    let first = post("alice", json!({"tag_name": "v1", "name": "One", "body": "notes"})).await;
    assert_eq!((first.status, &first.json()["name"]), (201, &"One".into()));
    let second = json!({"tag_name": "v2", "target_commitish": "feature", "prerelease": true});
    assert_eq!(post("alice", second.clone()).await.status, 201);
    assert_eq!(post("alice", json!({"tag_name": "v3", "draft": true})).await.status, 201);
    for (token, body, status) in [
        ("alice", second.clone(), 409),
        ("alice", json!({}), 422),
        ("alice", json!({"tag_name": "../x"}), 422),
        ("alice", json!({"tag_name": "-d"}), 422),
        ("alice", json!({"tag_name": "v2/x"}), 422),
        ("alice", json!({"tag_name": "v9", "target_commitish": "--output=x"}), 404),
        ("alice", json!({"tag_name": "v9", "target_commitish": "nope"}), 404),
        ("alice", json!({"tag_name": 7}), 422),
        ("carol", json!({"tag_name": "v9"}), 403),
        ("dave", json!({"tag_name": "v9"}), 403),
    ] {
        let reply = post(token, body.clone()).await;
        assert_eq!(reply.status, status, "{token} {body}: {}", reply.text());
    }
    let feature = repo.git(["rev-parse", "feature"]);
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/tags/v2").await.json()["commit"]["sha"], feature.as_str());
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/tags/v3").await.status, 404, "a draft has no tag yet");
    assert_eq!(repo.git(["tag"]), "v1", "the source is never written to");
    forge.shutdown().await;

    let forge = start(config()).await.expect("it starts again");
    let tags = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|one| one["tag_name"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(tags(&get(&forge, releases).await.json()), ["v2", "v1"]);
    assert_eq!(tags(&get_as(&forge, "alice", releases).await.json()), ["v3", "v2", "v1"]);
    assert_eq!(tags(&get_as(&forge, "alice", &format!("{releases}?draft=true")).await.json()), ["v3"]);
    let latest = get(&forge, &format!("{releases}/latest")).await.json();
    assert_eq!((&latest["tag_name"], &latest["author"]["login"]), (&"v1".into(), &"alice".into()));
    let by_id = get(&forge, &format!("{releases}/{}", latest["id"])).await.json();
    assert_eq!(by_id, latest);
    assert_eq!(get(&forge, &format!("{releases}/tags/v2")).await.json()["prerelease"], true);
    assert_eq!(get(&forge, &format!("{releases}/18446744073709551615")).await.status, 404);
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/tags/v2").await.json()["commit"]["sha"], feature.as_str());
    let sha = repo.git(["rev-parse", "v1"]);
    assert_eq!(get(&forge, &format!("/api/v1/repos/alice/proj/git/tags/{sha}")).await.json()["message"], "First");
    forge.shutdown().await;
}
