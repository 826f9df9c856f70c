//! The prover against real git: what git prints is proven, whatever git was told; what was touched is not.

use std::collections::BTreeSet;

use assay_forge::proof::{Contradiction, Level};
use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat};
use proptest::prelude::*;
use support::{Pair, boundaries};

mod claims;
mod objects;
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
