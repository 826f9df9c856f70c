//! What is put in comes out, in every column.

use assay_documents::{EntryFacts, NewTarget, Status, Synced};

use crate::ground::{Place, accepted, entry, hash, new_target, newest, on_both, rejected};

/// JSON whose spelling any parser would change: order, spaces, numbers, escapes, a key twice.
const SPELLED: &str = r#"{"b" : 1.0e2,"a":[ 1, 10000000000000000000000.50 ],"b":"\u0000\ud800\u00e9", "é":"\/"}"#;

on_both! {
    /// P-147, P-155, P-156, P-162, PG-30: a document has its row, cycle 1 and the snapshot of its upload.
    async fn a_document_is_created(place: &Place) {
        let store = place.open().await;
        let new = NewTarget {
            owner: "https://forge.example 42".to_owned(),
            version: 7,
            workspace_path: Some("src/ü b.txt".to_owned()),
            workspace_tracked: true,
            workspace_root_identity: Some(hash("root")),
            has_bom: true,
            source_line_endings: Some(SPELLED.to_owned()),
            synced: Some(Synced { disk_sha256: hash("disk"), version: 7 }),
            line_endings: Some("2l1c".to_owned()),
            ..new_target("a\nb\nc\n")
        };
        let mut transaction = store.begin().await.expect("begun");
        let created = transaction.create(new.clone()).await.expect("created");
        let own = transaction.target(&new.owner, &created.target_file_id).await.expect("read");
        assert!(own.is_some(), "a transaction sees what it wrote");
        transaction.commit().await.expect("committed");

        let mut view = store.view().await.expect("begun");
        let target = view.target(&new.owner, &created.target_file_id).await.expect("read").expect("there");
        assert_eq!(Some(&target), own.as_ref());
        assert_eq!(view.head(&new.owner, &target.head.id).await, Ok(Some(target.head.clone())));
        let head = &target.head;
        assert_eq!(target.content, new.content);
        assert_eq!(target.line_endings, new.line_endings);
        assert_eq!((&head.owner, head.version, &head.current_hash), (&new.owner, 7, &new.current_hash));
        assert_eq!((&head.workspace_path, head.workspace_tracked), (&new.workspace_path, true));
        assert_eq!((&head.workspace_root_identity, head.has_bom), (&new.workspace_root_identity, true));
        assert_eq!((&head.source_line_endings, &head.synced), (&new.source_line_endings, &new.synced));
        assert_eq!((&head.created_at, &head.updated_at), (&created.created_at, &created.created_at));

        let snapshot = view.initial_snapshot(&head.id).await.expect("read").expect("there");
        assert_eq!((snapshot.id, snapshot.editing_cycle_id), (created.snapshot_id, created.cycle_id));
        assert_eq!(snapshot.snapshot_type.name(), "initial_upload");
        assert_eq!((snapshot.target_file_id.as_str(), snapshot.version), (head.id.as_str(), 7));
        assert_eq!((snapshot.content, snapshot.content_hash), (target.content, head.current_hash.clone()));
        assert_eq!((snapshot.line_endings, snapshot.publication_json), (new.line_endings, None));
        assert_eq!(snapshot.created_at, created.created_at);
    }

    /// X-09: another's document is not found, like one that does not exist.
    async fn a_document_is_its_owners(place: &Place) {
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        let mut ids = Vec::new();
        for owner in ["a", "", "a", "A", "a"] {
            let new = NewTarget { owner: owner.to_owned(), ..new_target("x") };
            ids.push(transaction.create(new).await.expect("created").target_file_id);
        }
        for (owner, found) in [("a", true), ("", false), ("A", false), ("b", false)] {
            assert_eq!(transaction.target(owner, &ids[0]).await.expect("read").is_some(), found, "{owner}");
            assert_eq!(transaction.head(owner, &ids[0]).await.expect("read").is_some(), found, "{owner}");
            assert_eq!(transaction.lock(owner, &ids[0]).await.expect("read").is_some(), found, "{owner}");
        }
        assert_eq!(transaction.target("a", "nowhere").await, Ok(None));
        transaction.commit().await.expect("committed");

        let mut view = store.view().await.expect("begun");
        let mut listed = async |owner: &str, after: Option<&str>, limit| {
            let heads = view.targets(owner, after, limit).await.expect("read");
            heads.into_iter().map(|head| head.id).collect::<Vec<_>>()
        };
        let theirs = [ids[4].clone(), ids[2].clone(), ids[0].clone()];
        assert_eq!(listed("a", None, 10).await, theirs, "newest first");
        assert_eq!(listed("a", None, 1).await, theirs[..2], "one more than is wanted");
        assert_eq!(listed("a", Some(&ids[4]), 1).await, theirs[1..]);
        assert_eq!(listed("a", Some(&ids[0]), 10).await, [""; 0]);
        assert_eq!(listed("a", Some(&ids[3]), 10).await, [""; 0], "a cursor of somebody else's shows nothing");
        assert_eq!(listed("A", None, 0).await, [ids[3].clone()]);
    }

    /// P-082, P-172, P-152, P-063: an attempt comes back with all it was stored with, JSON to the byte.
    async fn an_attempt_is_stored_whole(place: &Place) {
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        let id = transaction.create(new_target("x")).await.expect("created").target_file_id;
        let parent = transaction.append(rejected(&id, "first"), Vec::new(), None).await.expect("appended");
        let mut new = rejected(&id, "second\n{}");
        new.facts.failure_detail = Some("nowhere".to_owned());
        new.facts.failed_change_id = Some("chg_001".to_owned());
        new.facts.expected_target_version = Some(i64::MAX);
        new.facts.expected_current_hash = Some(hash("expected"));
        new.facts.before_hash = Some(hash("before"));
        new.facts.after_hash = Some(hash("after"));
        new.facts.before_version = Some(0);
        new.facts.after_version = Some(i64::MAX);
        new.facts.parent_pdcp_log_id = Some(parent.id.clone());
        new.facts.regeneration_attempt = Some(i64::from(i32::MAX));
        new.facts.regeneration_source = Some("model_response".to_owned());
        new.facts.client_request_id = Some("!".repeat(128));
        new.facts.request_fingerprint = Some(hash("fingerprint"));
        new.facts.warnings_json = Some(format!("\n {SPELLED}\t"));
        new.facts.diagnostic_json = Some(SPELLED.to_owned());
        let appended = transaction.append(new.clone(), Vec::new(), None).await.expect("appended");
        assert!(appended.log_sequence > parent.log_sequence);
        transaction.commit().await.expect("committed");

        let mut view = store.view().await.expect("begun");
        let stored = view.attempt(&id, &appended.id, true).await.expect("read").expect("there");
        assert_eq!((&stored.id, stored.log_sequence), (&appended.id, appended.log_sequence));
        assert_eq!(stored.created_at, appended.created_at);
        assert_eq!(stored.facts, new.facts);
        assert_eq!(stored.pdcp_content.as_ref(), Some(&new.pdcp_content));
        assert_eq!(view.keyed(&id, &"!".repeat(128)).await, Ok(Some(stored.clone())));
        assert_eq!(view.attempt(&id, "nowhere", true).await, Ok(None));
        assert_eq!(view.attempt(&appended.id, &appended.id, true).await, Ok(None), "of no such document");
        let listed = view.attempts(&id, &newest(1)).await.expect("read");
        assert_eq!(listed[0].facts, new.facts);
        assert_eq!(listed[0].pdcp_content, None, "nobody asked for it (X-06)");
    }

    /// P-060, P-148, P-149, P-150, P-151, P-161: an accepted attempt has its changes in the ledger, and the document its new state.
    async fn an_accepted_attempt_changes_the_document(place: &Place) {
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        let created = transaction.create(new_target("one")).await.expect("created");
        let target = transaction.lock("", &created.target_file_id).await.expect("read").expect("there");
        let (attempt, mut state) = accepted(&target, "two");
        state.line_endings = Some("1c".to_owned());
        let full = EntryFacts {
            change_id: "chg_002".to_owned(),
            intent: "why".to_owned(),
            input_state: Some("in".to_owned()),
            output_state: Some("out".to_owned()),
            affected_region: Some("where".to_owned()),
            user_visible_change: Some("seen".to_owned()),
            risk: Some("low".to_owned()),
            derived_json: Some(SPELLED.to_owned()),
        };
        let entries = vec![entry("chg_001"), full];
        let appended = transaction.append(attempt, entries.clone(), Some(state.clone())).await.expect("appended");
        transaction.commit().await.expect("committed");

        let mut view = store.view().await.expect("begun");
        let after = view.target("", &target.head.id).await.expect("read").expect("there");
        assert_eq!((after.content, after.line_endings), (state.content, state.line_endings));
        assert_eq!((after.head.version, after.head.current_hash), (2, hash("two")));
        assert_eq!(after.head.created_at, created.created_at);
        assert_eq!(after.head.updated_at, appended.created_at);
        let ledger = view.ledger_of(&appended.id).await.expect("read");
        assert_eq!(ledger.iter().map(|entry| entry.facts.clone()).collect::<Vec<_>>(), entries);
        for entry in &ledger {
            assert_eq!((&entry.pdcp_log_id, &entry.target_file_id), (&appended.id, &target.head.id));
            assert_eq!((entry.origin.as_str(), &entry.editing_cycle_id), ("typed", &created.cycle_id));
            assert_eq!(entry.created_at, appended.created_at);
        }
        assert!(ledger[0].ledger_sequence < ledger[1].ledger_sequence);
        let stored = view.attempt(&target.head.id, &appended.id, false).await.expect("read").expect("there");
        assert_eq!(stored.facts.status, Status::Accepted);
        let initial = view.initial_snapshot(&target.head.id).await.expect("read").expect("there");
        assert_eq!(initial.content, "one", "what was uploaded stays (P-132)");
    }

    /// More changes than one statement takes are stored in their order.
    async fn many_changes_keep_their_order(place: &Place) {
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        let id = transaction.create(new_target("one")).await.expect("created").target_file_id;
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let (attempt, state) = accepted(&target, "two");
        let entries: Vec<_> = (1..=1_000).map(|number| entry(&format!("chg_{number:03}"))).collect();
        let appended = transaction.append(attempt, entries.clone(), Some(state)).await.expect("appended");
        let stored = transaction.ledger_of(&appended.id).await.expect("read");
        assert_eq!(stored.into_iter().map(|entry| entry.facts).collect::<Vec<_>>(), entries);
    }
}
