//! Bytes that are kept are released to those alone whom the forge shows their inputs.

use assay_kit::{AwkwardRepository, ObjectFormat, Outcome};
use assay_local_forge::{
    Accounts, Config, Cut, Grant, ObjectFault, PrivateReads, PullSummary, Scope, Source, Stock, Token,
};
use serde_json::{Value, json};

use super::{DIFF, LIST, Scene, refused};
use crate::stage::{ROOM, TOKEN};

/// O-012: a token that was revoked between two pages gets nothing, and another caller never did, though the bytes are kept.
#[test]
fn kept_bytes_are_not_for_everybody() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let scene = Scene::of(&repository);
    let mut arguments = scene.arguments("everything");
    let cursor = scene.page(DIFF, &arguments)["next_cursor"].clone();
    arguments["cursor"] = cursor;
    scene.page(DIFF, &arguments);

    // The repository is private, and this token is nobody's.
    for (tool, arguments) in
        [(DIFF, &arguments), (DIFF, &scene.arguments("everything")), (LIST, &scene.arguments("everything"))]
    {
        let stranger = scene.stage.call_as(TOKEN, tool, &arguments.to_string(), ROOM);
        let (_, message) = refused(stranger);
        assert!(!message.contains("diff --git"), "{message}");
    }
    // Who may read it still does.
    scene.page(DIFF, &arguments);
    scene.forge.revoke(&scene.token);
    scene.forge.clear_requests();
    refused(scene.call(DIFF, &arguments));
    refused(scene.call(DIFF, &scene.arguments("everything")));
    refused(scene.call(LIST, &scene.arguments("everything")));
    assert!(!scene.forge.asked().is_empty(), "the forge was asked");
}

/// O-012: two accounts of one process, each of which may read one of two private repositories that hold the same commits
/// and so the same objects: neither gets a byte of the other's, by a first page, a file, an index or a cursor, though all of
/// it is kept.
#[test]
fn callers_with_different_rights_see_their_own() {
    let repositories = [AwkwardRepository::new(ObjectFormat::Sha1), AwkwardRepository::new(ObjectFormat::Sha1)];
    let names = ["one", "two"].map(str::to_owned);
    let sources = repositories.iter().zip(&names).map(|(repository, name)| Source {
        private: true,
        name: name.clone(),
        ..Source::from_path(repository.path())
    });
    let tokens = [Token::random(), Token::random()];
    let mut accounts = Accounts::public();
    for ((login, token), name) in ["alice", "bob"].iter().zip(&tokens).zip(&names) {
        accounts = accounts.granting(Grant {
            login: (*login).to_owned(),
            token: token.clone(),
            scopes: vec![Scope::All],
            private: PrivateReads::Named(vec![("local".to_owned(), name.clone())]),
        });
    }
    let config =
        Config { accounts, native_evidence: false, stock: Stock::default(), ..Config::serving(sources.collect()) };
    let scene = Scene::serving(config, &tokens[0]);
    let pulls = scene.forge.pulls();
    let arguments = |name: &str| -> Value {
        let is_it = |pull: &&PullSummary| pull.repo == name && pull.branch == "everything";
        let pull = pulls.iter().find(is_it).expect("both have the branch");
        json!({"owner": pull.owner, "repo": pull.repo, "index": pull.index})
    };
    let call = |token: &Token, tool: &str, arguments: &Value| {
        scene.stage.call_as(token, tool, &arguments.to_string(), crate::stage::ROOM)
    };
    // Everything of both is read, and so kept.
    let own: Vec<[Value; 2]> = names
        .iter()
        .zip(&tokens)
        .map(|(name, token)| {
            let first = arguments(name);
            let Outcome::Ok(page) = call(token, DIFF, &first) else { panic!("{name} is its reader's") };
            let page: Value = serde_json::from_str(&page).expect("JSON");
            assert_eq!(page["manifest"]["level"], "transform");
            let mut next = first.clone();
            next["cursor"] = page["next_cursor"].clone();
            assert!(matches!(call(token, DIFF, &next), Outcome::Ok(_)), "{name} is continued");
            assert!(matches!(call(token, LIST, &first), Outcome::Ok(_)), "{name} is listed");
            [first, next]
        })
        .collect();
    for (token, [first, next]) in tokens.iter().zip(own.iter().rev()) {
        let mut file = first.clone();
        file["file_path"] = "README.md".into();
        for (tool, arguments) in [(DIFF, first), (DIFF, next), (DIFF, &file), (LIST, first)] {
            let (code, message) = refused(call(token, tool, arguments));
            assert_eq!(code, "not_found", "{tool} {arguments}: {message}");
        }
        // The other's cursor under the own repository's name: a cursor is its own pull request's alone.
        let mut crossed = if next["repo"] == "one" { arguments("two") } else { arguments("one") };
        crossed["cursor"] = next["cursor"].clone();
        let (code, message) = refused(call(token, DIFF, &crossed));
        assert_eq!(code, "cursor_mismatch", "{message}");
    }
}

/// O-005: an error body under a perfect framing is a cut diff, wherever the forge stopped; so is a cut that nothing shows.
#[test]
fn a_cut_is_never_a_diff() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let mut scene = Scene::of(&repository);
    let arguments = scene.arguments("everything");
    for files in [1, 2, 9, 20] {
        scene.anew();
        scene.forge.control().break_diffs(2, Cut::Files(files));
        let (code, _) = refused(scene.call(DIFF, &arguments));
        assert_eq!(code, "diff_truncated", "after {files} files");
        scene.forge.control().heal();
        scene.forge.control().shorten_diffs(2, Cut::Files(files));
        match scene.call(DIFF, &arguments) {
            Outcome::Refused { .. } => {}
            Outcome::Ok(page) => assert!(!page.contains("\"level\":\"transform\""), "after {files} files"),
            other @ Outcome::Fault(_) => panic!("{other:?}"),
        }
        scene.forge.control().heal();
    }
    assert_eq!(scene.page(DIFF, &arguments)["manifest"]["level"], "transform", "nothing of that was kept");
}

/// O-010, O-011: an object that lies or is not there stops the proof and is said to; what was a passing fault is none later.
#[test]
fn objects_that_fail_stop_the_proof() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let mut scene = Scene::of(&repository);
    let arguments = scene.arguments("everything");
    let tree = repository.oid("everything^{tree}");
    for fault in [ObjectFault::Missing, ObjectFault::NotFound, ObjectFault::Broken] {
        scene.anew();
        scene.forge.control().fail_object(&tree, fault);
        match scene.call(DIFF, &arguments) {
            Outcome::Refused { .. } => {}
            Outcome::Ok(page) => {
                assert!(!page.contains("\"level\":\"transform\"") && !page.contains("\"stopped\":null"), "{fault:?}")
            }
            other @ Outcome::Fault(_) => panic!("{fault:?}: {other:?}"),
        }
        scene.forge.control().heal();
        assert_eq!(scene.page(DIFF, &arguments)["manifest"]["level"], "transform", "{fault:?} has passed");
    }
}

/// O-012, O-013: two pull requests of the same two commits have the same diff, and neither disturbs who reads the other.
#[test]
fn pull_requests_of_one_change_are_read_apart() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    repository.git(["branch", "twin", "everything"]);
    let scene = Scene::of(&repository);
    let first = ["everything", "twin"].map(|branch| {
        let arguments = scene.arguments(branch);
        let page = scene.page(DIFF, &arguments);
        (arguments, page)
    });
    for (arguments, page) in &first {
        let mut next = arguments.clone();
        next["cursor"] = page["next_cursor"].clone();
        scene.forge.clear_requests();
        let page = scene.page(DIFF, &next);
        assert_eq!(scene.forge.asked().len(), 2, "its bytes were kept");
        assert_eq!(page["manifest"]["pull_request"]["index"], arguments["index"]);
        let named = page["manifest"]["inputs"]["head"]["ref"].as_str().expect("a ref");
        assert_eq!(named, format!("refs/pull/{}/head", arguments["index"]));
    }
}
