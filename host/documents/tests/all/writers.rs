//! Many writers on one document.

use std::sync::Arc;

use assay_documents::{AttemptFilter, Documents, Options};

use crate::ground::{Place, created, newest, on_both, step};

/// How many write at once, and how often each does.
const WRITERS: usize = 32;
const STEPS: usize = 20;

on_both! {
    /// P-122, P-140, P-160: nobody's edit is lost or doubled: versions step by one, in the order of history, and the
    /// text is what all of them made of it.
    async fn many_writers_step_by_one(place: &Place) {
        let options = || Options { patience: std::time::Duration::from_secs(300), ..Options::default() };
        let stores: [Arc<dyn Documents>; 2] = [place.open_with(options()).await, place.open_with(options()).await];
        let id = created(&stores[0], "").await;
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (store, id) = (Arc::clone(&stores[number % 2]), id.clone());
                tokio::spawn(async move {
                    let mut versions = Vec::with_capacity(STEPS);
                    for _ in 0..STEPS {
                        versions.push(step(&store, &id, 1).await.expect("stepped"));
                    }
                    versions
                })
            })
            .collect();
        let mut versions = Vec::new();
        for writer in writers {
            let theirs = writer.await.expect("joined");
            assert!(theirs.is_sorted(), "each sees its own in order");
            versions.extend(theirs);
        }
        versions.sort_unstable();
        let all = i64::try_from(WRITERS * STEPS).expect("it is small");
        assert_eq!(versions, (2..=all + 1).collect::<Vec<_>>());

        let mut view = stores[1].view().await.expect("begun");
        let target = view.target("", &id).await.expect("read").expect("there");
        assert_eq!((target.head.version, target.content), (all + 1, ".".repeat(WRITERS * STEPS)));
        let filter = AttemptFilter { with_content: false, ..newest(10_000) };
        let mut history = view.attempts(&id, &filter).await.expect("read");
        history.reverse();
        for (row, version) in history.iter().zip(2..) {
            assert_eq!(row.facts.before_version, Some(version - 1));
            assert_eq!(row.facts.after_version, Some(version));
        }
        for pair in history.windows(2) {
            assert_eq!(pair[0].facts.after_hash, pair[1].facts.before_hash);
        }
        assert_eq!(history.len(), WRITERS * STEPS);
        assert_eq!(view.ledger(&id, &assay_documents::LedgerFilter { limit: 10_000, ..Default::default() }).await
            .expect("read").len(), WRITERS * STEPS);
    }
}
