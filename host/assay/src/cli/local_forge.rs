//! `assay local-forge`: serves local git repositories as a forge would, on the loopback alone.

use std::{net::SocketAddr, path::PathBuf};

use assay_local_forge::{Accounts, Config, LocalForge, Source, State};
use clap::Args;

use super::{Failed, say, shown::shown};
use crate::shutdown;

/// Serve local git repositories through a forge's API, with verified diffs. They stay as they are.
///
/// The pull requests of a repository are its branches against its default branch, and those that are asked for. Issues,
/// comments, reviews, merges and files are taken as a forge takes them, into copies of the repositories: in --state's
/// folder, or in a temporary one that is gone at the end.
#[derive(Debug, Args)]
pub(crate) struct LocalForgeCommand {
    /// Git repositories: clones, worktrees or bare ones.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where to listen: a loopback address, port 0 for any free port.
    #[arg(long, default_value = "127.0.0.1:0", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Keep the copies, pull request numbers and what was written in this folder, instead of a temporary one.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Answer as a stock forge does: plain diffs, without evidence.
    #[arg(long)]
    stock: bool,
    /// Show the repositories to the printed token alone.
    #[arg(long)]
    private: bool,
}

impl LocalForgeCommand {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let (accounts, token) = Accounts::with_owner();
        let repositories = self.paths.iter().map(|path| Source { private: self.private, ..Source::from_path(path) });
        let config = Config {
            listen: self.listen,
            state: self.state.map_or(State::Temporary, State::Folder),
            native_evidence: !self.stock,
            accounts,
            ..Config::serving(repositories.collect())
        };
        let forge = start(config).await?;
        let said = say(&describe(&forge, &token));
        if said.is_ok() {
            shutdown::requested().await;
        }
        forge.shutdown().await;
        said
    }
}

/// Starts a local forge; what can go wrong is what was asked for.
pub(crate) async fn start(config: Config) -> Result<LocalForge, Failed> {
    assay_local_forge::start(config).await.map_err(|e| Failed::Configuration(e.into()))
}

fn describe(forge: &LocalForge, token: &str) -> String {
    let mut text = format!(
        "serving until interrupted; use it with\n\n  export FORGEJO_URL={} FORGEJO_TOKEN={token}\n  assay stdio\n\npull requests:",
        forge.url()
    );
    for pull in forge.pulls() {
        text.push_str(&format!(
            "\n  {}/{}#{}  {}  {}",
            pull.owner,
            pull.repo,
            pull.index,
            shown(&pull.branch),
            shown(&pull.title)
        ));
    }
    if forge.pulls().is_empty() {
        text.push_str("\n  none: no branch besides the default one");
    }
    text
}
