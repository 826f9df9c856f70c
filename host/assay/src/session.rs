//! One caller's view of the engine: what the protocol serves.

use std::{sync::Arc, time::Instant};

use assay_mcp::{Catalogue, Failure, ResponseMode, Toolbox};

use crate::{caller::Caller, engine::Engine, metrics};

/// The engine's tools in the hands of one caller.
#[derive(Clone)]
pub struct Session {
    engine: Arc<Engine>,
    caller: Arc<Caller>,
    catalogue: Catalogue,
    response_mode: ResponseMode,
    reference: Option<Arc<str>>,
}

impl Session {
    /// Everything called through it is called as `caller`; all tools of the engine are offered.
    #[must_use]
    pub fn new(engine: Arc<Engine>, caller: impl Into<Arc<Caller>>) -> Self {
        let catalogue = engine.catalogue().clone();
        Self { engine, caller: caller.into(), catalogue, response_mode: ResponseMode::default(), reference: None }
    }

    /// The same with these tools alone.
    #[must_use]
    pub fn offering(self, catalogue: Catalogue) -> Self {
        Self { catalogue, ..self }
    }

    /// The same with answers that tell as much (P-012).
    #[must_use]
    pub fn responding(self, response_mode: ResponseMode) -> Self {
        Self { response_mode, ..self }
    }

    /// The same under the name that it has in the log.
    #[must_use]
    pub fn referred_to_as(self, reference: Arc<str>) -> Self {
        Self { reference: Some(reference), ..self }
    }
}

impl Toolbox for Session {
    fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    fn result_bytes(&self) -> usize {
        usize::try_from(self.engine.reading().settings().result_bytes).unwrap_or(usize::MAX)
    }

    fn response_mode(&self) -> ResponseMode {
        self.response_mode
    }

    fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    async fn call(&self, name: &str, arguments: String, room: u32) -> Result<String, Failure> {
        let mut ending = Ending { tool: name, outcome: "dropped", started: Instant::now(), _open: metrics::call() };
        let called = self.engine.call(Arc::clone(&self.caller), name, arguments, room).await;
        ending.outcome = match &called {
            Ok(_) => "answered",
            Err(Failure::Refused(_)) => "refused",
            Err(Failure::UnknownTool) => "unknown",
            Err(Failure::Fault) => "fault",
        };
        called
    }
}

/// Tells how a call ended, also where its client went away.
struct Ending<'a> {
    tool: &'a str,
    outcome: &'static str,
    started: Instant,
    _open: metrics::Open,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let took = self.started.elapsed();
        metrics::call_ended(self.tool, self.outcome, took);
        tracing::info!(tool = self.tool, outcome = self.outcome, ms = took.as_millis(), "called");
    }
}
