//! A name for each request, by which its lines in the log are found.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Unlike those of other processes by chance, unlike each other by counting.
#[derive(Debug)]
pub(super) struct RequestIds {
    process: u32,
    next: AtomicU64,
}

impl RequestIds {
    pub(super) fn new() -> Self {
        // Without randomness the names of two processes may be alike, which harms nobody.
        Self { process: getrandom::u32().unwrap_or_default(), next: AtomicU64::new(1) }
    }

    pub(super) fn next(&self) -> Arc<str> {
        format!("{:08x}-{:x}", self.process, self.next.fetch_add(1, Ordering::Relaxed)).into()
    }
}
