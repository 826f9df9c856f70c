//! Saving: what is set apart, and which cycle is active then.

use assay_documents::{Fault, LedgerFilter, NewCheckpoint, Synced};

use crate::ground::{Place, created, hash, on_both, step};

on_both! {
    /// P-162, P-156, P-174: a save sets the document apart, closes the active cycle and opens the next, so that the
    /// active cycle's ledger is empty after it.
    async fn a_save_rotates_the_cycle(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        step(&store, &id, 2).await.expect("stepped");

        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let publication = "{\"path\": \"a\",  \"b\":1}";
        let synced = Some(Synced { disk_sha256: hash("disk"), version: 2 });
        let new = NewCheckpoint { publication_json: Some(publication.to_owned()), synced: synced.clone() };
        let first = transaction.checkpoint(&id, new).await.expect("saved");
        transaction.commit().await.expect("committed");
        step(&store, &id, 1).await.expect("stepped");

        let mut view = store.view().await.expect("begun");
        let ledger = async |view: &mut dyn assay_documents::View, active_cycle_only| {
            let filter = LedgerFilter { active_cycle_only, before_sequence: None, limit: 50 };
            let rows = view.ledger(&id, &filter).await.expect("read");
            rows.into_iter().map(|entry| (entry.ledger_sequence, entry.editing_cycle_id)).collect::<Vec<_>>()
        };
        let (old, new) = (first.closed_cycle_id.clone(), first.cycle_id.clone());
        assert_eq!(ledger(view.as_mut(), true).await, [(3, new.clone())]);
        assert_eq!(ledger(view.as_mut(), false).await, [(3, new.clone()), (2, old.clone()), (1, old.clone())]);
        let head = view.head("", &id).await.expect("read").expect("there");
        assert_eq!(head.synced, synced);
        assert_eq!(head.version, 3, "a save is no version");
        drop(view);

        let mut transaction = store.begin().await.expect("begun");
        transaction.lock("", &id).await.expect("read").expect("there");
        let second = transaction.checkpoint(&id, NewCheckpoint::default()).await.expect("saved");
        assert_eq!(second.closed_cycle_id, new);
        assert_eq!(ledger(transaction.as_mut(), true).await, [], "the new cycle has nothing yet");
        let head = transaction.head("", &id).await.expect("read").expect("there");
        assert_eq!(head.synced, synced, "what was not published was not synced");
        transaction.commit().await.expect("committed");

        let count = async |condition: &str| place.number(&format!("SELECT count(*) FROM {condition}")).await;
        assert_eq!(count("editing_cycles WHERE closed_at IS NULL").await, 1);
        assert_eq!(count("editing_cycles").await, 3);
        let hash = target.head.current_hash;
        let saved = format!(
            "target_snapshots WHERE id = '{}' AND snapshot_type = 'save_checkpoint' AND version = 2 AND content = 'x.' \
             AND content_hash = '{hash}' AND editing_cycle_id = '{old}' AND publication_json = '{publication}'",
            first.snapshot_id,
        );
        assert_eq!(count(&saved).await, 1);
        let closed = format!("editing_cycles WHERE id = '{old}' AND closing_snapshot_id = '{}'", first.snapshot_id);
        assert_eq!(count(&closed).await, 1);
    }

    /// P-162: a save that is rolled back leaves the cycle open, and one of a document that does not exist is a mistake.
    async fn a_save_is_all_or_nothing(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        transaction.lock("", &id).await.expect("read").expect("there");
        transaction.checkpoint(&id, NewCheckpoint::default()).await.expect("saved");
        drop(transaction);
        let mut transaction = store.begin().await.expect("begun");
        let fault = transaction.checkpoint("nowhere", NewCheckpoint::default()).await.expect_err("no such document");
        assert!(matches!(fault, Fault::Constraint(_)), "{fault}");
        assert_eq!(transaction.commit().await, Err(Fault::Aborted));
        assert_eq!(place.number("SELECT count(*) FROM target_snapshots").await, 1);
        assert_eq!(place.number("SELECT count(*) FROM editing_cycles WHERE closed_at IS NULL").await, 1);
        step(&store, &id, 1).await.expect("stepped");
    }
}
