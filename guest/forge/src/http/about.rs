//! What a status means where the answer is about something else than a pull request: the same judge, with the subject and
//! the scope in the sentence.

use std::fmt;

use super::{Fault, Head, judge_json};

/// What an answer is about, for what is said where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// With its article: `the issue`.
    pub noun: &'static str,
    /// The scope that a token needs.
    pub scope: &'static str,
    /// The arguments that name it: `owner, repo and index`.
    pub named_by: &'static str,
}

impl Subject {
    /// One repository.
    pub const REPOSITORY: Self = Self { noun: "the repository", scope: "read:repository", named_by: "owner and repo" };
    /// A list of repositories.
    pub const REPOSITORIES: Self =
        Self { noun: "the list of repositories", scope: "read:repository", named_by: "owner" };
    /// A repository's pull requests.
    pub const PULLS: Self =
        Self { noun: "the repository with its pull requests", scope: "read:repository", named_by: "owner and repo" };
    /// A repository's releases.
    pub const RELEASES: Self =
        Self { noun: "the repository with its releases", scope: "read:repository", named_by: "owner and repo" };
    /// The commits of a ref, or those of them that touch a path.
    pub const COMMITS: Self = Self {
        noun: "the repository with commits of this ref and path",
        scope: "read:repository",
        named_by: "owner, repo, ref and path",
    };
    /// A pull request's reviews.
    pub const REVIEWS: Self = Self {
        noun: "the repository with this pull request",
        scope: "read:repository",
        named_by: "owner, repo and index",
    };
    /// The comments of one review.
    pub const REVIEW: Self = Self {
        noun: "the pull request with this review",
        scope: "read:repository",
        named_by: "owner, repo, index and review_id",
    };
    /// A user or an organisation.
    pub const OWNER: Self = Self { noun: "the owner", scope: "read:user", named_by: "owner" };
    /// One issue, or what is below it.
    pub const ISSUE: Self = Self { noun: "the issue", scope: "read:issue", named_by: "owner, repo and index" };
    /// A repository's issues.
    pub const ISSUES: Self =
        Self { noun: "the repository with its issues", scope: "read:issue", named_by: "owner and repo" };
}

/// What is wrong with the head of an answer about something else than a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct AboutFault {
    /// What was asked for.
    pub subject: Subject,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for AboutFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { noun, scope, named_by } = self.subject;
        match self.fault {
            Fault::Unauthorized => write!(
                f,
                "the forge refused the credential itself (HTTP 401), which says nothing about {noun}; the token is wrong, \
                 expired or revoked: use a valid one"
            ),
            Fault::Forbidden => write!(
                f,
                "the forge knows the credential but does not let it do this (HTTP 403), which does not say whether {noun} \
                 exists; the token needs the scope `{scope}`, and its owner may need access: check both"
            ),
            Fault::NotFound => write!(
                f,
                "the forge does not show {noun} to this credential (HTTP 404): it does not exist, or it is hidden from this \
                 token, and the forge does not say which; check {named_by}, and that the token's owner may see the \
                 repository"
            ),
            Fault::RateLimited(status, wait) => write!(
                f,
                "the forge itself has had too many requests (HTTP {status}), which says nothing about {noun}; {}",
                wait.or("wait a minute and call again")
            ),
            other => other.fmt(f),
        }
    }
}

/// As [`judge_json`], about something else than a pull request (K-78).
///
/// # Errors
/// As [`judge_json`].
pub fn judge_json_about(head: &Head, subject: Subject) -> Result<(), AboutFault> {
    judge_json(head).map_err(|fault| AboutFault { subject, fault })
}
