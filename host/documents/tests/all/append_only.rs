//! History cannot be changed, whoever tries.

use assay_documents::NewScopeSnapshot;

use crate::ground::{Place, created, hash, on_both, step};

/// What may only grow.
const TABLES: [&str; 3] = ["append_only_pdcp_logs", "append_only_manifest_ledger", "target_snapshots"];

on_both! {
    /// P-082, P-131, P-147: rows of the logs, the ledger and the snapshots are neither changed nor removed.
    async fn what_is_appended_stays(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        step(&store, &id, 2).await.expect("stepped");
        for table in TABLES {
            let count = place.number(&format!("SELECT count(*) FROM {table}")).await;
            assert!(count > 0, "{table}");
            let mut changes = vec![
                format!("UPDATE {table} SET created_at = created_at"),
                format!("UPDATE {table} SET id = 'ffffffff-ffff-4fff-8fff-ffffffffffff'"),
                format!("DELETE FROM {table}"),
                format!("DELETE FROM {table} WHERE id IS NOT NULL"),
            ];
            if place.is_sqlite() {
                changes.push(format!("PRAGMA foreign_keys = OFF; DELETE FROM {table}"));
                changes.push(format!("INSERT OR REPLACE INTO {table} SELECT * FROM {table}"));
                changes.push(format!("REPLACE INTO {table} SELECT * FROM {table} LIMIT 1"));
                changes.push(format!("UPDATE OR REPLACE {table} SET created_at = created_at"));
            } else {
                changes.push(format!("TRUNCATE {table} CASCADE"));
                changes.push("TRUNCATE cloud_target_files CASCADE".to_owned());
                changes.push(format!("UPDATE ONLY {table} SET created_at = created_at"));
            }
            for change in changes {
                let said = place.run(&change).await.expect_err(&change);
                assert!(said.contains("append-only") || said.contains(" has this id"), "{change}: {said}");
            }
            assert_eq!(place.number(&format!("SELECT count(*) FROM {table}")).await, count);
        }
        let said = place.run("DELETE FROM cloud_target_files").await.expect_err("its history is there");
        assert!(said.to_lowercase().contains("foreign key"), "{said}");
    }

    /// P-115: a keyed row is not replaced by another with its key.
    async fn a_keyed_row_is_not_replaced(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        let mut attempt = crate::ground::rejected(&id, "p");
        attempt.facts.client_request_id = Some("k".to_owned());
        transaction.append(attempt, Vec::new(), None).await.expect("appended");
        transaction.commit().await.expect("committed");
        let verb = if place.is_sqlite() { "INSERT OR REPLACE" } else { "INSERT" };
        let replace = format!(
            "{verb} INTO append_only_pdcp_logs (id, created_at, target_file_id, status, validation_stage, \
             failure_reason, pdcp_content_hash, protocol_version, client_request_id, pdcp_content) \
             SELECT '00000000-0000-4000-8000-00000000ffff', created_at, target_file_id, status, validation_stage, \
             failure_reason, pdcp_content_hash, protocol_version, client_request_id, 'forged' \
             FROM append_only_pdcp_logs"
        );
        place.run(&replace).await.expect_err("it would be a second one");
        assert_eq!(place.number("SELECT count(*) FROM append_only_pdcp_logs WHERE pdcp_content = 'p'").await, 1);
    }

    /// PG-28: what was observed may be forgotten, but is never changed.
    async fn what_was_observed_does_not_change(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        let snapshot = NewScopeSnapshot { target_file_id: id, version: 1, current_hash: hash("x") };
        let scope = assay_documents::Scope {
            scope_id: "s1".to_owned(),
            kind: "lines".to_owned(),
            sha256: hash("x"),
            parser: "lines".to_owned(),
            ..assay_documents::Scope::default()
        };
        transaction.put_scopes(snapshot, vec![scope]).await.expect("put");
        transaction.commit().await.expect("committed");
        for table in ["observed_scope_snapshots", "observed_scopes"] {
            place.run(&format!("UPDATE {table} SET sha256 = 'x'")).await.expect_err(table);
        }
        let change = "UPDATE observed_scopes SET start_offset = 1, end_offset = 2";
        place.run(change).await.expect_err("it never changes");
        let change = "UPDATE observed_scope_snapshots SET version = 2";
        place.run(change).await.expect_err("it never changes");
        place.run("DELETE FROM observed_scope_snapshots").await.expect("it may go");
        assert_eq!(place.number("SELECT count(*) FROM observed_scopes").await, 0, "and all of it goes");
    }
}
