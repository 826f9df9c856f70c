//! What was done to a forge while it serves: held merge bases, faults that wait for their answer, deleted forks.
//!
//! `control` writes it, the answers read it. All of it is forgotten with the forge.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{git::copy::Range, pulls::numbers::Pull};

/// A pull request: the row id of its repository and its number.
pub(crate) type PullKey = (u64, u64);

/// Where a diff is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// After this many bytes. After none there is nothing to send but an honest 500.
    Bytes(u64),
    /// Before the file that comes after this many.
    Files(u64),
}

/// How the answer for an object fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFault {
    /// 400, as the recorded forge says of an object that it does not have.
    Missing,
    /// 404.
    NotFound,
    /// 500.
    Broken,
}

/// A cut that waits for a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cutting {
    pub(crate) at: Cut,
    /// Whether the forge's error body follows, as when git fails.
    pub(crate) appended: bool,
}

/// A merge base that is kept while its pull request moves on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) base_tip: String,
    pub(crate) head: String,
    pub(crate) merge_base: String,
}

impl Stored {
    pub(crate) fn of(pull: &Pull, range: &Range) -> Self {
        let (base_tip, head) = (pull.base_tip.clone(), pull.head.clone());
        Self { base_tip, head, merge_base: range.merge_base.clone() }
    }
}

/// The state of all that.
#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// `None` while merge bases follow at once.
    held: Option<HashMap<PullKey, Stored>>,
    cuts: (u32, Option<Cutting>),
    faults: HashMap<String, ObjectFault>,
    flips: HashMap<String, u64>,
    updated: HashMap<PullKey, i64>,
    forkless: HashSet<PullKey>,
}

impl Live {
    /// Whether merge bases are held.
    pub(crate) fn holds(&self) -> bool {
        self.state().held.is_some()
    }

    /// Holds these merge bases from now on, and no others.
    pub(crate) fn hold(&self, bases: HashMap<PullKey, Stored>) {
        self.state().held = Some(bases);
    }

    /// Lets merge bases follow at once again.
    pub(crate) fn release(&self) {
        self.state().held = None;
    }

    /// The held merge base of a pull request.
    pub(crate) fn stored(&self, pull: PullKey) -> Option<Stored> {
        self.state().held.as_ref()?.get(&pull).cloned()
    }

    /// Holds the merge base of a pull request that is younger than the holding. The first one stays.
    pub(crate) fn store(&self, pull: PullKey, base: Stored) {
        if let Some(held) = &mut self.state().held {
            held.entry(pull).or_insert(base);
        }
    }

    /// Cuts the next `times` diffs.
    pub(crate) fn cut(&self, times: u32, cutting: Cutting) {
        self.state().cuts = (times, Some(cutting));
    }

    /// The cut of the diff that is about to be sent; it is one fewer then.
    pub(crate) fn next_cut(&self) -> Option<Cutting> {
        let mut state = self.state();
        let (left, cutting) = state.cuts;
        let one_fewer = left.checked_sub(1)?;
        state.cuts = (one_fewer, cutting);
        cutting
    }

    /// Lets the answers for an object fail until [`Live::heal`].
    pub(crate) fn fail(&self, oid: &str, fault: ObjectFault) {
        self.state().faults.insert(oid.to_owned(), fault);
    }

    /// Changes a bit of one byte in the next answer with this object's content.
    pub(crate) fn flip(&self, oid: &str, at: u64) {
        self.state().flips.insert(oid.to_owned(), at);
    }

    /// Takes back the faults that have not been met yet.
    pub(crate) fn heal(&self) {
        let mut state = self.state();
        state.cuts = (0, None);
        state.faults.clear();
        state.flips.clear();
    }

    /// How the answer for an object fails, if it does.
    pub(crate) fn fault(&self, oid: &str) -> Option<ObjectFault> {
        self.state().faults.get(oid).copied()
    }

    /// The byte to change in the content that is about to be sent, once.
    pub(crate) fn next_flip(&self, oid: &str) -> Option<u64> {
        self.state().flips.remove(oid)
    }

    /// Says when a pull request was updated, in seconds since 1970.
    pub(crate) fn touch(&self, pull: PullKey, at: i64) {
        self.state().updated.insert(pull, at);
    }

    /// When a pull request was said to be updated.
    pub(crate) fn updated(&self, pull: PullKey) -> Option<i64> {
        self.state().updated.get(&pull).copied()
    }

    /// Takes the head's repository of a pull request away.
    pub(crate) fn lose_fork(&self, pull: PullKey) {
        self.state().forkless.insert(pull);
    }

    /// Whether the head's repository is gone.
    pub(crate) fn is_forkless(&self, pull: PullKey) -> bool {
        self.state().forkless.contains(&pull)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_for_as_many_diffs_as_were_asked_for() {
        let live = Live::default();
        let cutting = Cutting { at: Cut::Files(1), appended: true };
        assert_eq!(live.next_cut(), None);
        live.cut(2, cutting);
        assert_eq!([live.next_cut(), live.next_cut(), live.next_cut()], [Some(cutting), Some(cutting), None]);
        live.cut(1, cutting);
        live.heal();
        assert_eq!(live.next_cut(), None);
    }

    #[test]
    fn a_held_merge_base_is_the_first_one() {
        let base = |merge_base: &str| Stored { base_tip: "b".into(), head: "h".into(), merge_base: merge_base.into() };
        let live = Live::default();
        live.store((1, 1), base("unheld"));
        assert_eq!(live.stored((1, 1)), None);
        live.hold(HashMap::from([((1, 1), base("first"))]));
        live.store((1, 1), base("second"));
        live.store((1, 2), base("young"));
        assert_eq!(live.stored((1, 1)), Some(base("first")));
        assert_eq!(live.stored((1, 2)), Some(base("young")));
        live.release();
        assert_eq!(live.stored((1, 1)), None);
    }
}
