//! Pull requests that move while they are read, and merge bases that lag behind.

use std::time::{Duration, SystemTime};

use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat,
    tree::{Tree, file},
};

use super::{DIFF, Scene, refused};

fn moving() -> AwkwardRepository {
    let tree = |text: &str| Tree::from([(b"a".to_vec(), file(text)), (b"b".to_vec(), file("b\n"))]);
    let branches = [("topic".to_owned(), tree("one\ntwo\n")), ("later".to_owned(), tree("one\nthree\n"))];
    AwkwardRepository::of_trees(ObjectFormat::Sha1, &tree("one\n"), &branches)
}

/// O-006, O-009, O-014: while the stored merge base lags behind a merge, the diff that comes is the one between the two oids
/// that its receipt names; once it has caught up, likewise.
#[test]
fn a_lagging_merge_base_is_told_as_it_is() {
    let repository = moving();
    let mut scene = Scene::of(&repository);
    let pull = scene.pull("topic");
    let control = scene.forge.control();
    scene.wait(control.hold_merge_bases()).expect("the repository is there");
    let before = repository.oid("main");
    // The target takes the other branch in, and the topic takes the target in: the merge base has moved.
    repository.git(["update-ref", "refs/heads/main", "later"]);
    let tree = repository.oid("topic^{tree}");
    let merged = repository.git([
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "commit-tree",
        "-m",
        "merge",
        "-p",
        "topic",
        "-p",
        "later",
        &tree,
    ]);
    let merged = String::from_utf8(merged).expect("an id");
    repository.git(["update-ref", "refs/heads/topic", merged.trim_end()]);

    for settles in [false, true] {
        scene.anew();
        control
            .touch(
                &pull.owner,
                &pull.repo,
                pull.index,
                SystemTime::now() - Duration::from_secs(if settles { 5 } else { 600 }),
            )
            .expect("it is there");
        if settles {
            control.release_merge_bases();
        }
        let (bytes, manifest) = scene.whole(&scene.arguments("topic"));
        let named = |side: &str| manifest["inputs"][side]["oid"].as_str().expect("an id").to_owned();
        assert_eq!(named("head"), repository.oid("topic"));
        assert_eq!(named("merge_base"), if settles { repository.oid("later") } else { before.clone() });
        assert_eq!(bytes, repository.diff(&named("merge_base"), &named("head"), DiffStyle::FORGE));
        assert_eq!(manifest["level"], "transform", "{manifest}");
        assert_eq!(manifest["settled"], true, "{manifest}");
    }
}

/// O-012, O-013: a cursor of a pull request that has moved since is refused, and a new reading shows what is there now.
#[test]
fn a_moved_pull_request_is_read_from_the_start() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let scene = Scene::of(&repository);
    let mut arguments = scene.arguments("everything");
    arguments["cursor"] = scene.page(DIFF, &arguments)["next_cursor"].clone();
    let names = repository.oid("names");
    repository.git(["update-ref", "refs/heads/everything", &names]);
    let (_, message) = refused(scene.call(DIFF, &arguments));
    assert!(!message.contains("diff --git"), "{message}");
    let (bytes, manifest) = scene.whole(&scene.arguments("everything"));
    assert_eq!(bytes, repository.diff("main", "names", DiffStyle::FORGE));
    assert_eq!((&manifest["level"], &manifest["inputs"]["head"]["oid"]), (&"transform".into(), &names.into()));
}
