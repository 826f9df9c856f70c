//! Bundles over several targets, end to end: what is answered, what is stored, and what the texts are then.

mod bounds;
mod keys;
mod outcomes;
mod random;
mod refused;
mod writers;

use serde_json::{Value, json};

use crate::ground::{Ground, Seen};

const TOOL: &str = "submit_bundle";

/// An item about a target as it was seen.
fn item(target: &Seen, format: &str, more: Value) -> Value {
    let mut item = json!({"target_file_id": target.id, "format": format, "expected_target_version": target.version});
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

/// One that replaces a text that is there once.
pub(crate) fn edit(target: &Seen, text: &str, replace: &str) -> Value {
    item(target, "patchdiff-tx/1", json!({"edits": [{"match": text, "replace": replace}]}))
}

pub(crate) fn bundle(items: Vec<Value>) -> Value {
    json!({"intent": "i", "items": items})
}

fn keyed(key: &str, items: Vec<Value>) -> Value {
    json!({"intent": "i", "items": items, "client_request_id": key})
}

/// The status of each item of an answer, in its order.
fn statuses(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["status"].as_str().unwrap()).collect()
}

/// All that there is of some targets: text, version and history.
fn state(ground: &Ground, targets: &[Seen]) -> Vec<(String, u64, Vec<Value>)> {
    targets.iter().map(|target| (ground.text(target), ground.now(target).version, ground.log(target))).collect()
}

/// Three targets, none of which has the order of its id for certain.
fn three(ground: &Ground) -> [Seen; 3] {
    ["a\n", "b\n", "c\n"].map(|text| ground.begin(text))
}
