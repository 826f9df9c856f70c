//! Requests counted in memory: a sliding window for each caller, in a table of bounded size.
//!
//! Time is an argument. A caller takes at most as many instants as it may cause requests.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{Class, Counting, Key, Rates, Standing};

/// The requests of every caller in the present window.
#[derive(Debug)]
pub(super) struct Windows {
    rates: Rates,
    keys_max: usize,
    callers: Mutex<HashMap<Key, Usage>>,
}

impl Counting for Windows {
    fn take(&self, key: Key, class: Class, now: Instant) -> Result<(), u32> {
        let most = self.most(class);
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

    fn give_back(&self, key: Key, class: Class) {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(usage) = callers.get_mut(&key) else { return };
        usage.of(class).pop_back();
        if usage.last().is_none() {
            callers.remove(&key);
        }
    }

    fn standing(&self, key: Key, class: Class, now: Instant) -> Standing {
        let most = usize::try_from(self.most(class)).unwrap_or(usize::MAX);
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(usage) = callers.get_mut(&key) else { return Standing::Unknown };
        if usage.last().is_none_or(|last| self.left(last, now).is_zero()) {
            return Standing::Unknown;
        }
        let mut live = usage.of(class).iter().filter(|then| !self.left(**then, now).is_zero());
        match live.next().copied() {
            Some(oldest) if most > 0 && live.count() + 1 >= most => {
                Standing::Exhausted(whole_seconds(self.left(oldest, now)))
            }
            _ => Standing::Free,
        }
    }
}

impl Windows {
    pub(super) fn new(rates: Rates, keys_max: usize) -> Self {
        Self { rates, keys_max, callers: Mutex::default() }
    }

    fn most(&self, class: Class) -> u32 {
        match class {
            Class::Read => self.rates.read,
            Class::Write => self.rates.write,
        }
    }

    /// Drops callers whose counters have run out when the table is full; a live one is never pushed out (G-065).
    fn make_room(&self, callers: &mut HashMap<Key, Usage>, now: Instant) -> Result<(), u32> {
        if callers.len() < self.keys_max {
            return Ok(());
        }
        callers.retain(|_, usage| usage.last().is_some_and(|last| !self.left(last, now).is_zero()));
        if callers.len() < self.keys_max {
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

    fn budget(read: u32, write: u32) -> Windows {
        Windows::new(Rates { read, write, window: Duration::from_secs(60) }, 4_096)
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
        let standard = Windows::new(Rates::default(), 4_096);
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

    /// G-065a: asking how a stranger stands makes no place for it in the table.
    #[test]
    fn a_look_spends_and_remembers_nothing() {
        let (budget, key, now) = (budget(1, 1), key(1), Instant::now());
        for _ in 0..3 {
            assert_eq!(budget.standing(key, Class::Read, now), Standing::Unknown);
        }
        assert_eq!(budget.take(key, Class::Read, now), Ok(()));
        assert_eq!(budget.standing(key, Class::Read, after(now, 20_000)), Standing::Exhausted(40));
        assert_eq!(budget.standing(key, Class::Write, now), Standing::Free);
        assert_eq!(budget.standing(key, Class::Read, after(now, 60_000)), Standing::Unknown);
    }

    /// What is given back was never spent, and leaves no place taken.
    #[test]
    fn a_unit_can_be_given_back() {
        let (budget, key, now) = (budget(1, 1), key(1), Instant::now());
        assert_eq!(budget.take(key, Class::Read, now), Ok(()));
        budget.give_back(key, Class::Read);
        assert_eq!(budget.callers.lock().expect("not poisoned").len(), 0);
        assert_eq!(budget.take(key, Class::Read, now), Ok(()));
        budget.give_back(key, Class::Write);
        assert_eq!(budget.take(key, Class::Read, now), Err(60));
    }
}
