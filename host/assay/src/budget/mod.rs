//! How many requests each caller may cause at the forge, whoever keeps the count.
//!
//! It governs this program's own traffic and knows nothing of the forge's limits (G-068). Who asks is a digest: no
//! credential is kept here (G-067).

mod windows;

use std::{
    fmt,
    time::{Duration, Instant},
};

use self::windows::Windows;

/// Callers that are counted at once, where nobody says otherwise (G-065).
pub const KEYS_MAX: usize = 4_096;

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

impl Class {
    /// As it is called in what is counted.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
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

/// How a caller stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing of it counts any more, if anything ever did.
    Unknown,
    /// It has a unit left.
    Free,
    /// It has none: whole seconds until one is free again.
    Exhausted(u32),
}

/// Where requests are counted. What cannot count says that nothing is left.
pub trait Counting: Send + Sync + fmt::Debug {
    /// Spends one unit of `key`'s at `now`.
    ///
    /// # Errors
    /// Whole seconds until a unit is free again, at least 1 (G-069); nothing is spent then.
    fn take(&self, key: Key, class: Class, now: Instant) -> Result<(), u32>;

    /// Takes back the last unit that was spent.
    fn give_back(&self, key: Key, class: Class);

    /// How `key` stands at `now`; nothing is spent, and a key that is unknown is not made known.
    fn standing(&self, key: Key, class: Class, now: Instant) -> Standing;
}

/// The requests of every caller.
#[derive(Debug)]
pub struct Budget(Box<dyn Counting>);

impl Budget {
    /// Counted in this process, for [`KEYS_MAX`] callers.
    #[must_use]
    pub fn new(rates: Rates) -> Self {
        Self::for_keys(rates, KEYS_MAX)
    }

    /// Counted in this process, for so many callers.
    #[must_use]
    pub fn for_keys(rates: Rates, keys_max: usize) -> Self {
        Self::counted_by(Windows::new(rates, keys_max))
    }

    /// Counted elsewhere.
    #[must_use]
    pub fn counted_by(counting: impl Counting + 'static) -> Self {
        Self(Box::new(counting))
    }

    /// As [`Counting::take`].
    ///
    /// # Errors
    /// As there.
    pub fn take(&self, key: Key, class: Class, now: Instant) -> Result<(), u32> {
        self.0.take(key, class, now)
    }

    /// As [`Counting::give_back`].
    pub fn give_back(&self, key: Key, class: Class) {
        self.0.give_back(key, class);
    }

    /// As [`Counting::standing`].
    #[must_use]
    pub fn standing(&self, key: Key, class: Class, now: Instant) -> Standing {
        self.0.standing(key, class, now)
    }
}
