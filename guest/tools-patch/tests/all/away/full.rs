//! A disk that is full, and a file that may not grow any more. Each is a process of its own.

use std::{fs, io::Write as _};

use serde_json::{Value, json};

use super::works;
use crate::{
    child,
    ground::{Ground, ROOM, Seen},
    place::Place,
};

/// A replacement that needs more room than there is.
fn large(target: &Seen, version: u64) -> Value {
    json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version, "client_request_id": "large",
        "replacement": "0123456789abcdef".repeat(60_000)})
}

/// P-112: a file that may not grow. The limit is the process's own, counted in 512 or 1,024 bytes; the signal that comes
/// with it is ignored.
#[test]
fn a_file_that_may_not_grow_keeps_what_it_has() {
    child::job(&room("stops_growing"), "limit", Some("trap '' XFSZ; ulimit -f 1500; exec \"$@\""));
}

/// The same on a disk that is really full, where a user may mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_what_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().to_str().expect("a plain name");
    let mount = format!("mount -t tmpfs -o size=16m tmpfs '{folder}'");
    let may = std::process::Command::new("unshare").args(["-Urm", "sh", "-c", &mount]).output();
    if may.is_ok_and(|tried| tried.status.success()) {
        let inner = format!("{mount} && TMPDIR='{folder}' exec \"$@\"").replace('\'', r"'\''");
        let script = format!("exec unshare -Urm sh -c '{inner}' sh \"$@\"");
        child::job(&room("stops_growing"), "disk", Some(&script));
    }
}

fn room(test: &str) -> String {
    let (_, room) = module_path!().split_once("::").expect("it is in a room");
    format!("{room}::{test}")
}

/// Nothing in this process; the job in one that was started for it.
#[test]
fn stops_growing() {
    let Some(detail) = child::given() else { return };
    let place = Place::sqlite();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let filler = place.folder().join("filler");
    if detail == "disk" {
        let mut fills = fs::File::create(&filler).unwrap();
        while fills.write(&[0; 4_096]).is_ok() {}
    }
    let refusal = ground.within("submit_replacement", &large(&target, 1), ROOM).expect_err("there is no room");
    if detail == "disk" {
        assert_eq!(refusal.code, "storage_failed", "{refusal:?}");
        assert!(refusal.message.contains("disk is full; make room on it"), "{refusal:?}");
        fs::remove_file(filler).unwrap();
    }
    // What a disk kept that fails otherwise nobody claims to know.
    assert!(["storage_failed", "outcome_unknown"].contains(&refusal.code.as_ref()), "{refusal:?}");
    // There is no row of it; what there is room for goes in.
    works(&ground, &target);
    if detail == "disk" {
        assert_eq!(ground.told("accepted", "submit_replacement", &large(&target, 2))["version"], 3);
        ground.replays(&target);
    }
}
