//! Owners and rights that a process without privileges meets. A job of such a process: run by root it steps down first.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::Path,
};

use assay_workspace::{Step, Workspace};
use rustix::process::geteuid;

use crate::{
    child,
    ground::{Ground, SECRET, expecting, own_files, path},
};

const NOBODY: u32 = 65534;

/// A ground that nobody may work in, if that is who the job will be.
fn ground_for_nobody() -> Ground {
    let ground = Ground::new();
    fs::set_permissions(ground.folder(), Permissions::from_mode(0o755)).expect("others may pass");
    fs::set_permissions(ground.root(), Permissions::from_mode(0o755)).expect("others may look");
    ground.put("dir/file", "old");
    if geteuid().is_root() {
        for at in [ground.root(), ground.at("dir"), ground.at("dir/file")] {
            chown(at, Some(NOBODY), Some(NOBODY)).expect("root gives away");
        }
    }
    ground
}

fn set_mode(at: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(at, Permissions::from_mode(mode)).expect("its mode is set");
}

/// a directory or a file that may not be written to refuses, and keeps what it has.
#[test]
fn what_may_not_be_written_is_not() {
    let ground = ground_for_nobody();
    set_mode(ground.at("dir"), 0o555);
    child::succeed("nobody", ground.root(), "denied stage", None);
    set_mode(ground.at("dir"), 0o755);
    set_mode(ground.at("dir/file"), 0o444);
    child::succeed("nobody", ground.root(), "denied check", None);
    set_mode(ground.at("dir/file"), 0o200);
    child::succeed("nobody", ground.root(), "denied check", None);
    set_mode(ground.at("dir/file"), 0o644);
    set_mode(ground.at("dir"), 0o000);
    child::succeed("nobody", ground.root(), "denied lease", None);
    set_mode(ground.at("dir"), 0o755);
    child::succeed("nobody", ground.root(), "saved kept", None);
    assert_eq!(ground.get("dir/file"), b"new");
}

/// PG-03: a root that is not readable and writable does not open.
#[test]
fn a_root_has_to_be_readable_and_writable() {
    let ground = ground_for_nobody();
    for mode in [0o555, 0o333, 0o666, 0o000] {
        set_mode(ground.root(), mode);
        child::succeed("nobody", ground.root(), "closed", None);
    }
    set_mode(ground.root(), 0o755);
    assert_eq!(ground.get("dir/file"), b"old");
}

/// E-19: an owner that cannot be kept is told; where others could then do more with the file, it is not replaced.
#[test]
fn another_owner_is_told_or_refused() {
    if !geteuid().is_root() {
        return; // Only root has files of others to offer.
    }
    let ground = ground_for_nobody();
    let file = ground.at("dir/file");
    for (group, mode, detail) in [
        (Some(0), 0o666, "saved other"),
        (Some(NOBODY), 0o660, "saved other"),
        (Some(0), 0o646, "refused"),
        (Some(0), 0o606, "refused"),
        (Some(NOBODY), 0o4666, "refused"),
        (Some(NOBODY), 0o2666, "refused"),
    ] {
        fs::write(&file, "old").expect("it writes");
        chown(&file, Some(0), group).expect("root gives away");
        set_mode(&file, mode);
        child::succeed("nobody", ground.root(), detail, None);
        assert_eq!(ground.mode("dir/file"), mode, "{mode:o}");
    }
    // A bit that the system drops without a word, since nobody is not in that group.
    fs::write(&file, "old").expect("it writes");
    for (at, mode) in [(ground.at("dir"), 0o2755), (file.clone(), 0o2755)] {
        chown(&at, Some(NOBODY), Some(0)).expect("root gives away");
        set_mode(&at, mode);
    }
    child::succeed("nobody", ground.root(), "refused", None);
    assert_eq!(ground.mode("dir/file"), 0o2755);

    // Root itself can keep any.
    fs::write(&file, "old").expect("it writes");
    chown(&file, Some(1234), Some(4321)).expect("root gives away");
    set_mode(&file, 0o6750);
    let published = crate::ground::save(&ground.open(), "dir/file", "old", "new").expect("it is published");
    let there = fs::metadata(&file).expect("it is there");
    assert_eq!((there.uid(), there.gid(), there.mode() & 0o7777), (1234, 4321, 0o6750));
    assert!(published.owner_kept);
    ground.assert_outside_is_whole();
}

/// The job: what became of saving as nobody.
pub(crate) fn as_nobody(root: &Path, detail: &str) {
    step_down();
    let opened = Workspace::open(root);
    if detail == "closed" {
        assert_eq!(opened.expect_err("it may not be used").name(), "workspace_not_accessible");
        return;
    }
    let workspace = opened.expect("it opens");
    let saved = workspace.publish(&path("dir/file"), &expecting("old"), b"new", &mut |_| Ok(()));
    let own = || own_files(&root.join("dir"));
    match detail.split_once(' ').unwrap_or((detail, "")) {
        ("saved", owner) => {
            assert_eq!(saved.expect("it is published").owner_kept, owner == "kept");
            assert_eq!(fs::read(root.join("dir/file")).expect("it reads"), b"new");
            assert!(own().is_empty());
        }
        ("denied", step) => {
            let failed = saved.expect_err("it may not");
            assert_eq!((failed.cause.name(), failed.destination.name()), ("denied", "untouched"), "{failed}");
            assert_eq!(failed.step.name(), step, "{failed}");
            assert_eq!(failed.left, None);
            assert!(failed.step < Step::Write || own().is_empty());
        }
        ("refused", _) => {
            let failed = saved.expect_err("others could do more");
            assert_eq!(
                (failed.cause.name(), failed.step),
                ("workspace_path_unsupported", Step::Attributes),
                "{failed}"
            );
            assert_eq!(fs::read(root.join("dir/file")).expect("it reads"), b"old");
            assert!(own().is_empty());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(root.with_file_name("outside").join("secret")).expect("it reads"), SECRET);
}

/// Only this thread does, and it is the one that works.
#[cfg(target_os = "linux")]
fn step_down() {
    use rustix::{
        process::{Gid, Uid},
        thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid},
    };
    if geteuid().is_root() {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        set_thread_groups(&[]).expect("root steps down");
        set_thread_res_gid(group, group, group).expect("root steps down");
        set_thread_res_uid(user, user, user).expect("root steps down");
    }
}

#[cfg(not(target_os = "linux"))]
fn step_down() {
    assert!(!geteuid().is_root(), "run these tests as a user");
}
