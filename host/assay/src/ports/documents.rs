//! The port `documents`: one view or one transaction at a time of the caller's documents, as a resource of one call.
//!
//! Whose documents they are, the program decides; what an edit means, the component. Here rows change their clothes.

mod rows;

use assay_documents::{
    AttemptFilter, LedgerFilter, NewAttempt, NewCheckpoint, NewScopeSnapshot, Status, Transaction, View,
};
use wasmtime::component::Resource;

use self::rows::{fault, number, sequence};
use super::{CallerHandle, bindings::assay::ports::documents as port};
use crate::engine::State;

/// Rows that are asked for at once at the most.
const ROWS: u32 = 1_000;

/// What a component holds of a database: reading, writing, or nothing more since it was committed.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub enum Session {
    Reading(Box<dyn View>),
    Writing(Box<dyn Transaction>),
    Ended,
}

type Answer<T> = wasmtime::Result<Result<T, port::Fault>>;

impl Session {
    fn view(&mut self) -> Result<&mut dyn View, port::Fault> {
        match self {
            Self::Reading(view) => Ok(view.as_mut()),
            Self::Writing(transaction) => Ok(transaction.as_mut()),
            Self::Ended => Err(misused("it was committed")),
        }
    }

    fn transaction(&mut self) -> Result<&mut dyn Transaction, port::Fault> {
        match self {
            Self::Writing(transaction) => Ok(transaction.as_mut()),
            Self::Reading(_) => Err(misused("a view changes nothing")),
            Self::Ended => Err(misused("it was committed")),
        }
    }
}

fn misused(what: &str) -> port::Fault {
    port::Fault { message: what.to_owned(), unknown: false }
}

/// Asks the session's view or transaction, and dresses what comes back.
macro_rules! ask {
    ($state:ident, $session:ident, $kind:ident, |$open:ident| $asked:expr, $dress:expr) => {{
        let before = $state.meter.before_wait();
        let asked = match $state.table.get_mut(&$session)?.$kind() {
            Ok($open) => $asked.await.map_err(fault),
            Err(fault) => Err(fault),
        };
        $state.meter.after_wait(before, asked.is_ok());
        Ok(asked.map($dress))
    }};
}

impl port::Host for State {
    async fn view(&mut self, _: Resource<CallerHandle>) -> Answer<Resource<Session>> {
        let Some(editing) = self.editing.clone() else { return Ok(Err(misused("no database is configured"))) };
        Ok(match editing.documents.view().await {
            Ok(view) => Ok(self.table.push(Session::Reading(view))?),
            Err(error) => Err(fault(error)),
        })
    }

    async fn begin(&mut self, _: Resource<CallerHandle>) -> Answer<Resource<Session>> {
        let Some(editing) = self.editing.clone() else { return Ok(Err(misused("no database is configured"))) };
        let before = self.meter.before_wait();
        let begun = editing.documents.begin().await;
        self.meter.after_wait(before, begun.is_ok());
        Ok(match begun {
            Ok(transaction) => Ok(self.table.push(Session::Writing(transaction))?),
            Err(error) => Err(fault(error)),
        })
    }
}

impl port::HostSession for State {
    async fn target(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::Target>> {
        let owner = self.owner();
        ask!(self, session, view, |open| open.target(&owner, &id), |target| target.map(Into::into))
    }

    async fn attempts(
        &mut self,
        session: Resource<Session>,
        target: String,
        filter: port::AttemptFilter,
    ) -> Answer<Vec<port::Attempt>> {
        let filter = AttemptFilter {
            before_sequence: filter.before_sequence.map(sequence),
            status: filter.accepted.map(|accepted| if accepted { Status::Accepted } else { Status::Rejected }),
            content_hash: filter.content_hash,
            client_request_id: filter.client_request_id,
            limit: filter.limit.min(ROWS),
            with_content: filter.with_content,
        };
        ask!(self, session, view, |open| open.attempts(&target, &filter), rows::all)
    }

    async fn attempt(
        &mut self,
        session: Resource<Session>,
        target: String,
        id: String,
        with_content: bool,
    ) -> Answer<Option<port::Attempt>> {
        ask!(self, session, view, |open| open.attempt(&target, &id, with_content), |attempt| attempt.map(Into::into))
    }

    async fn keyed(
        &mut self,
        session: Resource<Session>,
        target: String,
        client_request_id: String,
    ) -> Answer<Option<port::Attempt>> {
        ask!(self, session, view, |open| open.keyed(&target, &client_request_id), |attempt| attempt.map(Into::into))
    }

    async fn accepted_after(
        &mut self,
        session: Resource<Session>,
        target: String,
        after: u64,
        limit: u32,
    ) -> Answer<Vec<port::Attempt>> {
        let (after, limit) = (sequence(after), limit.min(ROWS));
        ask!(self, session, view, |open| open.accepted_after(&target, after, limit), rows::all)
    }

    async fn ledger(
        &mut self,
        session: Resource<Session>,
        target: String,
        filter: port::LedgerFilter,
    ) -> Answer<Vec<port::Entry>> {
        let filter = LedgerFilter {
            active_cycle_only: filter.active_cycle_only,
            before_sequence: filter.before_sequence.map(sequence),
            limit: filter.limit.min(ROWS),
        };
        ask!(self, session, view, |open| open.ledger(&target, &filter), rows::all)
    }

    async fn ledger_of(&mut self, session: Resource<Session>, attempt: String) -> Answer<Vec<port::Entry>> {
        ask!(self, session, view, |open| open.ledger_of(&attempt), rows::all)
    }

    async fn initial_snapshot(&mut self, session: Resource<Session>, target: String) -> Answer<Option<port::Snapshot>> {
        ask!(self, session, view, |open| open.initial_snapshot(&target), |snapshot| snapshot.map(Into::into))
    }

    async fn scope_snapshot(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::ScopeSnapshot>> {
        ask!(self, session, view, |open| open.scope_snapshot(&id), |snapshot| snapshot.map(Into::into))
    }

    async fn scopes(
        &mut self,
        session: Resource<Session>,
        snapshot: String,
        ids: Vec<String>,
    ) -> Answer<Vec<port::Scope>> {
        ask!(self, session, view, |open| open.scopes(&snapshot, &ids), rows::all)
    }

    async fn create(
        &mut self,
        session: Resource<Session>,
        origin: port::Origin,
        state: port::State,
    ) -> Answer<port::Created> {
        let target = rows::new_target(self.owner(), origin, state);
        ask!(self, session, transaction, |open| open.create(target), Into::into)
    }

    async fn lock(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::Target>> {
        let owner = self.owner();
        ask!(self, session, transaction, |open| open.lock(&owner, &id), |target| target.map(Into::into))
    }

    async fn append(
        &mut self,
        session: Resource<Session>,
        facts: port::AttemptFacts,
        pdcp_content: String,
        entries: Vec<port::EntryFacts>,
        state: Option<port::State>,
    ) -> Answer<port::Appended> {
        let attempt = NewAttempt { facts: facts.into(), pdcp_content };
        let entries = entries.into_iter().map(Into::into).collect();
        let state = state.map(Into::into);
        ask!(self, session, transaction, |open| open.append(attempt, entries, state), Into::into)
    }

    async fn checkpoint(
        &mut self,
        session: Resource<Session>,
        target: String,
        publication_json: Option<String>,
        synced: Option<port::Synced>,
    ) -> Answer<port::Checkpointed> {
        let checkpoint = NewCheckpoint { publication_json, synced: synced.map(Into::into) };
        ask!(self, session, transaction, |open| open.checkpoint(&target, checkpoint), Into::into)
    }

    async fn put_scopes(
        &mut self,
        session: Resource<Session>,
        target_file_id: String,
        version: u64,
        current_hash: String,
        scopes: Vec<port::Scope>,
    ) -> Answer<port::ScopeSnapshot> {
        let snapshot = NewScopeSnapshot { target_file_id, version: number(version), current_hash };
        let scopes = scopes.into_iter().map(Into::into).collect();
        ask!(self, session, transaction, |open| open.put_scopes(snapshot, scopes), Into::into)
    }

    async fn commit(&mut self, session: Resource<Session>) -> Answer<()> {
        let open = std::mem::replace(self.table.get_mut(&session)?, Session::Ended);
        let before = self.meter.before_wait();
        let committed = match open {
            Session::Writing(transaction) => transaction.commit().await.map_err(fault),
            Session::Reading(_) | Session::Ended => Err(misused("there is nothing to commit")),
        };
        self.meter.after_wait(before, committed.is_ok());
        Ok(committed)
    }

    async fn drop(&mut self, session: Resource<Session>) -> wasmtime::Result<()> {
        self.table.delete(session)?;
        Ok(())
    }
}
