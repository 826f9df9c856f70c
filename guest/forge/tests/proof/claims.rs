//! What a section says of its file, held against the trees and blobs.

use assay_forge::proof::{Contradiction, Level, Stopped};
use assay_kit::{
    AwkwardRepository, DiffStyle, ObjectFormat,
    content::prose,
    tree::{Tree, file},
};

use super::{
    diff,
    support::{self, Pair, boundaries},
};

pub(crate) fn replaced(diff: &[u8], from: &str, to: &str) -> Vec<u8> {
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
