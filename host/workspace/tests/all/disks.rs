//! Disks that are full, and limits that are met, in the middle of a staged file.

use crate::{child, ground::Ground};

/// P-010, PG-04: a write that fails half-way leaves the old bytes and nothing staged. The limit is the process's own.
#[test]
fn a_write_that_fails_leaves_the_old_bytes() {
    let ground = Ground::new();
    ground.put("file", "old");
    // Counted in 512 or 1,024 bytes; the signal that comes with it is ignored.
    child::succeed("fill", ground.root(), "limit", Some("trap '' XFSZ; ulimit -f 100; exec \"$@\""));
}

/// P-010, PG-04: the same on a disk that is really full, where a user may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_bytes() {
    let ground = Ground::new();
    let root = ground.root();
    let root_text = root.to_str().expect("UTF-8");
    let mount = format!("mount -t tmpfs -o size=64k tmpfs '{root_text}'");
    let may = std::process::Command::new("unshare").args(["-Urm", "sh", "-c", &mount]).output();
    if may.is_ok_and(|tried| tried.status.success()) {
        let inner = format!("{mount} && printf old > '{root_text}/file' && exec \"$@\"");
        let script = format!("exec unshare -Urm sh -c '{}' sh \"$@\"", inner.replace('\'', r"'\''"));
        child::succeed("fill", root, "disk", Some(&script));
    }
    assert!(ground.own_files("").is_empty());
}
