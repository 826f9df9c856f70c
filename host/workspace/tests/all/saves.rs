//! SAVE as it is meant to go.

use std::{fs, os::unix::fs::MetadataExt as _};

use assay_workspace::{Digest, Expected, STEPS, Step};

use crate::ground::{BOUND, Ground, expecting, path, save};

/// P-008, P-009, PG-04: the steps come in the one order, and the evidence is what is on disk.
#[test]
fn a_publication_goes_through_every_step() {
    let ground = Ground::new();
    ground.put("dir/sub/file", "old");
    for (workspace, [old, new]) in ground.walks().iter().zip([["old", "new"], ["new", "newer"]]) {
        let mut steps = Vec::new();
        let published = workspace.publish(&path("dir/sub/file"), &expecting(old), new.as_bytes(), &mut |step| {
            steps.push(step);
            Ok(())
        });
        let published = published.expect("it is published");
        assert_eq!(steps, STEPS);
        assert_eq!(ground.get("dir/sub/file"), new.as_bytes());
        let there = fs::metadata(ground.at("dir/sub/file")).expect("it is there");
        assert_eq!((published.sha256, published.bytes), (Digest::of(new), new.len() as u64));
        assert_eq!((published.inode_after, published.mode), (there.ino(), there.mode() & 0o7777));
        assert_ne!(published.inode_before, published.inode_after);
        assert!(published.owner_kept);
        assert_eq!(published.stale_removed, 0);
        assert!(ground.own_files("dir/sub").is_empty());
    }
    assert_eq!(STEPS.map(Step::name).iter().collect::<std::collections::BTreeSet<_>>().len(), STEPS.len());
}

/// P-008, PG-04: the same where two files cannot be exchanged.
#[test]
fn a_plain_rename_publishes_as_well() {
    let ground = Ground::new();
    ground.put("file", "old");
    let workspace = ground.open().without_exchange();
    let published = save(&workspace, "file", "old", "new").expect("it is published");
    assert_ne!(published.inode_before, published.inode_after);
    assert_eq!(ground.get("file"), b"new");
    assert!(ground.own_files("").is_empty());
}

/// X-02, E-05, E-06, E-15: what is saved is on disk byte for byte, whatever the bytes are.
#[test]
fn saved_bytes_are_the_given_ones() {
    let ground = Ground::new();
    let workspace = ground.open();
    let large: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    let mut has: &[u8] = b"a\r\nb\nc";
    ground.put("file", has);
    let contents: [&[u8]; 7] =
        [b"a\r\nb\nC", b"\xef\xbb\xbfhi\n", &large, b"", b"no end", b"a\rb\r\n\r\n", b"\0\xff\xfe not text"];
    for bytes in contents {
        let published = save(&workspace, "file", has, bytes).expect("it is published");
        assert!(ground.get("file") == bytes);
        assert_eq!(published.sha256, Digest::of(bytes));
        assert_eq!(workspace.read(&path("file"), BOUND).expect("it reads").sha256, published.sha256);
        has = bytes;
    }
}

/// E-29: saving the bytes that are there already replaces nothing; it only makes sure that they last.
#[test]
fn saving_what_is_there_replaces_nothing() {
    let ground = Ground::new();
    let before = fs::metadata(ground.put("file", "same")).expect("it is there");
    let mut steps = Vec::new();
    let published = ground.open().publish(&path("file"), &expecting("same"), b"same", &mut |step| {
        steps.push(step);
        Ok(())
    });
    let published = published.expect("it is published");
    let after = fs::metadata(ground.at("file")).expect("it is there");
    assert_eq!((published.inode_before, published.inode_after), (before.ino(), before.ino()));
    assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()));
    assert!(steps.contains(&Step::SyncFile) && steps.contains(&Step::SyncDirectory), "{steps:?}");
    assert!(!steps.contains(&Step::Stage) && !steps.contains(&Step::Install), "{steps:?}");
}

/// PG-12: a file that grew above the bound is refused without being read.
#[test]
fn a_file_above_the_bound_is_not_replaced() {
    let ground = Ground::new();
    let file = fs::File::create(ground.at("file")).expect("it is made");
    file.set_len(1 << 40).expect("it is long, and has nothing in it");
    let expected = Expected { disk_sha256: Digest::of("old"), max_bytes: 100 };
    let failed = ground.open().publish(&path("file"), &expected, b"new", &mut |_| Ok(())).expect_err("it is too large");
    assert_eq!((failed.cause.name(), failed.step, failed.destination.name()), ("too_large", Step::Check, "untouched"));
    assert!(ground.own_files("").is_empty());
}

/// P-008: what a killed publication left in the directory is removed by the next one there; what only looks like it stays.
#[test]
fn stale_staged_files_are_removed() {
    let ground = Ground::new();
    let stale = ".assay-stage-0123456789abcdef";
    let others = [".assay-stage-0123456789abcdeg", ".assay-stage", ".assay-displaced-0123456789abcdef", ".assay.toml"];
    for name in others.iter().chain([&stale, &".assay-stage-ffffffffffffffff", &"dir/.assay-stage-0123456789abcdef"]) {
        ground.put(name, "x");
    }
    fs::create_dir(ground.at(".assay-stage-0000000000000000")).expect("a directory");
    std::os::unix::fs::symlink("file", ground.at(".assay-stage-1111111111111111")).expect("it links");
    ground.put("file", "old");
    let published = save(&ground.open(), "file", "old", "new").expect("it is published");
    assert_eq!(published.stale_removed, 2);
    let mut left = ground.own_files("");
    left.sort();
    let mut expected: Vec<_> =
        others.map(str::to_owned).into_iter().filter(|name| name.starts_with(".assay-")).collect();
    expected.extend([".assay-stage-0000000000000000", ".assay-stage-1111111111111111"].map(str::to_owned));
    expected.sort();
    assert_eq!(left, expected);
    assert_eq!(ground.own_files("dir"), [stale]);
    assert_eq!(ground.get("file"), b"new");
}
