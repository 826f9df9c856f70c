//! What a forge knows of its repositories: what they are at this moment, what it remembers, and how that is changed.

pub(crate) mod base64_bytes;
pub(crate) mod ledger;
pub(crate) mod repository;
pub(crate) mod snapshot;
pub(crate) mod tracker;
pub(crate) mod writing;
pub(crate) mod written;
