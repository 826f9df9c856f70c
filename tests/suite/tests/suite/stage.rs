//! The engine on a forge, as the program sets it up, for one test.

use std::{sync::Arc, time::Duration};

use assay_host::{
    budget::{Budget, Rates},
    caller::{Caller, Credential},
    engine::{Engine, Limits},
    origin::{Origin, OriginConfig},
};
use assay_kit::Outcome;
use assay_mcp::Failure;
use tokio::runtime::{Builder, Runtime};

/// Bytes an answer may take, about as much as a real response leaves.
pub(crate) const ROOM: u32 = 48_800;
/// The token that tests call with: it must be seen on the wire and nowhere else.
pub(crate) const TOKEN: &str = "3f1a5c0ffee5ec2e7b5ec2e7d0c0a5e1b0a7c4d9";

/// No bound on requests.
pub(crate) const UNLIMITED: Rates = Rates { read: 0, write: 0, window: Duration::from_secs(60) };

/// A runtime with the engine in it.
pub(crate) struct Stage {
    runtime: Runtime,
    pub(crate) engine: Arc<Engine>,
}

impl Stage {
    pub(crate) fn on(url: &str) -> Self {
        Self::with(url, Duration::from_secs(10), UNLIMITED, Limits::default())
    }

    pub(crate) fn with(url: &str, read_timeout: Duration, rates: Rates, limits: Limits) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let engine = {
            let _inside = runtime.enter();
            let origin = Origin::new(OriginConfig {
                url: url.to_owned(),
                ca_file: None,
                connect_timeout: Duration::from_secs(10),
                read_timeout,
                user_agent: "assay-suite".to_owned(),
            })
            .expect("a loopback URL");
            Engine::new(Arc::new(origin), Arc::new(Budget::new(rates)), limits).expect("components load")
        };
        Self { runtime, engine: Arc::new(engine) }
    }

    pub(crate) fn call(&self, tool: &str, arguments: &str, room: u32) -> Outcome {
        self.call_as(TOKEN, tool, arguments, room)
    }

    pub(crate) fn call_as(&self, token: &str, tool: &str, arguments: &str, room: u32) -> Outcome {
        let caller = Arc::new(Caller::new(Credential::token(token.to_owned())));
        match self.runtime.block_on(self.engine.call(caller, tool, arguments.to_owned(), room)) {
            Ok(text) => Outcome::Ok(text),
            Err(Failure::Refused(refusal)) => {
                Outcome::Refused { code: refusal.code.into_owned(), message: refusal.message }
            }
            Err(other) => Outcome::Fault(format!("{other:?}")),
        }
    }
}
