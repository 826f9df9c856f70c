//! The prover against real git: what git prints is proven, whatever git was told; what was touched is not.

use std::collections::BTreeSet;

use assay_forge::{
    object::{Kind, Object},
    proof::{Contradiction, Level, Limits, Stopped},
};
use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat,
    content::prose,
    tree::{Tree, file},
};
use proptest::prelude::*;
use support::{Objects, Pair, boundaries, object, oid};

mod support;
mod sweep;
mod unusual;

/// Random repositories that are proven where nobody says otherwise.
const RANDOM_REPOSITORIES: u64 = 500;

fn diff(repository: &AwkwardRepository, options: &[&str], old: &str, new: &str) -> Vec<u8> {
    let mut arguments = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color", "-p"];
    arguments.extend(options);
    arguments.extend([old, new, "--"]);
    repository.git(arguments)
}

/// O-007, O-008, O-008a: text, CRLF, missing final newlines, binary literals and deltas, renames, copies, mode and type
/// changes, symlinks, submodules, empty files, names of every kind; both object formats; both ways.
#[test]
fn awkward_repositories_are_proven() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::new(format);
        for branch in repository.branches() {
            for (old, new) in [("main", branch.as_str()), (branch, "main")] {
                let pair = Pair::of(&repository, old, new);
                for style in DiffStyle::ALL {
                    pair.proves(&repository.diff(old, new, style), &format!("{old}..{new} {style:?}"));
                }
            }
        }
    }
}

/// O-008: however git was told to look for what moved, and to write it down.
#[test]
fn every_way_to_write_it_is_proven() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    for (old, new) in [("main", "everything"), ("everything", "main"), ("copies", "renames"), ("names", "binary")] {
        let pair = Pair::of(&repository, old, new);
        for options in [
            &["--binary", "--histogram"][..],
            &["--binary", "--no-renames"],
            &["--binary", "-M20%"],
            &["--binary", "-C"],
            &["--binary", "-C20%", "--find-copies-harder"],
            &["--binary", "--full-index"],
            &["--binary", "--abbrev=4"],
            &["--binary", "-U0"],
            &["--binary", "-U1", "--inter-hunk-context=2"],
            &["--binary", "-U1000"],
            &["--binary", "-W"],
            &["--binary", "--minimal"],
            &["--binary", "--patience"],
            &["--binary", "--text"],
        ] {
            pair.proves(&diff(&repository, options, old, new), &format!("{old}..{new} {options:?}"));
        }
    }
}

/// O-007, O-008: what git prints of seeded edits is proven, in every style, and is what git itself applies to come to the
/// head's tree.
#[test]
fn random_repositories_are_proven() {
    let count = std::env::var("ASSAY_PROOF_REPOSITORIES").ok().map(|count| count.parse().expect("a number"));
    for seed in 0..count.unwrap_or(RANDOM_REPOSITORIES) {
        let format = if seed % 2 == 0 { ObjectFormat::Sha1 } else { ObjectFormat::Sha256 };
        let repository = AwkwardRepository::random(seed, format);
        let pair = Pair::of(&repository, "main", "change");
        for style in DiffStyle::ALL {
            let diff = repository.diff("main", "change", style);
            pair.proves(&diff, &format!("seed {seed} {style:?}"));
        }
        let diff = repository.diff("main", "change", DiffStyle::FORGE);
        assert_eq!(applied(&repository, &diff), repository.oid("change^{tree}"), "seed {seed}");
        let harder = ["--binary", "-C10%", "--find-copies-harder", "-U2"];
        pair.proves(&self::diff(&repository, &harder, "main", "change"), &format!("seed {seed} {harder:?}"));
    }
}

/// The tree that git comes to from `main` by a diff.
fn applied(repository: &AwkwardRepository, diff: &[u8]) -> String {
    let patch = repository.path().join("to-apply.diff");
    std::fs::write(&patch, diff).expect("there is room for it");
    repository.git(["read-tree", "main"]);
    let patch = patch.to_str().expect("a temporary folder's name is text");
    repository.git(["apply", "--cached", "--binary", "--allow-empty", "--whitespace=nowarn", patch]);
    String::from_utf8(repository.git(["write-tree"])).expect("an id").trim_end().to_owned()
}

/// Where a byte may be another one in a proven diff: the percentage of a rename that is not whole, since
/// `similarity_index` is not established.
fn is_open(diff: &[u8], at: usize) -> bool {
    line(diff, at).starts_with(b"similarity index ")
}

/// The same for a byte that is lost or added: ids and headings are the beginnings of something.
fn is_shorter(diff: &[u8], at: usize) -> bool {
    is_open(diff, at) || [&b"index "[..], b"@@ "].iter().any(|start| line(diff, at).starts_with(start))
}

fn line(diff: &[u8], at: usize) -> &[u8] {
    let start = diff[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    &diff[start..]
}

/// O-008, O-008a: one change at every byte position, to several values, is never taken for the change.
#[test]
fn no_byte_can_be_changed() {
    for format in ObjectFormat::ALL {
        let repository = support::every_kind(format);
        let pair = Pair::of(&repository, "main", "change");
        let diff = repository.diff("main", "change", DiffStyle::FORGE);
        pair.proves(&diff, "as it is");
        let mut open = BTreeSet::new();
        for at in 0..diff.len() {
            let was = diff[at];
            for byte in [was ^ 1, was ^ 0x80, was.wrapping_add(1), b'\n', b' ', b'0'] {
                let mut touched = diff.clone();
                touched[at] = byte;
                if byte != was && pair.prove(&touched).is_transform() {
                    assert!(is_open(&diff, at), "{format:?}: {was:?} to {byte:?} at {at}");
                    open.insert(at);
                }
            }
        }
        assert!(diff.len() > 2_000 && open.len() == 2, "{open:?}");
    }
}

/// O-005, O-007, O-008: a cut at every position, with and without the error body that a forge appends, a byte too few and a
/// byte too many: never taken for the change.
#[test]
fn nothing_can_be_cut_or_added() {
    let error = br#"{"message":"","url":"http://forge/api/swagger"}"#;
    let repository = support::every_kind(ObjectFormat::Sha1);
    let pair = Pair::of(&repository, "main", "change");
    let diff = repository.diff("main", "change", DiffStyle::FORGE);
    let boundaries = boundaries(&diff);
    assert_eq!(boundaries.len(), 15);
    for at in 0..diff.len() {
        let cut = &diff[..at];
        for end in [&b""[..], error, b"\n"] {
            if at + 1 == diff.len() && end == b"\n" {
                continue;
            }
            let outcome = pair.prove(&[cut, end].concat());
            assert!(!outcome.is_transform(), "cut at {at}, {}", end.escape_ascii());
            // What was not said to be wrong by the grammar is said to be wrong by the trees.
            assert!(outcome.parsed.is_err() || outcome.conclusion.contradiction().is_some(), "cut at {at}");
        }
        let lost = [cut, &diff[at + 1..]].concat();
        assert!(!pair.prove(&lost).is_transform() || is_shorter(&diff, at), "without the byte at {at}");
        for more in [b' ', b'\n', b'0', diff[at]] {
            let more = [cut, &[more], &diff[at..]].concat();
            assert!(!pair.prove(&more).is_transform() || is_shorter(&diff, at), "a byte more at {at}");
        }
    }
    for at in &boundaries {
        let appended = [&diff[..*at], error, b"\n", &diff[*at..]].concat();
        let outcome = pair.prove(&appended);
        assert!(outcome.parsed.is_err() && !outcome.is_transform(), "an error body at {at}");
        assert_eq!(outcome.conclusion.level(), Level::Parsed);
    }
}

/// O-007: every section once, none more, none less.
#[test]
fn sections_are_neither_lost_nor_told_twice() {
    let repository = support::every_kind(ObjectFormat::Sha256);
    let pair = Pair::of(&repository, "main", "change");
    let diff = repository.diff("main", "change", DiffStyle::FORGE);
    let boundaries = boundaries(&diff);
    for ends in boundaries.windows(2) {
        let [from, to] = ends else { panic!("two ends") };
        let (before, section, after) = (&diff[..*from], &diff[*from..*to], &diff[*to..]);
        let lost = pair.prove(&[before, after].concat());
        assert_eq!(lost.conclusion.contradiction(), Some(Contradiction::Missing), "{}", section.escape_ascii());
        for twice in [[before, section, section, after].concat(), [before, section, after, section].concat()] {
            let twice = pair.prove(&twice);
            assert_eq!(twice.conclusion.contradiction(), Some(Contradiction::Repeated), "{}", section.escape_ascii());
            assert_eq!(twice.conclusion.level(), Level::Parsed);
        }
    }
    for (old, new) in [("change", "main"), ("main", "main")] {
        let other = Pair::of(&repository, old, new).prove(&diff);
        assert!(other.conclusion.contradiction().is_some(), "the change between two other commits");
    }
    assert!(Pair::of(&repository, "main", "main").prove(b"").is_transform());
}

fn replaced(diff: &[u8], from: &str, to: &str) -> Vec<u8> {
    let places: Vec<usize> =
        (0..diff.len()).filter(|at| diff.get(*at..at + from.len()) == Some(from.as_bytes())).collect();
    let [at] = places.as_slice() else { panic!("{from:?} is at {places:?}") };
    [&diff[..*at], to.as_bytes(), &diff[at + from.len()..]].concat()
}

/// O-007, O-008, O-008a: each thing that a section says is held against the trees and blobs.
#[test]
fn what_is_not_so_is_contradicted() {
    let repository = support::every_kind(ObjectFormat::Sha1);
    let pair = Pair::of(&repository, "main", "change");
    let diff = repository.diff("main", "change", DiffStyle::FORGE);
    let no_newline = "\\ No newline at end of file\n";
    let exact = "diff --git a/exact b/to/exact\nsimilarity index 100%\nrename from exact\nrename to to/exact\n";
    let run = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
    let gone = "a/gone b/gone\ndeleted file mode 100644\nindex 286c5f5..0000000\n--- a/gone\n";
    for (from, to, expected) in [
        // Paths.
        (run, &run.replace("run.sh", "to/stays")[..], Contradiction::UnchangedPath),
        (run, &run.replace("run.sh", "nowhere"), Contradiction::UnchangedPath),
        (
            exact,
            &exact.replace("from exact", "from to/stays").replace("a/exact", "a/to/stays"),
            Contradiction::UnchangedPath,
        ),
        (exact, &exact.replace("from exact", "from gone").replace("a/exact", "a/gone"), Contradiction::Ids),
        (exact, &exact.replace("rename", "copy"), Contradiction::Missing),
        (
            exact,
            &exact.replace("rename", "copy").replace("from exact", "from to").replace("a/exact", "a/to"),
            Contradiction::Source,
        ),
        (exact, &exact.replace("to/exact", "exact"), Contradiction::Status),
        (exact, &exact.replace("from exact", "from link").replace("a/exact", "a/link"), Contradiction::Status),
        (gone, &gone.replace("gone", "empty"), Contradiction::Status),
        (gone, &gone.replace("gone", "end"), Contradiction::Status),
        ("a/empty b/empty\nnew", "a/gone b/gone\nnew", Contradiction::Status),
        // Modes.
        (run, &run.replace("100644\nnew mode 100755", "100755\nnew mode 100644"), Contradiction::Mode),
        (run, "", Contradiction::Missing),
        (
            "old mode 100755\nnew mode 100644\nindex 5626abf..f719efd\n",
            "index 5626abf..f719efd 100644\n",
            Contradiction::Mode,
        ),
        (" 160000\n--- a/module", " 100644\n--- a/module", Contradiction::Mode),
        (" 120000\n--- a/link", " 100644\n--- a/link", Contradiction::Mode),
        ("deleted file mode 100644\nindex 286c5f5", "deleted file mode 100755\nindex 286c5f5", Contradiction::Mode),
        ("new file mode 120000", "new file mode 160000", Contradiction::Mode),
        // Ids.
        ("5626abf..", "5626abe..", Contradiction::Ids),
        ("..f719efd", "..f719efc", Contradiction::Ids),
        ("5626abf..f719efd", "f719efd..5626abf", Contradiction::Ids),
        ("1111111..2222222", "1111111..2222223", Contradiction::Ids),
        (
            run,
            &format!("{run}index 5626abf..5626abf\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-#!/bin/sh\n+#!/bin/sh\n"),
            Contradiction::Ids,
        ),
        // Bodies.
        ("..e69de29\n", "..e69de29\n--- /dev/null\n+++ b/empty\n@@ -0,0 +1 @@\n+x\n", Contradiction::Body),
        ("-one\n", "-One\n", Contradiction::Hunk),
        ("-one\n", "-on\n", Contradiction::Hunk),
        ("-one\n", "-one \n", Contradiction::Hunk),
        ("+two\n", "+two \n", Contradiction::Result),
        ("+two\n", "+tw\n", Contradiction::Result),
        ("-gone\n", "-gone\r\n", Contradiction::Hunk),
        ("-gone\n", "-\n", Contradiction::Hunk),
        ("-was a file\n", &format!("-was a file\n{no_newline}"), Contradiction::Hunk),
        ("     first 8\n", "     first 7\n", Contradiction::Hunk),
        ("@@ -22,7 +22,6 @@", "@@ -21,7 +21,6 @@", Contradiction::Hunk),
        ("@@ -22,7 +22,6 @@", "@@ -2200,7 +2200,6 @@", Contradiction::Hunk),
        ("@@ -22,7 +22,6 @@", "@@ -18446744073709551600,7 +18446744073709551600,6 @@", Contradiction::Hunk),
        ("+    first nine\r\n", "+    first nine\n", Contradiction::Result),
        (&format!("-3\n{no_newline}"), "-3\n", Contradiction::Hunk),
        ("+3\n", &format!("+3\n{no_newline}"), Contradiction::Result),
        (&format!("-target\n{no_newline}"), "-target\n", Contradiction::Hunk),
        (&format!("+other\n{no_newline}"), "+other\n", Contradiction::Result),
        ("-Subproject commit 1", "-Subproject commit 2", Contradiction::Hunk),
        ("+Subproject commit 2", "+Subproject commit 1", Contradiction::Result),
        ("delta 20\n", "delta 21\n", Contradiction::Inflation),
        ("literal 50\n", "literal 49\n", Contradiction::Inflation),
        ("literal 60\n", "literal 61\n", Contradiction::Inflation),
        ("literal 50\n", "delta 50\n", Contradiction::Delta),
        ("delta 20\n", "literal 20\n", Contradiction::Result),
        ("delta 12\n", "literal 12\n", Contradiction::Reverse),
    ] {
        let outcome = pair.prove(&replaced(&diff, from, to));
        assert!(outcome.parsed.is_ok(), "{from:?} to {to:?}: {}", outcome.verdict());
        assert_eq!(outcome.conclusion.contradiction(), Some(expected), "{from:?} to {to:?}");
        assert_eq!(outcome.conclusion.level(), Level::Parsed, "{from:?} to {to:?}");
        let established = outcome.sides.iter().skip_while(|sides| sides.is_some()).any(Option::is_some);
        assert!(!established, "{from:?} to {to:?}: nothing is after it");
    }
}

/// O-008a: what is neither shown nor disproved keeps the level at `tree_set`, with the reason.
#[test]
fn what_is_not_explained_stops_at_the_tree_set() {
    let repository = support::every_kind(ObjectFormat::Sha1);
    let pair = Pair::of(&repository, "main", "change");
    let diff = repository.diff("main", "change", DiffStyle::FORGE);
    let (heading, similarity) = (Stopped::UnexplainedHeading, Stopped::UnexplainedSimilarity);
    let sections = boundaries(&diff).len() as u64 - 1;
    for (from, to, expected) in [
        ("@@ fn second() {", "@@ fn third() {", Some(heading)),
        ("@@ fn second() {", "@@ fn second() { // safe", Some(heading)),
        ("@@ fn second() {", "@@ n second() {", Some(heading)),
        ("@@ fn second() {", "@@     second 6", Some(heading)),
        ("@@ fn first() {", "@@ fn second() {", Some(heading)),
        ("@@ fn first() {", "@@     first 6", Some(heading)),
        ("@@ fn first() {", "@@     first nine\r", Some(heading)),
        ("@@ -1 +1 @@\n-one", "@@ -1 +1 @@ one\n-one", Some(heading)),
        ("@@ -1 +0,0 @@\n-gone", "@@ -1 +0,0 @@ gone\n-gone", Some(heading)),
        ("@@ -0,0 +1 @@\n+now", "@@ -0,0 +1 @@ now\n+now", Some(heading)),
        // Any line above is as true as the one that git takes, and so is the beginning of one, and none.
        ("@@ fn second() {", "@@ fn first() {", None),
        ("@@ fn second() {", "@@     first 11", None),
        ("@@ fn second() {", "@@ fn sec", None),
        ("@@ fn second() {", "@@", None),
        ("similarity index 97%", "similarity index 100%", Some(similarity)),
        ("similarity index 97%", "similarity index 12%", None),
        ("index 5626abf", "dissimilarity index 90%\nindex 5626abf", Some(similarity)),
    ] {
        let outcome = pair.prove(&replaced(&diff, from, to));
        assert!(outcome.parsed.is_ok(), "{from:?} to {to:?}");
        assert_eq!(outcome.conclusion.contradiction(), None, "{from:?} to {to:?}");
        assert_eq!(outcome.conclusion.stopped(), expected, "{from:?} to {to:?}");
        let level = if expected.is_none() { Level::Transform } else { Level::TreeSet };
        assert_eq!(outcome.conclusion.level(), level, "{from:?} to {to:?}");
        assert_eq!(outcome.conclusion.files_proven(), sections - u64::from(expected.is_some()));
        assert!(outcome.sides.iter().all(Option::is_some), "{from:?} to {to:?}");
    }
    // Without `--binary` git only says that binaries differ; a broken pair has a dissimilarity.
    let text = self::diff(&repository, &["--histogram"], "main", "change");
    let outcome = pair.prove(&text);
    assert_eq!((outcome.parsed, outcome.conclusion.stopped()), (Ok(()), Some(Stopped::BinaryNotShown)));
    assert_eq!((outcome.conclusion.level(), outcome.conclusion.files_proven()), (Level::TreeSet, sections - 2));
    let [base, change] = [1, 2].map(|seed| Tree::from([(b"rewritten".to_vec(), file(prose(seed, 2_000)))]));
    let rewritten = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("change".into(), change)]);
    let broken = self::diff(&rewritten, &["--binary", "-B"], "main", "change");
    let outcome = Pair::of(&rewritten, "main", "change").prove(&broken);
    assert_eq!((outcome.parsed, outcome.conclusion.stopped()), (Ok(()), Some(similarity)));
    assert_eq!((outcome.conclusion.level(), outcome.conclusion.contradiction()), (Level::TreeSet, None));
}

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// D-078: any chunking comes to the same.
    #[test]
    fn any_chunking_proves_the_same(seed in any::<u64>(), piece in 1_usize..200, sha256 in any::<bool>()) {
        let format = if sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        let repository = AwkwardRepository::random(seed, format);
        let pair = Pair::of(&repository, "main", "change");
        let diff = repository.diff("main", "change", DiffStyle::FORGE);
        let (whole, pieces) = (pair.prove(&diff), pair.prove_by(&diff, piece));
        prop_assert!(whole.is_transform() && pieces.is_transform());
        prop_assert_eq!(whole.conclusion, pieces.conclusion);
        prop_assert_eq!(whole.sides, pieces.sides);
        prop_assert_eq!(whole.objects.got, pieces.objects.got);
    }

    /// O-008: bytes that were touched end in a refusal or in a contradiction, never in a panic; where they do not, git
    /// itself comes to the same tree by them.
    #[test]
    fn touched_diffs_are_not_proven(
        seed in 0_u64..64,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let repository = AwkwardRepository::random(seed, ObjectFormat::Sha1);
        let pair = Pair::of(&repository, "main", "change");
        let original = repository.diff("main", "change", DiffStyle::FORGE);
        if original.is_empty() {
            return Ok(());
        }
        let mut diff = original.clone();
        for (at, byte) in edits {
            let at = at.index(diff.len());
            diff[at] = byte;
        }
        if let Some(at) = cut {
            diff.truncate(at.index(diff.len()));
        }
        let outcome = pair.prove(&diff);
        if outcome.is_transform() {
            let open = (0..diff.len()).filter(|at| diff[*at] != original[*at]).all(|at| is_shorter(&original, at));
            prop_assert!(open, "{}", diff.escape_ascii());
            prop_assert_eq!(applied(&repository, &diff), repository.oid("change^{tree}"));
        }
    }
}
