//! Editable documents and their append-only history, behind one trait, in SQLite or in PostgreSQL.
//!
//! This crate knows rows, locks and transactions, and nothing of editing: what a submission means, whether it applies
//! and what is answered is decided by its caller, which reads a row under its lock and hands back what shall be stored.
//! A [`Fault`] is always one of the infrastructure. It never stands for a rejected submission, and a rejected
//! submission never comes out of here as one (P-112).
//!
//! Every statement is written once, for both databases. What differs between them is in `sqlite` and `postgres`:
//! how a connection is made, how a transaction begins, what an error means, and the schema's own text. So a caller gets
//! the same rows from both, to the byte.
//!
//! - [`open`] finds, creates or refuses a database; [`migrate`] brings an older one forward.
//! - [`Documents::view`] reads one consistent state and takes no lock (P-099).
//! - [`Documents::begin`] starts the one kind of transaction that writes; [`Transaction::lock`] waits for a document
//!   and gives its row as it is then (P-160). What is not committed is rolled back.
//! - [`View::export`] writes documents with their whole history, and [`Transaction::import`] takes them over.

mod documents;
mod fault;
mod ground;
mod history;
mod location;
mod open;
mod portable;
mod postgres;
mod rows;
mod schema;
mod scopes;
mod session;
mod sqlite;
mod target;
mod uncommitted;
mod value;

pub use documents::{Documents, Transaction, View};
pub use fault::Fault;
pub use ground::{Ground, System};
pub use history::{
    Appended, Attempt, AttemptFacts, AttemptFilter, Entry, EntryFacts, LedgerFilter, NewAttempt, NewState, Status,
};
pub use open::{Migrated, Options, migrate, migrate_with, open, open_existing, open_with};
pub use portable::{Imported, Places, Unread, Unwritten, Written};
pub use scopes::{NewScopeSnapshot, Scope, ScopeSnapshot};
pub use target::{
    Checkpointed, Created, Head, NewCheckpoint, NewTarget, Snapshot, SnapshotType, Summary, Synced, Target,
};
pub use uncommitted::Uncommitted;
