//! Counts the processor time of a guest: ticks, and the meter that adds up those in which the guest was running.
//!
//! Time that a guest waits for the forge is not its own, so a slow but steady forge never trips the bound; the origin
//! has time-outs for that. Who computes for long while others want to is made to step back, so that one caller's endless
//! guests do not cost the others their turn.

use std::{
    collections::HashMap,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use wasmtime::{Engine, EngineWeak};

use crate::budget::Key;

/// Ticks that one piece of work of the host's counts at most: a disk that stalls is not the guest's fault.
const WORK_TICKS: u64 = 10;

/// How often a running guest is looked at.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Ticks without news after which a guest steps back for others.
const PATIENCE: u64 = 5;
/// Ticks for which each of a caller's calls steps back, for each that the caller has.
const BACK: u32 = 3;

/// Ticks for which a caller that has called counts as one who wants to.
const RECENT: u64 = 100;

/// Ticks while calls run, and rests while none does.
#[derive(Debug)]
pub(super) struct Clock {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    ticks: AtomicU64,
    running: Mutex<Running>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Running {
    /// Calls by caller; of those that belong to none, under none.
    calls: HashMap<Option<Key>, u32>,
    /// The last two callers, and the tick at which each began a call last.
    latest: [(Option<Key>, u64); 2],
    ended: bool,
}

impl Running {
    fn begin(&mut self, caller: Option<Key>, now: u64) {
        *self.calls.entry(caller).or_default() += 1;
        if self.latest[0].0 != caller {
            self.latest[1] = self.latest[0];
        }
        self.latest[0] = (caller, now);
    }

    /// Whether somebody else calls now, or has a little while ago: who gets no turn is seldom seen calling.
    fn has_others(&self, caller: Option<Key>, now: u64) -> bool {
        let recent = |(other, then): &(Option<Key>, u64)| {
            other.is_some() && *other != caller && now.saturating_sub(*then) < RECENT
        };
        self.latest.iter().any(recent) || self.calls.keys().any(|other| *other != caller)
    }
}

impl Clock {
    /// Starts the thread that ticks for `engine`.
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (ticking, engine) = (Arc::clone(&shared), engine.weak());
        thread::Builder::new().name("assay-clock".to_owned()).spawn(move || ticking.run(&engine))?;
        Ok(Self { shared })
    }

    /// Keeps the clock going as long as the guard lives.
    pub(super) fn call(&self, caller: Option<Key>) -> Ticking {
        let now = self.shared.ticks.load(Ordering::Relaxed);
        self.shared.running().begin(caller, now);
        self.shared.changed.notify_all();
        Ticking { shared: Arc::clone(&self.shared), caller }
    }

    /// A meter that trips when a guest of `caller` has run for `most` without anything new having come from the network.
    pub(super) fn meter(&self, caller: Option<Key>, most: Duration) -> Meter {
        let most = u64::try_from(most.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX);
        Meter { clock: Arc::clone(&self.shared), caller, most, spent: 0, waited: false }
    }
}

#[cfg(test)]
impl Clock {
    /// Ticks so far.
    pub(super) fn ticks(&self) -> u64 {
        self.shared.ticks.load(Ordering::Relaxed)
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.shared.running().ended = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(&self, engine: &EngineWeak) {
        loop {
            let running = self.changed.wait_while(self.running(), |running| running.calls.is_empty() && !running.ended);
            if running.unwrap_or_else(PoisonError::into_inner).ended {
                return;
            }
            thread::sleep(TICK);
            let Some(engine) = engine.upgrade() else { return };
            self.ticks.fetch_add(1, Ordering::Relaxed);
            engine.increment_epoch();
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that needs the clock.
#[derive(Debug)]
pub(super) struct Ticking {
    shared: Arc<Shared>,
    caller: Option<Key>,
}

impl Drop for Ticking {
    fn drop(&mut self) {
        let mut running = self.shared.running();
        if let Some(calls) = running.calls.get_mut(&self.caller) {
            *calls -= 1;
            if *calls == 0 {
                running.calls.remove(&self.caller);
            }
        }
    }
}

/// What a guest that is seen running may do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Go on, after everything that is ready has had its turn.
    Yield,
    /// Go on after so long.
    StepBack(Duration),
    /// Nothing more: its time is used up.
    Stop,
}

/// The ticks of one call in which its guest was running.
#[derive(Debug)]
pub(crate) struct Meter {
    clock: Arc<Shared>,
    caller: Option<Key>,
    most: u64,
    spent: u64,
    /// The tick that is about to be seen fell, or may have fallen, into a wait.
    waited: bool,
}

#[cfg(test)]
impl Meter {
    /// One whose clock stands still, for tests of what a guest calls.
    pub(crate) fn at_rest() -> Self {
        Self { clock: Arc::default(), caller: None, most: u64::MAX, spent: 0, waited: false }
    }
}

/// A moment before a wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(u64);

impl Meter {
    /// Sees a tick while the guest runs.
    pub(super) fn tick(&mut self) -> Next {
        if !std::mem::take(&mut self.waited) {
            self.spent += 1;
        }
        match self.spent {
            spent if spent > self.most => Next::Stop,
            spent if spent >= PATIENCE => self.step_back(),
            _ => Next::Yield,
        }
    }

    /// The more calls a caller has, the longer each of them: together they take less than a third of one processor.
    fn step_back(&self) -> Next {
        let running = self.clock.running();
        let own = running.calls.get(&self.caller).copied().unwrap_or_default();
        let now = self.clock.ticks.load(Ordering::Relaxed);
        let has_others = running.has_others(self.caller, now);
        if has_others { Next::StepBack(TICK * BACK * own.max(1)) } else { Next::Yield }
    }

    /// Call it before the guest waits.
    pub(crate) fn before_wait(&self) -> Moment {
        Moment(self.clock.ticks.load(Ordering::Relaxed))
    }

    /// Call it when the wait is over: the ticks that fell into it are not the guest's. `news` says that something came
    /// from the network, after which the guest may compute anew.
    pub(crate) fn after_wait(&mut self, before: Moment, news: bool) {
        if self.clock.ticks.load(Ordering::Relaxed) != before.0 {
            self.waited = true;
        }
        if news {
            self.spent = 0;
        }
    }

    /// Call it when the host has worked on the guest's account, as in hashing what it was given: that is the guest's time,
    /// or it could have the host compute without end.
    pub(crate) fn after_work(&mut self, before: Moment) {
        let worked = self.clock.ticks.load(Ordering::Relaxed).saturating_sub(before.0);
        if worked > 0 {
            // They are counted here, not by the tick that is about to be seen.
            self.waited = true;
            self.spent = self.spent.saturating_add(worked.min(WORK_TICKS));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(most: u64) -> Meter {
        Meter { clock: Arc::default(), caller: None, most, spent: 0, waited: false }
    }

    /// Whether the guest may go on, at each of so many ticks.
    fn goes_on<const TICKS: usize>(meter: &mut Meter) -> [bool; TICKS] {
        std::array::from_fn(|_| meter.tick() != Next::Stop)
    }

    #[test]
    fn ticks_of_a_running_guest_add_up() {
        assert_eq!(goes_on(&mut meter(2)), [true, true, false]);
    }

    /// Who computes on while others want to steps back, the longer the more it does at once; alone it need not.
    #[test]
    fn a_long_computation_steps_back_for_others() {
        let shared = Arc::new(Shared::default());
        let [one, two] = [1, 2].map(|number| Some(Key::from_digest([number; 32])));
        let mut meter = Meter { clock: Arc::clone(&shared), caller: one, most: 99, spent: 0, waited: false };
        shared.running().calls.insert(one, 2);
        assert_eq!([0; 6].map(|_| meter.tick()), [Next::Yield; 6]);
        shared.running().calls.insert(two, 1);
        assert_eq!(meter.tick(), Next::StepBack(TICK * 6));
        shared.running().begin(two, 0);
        shared.running().calls.remove(&two);
        assert_eq!(meter.tick(), Next::StepBack(TICK * 6), "it has just been there");
        shared.ticks.store(RECENT, Ordering::Relaxed);
        assert_eq!(meter.tick(), Next::Yield);
        shared.running().begin(two, RECENT);
        let before = meter.before_wait();
        meter.after_wait(before, true);
        assert_eq!([0; 4].map(|_| meter.tick()), [Next::Yield; 4], "after news it is as good as new");
        assert_eq!(meter.tick(), Next::StepBack(TICK * 6));
    }

    /// A host call that does not wait, repeated for ever, does not lift the bound.
    #[test]
    fn a_wait_excuses_only_the_tick_that_fell_into_it() {
        let mut meter = meter(1);
        for _ in 0..100 {
            let before = meter.before_wait();
            meter.clock.ticks.fetch_add(7, Ordering::Relaxed);
            meter.after_wait(before, false);
            assert_eq!(goes_on(&mut meter), [true], "the wait's tick");
        }
        let before = meter.before_wait();
        meter.after_wait(before, false);
        assert_eq!(goes_on(&mut meter), [true, false]);
    }

    /// What the host computes for a guest counts as if it had done so itself.
    #[test]
    fn work_of_the_host_is_the_guests_time() {
        let mut meter = meter(20);
        for (ticks, spent) in [(0, 0), (3, 3), (5, 8), (1_000, 18)] {
            let before = meter.before_wait();
            meter.clock.ticks.fetch_add(ticks, Ordering::Relaxed);
            meter.after_work(before);
            assert!(ticks == 0 || meter.tick() != Next::Stop, "it is not counted twice");
            assert_eq!(meter.spent, spent);
        }
        assert_eq!(goes_on(&mut meter), [true, true, false]);
    }

    /// What comes from the network is work to do.
    #[test]
    fn news_start_it_anew() {
        let mut meter = meter(2);
        for _ in 0..100 {
            assert_eq!(goes_on(&mut meter), [true, true]);
            let before = meter.before_wait();
            meter.after_wait(before, true);
        }
    }
}
