//! Bundles over independent connections, on both databases: their locks have one order, and they wait and see.

use std::{
    rc::Rc,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant, SystemTime},
};

use assay_documents::{Options, System};
use serde_json::{Value, json};

use super::{TOOL, bundle, edit, keyed, statuses, three};
use crate::{
    ground::{Ground, Seen},
    place::Place,
};

/// No machine is so slow.
const LONG: Duration = Duration::from_secs(60);

/// Rings when a writer waits for a SQLite file.
struct Bell(mpsc::SyncSender<()>);

impl assay_documents::Ground for Bell {
    fn now(&self) -> SystemTime {
        System.now()
    }

    fn id(&self) -> uuid::Uuid {
        assay_documents::Ground::id(&System)
    }

    fn waits(&self) {
        // Nobody listens any more once one has waited.
        let _ = self.0.try_send(());
    }
}

/// Returns when the database itself says that somebody waits for a lock.
fn until_somebody_waits(place: &Place, bell: &mpsc::Receiver<()>) {
    if place.is_sqlite() {
        return bell.recv_timeout(LONG).expect("somebody waits");
    }
    let waiting = "SELECT count(*) FROM pg_stat_activity AS waiter \
         JOIN pg_locks AS wanted ON wanted.pid = waiter.pid AND NOT wanted.granted \
         WHERE waiter.datname = current_database() AND waiter.wait_event_type = 'Lock' \
         AND waiter.query LIKE '%FOR UPDATE' AND cardinality(pg_blocking_pids(waiter.pid)) = 1";
    let began = Instant::now();
    while place.number(waiting) == 0 {
        assert!(began.elapsed() < LONG, "somebody waits");
    }
}

fn options(bell: mpsc::SyncSender<()>) -> Options {
    Options { patience: LONG, ground: Arc::new(Bell(bell)), ..Options::default() }
}

/// X-04, P-160: whatever the order of the items, locks are taken in the order of the ids; answers are in the items' order.
#[test]
fn locks_have_one_order() {
    let ground = Ground::new();
    let targets = three(&ground);
    let mut ids: Vec<String> = targets.iter().map(|target| target.id.clone()).collect();
    ids.sort();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let items: Vec<_> = order.iter().map(|at| edit(&ground.now(&targets[*at]), "\n", "\n")).collect();
        ground.switches.locks.borrow_mut().clear();
        let answer = ground.told("accepted", TOOL, &bundle(items));
        assert_eq!(ground.switches.locks.borrow()[..3], ids);
        for (told, at) in answer["items"].as_array().unwrap().iter().zip(order) {
            assert_eq!(told["target_file_id"], targets[at].id);
        }
    }
}

/// X-04, P-140, P-160: of two bundles over the same targets in opposite orders one waits for the other, and sees what it
/// committed; neither is ended for the other.
#[test]
fn opposite_orders_wait_for_each_other() {
    for place in Place::both() {
        let (bell, rings) = mpsc::sync_channel(1);
        let rings = Rc::new(rings);
        let ground = Ground::with(&place, options(mpsc::sync_channel(1).0));
        let [one, two, _] = three(&ground);
        for (mine, theirs) in [([&one, &two], [&two, &one]), ([&two, &one], [&one, &two])] {
            let version = ground.now(&one).version;
            let at = |target: &Seen, version| edit(&Seen { version, ..target.clone() }, "\n", "!\n");
            let mine = bundle(mine.map(|target| at(target, version)).into());
            let theirs = bundle(theirs.map(|target| at(target, version + 1)).into());
            let ((ready, is_ready), (go, goes)) = (mpsc::channel(), mpsc::channel());
            let (shared, bell) = (Arc::clone(&place), bell.clone());
            let other = thread::spawn(move || {
                let ground = Ground::with(&shared, options(bell));
                ready.send(()).expect("it is waited for");
                goes.recv().expect("it is told");
                ground.call(TOOL, &theirs)
            });
            is_ready.recv_timeout(LONG).expect("it is ready");
            while rings.try_recv().is_ok() {}
            let (place, rings) = (Arc::clone(&place), Rc::clone(&rings));
            *ground.switches.once_locked.borrow_mut() = Some(Box::new(move || {
                go.send(()).expect("it waits");
                until_somebody_waits(&place, &rings);
            }));
            let answer = ground.told("accepted", TOOL, &mine);
            let other = other.join().expect("it ends");
            assert_eq!((statuses(&answer), statuses(&other)), (vec!["accepted"; 2], vec!["accepted"; 2]), "{other}");
            for target in [&one, &two] {
                assert_eq!(ground.now(target).version, version + 2);
                ground.replays(target);
            }
        }
    }
}

/// X-04, P-122, P-140: many bundles at once, in every order of their items, beside submissions about one of their targets:
/// each is answered, nobody's edit is lost or doubled, and targets that are only edited together stay together.
#[test]
fn many_writers_keep_targets_together() {
    const WRITERS: usize = 4;
    const TRIES: usize = 12;
    for place in Place::both() {
        let ground = Ground::with(&place, options(mpsc::sync_channel(1).0));
        let targets = three(&ground);
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (shared, targets) = (Arc::clone(&place), targets.clone());
                thread::spawn(move || {
                    let ground = Ground::with(&shared, options(mpsc::sync_channel(1).0));
                    let count = |answer: &Value| usize::from(answer["status"] == "accepted");
                    (0..TRIES).fold((0, 0), |(together, alone), round| {
                        let mut items: Vec<_> =
                            targets.iter().map(|target| edit(&ground.now(target), "\n", "!\n")).collect();
                        items.rotate_left((number + round) % 3);
                        if number % 2 == 1 {
                            items.reverse();
                        }
                        let answer = ground.call(TOOL, &keyed(&format!("{number}-{round}"), items));
                        let [first, ..] = &targets;
                        let edited = ground.edit(first, json!([{"match": "\n", "replace": "?\n"}]));
                        (together + count(&answer), alone + count(&edited))
                    })
                })
            })
            .collect();
        let (mut together, mut alone) = (0, 0);
        for writer in writers {
            let (theirs, own) = writer.join().expect("each is answered");
            (together, alone) = (together + theirs, alone + own);
        }
        let versions = targets.each_ref().map(|target| ground.now(target).version);
        let next = |count: usize| 1 + count as u64;
        assert_eq!(
            versions,
            [next(together + alone), next(together), next(together)],
            "on SQLite: {}",
            place.is_sqlite()
        );
        let marks = |target: &Seen, mark: char| ground.text(target).matches(mark).count();
        assert_eq!(targets.each_ref().map(|target| marks(target, '!')), [together; 3]);
        assert_eq!((marks(&targets[0], '?'), together > 0), (alone, true));
        targets.iter().for_each(|target| drop(ground.replays(target)));
    }
}
