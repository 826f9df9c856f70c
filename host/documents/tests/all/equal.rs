//! The same calls have the same answers on both databases, to the byte.

use std::fmt::Write as _;

use assay_documents::{AttemptFilter, LedgerFilter, NewCheckpoint, NewScopeSnapshot, NewTarget, Scope, Status, Synced};

use crate::ground::{Place, accepted, entry, hash, new_target, newest, rejected};

/// whatever is answered from a row is the same, since the row is.
#[tokio::test]
async fn both_give_the_same_rows() {
    let (sqlite, postgres) = (told(&Place::sqlite()).await, told(&Place::postgres().await).await);
    for (one, other) in sqlite.lines().zip(postgres.lines()) {
        assert_eq!(one, other);
    }
    assert_eq!(sqlite.lines().count(), postgres.lines().count());
    assert!(sqlite.lines().count() > 20, "{sqlite}");
}

/// Everything that a busy document comes to, call by call.
async fn told(place: &Place) -> String {
    let store = place.open().await;
    let mut told = String::new();
    let mut note = |what: &dyn std::fmt::Debug| writeln!(told, "{what:?}").expect("a String takes everything");

    let mut transaction = store.begin().await.expect("begun");
    let new = NewTarget { source_line_endings: Some("{ \"lf\": 2 }".to_owned()), ..new_target("a\nb\n") };
    let created = transaction.create(new).await.expect("created");
    let id = created.target_file_id.clone();
    note(&created);
    note(&transaction.create(new_target("another")).await);
    transaction.commit().await.expect("committed");

    for round in 0..4 {
        let mut transaction = store.begin().await.expect("begun");
        let target = transaction.lock("", &id).await.expect("read").expect("there");
        let mut no = rejected(&id, &format!("no {round}"));
        no.facts.client_request_id = Some(format!("no-{round}"));
        no.facts.diagnostic_json = Some(format!("{{\"z\":1.50, \"a\":{round}}}"));
        note(&transaction.append(no, Vec::new(), None).await);
        let (mut yes, state) = accepted(&target, &format!("{}é{round}\n", target.content));
        yes.facts.warnings_json = Some("[ \"no_op_change\"]".to_owned());
        note(&transaction.append(yes, vec![entry("chg_001"), entry("chg_002")], Some(state)).await);
        if round == 1 {
            let synced = Some(Synced { disk_sha256: hash("disk"), version: 3 });
            let checkpoint = NewCheckpoint { publication_json: Some("{\"at\" : 1}".to_owned()), synced };
            note(&transaction.checkpoint(&id, checkpoint).await);
        }
        transaction.commit().await.expect("committed");
    }
    let mut transaction = store.begin().await.expect("begun");
    let scope = |scope_id: &str| Scope {
        scope_id: scope_id.to_owned(),
        kind: "lines".to_owned(),
        sha256: hash(""),
        parser: "lines".to_owned(),
        ..Scope::default()
    };
    let snapshot = NewScopeSnapshot { target_file_id: id.clone(), version: 5, current_hash: hash("x") };
    let put = transaction.put_scopes(snapshot, vec![scope("b"), scope("a")]).await.expect("put");
    note(&put);
    transaction.commit().await.expect("committed");

    let mut view = store.view().await.expect("begun");
    note(&view.targets("", None, 10).await);
    note(&view.target("", &id).await);
    note(&view.initial_snapshot(&id).await);
    note(&view.attempts(&id, &AttemptFilter { with_content: true, ..newest(50) }).await);
    let attempts = view.attempts(&id, &newest(3)).await.expect("read");
    note(&attempts);
    note(&view.attempts(&id, &AttemptFilter { status: Some(Status::Rejected), ..newest(2) }).await);
    note(&view.keyed(&id, "no-2").await);
    note(&view.accepted_after(&id, attempts[2].log_sequence, 10).await);
    for active_cycle_only in [true, false] {
        note(&view.ledger(&id, &LedgerFilter { active_cycle_only, before_sequence: None, limit: 50 }).await);
    }
    note(&view.ledger_of(&attempts[0].id).await);
    note(&view.scope_snapshot(&put.id).await);
    note(&view.scopes(&put.id, &["a".to_owned(), "b".to_owned(), "c".to_owned()]).await);
    told
}
