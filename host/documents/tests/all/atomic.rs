//! All of a transaction is kept, or nothing.

use std::{future::Future as _, pin::pin, task::Poll};

use assay_documents::{Fault, NewState, NewTarget};

use crate::ground::{Place, accepted, created, entry, hash, new_target, newest, on_both, rejected, step};

on_both! {
    /// P-022, P-082: what is not committed is not there.
    async fn dropping_rolls_back(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let (attempt, state) = accepted(&target, "y");
        transaction.append(attempt, vec![entry("chg_001")], Some(state)).await.expect("appended");
        let other = transaction.create(new_target("z")).await.expect("created").target_file_id;
        assert_eq!(transaction.head("", &id).await.expect("read").expect("there").version, 2);
        drop(transaction);

        let mut view = store.view().await.expect("begun");
        assert_eq!(view.target("", &id).await, Ok(Some(target)));
        assert_eq!(view.target("", &other).await, Ok(None));
        assert_eq!(view.attempts(&id, &newest(5)).await, Ok(Vec::new()));
        drop(view);
        assert_eq!(step(&store, &id, 1).await, Ok(2), "and nothing is locked");
    }

    /// P-068: a state whose version is not the successor of what is stored is never written, nor anything beside it.
    async fn a_version_steps_by_one(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        for version in [0, 1, 3, i64::MIN, i64::MAX] {
            let mut transaction = store.begin().await.expect("begun");
            let target = transaction.lock("", &id).await.expect("read").expect("there");
            let (attempt, state) = accepted(&target, "y");
            let state = NewState { version, ..state };
            let appended = transaction.append(attempt, Vec::new(), Some(state)).await;
            assert_eq!(appended, Err(Fault::VersionStep { version }));
            assert_eq!(transaction.head("", &id).await, Err(Fault::Aborted));
            assert_eq!(transaction.commit().await, Err(Fault::Aborted), "{version}");
        }
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs").await, 0);
        assert_eq!(place.number("SELECT max(version) FROM cloud_target_files").await, 1);
    }

    /// P-034: the last version there can be is stored, and has no successor.
    async fn a_version_goes_up_to_the_last(place: &Place) {
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        let new = NewTarget { version: i64::MAX - 1, ..new_target("x") };
        let id = transaction.create(new).await.expect("created").target_file_id;
        transaction.commit().await.expect("committed");
        assert_eq!(step(&store, &id, 1).await, Ok(i64::MAX));
    }

    /// P-161: a rejected attempt changes nothing but the history, whatever its caller hands over.
    async fn a_rejected_attempt_changes_nothing(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let state = NewState { content: "y".to_owned(), version: 2, current_hash: hash("y"), line_endings: None };
        for (entries, state) in [(vec![entry("chg_001")], None), (Vec::new(), Some(state))] {
            let mut transaction = store.begin().await.expect("begun");
            let fault = transaction.append(rejected(&id, "p"), entries, state).await.expect_err("a mistake");
            assert!(matches!(fault, Fault::Constraint(_)), "{fault}");
            assert_eq!(transaction.commit().await, Err(Fault::Aborted));
        }
    }

    /// P-112: after a failure nothing more is done in a transaction, on either database, and none of it is kept.
    async fn a_failure_ends_the_transaction(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        transaction.append(rejected(&id, "kept?"), Vec::new(), None).await.expect("appended");
        let mut wrong = rejected(&id, "wrong");
        wrong.facts.pdcp_content_hash = "no hash".to_owned();
        let fault = transaction.append(wrong, Vec::new(), None).await.expect_err("a mistake");
        assert!(matches!(fault, Fault::Constraint(_)), "{fault}");
        let again = transaction.append(rejected(&id, "again"), Vec::new(), None).await;
        assert_eq!(again, Err(Fault::Aborted));
        assert_eq!(transaction.lock("", &id).await, Err(Fault::Aborted));
        assert_eq!(transaction.commit().await, Err(Fault::Aborted));
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs").await, 0);
    }

    /// P-112: a call that is abandoned halfway leaves nothing behind, and its connection serves the next.
    async fn an_abandoned_call_ends_the_transaction(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let (attempt, state) = accepted(&target, "gone");
        {
            let many = (0..3_000).map(|_| entry("chg_001")).collect();
            let mut append = pin!(transaction.append(attempt, many, Some(state)));
            let polled = std::future::poll_fn(|context| Poll::Ready(append.as_mut().poll(context).is_pending())).await;
            assert!(polled, "the database takes its time");
        }
        assert_eq!(transaction.head("", &id).await, Err(Fault::Aborted));
        assert_eq!(transaction.commit().await, Err(Fault::Aborted));
        assert_eq!(step(&store, &id, 1).await, Ok(2));
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs").await, 1);
    }

    /// P-115: two keyed attempts on one document cannot have one key; elsewhere and without a key they can.
    async fn a_key_is_one_attempts(place: &Place) {
        let store = place.open().await;
        let (id, other) = (created(&store, "x").await, created(&store, "y").await);
        let keyed = |target: &str, key: Option<&str>| {
            let mut attempt = rejected(target, "p");
            attempt.facts.client_request_id = key.map(str::to_owned);
            attempt
        };
        let mut transaction = store.begin().await.expect("begun");
        for (target, key) in [(&id, Some("k")), (&other, Some("k")), (&id, Some("K")), (&id, None), (&id, None)] {
            transaction.append(keyed(target, key), Vec::new(), None).await.expect("appended");
        }
        transaction.commit().await.expect("committed");
        let mut transaction = store.begin().await.expect("begun");
        let fault = transaction.append(keyed(&id, Some("k")), Vec::new(), None).await.expect_err("it is taken");
        assert!(matches!(fault, Fault::Constraint(_)), "{fault}");
        drop(transaction);
        let mut view = store.view().await.expect("begun");
        assert_eq!(view.keyed(&id, "k").await.expect("read").map(|row| row.log_sequence), Some(1));
        assert_eq!(view.keyed(&id, "k ").await, Ok(None));
    }
}
