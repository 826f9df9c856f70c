//! A file that another program holds locked.

use std::time::Duration;

use assay_documents::Options;
use serde_json::json;

use super::{fails, request, works};
use crate::{ground::Ground, place::Place};

/// P-112: whoever waits too long is told to try again, and reading goes on all the while.
#[test]
fn a_lock_that_is_not_to_be_had_is_told() {
    let place = Place::sqlite();
    let ground = Ground::with(&place, Options { patience: Duration::from_millis(100), ..Options::default() });
    let target = ground.begin("x\n");
    let holder = place.file();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for (tool, arguments) in [
        ("submit_edits", request(&target)),
        ("initialize_target", json!({"content": "a"})),
        ("replay_target", json!({"target_file_id": target.id})),
        ("save", json!({"target_file_id": target.id, "expected_target_version": 1})),
        ("list_scopes", json!({"target_file_id": target.id})),
    ] {
        fails(&ground, tool, &arguments, "try again");
        assert_eq!(ground.text(&target), "x\n");
    }
    holder.execute_batch("ROLLBACK").unwrap();
    works(&ground, &target);
}
