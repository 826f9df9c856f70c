//! Diffs from draft to reader: what is kept, what is forgotten, and what all of it takes.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use sha2::{Digest as _, Sha256};

use super::{diffs::READ_BYTES, room::Amount, spool::PIECE, *};

const MIB: u64 = 1 << 20;

fn keep(spool_bytes: u64) -> Keep {
    Keep::new(KeepLimits { object_bytes: 0, spool_bytes })
}

fn in_folder(spool_bytes: u64, folder: &Path) -> Keep {
    let folder = folder.to_owned();
    with_files(spool_bytes, move || tempfile::tempfile_in(&folder))
}

fn with_files(spool_bytes: u64, file: impl Fn() -> io::Result<File> + Send + Sync + 'static) -> Keep {
    Keep::with_files(KeepLimits { object_bytes: 0, spool_bytes }, Box::new(file))
}

fn key(repository: u64, diff: &[u8]) -> DiffKey {
    DiffKey::new(repository, &[1; 20], &[2; 20], &Sha256::digest(diff)).expect("full ids")
}

/// Bytes that tell where they stand.
fn text(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_le_bytes()[7]
    };
    (0..bytes).map(|_| next()).collect()
}

fn wrote(keep: &Keep, repository: u64, diff: &[u8]) -> bool {
    let mut draft = keep.draft();
    draft.write(Part::Diff, diff) && draft.keep(key(repository, diff), b"receipt".to_vec())
}

fn found(keep: &Keep, repository: u64, diff: &[u8]) -> bool {
    keep.diff(&key(repository, diff)).is_some()
}

fn taken(keep: &Keep) -> Amount {
    keep.diffs.room().taken()
}

fn whole(kept: &Kept, part: Part, max: u32) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let read = kept.read(part, u64::try_from(all.len()).expect("fits"), max).expect("it can be read");
        if read.is_empty() {
            return all;
        }
        all.extend(read);
    }
}

/// O-012: both texts come back as they were written, from memory and from a file, however they were cut.
#[test]
fn what_was_written_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    for (diff_bytes, annotation_bytes, files) in [
        (0, 0, 0),
        (1, 0, 0),
        (PIECE, PIECE, 0),
        (PIECE + 1, 0, 1),
        (10, PIECE + 1, 1),
        (3 * PIECE, 2 * PIECE, 1),
        (5 * PIECE + 77, 3 * PIECE + 5, 1),
    ] {
        let keep = in_folder(64 * MIB, folder.path());
        let (diff, annotations) = (text(diff_bytes, 1), text(annotation_bytes, 2));
        let mut draft = keep.draft();
        let (mut pieces, mut notes) = (diff.chunks(7_001), annotations.chunks(100_003));
        loop {
            let (piece, note) = (pieces.next(), notes.next());
            assert!(draft.write(Part::Diff, piece.unwrap_or_default()));
            assert!(draft.write(Part::Annotations, note.unwrap_or_default()));
            if piece.is_none() && note.is_none() {
                break;
            }
        }
        assert!(draft.keep(key(1, &diff), b"the receipt".to_vec()));
        assert_eq!(taken(&keep).files, files);
        let kept = keep.diff(&key(1, &diff)).expect("it is kept");
        assert_eq!(kept.is_in_memory(), files == 0);
        assert_eq!(kept.receipt(), b"the receipt");
        for (part, text) in [(Part::Diff, &diff), (Part::Annotations, &annotations)] {
            let length = u64::try_from(text.len()).expect("fits");
            assert_eq!(kept.length(part), length);
            for max in [4_099, 1 << 17, u32::MAX] {
                assert!(whole(&kept, part, max) == *text, "{diff_bytes} {annotation_bytes} {part:?} {max}");
            }
            assert_eq!(kept.read(part, 0, 0).expect("nothing"), b"");
            for past in [length, length + 1, u64::MAX] {
                assert_eq!(kept.read(part, past, 10).expect("nothing"), b"");
            }
        }
    }
}

/// O-012: one read gives at most 1 MiB.
#[test]
fn a_read_is_bounded() {
    let keep = keep(64 * MIB);
    let diff = text(READ_BYTES + 1, 3);
    assert!(wrote(&keep, 1, &diff));
    let kept = keep.diff(&key(1, &diff)).expect("it is kept");
    assert_eq!(kept.read(Part::Diff, 0, u32::MAX).expect("it can be read").len(), READ_BYTES);
}

/// O-012: a diff is found by all of its key and by nothing less, and not before it is kept.
#[test]
fn a_diff_is_found_by_its_whole_key() {
    let keep = keep(MIB);
    let hash = Sha256::digest(b"diff");
    let mut draft = keep.draft();
    assert!(draft.write(Part::Diff, b"diff"));
    assert!(!found(&keep, 1, b"diff"), "a draft is nobody's to find");
    assert!(draft.keep(key(1, b"diff"), Vec::new()));
    assert!(found(&keep, 1, b"diff"));
    for (repository, base, head, sha256) in [
        (2, [1; 20], [2; 20], &hash[..]),
        (1, [9; 20], [2; 20], &hash[..]),
        (1, [1; 20], [9; 20], &hash[..]),
        (1, [2; 20], [1; 20], &hash[..]),
        (1, [1; 20], [2; 20], &[0; 32]),
    ] {
        let other = DiffKey::new(repository, &base, &head, sha256).expect("full ids");
        assert!(keep.diff(&other).is_none(), "{other:?}");
    }
    for (base, head, sha256) in [(19, 20, 32), (20, 21, 32), (20, 20, 31), (0, 20, 32)] {
        assert_eq!(DiffKey::new(1, &vec![1; base], &vec![2; head], &vec![3; sha256]), None);
    }
    assert!(!draft.keep(key(1, b"diff"), Vec::new()) && !draft.write(Part::Diff, b"x"), "a draft is kept once");
}

/// O-012: what has another hash than it says, or too long a receipt, is not kept and takes no room.
#[test]
fn what_is_not_what_it_says_is_not_kept() {
    let keep = keep(MIB);
    let mut draft = keep.draft();
    assert!(draft.write(Part::Diff, b"diff") && draft.write(Part::Annotations, b"!"));
    assert!(!draft.keep(key(1, b"diff!"), Vec::new()), "annotations are no part of the hash");
    for (receipt, kept) in [(65_537, false), (65_536, true)] {
        let mut draft = keep.draft();
        assert!(draft.write(Part::Diff, b"diff"));
        assert_eq!(draft.keep(key(1, b"diff"), vec![b'r'; receipt]), kept);
        assert_eq!(found(&keep, 1, b"diff"), kept);
        assert_eq!(taken(&keep) == Amount::default(), !kept);
    }
}

/// O-012: kept twice, the later stands; who holds the earlier one reads on.
#[test]
fn the_later_of_two_stands() {
    let keep = keep(MIB);
    let write = |receipt: &[u8]| {
        let mut draft = keep.draft();
        assert!(draft.write(Part::Diff, b"diff") && draft.keep(key(1, b"diff"), receipt.to_vec()));
        keep.diff(&key(1, b"diff")).expect("it is kept")
    };
    let one = write(b"one");
    let alone = taken(&keep);
    let two = write(b"two");
    assert_eq!((one.receipt(), two.receipt()), (&b"one"[..], &b"two"[..]));
    assert_eq!(whole(&one, Part::Diff, 10), b"diff");
    assert_ne!(taken(&keep), alone, "what is held takes its room");
    drop((one, two));
    assert_eq!(taken(&keep), alone);
}

/// O-012: the least recently used goes first; one that is read stays, for forgetting it would make no room.
#[test]
fn the_least_recently_used_diff_goes_first() {
    let keep = keep(4 * MIB + 500_000);
    let diffs: Vec<_> = (0..6).map(|n| text(1 << 20, n)).collect();
    let [first, second, third, fourth, fifth, sixth] = diffs.as_slice() else { unreachable!("there are six") };
    for diff in [first, second, third, fourth] {
        assert!(wrote(&keep, 1, diff));
    }
    let held = keep.diff(&key(1, first)).expect("it is kept");
    assert!(found(&keep, 1, second), "used again");
    assert!(wrote(&keep, 1, fifth));
    assert_eq!(
        [first, second, third, fourth, fifth].map(|diff| found(&keep, 1, diff)),
        [true, true, false, true, true]
    );
    // Used since: second, fourth, fifth.
    assert!(wrote(&keep, 1, sixth));
    assert_eq!(
        [first, second, fourth, fifth, sixth].map(|diff| found(&keep, 1, diff)),
        [true, false, true, true, true]
    );
    assert!(whole(&held, Part::Diff, u32::MAX) == *first);
}

/// O-012: where everything is held there is no room, and what is forgotten meanwhile stays whole for its reader.
#[test]
fn a_held_diff_stays_whole() {
    let keep = keep(2 * MIB);
    let diff = text(1_500_000, 1);
    assert!(wrote(&keep, 1, &diff));
    let held = keep.diff(&key(1, &diff)).expect("it is kept");
    assert!(!wrote(&keep, 1, &text(1_500_000, 2)));
    keep.forget(&held);
    assert!(!found(&keep, 1, &diff));
    assert!(!wrote(&keep, 1, &text(1_500_000, 2)), "forgotten, it is still held");
    assert!(whole(&held, Part::Diff, u32::MAX) == diff);
    drop(held);
    assert_eq!(taken(&keep), Amount::default());
    assert!(wrote(&keep, 1, &text(1_500_000, 2)));
}

/// O-012: a draft that finds no room is given up: it frees what it took at once and takes nothing more.
#[test]
fn a_draft_without_room_is_given_up() {
    let keep = keep(MIB);
    let mut draft = keep.draft();
    let piece = text(100_000, 1);
    let written = (0..100).take_while(|_| draft.write(Part::Diff, &piece)).count();
    assert_eq!(written, 10);
    assert_eq!(taken(&keep), Amount::default());
    assert!(!draft.write(Part::Diff, b"x") && !draft.write(Part::Annotations, b"") && !draft.write(Part::Diff, b""));
    assert!(!draft.keep(key(1, &piece), Vec::new()));
    assert!(wrote(&keep, 1, &piece), "others go on");
}

/// O-012: annotations take at most a quarter of what all diffs may.
#[test]
fn annotations_take_a_quarter() {
    let keep = keep(MIB);
    for (bytes, fits) in [(262_144, true), (262_145, false)] {
        let mut draft = keep.draft();
        assert!(draft.write(Part::Diff, b"diff"));
        assert!(draft.write(Part::Annotations, &vec![b'n'; bytes - 1]));
        assert_eq!(draft.write(Part::Annotations, b"n") && (fits || draft.write(Part::Annotations, b"n")), fits);
        assert_eq!(draft.keep(key(1, b"diff"), Vec::new()), fits);
    }
}

/// O-012: no spool keeps nothing, not even a diff without bytes.
#[test]
fn no_spool_keeps_nothing() {
    let keep = with_files(0, || panic!("no file is made"));
    for diff in [&b""[..], b"diff"] {
        assert!(!wrote(&keep, 1, diff) && !found(&keep, 1, diff));
    }
    assert_eq!(taken(&keep), Amount::default());
}

/// O-012: ten thousand small diffs stay within the bounds of memory and number.
#[test]
fn small_diffs_are_bounded() {
    let keep = keep(64 * MIB);
    for n in 0..10_000u64 {
        assert!(wrote(&keep, n, b"diff"));
    }
    let left = (0..10_000).filter(|n| found(&keep, *n, b"diff")).collect::<Vec<_>>();
    assert_eq!(left, (10_000 - 512..10_000).collect::<Vec<_>>());
    let tight = self::keep(100_000);
    for n in 0..1_000u64 {
        assert!(wrote(&tight, n, &text(200, n)));
        assert!(taken(&tight).bytes <= 100_000);
    }
    assert!(found(&tight, 999, &text(200, 999)) && !found(&tight, 0, &text(200, 0)));
}

/// O-012: open files are bounded; what has none is not forgotten for one.
#[test]
fn files_are_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let keep = in_folder(256 * MIB, folder.path());
    assert!(wrote(&keep, 1, b"small, and the oldest"));
    let diff = text(PIECE + 1, 1);
    for n in 0..200 {
        assert!(wrote(&keep, n, &diff));
        assert!(taken(&keep).files <= 128);
    }
    assert!(found(&keep, 1, b"small, and the oldest"));
    assert_eq!((0..200).filter(|n| found(&keep, *n, &diff)).count(), 128);
}

/// O-012: nothing is to be found on the disk while diffs are read and kept, so nothing can be left behind.
#[test]
fn no_file_has_a_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = || fs::read_dir(folder.path()).expect("it is there").count();
    let keep = in_folder(64 * MIB, folder.path());
    let diff = text(3 * PIECE, 1);
    let mut draft = keep.draft();
    assert!(draft.write(Part::Diff, &diff));
    assert_eq!((taken(&keep).files, names()), (1, 0));
    assert!(draft.keep(key(1, &diff), Vec::new()));
    assert_eq!((taken(&keep).files, names()), (1, 0));
    drop(keep);
    assert_eq!(names(), 0);
}

/// O-012: a full or missing disk gives the draft up and nothing else; small diffs need none.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fails_gives_up_the_draft() {
    let full = with_files(64 * MIB, || OpenOptions::new().read(true).write(true).open("/dev/full"));
    let missing = in_folder(64 * MIB, Path::new("/nowhere/at/all"));
    for keep in [full, missing] {
        for _ in 0..2 {
            assert!(!wrote(&keep, 1, &text(3 * PIECE, 1)));
            assert_eq!(taken(&keep), Amount::default());
        }
        assert!(wrote(&keep, 1, b"small"));
    }
    let once = AtomicU64::new(0);
    let late = with_files(64 * MIB, move || match once.fetch_add(1, Ordering::Relaxed) {
        0 => OpenOptions::new().read(true).write(true).open("/dev/full"),
        _ => tempfile::tempfile(),
    });
    assert!(!wrote(&late, 1, &text(PIECE + 1, 1)));
    assert!(wrote(&late, 1, &text(PIECE + 1, 1)), "the disk has room again");
}

/// O-012: half of a diff is never read back: a file that fails, or has become shorter, is an error.
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("spool");
    let named = path.clone();
    let keep = with_files(64 * MIB, move || File::create_new(&named).and(OpenOptions::new().write(true).open(&named)));
    let diff = text(2 * PIECE, 1);
    assert!(wrote(&keep, 1, &diff));
    let kept = keep.diff(&key(1, &diff)).expect("it is kept");
    assert!(kept.read(Part::Diff, 0, 1).is_err(), "it was opened for writing alone");

    let again = path.clone();
    let keep = with_files(64 * MIB, move || OpenOptions::new().read(true).write(true).truncate(true).open(&again));
    assert!(wrote(&keep, 1, &diff));
    let kept = keep.diff(&key(1, &diff)).expect("it is kept");
    OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(200_000)).expect("it is there");
    assert_eq!(kept.read(Part::Diff, 0, 200_000).expect("that much is left"), diff[..200_000]);
    let error = kept.read(Part::Diff, 0, 200_001).expect_err("it is shorter now");
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

/// O-012: many drafts at once stay within the bound together, some are kept, and in the end all room is free again.
#[test]
fn drafts_at_once_stay_within_the_bound() {
    let bound = 8 * MIB;
    let keep = keep(bound);
    let kept = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (keep, kept) = (&keep, &kept);
            scope.spawn(move || {
                for n in 0..6 {
                    let diff = text(500_000 * usize::try_from(1 + (thread + n) % 4).expect("small"), thread * 100 + n);
                    let mut draft = keep.draft();
                    let written = diff.chunks(65_536).all(|piece| {
                        assert!(taken(keep).bytes <= bound);
                        draft.write(Part::Diff, piece) && draft.write(Part::Annotations, b"note")
                    });
                    if written && draft.keep(key(thread, &diff), Vec::new()) {
                        kept.fetch_add(1, Ordering::Relaxed);
                        if let Some(found) = keep.diff(&key(thread, &diff)) {
                            assert!(whole(&found, Part::Diff, 300_000) == diff);
                        }
                    }
                }
            });
        }
    });
    assert!(kept.load(Ordering::Relaxed) > 0);
    let all: Vec<_> = keep.diffs.all();
    assert!(!all.is_empty() && taken(&keep).bytes <= bound);
    for diff in &all {
        keep.forget(diff);
    }
    drop(all);
    assert_eq!(taken(&keep), Amount::default());
}
