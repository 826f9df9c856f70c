//! Files written through the API: on branches of the forge's copy, guarded, kept, and never in the source.

use assay_local_forge::{Config, LocalForge, State, Stock, WrongSha, start};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    ground::{Repo, get, git_at, write_as},
    talk::accounts,
};

const CONTENTS: &str = "/api/v1/repos/alice/proj/contents";

async fn forge_of(repo: &Repo, state: &TempDir, stock: Stock) -> LocalForge {
    let config = Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        stock,
        ..Config::serving(vec![repo.source()])
    };
    start(config).await.expect("the forge starts")
}

fn write(text: impl AsRef<[u8]>, more: Value) -> Value {
    let mut body = json!({"content": STANDARD.encode(text), "message": "m"});
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    body
}

#[tokio::test]
async fn files_are_made_and_replaced_under_a_guard_and_kept() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    repo.write("run.sh", "#!/bin/sh\n");
    repo.git(["add", "--all"]);
    repo.git(["update-index", "--chmod=+x", "run.sh"]);
    let main = repo.commit_index("Run");
    let forge = forge_of(&repo, &state, Stock::default()).await;
    let sha = repo.git(["rev-parse", "main:run.sh"]);
    let content = b"\xff\x00\r\n";
    let put =
        write_as(&forge, "alice", "PUT", &format!("{CONTENTS}/run.sh"), &write(content, json!({"sha": sha}))).await;
    assert_eq!(put.status, 200, "{}", put.text());
    let put = put.json();
    assert_eq!((&put["content"]["size"], &put["content"]["content"]), (&4.into(), &STANDARD.encode(content).into()));
    assert_eq!(put["commit"]["parents"][0]["sha"], main.as_str());
    assert_eq!(put["commit"]["message"], "m\n");
    let copy = |arguments: &[&str]| {
        String::from_utf8_lossy(&git_at(&state.path().join("copies/1.git"), arguments, &[])).trim_end().to_owned()
    };
    assert!(copy(&["ls-tree", "main", "run.sh"]).starts_with("100755 blob "), "it can be run still");
    assert_eq!(copy(&["log", "-1", "--format=%an <%ae>", "main"]), "alice <alice@noreply.localhost>");
    // The old guard does not hold twice.
    let again = write_as(&forge, "alice", "PUT", &format!("{CONTENTS}/run.sh"), &write("x", json!({"sha": sha}))).await;
    assert_eq!(again.status, 422);

    // On a new branch, under a name that needs escapes; an empty file.
    let post = write("", json!({"new_branch": "on/side", "message": "", "author": {"name": "A B", "email": "a@b"}}));
    let post = write_as(&forge, "alice", "POST", &format!("{CONTENTS}/d%20e/f%0a%23.txt"), &post).await;
    assert_eq!(post.status, 201, "{}", post.text());
    assert_eq!((&post.json()["content"]["path"], &post.json()["content"]["size"]), (&"d e/f\n#.txt".into(), &0.into()));
    assert_eq!(copy(&["log", "-1", "--format=%an|%cn|%s", "on/side"]), "A B|alice|Add d e/f #.txt");
    assert_eq!(get(&forge, &format!("{CONTENTS}/d%20e?ref=main")).await.status, 404);
    assert_eq!(repo.git(["rev-parse", "main"]), main, "the source is never written to");
    let pulls = get(&forge, "/api/v1/repos/alice/proj/pulls").await.json();
    assert_eq!(
        pulls.as_array().map(Vec::len),
        Some(1),
        "a branch of the forge's is no pull request until it is asked for"
    );
    let asked = json!({"title": "t", "head": "on/side", "base": "main"});
    assert_eq!(write_as(&forge, "alice", "POST", "/api/v1/repos/alice/proj/pulls", &asked).await.json()["number"], 2);
    forge.shutdown().await;

    let forge = forge_of(&repo, &state, Stock { wrong_sha: WrongSha::Conflict, ..Stock::default() }).await;
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/raw/run.sh?ref=main").await.body, content);
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/pulls/2").await.json()["head"]["ref"], "on/side");
    let stale = write_as(&forge, "alice", "PUT", &format!("{CONTENTS}/run.sh"), &write("x", json!({"sha": sha}))).await;
    assert_eq!(stale.status, 409);
    forge.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_written_is_refused_and_nothing_is_changed() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    repo.write("dir/in.txt", "x\n");
    repo.link("link", "a.txt");
    repo.commit("More");
    let forge = forge_of(&repo, &state, Stock::default()).await;
    let (sha, link) = (repo.git(["rev-parse", "main:a.txt"]), repo.git(["rev-parse", "main:link"]));
    let none = || write("x", json!({}));
    let long = "x".repeat(5000);
    for (token, method, path, body, status) in [
        ("carol", "POST", "new.txt", none(), 403),
        ("dave", "POST", "new.txt", none(), 403),
        ("", "POST", "new.txt", none(), 401),
        ("alice", "POST", "a.txt", none(), 422),
        ("alice", "POST", "dir", none(), 422),
        ("alice", "POST", "a.txt/below", none(), 422),
        ("alice", "POST", "link/below", none(), 422),
        ("alice", "POST", "", none(), 422),
        ("alice", "POST", "..%2f..%2f", none(), 422),
        ("alice", "POST", ".git/hooks/post-update", none(), 422),
        ("alice", "POST", "x/.GIT/config", none(), 422),
        ("alice", "POST", "x/git~1/config", none(), 422),
        ("alice", "POST", "x/.git.%20/config", none(), 422),
        ("alice", "POST", "a%00b", none(), 422),
        ("alice", "POST", &long, none(), 422),
        ("alice", "POST", "new.txt", json!({"message": "m"}), 422),
        ("alice", "POST", "new.txt", json!({"content": "###"}), 422),
        ("alice", "POST", "new.txt", json!({"content": "eA"}), 422),
        ("alice", "POST", "new.txt", json!({"content": 7}), 422),
        ("alice", "POST", "new.txt", write("x", json!({"message": "a\u{0}b"})), 422),
        ("alice", "POST", "new.txt", write("x", json!({"branch": "nope"})), 404),
        ("alice", "POST", "new.txt", write("x", json!({"new_branch": "feature"})), 422),
        ("alice", "POST", "new.txt", write("x", json!({"new_branch": "feature/below"})), 422),
        ("alice", "POST", "new.txt", write("x", json!({"new_branch": "../../x"})), 422),
        ("alice", "POST", "new.txt", write("x", json!({"new_branch": "-d"})), 422),
        ("alice", "POST", "new.txt", write("x", json!({"new_branch": "a\nb"})), 422),
        ("alice", "PUT", "a.txt", none(), 422),
        ("alice", "PUT", "a.txt", write("x", json!({"sha": "e".repeat(40)})), 422),
        ("alice", "PUT", "a.txt", write("x", json!({"sha": 7})), 422),
        ("alice", "PUT", "link", write("x", json!({"sha": link})), 422),
        ("alice", "PUT", "nope.txt", write("x", json!({"sha": sha})), 500),
        ("alice", "PUT", "a.txt", write("x", json!({"sha": sha, "branch": "nope"})), 404),
    ] {
        let reply = write_as(&forge, token, method, &format!("{CONTENTS}/{path}"), &body).await;
        let shown: String = format!("{token} {method} {path} {body}").chars().take(120).collect();
        assert_eq!(reply.status, status, "{shown}: {}", reply.text());
    }
    let branches = get(&forge, "/api/v1/repos/alice/proj/branches").await.json();
    let tips: Vec<_> = branches.as_array().into_iter().flatten().map(|branch| branch["commit"]["id"].clone()).collect();
    assert_eq!(tips, [repo.git(["rev-parse", "feature"]), repo.git(["rev-parse", "main"])]);
    // `..` is cleaned, not refused, and stays within.
    let post = write_as(&forge, "alice", "POST", &format!("{CONTENTS}/x/..%2f..%2f../new.txt"), &none()).await;
    assert_eq!((post.status, &post.json()["content"]["path"]), (201, &"new.txt".into()));
    forge.shutdown().await;
}

#[tokio::test]
async fn the_first_file_of_an_empty_repository_makes_its_branch() {
    for format in ["sha1", "sha256"] {
        let (repo, state) = (Repo::empty(format), tempfile::tempdir().expect("a temporary folder"));
        let forge = forge_of(&repo, &state, Stock::default()).await;
        let made = write_as(&forge, "alice", "POST", &format!("{CONTENTS}/README.md"), &write("hi\n", json!({}))).await;
        assert_eq!(made.status, 201, "{}", made.text());
        assert_eq!(made.json()["commit"]["parents"], json!([]));
        let json = get(&forge, "/api/v1/repos/alice/proj").await.json();
        assert_eq!((&json["empty"], &json["default_branch"]), (&false.into(), &"main".into()), "{format}");
        assert_eq!(get(&forge, "/api/v1/repos/alice/proj/raw/README.md").await.body, b"hi\n");
        forge.shutdown().await;
    }
}

/// Of two writers with one guard one wins, and the other is told.
#[tokio::test]
async fn no_update_is_lost_between_writers() {
    let (repo, state) = (Repo::small(), tempfile::tempdir().expect("a temporary folder"));
    let forge = std::sync::Arc::new(forge_of(&repo, &state, Stock::default()).await);
    let sha = repo.git(["rev-parse", "main:a.txt"]);
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (forge, body) = (forge.clone(), write(format!("{number}\n"), json!({"sha": sha})));
        writers
            .spawn(async move { write_as(&forge, "alice", "PUT", &format!("{CONTENTS}/a.txt"), &body).await.status });
    }
    let mut statuses = Vec::new();
    while let Some(status) = writers.join_next().await {
        statuses.push(status.expect("it does not panic"));
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422, 422, 422, 422, 422, 422, 422]);
}
