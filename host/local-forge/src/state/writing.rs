//! One change of a repository from this side, under the lock that keeps every other change and every look out.
//!
//! The caller reads what is there, decides, notes what is to become of it, and keeps that. What is not kept has not
//! happened. Two writers of one file meet here, so that no update is lost between reading and writing.

use std::sync::Arc;

use tokio::sync::MutexGuard;

use crate::{
    Error,
    git::{run::Git, source::Refs},
    pulls::numbers::Numbered,
    state::{ledger::Ledger, repository::Repository, snapshot::Snapshot, tracker::Tracker},
};

/// A repository that nobody else changes meanwhile.
pub(crate) struct Writing<'a> {
    repository: &'a Repository,
    git: &'a Git,
    ledger: &'a Ledger,
    seen: MutexGuard<'a, Option<Refs>>,
    /// As it is before the change.
    pub(crate) before: Arc<Snapshot>,
    /// What becomes of the pull requests.
    pub(crate) numbered: Numbered,
    /// What becomes of what people said.
    tracker: Arc<Tracker>,
    refs: Vec<(Vec<u8>, Option<String>)>,
}

impl<'a> Writing<'a> {
    /// Waits for its turn and looks at the source once more.
    pub(crate) async fn begin(repository: &'a Repository, git: &'a Git, ledger: &'a Ledger) -> Result<Self, Error> {
        let (seen, before) = repository.locked(git, ledger).await?;
        let (numbered, tracker) = (before.numbered.clone(), before.tracker.clone());
        Ok(Self { repository, git, ledger, seen, before, numbered, tracker, refs: Vec::new() })
    }

    /// What is to become of what people said.
    pub(crate) fn tracker(&mut self) -> &mut Tracker {
        Arc::make_mut(&mut self.tracker)
    }

    /// What is to become of a ref, named in full: this object, which the copy has, or nothing.
    pub(crate) fn set(&mut self, name: &[u8], tip: Option<String>) {
        self.refs.push((name.to_vec(), tip));
    }

    /// Makes it so, in the copy, on the disk and in every later answer.
    pub(crate) async fn keep(mut self) -> Result<Arc<Snapshot>, Error> {
        let kept = self.change().await;
        if kept.is_err() {
            // Half of it may be there. Whoever comes next puts the copy right, as after a start.
            *self.seen = None;
        }
        kept
    }

    async fn change(&mut self) -> Result<Arc<Snapshot>, Error> {
        let next = Snapshot {
            numbered: self.numbered.clone(),
            tracker: self.tracker.clone(),
            ..Snapshot::clone(&self.before)
        };
        let mut entry = self.repository.entry(self.ledger)?;
        if self.refs.is_empty() && self.numbered.pulls == self.before.numbered.pulls {
            // Numbers first: one that nothing has is a gap, one that is given twice is a loss.
            if self.numbered != self.before.numbered {
                entry.pulls = self.numbered.clone();
                self.repository.remember(self.ledger, entry)?;
            }
            self.remember_what_was_said()?;
            return Ok(self.repository.publish(next));
        }
        for (name, tip) in self.refs.drain(..) {
            entry.written.note(&name, tip, &self.before.source);
        }
        let snapshot = self.repository.settle(self.git, self.ledger, entry, next, false).await?;
        if let Err(e) = self.remember_what_was_said() {
            let tracker = self.before.tracker.clone();
            self.repository.publish(Snapshot { tracker, ..Snapshot::clone(&snapshot) });
            return Err(e);
        }
        Ok(snapshot)
    }

    fn remember_what_was_said(&self) -> Result<(), Error> {
        if self.tracker == self.before.tracker {
            return Ok(());
        }
        self.ledger.remember_tracker(self.repository.id, &self.tracker)
    }
}
