//! The demonstration's diff, files of every kind, touched at each of its bytes: never taken for the change.

use std::{collections::BTreeSet, ops::Range, thread};

use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat};

use crate::{
    applied,
    support::{Pair, boundaries},
};

const ERROR: &[u8] = br#"{"message":"","url":"http://forge/api/swagger"}"#;

fn sections(diff: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let ends = boundaries(diff);
    (1..ends.len()).map(move |end| ends[end - 1]..ends[end])
}

/// The line that the byte stands in.
fn line(diff: &[u8], at: usize) -> &[u8] {
    let start = diff[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    &diff[start..]
}

/// Whether the byte is in a heading that is, as it was touched, still the beginning of a line of the base blob (O-008a).
fn is_explained(repository: &AwkwardRepository, diff: &[u8], at: usize) -> bool {
    let start = diff[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |feed| feed + 1);
    let hunk = diff[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(second) = hunk.windows(4).position(|four| four == b" @@ ").filter(|_| hunk.starts_with(b"@@ ")) else {
        return false;
    };
    let (heading, index) = (&hunk[second + 4..], diff[..start].windows(7).rposition(|seven| seven == b"\nindex "));
    let id = index.map(|index| &diff[index + 7..]).and_then(|ids| ids.split(|byte| *byte == b'.').next());
    let base = repository.git([&b"cat-file"[..], b"blob", id.expect("a hunk stands below ids")]);
    start + second + 4 <= at && base.split(|byte| *byte == b'\n').any(|line| line.starts_with(heading))
}

/// Whether the byte is in a binary part that comes to the same content for git: a compressed stream has bits that say
/// nothing, such as those after its end, and what is proven is what it decodes to.
fn is_compression(repository: &AwkwardRepository, branch: &str, diff: &[u8], at: usize) -> bool {
    let mut before = diff[..at].split(|byte| *byte == b'\n').rev();
    let opener = before.find(|line| *line == b"GIT binary patch" || line.starts_with(b"diff --git "));
    opener.is_some_and(|opener| opener == b"GIT binary patch")
        && applied(repository, diff) == repository.oid(&format!("{branch}^{{tree}}"))
}

/// O-005, O-007, O-008, O-008a: one change at every byte position and a cut at every position. The percentage of a rename
/// that is not whole is open (`similarity_index`), a heading may be that of another line above it, and a compressed stream
/// another one of the same content.
#[test]
fn no_byte_of_the_demonstration_can_be_touched() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let whole = repository.diff("main", "everything", DiffStyle::FORGE);
    // Topic by topic, since a proof costs what its diff is long; then what git pairs otherwise in the whole.
    let topics = repository.branches().iter().filter(|branch| !["everything", "nothing"].contains(&branch.as_str()));
    let mut seen = BTreeSet::new();
    for topic in topics {
        let diff = repository.diff("main", topic, DiffStyle::FORGE);
        sweep(&repository, topic, &diff, &(0..diff.len()).collect::<Vec<_>>());
        seen.extend(sections(&diff).map(|section| diff[section].to_vec()));
    }
    let unseen: Vec<usize> =
        sections(&whole).filter(|section| !seen.contains(&whole[section.clone()])).flatten().collect();
    assert!(sections(&whole).count() > 90 && unseen.len() < 5_000, "{} bytes are in no topic", unseen.len());
    sweep(&repository, "everything", &whole, &unseen);
}

/// Shares the positions among the machine's threads, and panics where one of them does.
fn sweep(repository: &AwkwardRepository, branch: &str, diff: &[u8], positions: &[usize]) {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for share in positions.chunks(positions.len().div_ceil(workers).max(1)) {
            scope.spawn(move || touch(repository, branch, diff, share));
        }
    });
}

fn touch(repository: &AwkwardRepository, branch: &str, diff: &[u8], positions: &[usize]) {
    let pair = Pair::of(repository, "main", branch);
    let mut touched = diff.to_vec();
    for &at in positions {
        // The bit differs from place to place, so that letters of either case, digits and spaces are all met.
        touched[at] = diff[at] ^ (1 << (at % 8));
        if pair.prove(&touched).is_transform() {
            let open = line(diff, at).starts_with(b"similarity index ")
                || is_explained(repository, &touched, at)
                || is_compression(repository, branch, &touched, at);
            assert!(open, "{branch}: another byte at {at}");
        }
        touched[at] = diff[at];
        assert!(!pair.prove(&diff[..at]).is_transform(), "{branch}: cut at {at}");
    }
}

/// O-005: the error body that a forge appends, at every file boundary, with and without what follows.
#[test]
fn no_error_body_is_overlooked() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::new(format);
        let diff = repository.diff("main", "everything", DiffStyle::FORGE);
        let pair = Pair::of(&repository, "main", "everything");
        for at in boundaries(&diff) {
            for rest in [&b""[..], b"\n", &diff[at..], &[b"\n", &diff[at..]].concat()] {
                let outcome = pair.prove(&[&diff[..at], ERROR, rest].concat());
                assert!(outcome.parsed.is_err() && !outcome.is_transform(), "{format:?}: an error body at {at}");
            }
        }
    }
}
