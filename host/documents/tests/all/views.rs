//! Reading: one state, no lock, no write.

use std::sync::Arc;

use assay_documents::{Fault, Options, Transaction, View};

use crate::ground::{Counted, Place, created, newest, on_both, rejected, step};

on_both! {
    /// P-099: a view is of the moment it began, whatever is committed afterwards.
    async fn a_view_is_of_one_moment(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut view = store.view().await.expect("begun");
        step(&store, &id, 2).await.expect("stepped");
        assert_eq!(view.head("", &id).await.expect("read").expect("there").version, 1, "the first read is no later");
        assert_eq!(view.attempts(&id, &newest(9)).await, Ok(Vec::new()));
        step(&store, &id, 2).await.expect("stepped");
        assert_eq!(view.target("", &id).await.expect("read").expect("there").content, "x");
        drop(view);
        let mut view = store.view().await.expect("begun");
        assert_eq!(view.head("", &id).await.expect("read").expect("there").version, 3);
    }

    /// P-099: neither does a view wait for a writer, nor a writer for a view.
    async fn a_view_waits_for_nobody(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut view = store.view().await.expect("begun");
        view.target("", &id).await.expect("read").expect("there");
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        transaction.append(rejected(&id, "p"), Vec::new(), None).await.expect("appended");
        let mut other = store.view().await.expect("begun");
        assert_eq!(other.target("", &id).await, Ok(Some(target)));
        assert_eq!(other.attempts(&id, &newest(9)).await, Ok(Vec::new()), "it is not committed");
        transaction.commit().await.expect("committed");
        assert_eq!(view.attempts(&id, &newest(9)).await, Ok(Vec::new()));
    }

    /// A transaction can do all that a view can.
    async fn a_transaction_is_a_view(place: &Place) {
        async fn version(view: &mut dyn View, id: &str) -> Option<i64> {
            view.head("", id).await.expect("read").map(|head| head.version)
        }
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction: Box<dyn Transaction> = store.begin().await.expect("begun");
        assert_eq!(version(transaction.as_mut(), &id).await, Some(1));
        assert_eq!(version(store.view().await.expect("begun").as_mut(), &id).await, Some(1));
    }

    /// P-112: where all connections are in use, that is told as what it is, and the next is served when one is free.
    async fn connections_are_bounded(place: &Place) {
        let (patience, connections) = (std::time::Duration::from_millis(50), 2);
        let options = Options { patience, connections, ground: Arc::new(Counted::default()) };
        let store = place.open_with(options).await;
        let (one, other) = (store.view().await.expect("begun"), store.view().await.expect("begun"));
        assert_eq!(store.view().await.err(), Some(Fault::Locked));
        drop((one, other));
        // What is rolled back behind the caller's back is waited for like what is used.
        let mut freed = store.view().await;
        for _ in 0..100 {
            if freed.is_ok() {
                break;
            }
            freed = store.view().await;
        }
        freed.expect("they are free").head("", "nowhere").await.expect("read");
    }
}
