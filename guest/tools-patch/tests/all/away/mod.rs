//! A SQLite file that is taken away, replaced, locked, or cannot be written: each is told as a fault of the infrastructure,
//! nothing is half done, and the next call works when the file is what it was.

mod full;
mod lent;
mod moved;
mod rights;

use serde_json::{Value, json};

use crate::ground::{Ground, ROOM, Seen};

fn request(target: &Seen) -> Value {
    json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "edits": [{"match": "x", "replace": "y"}]})
}

/// P-112: that a call is refused as a fault, with this in its words.
fn fails(ground: &Ground, tool: &str, arguments: &Value, words: &str) {
    let refusal = ground.within(tool, arguments, ROOM).expect_err("it cannot be done");
    assert_eq!(refusal.code, "storage_failed", "{tool}: {refusal:?}");
    assert!(refusal.message.contains(words), "{tool}: {refusal:?}");
    assert!(refusal.message.contains("Nothing of this call was kept"), "{tool}: {refusal:?}");
}

/// That a target is as it was, and the request is applied once now.
fn works(ground: &Ground, target: &Seen) {
    assert_eq!((ground.text(target).as_str(), ground.log(target).len()), ("x\n", 0));
    let accepted = ground.told("accepted", "submit_edits", &request(target));
    assert_eq!((&accepted["deduplicated"], &accepted["version"]), (&json!(false), &json!(2)));
    assert_eq!((ground.text(target).as_str(), ground.log(target).len()), ("y\n", 1));
    ground.replays(target);
}
