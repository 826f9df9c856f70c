//! Counts the processor time of a guest: ticks, and the meter that adds up those in which the guest was running.
//!
//! Time that a guest waits for the forge is not its own, so a slow but steady forge never trips the bound; the origin
//! has time-outs for that.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use wasmtime::{Engine, EngineWeak};

/// Ticks that one piece of work of the host's counts at most: a disk that stalls is not the guest's fault.
const WORK_TICKS: u64 = 10;

/// How often a running guest is looked at.
pub(super) const TICK: Duration = Duration::from_millis(10);

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
    calls: usize,
    ended: bool,
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
    pub(super) fn call(&self) -> Ticking {
        self.shared.running().calls += 1;
        self.shared.changed.notify_all();
        Ticking(Arc::clone(&self.shared))
    }

    /// A meter that trips when a guest has run for `most` without anything new having come from the network.
    pub(super) fn meter(&self, most: Duration) -> Meter {
        let most = u64::try_from(most.as_nanos().div_ceil(TICK.as_nanos())).unwrap_or(u64::MAX);
        Meter { clock: Arc::clone(&self.shared), most, spent: 0, waited: false }
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
            let running = self.changed.wait_while(self.running(), |running| running.calls == 0 && !running.ended);
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
pub(super) struct Ticking(Arc<Shared>);

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.running().calls -= 1;
    }
}

/// The ticks of one call in which its guest was running.
#[derive(Debug)]
pub(crate) struct Meter {
    clock: Arc<Shared>,
    most: u64,
    spent: u64,
    /// The tick that is about to be seen fell, or may have fallen, into a wait.
    waited: bool,
}

#[cfg(test)]
impl Meter {
    /// One whose clock stands still, for tests of what a guest calls.
    pub(crate) fn at_rest() -> Self {
        Self { clock: Arc::default(), most: u64::MAX, spent: 0, waited: false }
    }
}

/// A moment before a wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(u64);

impl Meter {
    /// Sees a tick while the guest runs. False when its time is used up.
    pub(super) fn tick(&mut self) -> bool {
        if !std::mem::take(&mut self.waited) {
            self.spent += 1;
        }
        self.spent <= self.most
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
        Meter { clock: Arc::default(), most, spent: 0, waited: false }
    }

    #[test]
    fn ticks_of_a_running_guest_add_up() {
        let mut meter = meter(2);
        assert_eq!([meter.tick(), meter.tick(), meter.tick()], [true, true, false]);
    }

    /// A host call that does not wait, repeated for ever, does not lift the bound.
    #[test]
    fn a_wait_excuses_only_the_tick_that_fell_into_it() {
        let mut meter = meter(1);
        for _ in 0..100 {
            let before = meter.before_wait();
            meter.clock.ticks.fetch_add(7, Ordering::Relaxed);
            meter.after_wait(before, false);
            assert!(meter.tick(), "the wait's tick");
        }
        let before = meter.before_wait();
        meter.after_wait(before, false);
        assert_eq!([meter.tick(), meter.tick()], [true, false]);
    }

    /// What the host computes for a guest counts as if it had done so itself.
    #[test]
    fn work_of_the_host_is_the_guests_time() {
        let mut meter = meter(20);
        for (ticks, spent) in [(0, 0), (3, 3), (5, 8), (1_000, 18)] {
            let before = meter.before_wait();
            meter.clock.ticks.fetch_add(ticks, Ordering::Relaxed);
            meter.after_work(before);
            assert!(ticks == 0 || meter.tick(), "it is not counted twice");
            assert_eq!(meter.spent, spent);
        }
        assert_eq!([meter.tick(), meter.tick(), meter.tick()], [true, true, false]);
    }

    /// What comes from the network is work to do.
    #[test]
    fn news_start_it_anew() {
        let mut meter = meter(2);
        for _ in 0..100 {
            assert_eq!([meter.tick(), meter.tick()], [true, true]);
            let before = meter.before_wait();
            meter.after_wait(before, true);
        }
    }
}
