//! What the schema itself refuses, whoever writes.

use assay_documents::{AttemptFacts, Fault, NewTarget, Scope, Synced};

use crate::ground::{Place, accepted, created, entry, hash, new_target, on_both, rejected};

/// A change that makes an attempt one that cannot be stored.
type Spoil = fn(&mut AttemptFacts);

const WRONG: &[(&str, Spoil)] = &[
    ("a hash in capitals", |facts| facts.pdcp_content_hash = hash("x").to_uppercase()),
    ("a hash and a line feed", |facts| facts.before_hash = Some(hash("x") + "\n")),
    ("63 digits", |facts| facts.after_hash = Some(hash("x")[1..].to_owned())),
    ("no digits", |facts| facts.expected_current_hash = Some(String::new())),
    ("65 digits", |facts| facts.request_fingerprint = Some(hash("x") + "0")),
    ("a version below 0", |facts| facts.expected_target_version = Some(-1)),
    ("a version below 0 before", |facts| facts.before_version = Some(i64::MIN)),
    ("a version below 0 after", |facts| facts.after_version = Some(-1)),
    ("attempt 0", |facts| facts.regeneration_attempt = Some(0)),
    ("attempt 2^31", |facts| facts.regeneration_attempt = Some(1 << 31)),
    ("an empty key", |facts| facts.client_request_id = Some(String::new())),
    ("a key of 256", |facts| facts.client_request_id = Some("é".repeat(256))),
    ("a rejection without a reason", |facts| facts.failure_reason = None),
    ("a parent that is not there", |facts| facts.parent_pdcp_log_id = Some(facts.target_file_id.clone())),
    ("a document that is not there", |facts| facts.target_file_id = "0".repeat(36)),
    ("no JSON", |facts| facts.diagnostic_json = Some("{'a':1}".to_owned())),
    ("half of JSON", |facts| facts.warnings_json = Some("[".to_owned())),
    ("JSON and more", |facts| facts.warnings_json = Some("{} {}".to_owned())),
    ("JSON with a comma too much", |facts| facts.warnings_json = Some("[1,]".to_owned())),
    ("an empty text for JSON", |facts| facts.warnings_json = Some(String::new())),
];

on_both! {
    /// P-034, P-035, P-038, P-079, P-152: a row that breaks a rule is a mistake of the caller, on either database.
    async fn an_attempt_keeps_the_rules(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        for (what, spoil) in WRONG {
            let mut transaction = store.begin().await.expect("begun");
            let mut attempt = rejected(&id, "p");
            spoil(&mut attempt.facts);
            let fault = transaction.append(attempt, Vec::new(), None).await.expect_err(what);
            assert!(matches!(fault, Fault::Constraint(_)), "{what}: {fault:?}");
        }
        let mut transaction = store.begin().await.expect("begun");
        let mut longest = rejected(&id, "p");
        longest.facts.client_request_id = Some("é".repeat(255));
        transaction.append(longest, Vec::new(), None).await.expect("that long a key may be");
    }

    /// P-133: an accepted attempt says what was before and after it.
    async fn an_accepted_attempt_is_whole(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let wrong: [(&str, Spoil); 5] = [
            ("no hash before", |facts| facts.before_hash = None),
            ("no hash after", |facts| facts.after_hash = None),
            ("no version before", |facts| facts.before_version = None),
            ("no version after", |facts| facts.after_version = None),
            ("a reason to reject", |facts| facts.failure_reason = Some("match_absent".to_owned())),
        ];
        for (what, spoil) in wrong {
            let mut transaction = store.begin().await.expect("begun");
            let target = transaction.lock("", &id).await.expect("read").expect("there");
            let (mut attempt, state) = accepted(&target, "y");
            spoil(&mut attempt.facts);
            let fault = transaction.append(attempt, Vec::new(), Some(state)).await.expect_err(what);
            assert!(matches!(fault, Fault::Constraint(_)), "{what}: {fault:?}");
        }
    }

    /// P-148, P-149: an entry's origin is `typed` and nothing else, and what was derived is JSON.
    async fn a_ledger_entry_keeps_the_rules(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let (attempt, state) = accepted(&target, "y");
        let mut wrong = entry("chg_001");
        wrong.derived_json = Some("{".to_owned());
        let fault = transaction.append(attempt.clone(), vec![wrong], Some(state.clone())).await.expect_err("no JSON");
        assert!(matches!(fault, Fault::Constraint(_)), "{fault:?}");
        drop(transaction);
        let mut transaction = store.begin().await.expect("begun");
        transaction.append(attempt, vec![entry("chg_001")], Some(state)).await.expect("appended");
        transaction.commit().await.expect("committed");
        let forged = "INSERT INTO append_only_manifest_ledger (id, target_file_id, pdcp_log_id, editing_cycle_id, \
             origin, created_at, change_id, intent) \
             SELECT '00000000-0000-4000-8000-00000000ffff', target_file_id, pdcp_log_id, editing_cycle_id, 'imported', created_at, change_id, intent FROM append_only_manifest_ledger";
        let said = place.run(forged).await.expect_err("it is not typed").to_lowercase();
        assert!(said.contains("check constraint"), "{said}");
        assert_eq!(place.number("SELECT count(*) FROM append_only_manifest_ledger WHERE origin = 'typed'").await, 1);
    }

    /// P-035, P-155, P-156: so do documents and what is observed of them.
    async fn a_document_keeps_the_rules(place: &Place) {
        let store = place.open().await;
        let synced = |hash: String, version| Some(Synced { disk_sha256: hash, version });
        for new in [
            NewTarget { version: -1, ..new_target("x") },
            NewTarget { current_hash: String::new(), ..new_target("x") },
            NewTarget { source_line_endings: Some("lf".to_owned()), ..new_target("x") },
            NewTarget { synced: synced("x".to_owned(), 1), ..new_target("x") },
            NewTarget { synced: synced(hash("x"), -1), ..new_target("x") },
            NewTarget { owner: "o".repeat(513), ..new_target("x") },
        ] {
            let mut transaction = store.begin().await.expect("begun");
            let fault = transaction.create(new.clone()).await.expect_err("a mistake");
            assert!(matches!(fault, Fault::Constraint(_)), "{new:?}: {fault:?}");
        }
        let id = created(&store, "x").await;
        let good = Scope {
            scope_id: "s".to_owned(),
            kind: "lines".to_owned(),
            sha256: hash("x"),
            parser: "lines".to_owned(),
            ..Scope::default()
        };
        for scopes in [
            vec![Scope { start: 2, end: 1, ..good.clone() }],
            vec![Scope { start: -1, ..good.clone() }],
            vec![Scope { scope_id: String::new(), ..good.clone() }],
            vec![Scope { sha256: "x".to_owned(), ..good.clone() }],
            vec![good.clone(), good.clone()],
        ] {
            let mut transaction = store.begin().await.expect("begun");
            let snapshot = assay_documents::NewScopeSnapshot {
                target_file_id: id.clone(),
                version: 1,
                current_hash: hash("x"),
            };
            let fault = transaction.put_scopes(snapshot, scopes).await.expect_err("a mistake");
            assert!(matches!(fault, Fault::Constraint(_)), "{fault:?}");
        }
    }
}
