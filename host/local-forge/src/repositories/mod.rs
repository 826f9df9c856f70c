//! The answers about repositories and whose they are: lists, accounts, branches, commits, tags, releases.

pub(crate) mod branches;
pub(crate) mod commits;
pub(crate) mod releases;
pub(crate) mod search;
pub(crate) mod tags;
pub(crate) mod users;
