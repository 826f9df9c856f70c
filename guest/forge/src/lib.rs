//! What a forge's answer must look like, decided byte by byte: verifiers, cursors, windows, diffs.
//!
//! Everything here is a state machine that is fed bytes and asked at the end; nothing does I/O or reads a clock, so the
//! same code runs in a component, in a test and in a fuzzer. What is called verified was verified whole: see
//! [`Verified`].

pub mod account;
pub mod base64;
pub mod branch;
mod capture;
pub mod cursor;
pub mod diff;
mod error;
pub mod evidence;
pub mod file;
pub mod files;
mod hex;
pub mod history;
pub mod http;
pub mod issue;
pub mod json;
mod lenient;
pub mod listing;
mod names;
pub mod object;
pub mod observed;
pub mod proof;
pub mod pull;
pub mod pull_row;
pub mod release;
pub mod repository;
pub mod review;
mod slice;
mod verified;
pub mod written;

pub use capture::{Capture, Captured, Sink, WINDOW_BYTES};
pub use error::Error;
pub use names::{FilePath, Index, InvalidName, ObjectFormat, ObjectId, Owner, RepoName, RepoPath};
pub use slice::{Slice, Slicer};
pub use verified::Verified;
