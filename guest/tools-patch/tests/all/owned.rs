//! Calls while their caller has a transaction of its own on the same document.
//!
//! A tool begins its own transaction in each call, ends it before it answers, and can be handed none: `Ports` has no place
//! for one. So a caller that holds one of its own, which only a program in Rust can, is a stranger like any other: the call
//! waits for it, and is refused at the end of its patience with nothing done.

use std::{fs, rc::Rc, time::Duration};

use assay_documents::{NewCheckpoint, Options, Transaction};
use serde_json::{Value, json};

use crate::{
    ground::{Ground, ROOM, Seen, Trouble},
    switches::Point,
};

/// Its transaction, with something in it that is not committed.
fn own_transaction(ground: &Ground, target: &Seen) -> Box<dyn Transaction> {
    ground.place.runtime.block_on(async {
        let mut own = ground.store.begin().await.expect("begun");
        own.lock("", &target.id).await.expect("read").expect("there");
        let checkpoint = NewCheckpoint { publication_json: None, synced: None };
        own.checkpoint(&target.id, checkpoint).await.expect("saved");
        own
    })
}

/// P-011, PG-05, P-081, PG-21, P-125, P-160: within a caller's transaction a save, a submission and a replay are refused,
/// neither disk nor database has anything of them, and the transaction is the caller's as before: it is still open, still
/// has the lock, and what it did is kept when its owner says so, not before.
#[test]
fn within_a_callers_transaction_nothing_is_done() {
    let owner = Ground::new();
    let file = owner.write("file.txt", "a\r\n");
    let target = owner.import("file.txt");
    assert_eq!(owner.edit(&target, json!([{"match": "a", "replace": "b"}]))["status"], "accepted");
    let options = Options { patience: Duration::from_millis(300), ..Options::default() };
    let tools = Ground::with(&owner.place, options);
    let rows = owner.place.rows();
    let mut own = own_transaction(&owner, &target);
    let id = &target.id;
    let edits = json!([{"match": "nope", "replace": "c"}]);
    let calls = [
        ("save", json!({"target_file_id": id, "expected_target_version": 2})),
        ("save", json!({"target_file_id": id, "expected_target_version": 2, "sync_workspace": true})),
        ("submit_edits", json!({"target_file_id": id, "intent": "i", "expected_target_version": 2, "edits": edits})),
        ("replay_target", json!({"target_file_id": id})),
        ("restore_target", json!({"target_file_id": id, "to_version": 1, "expected_target_version": 2})),
    ];
    for (tool, arguments) in &calls {
        let refusal = tools.within(tool, arguments, ROOM).expect_err("it is locked");
        assert_eq!(refusal.code, "storage_failed", "{tool}: {refusal:?}");
        assert!(refusal.message.contains("try again"), "{refusal:?}");
        assert!(!refusal.message.contains("near_misses"));
        assert_eq!(fs::read(&file).unwrap(), b"a\r\n", "{tool}");
        assert_eq!(owner.place.rows(), rows, "{tool}: nothing is kept, nor is what its caller did");
        let still = owner.place.runtime.block_on(own.lock("", id)).expect("it is open").expect("there");
        assert_eq!(still.head.version, 2, "{tool}");
    }
    owner.place.runtime.block_on(own.commit()).expect("it is its owner's to commit");
    assert!(owner.place.rows() > rows);
    for (tool, arguments) in &calls {
        let status = tools.call(tool, arguments)["status"].clone();
        assert!(status != "storage_failed" && !status.is_null(), "{tool}: {status}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"b\r\n");
    owner.replays(&target);
}

/// P-088, P-090, P-092, P-179: near misses are looked for when the lock is gone, in a copy of the text that failed; what
/// comes beside them is the text that was locked, though it is another by then.
#[test]
fn near_misses_are_looked_for_without_the_lock() {
    let ground = Ground::new();
    let target = ground.begin("alpha beta\n");
    let other = Rc::new(ground.beside());
    let (meanwhile, changed) = (Rc::clone(&other), target.clone());
    ground.switches.watch(move |point| {
        if point == (Point { call: "commit", is_after: true }) {
            // The lock is to be had, by somebody else.
            let accepted = meanwhile.edit(&changed, json!([{"match": "alpha beta", "replace": "gone"}]));
            assert_eq!(accepted["status"], "accepted");
        }
        true
    });
    let request = json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1,
        "edits": [{"match": "alpha bete", "replace": ""}]});
    let answer = ground.told("rejected", "submit_edits", &request);
    ground.switches.unwatch();
    assert_eq!(answer["near_misses"]["misses"][0]["text"], "alpha bet", "{answer}");
    assert_eq!((&answer["current_context"]["text"], &answer["current_version"]), (&json!("alpha beta\n"), &json!(1)));
    assert_eq!(other.text(&target), "gone\n");
    // And where the commit fails there are none.
    ground.fail("commit", Trouble::Fails);
    let request = |text: &str| -> Value {
        json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 2,
            "edits": [{"match": text, "replace": ""}]})
    };
    assert_eq!(ground.within("submit_edits", &request("gona"), ROOM).expect_err("no commit").code, "storage_failed");
    assert_eq!(ground.log(&target).len(), 2);
}
