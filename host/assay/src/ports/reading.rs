//! The port `reading`: the operator's settings, what was learned of the forge, turns and pauses.
//!
//! Turns and pauses are waits, not work, and bring no news: neither uses up a call's processor time nor renews it.

use std::{sync::Arc, time::Duration};

use tokio::{sync::OwnedSemaphorePermit, time::sleep};
use wasmtime::component::Resource;

use super::bindings::assay::ports::reading as port;
use crate::{
    engine::State,
    reading::{Encoding, Proof, Settings, Source},
};

/// The longest pause.
const PAUSE: Duration = Duration::from_secs(10);

/// All pauses of one call together; after them there is none, so a call that does nothing but pause ends.
pub(crate) const PAUSES: Duration = Duration::from_secs(60);

/// The right to run one proof. A call that takes a second one while it holds the first shares it: waiting for oneself
/// would never end.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl port::Host for State {
    fn settings(&mut self) -> wasmtime::Result<port::Choices> {
        Ok(self.reading.settings().into())
    }

    fn saw_evidence(&mut self) -> wasmtime::Result<bool> {
        Ok(self.reading.saw_evidence())
    }

    fn note_evidence(&mut self) -> wasmtime::Result<()> {
        self.reading.note_evidence();
        Ok(())
    }

    async fn take_turn(&mut self) -> wasmtime::Result<Resource<Turn>> {
        let permit = match self.turn.upgrade() {
            Some(permit) => permit,
            None => {
                let before = self.meter.before_wait();
                let permit = Arc::new(self.reading.turn().await);
                self.meter.after_wait(before, false);
                self.turn = Arc::downgrade(&permit);
                permit
            }
        };
        Ok(self.table.push(Turn { _permit: permit })?)
    }

    async fn pause(&mut self, milliseconds: u32) -> wasmtime::Result<()> {
        let pause = Duration::from_millis(milliseconds.into()).min(PAUSE).min(self.pauses);
        if pause.is_zero() {
            return Ok(());
        }
        self.pauses -= pause;
        let before = self.meter.before_wait();
        sleep(pause).await;
        self.meter.after_wait(before, false);
        Ok(())
    }
}

impl port::HostTurn for State {
    fn drop(&mut self, turn: Resource<Turn>) -> wasmtime::Result<()> {
        self.table.delete(turn)?;
        Ok(())
    }
}

impl From<Settings> for port::Choices {
    fn from(settings: Settings) -> Self {
        Self {
            source: match settings.source {
                Source::Auto => port::Source::Auto,
                Source::Evidence => port::Source::Evidence,
                Source::Observed => port::Source::Observed,
            },
            proof: match settings.proof {
                Proof::Preferred => port::Proof::Preferred,
                Proof::Required => port::Proof::Required,
                Proof::Off => port::Proof::Off,
            },
            encoding: match settings.encoding {
                Encoding::Base64 => port::Encoding::Base64,
                Encoding::Text => port::Encoding::Text,
                Encoding::Auto => port::Encoding::Auto,
            },
            proof_file_bytes: settings.proof_file_bytes,
            result_bytes: settings.result_bytes,
        }
    }
}
