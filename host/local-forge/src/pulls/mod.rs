//! Pull requests: which there are, their diffs with and without evidence, what is said of them, how they are merged.

pub(crate) mod answers;
pub(crate) mod create;
pub(crate) mod diff;
pub(crate) mod evidence;
pub(crate) mod files;
pub(crate) mod hunks;
pub(crate) mod merges;
pub(crate) mod numbers;
pub(crate) mod reviews;
