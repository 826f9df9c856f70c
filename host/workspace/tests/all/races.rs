//! Others who swap what is on the way for a link out of the root, over and over, while files are read and saved.
#![cfg(any(target_os = "linux", target_os = "macos"))]

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use assay_workspace::{Refusal, Workspace};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::ground::{BOUND, Ends, Ground, SECRET, path, save};

const READS: usize = 2000;
/// Of reads that have not met both sides of the swap by then, something is wrong.
const NO_MORE: usize = 1_000_000;

/// Swaps two names until the work is done, and leaves them as they were.
fn while_swapped<T>(one: &Path, other: &Path, work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for _ in 0..2 {
                    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("they are swapped");
                }
            }
        });
        let result = {
            let _ends = Ends(&done);
            work()
        };
        swapping.join().expect("it swaps to the end");
        result
    })
}

/// Reads until both sides of the swap were met, and every time only what is inside.
fn read_only_what_is_inside(workspace: &Workspace, name: &str) {
    let (mut inside, mut refused, mut reads) = (0, 0, 0);
    while reads < READS || inside == 0 || refused == 0 {
        reads += 1;
        assert!(reads < NO_MORE, "{inside} inside, {refused} refused");
        match workspace.read(&path(name), BOUND) {
            Ok(file) => {
                assert_eq!(file.bytes, b"inside");
                inside += 1;
            }
            Err(Refusal::PathUnsupported { .. } | Refusal::Changed { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
}

/// a directory that is swapped for a link to the outside never leads there.
#[test]
fn a_swapped_directory_leads_nowhere() {
    let ground = Ground::new();
    ground.put("way/dir/secret", "inside");
    symlink(ground.outside(), ground.at("way/link")).expect("it links");
    for workspace in ground.walks() {
        while_swapped(&ground.at("way/dir"), &ground.at("way/link"), || {
            read_only_what_is_inside(&workspace, "way/dir/secret");
        });
    }
    ground.assert_outside_is_whole();
}

/// the same further up.
#[test]
fn a_swapped_way_leads_nowhere() {
    let ground = Ground::new();
    ground.put("way/outside/secret", "inside");
    symlink(ground.folder(), ground.at("link")).expect("it links");
    for workspace in ground.walks() {
        while_swapped(&ground.at("way"), &ground.at("link"), || {
            read_only_what_is_inside(&workspace, "way/outside/secret");
        });
    }
    ground.assert_outside_is_whole();
}

/// a file that is swapped for a link to the outside is never read through it.
#[test]
fn a_swapped_file_leads_nowhere() {
    let ground = Ground::new();
    ground.put("file", "inside");
    symlink(ground.outside().join("secret"), ground.at("link")).expect("it links");
    for workspace in ground.walks() {
        while_swapped(&ground.at("file"), &ground.at("link"), || read_only_what_is_inside(&workspace, "file"));
    }
    ground.assert_outside_is_whole();
}

/// X-02, PG-04: SAVE through such a way writes inside or nowhere, and leaves nothing staged.
#[test]
fn saving_through_a_swapped_directory_stays_inside() {
    let ground = Ground::new();
    ground.put("dir/secret", "0");
    symlink(ground.outside(), ground.at("link")).expect("it links");
    for workspace in ground.walks() {
        let mut has = fs::read_to_string(ground.at("dir/secret")).expect("it reads");
        while_swapped(&ground.at("dir"), &ground.at("link"), || {
            for number in 1..300 {
                let next = number.to_string();
                match save(&workspace, "dir/secret", &has, &next) {
                    Ok(_) => has = next,
                    Err(failed) => assert_eq!(failed.destination.name(), "untouched", "{failed}"),
                }
            }
        });
        assert_eq!(ground.get("dir/secret"), has.as_bytes());
        assert!(ground.own_files("dir").is_empty());
    }
    ground.assert_outside_is_whole();
}

/// X-02, PG-04: a link that is swapped in for the file itself is neither followed nor replaced, not even at the last moment,
/// and the old bytes are gone only where the new ones are there.
#[test]
fn saving_over_a_swapped_file_replaces_no_link() {
    for round in 0..100 {
        let ground = Ground::new();
        let (file, link) = (ground.put("file", "old"), ground.at("link"));
        symlink(ground.outside().join("secret"), &link).expect("it links");
        let mut walks = ground.walks();
        let workspace = walks.swap_remove(round % walks.len());
        let saved = while_swapped(&file, &link, || save(&workspace, "file", "old", "new"));

        let mut links = 0;
        let mut contents = Vec::new();
        for entry in fs::read_dir(ground.root()).expect("it lists") {
            let at = entry.expect("one").path();
            if fs::symlink_metadata(&at).expect("it is there").is_symlink() {
                links += 1;
                assert_eq!(fs::read(&at).expect("it reads"), SECRET);
            } else {
                contents.push(fs::read_to_string(&at).expect("it reads"));
            }
        }
        assert_eq!(links, 1, "{saved:?}");
        match &saved {
            Ok(_) => assert_eq!(contents, ["new"]),
            Err(failed) if failed.destination.name() == "untouched" => assert_eq!(contents, ["old"], "{failed}"),
            Err(failed) => assert!(contents.iter().any(|it| it == "old" || it == "new"), "{failed}"),
        }
        ground.assert_outside_is_whole();
    }
}
