//! The tools as they are called, on a real database and a real folder.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod attacks;
mod bundles;
mod cases;
mod claims;
mod ground;
mod history;
mod integrity;
mod legacy;
mod numbers;
mod past;
mod reading;
mod recovery;
mod reports;
mod saving;
mod scopes;
mod sessions;
mod submissions;
mod tools;
mod versions;
