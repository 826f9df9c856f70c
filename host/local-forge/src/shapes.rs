//! The JSON objects of the API, with the members that the recorded forge has, in its order.
//!
//! A member that this forge knows nothing of (stars, milestones) has the value of a fresh repository. One fact differs
//! from the recorded forge on purpose: repositories say their `object_format_name`, which newer releases added and
//! without which SHA-256 could not be told.

use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    copy::{Person, Tip},
    repository::Address,
    stock::Stock,
};

/// What Go prints for a time that was never set.
pub(crate) const NEVER: &str = "0001-01-01T00:00:00Z";

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

/// An account.
#[derive(Clone, Serialize)]
pub(crate) struct User {
    id: u64,
    login: String,
    login_name: &'static str,
    full_name: &'static str,
    email: String,
    avatar_url: String,
    language: &'static str,
    is_admin: bool,
    last_login: &'static str,
    created: String,
    restricted: bool,
    active: bool,
    prohibit_login: bool,
    location: &'static str,
    website: &'static str,
    description: &'static str,
    visibility: &'static str,
    followers_count: u64,
    following_count: u64,
    starred_repos_count: u64,
    username: String,
}

impl User {
    pub(crate) fn new(base: &str, id: u64, login: &str, created: i64) -> Self {
        Self {
            id,
            login: login.to_owned(),
            login_name: "",
            full_name: "",
            email: format!("{login}@noreply.localhost"),
            avatar_url: format!("{base}/avatars/{id}"),
            language: "",
            is_admin: false,
            last_login: NEVER,
            created: utc(created),
            restricted: false,
            active: false,
            prohibit_login: false,
            location: "",
            website: "",
            description: "",
            visibility: "public",
            followers_count: 0,
            following_count: 0,
            starred_repos_count: 0,
            username: login.to_owned(),
        }
    }

    /// The account as it sees itself.
    pub(crate) fn own(self) -> Self {
        Self { active: true, last_login: "1970-01-01T00:00:00Z", ..self }
    }
}

/// A repository.
#[derive(Clone, Serialize)]
pub(crate) struct Repository {
    pub(crate) id: u64,
    owner: User,
    name: String,
    full_name: String,
    description: &'static str,
    empty: bool,
    private: bool,
    fork: bool,
    template: bool,
    parent: Option<()>,
    mirror: bool,
    size: u64,
    language: &'static str,
    languages_url: String,
    html_url: String,
    url: String,
    link: &'static str,
    ssh_url: &'static str,
    clone_url: String,
    original_url: &'static str,
    website: &'static str,
    stars_count: u64,
    forks_count: u64,
    watchers_count: u64,
    open_issues_count: usize,
    open_pr_counter: usize,
    release_counter: usize,
    default_branch: String,
    archived: bool,
    created_at: String,
    updated_at: String,
    archived_at: &'static str,
    permissions: Permissions,
    has_issues: bool,
    internal_tracker: InternalTracker,
    has_wiki: bool,
    has_pull_requests: bool,
    has_projects: bool,
    has_releases: bool,
    has_packages: bool,
    has_actions: bool,
    ignore_whitespace_conflicts: bool,
    allow_merge_commits: bool,
    allow_rebase: bool,
    allow_rebase_explicit: bool,
    allow_squash_merge: bool,
    allow_rebase_update: bool,
    default_delete_branch_after_merge: bool,
    default_merge_style: &'static str,
    default_allow_maintainer_edit: bool,
    avatar_url: &'static str,
    internal: bool,
    mirror_interval: &'static str,
    mirror_updated: &'static str,
    repo_transfer: Option<()>,
    object_format_name: &'static str,
}

/// What the caller may do.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Permissions {
    pub(crate) admin: bool,
    pub(crate) push: bool,
    pub(crate) pull: bool,
}

#[derive(Clone, Serialize)]
struct InternalTracker {
    enable_time_tracker: bool,
    allow_only_contributors_to_track_time: bool,
    enable_issue_dependencies: bool,
}

impl Repository {
    /// `address` is what it is called now, `web` where its pages are and `api` where its API is.
    pub(crate) fn new(
        repository: &crate::repository::Repository,
        snapshot: &crate::repository::Snapshot,
        address: &Address,
        owner: User,
        permissions: Permissions,
        (web, api): (&str, &str),
    ) -> Self {
        Self {
            id: repository.id,
            owner,
            name: address.name.clone(),
            full_name: format!("{}/{}", address.owner, address.name),
            description: "",
            empty: snapshot.is_empty(),
            private: repository.private,
            fork: false,
            template: false,
            parent: None,
            mirror: false,
            size: snapshot.size,
            language: "",
            languages_url: format!("{api}/languages"),
            html_url: web.to_owned(),
            url: api.to_owned(),
            link: "",
            ssh_url: "",
            clone_url: format!("{web}.git"),
            original_url: "",
            website: "",
            stars_count: 0,
            forks_count: 0,
            watchers_count: 0,
            open_issues_count: snapshot.open_issues(),
            open_pr_counter: snapshot.open_pulls(),
            release_counter: snapshot.tracker.releases.iter().filter(|release| !release.draft).count(),
            default_branch: if snapshot.default.is_empty() { "main".into() } else { text(&snapshot.default) },
            archived: false,
            created_at: utc(repository.first_seen),
            updated_at: utc(snapshot.updated),
            archived_at: "1970-01-01T00:00:00Z",
            permissions,
            has_issues: true,
            internal_tracker: InternalTracker {
                enable_time_tracker: false,
                allow_only_contributors_to_track_time: false,
                enable_issue_dependencies: false,
            },
            has_wiki: false,
            has_pull_requests: true,
            has_projects: false,
            has_releases: true,
            has_packages: false,
            has_actions: false,
            ignore_whitespace_conflicts: false,
            allow_merge_commits: true,
            allow_rebase: true,
            allow_rebase_explicit: true,
            allow_squash_merge: true,
            allow_rebase_update: false,
            default_delete_branch_after_merge: false,
            default_merge_style: "merge",
            default_allow_maintainer_edit: false,
            avatar_url: "",
            internal: false,
            mirror_interval: "",
            mirror_updated: NEVER,
            repo_transfer: None,
            object_format_name: repository.format().name(),
        }
    }
}

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

/// A branch.
#[derive(Serialize)]
pub(crate) struct Branch {
    name: String,
    commit: Commit,
    protected: bool,
    required_approvals: u64,
    enable_status_check: bool,
    status_check_contexts: [(); 0],
    user_can_push: bool,
    user_can_merge: bool,
    effective_branch_protection_name: &'static str,
}

#[derive(Serialize)]
struct Commit {
    id: String,
    message: String,
    url: String,
    author: Signature,
    committer: Signature,
    verification: Verification,
    timestamp: String,
    added: Option<()>,
    removed: Option<()>,
    modified: Option<()>,
}

#[derive(Serialize)]
struct Signature {
    name: String,
    email: String,
    username: &'static str,
}

/// What a forge says of a commit's signature.
#[derive(Serialize)]
pub(crate) struct Verification {
    verified: bool,
    reason: &'static str,
    signature: &'static str,
    signer: Option<()>,
    payload: &'static str,
}

impl Verification {
    /// Looking for a signature would run a program of the signer's choice of format; none is run here.
    pub(crate) fn unsigned() -> Self {
        Self { verified: false, reason: "gpg.error.not_signed_commit", signature: "", signer: None, payload: "" }
    }
}

impl Branch {
    /// `web` is the address of the repository's pages.
    pub(crate) fn new(name: &[u8], tip: &Tip, web: &str, may_write: bool) -> Self {
        let signature = |who: &Person| Signature { name: who.name.clone(), email: who.email.clone(), username: "" };
        Self {
            name: text(name),
            commit: Commit {
                id: tip.oid.clone(),
                message: tip.message.clone(),
                url: format!("{web}/commit/{}", tip.oid),
                author: signature(&tip.author),
                committer: signature(&tip.committer),
                verification: Verification::unsigned(),
                timestamp: tip.authored.clone(),
                added: None,
                removed: None,
                modified: None,
            },
            protected: false,
            required_approvals: 0,
            enable_status_check: false,
            status_check_contexts: [],
            user_can_push: may_write,
            user_can_merge: may_write,
            effective_branch_protection_name: "",
        }
    }
}

/// A ref and its object.
#[derive(Serialize)]
pub(crate) struct Reference {
    r#ref: String,
    url: String,
    object: Object,
}

#[derive(Serialize)]
struct Object {
    r#type: &'static str,
    sha: String,
    url: String,
}

impl Reference {
    /// `api` is the repository's address in the API.
    pub(crate) fn new(tip: &Tip, api: &str) -> Self {
        let name = text(&tip.name);
        let url = format!("{api}/git/{name}");
        let object = Object { r#type: "commit", sha: tip.oid.clone(), url: format!("{api}/git/commits/{}", tip.oid) };
        Self { r#ref: name, url, object }
    }
}

/// Stands for a byte that is no UTF-8 until the JSON is made, where Go writes an escape for each. No text of its own
/// should hold this character; one that does is shown as if it had such a byte.
pub(crate) const NO_TEXT: char = '\u{fdd0}';

/// Bytes as a forge's JSON shows them: U+FFFD, escaped, for each byte that is no UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| NO_TEXT));
    }
    text
}

/// Seconds since 1970 as RFC 3339. Commits may claim times that no calendar has.
pub(crate) fn utc(seconds: i64) -> String {
    let time = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    time.format(&Rfc3339).unwrap_or_else(|_| NEVER.to_owned())
}
