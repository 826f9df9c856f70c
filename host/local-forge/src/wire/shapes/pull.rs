//! A pull request, its two sides and its labels.

use serde::Serialize;

use super::{Repository, User};

/// A pull request.
#[derive(Serialize)]
pub(crate) struct PullRequest {
    pub(crate) id: u64,
    pub(crate) url: String,
    pub(crate) number: u64,
    pub(crate) user: User,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) labels: Vec<Label>,
    pub(crate) milestone: Option<()>,
    pub(crate) assignee: Option<()>,
    pub(crate) assignees: Option<()>,
    pub(crate) requested_reviewers: Option<()>,
    pub(crate) state: &'static str,
    pub(crate) is_locked: bool,
    pub(crate) comments: usize,
    pub(crate) html_url: String,
    pub(crate) diff_url: String,
    pub(crate) patch_url: String,
    pub(crate) mergeable: bool,
    pub(crate) merged: bool,
    pub(crate) merged_at: Option<String>,
    pub(crate) merge_commit_sha: Option<String>,
    pub(crate) merged_by: Option<User>,
    pub(crate) allow_maintainer_edit: bool,
    pub(crate) base: Side,
    pub(crate) head: Side,
    pub(crate) merge_base: String,
    pub(crate) due_date: Option<()>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) closed_at: Option<String>,
    pub(crate) pin_order: u64,
}

/// A label, of a repository or on something of it.
#[derive(Clone, Serialize)]
pub(crate) struct Label {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) exclusive: bool,
    pub(crate) color: String,
    pub(crate) description: String,
    pub(crate) url: String,
}

/// What a pull request goes into, or comes from.
#[derive(Serialize)]
pub(crate) struct Side {
    pub(crate) label: String,
    pub(crate) r#ref: String,
    pub(crate) sha: String,
    /// -1 when the repository is gone.
    pub(crate) repo_id: i64,
    pub(crate) repo: Option<Repository>,
}
