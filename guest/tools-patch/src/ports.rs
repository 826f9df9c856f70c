//! What a tool may reach: the ports of its component's world as traits, so that the tools run natively on a real database.
//!
//! The rows are those of `wit/documents.wit`; what they mean is said there.

#![allow(missing_docs, reason = "the names and their meaning are those of the WIT")]

#[cfg(target_family = "wasm")]
pub use crate::component::rows::*;
#[cfg(not(target_family = "wasm"))]
pub use crate::rows::*;

/// Everything a call has.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The caller's documents.
    pub documents: &'a dyn Documents,
    /// The operator's folder.
    pub workspace: &'a dyn Workspace,
}

pub type Outcome<T> = Result<T, Fault>;

/// The caller's documents.
pub trait Documents {
    fn view(&self) -> Outcome<Box<dyn Session>>;
    fn begin(&self) -> Outcome<Box<dyn Session>>;
}

/// One view, or one transaction.
pub trait Session {
    fn target(&mut self, id: &str) -> Outcome<Option<Target>>;
    fn attempts(&mut self, target: &str, filter: &AttemptFilter) -> Outcome<Vec<Attempt>>;
    fn attempt(&mut self, target: &str, id: &str, with_content: bool) -> Outcome<Option<Attempt>>;
    fn keyed(&mut self, target: &str, client_request_id: &str) -> Outcome<Option<Attempt>>;
    fn accepted_after(&mut self, target: &str, sequence: u64, limit: u32) -> Outcome<Vec<Attempt>>;
    fn ledger(&mut self, target: &str, filter: &LedgerFilter) -> Outcome<Vec<Entry>>;
    fn ledger_of(&mut self, attempt: &str) -> Outcome<Vec<Entry>>;
    fn initial_snapshot(&mut self, target: &str) -> Outcome<Option<Snapshot>>;
    fn scope_snapshot(&mut self, id: &str) -> Outcome<Option<ScopeSnapshot>>;
    fn scopes(&mut self, snapshot: &str, ids: &[String]) -> Outcome<Vec<Scope>>;
    fn create(&mut self, origin: Origin, state: State) -> Outcome<Created>;
    fn lock(&mut self, id: &str) -> Outcome<Option<Target>>;
    fn append(
        &mut self,
        facts: AttemptFacts,
        pdcp_content: String,
        entries: Vec<EntryFacts>,
        state: Option<State>,
    ) -> Outcome<Appended>;
    fn checkpoint(
        &mut self,
        target: &str,
        publication_json: Option<String>,
        synced: Option<Synced>,
    ) -> Outcome<Checkpointed>;
    fn put_scopes(
        &mut self,
        target: &str,
        version: u64,
        current_hash: &str,
        scopes: Vec<Scope>,
    ) -> Outcome<ScopeSnapshot>;
    fn commit(self: Box<Self>) -> Outcome<()>;
}

/// The operator's folder.
pub trait Workspace {
    fn identity(&self) -> Option<String>;
    fn read(&self, path: &str, max: u64) -> Result<File, Refusal>;
    fn publish(&self, path: &str, expected_sha256: &str, content: &[u8]) -> Result<Published, Failed>;
}
