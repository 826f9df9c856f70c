//! Opening: what is created, what is refused, and by what sentence.

use std::sync::Arc;

use assay_documents::{Documents, Fault, Migrated, Options, migrate, open};

use crate::ground::{Place, accepted, created, on_both, step};

/// The revision of this program's schema.
const HEAD: &str = "20261105_0006";

async fn refused(place: &Place) -> Fault {
    open(&place.location()).await.map(drop).expect_err("it is refused")
}

on_both! {
    /// an absent schema is created once and then found.
    async fn an_absent_schema_is_created(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        drop(store);
        let store = place.open().await;
        let head = store.view().await.expect("begun").head("", &id).await.expect("read");
        assert_eq!(head.map(|head| head.version), Some(1));
        let rows = format!("SELECT count(*) FROM assay_schema_revisions WHERE revision = '{HEAD}' AND ordinal = 1");
        assert_eq!(place.number(&rows).await, 1);
        let nothing = Migrated { from: Some(HEAD.to_owned()), applied: Vec::new() };
        assert_eq!(migrate(&place.location()).await, Ok(nothing));
    }

    /// once it is closed nothing begins, and what has begun ends as it would have.
    async fn a_closed_store_ends_what_has_begun(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let (mut writing, mut reading) = (store.begin().await.expect("begun"), store.view().await.expect("begun"));
        store.close().await;
        assert_eq!(store.begin().await.map(drop), Err(Fault::Aborted));
        assert_eq!(store.view().await.map(drop), Err(Fault::Aborted));
        let target = writing.lock("", &id).await.expect("read").expect("it is there");
        let (attempt, state) = accepted(&target, "y");
        writing.append(attempt, Vec::new(), Some(state)).await.expect("stored");
        writing.commit().await.expect("committed");
        assert_eq!(reading.head("", &id).await.expect("read").map(|head| head.version), Some(1));
        drop(reading);
        assert_eq!(place.number("SELECT version FROM cloud_target_files").await, 2);
        store.close().await;
    }

    /// migrating creates it as well.
    async fn an_absent_schema_is_created_by_migrating(place: &Place) {
        let created = Migrated { from: None, applied: vec![HEAD] };
        assert_eq!(migrate(&place.location()).await, Ok(created));
        place.open().await;
    }

    /// several that start at once agree on who creates it.
    async fn concurrent_first_starts_are_safe(place: &Place) {
        let starts: Vec<_> = (0..8)
            .map(|_| {
                let location = place.location();
                // Each with a runtime of its own, so that they start as processes would.
                std::thread::spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                    runtime.expect("a runtime").block_on(async {
                        let options = Options { patience: std::time::Duration::from_secs(60), ..Options::default() };
                        let store: Arc<dyn Documents> = assay_documents::open_with(&location, options).await?;
                        let id = created(&store, "x").await;
                        step(&store, &id, 1).await
                    })
                })
            })
            .collect();
        for start in starts {
            assert_eq!(start.join().expect("joined"), Ok(2));
        }
        assert_eq!(place.number("SELECT count(*) FROM assay_schema_revisions").await, 1);
        assert_eq!(place.number("SELECT count(*) FROM cloud_target_files").await, 8);
    }

    /// X-10, P-005: a newer schema is refused, by migrating too, and is left alone.
    async fn a_newer_schema_is_refused(place: &Place) {
        drop(place.open().await);
        let later = "INSERT INTO assay_schema_revisions (ordinal, revision, sha256, applied_at) \
                     VALUES (2, '20991231_0042', 'x', 'x')";
        place.run(later).await.expect("inserted");
        let newer = Fault::NewerSchema { found: "20991231_0042".to_owned(), head: HEAD };
        assert_eq!(refused(place).await, newer);
        assert_eq!(migrate(&place.location()).await, Err(newer.clone()));
        assert!(newer.to_string().contains("20991231_0042") && newer.to_string().contains("newer program"));
    }

    /// X-10, P-005: an older one is refused with the command that brings it forward.
    async fn an_older_schema_is_refused(place: &Place) {
        drop(place.open().await);
        place.run("DELETE FROM assay_schema_revisions").await.expect("deleted");
        let older = Fault::OlderSchema { found: None, head: HEAD };
        assert_eq!(refused(place).await, older);
        assert!(older.to_string().contains("`assay patch migrate`") && older.to_string().contains(HEAD));
    }

    /// P-130: a schema of the right name and another text is nobody's that is known.
    async fn an_altered_schema_is_refused(place: &Place) {
        drop(place.open().await);
        for change in ["sha256 = 'x'", "revision = '20261022_0003'"] {
            place.run(&format!("UPDATE assay_schema_revisions SET {change}")).await.expect("updated");
            let fault = refused(place).await;
            assert!(matches!(fault, Fault::ForeignSchema(_)), "{change}: {fault}");
            let fault = migrate(&place.location()).await.expect_err("nor is it migrated");
            assert!(matches!(fault, Fault::ForeignSchema(_)), "{change}: {fault}");
        }
    }

    /// tables of our names that no revision speaks of are somebody else's.
    async fn foreign_tables_are_refused(place: &Place) {
        drop(place.open().await);
        place.run("DROP TABLE assay_schema_revisions").await.expect("dropped");
        assert!(matches!(refused(place).await, Fault::ForeignSchema(_)));
    }
}

/// what is neither a path nor a URL of PostgreSQL is refused, and its secret is not repeated.
#[tokio::test]
async fn other_places_are_refused() {
    for location in ["", "mysql://root:secret@localhost/a", "redis://:secret@localhost"] {
        let fault = open(location).await.map(drop).expect_err("it is refused");
        assert!(matches!(fault, Fault::Location(_)) && !format!("{fault} {fault:?}").contains("secret"), "{fault}");
    }
}
