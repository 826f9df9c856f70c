//! Whose documents a call may touch: those of its owner, whatever ids the component names.
//!
//! The store finds a document by its owner, and everything else by the document. So each document is asked for once as the
//! owner's before anything of it is given out or written, and what another's document has is as if it were not there.

use std::collections::BTreeSet;

use assay_documents::{Entry, Fault, ScopeSnapshot, Target, Transaction, View};

/// The owner, and those of their documents that this call has met.
#[derive(Debug)]
pub(crate) struct Own {
    owner: String,
    met: BTreeSet<String>,
}

impl Own {
    pub(crate) fn of(owner: String) -> Self {
        Self { owner, met: BTreeSet::new() }
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    pub(super) async fn target(&mut self, open: &mut dyn View, id: &str) -> Result<Option<Target>, Fault> {
        let found = open.target(&self.owner, id).await?;
        Ok(found.inspect(|target| self.meet(&target.head.id)))
    }

    pub(super) async fn lock(&mut self, open: &mut dyn Transaction, id: &str) -> Result<Option<Target>, Fault> {
        let found = open.lock(&self.owner, id).await?;
        Ok(found.inspect(|target| self.meet(&target.head.id)))
    }

    /// A document that was found, or made, as this owner's.
    pub(super) fn meet(&mut self, id: &str) {
        if !self.met.contains(id) {
            self.met.insert(id.to_owned());
        }
    }

    /// Whether a document is the owner's.
    pub(super) async fn has(&mut self, open: &mut dyn View, target: &str) -> Result<bool, Fault> {
        if !self.met.contains(target) && open.head(&self.owner, target).await?.is_some() {
            self.meet(target);
        }
        Ok(self.met.contains(target))
    }

    /// As [`Own::has`], for what writes: a component that writes to what it was not given is wrong.
    pub(super) async fn must_have(&mut self, open: &mut dyn View, target: &str) -> Result<(), Fault> {
        if self.has(open, target).await? {
            return Ok(());
        }
        Err(Fault::Constraint("the document is none of the caller's".to_owned()))
    }

    /// A snapshot of one of the owner's documents.
    pub(super) async fn snapshot(&mut self, open: &mut dyn View, id: &str) -> Result<Option<ScopeSnapshot>, Fault> {
        let Some(snapshot) = open.scope_snapshot(id).await? else { return Ok(None) };
        Ok(self.has(open, &snapshot.target_file_id).await?.then_some(snapshot))
    }

    /// What was accepted with an attempt on one of the owner's documents.
    pub(super) async fn ledger_of(&mut self, open: &mut dyn View, attempt: &str) -> Result<Vec<Entry>, Fault> {
        let entries = open.ledger_of(attempt).await?;
        // All of one attempt are of one document.
        let is_own = match entries.first() {
            Some(entry) => self.has(open, &entry.target_file_id).await?,
            None => true,
        };
        Ok(if is_own { entries } else { Vec::new() })
    }
}
