//! Pull requests that are asked for, and merges: in the forge's copy, never in the source.

use std::path::Path;

use assay_local_forge::{Config, LocalForge, State, Stock, start};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    ground::{Repo, get, git_at, write_as},
    talk::accounts,
};

const PULLS: &str = "/api/v1/repos/alice/proj/pulls";

async fn forge_of(repo: &Repo, state: &TempDir, branches_are_pulls: bool) -> LocalForge {
    let config = Config {
        accounts: accounts(),
        state: State::Folder(state.path().into()),
        stock: Stock { branches_are_pulls, ..Stock::default() },
        ..Config::serving(vec![repo.source()])
    };
    start(config).await.expect("the forge starts")
}

/// Two branches beside `feature`, which conflicts with `conflict`.
fn repo() -> Repo {
    let repo = Repo::small();
    for (branch, file, content) in [("other", "b.txt", "b\n"), ("conflict", "a.txt", "one\nzwei\n")] {
        repo.git(["checkout", "--quiet", "-b", branch, "main"]);
        repo.write(file, content);
        repo.commit(branch);
    }
    repo.write("c.txt", "c\n");
    repo.commit("second");
    repo.git(["checkout", "--quiet", "main"]);
    repo
}

fn copy(state: &Path, arguments: &[&str]) -> String {
    let said = git_at(&state.join("copies/1.git"), arguments, &[]);
    String::from_utf8_lossy(&said).trim_end().to_owned()
}

async fn pull(forge: &LocalForge, number: u64) -> Value {
    get(forge, &format!("{PULLS}/{number}")).await.json()
}

#[tokio::test]
async fn a_pull_request_is_asked_for_once_and_kept() {
    let (repo, state) = (repo(), tempfile::tempdir().expect("a temporary folder"));
    let forge = forge_of(&repo, &state, false).await;
    assert_eq!(get(&forge, PULLS).await.json(), json!([]));
    let ask = |head: &str, base: &str| json!({"title": "Mine", "body": "b\r\n", "head": head, "base": base});
    let made = write_as(&forge, "carol", "POST", PULLS, &ask("alice:feature", "main")).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    assert_eq!((&made["number"], &made["title"], &made["body"]), (&1.into(), &"Mine".into(), &"b\r\n".into()));
    assert_eq!((&made["user"]["login"], &made["head"]["ref"]), (&"carol".into(), &"feature".into()));
    assert_eq!(made["head"]["sha"], repo.git(["rev-parse", "feature"]).as_str());
    for (token, body, status) in [
        ("carol", ask("feature", "main"), 409),
        ("carol", ask("main", "main"), 422),
        ("carol", ask("nope", "main"), 404),
        ("carol", ask("feature", "nope"), 404),
        ("carol", ask("bob:feature", "main"), 404),
        ("carol", ask("../../x", "main"), 404),
        ("carol", ask("--upload-pack=x", "main"), 404),
        ("carol", json!({"title": "t", "head": "feature"}), 422),
        ("carol", json!({"title": "t", "head": ["feature"], "base": "main"}), 422),
        ("dave", ask("other", "main"), 403),
        ("", ask("other", "main"), 401),
    ] {
        assert_eq!(write_as(&forge, token, "POST", PULLS, &body).await.status, status, "{token} {body}");
    }
    // Another base is another pull request.
    assert_eq!(write_as(&forge, "carol", "POST", PULLS, &ask("feature", "other")).await.json()["number"], 2);
    forge.shutdown().await;
    let forge = forge_of(&repo, &state, false).await;
    let kept = pull(&forge, 1).await;
    for member in ["id", "title", "body", "state", "created_at", "merge_base"] {
        assert_eq!(kept[member], made[member], "{member}");
    }
    let refs = get(&forge, "/api/v1/repos/alice/proj/git/refs/pull/2/head").await.json();
    assert_eq!(refs[0]["object"]["sha"], made["head"]["sha"]);
    assert_eq!(get(&forge, &format!("{PULLS}/2.diff")).await.status, 200);
    forge.shutdown().await;
}

#[tokio::test]
async fn a_merge_moves_the_base_here_and_nothing_in_the_source() {
    for style in ["merge", "squash", "rebase", "rebase-merge"] {
        let (repo, state) = (repo(), tempfile::tempdir().expect("a temporary folder"));
        let forge = forge_of(&repo, &state, true).await;
        let (main, other) = (repo.git(["rev-parse", "main"]), repo.git(["rev-parse", "other"]));
        // `conflict` is 1, `feature` 2 and `other` 3. The base moves first, so that nothing is a fast-forward.
        let merge = |number: u64, body: Value| {
            let forge = &forge;
            async move { write_as(forge, "alice", "POST", &format!("{PULLS}/{number}/merge"), &body).await }
        };
        let merged = merge(2, json!({"Do": "fast-forward-only"})).await;
        assert_eq!((merged.status, merged.body.len()), (200, 0), "{}", merged.text());
        let feature = repo.git(["rev-parse", "feature"]);
        let branch = |name: &'static str| {
            let forge = &forge;
            async move { get(forge, &format!("/api/v1/repos/alice/proj/branches/{name}")).await.json() }
        };
        assert_eq!(branch("main").await["commit"]["id"], feature.as_str());
        // What conflicts, what is guarded by another commit, what diverged.
        assert_eq!(merge(1, json!({"Do": style})).await.status, 405);
        let guarded = merge(3, json!({"Do": style, "head_commit_id": main})).await;
        assert_eq!((guarded.status, &guarded.json()["message"]), (409, &"head out of date".into()));
        assert_eq!(merge(3, json!({"Do": "fast-forward-only"})).await.status, 409);
        assert_eq!(branch("main").await["commit"]["id"], feature.as_str(), "nothing was merged");

        let body = json!({"Do": style, "head_commit_id": other, "MergeTitleField": "Both", "MergeMessageField": "now"});
        assert_eq!(merge(3, body.clone()).await.status, 200, "{style}");
        let tip = branch("main").await["commit"]["id"].as_str().expect("it is there").to_owned();
        let shown = copy(state.path(), &["log", "-1", "--format=%P|%cn|%s|%b", &tip]);
        let files = copy(state.path(), &["ls-tree", "--name-only", &tip]);
        assert_eq!(files, "a.txt\nb.txt", "{style}");
        let parents = match style {
            "merge" => format!("{feature} {other}|alice|Both|now"),
            "squash" => format!("{feature}|alice|Both|now"),
            "rebase" => format!("{feature}|alice|other|"),
            _ => format!("{feature} "),
        };
        assert!(shown.starts_with(&parents), "{style}: {shown}");
        if style == "rebase" {
            assert_eq!(copy(state.path(), &["log", "-1", "--format=%an %ad", "--date=short", &tip]), "Rec 2026-01-01");
        }
        let json = pull(&forge, 3).await;
        assert_eq!((&json["merged"], &json["state"]), (&true.into(), &"closed".into()));
        assert_eq!((&json["merge_commit_sha"], &json["merged_by"]["login"]), (&tip.as_str().into(), &"alice".into()));
        assert_eq!((&json["head"]["ref"], &json["merge_base"]), (&"other".into(), &main.as_str().into()));
        let again = merge(3, body).await;
        assert_eq!((again.status, &again.json()["message"]), (405, &"".into()));
        assert_eq!(get(&forge, &format!("{PULLS}/3/merge")).await.status, 204);
        assert_eq!(get(&forge, &format!("{PULLS}/1/merge")).await.status, 404);
        assert_eq!(repo.git(["rev-parse", "main"]), main, "the source is never written to");
        forge.shutdown().await;

        let forge = forge_of(&repo, &state, true).await;
        let kept = get(&forge, "/api/v1/repos/alice/proj/branches/main").await.json();
        assert_eq!(kept["commit"]["id"], tip.as_str(), "{style}");
        assert_eq!(pull(&forge, 3).await["merged_at"], json["merged_at"]);
        // The source takes it up and leads again.
        let copy = state.path().join("copies/1.git").display().to_string();
        repo.git(["pull", "--quiet", "--ff-only", &copy, "main"]);
        repo.write("d.txt", "d\n");
        let next = repo.commit("On");
        let followed = get(&forge, "/api/v1/repos/alice/proj/branches/main").await.json();
        assert_eq!(followed["commit"]["id"], next.as_str(), "{style}");
        forge.shutdown().await;
    }
}

#[tokio::test]
async fn what_may_not_be_merged_is_not() {
    let (repo, state) = (repo(), tempfile::tempdir().expect("a temporary folder"));
    let forge = forge_of(&repo, &state, true).await;
    let target = |index: &str| format!("{PULLS}/{index}/merge");
    let edit = write_as(&forge, "alice", "PATCH", &format!("{PULLS}/3"), &json!({"title": "WIP: not yet"})).await;
    assert_eq!(edit.status, 201);
    for (token, index, body, status) in [
        ("carol", "2", json!({"Do": "merge"}), 405),
        ("dave", "2", json!({"Do": "merge"}), 403),
        ("", "2", json!({"Do": "merge"}), 401),
        ("alice", "3", json!({"Do": "merge"}), 405),
        ("alice", "2", json!({}), 422),
        ("alice", "2", json!({"Do": "octopus"}), 422),
        ("alice", "2", json!({"Do": 7}), 422),
        ("alice", "2", json!({"Do": "merge", "MergeTitleField": "a\u{0}b"}), 422),
        ("alice", "2", json!({"Do": "merge", "head_commit_id": "--all"}), 409),
        ("alice", "99", json!({"Do": "merge"}), 404),
        ("alice", "0", json!({"Do": "merge"}), 404),
        ("alice", "-2", json!({"Do": "merge"}), 404),
    ] {
        let reply = write_as(&forge, token, "POST", &target(index), &body).await;
        assert_eq!(reply.status, status, "{token} {index} {body}: {}", reply.text());
    }
    let main = repo.git(["rev-parse", "main"]);
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/branches/main").await.json()["commit"]["id"], main.as_str());
    let delete = json!({"Do": "merge", "delete_branch_after_merge": true});
    assert_eq!(write_as(&forge, "alice", "POST", &target("2"), &delete).await.status, 200);
    let said = copy(state.path(), &["log", "-1", "--format=%B", "main"]);
    assert_eq!(said, "Merge pull request 'Count in digits' (#2) from feature into main");
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/branches/feature").await.status, 404);
    let json = pull(&forge, 2).await;
    assert_eq!((&json["merged"], &json["head"]["ref"]), (&true.into(), &"refs/pull/2/head".into()));
    assert_eq!(get(&forge, &format!("{PULLS}/2.diff")).await.status, 200);
    assert!(!repo.git(["rev-parse", "feature"]).is_empty(), "it is there still, in the source");
    forge.shutdown().await;
}
