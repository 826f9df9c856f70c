//! An issue, a pull request or a comment as the forge says that it made it.

use std::io::Read;

use serde::Deserialize;

use super::{Fault, leads_to};
use crate::{
    Index, Owner, RepoName,
    lenient::{Lenient, Object, Scalar, WholeText},
};

/// An issue or a pull request that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// As the forge numbers it among all.
    pub id: u64,
    /// As it is numbered in its repository.
    pub number: u64,
    /// As it was stored.
    pub title: Option<String>,
    /// `open`.
    pub state: Option<String>,
    /// For people.
    pub html_url: Option<String>,
    /// The whole text, as it was stored.
    pub body: Option<String>,
    /// The head's branch, of a pull request.
    pub head: Option<String>,
    /// Who owns the repository that the head's branch is in, of a pull request.
    pub head_owner: Option<String>,
    /// The base's branch, of a pull request.
    pub base: Option<String>,
}

impl Opened {
    /// Reads the forge's answer to its end.
    ///
    /// # Errors
    /// [`Fault`] where it has no ids, or names another repository than `owner` and `repo`, whose case does not count.
    pub fn read(json: impl Read, owner: &Owner, repo: &RepoName) -> Result<Self, Fault> {
        let Object(answer): Object<Answer> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        let (base, head) = (answer.base.unwrap_or_default(), answer.head.unwrap_or_default());
        let wanted = format!("{}/{}", owner.as_str(), repo.as_str());
        for named in [answer.repository.unwrap_or_default(), base.repo.unwrap_or_default()] {
            if named.full_name.text().is_some_and(|name| !name.eq_ignore_ascii_case(&wanted)) {
                return Err(Fault::Foreign);
            }
        }
        let head_repo = head.repo.unwrap_or_default().full_name.text();
        Ok(Self {
            id: answer.id.id().ok_or(Fault::Malformed)?,
            number: answer.number.id().ok_or(Fault::Malformed)?,
            title: answer.title.text(),
            state: answer.state.text(),
            html_url: answer.html_url.text(),
            body: answer.body.0,
            head: head.name.text(),
            head_owner: head_repo.and_then(|name| Some(name.split_once('/')?.0.to_owned())),
            base: base.name.text(),
        })
    }
}

/// A comment that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commented {
    /// As the forge numbers it.
    pub id: u64,
    /// For people.
    pub html_url: Option<String>,
    /// When the forge says that it was made.
    pub created_at: Option<String>,
    /// The whole text, as it was stored.
    pub body: Option<String>,
}

impl Commented {
    /// Reads the forge's answer to its end.
    ///
    /// # Errors
    /// [`Fault`] where it has no id, or belongs to another repository, or another issue or pull request than `index`.
    pub fn read(json: impl Read, owner: &Owner, repo: &RepoName, index: Index) -> Result<Self, Fault> {
        let Object(answer): Object<CommentAnswer> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        let parents = [answer.issue_url.text(), answer.pull_request_url.text()];
        if parents.into_iter().flatten().any(|url| !url.is_empty() && !leads_to(&url, owner, repo, index)) {
            return Err(Fault::Foreign);
        }
        Ok(Self {
            id: answer.id.id().ok_or(Fault::Malformed)?,
            html_url: answer.html_url.text(),
            created_at: answer.created_at.moment(),
            body: answer.body.0,
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    id: Scalar,
    number: Scalar,
    title: Scalar,
    state: Scalar,
    html_url: Scalar,
    body: WholeText,
    repository: Lenient<Named>,
    head: Lenient<Branch>,
    base: Lenient<Branch>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Branch {
    #[serde(rename = "ref")]
    name: Scalar,
    repo: Lenient<Named>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    full_name: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CommentAnswer {
    id: Scalar,
    html_url: Scalar,
    issue_url: Scalar,
    pull_request_url: Scalar,
    created_at: Scalar,
    body: WholeText,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn opened(answer: &Value) -> Result<Opened, Fault> {
        let (owner, repo) = (Owner::new("Alice").expect("a name"), RepoName::new("proj").expect("a name"));
        Opened::read(answer.to_string().as_bytes(), &owner, &repo)
    }

    /// K-58: ids keep every digit; a repository's case does not count.
    #[test]
    fn what_was_opened_is_read() {
        let issue = opened(&json!({
            "id": 9_007_199_254_740_993_u64, "number": 7, "title": "t", "body": "x".repeat(100_000), "state": "open",
            "html_url": "https://f/alice/proj/issues/7", "repository": {"full_name": "alice/Proj"},
        }));
        let issue = issue.expect("an issue");
        assert_eq!((issue.id, issue.number, issue.head), (9_007_199_254_740_993, 7, None));
        assert_eq!(issue.body.map(|body| body.len()), Some(100_000));
        let pull = opened(&json!({
            "id": 1, "number": 2, "title": 7, "head": {"ref": "feature", "repo": {"full_name": "bob/proj"}},
            "base": {"ref": "main", "repo": {"full_name": "alice/proj"}},
        }));
        let pull = pull.expect("a pull request");
        assert_eq!((pull.title, pull.head.as_deref(), pull.base.as_deref()), (None, Some("feature"), Some("main")));
        assert_eq!(pull.head_owner.as_deref(), Some("bob"));
    }

    #[test]
    fn what_does_not_name_what_was_made_is_a_fault() {
        for (answer, fault) in [
            (json!({"id": 0, "number": 7}), Fault::Malformed),
            (json!({"id": 1, "number": "7"}), Fault::Malformed),
            (json!([1, 7]), Fault::Malformed),
            (json!({"id": 1, "number": 7, "repository": {"full_name": "alice/other"}}), Fault::Foreign),
            (json!({"id": 1, "number": 7, "base": {"repo": {"full_name": "bob/proj"}}}), Fault::Foreign),
        ] {
            assert_eq!(opened(&answer), Err(fault), "{answer}");
        }
    }

    /// K-57, G-146: the number in a URL is compared as digits, and the repository without its case.
    #[test]
    fn a_comment_belongs_to_its_issue() {
        let (owner, repo) = (Owner::new("Alice").expect("a name"), RepoName::new("proj").expect("a name"));
        let read = |answer: Value, index| {
            let index = Index::new(index).expect("an index");
            Commented::read(answer.to_string().as_bytes(), &owner, &repo, index)
        };
        let comment = read(json!({"id": 21_000_000, "issue_url": "https://f/alice/Proj/issues/9", "body": "b"}), 9);
        assert_eq!(comment.expect("a comment").id, 21_000_000);
        let on_pull = json!({"id": 1, "issue_url": "", "pull_request_url": "https://f/git/alice/proj/pulls/9#x"});
        assert!(read(on_pull.clone(), 9).is_ok());
        assert_eq!(read(on_pull, 99), Err(Fault::Foreign));
        for url in
            ["https://f/bob/proj/issues/9", "https://f/alice/other/issues/9", "https://f/alice/proj/milestone/9", "9"]
        {
            assert_eq!(read(json!({"id": 1, "issue_url": url}), 9), Err(Fault::Foreign), "{url}");
        }
        assert_eq!(read(json!({"issue_url": "https://f/alice/proj/issues/9"}), 9), Err(Fault::Malformed));
    }
}
