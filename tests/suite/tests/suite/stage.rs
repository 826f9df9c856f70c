//! The engine on a forge, as the program sets it up, for one test.

use std::{sync::Arc, time::Duration};

use assay_host::{
    budget::{Budget, Rates},
    caller::{Caller, Credential},
    engine::{Engine, Parts},
    keep::{Keep, KeepLimits},
    origin::{Origin, OriginConfig},
    reading::{Reading, Settings},
};
use assay_kit::{Outcome, case::CaseSettings};
use assay_mcp::Failure;
use clap::ValueEnum;
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
        Self::with(url, |_| ())
    }

    /// As a case wants the operator to have set it.
    pub(crate) fn set(url: &str, settings: &CaseSettings) -> Self {
        Self::with(url, |parts| {
            let defaults = Settings::default();
            let reading = Settings {
                source: word(&settings.diff_source, defaults.source),
                proof: word(&settings.diff_proof, defaults.proof),
                encoding: word(&settings.diff_encoding, defaults.encoding),
                proof_file_bytes: settings.proof_file_bytes.unwrap_or(defaults.proof_file_bytes),
                ..defaults
            };
            parts.reading = Arc::new(Reading::new(reading).expect("within bounds"));
            let spool_bytes = settings.spool_bytes.unwrap_or(KeepLimits::default().spool_bytes);
            parts.keep = Arc::new(Keep::new(KeepLimits { spool_bytes, ..KeepLimits::default() }));
        })
    }

    /// With other parts than the program's own.
    pub(crate) fn with(url: &str, change: impl FnOnce(&mut Parts)) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let engine = {
            let _inside = runtime.enter();
            let mut parts = Parts::new(origin(url, Duration::from_secs(10)), Arc::new(Budget::new(UNLIMITED)));
            change(&mut parts);
            Engine::new(parts).expect("components load")
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

/// The forge at a loopback URL, with the patience to wait for it.
pub(crate) fn origin(url: &str, read_timeout: Duration) -> Arc<Origin> {
    let origin = Origin::new(OriginConfig {
        url: url.to_owned(),
        ca_file: None,
        connect_timeout: Duration::from_secs(10),
        read_timeout,
        user_agent: "assay-suite".to_owned(),
    });
    Arc::new(origin.expect("a loopback URL"))
}

/// A client for requests of a test's own. Which cryptography TLS has is chosen once in a process, by whoever makes an origin
/// first, and a test may run alone.
pub(crate) fn client() -> reqwest::Client {
    drop(origin("http://127.0.0.1:9", Duration::from_secs(1)));
    reqwest::Client::new()
}

fn word<T: ValueEnum>(given: &Option<String>, default: T) -> T {
    given.as_deref().map_or(default, |text| T::from_str(text, false).expect("a word of the setting"))
}
