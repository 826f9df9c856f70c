//! The tools as they are called, on a real database and a real folder.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

pub(crate) mod child;
pub(crate) mod ground;
pub(crate) mod past;
pub(crate) mod place;
pub(crate) mod sessions;
pub(crate) mod switches;

mod attacks;
mod away;
mod bundles;
mod cases;
mod claims;
mod equal;
mod history;
mod integrity;
mod legacy;
mod numbers;
mod owned;
mod points;
mod reading;
mod recovery;
mod reports;
mod saving;
mod scopes;
mod submissions;
mod tools;
mod versions;
mod waiting;
mod writers;
