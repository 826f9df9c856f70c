//! Branches become pull requests, and what is served follows them.

use std::fs;

use assay_local_forge::{Config, Error, LocalForge, PullSummary, Source, State, start};
use serde_json::Value;

use crate::ground::{Repo, get, git_at, serving};

const PULLS: &str = "/api/v1/repos/alice/proj/pulls";

async fn pull(forge: &LocalForge, number: u64) -> Value {
    let reply = get(forge, &format!("{PULLS}/{number}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn shown(pulls: &[PullSummary]) -> Vec<(u64, &str, &str)> {
    pulls.iter().map(|p| (p.index, p.branch.as_str(), p.title.as_str())).collect()
}

#[tokio::test]
async fn every_other_branch_is_a_pull_request_against_the_default_one() {
    let repo = Repo::small();
    repo.git(["branch", "contained", "main"]);
    let (main, feature) = (repo.git(["rev-parse", "main"]), repo.git(["rev-parse", "feature"]));
    let forge = serving([repo.source()]).await;
    assert_eq!(shown(&forge.pulls()), [(1, "contained", "Begin"), (2, "feature", "Count in digits")]);

    let contained = pull(&forge, 1).await;
    assert_eq!(contained["merge_base"], main.as_str());
    assert_eq!(get(&forge, &format!("{PULLS}/1.diff")).await.body, b"");

    let json = pull(&forge, 2).await;
    assert_eq!((json["number"].as_u64(), json["state"].as_str()), (Some(2), Some("open")));
    assert!(json["id"].as_u64().is_some_and(|id| id > 0 && id != 2), "{}", json["id"]);
    assert_eq!(json["body"], "Because <they> & we can.");
    assert_eq!((&json["base"]["ref"], &json["base"]["sha"]), (&"main".into(), &main.as_str().into()));
    assert_eq!((&json["head"]["ref"], &json["head"]["sha"]), (&"feature".into(), &feature.as_str().into()));
    assert_eq!(json["base"]["repo"]["open_pr_counter"], 2);
    assert_eq!(json["mergeable"], true);
}

#[tokio::test]
async fn what_is_served_follows_the_source() {
    let repo = Repo::small();
    let forge = serving([repo.source()]).await;
    let before = pull(&forge, 1).await;

    // The head moves.
    repo.git(["checkout", "--quiet", "feature"]);
    repo.write("b.txt", "b\n");
    let head = repo.commit("More");
    repo.git(["checkout", "--quiet", "main"]);
    let refs = get(&forge, "/api/v1/repos/alice/proj/git/refs/pull/1/head").await.json();
    assert_eq!(refs[0]["object"]["sha"], head.as_str());
    let after = pull(&forge, 1).await;
    assert_eq!((&after["head"]["sha"], &after["id"]), (&head.as_str().into(), &before["id"]));

    // The base moves, into the head: so does the merge base.
    repo.write("c.txt", "c\n");
    let main = repo.commit("Elsewhere");
    assert_eq!(pull(&forge, 1).await["merge_base"], before["merge_base"]);
    repo.git(["checkout", "--quiet", "feature"]);
    repo.git(["merge", "--quiet", "--no-edit", "main"]);
    repo.git(["checkout", "--quiet", "main"]);
    assert_eq!(pull(&forge, 1).await["merge_base"], main.as_str());
    let head = repo.git(["rev-parse", "feature"]);
    assert_eq!(get(&forge, &format!("{PULLS}/1.diff?binary=true")).await.body, repo.diff(&main, &head));

    // History is rewritten.
    repo.git(["branch", "--quiet", "--force", "feature", "main"]);
    assert_eq!(pull(&forge, 1).await["head"]["sha"], main.as_str());

    // A branch comes and gets the next number, whatever its name.
    repo.git(["checkout", "--quiet", "-b", "a-first-by-name", "main"]);
    repo.write("a.txt", "conflict\n");
    repo.commit("New");
    repo.git(["checkout", "--quiet", "main"]);
    assert_eq!(pull(&forge, 2).await["head"]["ref"], "a-first-by-name");

    // A branch goes: its pull request is closed and stays readable.
    let head = repo.git(["rev-parse", "a-first-by-name"]);
    repo.git(["branch", "--quiet", "-D", "a-first-by-name"]);
    let closed = pull(&forge, 2).await;
    assert_eq!((&closed["state"], &closed["head"]["ref"]), (&"closed".into(), &"refs/pull/2/head".into()));
    assert_eq!(get(&forge, &format!("{PULLS}/2.diff?binary=true")).await.body, repo.diff(&main, &head));
    assert_eq!(get(&forge, PULLS).await.json().as_array().map(Vec::len), Some(1));
    assert_eq!(get(&forge, &format!("{PULLS}?state=closed")).await.json()[0]["number"], 2);
    assert_eq!(get(&forge, &format!("{PULLS}?state=all")).await.json().as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn unrelated_histories_are_compared_with_the_tip_of_the_base() {
    let repo = Repo::small();
    repo.git(["checkout", "--quiet", "--orphan", "other"]);
    repo.write("z.txt", "z\n");
    let other = repo.commit("From nowhere");
    repo.git(["checkout", "--quiet", "main"]);
    repo.write("a.txt", "one\ntwo\nthree\n");
    let main = repo.commit("On");
    let forge = serving([repo.source()]).await;
    let json = pull(&forge, 2).await;
    assert_eq!((&json["merge_base"], &json["mergeable"]), (&main.as_str().into(), &false.into()));
    assert_eq!(get(&forge, &format!("{PULLS}/2.diff?binary=true")).await.body, repo.diff(&main, &other));
}

#[tokio::test]
async fn a_conflict_is_not_mergeable() {
    let repo = Repo::small();
    repo.write("a.txt", "one\nzwei\n");
    repo.commit("In German");
    let forge = serving([repo.source()]).await;
    assert_eq!(pull(&forge, 1).await["mergeable"], false);
}

#[tokio::test]
async fn numbers_are_remembered_in_a_state_folder() {
    let repo = Repo::small();
    let state = tempfile::tempdir().expect("a temporary folder");
    let config = || Config { state: State::Folder(state.path().into()), ..Config::serving(vec![repo.source()]) };
    let forge = start(config()).await.expect("the forge starts");
    let first = pull(&forge, 1).await;
    let taken = start(config()).await.expect_err("the folder is taken");
    assert!(taken.to_string().contains("another local forge"), "{taken}");
    forge.shutdown().await;

    repo.git(["branch", "earlier", "feature"]);
    // The copy may go; the numbers are what counts.
    fs::remove_dir_all(state.path().join("copies")).expect("it was made");
    let forge = start(config()).await.expect("the forge starts again");
    let numbers: Vec<_> = forge.pulls().into_iter().map(|p| (p.index, p.branch)).collect();
    assert_eq!(numbers, [(1, "feature".to_owned()), (2, "earlier".to_owned())]);
    assert_eq!(pull(&forge, 1).await["id"], first["id"]);
    forge.shutdown().await;

    let other = Repo::small();
    let config = Config { repositories: vec![other.source()], ..config() };
    let refused = start(config).await.expect_err("another repository of that name is remembered");
    assert!(matches!(refused, Error::State { .. }), "{refused}");
}

#[tokio::test]
async fn worktrees_and_bare_repositories_are_served_and_other_paths_are_refused() {
    let repo = Repo::small();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (linked, bare) = (folder.path().join("linked"), folder.path().join("bare.git"));
    repo.git(["worktree", "add", "--quiet", &linked.display().to_string(), "feature"]);
    git_at(folder.path(), ["clone", "--quiet", "--bare", &repo.path().display().to_string(), "bare.git"], &[]);
    let forge = serving([&linked, &bare, &repo.path().join(".git")].map(Source::from_path)).await;
    let pulls: Vec<_> = forge.pulls().into_iter().map(|p| (p.owner, p.repo, p.index, p.branch)).collect();
    let expected = ["linked", "bare", "proj"].map(|n| ("local".to_owned(), n.to_owned(), 1, "feature".to_owned()));
    assert_eq!(pulls, expected);

    fs::create_dir(repo.path().join("inside")).expect("the work tree is writable");
    let source = format!("file://{}", repo.path().display());
    git_at(folder.path(), ["clone", "--quiet", "--depth", "1", "--no-single-branch", &source, "shallow"], &[]);
    for (path, reason) in [
        (folder.path().to_owned(), "neither `.git` nor `HEAD`"),
        (repo.path().join("inside"), "neither `.git` nor `HEAD`"),
        (repo.path().join("a.txt"), "not a folder"),
        (folder.path().join("missing"), "No such file"),
        // It would answer with a diff against the wrong base, and call it verified.
        (folder.path().join("shallow"), "git fetch --unshallow"),
    ] {
        let refused = start(Config::serving(vec![Source::from_path(&path)])).await.expect_err("it is no repository");
        let text = refused.to_string();
        assert!(matches!(refused, Error::NotARepository { .. }), "{text}");
        assert!(text.contains(reason) && text.contains(&path.display().to_string()), "{text}");
    }
}

#[tokio::test]
async fn a_repository_without_a_commit_is_empty_until_it_has_one() {
    for format in ["sha1", "sha256"] {
        let repo = Repo::empty(format);
        let forge = serving([repo.source()]).await;
        let json = get(&forge, "/api/v1/repos/alice/proj").await.json();
        assert_eq!((&json["empty"], &json["object_format_name"]), (&true.into(), &format.into()));
        assert!(forge.pulls().is_empty());
        repo.write("a.txt", "a\n");
        repo.commit("Begin");
        repo.git(["branch", "feature"]);
        let json = get(&forge, "/api/v1/repos/alice/proj").await.json();
        assert_eq!((&json["empty"], &json["default_branch"]), (&false.into(), &"main".into()));
        assert_eq!(shown(&forge.pulls()), [(1, "feature", "Begin")]);
    }
}

#[tokio::test]
async fn lists_are_paged_and_refs_are_matched_by_prefix() {
    let repo = Repo::small();
    for number in 1..=11 {
        repo.git(["branch", &format!("b{number:02}"), "main"]);
    }
    let forge = serving([repo.source()]).await;
    let page = get(&forge, &format!("{PULLS}?limit=5&page=2")).await;
    let numbers: Vec<_> = page.json().as_array().into_iter().flatten().map(|p| p["number"].as_u64()).collect();
    assert_eq!(numbers, [Some(7), Some(6), Some(5), Some(4), Some(3)]);
    assert_eq!(page.header("X-Total-Count"), Some("12"));
    let address = format!("{}{PULLS}", forge.url());
    let link = |page: u32, relation: &str| format!("<{address}?limit=5&page={page}>; rel=\"{relation}\"");
    let links = [link(3, "next"), link(3, "last"), link(1, "first"), link(1, "prev")].join(",");
    assert_eq!(page.header("Link"), Some(links.as_str()));
    assert_eq!(page.header("Access-Control-Expose-Headers"), Some("Link, X-Total-Count"));

    let branches = get(&forge, "/api/v1/repos/alice/proj/branches?limit=2").await;
    assert_eq!(branches.json()[1]["name"], "b02");
    assert_eq!(branches.header("X-Total-Count"), Some("13"));

    let refs = get(&forge, "/api/v1/repos/alice/proj/git/refs/pull/1").await.json();
    let names: Vec<_> = refs.as_array().into_iter().flatten().map(|r| r["ref"].as_str()).collect();
    let expected = ["1", "10", "11", "12"].map(|n| format!("refs/pull/{n}/head"));
    assert_eq!(names, expected.each_ref().map(|name| Some(name.as_str())));
    assert_eq!(
        get(&forge, "/api/v1/repos/alice/proj/git/refs/heads/b0").await.json().as_array().map(Vec::len),
        Some(9)
    );
    assert_eq!(get(&forge, "/api/v1/repos/alice/proj/git/refs/nothing").await.status, 404);
}

#[tokio::test]
async fn a_branch_named_in_other_bytes_is_served() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    let repo = Repo::small();
    repo.git([OsStr::new("branch"), OsStr::from_bytes(b"latin1-\xe9/<x>&"), OsStr::new("feature")]);
    let forge = serving([repo.source()]).await;
    assert_eq!(shown(&forge.pulls())[1], (2, "latin1-\u{fffd}/<x>&", "Count in digits"));
    let reply = get(&forge, &format!("{PULLS}/2")).await;
    assert!(reply.text().contains(r"latin1-\ufffd/\u003cx\u003e\u0026"), "{}", reply.text());
    let branch = get(&forge, "/api/v1/repos/alice/proj/branches/latin1-%E9/%3Cx%3E%26").await;
    assert_eq!(branch.status, 200);
}
