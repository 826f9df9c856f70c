//! Which forge, within which bounds: the options that every command shares that asks a forge.

use std::{path::PathBuf, sync::Arc, time::Duration};

use anyhow::anyhow;
use assay_local_forge::{Accounts, Config, LocalForge, Source};
use assay_policy::RepositoryName;
use clap::{ArgMatches, Args, parser::ValueSource};

use super::{Failed, local_forge, proofs::Proofs, settings::whole, shown::shown};
use crate::{
    budget::{Budget, Rates},
    editing::Editing,
    engine::{Engine, Parts},
    keep::Keep,
    origin::{Origin, OriginConfig, Repositories},
    reading::Reading,
};

/// Where the forge is and how it is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Forge")]
pub(crate) struct Connection {
    /// The forge's address: scheme, host, port and, where it lives below one, its path.
    #[arg(long, env = "FORGEJO_URL", value_name = "URL")]
    url: Option<String>,
    /// Serve this local git repository instead of a forge; its branches are the pull requests. Repeat it for several.
    ///
    /// It is only read; for a forge that takes writes as well see `assay local-forge`. An address from FORGEJO_URL or the
    /// file of settings is left aside then; --url beside it is refused.
    #[arg(long, value_name = "PATH")]
    local: Vec<PathBuf>,
    /// With --local: answer as a stock forge does, without evidence, so that diffs are proven against git objects.
    #[arg(long, requires = "local")]
    stock: bool,
    /// A file of certificate authorities (PEM) to trust besides the system's.
    #[arg(long, env = "GATEWAY_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Seconds to wait for a connection, and for each next byte of an answer (1 to 3600).
    #[arg(long, env = "GATEWAY_TIMEOUT", default_value_t = 30, value_parser = whole(1..=3_600), value_name = "SECONDS")]
    timeout: u32,
    /// Read requests that one credential may cause in each window; 0 lifts the bound.
    #[arg(long, env = "GATEWAY_RATE_READ", default_value_t = 600, value_parser = whole(0..=u32::MAX), value_name = "REQUESTS")]
    rate_read: u32,
    /// Write requests that one credential may cause in each window; 0 lifts the bound.
    #[arg(long, env = "GATEWAY_RATE_WRITE", default_value_t = 60, value_parser = whole(0..=u32::MAX), value_name = "REQUESTS")]
    rate_write: u32,
    /// The budget's window in seconds (1 to 86400).
    #[arg(long, env = "GATEWAY_RATE_WINDOW", default_value_t = 60, value_parser = whole(1..=86_400), value_name = "SECONDS")]
    rate_window: u32,
    /// Callers that are counted at once; while all of them are active, a new one waits (1 to 1048576).
    #[arg(long, env = "GATEWAY_BUDGET_KEYS_MAX", default_value_t = 4_096, value_parser = whole(1..=1_048_576), value_name = "CALLERS")]
    budget_keys_max: u32,
    /// The only repositories that tools may reach, as owner/name; all without it.
    #[arg(long, env = "GATEWAY_REPOSITORIES", value_delimiter = ',', value_parser = repository, value_name = "OWNER/NAME")]
    repositories: Vec<String>,
    #[command(flatten)]
    proofs: Proofs,
}

/// A name is kept as it was written, for showing.
fn repository(text: &str) -> Result<String, String> {
    let name: Result<RepositoryName, _> = text.parse();
    name.map(|_| text.to_owned()).map_err(|error| format!("`{}`: {error}", shown(text)))
}

/// An engine connected to its forge, and the local forge that must live as long.
pub(crate) struct Connected {
    pub(crate) engine: Arc<Engine>,
    pub(crate) local: Option<(LocalForge, String)>,
    /// The forge's address as it was given; a local forge's own; empty where there is none.
    pub(crate) url: String,
}

/// Refuses two forges at once. An address that the environment gives is no second one: who exports FORGEJO_URL has not
/// said it for this call.
pub(crate) fn refuse_two_forges(matches: &ArgMatches) -> Result<(), Failed> {
    let typed = |id: &str| {
        let known = matches.try_contains_id(id).unwrap_or(false);
        known && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    if typed("url") && typed("local") {
        return Err(Failed::Configuration(anyhow!(
            "--url and --local name two forges: leave one of them out (an address in FORGEJO_URL or in the file may stay)"
        )));
    }
    Ok(())
}

impl Connection {
    /// Checks the options, starts a local forge if one is asked for, and loads the components.
    pub(crate) async fn connect(&self) -> Result<Connected, Failed> {
        self.connect_with(None).await
    }

    /// The same, with what texts are edited on.
    pub(crate) async fn connect_with(&self, editing: Option<Arc<Editing>>) -> Result<Connected, Failed> {
        let local = if self.local.is_empty() { None } else { Some(self.serve_local().await?) };
        let connected = match &local {
            Some((forge, _)) => self.engine(forge.url(), editing),
            // Who only edits stored texts of their own needs no forge.
            None if editing.as_ref().is_some_and(|editing| !editing.is_by_account()) && self.address().is_err() => {
                self.engine(String::new(), editing)
            }
            None => self.address().and_then(|url| self.engine(url, editing)),
        };
        match (connected, local) {
            (Ok((engine, url)), local) => Ok(Connected { engine, local, url }),
            (Err(failed), None) => Err(failed),
            (Err(failed), Some((forge, _))) => {
                forge.shutdown().await;
                Err(failed)
            }
        }
    }

    /// The forge's address, where no local one is asked for.
    pub(crate) fn address(&self) -> Result<String, Failed> {
        self.url.clone().filter(|url| !url.is_empty()).ok_or_else(|| {
            Failed::Configuration(anyhow!(
                "FORGEJO_URL is not set: set it (or --url, or `url` in the file of settings) to the forge's address, for example https://forge.example; or use --local PATH for a git repository on this machine"
            ))
        })
    }

    /// The repositories to serve instead of a forge.
    pub(crate) fn local(&self) -> &[PathBuf] {
        &self.local
    }

    /// Whether they are served as a stock forge would.
    pub(crate) fn stock(&self) -> bool {
        self.stock
    }

    /// Which receipts count.
    pub(crate) fn proofs(&self) -> &Proofs {
        &self.proofs
    }

    /// A way to the forge at `url`, without an engine.
    pub(crate) fn origin(&self, url: String) -> Result<Origin, Failed> {
        let timeout = Duration::from_secs(self.timeout.into());
        Origin::new(OriginConfig {
            url,
            ca_file: self.ca_file.clone(),
            connect_timeout: timeout,
            read_timeout: timeout,
            user_agent: concat!("assay/", env!("CARGO_PKG_VERSION")).to_owned(),
        })
        .map_err(|e| Failed::Configuration(e.into()))
    }

    /// A local forge over the repositories, and a token that reads them.
    pub(crate) async fn serve_local(&self) -> Result<(LocalForge, String), Failed> {
        let (accounts, token) = Accounts::with_reader();
        let repositories = self.local.iter().map(Source::from_path).collect();
        let config = Config { accounts, native_evidence: !self.stock, ..Config::serving(repositories) };
        let forge = local_forge::start(config).await?;
        Ok((forge, token.to_string()))
    }

    /// For how long a request counts.
    pub(crate) fn window(&self) -> Duration {
        Duration::from_secs(self.rate_window.into())
    }

    fn listed(&self) -> Result<Repositories, Failed> {
        let names = self.repositories.iter().filter_map(|name| name.parse().ok());
        Repositories::only(names).map_err(|error| Failed::Configuration(anyhow!("--repositories: {error}")))
    }

    fn engine(&self, url: String, editing: Option<Arc<Editing>>) -> Result<(Arc<Engine>, String), Failed> {
        let origin = if url.is_empty() { Origin::nowhere() } else { self.origin(url.clone())? };
        let rates = Rates { read: self.rate_read, write: self.rate_write, window: self.window() };
        let keys_max = usize::try_from(self.budget_keys_max).expect("a million fits");
        let budget = Budget::for_keys(rates, keys_max);
        // A local forge's port is another each time, and whose documents are whose must outlast that.
        let origin = if self.local.is_empty() { origin } else { origin.known_as("local") };
        let origin = if self.repositories.is_empty() { origin } else { origin.within(self.listed()?) };
        let reading = Reading::new(self.proofs.settings()).map_err(|e| Failed::Configuration(e.into()))?;
        let parts = Parts {
            origin: Arc::new(origin),
            budget: Arc::new(budget),
            keep: Arc::new(Keep::new(self.proofs.keep())),
            reading: Arc::new(reading),
            editing,
            limits: self.proofs.limits(),
        };
        let engine = Engine::new(parts).map_err(|e| Failed::Fault(e.context("the components cannot be loaded")))?;
        Ok((Arc::new(engine), url))
    }
}

impl Connected {
    /// Lets the local forge go, with its copies, and the database.
    pub(crate) async fn close(self) {
        if let Some(editing) = self.engine.editing() {
            editing.close().await;
        }
        if let Some((forge, _)) = self.local {
            forge.shutdown().await;
        }
    }
}
