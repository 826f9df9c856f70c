//! What keeps the forge from starting, in words for the person who started it.
//!
//! Faults while it serves are not here: they become the answers that a real forge gives.

use std::{error::Error as StdError, io, net::SocketAddr, path::PathBuf};

use crate::git::run::Failure;

/// Why [`start`](crate::start) gave up. Nothing is left running or listening then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address would have shown the repositories to other machines.
    #[error("{0} is not a loopback address, and a local forge serves this machine alone")]
    NotLoopback(SocketAddr),
    /// The address is taken or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The path holds no repository that git can open.
    #[error("{} is not a git repository that can be served: {detail}", path.display())]
    NotARepository {
        /// As configured.
        path: PathBuf,
        /// What is wrong with it, one line.
        detail: String,
    },
    /// Everything would be compared with a branch that cannot be read.
    #[error(
        "the default branch `{branch}` of {} cannot be read, and every other branch is compared with it: {detail}; \
         `git fsck` tells what is missing there",
        path.display()
    )]
    BrokenDefault {
        /// Its name; U+FFFD stands for what is no UTF-8.
        branch: String,
        /// The git directory.
        path: PathBuf,
        /// What git says of it, one line.
        detail: String,
    },
    /// An owner or a repository name that no forge would take: letters, digits, `-`, `_` and `.` make a name.
    #[error("`{0}` is not a name a forge could give: use letters, digits, `-`, `_` and `.`")]
    Name(String),
    /// The text is no scope.
    #[error("`{0}` is no scope: write `all`, or `read:` or `write:` and an area such as `repository`")]
    Scope(String),
    /// The state folder cannot be used.
    #[error("state folder {}: {detail}", path.display())]
    State {
        /// The folder or the file in it.
        path: PathBuf,
        /// What is wrong with it, one line.
        detail: String,
    },
    /// A [`Control`](crate::Control) was told of a repository or a pull request that is not there.
    #[error("{0} is not served here")]
    NotServed(String),
    /// git is missing, too old, or failed.
    #[error("git: {0}")]
    Git(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::Git(Box::new(failure))
    }
}
