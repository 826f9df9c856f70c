//! What lies at a path and is not served: links, special files, directories, several names.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    path::Path,
    process::Command,
};

use assay_workspace::{Refusal, Step, Unsupported, Workspace};

use crate::ground::{BOUND, Ground, path, refused, save, save_while};

/// Shows that a path is neither read nor saved to, and why.
fn assert_unsupported(workspace: &Workspace, name: &str, expected: Unsupported) {
    let refusal = refused(workspace, name);
    assert_eq!(refusal.name(), "workspace_path_unsupported", "{refusal}");
    assert!(matches!(refusal, Refusal::PathUnsupported { why, .. } if why == expected), "{name}: {refusal}");
    let failed = save(workspace, name, "old", "new").expect_err(name);
    assert_eq!(failed.destination.name(), "untouched");
    assert!(matches!(failed.cause, Refusal::PathUnsupported { why, .. } if why == expected), "{name}: {failed}");
}

/// X-02, PG-04: a symbolic link is neither followed nor replaced, wherever in the path it is and wherever it leads.
#[test]
fn symbolic_links_are_refused() {
    let ground = Ground::new();
    ground.put("dir/sub/file", "old");
    let link = |to: &str, name: &str| symlink(to, ground.at(name)).expect("it links");
    let outside = ground.outside();
    let outside = outside.to_str().expect("UTF-8");
    link(outside, "out");
    link("../outside", "up");
    link(outside, "dir/out");
    link("dir", "in");
    link(&format!("{outside}/secret"), "secret");
    link("dir/sub/file", "alias");
    link("nothing", "dangling");
    link("loop", "loop");
    link("/proc/self/root", "magic");
    for workspace in ground.walks() {
        for name in [
            "out/secret",
            "up/secret",
            "dir/out/secret",
            "in/sub/file",
            "secret",
            "alias",
            "dangling",
            "loop",
            "loop/file",
            "magic/etc/passwd",
            "in",
            "in/sub",
            "dangling/file",
        ] {
            assert_unsupported(&workspace, name, Unsupported::Symlink);
        }
        assert_eq!(workspace.read(&path("dir/sub/file"), BOUND).expect("no link is in it").bytes, b"old");
    }
    for name in ["secret", "alias", "dangling", "loop"] {
        assert!(fs::symlink_metadata(ground.at(name)).expect("it is there").is_symlink(), "{name}");
    }
    assert_eq!(ground.get("dir/sub/file"), b"old");
    for directory in ["", "dir", "dir/sub"] {
        assert!(ground.own_files(directory).is_empty());
    }
    ground.assert_outside_is_whole();
}

/// Whether a command of the system made a special file.
fn make(command: &str, at: &Path, kind: &[&str]) -> bool {
    Command::new(command).arg(at).args(kind).output().is_ok_and(|output| output.status.success())
}

/// special files and directories are refused, and none makes the caller wait.
#[test]
fn special_files_and_directories_are_refused() {
    let ground = Ground::new();
    ground.put("dir/file", "old");
    assert!(make("mkfifo", &ground.at("pipe"), &[]), "a pipe");
    let _socket = UnixListener::bind(ground.at("socket")).expect("a socket");
    // Devices are made by who may; who may not has none to offer.
    let has_device = make("mknod", &ground.at("device"), &["c", "1", "3"]);
    for workspace in ground.walks() {
        assert_unsupported(&workspace, "pipe", Unsupported::Special);
        assert_unsupported(&workspace, "socket", Unsupported::Special);
        if has_device {
            assert_unsupported(&workspace, "device", Unsupported::Special);
        }
        assert_unsupported(&workspace, "dir", Unsupported::Directory);
        assert_unsupported(&workspace, "dir/file/deeper", Unsupported::NotADirectory);
        assert_unsupported(&workspace, "pipe/deeper", Unsupported::NotADirectory);
    }
    assert!(ground.own_files("").is_empty());
}

/// X-02, PG-04, E-21: a file with several names is refused with their number as evidence.
#[test]
fn hard_links_are_refused_with_evidence() {
    let ground = Ground::new();
    ground.put("file", "old");
    fs::hard_link(ground.at("file"), ground.outside().join("other")).expect("it links");
    for workspace in ground.walks() {
        assert_unsupported(&workspace, "file", Unsupported::HardLinked { nlink: 2 });
        assert!(refused(&workspace, "file").to_string().contains("nlink:2"));
    }
    assert_eq!(fs::read(ground.outside().join("other")).expect("it reads"), b"old");
    fs::remove_file(ground.outside().join("other")).expect("it is removed");
    let file = ground.open().read(&path("file"), BOUND).expect("it has one name now");
    assert_eq!(file.nlink, 1);
}

/// PG-04: a file that gets a second name during SAVE is refused as well.
#[test]
fn a_hard_link_that_is_made_meanwhile_is_refused() {
    let ground = Ground::new();
    ground.put("file", "old");
    for step in [Step::Recheck, Step::Install] {
        let other = ground.outside().join("other");
        let link = || fs::hard_link(ground.at("file"), &other).expect("it links");
        let failed = save_while(&ground.open(), "file", "old", "new", step, link).expect_err("two names");
        let why = Unsupported::HardLinked { nlink: 2 };
        assert!(matches!(failed.cause, Refusal::PathUnsupported { why: found, .. } if found == why), "{failed}");
        assert_eq!(failed.destination.name(), "untouched");
        assert_eq!(ground.get("file"), b"old");
        assert!(ground.own_files("").is_empty());
        fs::remove_file(other).expect("it is removed");
    }
}
