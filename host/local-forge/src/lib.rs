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

mod access;
mod accounts;
mod answer;
mod base64_body;
mod base64_bytes;
mod blobs;
mod branches;
mod comments;
mod commits;
mod config;
mod contents;
mod contents_write;
mod control;
mod copy;
mod diff;
mod edits;
mod error;
mod evidence;
mod exact;
mod files;
mod follow;
mod git;
mod history;
mod hunks;
mod issues;
mod labels;
mod ledger;
mod listing;
mod live;
mod log;
mod merges;
mod objects;
mod page;
mod pull_answers;
mod pull_create;
mod pulls;
mod range;
mod raw;
mod redirect;
mod releases;
mod replay;
mod repository;
mod reviews;
mod revision;
mod route;
mod routes;
mod scissors;
mod search;
mod sent;
mod server;
mod shapes;
mod sniff;
mod source;
mod stock;
mod tags;
mod target;
mod tracker;
mod trees;
mod users;
mod writing;
mod written;

pub use accounts::{Accounts, Area, Grant, PrivateReads, Scope, Token};
pub use config::{Config, Source, State};
pub use control::Control;
pub use error::Error;
pub use live::{Cut, ObjectFault};
pub use log::LoggedRequest;
pub use server::{LocalForge, PullSummary, start};
pub use stock::{Flavour, Renamed, Stock, WrongSha};
pub use tracker::ReviewState;
