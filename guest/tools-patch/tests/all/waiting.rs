//! Calls that wait for each other's lock, over connections of their own: that they do, for whom, and what they see then.

use std::{
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
    thread::{self, JoinHandle},
    time::SystemTime,
};

use assay_documents::{Options, System};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    ground::{Ground, LONG, Seen},
    place::Place,
    switches::{Point, drop_the_call},
};

/// Rings when a writer waits for a SQLite file, of which the file itself tells nobody.
struct Bell(Mutex<Sender<()>>);

impl assay_documents::Ground for Bell {
    fn now(&self) -> SystemTime {
        System.now()
    }

    fn id(&self) -> Uuid {
        System.id()
    }

    fn waits(&self) {
        // Nobody may listen any more.
        let _ = self.0.lock().expect("it is only sent by").send(());
    }
}

/// How the one that has the lock ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holder {
    Commits,
    IsDropped,
}

/// A submission that has the lock, and goes on when it is told.
struct Held {
    go_on: Sender<()>,
    thread: JoinHandle<()>,
}

impl Held {
    /// One of version 1 that makes `x` a `y`, and stands behind its last statement before the commit.
    fn by(place: &Arc<Place>, target: &Seen, holder: Holder) -> Self {
        let (here, is_here) = channel();
        let (go_on, told) = channel();
        let (place, target) = (Arc::clone(place), target.clone());
        let thread = thread::spawn(move || {
            let ground = Ground::at(&place);
            ground.switches.watch(move |point| {
                if point == (Point { call: "append", is_after: true }) {
                    here.send(()).expect("it is waited for");
                    told.recv().expect("it is told");
                    if holder == Holder::IsDropped {
                        drop_the_call();
                    }
                }
                true
            });
            let said = ground.until_dropped("submit_edits", &edit(&target, 1, "x", "y"));
            assert_eq!(said.is_none(), holder == Holder::IsDropped);
        });
        is_here.recv().expect("it gets there");
        Self { go_on, thread }
    }

    fn ends(self) {
        self.go_on.send(()).expect("it waits");
        self.thread.join().expect("it did not fail");
    }
}

/// A call on a thread of its own, over connections of its own.
struct Waiter {
    answer: Receiver<Value>,
    rings: Receiver<()>,
}

impl Waiter {
    fn calls(place: &Arc<Place>, tool: &'static str, arguments: Value) -> Self {
        let (rings, heard) = channel();
        let (said, answer) = channel();
        let place = Arc::clone(place);
        thread::spawn(move || {
            let ground = Arc::new(Bell(Mutex::new(rings)));
            let ground = Ground::with(&place, Options { patience: LONG, ground, ..Options::default() });
            said.send(ground.call(tool, &arguments)).expect("it is waited for");
        });
        Self { answer, rings: heard }
    }

    /// Returns when the database itself says that this one waits for the lock.
    fn is_seen_waiting(&self, place: &Place) {
        if place.is_sqlite() {
            self.rings.recv_timeout(LONG).expect("it waits");
            let refused = place.file().execute_batch("BEGIN IMMEDIATE").expect_err("it is locked");
            assert_eq!(refused.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
        } else {
            let waiting = "SELECT count(*) FROM pg_stat_activity AS waiter \
                 JOIN pg_locks AS wanted ON wanted.pid = waiter.pid AND NOT wanted.granted \
                 WHERE waiter.datname = current_database() AND waiter.wait_event_type = 'Lock' \
                 AND waiter.query LIKE '%FOR UPDATE' AND cardinality(pg_blocking_pids(waiter.pid)) = 1";
            while place.number(waiting) == 0 {}
        }
        assert_eq!(self.answer.try_recv(), Err(TryRecvError::Empty), "it has not answered");
    }

    fn answers(self) -> Value {
        self.answer.recv_timeout(LONG).expect("it answers")
    }
}

fn edit(target: &Seen, version: u64, text: &str, replace: &str) -> Value {
    json!({"target_file_id": target.id, "intent": "i", "expected_target_version": version,
        "edits": [{"match": text, "replace": replace}]})
}

/// The other members of an answer are of no interest here.
fn shows(answer: &Value, expected: &Value) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&answer[name], value, "{name}: {answer}");
    }
}

/// P-068, P-122, P-124, P-139, P-140, P-160, P-163, P-179, E-22: whatever takes the lock waits for the one who has it, and
/// then judges what that one committed: a guard that was right when the call was made is stale, one that was not holds.
#[test]
fn whoever_waits_judges_what_was_committed_meanwhile() {
    let rejected = json!({"status": "rejected", "failure_reason": "target_version_mismatch"});
    let saved = |version: u64, sync: bool| json!({"expected_target_version": version, "sync_workspace": sync});
    for (tool, more, expected) in [
        ("submit_edits", edit(&nobody(), 1, "x", "z"), rejected.clone()),
        ("submit_edits", edit(&nobody(), 1, "x", "z"), json!({"current_version": 2, "before_version": 2})),
        ("submit_edits", edit(&nobody(), 2, "y", "z"), json!({"status": "accepted", "version": 3})),
        ("replay_target", json!({}), json!({"replayed_version": 2, "materialized_state_matches": true})),
        ("save", saved(1, false), rejected.clone()),
        ("save", saved(2, false), json!({"status": "ok", "version": 2})),
        ("save", saved(1, true), rejected),
        ("save", saved(2, true), json!({"status": "ok", "version": 2})),
        ("restore_target", json!({"to_version": 1, "expected_target_version": 2}), json!({"status": "accepted"})),
    ] {
        let place = Place::new();
        let ground = Ground::at(&place);
        let file = ground.write("file.txt", "x\r\n");
        let target = ground.import("file.txt");
        let held = Held::by(&place, &target, Holder::Commits);
        let mut arguments = more.clone();
        arguments["target_file_id"] = json!(target.id);
        let waiter = Waiter::calls(&place, tool, arguments);
        waiter.is_seen_waiting(&place);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\r\n", "a save that waits has not written");
        held.ends();
        let answer = waiter.answers();
        shows(&answer, &expected);
        if answer["failure_reason"] == "target_version_mismatch" && tool == "submit_edits" {
            assert_eq!(answer["current_context"]["text"], "y\n", "{answer}");
        }
        let synced = more["sync_workspace"] == true && answer["status"] == "ok";
        assert_eq!(std::fs::read_to_string(&file).unwrap(), if synced { "y\r\n" } else { "x\r\n" });
        ground.replays(&target);
    }
}

/// P-140, P-022: where the one who has the lock is dropped, the next finds what was there before.
#[test]
fn whoever_waits_sees_nothing_of_what_was_rolled_back() {
    let place = Place::new();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let held = Held::by(&place, &target, Holder::IsDropped);
    let waiter = Waiter::calls(&place, "submit_edits", edit(&target, 1, "x", "z"));
    waiter.is_seen_waiting(&place);
    held.ends();
    shows(&waiter.answers(), &json!({"status": "accepted", "version": 2, "before_version": 1}));
    assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("z\n", 1));
    ground.replays(&target);
}

/// P-099: whoever only looks waits for nobody, and sees what was committed last.
#[test]
fn whoever_looks_does_not_wait() {
    let place = Place::new();
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let held = Held::by(&place, &target, Holder::Commits);
    let id = json!({"target_file_id": target.id});
    for tool in ["read_target", "read_lines", "export_target", "get_pdcp_log", "get_manifest_ledger"] {
        ground.told("ok", tool, &id);
    }
    assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("x\n", 0));
    ground.told("ok", "preview", &json!({"target_file_id": target.id, "edits": [{"match": "x", "replace": "z"}]}));
    ground.told("ok", "find_occurrences", &json!({"target_file_id": target.id, "text": "x"}));
    held.ends();
    assert_eq!((ground.text(&target).as_str(), ground.log(&target).len()), ("y\n", 1));
}

/// on PostgreSQL writers on different documents do not wait for each other. A SQLite file has one lock, and they do.
#[test]
fn documents_are_locked_apart_where_they_can_be() {
    let place = Place::new();
    let ground = Ground::at(&place);
    let (one, other) = (ground.begin("x\n"), ground.begin("x\n"));
    let held = Held::by(&place, &one, Holder::Commits);
    let waiter = Waiter::calls(&place, "submit_edits", edit(&other, 1, "x", "z"));
    if place.is_sqlite() {
        waiter.is_seen_waiting(&place);
        held.ends();
        shows(&waiter.answers(), &json!({"status": "accepted"}));
    } else {
        shows(&waiter.answers(), &json!({"status": "accepted"}));
        assert_eq!(ground.now(&one).version, 1, "the first still has its lock");
        held.ends();
    }
    assert_eq!((ground.text(&one).as_str(), ground.text(&other).as_str()), ("y\n", "z\n"));
}

/// In whose place each round puts its own target.
fn nobody() -> Seen {
    Seen { id: String::new(), version: 0, hash: String::new() }
}
