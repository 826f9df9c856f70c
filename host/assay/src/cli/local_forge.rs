//! `assay local-forge`: serves local git repositories as a forge would, on the loopback alone.

use std::{
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    path::{Path, PathBuf},
};

use anyhow::anyhow;
use assay_local_forge::{Accounts, Config, LocalForge, Source, State, Token};
use clap::Args;
use tempfile::NamedTempFile;

use super::{Failed, say, shown::shown};
use crate::shutdown;

/// Where a state folder has the tokens.
const KEPT: &str = "tokens";

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
    /// Keep the copies, pull request numbers, tokens and what was written in this folder, instead of a temporary one.
    #[arg(long, value_name = "FOLDER")]
    state: Option<PathBuf>,
    /// Answer as a stock forge does: plain diffs, without evidence.
    #[arg(long)]
    stock: bool,
    /// Show the repositories to the printed tokens alone.
    #[arg(long)]
    private: bool,
}

impl LocalForgeCommand {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let tokens = Tokens::of(self.state.as_deref())?;
        let accounts = Accounts::of_owner(tokens.owner.clone()).with_reviewer(tokens.reviewer.clone());
        let repositories = self.paths.iter().map(|path| Source { private: self.private, ..Source::from_path(path) });
        let config = Config {
            listen: self.listen,
            state: self.state.clone().map_or(State::Temporary, State::Folder),
            native_evidence: !self.stock,
            accounts,
            ..Config::serving(repositories.collect())
        };
        let forge = start(config).await?;
        let kept = self.state.as_deref().map_or(Ok(()), |folder| tokens.keep(folder));
        let said = kept.and_then(|()| say(&describe(&forge, &tokens)));
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

/// The tokens of the two accounts. With a state folder they are there again at the next start, for those who put them
/// into a client's configuration.
struct Tokens {
    owner: Token,
    reviewer: Token,
}

impl Tokens {
    fn of(state: Option<&Path>) -> Result<Self, Failed> {
        let kept = match state.map(|folder| std::fs::read_to_string(folder.join(KEPT))) {
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => {
                return Err(Failed::Configuration(anyhow!(error).context(format!("the state folder's `{KEPT}`"))));
            }
            kept => kept.and_then(Result::ok).unwrap_or_default(),
        };
        let mut kept =
            kept.lines().filter(|line| line.len() == 40 && line.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let mut next = || kept.next().map_or_else(Token::random, Token::new);
        Ok(Self { owner: next(), reviewer: next() })
    }

    /// Into a file that nobody else can read.
    fn keep(&self, folder: &Path) -> Result<(), Failed> {
        let keep = || {
            let mut file = NamedTempFile::new_in(folder)?;
            writeln!(file, "{}\n{}", &*self.owner, &*self.reviewer)?;
            file.persist(folder.join(KEPT))?;
            anyhow::Ok(())
        };
        keep().map_err(|error| Failed::Configuration(error.context("the state folder's tokens cannot be kept")))
    }
}

fn describe(forge: &LocalForge, tokens: &Tokens) -> String {
    let mut text = format!(
        "serving until interrupted; use it with\n\n  export FORGEJO_URL={} FORGEJO_TOKEN={}\n  assay stdio\n\n\
         nobody approves a pull request of their own: {} is the token of `reviewer`\n\npull requests:",
        forge.url(),
        &*tokens.owner,
        &*tokens.reviewer
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
