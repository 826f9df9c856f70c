//! A file that is taken away or replaced while connections to it are open. SQLite would go on to write into what nobody
//! finds any more, and say that it kept it.

use std::{fs, sync::Arc};

use serde_json::json;

use super::{fails, request, works};
use crate::{
    ground::{Ground, ROOM},
    place::Place,
    switches::Point,
};

/// Moves the file, and what SQLite keeps beside it.
fn rename(place: &Place, from: &str, to: &str) {
    for end in ["", "-wal", "-shm"] {
        let name = |name: &str| format!("{}{name}{end}", place.location());
        if fs::exists(name(from)).expect("the folder is ours") {
            fs::rename(name(from), name(to)).expect("it is ours");
        }
    }
}

/// P-112: between two calls.
#[test]
fn a_file_that_is_gone_is_told_and_may_come_back() {
    let place = Place::sqlite();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let id = json!({"target_file_id": target.id});
    rename(&place, "", ".away");
    for (tool, arguments) in [
        ("read_target", &id),
        ("replay_target", &id),
        ("submit_edits", &request(&target)),
        ("initialize_target", &json!({"content": "a"})),
        ("save", &json!({"target_file_id": target.id, "expected_target_version": 1})),
    ] {
        fails(&ground, tool, arguments, "cannot be reached");
    }
    assert!(!fs::exists(place.location()).unwrap(), "no new file is made in its place");
    rename(&place, ".away", "");
    works(&ground, &target);
}

/// P-112, P-010: in the midst of a transaction, behind its last statement. What is not in the file is not called kept.
#[test]
fn what_would_be_committed_into_a_lost_file_is_not_kept() {
    for replaced in [false, true] {
        let place = Place::sqlite();
        let ground = Ground::at(&place);
        let target = ground.begin("x\n");
        let moving = Arc::clone(&place);
        ground.switches.watch(move |point| {
            if point == (Point { call: "append", is_after: true }) {
                rename(&moving, "", ".away");
                if replaced {
                    fs::write(moving.location(), "").unwrap();
                }
            }
            true
        });
        fails(&ground, "submit_edits", &request(&target), "cannot be reached");
        ground.switches.unwatch();
        rename(&place, ".away", "");
        works(&ground, &target);
    }
}

/// P-112: a file that was brought back from a backup serves, with what it has.
#[test]
fn a_file_that_was_brought_back_serves() {
    let place = Place::sqlite();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    place.file().execute("VACUUM INTO ?1", [format!("{}.backup", place.location())]).unwrap();
    assert_eq!(ground.told("accepted", "submit_edits", &request(&target))["version"], 2);
    rename(&place, "", ".away");
    rename(&place, ".backup", "");
    works(&ground, &target);
    assert_eq!(ground.beside().now(&target).version, 2);
}

/// P-112: what is no database of ours takes nobody's place.
#[test]
fn another_file_in_its_place_is_refused() {
    let place = Place::sqlite();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    rename(&place, "", ".away");
    for (content, words) in [(String::new(), "empty file"), ("no database ".repeat(1_000), "not a SQLite database")] {
        fs::write(place.location(), &content).unwrap();
        for tool in ["submit_edits", "save", "read_target"] {
            let refusal = ground.within(tool, &json!({"target_file_id": target.id, "length": 1}), ROOM);
            // An argument is refused before a database is asked.
            if tool == "read_target" {
                assert!(refusal.unwrap_err().message.contains(words));
            }
        }
        fails(&ground, "submit_edits", &request(&target), words);
        assert_eq!(fs::read_to_string(place.location()).unwrap(), content, "it is left as it is");
        fs::remove_file(place.location()).unwrap();
    }
    let other = rusqlite::Connection::open(place.location()).unwrap();
    other.execute_batch("CREATE TABLE somebody (elses)").unwrap();
    fails(&ground, "submit_edits", &request(&target), "schema is not this program's");
    drop(other);
    rename(&place, ".away", "");
    works(&ground, &target);
}
