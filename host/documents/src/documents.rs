//! The one trait that both databases implement, and what can be done in a transaction.
//!
//! A call whose future is dropped before it is done ends its transaction: whatever is called on it then is
//! [`Fault::Aborted`]. So does a call that failed.

use std::{fmt, io};

use async_trait::async_trait;

use crate::{
    Appended, Attempt, AttemptFilter, Checkpointed, Created, Entry, EntryFacts, Fault, Head, Imported, LedgerFilter,
    NewAttempt, NewCheckpoint, NewScopeSnapshot, NewState, NewTarget, Places, Scope, ScopeSnapshot, Snapshot, Summary,
    Target, Unread, Unwritten, Written,
};

/// A database of documents.
#[async_trait]
pub trait Documents: Send + Sync + fmt::Debug {
    /// Begins to write. On SQLite this waits for every other writer, on PostgreSQL only for a connection; either way no
    /// longer than [`Options::patience`](crate::Options::patience).
    async fn begin(&self) -> Result<Box<dyn Transaction>, Fault>;

    /// Begins to read. What was committed before is seen, whole, and nothing that is committed afterwards; nobody is
    /// waited for and nobody waits (P-099).
    async fn view(&self) -> Result<Box<dyn View>, Fault>;

    /// Closes the connections. Those that are in use are closed once their transaction has ended, as it would have anyway;
    /// none begins afterwards ([`Fault::Aborted`]).
    async fn close(&self);
}

/// What can be read. A text that has NUL in it is stored nowhere, so asking for one finds nothing.
#[async_trait]
pub trait View: Send {
    /// A document of this owner. Another's is not found, like one that does not exist.
    async fn target(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault>;

    /// The same without its text.
    async fn head(&mut self, owner: &str, id: &str) -> Result<Option<Head>, Fault>;

    /// An owner's documents, newest first, from the one created just before the document `after`; none where that is
    /// not one of theirs. Up to one more than `limit`.
    async fn targets(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Head>, Fault>;

    /// The same with what a list of them shows beside.
    async fn summaries(&mut self, owner: &str, after: Option<&str>, limit: u32) -> Result<Vec<Summary>, Fault>;

    /// What was attempted on a document, newest first (P-172, P-173). Up to one more than the limit.
    async fn attempts(&mut self, target: &str, filter: &AttemptFilter) -> Result<Vec<Attempt>, Fault>;

    /// One attempt on a document.
    async fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> Result<Option<Attempt>, Fault>;

    /// The attempt that has this key, with its payload (P-116, P-121).
    async fn keyed(&mut self, target: &str, client_request_id: &str) -> Result<Option<Attempt>, Fault>;

    /// The accepted attempts past a place in history, in order, with their payloads (P-124). Up to `limit`.
    async fn accepted_after(&mut self, target: &str, sequence: i64, limit: u32) -> Result<Vec<Attempt>, Fault>;

    /// What was accepted, newest first; a page of the ledger shows them the other way round (P-174). Up to one more
    /// than the limit.
    async fn ledger(&mut self, target: &str, filter: &LedgerFilter) -> Result<Vec<Entry>, Fault>;

    /// What was accepted with one attempt, in the order of its changes.
    async fn ledger_of(&mut self, attempt: &str) -> Result<Vec<Entry>, Fault>;

    /// What a document was when it was created (P-132).
    async fn initial_snapshot(&mut self, target: &str) -> Result<Option<Snapshot>, Fault>;

    /// The version of a document that scopes were listed of.
    async fn scope_snapshot(&mut self, id: &str) -> Result<Option<ScopeSnapshot>, Fault>;

    /// These scopes of a snapshot, in the order they were listed in. Those that are not there are left out.
    async fn scopes(&mut self, snapshot: &str, ids: &[String]) -> Result<Vec<Scope>, Fault>;

    /// Writes the whole histories of these documents of one owner as lines, for [`Transaction::import`].
    async fn export(
        &mut self,
        owner: &str,
        ids: &[String],
        out: &mut (dyn io::Write + Send),
    ) -> Result<Written, Unwritten>;
}

/// What can be written, all of it or nothing. Dropping it rolls back.
#[async_trait]
pub trait Transaction: View {
    /// Creates a document with its first editing cycle and its `initial_upload` snapshot.
    async fn create(&mut self, target: NewTarget) -> Result<Created, Fault>;

    /// Waits until no other transaction has the document, and gives its row as it is then (P-160). It stays locked
    /// until this transaction ends.
    async fn lock(&mut self, owner: &str, id: &str) -> Result<Option<Target>, Fault>;

    /// Stores an attempt, and with an accepted one its changes and the document's new state.
    async fn append(
        &mut self,
        attempt: NewAttempt,
        entries: Vec<EntryFacts>,
        state: Option<NewState>,
    ) -> Result<Appended, Fault>;

    /// Stores the document as it is as a `save_checkpoint`, closes the active cycle and opens the next (P-162).
    async fn checkpoint(&mut self, target: &str, checkpoint: NewCheckpoint) -> Result<Checkpointed, Fault>;

    /// Stores what was listed of a version.
    async fn put_scopes(&mut self, snapshot: NewScopeSnapshot, scopes: Vec<Scope>) -> Result<ScopeSnapshot, Fault>;

    /// Takes over the documents whose histories [`View::export`] wrote, for this owner. What was written is all there
    /// then, or nothing; whether a history replays is for the caller to find out before the commit, such as through
    /// [`Uncommitted`](crate::Uncommitted).
    async fn import(
        &mut self,
        owner: &str,
        lines: &mut (dyn io::BufRead + Send),
        places: Places,
    ) -> Result<Vec<Imported>, Unread>;

    /// Keeps all of it. After [`Fault::CommitUnknown`] nobody knows whether it was kept.
    async fn commit(self: Box<Self>) -> Result<(), Fault>;
}
