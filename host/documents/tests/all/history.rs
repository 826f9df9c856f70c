//! Pages of history: limits, cursors and filters.

use std::sync::Arc;

use assay_documents::{Attempt, AttemptFilter, Documents, Entry, Fault, LedgerFilter, Status};

use crate::ground::{Place, created, hash, newest, on_both, rejected, step};

/// The places of what came, in the order it came in.
fn attempts(rows: &[Attempt]) -> Vec<i64> {
    rows.iter().map(|row| row.log_sequence).collect()
}

fn entries(rows: &[Entry]) -> Vec<i64> {
    rows.iter().map(|row| row.ledger_sequence).collect()
}

async fn reject(store: &Arc<dyn Documents>, id: &str, payload: &str, key: Option<&str>) -> i64 {
    let mut transaction = store.begin().await.expect("begun");
    transaction.lock("", id).await.expect("read").expect("there");
    let mut attempt = rejected(id, payload);
    attempt.facts.client_request_id = key.map(str::to_owned);
    let appended = transaction.append(attempt, Vec::new(), None).await.expect("appended");
    transaction.commit().await.expect("committed");
    appended.log_sequence
}

on_both! {
    /// P-173, P-176: sequences 1 to 10 in pages of 3, newest first, one more than is wanted where there is one.
    async fn pages_are_those_of_the_worked_example(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        for _ in 0..10 {
            step(&store, &id, 1).await.expect("stepped");
        }
        let mut view = store.view().await.expect("begun");
        let page = |before_sequence| AttemptFilter { before_sequence, ..newest(3) };
        assert_eq!(attempts(&view.attempts(&id, &page(None)).await.expect("read")), [10, 9, 8, 7]);
        assert_eq!(attempts(&view.attempts(&id, &page(Some(8))).await.expect("read")), [7, 6, 5, 4]);
        assert_eq!(attempts(&view.attempts(&id, &page(Some(4))).await.expect("read")), [3, 2, 1], "no more");
        assert_eq!(attempts(&view.attempts(&id, &page(Some(1))).await.expect("read")), [0; 0]);
        assert_eq!(attempts(&view.attempts(&id, &page(Some(i64::MAX))).await.expect("read")), [10, 9, 8, 7]);
        let page = |before_sequence| LedgerFilter { active_cycle_only: true, before_sequence, limit: 3 };
        assert_eq!(entries(&view.ledger(&id, &page(None)).await.expect("read")), [10, 9, 8, 7]);
        assert_eq!(entries(&view.ledger(&id, &page(Some(8))).await.expect("read")), [7, 6, 5, 4]);
        assert_eq!(entries(&view.ledger(&id, &page(Some(2))).await.expect("read")), [1], "no more");
        assert_eq!(view.attempts("nowhere", &newest(3)).await, Ok(Vec::new()));
    }

    /// P-177: what is appended meanwhile is above the cursor, and never enters the traversal.
    async fn a_traversal_meets_each_row_once(place: &Place) {
        let store = place.open().await;
        let (id, other) = (created(&store, "x").await, created(&store, "y").await);
        for _ in 0..7 {
            step(&store, &id, 2).await.expect("stepped");
            step(&store, &other, 1).await.expect("stepped");
        }
        let (mut seen, mut ledger, mut before, mut below) = (Vec::new(), Vec::new(), None, None);
        for _ in 0..4 {
            let mut view = store.view().await.expect("begun");
            let filter = AttemptFilter { before_sequence: before, ..newest(2) };
            let rows = view.attempts(&id, &filter).await.expect("read");
            assert!(rows.iter().all(|row| row.facts.target_file_id == id));
            seen.extend(attempts(&rows).into_iter().take(2));
            before = seen.last().copied();
            let filter = LedgerFilter { active_cycle_only: false, before_sequence: below, limit: 4 };
            let rows = view.ledger(&id, &filter).await.expect("read");
            assert!(rows.iter().all(|row| row.target_file_id == id));
            ledger.extend(entries(&rows).into_iter().take(4));
            below = ledger.last().copied();
            drop(view);
            step(&store, &id, 1).await.expect("stepped");
        }
        assert_eq!(seen, [13, 11, 9, 7, 5, 3, 1]);
        assert_eq!(ledger, [20, 19, 17, 16, 14, 13, 11, 10, 8, 7, 5, 4, 2, 1]);
    }

    /// P-119, P-171, P-178: filters narrow the page before it is counted; a key is any text that was stored as one.
    async fn filters_come_before_the_count(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        let legacy = " a key\nof old, Ü ";
        let one = reject(&store, &id, "same", Some("key-1")).await;
        let two = reject(&store, &id, "same", Some(legacy)).await;
        step(&store, &id, 0).await.expect("stepped");
        let three = reject(&store, &id, "same", None).await;
        let four = reject(&store, &id, "other", None).await;
        let mut view = store.view().await.expect("begun");
        let mut found = async |filter: AttemptFilter| attempts(&view.attempts(&id, &filter).await.expect("read"));
        let same = || AttemptFilter { content_hash: Some(hash("same")), ..newest(50) };
        assert_eq!(found(same()).await, [three, two, one]);
        assert_eq!(found(AttemptFilter { limit: 1, ..same() }).await, [three, two]);
        assert_eq!(found(AttemptFilter { before_sequence: Some(three), ..same() }).await, [two, one]);
        let key = |key: &str| Some(key.to_owned());
        assert_eq!(found(AttemptFilter { client_request_id: key(legacy), ..same() }).await, [two]);
        assert_eq!(found(AttemptFilter { client_request_id: key(legacy.trim()), ..same() }).await, [0; 0]);
        assert_eq!(found(AttemptFilter { client_request_id: key("key-1\0"), ..newest(9) }).await, [0; 0]);
        let status = |status| AttemptFilter { status: Some(status), ..newest(50) };
        assert_eq!(found(status(Status::Accepted)).await, [two + 1]);
        assert_eq!(found(status(Status::Rejected)).await, [four, three, two, one]);
        assert_eq!(found(AttemptFilter { content_hash: Some(hash("same")), ..status(Status::Accepted) }).await, [0; 0]);
    }

    /// P-124, P-134: replay reads what was accepted, in order, with its payloads, page by page.
    async fn what_was_accepted_is_read_in_order(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        for _ in 0..5 {
            reject(&store, &id, "no", None).await;
            step(&store, &id, 0).await.expect("stepped");
        }
        let mut view = store.view().await.expect("begun");
        let first = view.accepted_after(&id, 0, 3).await.expect("read");
        assert_eq!(attempts(&first), [2, 4, 6], "no more than is wanted");
        let rest = view.accepted_after(&id, 6, 3).await.expect("read");
        assert_eq!(attempts(&rest), [8, 10]);
        let versions: Vec<_> = first.iter().chain(&rest).map(|row| row.facts.after_version).collect();
        assert_eq!(versions, [2, 3, 4, 5, 6].map(Some));
        assert!(first.iter().all(|row| row.pdcp_content.as_deref().is_some_and(|text| text.starts_with("to x"))));
    }

    /// a list of attempts reads no payload. On SQLite the payload's own pages are damaged, and the list still
    /// reads; PostgreSQL counts the pages of large values that anybody reads.
    async fn a_list_reads_no_payload(place: &Place) {
        let store = place.open().await;
        let id = created(&store, "x").await;
        // It cannot be made so small that it would stay in its row.
        let payload: String = (0..1_000).map(|number| format!("payload {}\n", hash(&number.to_string()))).collect();
        let sequence = reject(&store, &id, &payload, None).await;
        drop(store);
        if place.is_sqlite() {
            damage_payloads(place);
        }
        let before = if place.is_sqlite() { 0 } else { large_values_read(place).await };
        let store = place.open().await;
        let rows = store.view().await.expect("begun").attempts(&id, &newest(5)).await.expect("read");
        assert_eq!((attempts(&rows), rows[0].pdcp_content.clone()), (vec![sequence], None));
        drop(store);
        if !place.is_sqlite() {
            assert_eq!(large_values_read(place).await, before, "none was read");
        }

        let store = place.open().await;
        let with_content = AttemptFilter { with_content: true, ..newest(5) };
        let rows = store.view().await.expect("begun").attempts(&id, &with_content).await;
        drop(store);
        if place.is_sqlite() {
            assert!(matches!(rows, Err(Fault::Damaged(_))), "the payload is where the damage is");
        } else {
            assert_eq!(rows.expect("read")[0].pdcp_content.as_ref(), Some(&payload));
            assert!(large_values_read(place).await > before, "it was counted");
        }
    }
}

/// A page that goes on with a payload begins with the number of the next, or with 0: the chain shall go on in a page
/// that is not there.
fn damage_payloads(place: &Place) {
    let file = std::fs::read(place.file()).expect("the log was taken over into the file");
    let mut damaged = file.clone();
    for page in damaged.chunks_mut(4_096).filter(|page| page[0] == 0) {
        if page.windows(8).any(|window| window == b"payload ") {
            page[..4].copy_from_slice(&[0xff; 4]);
        }
    }
    assert_ne!(damaged, file);
    std::fs::write(place.file(), damaged).expect("room");
}

/// How many pages of large values were read of the logs. Each connection tells of its own at the latest when it ends,
/// so the end of all others is waited for.
async fn large_values_read(place: &Place) -> i64 {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while place.number(others).await > 0 {}
    let read = "SELECT (toast_blks_read + toast_blks_hit + tidx_blks_read + tidx_blks_hit)::int8 \
                FROM pg_statio_user_tables WHERE relname = 'append_only_pdcp_logs'";
    place.number(read).await
}
