//! The tools as they are called, on a real database and a real folder.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod bundles;
mod ground;
mod history;
mod reading;
mod recovery;
mod reports;
mod saving;
mod scopes;
mod sessions;
mod submissions;
mod tools;
mod versions;
