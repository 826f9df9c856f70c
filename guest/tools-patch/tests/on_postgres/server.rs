//! A server that is away, breaks a connection, or cannot do what it is asked: each is told as a fault of the
//! infrastructure, nothing is half done, and the next call works when the server is what it was.

use std::{cell::RefCell, fs, rc::Rc, sync::Arc, time::Duration};

use assay_documents::Options;
use assay_kit::postgres::{PASSWORD, Server, Setup};
use serde_json::{Value, json};

use crate::{
    ground::{Ground, ROOM, Seen},
    place::Place,
    proxy::{Commit, Proxy},
    switches::Point,
};

fn request(target: &Seen) -> Value {
    json!({"target_file_id": target.id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
        "edits": [{"match": "x", "replace": "y"}]})
}

fn fails(ground: &Ground, tool: &str, arguments: &Value, words: &str) {
    let refusal = ground.within(tool, arguments, ROOM).expect_err("it cannot be done");
    assert_eq!(refusal.code, "storage_failed", "{tool}: {refusal:?}");
    assert!(refusal.message.contains(words), "{tool}: {refusal:?}");
    assert!(refusal.message.contains("Nothing of this call was kept"), "{tool}: {refusal:?}");
}

/// That the request is applied now, or was, and either way once.
fn works(ground: &Ground, target: &Seen, kept: bool) {
    assert_eq!(ground.log(target).len(), usize::from(kept));
    let accepted = ground.told("accepted", "submit_edits", &request(target));
    assert_eq!((&accepted["deduplicated"], &accepted["version"]), (&json!(kept), &json!(2)));
    assert_eq!((ground.text(target).as_str(), ground.log(target).len()), ("y\n", 1));
    ground.replays(target);
}

/// P-112, P-010: a server that ends between two calls, and in the midst of a transaction at each point of it. The tools'
/// connections are made anew by themselves.
#[test]
fn a_server_that_ends_is_told_and_may_come_back() {
    let server = Rc::new(RefCell::new(Server::start(&Setup::default())));
    let place = Place::postgres(&server.borrow());
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let id = json!({"target_file_id": target.id});
    // So that there are several connections.
    ground.text(&target);
    server.borrow_mut().stop();
    for (tool, arguments) in [
        ("read_target", &id),
        ("replay_target", &id),
        ("submit_edits", &request(&target)),
        ("initialize_target", &json!({"content": "a"})),
        ("save", &json!({"target_file_id": target.id, "expected_target_version": 1})),
    ] {
        fails(&ground, tool, arguments, "cannot be reached");
    }
    server.borrow_mut().start_again();
    works(&ground, &target, false);

    for (call, is_after) in [("begin", true), ("lock", true), ("append", false), ("append", true), ("commit", false)] {
        let target = ground.begin("x\n");
        let ends = Rc::clone(&server);
        ground.switches.watch(move |point| {
            // The lock is taken twice.
            if point == (Point { call, is_after }) && ends.borrow().is_running() {
                ends.borrow_mut().stop();
            }
            true
        });
        let refusal = ground.within("submit_edits", &request(&target), ROOM).expect_err("it is away");
        ground.switches.unwatch();
        let of_commit = (call, is_after) == ("append", true) || call == "commit";
        // Of a commit that was sent nobody knows.
        assert_eq!(refusal.code, if of_commit { "outcome_unknown" } else { "storage_failed" }, "{call}: {refusal:?}");
        server.borrow_mut().start_again();
        works(&ground, &target, false);
    }
}

/// P-112: a connection that the server's operator ends.
#[test]
fn a_connection_that_is_ended_is_told() {
    let place = Place::postgres(Server::shared());
    let ground = Ground::at(&place);
    let target = ground.begin("x\n");
    let ending = Arc::clone(&place);
    ground.switches.watch(move |point| {
        if point == (Point { call: "append", is_after: false }) {
            ending.number(
                "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            );
        }
        true
    });
    fails(&ground, "submit_edits", &request(&target), "cannot be reached");
    ground.switches.unwatch();
    works(&ground, &target, false);
}

/// P-010, P-112, P-116: a connection that breaks while a commit is under way. Nobody knows what became of it, and that is
/// what is said; the key finds it out.
#[test]
fn a_commit_that_is_not_answered_is_unknown() {
    let server = Server::shared();
    for (commit, kept) in [(Commit::Unanswered, true), (Commit::Lost, false)] {
        let place = Place::postgres(server);
        let (direct, port) = (place.database().url_with(PASSWORD), server.port());
        let proxy = Proxy::before(port);
        let url = direct.replace(&format!("localhost:{port}"), &format!("127.0.0.1:{}", proxy.port));
        let ground = Ground::at(&Place::made(&url, place.folder()));
        let target = ground.begin("x\n");
        proxy.next(commit);
        let refusal = ground.within("submit_edits", &request(&target), ROOM).expect_err("it broke");
        assert_eq!(refusal.code, "outcome_unknown", "{refusal:?}");
        assert!(refusal.message.contains("same client_request_id"), "{refusal:?}");
        works(&ground, &target, kept);

        // Behind the file it is a partial save, and the file is told.
        let path = ground.write("file.txt", "x\r\n");
        let target = ground.import("file.txt");
        ground.told("accepted", "submit_edits", &request(&target));
        proxy.next(commit);
        let save = json!({"target_file_id": target.id, "sync_workspace": true, "expected_target_version": 2});
        let partial = ground.told("partial", "save", &save);
        assert_eq!((&partial["destination"], &partial["checkpoint"]), (&json!("installed"), &json!("unknown")));
        assert_eq!(fs::read(path).unwrap(), b"y\r\n");
        let mut completed = save.clone();
        completed["expected_disk_sha256"] = partial["intended_sha256"].clone();
        let next = ground.call("save", &save);
        assert_eq!(next["status"], if kept { "ok" } else { "rejected" }, "{next}");
        ground.told("ok", "save", &completed);
        ground.replays(&target);
    }
}

/// P-112, P-139: what the server itself says that it cannot do, at a statement or only at the commit: a full disk, a
/// server that only reads, a transaction that others stand in the way of. Which of them can be tried again is said.
#[test]
fn what_a_server_cannot_do_is_told() {
    let place = Place::postgres(Server::shared());
    let ground = Ground::at(&place);
    let file = ground.write("file.txt", "x\n");
    for (code, words) in [
        ("53100", "disk is full; make room"),
        ("25006", "read-only"),
        ("40001", "try again"),
        ("40P01", "try again"),
        ("55P03", "try again"),
        ("53200", "cannot be reached"),
        ("42501", "refuses this user"),
        ("XX001", "damaged"),
        ("23514", "schema refuses this"),
    ] {
        for when in ["TRIGGER ill BEFORE INSERT", "CONSTRAINT TRIGGER ill AFTER INSERT"] {
            let at_commit = when.starts_with("CONSTRAINT");
            let deferred = if at_commit { "DEFERRABLE INITIALLY DEFERRED" } else { "" };
            // Of a commit that ended so nobody knows.
            if at_commit && code.starts_with("XX") {
                continue;
            }
            let target = ground.import("file.txt");
            place.run(&format!(
                "CREATE OR REPLACE FUNCTION ill() RETURNS trigger LANGUAGE plpgsql AS \
                 $$ BEGIN RAISE EXCEPTION 'ill' USING ERRCODE = '{code}'; END $$; \
                 CREATE {when} ON append_only_pdcp_logs {deferred} FOR EACH ROW EXECUTE FUNCTION ill(); \
                 CREATE {when} ON target_snapshots {deferred} FOR EACH ROW EXECUTE FUNCTION ill();"
            ));
            fails(&ground, "submit_edits", &request(&target), words);
            let save = json!({"target_file_id": target.id, "expected_target_version": 1});
            fails(&ground, "save", &save, words);
            place.run("DROP FUNCTION ill CASCADE");
            works(&ground, &target, false);
            assert_eq!(fs::read(&file).unwrap(), b"x\n");
        }
    }
}

/// P-112: a lock that another program has for too long, and a default that says that nothing is written, which our own
/// transactions overrule.
#[test]
fn a_lock_that_is_not_to_be_had_is_told() {
    let place = Place::postgres(Server::shared());
    let ground = Ground::with(&place, Options { patience: Duration::from_millis(100), ..Options::default() });
    let target = ground.begin("x\n");
    let holder = place.runtime.block_on(place.database().client());
    let lock = "BEGIN; SELECT * FROM cloud_target_files FOR UPDATE";
    place.runtime.block_on(holder.batch_execute(lock)).unwrap();
    let id = json!({"target_file_id": target.id});
    fails(&ground, "submit_edits", &request(&target), "try again");
    fails(&ground, "replay_target", &id, "try again");
    ground.told("ok", "read_target", &id);
    place.runtime.block_on(holder.batch_execute("ROLLBACK")).unwrap();
    place.run("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$");
    works(&ground.beside(), &target, false);
}

/// P-112: every connection of a pool is in use for too long.
#[test]
fn a_pool_that_is_used_up_is_told() {
    let place = Place::postgres(Server::shared());
    let options = Options { patience: Duration::from_millis(100), connections: 1, ..Options::default() };
    let ground = Ground::with(&place, options);
    let target = ground.begin("x\n");
    let held = place.runtime.block_on(ground.store.view()).expect("there is one");
    fails(&ground, "submit_edits", &request(&target), "try again");
    let within = place.runtime.enter();
    drop(held);
    drop(within);
    works(&ground.beside(), &target, false);
}
