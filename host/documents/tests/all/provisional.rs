//! What a transaction that its caller has not ended yet shows, to itself and to others.

use assay_documents::Fault;

use crate::ground::{Place, accepted, created, newest, on_both};

on_both! {
    /// P-179, P-125, P-160, P-099: what a caller's own transaction did is there for itself, under its lock, and for nobody else;
    /// once it is rolled back it never was, so what it showed was provisional.
    async fn what_is_not_committed_is_provisional(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "one").await;
        for keeps in [false, true] {
            let mut transaction = store.begin().await.expect("begun");
            let target = transaction.lock("", &id).await.expect("read").expect("there");
            let (attempt, state) = accepted(&target, "two");
            transaction.append(attempt, Vec::new(), Some(state)).await.expect("appended");
            let within = transaction.lock("", &id).await.expect("read").expect("there");
            assert_eq!((within.content.as_str(), within.head.version), ("two", 2));
            assert_eq!(transaction.attempts(&id, &newest(9)).await.expect("read").len(), 1);
            let mut view = store.view().await.expect("begun");
            let outside = view.target("", &id).await.expect("read").expect("there");
            assert_eq!((outside.content.as_str(), outside.head.version), ("one", 1));
            assert_eq!(view.attempts(&id, &newest(9)).await, Ok(Vec::new()));
            drop(view);
            if keeps { transaction.commit().await.expect("committed") } else { drop(transaction) }
            let mut view = store.view().await.expect("begun");
            let after = view.target("", &id).await.expect("read").expect("there");
            assert_eq!(after.content, if keeps { "two" } else { "one" });
            assert_eq!(view.attempts(&id, &newest(9)).await.expect("read").len(), usize::from(keeps));
        }
    }

    /// P-068, P-112, P-133: a state that does not follow the stored one is stored by nobody, though its caller held another.
    async fn a_version_is_made_once(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "one").await;
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        for (text, made) in [("two", true), ("three", false)] {
            let (attempt, state) = accepted(&target, text);
            let appended = transaction.append(attempt, Vec::new(), Some(state)).await;
            assert_eq!(appended.is_ok(), made, "{text}");
            if !made {
                assert!(matches!(appended, Err(Fault::VersionStep { version: 2 })), "{appended:?}");
            }
        }
        assert_eq!(transaction.commit().await, Err(Fault::Aborted));
        let stored = store.view().await.expect("begun").target("", &id).await.expect("read").expect("there");
        assert_eq!((stored.content.as_str(), stored.head.version), ("one", 1));
    }
}
