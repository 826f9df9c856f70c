//! Where a call can be stopped: before and after each call of a port, and before each step of a publication.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic,
    path::PathBuf,
};

use assay_tools_patch::ports::{self, Outcome};
use assay_workspace::Step;

/// What goes wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The call fails and has done nothing.
    Fails,
    /// It was a commit that happened, and nobody knows.
    UnknownButKept,
    /// It was a commit that did not happen, and nobody knows.
    UnknownAndLost,
}

/// A point that a call of a tool passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// The call of a port, or the step of a publication.
    pub(crate) call: &'static str,
    /// Whether it was done by then.
    pub(crate) is_after: bool,
}

/// What is done at a point. A call goes on behind it, or fails there.
type Watcher = Box<dyn FnMut(Point) -> bool>;

/// What is to happen at which call, once.
#[derive(Default)]
pub(crate) struct Switches {
    pub(crate) at: RefCell<Option<(&'static str, Trouble)>>,
    /// How many such calls go well before.
    pub(crate) spared: Cell<usize>,
    /// The step of a publication that fails.
    pub(crate) fails_at: RefCell<Option<Step>>,
    /// What is written into the file at a step of its publication.
    pub(crate) writes_at: RefCell<Option<(Step, PathBuf)>>,
    /// What a publication that failed says of the file, in place of the truth.
    pub(crate) destination: RefCell<Option<ports::Destination>>,
    /// Every call that was made.
    pub(crate) calls: RefCell<Vec<&'static str>>,
    /// Every target that was locked.
    pub(crate) locks: RefCell<Vec<String>>,
    /// What is done once the next lock is held.
    pub(crate) once_locked: RefCell<Option<Box<dyn FnOnce()>>>,
    /// The target that has another version from its second lock on, as no database here shows it.
    pub(crate) diverges: RefCell<Option<String>>,
    watcher: RefCell<Option<Watcher>>,
}

impl Switches {
    /// Notes the call, and gives the trouble that it has.
    pub(crate) fn reach(&self, call: &'static str) -> Option<Trouble> {
        self.calls.borrow_mut().push(call);
        let mut at = self.at.borrow_mut();
        let trouble = at.filter(|(name, _)| *name == call).map(|(_, trouble)| trouble);
        if trouble.is_some() {
            if let Some(left) = self.spared.get().checked_sub(1) {
                self.spared.set(left);
                return None;
            }
            *at = None;
        }
        trouble
    }

    /// From now on this is asked at each point whether the call goes on.
    pub(crate) fn watch(&self, watcher: impl FnMut(Point) -> bool + 'static) {
        *self.watcher.borrow_mut() = Some(Box::new(watcher));
    }

    /// From now on nobody is asked.
    pub(crate) fn unwatch(&self) {
        *self.watcher.borrow_mut() = None;
    }

    /// Whether the call goes on at this point.
    pub(crate) fn goes_on(&self, call: &'static str, is_after: bool) -> bool {
        // It is away meanwhile, since it may end the call by a panic, or make calls of its own.
        let Some(mut watcher) = self.watcher.borrow_mut().take() else { return true };
        let goes_on = watcher(Point { call, is_after });
        *self.watcher.borrow_mut() = Some(watcher);
        goes_on
    }

    /// The same as a port's outcome.
    pub(crate) fn pass(&self, call: &'static str, is_after: bool) -> Outcome<()> {
        if self.goes_on(call, is_after) {
            return Ok(());
        }
        Err(ports::Fault { message: format!("no {call}"), unknown: call == "commit" && is_after })
    }
}

/// How a call ends that is dropped at a point, as a trap or an exhausted deadline drops it.
pub(crate) struct Dropped;

/// Drops the call that is under way.
pub(crate) fn drop_the_call() -> ! {
    panic::resume_unwind(Box::new(Dropped))
}

/// Whether a call ended so.
pub(crate) fn was_dropped(cause: &(dyn Any + Send)) -> bool {
    cause.is::<Dropped>()
}
