//! How the operator wants pull requests to be read, what this process has learned of its forge, and whose turn it is to
//! prove a diff.

use std::{
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use assay_envelope::RESULT_BYTES;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::Error;

/// Which receipts count (O-001).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Source {
    /// Native evidence where the forge has it, else a proof
    #[default]
    Auto,
    /// Native evidence alone
    Evidence,
    /// A proof, whatever the forge has
    Observed,
}

/// What becomes of a diff that cannot be proven (O-011).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Proof {
    /// It is shown with the level that was reached
    #[default]
    Preferred,
    /// It is refused
    Required,
    /// Nothing is proven
    Off,
}

/// How windows are shown where the call does not say (O-017).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Encoding {
    /// Every byte, in base64
    #[default]
    Base64,
    /// Text alone
    Text,
    /// Text where a window is text, else base64
    Auto,
}

/// What the operator decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `GATEWAY_DIFF_SOURCE`.
    pub source: Source,
    /// `GATEWAY_DIFF_PROOF`.
    pub proof: Proof,
    /// `GATEWAY_DIFF_ENCODING`.
    pub encoding: Encoding,
    /// Bytes of one file's side that a proof takes into memory (O-015, `GATEWAY_PROOF_FILE_BYTES`).
    pub proof_file_bytes: u64,
    /// Bytes of the whole response that carries an answer (G-084, `GATEWAY_RESULT_BYTES`).
    pub result_bytes: u32,
    /// Proofs at once; more wait in turn (O-015, `GATEWAY_PROOF_CONCURRENCY`).
    pub proof_concurrency: u32,
}

impl Settings {
    /// What `proof_file_bytes` may be: to 64 MiB.
    pub const PROOF_FILE_BYTES: RangeInclusive<u64> = 1..=64 << 20;
    /// What `result_bytes` may be.
    pub const RESULT_BYTES: RangeInclusive<u32> = 4_096..=49_000;
    /// What `proof_concurrency` may be.
    pub const PROOF_CONCURRENCY: RangeInclusive<u32> = 1..=64;
}

impl Default for Settings {
    /// Evidence or a proof, base64, files of 16 MiB, answers of 49,000 bytes, four proofs at once.
    fn default() -> Self {
        Self {
            source: Source::default(),
            proof: Proof::default(),
            encoding: Encoding::default(),
            proof_file_bytes: 16 << 20,
            result_bytes: u32::try_from(RESULT_BYTES).expect("it is the range's end"),
            proof_concurrency: 4,
        }
    }
}

/// What all calls of a process share about reading.
#[derive(Debug)]
pub struct Reading {
    settings: Settings,
    saw_evidence: AtomicBool,
    turns: Arc<Semaphore>,
}

impl Default for Reading {
    fn default() -> Self {
        Self::new(Settings::default()).expect("the defaults are within their bounds")
    }
}

impl Reading {
    /// Nothing is known of the forge yet, and every turn is free.
    ///
    /// # Errors
    /// Names the setting that is out of its bounds.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let Settings { proof_file_bytes, result_bytes, proof_concurrency, .. } = settings;
        within("GATEWAY_PROOF_FILE_BYTES", proof_file_bytes, Settings::PROOF_FILE_BYTES)?;
        within("GATEWAY_RESULT_BYTES", result_bytes, Settings::RESULT_BYTES)?;
        within("GATEWAY_PROOF_CONCURRENCY", proof_concurrency, Settings::PROOF_CONCURRENCY)?;
        let turns = usize::try_from(proof_concurrency).expect("it is small");
        Ok(Self { settings, saw_evidence: AtomicBool::new(false), turns: Arc::new(Semaphore::new(turns)) })
    }

    /// What the operator decided.
    #[must_use]
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Whether the forge has served native evidence to this process (O-018).
    pub(crate) fn saw_evidence(&self) -> bool {
        self.saw_evidence.load(Ordering::Relaxed)
    }

    /// It has now. That is not taken back (O-018).
    pub(crate) fn note_evidence(&self) {
        self.saw_evidence.store(true, Ordering::Relaxed);
    }

    /// Waits for the right to run a proof, first come, first served. It is given back by being dropped.
    pub(crate) async fn turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.turns).acquire_owned().await.expect("the semaphore is never closed")
    }
}

fn within<T: Copy + Into<u64> + PartialOrd>(
    name: &'static str,
    value: T,
    bounds: RangeInclusive<T>,
) -> Result<(), Error> {
    if bounds.contains(&value) {
        return Ok(());
    }
    Err(Error::Setting { name, least: (*bounds.start()).into(), most: (*bounds.end()).into() })
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::poll;

    use super::*;

    fn with(change: impl FnOnce(&mut Settings)) -> Result<Reading, Error> {
        let mut settings = Settings::default();
        change(&mut settings);
        Reading::new(settings)
    }

    /// O-015, G-084: a value out of bounds stops the start with its name; the bounds themselves do not.
    #[test]
    fn a_setting_out_of_bounds_is_named() {
        let refused = |made: Result<Reading, Error>| made.expect_err("out of bounds").to_string();
        for bytes in [0, (64 << 20) + 1, u64::MAX] {
            let text = refused(with(|settings| settings.proof_file_bytes = bytes));
            assert_eq!(text, "GATEWAY_PROOF_FILE_BYTES must lie between 1 and 67108864");
        }
        for bytes in [0, 4_095, 49_001] {
            let text = refused(with(|settings| settings.result_bytes = bytes));
            assert_eq!(text, "GATEWAY_RESULT_BYTES must lie between 4096 and 49000");
        }
        for turns in [0, 65] {
            let text = refused(with(|settings| settings.proof_concurrency = turns));
            assert_eq!(text, "GATEWAY_PROOF_CONCURRENCY must lie between 1 and 64");
        }
        for (file, result, turns) in [(1, 4_096, 1), (64 << 20, 49_000, 64)] {
            let settings = Settings {
                proof_file_bytes: file,
                result_bytes: result,
                proof_concurrency: turns,
                ..Settings::default()
            };
            assert_eq!(Reading::new(settings).expect("within").settings(), settings);
        }
    }

    /// O-001, O-011, O-015, O-017, G-084: what holds where nobody decided.
    #[test]
    fn the_defaults() {
        let settings = Settings {
            source: Source::Auto,
            proof: Proof::Preferred,
            encoding: Encoding::Base64,
            proof_file_bytes: 16_777_216,
            result_bytes: 49_000,
            proof_concurrency: 4,
        };
        assert_eq!(Reading::default().settings(), settings);
    }

    /// O-018: what was seen stays seen.
    #[test]
    fn evidence_stays_seen() {
        let reading = Reading::default();
        assert!(!reading.saw_evidence());
        for _ in 0..2 {
            reading.note_evidence();
            assert!(reading.saw_evidence());
        }
    }

    /// O-015: first come, first served; who gives up waiting holds up nobody.
    #[tokio::test]
    async fn turns_go_in_order() {
        let reading = with(|settings| settings.proof_concurrency = 2).expect("within");
        let (first, second) = (reading.turn().await, reading.turn().await);
        let (mut third, mut fourth) = (pin!(reading.turn()), pin!(reading.turn()));
        let mut gone = Box::pin(reading.turn());
        let mut fifth = pin!(reading.turn());
        for waiting in [third.as_mut(), fourth.as_mut(), gone.as_mut(), fifth.as_mut()] {
            assert!(poll!(waiting).is_pending());
        }
        drop(second);
        assert!(poll!(fourth.as_mut()).is_pending(), "the third came before it");
        let third = third.await;
        drop(gone);
        drop(first);
        assert!(poll!(fifth.as_mut()).is_pending());
        let fourth = fourth.await;
        assert!(poll!(fifth.as_mut()).is_pending());
        drop((third, fourth));
        drop(fifth.await);
    }
}
