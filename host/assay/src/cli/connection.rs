//! Which forge, with which credential, within which bounds: the options that `stdio`, `serve` and `call` share.

use std::{fmt, fs, io::Read as _, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context as _, anyhow, bail};
use assay_local_forge::{Accounts, Config, LocalForge, Source, State};
use clap::Args;

use super::{Failed, local_forge};
use crate::{
    budget::{Budget, Rates},
    caller::Credential,
    engine::{Engine, Limits},
    origin::{Origin, OriginConfig},
};

/// Bytes of a token file that are read at the most.
const TOKEN_FILE_BYTES: u64 = 16 * 1024;

/// Where the forge is and how it is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Forge")]
pub(crate) struct Connection {
    /// The forge's address: scheme, host, port and, where it lives below one, its path.
    #[arg(long, env = "FORGEJO_URL", value_name = "URL")]
    url: Option<String>,
    /// Serve this local git repository instead of a forge; its branches are the pull requests. Repeat it for several.
    #[arg(long, value_name = "PATH")]
    local: Vec<PathBuf>,
    /// A file of certificate authorities (PEM) to trust besides the system's.
    #[arg(long, env = "GATEWAY_CA_FILE", value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Seconds to wait for a connection, and for each next byte of an answer.
    #[arg(long, env = "GATEWAY_TIMEOUT", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600), value_name = "SECONDS")]
    timeout: u64,
    /// Read requests that one credential may cause in each window; 0 lifts the bound.
    #[arg(long, env = "GATEWAY_RATE_READ", default_value_t = 600, value_name = "REQUESTS")]
    rate_read: u32,
    /// Write requests that one credential may cause in each window; 0 lifts the bound.
    #[arg(long, env = "GATEWAY_RATE_WRITE", default_value_t = 60, value_name = "REQUESTS")]
    rate_write: u32,
    /// The budget's window in seconds.
    #[arg(long, env = "GATEWAY_RATE_WINDOW", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400), value_name = "SECONDS")]
    rate_window: u64,
}

/// The process's own credential, for one agent over standard input and for `call`.
#[derive(Args)]
#[command(next_help_heading = "Credential")]
pub(crate) struct OwnCredential {
    /// A file that holds the forge token; where it is not given, FORGEJO_TOKEN does. (A token on the command line would
    /// be seen by every user of the machine.)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[arg(env = "FORGEJO_TOKEN", hide = true, hide_env_values = true, long = "token-from-environment")]
    token: Option<String>,
    /// For throw-away forges alone: a user, with FORGEJO_PASSWORD.
    #[arg(long, env = "FORGEJO_USER", value_name = "NAME")]
    user: Option<String>,
    #[arg(env = "FORGEJO_PASSWORD", hide = true, hide_env_values = true, long = "password-from-environment")]
    password: Option<String>,
}

/// An engine connected to its forge, and the local forge that must live as long.
pub(crate) struct Connected {
    pub(crate) engine: Arc<Engine>,
    pub(crate) local: Option<(LocalForge, String)>,
}

impl Connection {
    /// Checks the options, starts a local forge if one is asked for, and loads the components.
    pub(crate) async fn connect(&self) -> Result<Connected, Failed> {
        let local = if self.local.is_empty() { None } else { Some(self.serve_local().await?) };
        let url = match (&local, self.url.as_ref().filter(|url| !url.is_empty())) {
            (Some((forge, _)), _) => forge.url(),
            (None, Some(url)) => url.clone(),
            (None, None) => {
                return Err(Failed::Configuration(anyhow!(
                    "FORGEJO_URL is not set: set it (or --url) to the forge's address, for example https://forge.example; or use --local PATH for a git repository on this machine"
                )));
            }
        };
        let timeout = Duration::from_secs(self.timeout);
        let origin = Origin::new(OriginConfig {
            url,
            ca_file: self.ca_file.clone(),
            connect_timeout: timeout,
            read_timeout: timeout,
            user_agent: concat!("assay/", env!("CARGO_PKG_VERSION")).to_owned(),
        })
        .map_err(|e| Failed::Configuration(e.into()))?;
        let budget = Budget::new(Rates {
            read: self.rate_read,
            write: self.rate_write,
            window: Duration::from_secs(self.rate_window),
        });
        let engine = Engine::new(Arc::new(origin), Arc::new(budget), Limits::default())
            .map_err(|e| Failed::Fault(e.context("the components cannot be loaded")))?;
        Ok(Connected { engine: Arc::new(engine), local })
    }

    async fn serve_local(&self) -> Result<(LocalForge, String), Failed> {
        let (accounts, token) = Accounts::with_owner();
        let forge = local_forge::start(Config {
            repositories: self.local.iter().map(Source::from_path).collect(),
            listen: ([127, 0, 0, 1], 0).into(),
            state: State::Temporary,
            native_evidence: true,
            accounts,
        })
        .await?;
        Ok((forge, token.to_string()))
    }
}

impl fmt::Debug for OwnCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnCredential(redacted)")
    }
}

impl OwnCredential {
    /// The credential that the environment or the file gives; a local forge's own token where there is one.
    pub(crate) fn read(self, connected: &Connected) -> Result<Credential, Failed> {
        if let Some((_, token)) = &connected.local {
            return Ok(Credential::token(token.clone()));
        }
        self.parse().map_err(Failed::Configuration)
    }

    fn parse(self) -> anyhow::Result<Credential> {
        if let Some(file) = &self.token_file {
            let mut token = String::new();
            let opened = fs::File::open(file).and_then(|open| open.take(TOKEN_FILE_BYTES).read_to_string(&mut token));
            opened.with_context(|| format!("the token file {}", file.display()))?;
            return checked(token.trim_end_matches(['\r', '\n']).to_owned(), "the token file");
        }
        match (self.token, self.user, self.password) {
            (Some(token), _, _) => checked(token, "FORGEJO_TOKEN"),
            (None, Some(user), Some(password)) => Ok(Credential::basic(user, password)),
            (None, Some(_), None) => bail!("FORGEJO_PASSWORD is not set, and FORGEJO_USER is"),
            (None, None, _) => bail!(
                "FORGEJO_TOKEN is not set: make a token with the scope read:repository in the forge's settings under Applications, and put it there or into a file for --token-file"
            ),
        }
    }
}

/// A token that can stand in a header: what else it is, the forge decides.
fn checked(token: String, source: &str) -> anyhow::Result<Credential> {
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
        bail!("{source} is empty or holds a space or a character that no token has");
    }
    Ok(Credential::token(token))
}
