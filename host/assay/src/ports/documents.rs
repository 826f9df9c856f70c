//! The port `documents`: one view or one transaction at a time of the caller's documents, as a resource of one call.
//!
//! Whose documents they are, the program decides, and `own` keeps the call to them; what an edit means, the component
//! decides. Here rows change their clothes.

mod own;
mod rows;

use assay_documents::{
    AttemptFilter, LedgerFilter, NewAttempt, NewCheckpoint, NewScopeSnapshot, Status, Transaction, View,
};
use wasmtime::component::Resource;

pub(crate) use self::own::Own;
use self::rows::{fault, number, sequence};
use super::{CallerHandle, bindings::assay::ports::documents as port};
use crate::engine::State;

/// Rows that are asked for at once at the most.
const ROWS: u32 = 1_000;
/// What a component is told that runs without a database, or for nobody.
const NOBODY: &str = "no database is configured";

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

/// Asks the session's view or transaction for what is the caller's own, and dresses what comes back.
macro_rules! ask {
    ($state:ident, $session:ident, $kind:ident, |$open:ident, $own:ident| $asked:expr, $dress:expr) => {{
        let before = $state.meter.before_wait();
        let asked = match ($state.table.get_mut(&$session)?.$kind(), &mut $state.own) {
            (Ok($open), Some($own)) => async { $asked }.await.map_err(fault),
            (Ok(_), None) => Err(misused(NOBODY)),
            (Err(fault), _) => Err(fault),
        };
        $state.meter.after_wait(before, asked.is_ok());
        Ok(asked.map($dress))
    }};
}

impl port::Host for State {
    async fn view(&mut self, _: Resource<CallerHandle>) -> Answer<Resource<Session>> {
        let Some(editing) = self.editing() else { return Ok(Err(misused(NOBODY))) };
        let before = self.meter.before_wait();
        let begun = editing.documents().view().await;
        self.meter.after_wait(before, begun.is_ok());
        Ok(match begun {
            Ok(view) => Ok(self.table.push(Session::Reading(view))?),
            Err(error) => Err(fault(error)),
        })
    }

    async fn begin(&mut self, _: Resource<CallerHandle>) -> Answer<Resource<Session>> {
        let Some(editing) = self.editing() else { return Ok(Err(misused(NOBODY))) };
        let before = self.meter.before_wait();
        let begun = editing.documents().begin().await;
        self.meter.after_wait(before, begun.is_ok());
        Ok(match begun {
            Ok(transaction) => Ok(self.table.push(Session::Writing(transaction))?),
            Err(error) => Err(fault(error)),
        })
    }
}

impl port::HostSession for State {
    async fn target(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::Target>> {
        ask!(self, session, view, |open, own| own.target(open, &id).await, |target| target.map(Into::into))
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
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? {
                open.attempts(&target, &filter).await
            } else {
                Ok(Vec::new())
            },
            rows::all
        )
    }

    async fn attempt(
        &mut self,
        session: Resource<Session>,
        target: String,
        id: String,
        with_content: bool,
    ) -> Answer<Option<port::Attempt>> {
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? {
                open.attempt(&target, &id, with_content).await
            } else {
                Ok(None)
            },
            |attempt| attempt.map(Into::into)
        )
    }

    async fn keyed(
        &mut self,
        session: Resource<Session>,
        target: String,
        client_request_id: String,
    ) -> Answer<Option<port::Attempt>> {
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? {
                open.keyed(&target, &client_request_id).await
            } else {
                Ok(None)
            },
            |attempt| attempt.map(Into::into)
        )
    }

    async fn accepted_after(
        &mut self,
        session: Resource<Session>,
        target: String,
        after: u64,
        limit: u32,
    ) -> Answer<Vec<port::Attempt>> {
        let (after, limit) = (sequence(after), limit.min(ROWS));
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? {
                open.accepted_after(&target, after, limit).await
            } else {
                Ok(Vec::new())
            },
            rows::all
        )
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
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? {
                open.ledger(&target, &filter).await
            } else {
                Ok(Vec::new())
            },
            rows::all
        )
    }

    async fn ledger_of(&mut self, session: Resource<Session>, attempt: String) -> Answer<Vec<port::Entry>> {
        ask!(self, session, view, |open, own| own.ledger_of(open, &attempt).await, rows::all)
    }

    async fn initial_snapshot(&mut self, session: Resource<Session>, target: String) -> Answer<Option<port::Snapshot>> {
        ask!(
            self,
            session,
            view,
            |open, own| if own.has(open, &target).await? { open.initial_snapshot(&target).await } else { Ok(None) },
            |snapshot| snapshot.map(Into::into)
        )
    }

    async fn scope_snapshot(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::ScopeSnapshot>> {
        ask!(self, session, view, |open, own| own.snapshot(open, &id).await, |snapshot| snapshot.map(Into::into))
    }

    async fn scopes(
        &mut self,
        session: Resource<Session>,
        snapshot: String,
        ids: Vec<String>,
    ) -> Answer<Vec<port::Scope>> {
        ask!(
            self,
            session,
            view,
            |open, own| match own.snapshot(open, &snapshot).await? {
                Some(snapshot) => open.scopes(&snapshot.id, &ids).await,
                None => Ok(Vec::new()),
            },
            rows::all
        )
    }

    async fn create(
        &mut self,
        session: Resource<Session>,
        origin: port::Origin,
        state: port::State,
    ) -> Answer<port::Created> {
        let create = async |open: &mut dyn Transaction, own: &mut Own| {
            let created = open.create(rows::new_target(own.owner().to_owned(), origin, state)).await?;
            own.meet(&created.target_file_id);
            Ok(created)
        };
        ask!(self, session, transaction, |open, own| create(open, own).await, Into::into)
    }

    async fn lock(&mut self, session: Resource<Session>, id: String) -> Answer<Option<port::Target>> {
        ask!(self, session, transaction, |open, own| own.lock(open, &id).await, |target| target.map(Into::into))
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
        ask!(
            self,
            session,
            transaction,
            |open, own| {
                own.must_have(open, &attempt.facts.target_file_id).await?;
                open.append(attempt, entries, state).await
            },
            Into::into
        )
    }

    async fn checkpoint(
        &mut self,
        session: Resource<Session>,
        target: String,
        publication_json: Option<String>,
        synced: Option<port::Synced>,
    ) -> Answer<port::Checkpointed> {
        let checkpoint = NewCheckpoint { publication_json, synced: synced.map(Into::into) };
        ask!(
            self,
            session,
            transaction,
            |open, own| {
                own.must_have(open, &target).await?;
                open.checkpoint(&target, checkpoint).await
            },
            Into::into
        )
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
        ask!(
            self,
            session,
            transaction,
            |open, own| {
                own.must_have(open, &snapshot.target_file_id).await?;
                open.put_scopes(snapshot, scopes).await
            },
            Into::into
        )
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
