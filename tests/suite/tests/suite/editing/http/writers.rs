//! Many requests at once on one document: what is accepted is one history, version by version.

use std::{collections::BTreeSet, thread};

use serde_json::{Value, json};

use super::{Ground, Served, edit};

/// Writers at once.
const WRITERS: u64 = 8;
/// How many edits each of them gets accepted.
const EACH: u64 = 4;

/// The marks of the text: one line for each writer, each of which only it changes.
fn text() -> String {
    (0..WRITERS).map(|writer| format!("writer {writer}: 0;\n")).collect()
}

fn turn(id: &Value, version: u64, writer: u64, done: u64) -> Value {
    edit(id, version, &format!("writer {writer}: {done};"), &format!("writer {writer}: {};", done + 1))
}

/// All at once with one guard: exactly one is accepted, and the others are told of the version that came between.
async fn race(served: &Served<'_>, token: &str, id: &Value) -> u64 {
    let calls = (0..WRITERS).map(|writer| {
        let call = served.calling(token, "patchdiff_submit_edits", &turn(id, 1, writer, 0));
        tokio::spawn(async move { (writer, super::page(&call.await)) })
    });
    let mut winners = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        let (writer, answer) = call.await.expect("no panic");
        if answer["status"] == json!("accepted") {
            assert_eq!(answer["after_version"], json!(2), "{answer}");
            winners.push(writer);
        } else {
            assert_eq!(answer["failure_reason"], json!("target_version_mismatch"), "{answer}");
            assert_eq!(answer["current_version"], json!(2), "what came between is seen: {answer}");
        }
    }
    assert_eq!(winners.len(), 1, "{winners:?}");
    winners[0]
}

/// One writer until it has its edits in: it reads, submits under the version that it read, and begins anew where another was
/// quicker. The versions that it made.
fn write(served: &Served<'_>, token: &str, id: &Value, writer: u64, mut done: u64) -> Vec<u64> {
    let mut versions = Vec::new();
    while done < EACH {
        let read = served.call(token, "read_target", &json!({"target_file_id": id}));
        let version = read["version"].as_u64().expect("a number");
        let answer = served.call(token, "submit_edits", &turn(id, version, writer, done));
        if answer["status"] == json!("accepted") {
            assert_eq!(answer["after_version"], json!(version + 1), "exactly one more: {answer}");
            versions.push(version + 1);
            done += 1;
        } else {
            assert_eq!(answer["failure_reason"], json!("target_version_mismatch"), "{answer}");
        }
    }
    versions
}

/// The whole of it, after `first` writer has had its first turn as version 2.
fn all_write(ground: &Ground, served: &Served<'_>, id: &Value, first: u64) {
    let made: Vec<u64> = thread::scope(|scope| {
        let writers = (0..WRITERS).map(|writer| {
            let token: &str = if writer % 2 == 0 { &ground.alice } else { &ground.alices_other };
            scope.spawn(move || write(served, token, id, writer, u64::from(writer == first)))
        });
        let writers: Vec<_> = writers.collect();
        writers.into_iter().flat_map(|writer| writer.join().expect("no panic")).collect()
    });
    let last = 1 + WRITERS * EACH;
    assert_eq!(made.len() as u64, last - 2);
    assert_eq!(made.iter().copied().collect::<BTreeSet<u64>>(), (3..=last).collect(), "none twice and none left out");
    let read = served.call(&ground.alice, "read_target", &json!({"target_file_id": id}));
    let whole: String = (0..WRITERS).map(|writer| format!("writer {writer}: {EACH};\n")).collect();
    assert_eq!((&read["text"], &read["version"]), (&json!(whole), &json!(last)), "no edit is lost: {read}");
    let replayed = served.call(&ground.alice, "replay_target", &json!({"target_file_id": id}));
    assert_eq!(
        (&replayed["materialized_state_matches"], &replayed["replayed_transactions"]),
        (&json!(true), &json!(last - 1)),
        "{replayed}"
    );
}

/// X-09, P-122, P-140: eight writers of one account, by two tokens, over HTTP on one SQLite file: each accepted version is
/// exactly one more than the one that its guard named, and no edit is lost.
#[test]
fn eight_writers_make_one_history_on_sqlite() {
    let ground = Ground::new();
    let served = ground.start();
    let id = served.made(&ground.alice, &text())["target_file_id"].clone();
    let first = served.wait(race(&served, &ground.alice, &id));
    all_write(&ground, &served, &id, first);
    served.end();
    assert!(!ground.folder.path().join("documents.sqlite-wal").exists(), "the last connection was closed");
}

/// P-122, P-140, P-160: the same on PostgreSQL, where the writers first wait for a lock that a connection of the
/// test's own has, as the database itself tells, and see then what was committed meanwhile.
#[test]
fn eight_writers_make_one_history_on_postgres() {
    let ground = Ground::new();
    let database = ground.runtime.block_on(assay_kit::postgres::Server::shared().database());
    let served = ground.start_with(&[("PATCHDIFF_DATABASE_URL", database.url())]);
    let id = served.made(&ground.alice, &text())["target_file_id"].clone();
    let first = served.wait(async {
        let holder = super::ending::held(&database, &id).await;
        let racing = async {
            super::ending::waiting(&database, 2).await;
            holder.batch_execute("COMMIT").await.expect("it lets go");
        };
        let (first, ()) = tokio::join!(race(&served, &ground.alice, &id), racing);
        first
    });
    all_write(&ground, &served, &id, first);
    served.end();
}
