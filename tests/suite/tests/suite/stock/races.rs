//! Pull requests that move while they are read, and merge bases that lag behind.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, SystemTime},
};

use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat, Outcome,
    tree::{Tree, file},
};

use super::{DIFF, Scene, data, refused};

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

/// O-003, O-006, O-009: a pull request whose head and merge base go to and fro while its diff is read is either refused or
/// read as what its receipt names: a proven page is the diff of its two oids, and what is not proven does not say it is.
#[test]
fn what_moves_while_it_is_read_is_read_true() {
    let tree = |text: &str| Tree::from([(b"a".to_vec(), file(text)), (b"b".to_vec(), file("b\n"))]);
    let branches = ["topic", "second", "third"].map(|name| (name.to_owned(), tree(&format!("one\n{name}\n"))));
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &tree("one\n"), &branches);
    let mut scene = Scene::of(&repository);
    let arguments = scene.arguments("topic");
    let [main, topic, second, third] = ["main", "topic", "second", "third"].map(|name| repository.oid(name));
    let is_over = AtomicBool::new(false);
    let (proven, unproven, refusals) = thread::scope(|scope| {
        scope.spawn(|| {
            // The target takes the second branch in and lets it go again: the merge base of who stands on it moves.
            let steps = [("main", &second), ("topic", &second), ("main", &main), ("topic", &third), ("topic", &topic)];
            for (branch, oid) in steps.iter().cycle() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                repository.git(["update-ref", &format!("refs/heads/{branch}"), oid]);
            }
        });
        // The other thread ends with this one, however it ends.
        let _ends = Ends(&is_over);
        let (mut proven, mut unproven, mut refusals) = (Vec::new(), 0, 0);
        for _ in 0..30 {
            scene.anew();
            match scene.call(DIFF, &arguments) {
                Outcome::Ok(page) => {
                    let page: serde_json::Value = serde_json::from_str(&page).expect("JSON");
                    if page["whole_diff_verified"] == true {
                        proven.push(page);
                    } else {
                        assert_ne!(page["manifest"]["level"], "transform");
                        unproven += 1;
                    }
                }
                Outcome::Refused { code, message } => {
                    assert!(["inputs_moved", "diff_contradicted"].contains(&code.as_str()), "{code}: {message}");
                    refusals += 1;
                }
                Outcome::Fault(fault) => panic!("{fault}"),
            }
        }
        (proven, unproven, refusals)
    });
    assert!(proven.len() > 5, "{} proven, {unproven} not, {refusals} refused", proven.len());
    for page in &proven {
        let named = |side: &str| page["manifest"]["inputs"][side]["oid"].as_str().expect("an id").to_owned();
        let git = repository.diff(&named("merge_base"), &named("head"), DiffStyle::FORGE);
        assert_eq!(String::from_utf8_lossy(&data(page)), String::from_utf8_lossy(&git), "{}", page["manifest"]);
    }
}

struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
