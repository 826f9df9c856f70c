//! What a guest writes to its standard output and error: a bounded piece of it goes to the log, at the level debug.
//!
//! A component has nothing to say there but its last words. They may quote what a forge sent, so they are shown only to
//! somebody who asked for that level, and with every control character escaped.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::{
    cli::{IsTerminal, StdoutStream},
    p2::{OutputStream, Pollable, StreamResult},
};

/// Bytes of one call's output that are logged.
const LOGGED_BYTES: usize = 4_096;

/// Bytes that may be written at once.
const WRITE_BYTES: usize = 4_096;

/// Both streams of one call share one bound.
#[derive(Clone, Debug)]
pub(super) struct Output {
    component: Arc<str>,
    left: Arc<AtomicUsize>,
}

impl Output {
    pub(super) fn of(component: Arc<str>) -> Self {
        Self { component, left: Arc::new(AtomicUsize::new(LOGGED_BYTES)) }
    }

    /// Takes what may still be logged off the bound and gives its length.
    fn admit(&self, bytes: usize) -> usize {
        let take = |left: usize| Some(left.saturating_sub(bytes));
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or_default().min(bytes)
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let admitted = bytes.slice(..self.admit(bytes.len()));
        if !admitted.is_empty() {
            tracing::debug!(component = %self.component, "the guest wrote: {}", admitted.escape_ascii());
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_logs_a_bounded_piece() {
        let output = Output::of("x".into());
        let other_stream = output.clone();
        assert_eq!(output.admit(4_000), 4_000);
        assert_eq!(other_stream.admit(4_000), 96);
        assert_eq!(output.admit(1), 0);
    }
}
