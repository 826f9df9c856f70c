//! A transaction that is not committed yet, as a database to look at: for whoever must judge what it wrote before it is kept.

use std::{fmt, io, sync::Arc};

use async_trait::async_trait;
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    Appended, Attempt, AttemptFilter, Checkpointed, Created, Documents, Entry, EntryFacts, Fault, Head, Imported,
    LedgerFilter, NewAttempt, NewCheckpoint, NewScopeSnapshot, NewState, NewTarget, Places, Scope, ScopeSnapshot,
    Snapshot, Summary, Target, Transaction, Unread, Unwritten, View, Written,
};

/// What a transaction sees. Each view and each transaction of it is that one transaction; they wait for each other, and
/// none of them can change or commit anything.
pub struct Uncommitted(Arc<Mutex<Option<Box<dyn Transaction>>>>);

impl Uncommitted {
    /// Of this transaction.
    #[must_use]
    pub fn of(transaction: Box<dyn Transaction>) -> Self {
        Self(Arc::new(Mutex::new(Some(transaction))))
    }

    /// The transaction, once nobody looks at it any more. Nobody can afterwards.
    pub async fn taken_back(&self) -> Result<Box<dyn Transaction>, Fault> {
        self.0.lock().await.take().ok_or(Fault::Aborted)
    }

    async fn lent(&self) -> Lent {
        Lent(Arc::clone(&self.0).lock_owned().await)
    }
}

impl fmt::Debug for Uncommitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Uncommitted")
    }
}

#[async_trait]
impl Documents for Uncommitted {
    async fn begin(&self) -> Result<Box<dyn Transaction>, Fault> {
        Ok(Box::new(self.lent().await))
    }

    async fn view(&self) -> Result<Box<dyn View>, Fault> {
        Ok(Box::new(self.lent().await))
    }

    /// The connection is the transaction's own.
    async fn close(&self) {}
}

/// The transaction in the hands of one who looks.
struct Lent(OwnedMutexGuard<Option<Box<dyn Transaction>>>);

impl Lent {
    fn inner(&mut self) -> Result<&mut dyn Transaction, Fault> {
        match self.0.as_mut() {
            Some(transaction) => Ok(transaction.as_mut()),
            None => Err(Fault::Aborted),
        }
    }
}

#[async_trait]
impl View for Lent {
    async fn target(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault> {
        self.inner()?.target(owner, id).await
    }

    async fn head(&mut self, owner: &str, id: &str) -> Result<Option<Head>, Fault> {
        self.inner()?.head(owner, id).await
    }

    async fn targets(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Head>, Fault> {
        self.inner()?.targets(owner, after, limit).await
    }

    async fn summaries(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Summary>, Fault> {
        self.inner()?.summaries(owner, after, limit).await
    }

    async fn attempts(&mut self, target: &str, filter: &AttemptFilter) -> Result<Vec<Attempt>, Fault> {
        self.inner()?.attempts(target, filter).await
    }

    async fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> Result<Option<Attempt>, Fault> {
        self.inner()?.attempt(target, id, with_content).await
    }

    async fn keyed(&mut self, target: &str, client_request_id: &str) -> Result<Option<Attempt>, Fault> {
        self.inner()?.keyed(target, client_request_id).await
    }

    async fn accepted_after(&mut self, target: &str, sequence: i64, limit: u32) -> Result<Vec<Attempt>, Fault> {
        self.inner()?.accepted_after(target, sequence, limit).await
    }

    async fn ledger(&mut self, target: &str, filter: &LedgerFilter) -> Result<Vec<Entry>, Fault> {
        self.inner()?.ledger(target, filter).await
    }

    async fn ledger_of(&mut self, attempt: &str) -> Result<Vec<Entry>, Fault> {
        self.inner()?.ledger_of(attempt).await
    }

    async fn initial_snapshot(&mut self, target: &str) -> Result<Option<Snapshot>, Fault> {
        self.inner()?.initial_snapshot(target).await
    }

    async fn scope_snapshot(&mut self, id: &str) -> Result<Option<ScopeSnapshot>, Fault> {
        self.inner()?.scope_snapshot(id).await
    }

    async fn scopes(&mut self, snapshot: &str, ids: &[String]) -> Result<Vec<Scope>, Fault> {
        self.inner()?.scopes(snapshot, ids).await
    }

    async fn export(
        &mut self,
        owner: &str,
        ids: &[String],
        out: &mut (dyn io::Write + Send),
    ) -> Result<Written, Unwritten> {
        self.inner()?.export(owner, ids, out).await
    }
}

#[async_trait]
impl Transaction for Lent {
    async fn lock(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault> {
        self.inner()?.lock(owner, id).await
    }

    async fn create(&mut self, _: NewTarget) -> Result<Created, Fault> {
        Err(Fault::ReadOnly)
    }

    async fn append(&mut self, _: NewAttempt, _: Vec<EntryFacts>, _: Option<NewState>) -> Result<Appended, Fault> {
        Err(Fault::ReadOnly)
    }

    async fn checkpoint(&mut self, _: &str, _: NewCheckpoint) -> Result<Checkpointed, Fault> {
        Err(Fault::ReadOnly)
    }

    async fn put_scopes(&mut self, _: NewScopeSnapshot, _: Vec<Scope>) -> Result<ScopeSnapshot, Fault> {
        Err(Fault::ReadOnly)
    }

    async fn import(&mut self, _: &str, _: &mut (dyn io::BufRead + Send), _: Places) -> Result<Vec<Imported>, Unread> {
        Err(Fault::ReadOnly.into())
    }

    async fn commit(self: Box<Self>) -> Result<(), Fault> {
        Err(Fault::ReadOnly)
    }
}
