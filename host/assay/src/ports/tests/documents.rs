//! Documents through the port, as a component would ask for them that names whatever it likes.

use std::sync::Arc;

use assay_documents::{Documents, EntryFacts, NewAttempt, NewScopeSnapshot, NewState, NewTarget, Scope};
use wasmtime::component::Resource;

use super::{
    super::{
        CallerHandle,
        bindings::assay::ports::documents::{self as port, Host as _, HostSession as _},
        documents::Session,
    },
    call, parts,
};
use crate::{
    caller::Caller,
    editing::Editing,
    engine::{Parts, State},
    ports::Own,
};

/// A document with one of everything, and what it is called.
struct Stored {
    target: String,
    attempt: String,
    snapshot: String,
}

async fn stored(documents: &Arc<dyn Documents>, owner: &str) -> Stored {
    let mut open = documents.begin().await.expect("it begins");
    let target = NewTarget {
        owner: owner.to_owned(),
        version: 1,
        current_hash: "0".repeat(64),
        content: "a".to_owned(),
        ..NewTarget::default()
    };
    let target = open.create(target).await.expect("it is stored").target_file_id;
    let attempt = NewAttempt { facts: facts(&target).into(), pdcp_content: "{}".to_owned() };
    let entry = EntryFacts { change_id: "chg_001".to_owned(), intent: "try".to_owned(), ..EntryFacts::default() };
    let state = NewState { content: "b".to_owned(), version: 2, current_hash: "1".repeat(64), line_endings: None };
    let attempt = open.append(attempt, vec![entry], Some(state)).await.expect("it is stored").id;
    let snapshot = NewScopeSnapshot { target_file_id: target.clone(), version: 2, current_hash: "1".repeat(64) };
    let scope = Scope {
        scope_id: "line:0-1".to_owned(),
        kind: "line".to_owned(),
        end: 1,
        sha256: "2".repeat(64),
        parser: "lines".to_owned(),
        ..Scope::default()
    };
    let snapshot = open.put_scopes(snapshot, vec![scope]).await.expect("it is stored").id;
    open.commit().await.expect("it is kept");
    Stored { target, attempt, snapshot }
}

fn facts(target: &str) -> port::AttemptFacts {
    port::AttemptFacts {
        target_file_id: target.to_owned(),
        accepted: true,
        validation_stage: "ACCEPTED".to_owned(),
        failure_reason: None,
        failure_detail: None,
        failed_change_id: None,
        expected_target_version: None,
        expected_current_hash: None,
        before_hash: Some("0".repeat(64)),
        after_hash: Some("1".repeat(64)),
        before_version: Some(1),
        after_version: Some(2),
        pdcp_content_hash: "3".repeat(64),
        protocol_version: "patchdiff-tx/1".to_owned(),
        runtime_version: None,
        submission_source: None,
        parent_pdcp_log_id: None,
        regeneration_attempt: None,
        regeneration_source: None,
        client_request_id: Some("key".to_owned()),
        request_fingerprint: Some("4".repeat(64)),
        warnings_json: None,
        diagnostic_json: None,
    }
}

/// One call by an owner, and its session.
struct Calling {
    state: State,
    session: u32,
}

impl Calling {
    async fn of(parts: &Parts, owner: Option<&str>, writes: bool) -> Result<Self, String> {
        let mut state = call(parts);
        state.own = owner.map(|owner| Own::of(owner.to_owned()));
        let caller = state.table.push(CallerHandle(Arc::new(Caller::anonymous()))).expect("there is room");
        let begun = if writes { state.begin(caller).await } else { state.view(caller).await };
        let session = begun.expect("it runs").map_err(|fault| fault.message)?;
        Ok(Self { state, session: session.rep() })
    }

    fn session(&self) -> Resource<Session> {
        Resource::new_borrow(self.session)
    }

    /// How many rows of another's each question finds.
    async fn found(&mut self, of: &Stored) -> [usize; 10] {
        let (target, attempt, snapshot) = (of.target.clone(), of.attempt.clone(), of.snapshot.clone());
        macro_rules! ask {
            ($name:ident, $($argument:expr),*) => {{
                let session = self.session();
                self.state.$name(session, $($argument),*).await.expect("it runs").expect("the database answers")
            }};
        }
        let filter = port::AttemptFilter {
            before_sequence: None,
            accepted: None,
            content_hash: None,
            client_request_id: None,
            limit: 9,
            with_content: true,
        };
        let ledger = port::LedgerFilter { active_cycle_only: false, before_sequence: None, limit: 9 };
        // What finds a document itself comes last: the others must not depend on it.
        [
            ask!(attempts, target.clone(), filter).len(),
            usize::from(ask!(attempt, target.clone(), attempt.clone(), true).is_some()),
            usize::from(ask!(keyed, target.clone(), "key".to_owned()).is_some()),
            ask!(accepted_after, target.clone(), 0, 9).len(),
            ask!(ledger, target.clone(), ledger).len(),
            ask!(ledger_of, attempt).len(),
            usize::from(ask!(initial_snapshot, target.clone()).is_some()),
            usize::from(ask!(scope_snapshot, snapshot.clone()).is_some()),
            ask!(scopes, snapshot, vec!["line:0-1".to_owned()]).len(),
            usize::from(ask!(target, target).is_some()),
        ]
    }
}

async fn ground() -> (tempfile::TempDir, Parts, Stored) {
    let folder = tempfile::tempdir().expect("there is room");
    let place = folder.path().join("documents.sqlite");
    let documents = assay_documents::open(place.to_str().expect("it is plain")).await.expect("it can be made");
    let stored = stored(&documents, "https://forge.example#7").await;
    let parts = Parts { editing: Some(Arc::new(Editing::of_accounts(documents))), ..parts() };
    (folder, parts, stored)
}

/// by whatever id a component asks, it finds the rows of its call's owner alone, whether it asked for their document before
/// or not.
#[tokio::test]
async fn a_call_finds_its_owner_s_rows_alone() {
    let (_folder, parts, stored) = ground().await;
    for writes in [false, true] {
        for (owner, each) in [("https://forge.example#7", 1), ("https://forge.example#8", 0), ("", 0)] {
            let mut calling = Calling::of(&parts, Some(owner), writes).await.expect("it begins");
            assert_eq!(calling.found(&stored).await, [each; 10], "{owner}");
        }
    }
}

/// nor does it write to another's document, and a call that has no owner begins nothing at all.
#[tokio::test]
async fn a_call_writes_to_its_owner_s_documents_alone() {
    let (_folder, parts, stored) = ground().await;
    for (owner, may) in [("https://forge.example#7", true), ("https://forge.example#8", false)] {
        macro_rules! ask {
            ($name:ident, $($argument:expr),*) => {{
                // A refused one ends its transaction.
                let mut calling = Calling::of(&parts, Some(owner), true).await.expect("it begins");
                let session = calling.session();
                calling.state.$name(session, $($argument),*).await.expect("it runs").is_ok()
            }};
        }
        let target = || stored.target.clone();
        let rejected = port::AttemptFacts {
            accepted: false,
            validation_stage: "PROTOCOL_VALIDATION".to_owned(),
            failure_reason: Some("manifest_invalid".to_owned()),
            client_request_id: None,
            ..facts(&stored.target)
        };
        assert_eq!(ask!(append, rejected, "{}".to_owned(), Vec::new(), None), may, "{owner}");
        assert_eq!(ask!(checkpoint, target(), None, None), may, "{owner}");
        assert_eq!(ask!(put_scopes, target(), 2, "1".repeat(64), Vec::new()), may, "{owner}");
        let mut calling = Calling::of(&parts, Some(owner), true).await.expect("it begins");
        let session = calling.session();
        let locked = calling.state.lock(session, target()).await.expect("it runs").expect("the database answers");
        assert_eq!(locked.is_some(), may, "{owner}");
    }
    for writes in [false, true] {
        let refused = Calling::of(&parts, None, writes).await.map(drop);
        assert_eq!(refused, Err("no database is configured".to_owned()));
    }
}
