//! How many requests each caller may cause at the forge, in a sliding window and in a table of bounded size.
//!
//! It governs this program's own traffic and knows nothing of the forge's limits (G-068). Time is an argument, and who
//! asks is a digest: no credential is kept here (G-067).

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Callers that are counted at once (G-065).
const KEYS_MAX: usize = 4_096;

/// How many requests one caller may cause in each window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// Requests that read; 0 lifts the bound.
    pub read: u32,
    /// Requests that write; 0 lifts the bound.
    pub write: u32,
    /// How long a request counts.
    pub window: Duration,
}

impl Default for Rates {
    /// G-060: 600 reads and 60 writes a minute.
    fn default() -> Self {
        Self { read: 600, write: 60, window: Duration::from_secs(60) }
    }
}

/// What a request does; each class has its own bound (G-063).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It changes nothing.
    Read,
    /// It may change something.
    Write,
}

/// Whose requests are counted together: a digest, from which nothing can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// Takes a SHA-256 digest of what identifies the caller.
    #[must_use]
    pub fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

/// The requests of every caller in the present window.
///
/// A caller takes at most as many instants as it may cause requests, and there are at most 4,096 callers.
#[derive(Debug)]
pub struct Budget {
    rates: Rates,
    callers: Mutex<HashMap<Key, Usage>>,
}

impl Budget {
    /// An empty table.
    #[must_use]
    pub fn new(rates: Rates) -> Self {
        Self { rates, callers: Mutex::default() }
    }

    /// Spends one unit of `key`'s at `now`.
    ///
    /// # Errors
    /// Whole seconds until a unit is free again, at least 1 (G-069); nothing is spent then.
    pub fn take(&self, key: Key, class: Class, now: Instant) -> Result<(), u32> {
        let most = match class {
            Class::Read => self.rates.read,
            Class::Write => self.rates.write,
        };
        if most == 0 {
            return Ok(());
        }
        // A panic elsewhere leaves counters that are at worst one short, which is no reason to stop counting.
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if !callers.contains_key(&key) {
            self.make_room(&mut callers, now)?;
        }
        let log = callers.entry(key).or_default().of(class);
        while log.front().is_some_and(|oldest| self.left(*oldest, now).is_zero()) {
            log.pop_front();
        }
        match log.front() {
            Some(oldest) if log.len() >= usize::try_from(most).unwrap_or(usize::MAX) => {
                Err(whole_seconds(self.left(*oldest, now)))
            }
            _ => {
                log.push_back(now);
                Ok(())
            }
        }
    }

    /// Whether `key` has a unit left at `now`; nothing is spent, and a key that is unknown is not made known.
    ///
    /// # Errors
    /// As [`Budget::take`], of a key that is known.
    pub fn check(&self, key: Key, class: Class, now: Instant) -> Result<(), u32> {
        let most = match class {
            Class::Read => self.rates.read,
            Class::Write => self.rates.write,
        };
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(usage) = callers.get_mut(&key).filter(|_| most > 0) else { return Ok(()) };
        let mut live = usage.of(class).iter().filter(|then| !self.left(**then, now).is_zero());
        match live.next().copied() {
            Some(oldest) if live.count() + 1 >= usize::try_from(most).unwrap_or(usize::MAX) => {
                Err(whole_seconds(self.left(oldest, now)))
            }
            _ => Ok(()),
        }
    }

    /// Drops callers whose counters have run out when the table is full; a live one is never pushed out (G-065).
    fn make_room(&self, callers: &mut HashMap<Key, Usage>, now: Instant) -> Result<(), u32> {
        if callers.len() < KEYS_MAX {
            return Ok(());
        }
        callers.retain(|_, usage| usage.last().is_some_and(|last| !self.left(last, now).is_zero()));
        if callers.len() < KEYS_MAX {
            return Ok(());
        }
        let first = callers.values().filter_map(Usage::last).min();
        Err(whole_seconds(first.map_or(self.rates.window, |last| self.left(last, now))))
    }

    /// How long a request made at `then` still counts.
    fn left(&self, then: Instant, now: Instant) -> Duration {
        self.rates.window.saturating_sub(now.saturating_duration_since(then))
    }
}

/// One caller's requests, oldest first.
#[derive(Debug, Default)]
struct Usage {
    reads: VecDeque<Instant>,
    writes: VecDeque<Instant>,
}

impl Usage {
    fn of(&mut self, class: Class) -> &mut VecDeque<Instant> {
        match class {
            Class::Read => &mut self.reads,
            Class::Write => &mut self.writes,
        }
    }

    fn last(&self) -> Option<Instant> {
        self.reads.back().max(self.writes.back()).copied()
    }
}

fn whole_seconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos().div_ceil(1_000_000_000)).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u32) -> Key {
        let mut digest = [0; 32];
        for (byte, value) in digest.iter_mut().zip(number.to_le_bytes()) {
            *byte = value;
        }
        Key::from_digest(digest)
    }

    fn budget(read: u32, write: u32) -> Budget {
        Budget::new(Rates { read, write, window: Duration::from_secs(60) })
    }

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    /// G-060, G-069: the window slides, and the seconds told are those after which a unit is free.
    #[test]
    fn a_unit_comes_back_when_its_request_leaves_the_window() {
        let (budget, start) = (budget(2, 0), Instant::now());
        assert_eq!(budget.take(key(1), Class::Read, start), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 30_000)), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 30_001)), Err(30));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 59_999)), Err(1));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 60_000)), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 60_001)), Err(30));
        assert_eq!(budget.take(key(1), Class::Read, after(start, 90_001)), Ok(()));
    }

    /// G-060: the defaults, and 0 for no bound.
    #[test]
    fn the_defaults_are_600_and_60_and_zero_lifts_the_bound() {
        let start = Instant::now();
        let standard = Budget::new(Rates::default());
        for (class, most) in [(Class::Read, 600), (Class::Write, 60)] {
            for _ in 0..most {
                assert_eq!(standard.take(key(1), class, start), Ok(()));
            }
            assert_eq!(standard.take(key(1), class, start), Err(60));
        }
        let free = budget(0, 0);
        for _ in 0..10_000 {
            assert_eq!(free.take(key(1), Class::Read, start), Ok(()));
        }
        assert!(free.callers.lock().expect("not poisoned").is_empty(), "what is not bounded is not counted");
    }

    /// G-063, G-064: the classes and the callers do not touch each other.
    #[test]
    fn classes_and_callers_are_apart() {
        let (budget, start) = (budget(1, 1), Instant::now());
        assert_eq!(budget.take(key(1), Class::Write, start), Ok(()));
        assert_eq!(budget.take(key(1), Class::Write, start), Err(60));
        assert_eq!(budget.take(key(1), Class::Read, start), Ok(()));
        assert_eq!(budget.take(key(2), Class::Write, start), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, start), Err(60));
    }

    /// G-065, G-066: a full table refuses strangers, keeps everybody who is counted, and takes strangers again when
    /// somebody's window has run out.
    #[test]
    fn a_flood_of_strangers_resets_nobody() {
        let (budget, start) = (budget(1, 1), Instant::now());
        assert_eq!(budget.take(key(0), Class::Read, after(start, 10_000)), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, start), Ok(()));
        for stranger in 2..4_096 {
            assert_eq!(budget.take(key(stranger), Class::Read, after(start, 10_000)), Ok(()));
        }
        for stranger in 4_096..5_000 {
            assert_eq!(budget.take(key(stranger), Class::Read, after(start, 20_000)), Err(40));
        }
        assert_eq!(budget.take(key(0), Class::Read, after(start, 20_000)), Err(50), "its counter is still there");
        assert_eq!(budget.take(key(9_999), Class::Read, after(start, 60_000)), Ok(()), "the one of `start` ran out");
        assert_eq!(budget.callers.lock().expect("not poisoned").len(), 4_096);
        assert_eq!(budget.take(key(2), Class::Read, after(start, 60_000)), Err(10));
    }

    /// Callers on several threads do not see one clock in one order.
    #[test]
    fn a_clock_that_steps_back_counts_on() {
        let (budget, start) = (budget(2, 0), Instant::now());
        assert_eq!(budget.take(key(1), Class::Read, after(start, 5)), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, start), Ok(()));
        assert_eq!(budget.take(key(1), Class::Read, start), Err(60));
    }

    /// G-065a: asking whether a stranger has a unit left makes no place for it in the table.
    #[test]
    fn a_check_spends_and_remembers_nothing() {
        let budget = Budget::new(Rates { read: 1, write: 1, window: Duration::from_secs(60) });
        let (key, now) = (Key::from_digest([1; 32]), Instant::now());
        for _ in 0..3 {
            assert_eq!(budget.check(key, Class::Read, now), Ok(()));
        }
        assert_eq!(budget.take(key, Class::Read, now), Ok(()));
        assert_eq!(budget.check(key, Class::Read, now + Duration::from_secs(20)), Err(40));
        assert_eq!(budget.check(key, Class::Write, now), Ok(()));
        assert_eq!(budget.check(key, Class::Read, now + Duration::from_secs(60)), Ok(()));
    }
}
