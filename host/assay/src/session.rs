//! One caller's view of the engine: what the protocol serves.

use std::sync::Arc;

use assay_mcp::{Catalogue, Failure, Toolbox};

use crate::{caller::Caller, engine::Engine};

/// The engine's tools in the hands of one caller.
#[derive(Clone)]
pub struct Session {
    engine: Arc<Engine>,
    caller: Arc<Caller>,
}

impl Session {
    /// Everything called through it is called as `caller`.
    #[must_use]
    pub fn new(engine: Arc<Engine>, caller: impl Into<Arc<Caller>>) -> Self {
        Self { engine, caller: caller.into() }
    }
}

impl Toolbox for Session {
    fn catalogue(&self) -> &Catalogue {
        self.engine.catalogue()
    }

    fn result_bytes(&self) -> usize {
        usize::try_from(self.engine.reading().settings().result_bytes).unwrap_or(usize::MAX)
    }

    async fn call(&self, name: &str, arguments: String, room: u32) -> Result<String, Failure> {
        self.engine.call(Arc::clone(&self.caller), name, arguments, room).await
    }
}
