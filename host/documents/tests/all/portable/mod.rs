//! Histories as files: written by one database, taken over by another, refused where they are not what was written.

mod forged;
mod refused;

use std::sync::Arc;

use assay_documents::{
    AttemptFilter, Documents, Fault, Imported, LedgerFilter, NewCheckpoint, NewScopeSnapshot, NewTarget, Options,
    Places, Scope, Status, Synced, Uncommitted, Unread, Unwritten, View, Written,
};
use sha2::{Digest as _, Sha256};

use crate::ground::{Place, accepted, created, entry, hash, new_target, newest, on_both, rejected, step};

/// A document with everything that a history can have: attempts of both kinds, keys, parents, saves, scopes. Its id.
async fn busy(store: &Arc<dyn Documents>) -> String {
    let mut transaction = store.begin().await.expect("begun");
    let new = NewTarget {
        workspace_path: Some("notes/ü.txt".to_owned()),
        workspace_tracked: true,
        workspace_root_identity: Some(hash("root")),
        has_bom: true,
        source_line_endings: Some("{ \"lf\": 2 }".to_owned()),
        synced: Some(Synced { disk_sha256: hash("disk"), version: 1 }),
        line_endings: Some("1L1C".to_owned()),
        ..new_target("a\nb\n")
    };
    let id = transaction.create(new).await.expect("created").target_file_id;
    let mut parent = None;
    for round in 0..12 {
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let mut no = rejected(&id, &format!("no {round} \u{1}\u{2028}\"\\"));
        no.facts.client_request_id = Some(format!("no-{round}"));
        no.facts.parent_pdcp_log_id = parent;
        no.facts.regeneration_attempt = Some(round + 1);
        no.facts.diagnostic_json = Some(format!("{{\"z\":1.50, \"a\":{round}}}"));
        parent = Some(transaction.append(no, Vec::new(), None).await.expect("appended").id);
        let (mut yes, state) = accepted(&target, &format!("{}é{round}\n", target.content));
        yes.facts.warnings_json = Some("[ \"no_op_change\"]".to_owned());
        let mut second = entry("chg_002");
        second.derived_json = Some("{\"span_start\" : 1}".to_owned());
        transaction.append(yes, vec![entry("chg_001"), second], Some(state)).await.expect("appended");
        if round % 5 == 1 {
            let synced = Some(Synced { disk_sha256: hash("disk"), version: target.head.version + 1 });
            let checkpoint = NewCheckpoint { publication_json: Some("{\"at\" : 1}".to_owned()), synced };
            transaction.checkpoint(&id, checkpoint).await.expect("saved");
        }
    }
    for scopes in [0, 20] {
        let scope = |number: i64| Scope {
            scope_id: format!("s{number}"),
            kind: "lines".to_owned(),
            start: number,
            end: number + 1,
            sha256: hash(""),
            parser: "lines".to_owned(),
            has_error: number % 2 == 0,
            ..Scope::default()
        };
        let snapshot = NewScopeSnapshot { target_file_id: id.clone(), version: 13, current_hash: hash("x") };
        transaction.put_scopes(snapshot, (0..scopes).map(scope).collect()).await.expect("put");
    }
    transaction.commit().await.expect("committed");
    id
}

async fn exported(store: &Arc<dyn Documents>, ids: &[String]) -> Vec<u8> {
    let mut lines = Vec::new();
    store.view().await.expect("begun").export("", ids, &mut lines).await.expect("written");
    lines
}

/// Takes a history over, and commits it where it was taken.
async fn imported(store: &Arc<dyn Documents>, mut lines: &[u8], places: Places) -> Result<Vec<Imported>, Unread> {
    let mut transaction = store.begin().await?;
    let imported = transaction.import("", &mut lines, places).await?;
    transaction.commit().await?;
    Ok(imported)
}

/// Everything that is answered about a document, call by call.
async fn told(store: &Arc<dyn Documents>, id: &str) -> Vec<String> {
    let mut view = store.view().await.expect("begun");
    let view: &mut dyn View = view.as_mut();
    let mut told = vec![
        format!("{:?}", view.target("", id).await),
        format!("{:?}", view.summaries("", None, 10).await),
        format!("{:?}", view.initial_snapshot(id).await),
        format!("{:?}", view.attempts(id, &AttemptFilter { with_content: true, ..newest(50) }).await),
        format!("{:?}", view.attempts(id, &AttemptFilter { status: Some(Status::Rejected), ..newest(2) }).await),
        format!("{:?}", view.keyed(id, "no-2").await),
        format!("{:?}", view.accepted_after(id, 0, 50).await),
    ];
    for active_cycle_only in [true, false] {
        let filter = LedgerFilter { active_cycle_only, before_sequence: None, limit: 50 };
        told.push(format!("{:?}", view.ledger(id, &filter).await));
    }
    told
}

/// The same lines, with others in the place of some, under an end that is true of them.
fn sealed(lines: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let text = std::str::from_utf8(lines).expect("it is text");
    let mut rows: Vec<String> = text.lines().map(change).filter(|line| !line.is_empty()).collect();
    rows.pop();
    let mut out: Vec<u8> = rows.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect();
    let sha256: String = Sha256::digest(&out).iter().map(|byte| format!("{byte:02x}")).collect();
    let count = rows.len() - 1;
    out.extend(format!("{{\"end\":{{\"rows\":{count},\"sha256\":\"{sha256}\"}}}}\n").into_bytes());
    out
}

const TABLES: [&str; 7] = [
    "cloud_target_files",
    "editing_cycles",
    "target_snapshots",
    "append_only_pdcp_logs",
    "append_only_manifest_ledger",
    "observed_scope_snapshots",
    "observed_scopes",
];

/// The rows of all tables.
async fn rows(place: &Place) -> i64 {
    let mut rows = 0;
    for table in TABLES {
        rows += place.number(&format!("SELECT count(*) FROM {table}")).await;
    }
    rows
}

/// a history that one database wrote is the same on the other, to the byte, in either direction, and goes on there.
#[tokio::test]
async fn a_history_crosses_from_either_database_to_the_other() {
    for from_sqlite in [true, false] {
        let (sqlite, postgres) = (Place::sqlite(), Place::postgres().await);
        let (from, to) = if from_sqlite { (&sqlite, &postgres) } else { (&postgres, &sqlite) };
        let (one, other) = (from.open_with(Options::default()).await, to.open_with(Options::default()).await);
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let came = imported(&other, &lines, Places::Kept).await.expect("taken over");
        let document = Imported {
            target_file_id: id.clone(),
            version: 13,
            workspace_path: Some("notes/ü.txt".to_owned()),
            attempts: 24,
        };
        assert_eq!(came, [document]);
        assert_eq!(told(&other, &id).await, told(&one, &id).await);
        assert!(exported(&other, std::slice::from_ref(&id)).await == lines, "and back again");
        assert_eq!(rows(from).await, rows(to).await);

        // Both go on alike: the next places are behind those that came.
        for store in [&one, &other] {
            assert_eq!(step(store, &id, 2).await, Ok(14));
            let mut transaction = store.begin().await.expect("begun");
            transaction.lock("", &id).await.expect("read").expect("there");
            transaction.checkpoint(&id, NewCheckpoint::default()).await.expect("saved");
            transaction.commit().await.expect("committed");
        }
        let places = "SELECT max(log_sequence) FROM append_only_pdcp_logs";
        assert_eq!((from.number(places).await, to.number(places).await), (25, 25));
    }
}

on_both! {
    /// several documents are one file, all of which comes or none; another's is not written.
    async fn several_documents_are_one_file(place: &Place) {
        let store = place.open().await;
        let ids = [busy(&store).await, created(&store, "x").await];
        step(&store, &ids[1], 1).await.expect("stepped");
        let mut lines = Vec::new();
        let mut view = store.view().await.expect("begun");
        let written = view.export("", &ids, &mut lines).await.expect("written");
        assert_eq!((written.documents, written.rows as i64), (2, rows(place).await));
        let unknown = view.export("somebody", &ids, &mut Vec::new()).await;
        assert!(matches!(unknown, Err(Unwritten::NotFound(id)) if id == ids[0]));
        assert_eq!(view.export("", &[], &mut Vec::new()).await.expect("written"), Written { documents: 0, rows: 0 });

        let other = Place::sqlite();
        let there = other.open().await;
        let came = imported(&there, &lines, Places::Kept).await.expect("taken over");
        assert_eq!(came.iter().map(|document| &document.target_file_id).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
        assert!(exported(&there, &ids).await == lines);
    }

    /// what is taken over is whose it is told to be.
    async fn what_is_taken_over_has_an_owner(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        let id = created(&one, "x").await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        transaction.import("me", &mut &lines[..], Places::Kept).await.expect("taken over");
        transaction.commit().await.expect("committed");
        let mut view = store.view().await.expect("begun");
        assert!(view.head("me", &id).await.expect("read").is_some());
        assert_eq!(view.head("", &id).await, Ok(None));
    }

    /// what is not committed can be looked at as what it will be, and not be changed by who looks.
    async fn what_is_not_committed_can_be_looked_at(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let mut transaction = store.begin().await.expect("begun");
        transaction.import("", &mut &lines[..], Places::Kept).await.expect("taken over");
        let pending = Uncommitted::of(transaction);
        let looked: Arc<dyn Documents> = Arc::new(pending);
        assert_eq!(told(&looked, &id).await, told(&one, &id).await);
        let mut lent = looked.begin().await.expect("begun");
        assert_eq!(lent.lock("", &id).await.expect("read").expect("there").head.version, 13);
        assert_eq!(lent.checkpoint(&id, NewCheckpoint::default()).await, Err(Fault::ReadOnly));
        assert_eq!(lent.commit().await, Err(Fault::ReadOnly));
        drop(looked);
        assert_eq!(store.view().await.expect("begun").head("", &id).await, Ok(None), "it was rolled back");

        let mut transaction = store.begin().await.expect("begun");
        transaction.import("", &mut &lines[..], Places::Kept).await.expect("taken over");
        let pending = Uncommitted::of(transaction);
        pending.taken_back().await.expect("it is there").commit().await.expect("committed");
        assert_eq!(pending.taken_back().await.err(), Some(Fault::Aborted));
        assert_eq!(pending.begin().await.expect("begun").lock("", &id).await, Err(Fault::Aborted));
        assert_eq!(told(&store, &id).await, told(&one, &id).await);
    }

    /// where others write meanwhile, nobody gets a place that came with a history.
    async fn writers_meanwhile_get_other_places(place: &Place) {
        let one = Place::sqlite();
        let one = one.open_with(Options::default()).await;
        // So that its places begin behind the one that is taken here.
        created(&one, "x").await;
        let id = busy(&one).await;
        let lines = exported(&one, std::slice::from_ref(&id)).await;
        let store = place.open().await;
        let own = created(&store, "x").await;
        let mut transaction = store.begin().await.expect("begun");
        transaction.import("", &mut &lines[..], Places::Kept).await.expect("taken over");
        let writer = {
            let (store, own) = (Arc::clone(&store), own.clone());
            tokio::spawn(async move { step(&store, &own, 3).await })
        };
        transaction.commit().await.expect("committed");
        assert_eq!(writer.await.expect("it ends"), Ok(2));
        let behind = "SELECT count(*) FROM append_only_pdcp_logs WHERE log_sequence = 25";
        assert_eq!(place.number(behind).await, 1);
    }

    /// whoever only looks makes nothing.
    async fn looking_makes_nothing(place: &Place) {
        let absent = assay_documents::open_existing(&place.location()).await.map(drop);
        assert_eq!(absent, Err(Fault::Absent));
        assert!(!place.file().exists());
        drop(place.open().await);
        assay_documents::open_existing(&place.location()).await.expect("it is there");
    }

    /// A list has each document's size and how much was tried on it.
    async fn a_list_counts(place: &Place) {
        let store = place.open().await;
        let ids = [created(&store, "é\n").await, busy(&store).await];
        let mut view = store.view().await.expect("begun");
        let listed = view.summaries("", None, 10).await.expect("read");
        let counts: Vec<_> = listed.iter().map(|row| (row.head.id.clone(), row.bytes, row.attempts)).collect();
        let bytes = view.target("", &ids[1]).await.expect("read").expect("there").content.len() as i64;
        assert_eq!(counts, [(ids[1].clone(), bytes, 24), (ids[0].clone(), 3, 0)]);
        assert_eq!(view.summaries("", Some(&ids[1]), 1).await.expect("read").len(), 1);
    }
}
