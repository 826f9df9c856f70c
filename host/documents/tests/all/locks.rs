//! Waiting for a document: that one really waits, for whom, for how long, and what it sees then.

use std::{sync::Arc, time::Duration};

use assay_documents::{Documents, Fault, NewState, Options, Target, Transaction};
use tokio::task::JoinHandle;

use crate::ground::{Counted, Place, accepted, created, on_both, step};

/// A transaction that has a document, and the document.
type Locked = Result<(Box<dyn Transaction>, Target), Fault>;

/// Begins and locks, as far as it gets.
fn locking(store: &Arc<dyn Documents>, id: &str) -> JoinHandle<Locked> {
    let (store, id) = (Arc::clone(store), id.to_owned());
    tokio::spawn(async move {
        let mut transaction = store.begin().await?;
        let target = transaction.lock("", &id).await?.expect("it is there");
        Ok((transaction, target))
    })
}

/// No machine is so slow.
const LONG: Duration = Duration::from_secs(60);

/// Returns when the database itself says that somebody waits for the lock that the first transaction has: PostgreSQL
/// names who waits for whom, SQLite refuses the waiter and, at once, anybody else.
async fn somebody_waits(place: &Place, ground: &Counted) {
    tokio::time::timeout(LONG, shown(place, ground)).await.expect("somebody waits");
}

async fn shown(place: &Place, ground: &Counted) {
    if place.is_sqlite() {
        ground.waiting.notified().await;
        let refused = place.sqlite_connection().execute_batch("BEGIN IMMEDIATE").expect_err("it is locked");
        assert_eq!(refused.sqlite_error_code(), Some(rusqlite::ErrorCode::DatabaseBusy));
        return;
    }
    let client = place.postgres_client().await;
    let waiting = "SELECT count(*) FROM pg_stat_activity AS waiter \
         JOIN pg_locks AS wanted ON wanted.pid = waiter.pid AND NOT wanted.granted \
         WHERE waiter.datname = current_database() AND waiter.wait_event_type = 'Lock' \
         AND waiter.query LIKE '%FOR UPDATE' AND cardinality(pg_blocking_pids(waiter.pid)) = 1";
    while client.query_one(waiting, &[]).await.expect("a row").get::<_, i64>(0) == 0 {}
}

/// Two stores of their own connections and queues, on one database.
async fn two(place: &Place) -> ([Arc<dyn Documents>; 2], [Arc<Counted>; 2]) {
    let grounds = [Arc::new(Counted::default()), Arc::new(Counted::default())];
    let options = |ground: &Arc<Counted>| Options { ground: Arc::clone(ground) as _, ..patient() };
    let stores = [place.open_with(options(&grounds[0])).await, place.open_with(options(&grounds[1])).await];
    (stores, grounds)
}

fn patient() -> Options {
    Options { patience: LONG, ..Options::default() }
}

on_both! {
    /// P-140, P-160: whoever comes second, over whichever connection, waits while the first has the document, and then
    /// sees what it committed.
    async fn the_second_waits_and_sees_what_the_first_committed(place: &Place) {
        let (stores, grounds) = two(place).await;
        let id = created(&stores[0], "x").await;
        for (first, second) in [(0, 1), (1, 0)] {
            let (mut holder, target) = locking(&stores[first], &id).await.expect("joined").expect("locked");
            let waiter = locking(&stores[second], &id);
            somebody_waits(place, &grounds[second]).await;
            let (attempt, state) = accepted(&target, &format!("{}y", target.content));
            let NewState { content, version, .. } = state.clone();
            holder.append(attempt, Vec::new(), Some(state)).await.expect("appended");
            assert!(!waiter.is_finished(), "it waits while the first works");
            holder.commit().await.expect("committed");
            let (transaction, seen) = waiter.await.expect("joined").expect("locked");
            assert_eq!((seen.content, seen.head.version), (content, version));
            drop(transaction);
        }
    }

    /// P-140: and sees what was there before, where the first rolls back.
    async fn the_second_sees_nothing_of_what_was_rolled_back(place: &Place) {
        let (stores, grounds) = two(place).await;
        let id = created(&stores[0], "x").await;
        for (first, second) in [(0, 1), (1, 0)] {
            let (mut holder, target) = locking(&stores[first], &id).await.expect("joined").expect("locked");
            let (attempt, state) = accepted(&target, "y");
            holder.append(attempt, Vec::new(), Some(state)).await.expect("appended");
            let waiter = locking(&stores[second], &id);
            somebody_waits(place, &grounds[second]).await;
            assert!(!waiter.is_finished());
            drop(holder);
            let (_, seen) = waiter.await.expect("joined").expect("locked");
            assert_eq!(seen, target);
        }
    }

    /// P-112: a lock that is not to be had is a fault of the infrastructure, told after the patience and not before,
    /// and leaves the one who has it alone.
    async fn a_lock_that_is_not_to_be_had_is_a_fault(place: &Place) {
        let patience = Duration::from_millis(300);
        let holding = place.open_with(patient()).await;
        let id = created(&holding, "x").await;
        let waiting = place.open_with(Options { patience, ..Options::default() }).await;
        let (mut holder, target) = locking(&holding, &id).await.expect("joined").expect("locked");
        let began = std::time::Instant::now();
        let fault = locking(&waiting, &id).await.expect("joined").err().expect("it is held");
        assert_eq!(fault, Fault::Locked);
        assert!(began.elapsed() >= patience, "it waited");
        // In one's own queue it is the same.
        if place.is_sqlite() {
            let own = place.open_with(Options { patience, ..Options::default() }).await;
            drop(holder);
            let held = own.begin().await.expect("begun");
            assert_eq!(own.begin().await.err(), Some(Fault::Locked));
            drop(held);
            step(&own, &id, 0).await.expect("stepped");
        } else {
            let (attempt, state) = accepted(&target, "y");
            holder.append(attempt, Vec::new(), Some(state)).await.expect("appended");
            holder.commit().await.expect("committed");
            step(&waiting, &id, 0).await.expect("stepped");
        }
    }
}

/// on PostgreSQL two documents are locked apart, and two transactions that wait for each other are told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn documents_are_locked_apart_on_postgres() {
    let place = Place::postgres().await;
    let store = place.open_with(patient()).await;
    let (one, other) = (created(&store, "x").await, created(&store, "y").await);
    let (mut first, _) = locking(&store, &one).await.expect("joined").expect("locked");
    let (mut second, _) = locking(&store, &other).await.expect("joined").expect("nobody has it");
    let (left, right) = tokio::join!(first.lock("", &other), async {
        let locked = second.lock("", &one).await;
        drop(second);
        locked
    });
    let deadlocks = [left, right].into_iter().filter(|locked| *locked == Err(Fault::Deadlock)).count();
    assert_eq!(deadlocks, 1, "one of them is ended");
}
