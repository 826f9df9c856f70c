//! The JSON objects of the API, with the members that the recorded forge has, in its order.
//!
//! A member that this forge knows nothing of (stars, milestones) has the value of a fresh repository. One fact differs
//! from the recorded forge on purpose: repositories say their `object_format_name`, which newer releases added and
//! without which SHA-256 could not be told.

mod account;
mod pull;
mod refs;
mod repository;
mod text;

use serde::Serialize;

pub(crate) use self::{
    account::User,
    pull::{Label, PullRequest, Side},
    refs::{Branch, Reference, Verification},
    repository::{Permissions, Repository},
    text::{NEVER, NO_TEXT, text, utc},
};
use crate::operator::stock::Stock;

/// `GET /version`. The number is the release whose answers are given here.
#[derive(Serialize)]
pub(crate) struct Version {
    version: &'static str,
}

impl Version {
    pub(crate) fn new() -> Self {
        Self { version: "1.21.1+assay-local-forge" }
    }
}

/// `GET /settings/api`.
#[derive(Serialize)]
pub(crate) struct Settings {
    max_response_items: usize,
    default_paging_num: usize,
    default_git_trees_per_page: usize,
    default_max_blob_size: u64,
}

impl Settings {
    pub(crate) fn new(stock: &Stock) -> Self {
        Self {
            max_response_items: stock.max_items,
            default_paging_num: stock.default_items,
            default_git_trees_per_page: stock.trees_per_page,
            default_max_blob_size: stock.max_blob_size,
        }
    }
}
