//! Many proofs at once.

use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat,
    content::prose,
    tree::{Tree, file},
};

use super::{DIFF, Scene, data};
use crate::program::{Stdio, page};

const CALLS: usize = 50;

/// O-011, O-015: fifty proofs of a diff of 2 MB in 30 files at once: none is refused, none is wrong, and the program stays
/// under 512 MB.
#[test]
fn fifty_proofs_at_once() {
    let (mut base, mut change) = (Tree::new(), Tree::new());
    for number in 0..30_u64 {
        let path = format!("folder{}/file{number}.txt", number % 5).into_bytes();
        base.insert(path.clone(), file(prose(number, 36_000)));
        change.insert(path, file(prose(number + 100, 36_000)));
    }
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".into(), change)]);
    let diff = repository.diff("main", "topic", DiffStyle::FORGE);
    assert!(diff.len() > 2_000_000, "{} bytes", diff.len());
    let scene = Scene::of(&repository);
    let mut arguments = scene.arguments("topic");
    let mut program = Stdio::start_as(&scene.forge.url(), &scene.token);
    // Slices of different files, so that an answer to another call shows.
    let calls: Vec<_> = (0..CALLS)
        .map(|call| {
            arguments["file_path"] = format!("folder{}/file{}.txt", call % 5, call % 30).into();
            arguments.clone()
        })
        .collect();
    let pages = program.call_all(DIFF, &calls);
    for (response, arguments) in pages.iter().zip(&calls) {
        let page = page(response);
        assert_eq!(page["manifest"]["level"], "transform", "{arguments}");
        let path = arguments["file_path"].as_str().expect("a path");
        let part = repository.diff_of("main", "topic", DiffStyle::FORGE, &[path.as_bytes()]);
        let bytes = data(&page);
        assert!(bytes.len() > 16_000 && part.starts_with(&bytes), "{path}: {} bytes", bytes.len());
    }
    let peak = program.peak_kib();
    assert!(peak < 512 * 1024, "{peak} KiB");
}

/// O-015: with one place for proofs the others wait for their turn, and none is refused: what a proof asks for of its own
/// objects is over before the next one begins.
#[test]
fn proofs_take_turns() {
    let base = Tree::from([(b"base.txt".to_vec(), file("base\n"))]);
    let branches: Vec<_> = (0..6_u64)
        .map(|branch| {
            let mut tree = base.clone();
            for number in 0..4 {
                tree.insert(format!("folder/{number}.txt").into_bytes(), file(prose(branch * 10 + number, 3_000)));
            }
            (format!("topic{branch}"), tree)
        })
        .collect();
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &branches);
    let scene = Scene::of(&repository);
    // A head's commit and the folder below it are asked for by its own proof alone.
    let own: Vec<_> = branches
        .iter()
        .map(|(branch, _)| [branch.clone(), format!("{branch}:folder")].map(|it| repository.oid(&it)))
        .collect();
    let calls: Vec<_> = branches.iter().map(|(branch, _)| scene.arguments(branch)).collect();
    let mut program =
        Stdio::start_with(&scene.forge.url(), &scene.token, &[("GATEWAY_PROOF_CONCURRENCY", "1".to_owned())]);
    scene.forge.clear_requests();
    for (response, arguments) in program.call_all(DIFF, &calls).iter().zip(&calls) {
        assert_eq!(page(response)["manifest"]["level"], "transform", "{arguments}");
    }
    let whose = |asked: &String| own.iter().position(|own| own.iter().any(|oid| asked.ends_with(oid.as_str())));
    let order: Vec<usize> = scene.forge.asked().iter().filter_map(whose).collect();
    assert_eq!(order.len(), 2 * branches.len(), "each proof asked for its own two: {order:?}");
    for pair in order.chunks(2) {
        assert_eq!(pair.first(), pair.last(), "a proof was begun within another: {order:?}");
    }
}
