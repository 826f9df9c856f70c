//! A file whose rights are taken away. Root has them all the same, so the job is one of a process that has stepped down.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
};

use serde_json::json;

use super::{fails, request, works};
use crate::{child, ground::Ground, place::Place};

/// P-112: a file that may be read alone is read and not written; one that may not even be read is told; with its rights
/// back, it serves.
#[test]
fn rights_that_are_taken_are_told() {
    let (_, room) = module_path!().split_once("::").expect("it is in a room");
    child::job(&format!("{room}::meets_rights"), "", None);
}

/// Nothing in this process; the job in one that was started for it.
#[test]
fn meets_rights() {
    if child::given().is_none() {
        return;
    }
    child::step_down();
    let place = Place::sqlite();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let set = |mode: u32| {
        // A new file, to which nobody has a connection from before.
        let (at, copy) = (place.location(), format!("{}.copy", place.location()));
        place.file().execute("VACUUM INTO ?1", [&copy]).unwrap();
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(format!("{at}{end}"));
        }
        fs::rename(copy, at).unwrap();
        fs::set_permissions(at, Permissions::from_mode(mode)).unwrap();
    };
    let back = || fs::set_permissions(place.location(), Permissions::from_mode(0o600)).unwrap();
    let id = json!({"target_file_id": target.id});
    set(0o000);
    fails(&ground, "submit_edits", &request(&target), "cannot be reached");
    fails(&ground, "read_target", &id, "cannot be reached");
    back();
    set(0o444);
    fails(&ground, "submit_edits", &request(&target), "read-only");
    fails(&ground, "save", &json!({"target_file_id": target.id, "expected_target_version": 1}), "read-only");
    back();
    // A connection that was made to a file that could not be written is none that can.
    works(&ground.beside(), &target);
    assert_eq!(ground.edit(&target, json!([{"match": "y", "replace": "z"}]))["version"], 3);
    ground.replays(&target);
}
