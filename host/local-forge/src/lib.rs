//! A forge over local git repositories: the embedded default of the program, and the ground under its tests.
//!
//! Real `git` makes every diff and real HTTP/1.1 carries it, on the loopback alone, with the status, headers, framing
//! and error bodies that a released forge was recorded to send. The branches of a repository are its pull requests,
//! against its default branch, and so are those that somebody asks for. What is written through the API (issues,
//! comments, reviews, merges, files, releases) is kept in the forge's own state (see [`State`]). Nothing is written to a
//! served repository and nothing that its configuration or its attributes name is run: git works on bare copies.
//!
//! What is not here: any judgement of what is served. Verifying is the reader's work, and this crate shares no code
//! with it, so that the two cannot agree by being wrong together.

mod content;
mod error;
mod git;
mod issues;
mod operator;
mod pulls;
mod repositories;
mod serve;
mod state;
mod wire;

pub use error::Error;
pub use operator::{
    accounts::{Accounts, Area, Grant, PrivateReads, Scope, Token},
    config::{Config, Source, State},
    control::Control,
    live::{Cut, ObjectFault},
    stock::{Flavour, Renamed, Stock, WrongSha},
};
pub use serve::{
    log::LoggedRequest,
    server::{LocalForge, PullSummary, start},
};
pub use state::tracker::ReviewState;
