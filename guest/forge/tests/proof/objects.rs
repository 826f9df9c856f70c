//! What a proof asks for, what it does without, and how much of it there can be.

use assay_forge::{
    object::{Kind, Object},
    proof::{Contradiction, Level, Limits, Stopped},
};
use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat,
    tree::{Tree, file},
};

use super::{
    claims::replaced,
    diff,
    support::{self, Objects, Pair, boundaries, object, oid},
};

/// O-010, O-015: an object that cannot be had stops as much of the proof as needs it, and what was shown stays shown.
#[test]
fn a_missing_object_stops_what_needs_it() {
    let repository = support::every_kind(ObjectFormat::Sha1);
    let whole = Pair::of(&repository, "main", "change");
    let diff = repository.diff("main", "change", DiffStyle::FORGE);
    let sections = boundaries(&diff).len() as u64 - 1;
    let id = |revision: &str| oid(&repository.oid(revision));
    let other = whole.objects.object(&repository.oid("main:end")).clone();
    let (code, moved) = (id("main:code é.rs"), id("main:moved \"old\".txt"));
    let (to, delta) = (id("change:to"), id("main:delta.bin"));
    for (missing, fault, stopped, level) in [
        (code, Err(Stopped::ObjectUnavailable), Stopped::ObjectUnavailable, Level::TreeSet),
        (code, Err(Stopped::TooManyObjects), Stopped::TooManyObjects, Level::TreeSet),
        (code, Err(Stopped::Aborted), Stopped::Aborted, Level::Parsed),
        (code, Ok(other.clone()), Stopped::ObjectDamaged, Level::TreeSet),
        (moved, Err(Stopped::FileTooLarge), Stopped::FileTooLarge, Level::TreeSet),
        (delta, Err(Stopped::ObjectUnavailable), Stopped::ObjectUnavailable, Level::TreeSet),
        (to, Err(Stopped::ObjectUnavailable), Stopped::ObjectUnavailable, Level::Parsed),
        (to, Err(Stopped::FileTooLarge), Stopped::TooManyObjects, Level::Parsed),
        (to, Ok(other), Stopped::ObjectDamaged, Level::Parsed),
        (whole.new, Err(Stopped::ObjectUnavailable), Stopped::ObjectUnavailable, Level::Parsed),
        (id("change^{tree}"), Err(Stopped::ObjectDamaged), Stopped::ObjectDamaged, Level::Parsed),
    ] {
        let pair = Pair { objects: whole.objects.with_fault(missing, fault), ..whole.clone() };
        let outcome = pair.prove(&diff);
        let conclusion = outcome.conclusion;
        assert_eq!((outcome.parsed, conclusion.contradiction()), (Ok(()), None), "{missing}");
        assert_eq!((conclusion.stopped(), conclusion.level()), (Some(stopped), level), "{missing}");
        if level == Level::TreeSet {
            assert_eq!(conclusion.files_proven(), sections - 1, "{missing}");
            assert!(outcome.sides.iter().all(Option::is_some), "{missing}");
            // The others' lies are still seen.
            let lie = pair.prove(&replaced(&diff, "+two\n", "+twO\n"));
            assert_eq!(lie.conclusion.contradiction(), Some(Contradiction::Result), "{missing}");
            let lie = pair.prove(&replaced(&diff, "new file mode 120000", "new file mode 100755"));
            assert_eq!(lie.conclusion.contradiction(), Some(Contradiction::Mode), "{missing}");
        }
    }
    // Nothing of a file's two sides is larger than was allowed.
    let pair = Pair { limits: Limits { file_bytes: 100 }, ..whole.clone() };
    let outcome = pair.prove(&diff);
    assert_eq!(outcome.conclusion.stopped(), Some(Stopped::FileTooLarge));
    assert_eq!((outcome.conclusion.level(), outcome.conclusion.files_proven()), (Level::TreeSet, sections - 3));
}

/// O-010: objects are asked for in the order that was told, none twice, and none that the diff already holds.
#[test]
fn objects_are_told_ahead() {
    for (branch, most) in [("names", 33), ("endings", 10), ("renames", 4), ("modes", 1), ("submodules", 1)] {
        let repository = AwkwardRepository::new(ObjectFormat::Sha256);
        let pair = Pair::of(&repository, "main", branch);
        let diff = repository.diff("main", branch, DiffStyle::FORGE);
        let objects = pair.proves(&diff, branch).objects;
        let told_and_got: Vec<_> = objects.expected.iter().filter(|told| objects.got.contains(told)).collect();
        let got_and_told: Vec<_> = objects.got.iter().filter(|got| objects.expected.contains(got)).collect();
        assert!(told_and_got == got_and_told, "{branch}");
        let untold: Vec<_> = objects.got.iter().filter(|got| !objects.expected.contains(got)).collect();
        assert!(untold.iter().all(|wanted| wanted.kind == Kind::Blob), "{branch}: {untold:?}");
        let blobs = objects.got.iter().filter(|wanted| wanted.kind == Kind::Blob).count();
        assert!(blobs <= most, "{branch}: {blobs} blobs");
        let deleted = repository.git(["diff", "--raw", "-z", "--no-abbrev", "--diff-filter=D", "main", branch]);
        let deleted = String::from_utf8_lossy(&deleted).into_owned();
        assert!(objects.got.iter().all(|wanted| !deleted.contains(&wanted.id.to_string())), "{branch}");
    }
}

fn commit(tree: &Object) -> Object {
    object(Kind::Commit, format!("tree {}\n\n", tree.id()).into_bytes())
}

/// O-007, O-015: a tree that names one subtree over and over has more paths than can be counted, and is given up in bounded
/// work; so are folders too deep and too wide.
#[test]
fn endless_trees_are_given_up() {
    let entry = |mode: &str, name: String, id: &Object| {
        [mode.as_bytes(), b" ", name.as_bytes(), b"\0", id.id().as_bytes()].concat()
    };
    let empty = object(Kind::Tree, Vec::new());
    let blob = object(Kind::Blob, b"x".to_vec());
    let doubled = |below: &Object| {
        object(Kind::Tree, ["a", "b"].iter().flat_map(|name| entry("40000", (*name).to_owned(), below)).collect())
    };
    let deeper = |below: &Object| object(Kind::Tree, entry("40000", "d".repeat(250), below));
    let leaf = object(Kind::Tree, entry("100644", "f".into(), &blob));
    let wide = (0..70_000).flat_map(|at| entry("100644", format!("{at:06}"), &blob)).collect();
    let chain = |step: &dyn Fn(&Object) -> Object, count: usize| {
        let mut trees = vec![leaf.clone()];
        for _ in 0..count {
            trees.push(step(trees.last().expect("the leaf")));
        }
        trees
    };
    for (trees, most) in [
        (chain(&doubled, 60), 16 * 1024 + 2),
        (chain(&deeper, 20_000), 16 * 1024 + 2),
        (vec![object(Kind::Tree, wide)], 4),
    ] {
        let root = trees.last().expect("the root").clone();
        let (old, new) = (commit(&empty), commit(&root));
        let ids = (old.id(), new.id());
        let objects = Objects::made([trees, vec![empty.clone(), old, new]].concat());
        let pair = Pair { objects, old: ids.0, new: ids.1, limits: Limits::default() };
        let outcome = pair.prove(b"");
        assert_eq!(outcome.conclusion.stopped(), Some(Stopped::TooManyObjects));
        assert_eq!((outcome.conclusion.level(), outcome.conclusion.contradiction()), (Level::Parsed, None));
        assert!(outcome.objects.got.len() <= most, "{} objects", outcome.objects.got.len());
    }
}

/// O-008a: a heading that git would not print there is searched for only so often, whatever the diff asks for.
#[test]
fn headings_are_searched_for_in_bounded_work() {
    let lines = |change: &str| -> Vec<u8> {
        let numbered = (0..2_000).map(|line| format!("{line}{}\n", if line % 2 == 0 { "" } else { change }));
        format!("one\ntwo\n{}", numbered.collect::<String>()).into_bytes()
    };
    let [base, change] = ["", " changed"].map(|change| Tree::from([(b"a".to_vec(), file(lines(change)))]));
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("change".into(), change)]);
    let pair = Pair::of(&repository, "main", "change");
    let diff = String::from_utf8(self::diff(&repository, &["-U0"], "main", "change")).expect("ASCII");
    pair.proves(diff.as_bytes(), "as it is");
    for (headings, stopped) in [
        (&[" one"][..], None),
        (&[" two", " two", " two", " two", " two", ""], None),
        (&[" one", " two"], Some(Stopped::UnexplainedHeading)),
        (&[" three"], Some(Stopped::UnexplainedHeading)),
    ] {
        let mut next = headings.iter().cycle();
        let mut told = String::new();
        for line in diff.lines() {
            let ranges = line.strip_prefix("@@ ").and_then(|line| line.split_once(" @@"));
            let heading = ranges.and_then(|_| next.next()).unwrap_or(&"");
            told += &ranges.map_or(format!("{line}\n"), |(ranges, _)| format!("@@ {ranges} @@{heading}\n"));
        }
        let conclusion = pair.prove(told.as_bytes()).conclusion;
        assert_eq!((conclusion.stopped(), conclusion.contradiction()), (stopped, None), "{headings:?}");
    }
}
