//! The port `origin-read`: requests that are started, waited for and read, on one call's account.
//!
//! What may be asked and how it is sent is the origin's business. Here a request becomes a resource of the call: counted
//! against the caller's budget, running beside others, and gone with the call.

use std::{future::Future, sync::Arc};

use tokio::{sync::OwnedSemaphorePermit, task::JoinHandle};
use wasmtime::component::Resource;

use super::{CallerHandle, bindings::assay::ports::origin_read as port};
use crate::{
    engine::State,
    origin::{Answer, Fault, Follow, Reach, Target},
};

/// Requests and answers that one call may hold at once.
pub(crate) const OPEN_REQUESTS: usize = 16;

/// A request that a component started.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct Pending(Stage);

enum Stage {
    /// It was not sent.
    Refused(Fault),
    Started(Started),
    /// Its answer was handed over.
    Waited,
}

/// A request under way.
struct Started {
    task: Task,
    place: OwnedSemaphorePermit,
}

/// Dropped, it breaks the request off, which closes its connection.
struct Task(JoinHandle<Result<Answer, Fault>>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An answer that a component reads.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct Open {
    pub(super) answer: Answer,
    pub(super) _place: OwnedSemaphorePermit,
}

impl port::Host for State {
    fn get(
        &mut self,
        caller: Resource<CallerHandle>,
        path: Vec<Vec<u8>>,
        query: Vec<(String, String)>,
        range: Option<(u64, u64)>,
    ) -> wasmtime::Result<Resource<Pending>> {
        let target = self.origin.target(&path, &query, range);
        self.start(&caller, target, |reach, target| async move { reach.read(target, Follow::Never).await })
    }

    fn get_following(
        &mut self,
        caller: Resource<CallerHandle>,
        path: Vec<Vec<u8>>,
        query: Vec<(String, String)>,
    ) -> wasmtime::Result<Resource<Pending>> {
        let target = self.origin.target(&path, &query, None);
        self.start(&caller, target, |reach, target| async move { reach.read(target, Follow::Renames).await })
    }
}

impl State {
    /// Judged already, so that what is denied costs nothing (G-061).
    pub(super) fn start<F>(
        &mut self,
        caller: &Resource<CallerHandle>,
        target: Result<Target, Fault>,
        ask: impl FnOnce(Reach, Target) -> F,
    ) -> wasmtime::Result<Resource<Pending>>
    where
        F: Future<Output = Result<Answer, Fault>> + Send + 'static,
    {
        let reach = self.reach(caller)?;
        let stage = match (target, self.place()) {
            (Ok(target), Ok(place)) => Stage::Started(Started { task: Task(tokio::spawn(ask(reach, target))), place }),
            (Err(fault), _) | (_, Err(fault)) => Stage::Refused(fault),
        };
        Ok(self.table.push(Pending(stage))?)
    }

    /// One of the requests and answers that the call may hold at once.
    pub(super) fn place(&self) -> Result<OwnedSemaphorePermit, Fault> {
        Arc::clone(&self.open_requests).try_acquire_owned().map_err(|_| {
            Fault::denied("a call holds at most 16 requests and answers at once: drop one before the next")
        })
    }

    /// What the call may reach, made for its one caller.
    pub(super) fn reach(&mut self, caller: &Resource<CallerHandle>) -> wasmtime::Result<Reach> {
        let caller = Arc::clone(&self.table.get(caller)?.0);
        let (origin, budget) = (Arc::clone(&self.origin), Arc::clone(&self.budget));
        Ok(self.reach.get_or_insert_with(|| Reach::new(origin, budget, caller)).clone())
    }
}

impl port::HostPending for State {
    async fn wait(&mut self, pending: Resource<Pending>) -> wasmtime::Result<Result<Resource<Open>, port::Fault>> {
        let Started { mut task, place } = match std::mem::replace(&mut self.table.get_mut(&pending)?.0, Stage::Waited) {
            Stage::Started(started) => started,
            Stage::Refused(fault) => return Ok(Err(fault.into())),
            Stage::Waited => return Ok(Err(Fault::denied("an answer is waited for once").into())),
        };
        let before = self.meter.before_wait();
        // In place, so that a call that ends meanwhile drops the task.
        let answered = (&mut task.0).await?;
        self.meter.after_wait(before, answered.is_ok());
        Ok(match answered {
            Ok(answer) => Ok(self.table.push(Open { answer, _place: place })?),
            Err(fault) => Err(fault.into()),
        })
    }

    fn drop(&mut self, pending: Resource<Pending>) -> wasmtime::Result<()> {
        self.table.delete(pending)?;
        Ok(())
    }
}

impl port::HostAnswer for State {
    fn status(&mut self, answer: Resource<Open>) -> wasmtime::Result<u16> {
        Ok(self.table.get(&answer)?.answer.status())
    }

    fn headers(&mut self, answer: Resource<Open>) -> wasmtime::Result<Vec<(String, Vec<u8>)>> {
        Ok(self.table.get(&answer)?.answer.headers())
    }

    async fn read(&mut self, answer: Resource<Open>, max: u32) -> wasmtime::Result<Result<Vec<u8>, port::Fault>> {
        let before = self.meter.before_wait();
        let answer = &mut self.table.get_mut(&answer)?.answer;
        // Bytes out of a chunk that is here already are no news: one could be taken for ever so long to compute on each.
        let fetches = answer.is_drained();
        let read = answer.read(max).await;
        self.meter.after_wait(before, fetches && read.is_ok());
        Ok(read.map(Vec::from).map_err(Into::into))
    }

    fn drop(&mut self, answer: Resource<Open>) -> wasmtime::Result<()> {
        self.table.delete(answer)?;
        Ok(())
    }
}

impl From<Fault> for port::Fault {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Denied(rule) => Self::Denied(rule),
            Fault::Budget(seconds) => Self::Budget(seconds),
            Fault::TimedOut => Self::TimedOut,
            Fault::Moved(status) => Self::Moved(status),
            Fault::Transport(what) => Self::Transport(what),
        }
    }
}
