//! A review as the forge says that it made it, and its comments on lines as they are read back (K-35).

use std::io::Read;

use serde::Deserialize;

use super::{Fault, leads_to};
use crate::{
    Index, Owner, RepoName,
    lenient::{Object, Scalar, WholeText},
    listing::{self, for_each_row},
};

/// A review that was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// As the forge numbers it.
    pub id: u64,
    /// What it says of the pull request, in the forge's word.
    pub state: Option<String>,
    /// The commit that it is about.
    pub commit_id: Option<String>,
    /// For people.
    pub html_url: Option<String>,
    /// The whole text, as it was stored.
    pub body: Option<String>,
}

impl Reviewed {
    /// Reads the forge's answer to its end.
    ///
    /// # Errors
    /// [`Fault`] where it has no id, or belongs to another repository or another pull request than `index`.
    pub fn read(json: impl Read, owner: &Owner, repo: &RepoName, index: Index) -> Result<Self, Fault> {
        let Object(answer): Object<Answer> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        let parent = answer.pull_request_url.text().filter(|url| !url.is_empty());
        if parent.is_some_and(|url| !leads_to(&url, owner, repo, index)) {
            return Err(Fault::Foreign);
        }
        Ok(Self {
            id: answer.id.id().ok_or(Fault::Malformed)?,
            state: answer.state.text(),
            commit_id: answer.commit_id.object_id(),
            html_url: answer.html_url.text(),
            body: answer.body.0,
        })
    }
}

/// A side of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Old,
    /// After.
    New,
}

/// A comment on one line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineComment {
    /// The file, by its new name.
    pub path: String,
    /// Which side's line it is on.
    pub side: Side,
    /// The line on that side, from 1.
    pub line: u64,
    /// What it says.
    pub body: String,
}

/// Reads the comments of a review and tells which of `sent` are among them, each row counted for one of them.
///
/// # Errors
/// [`listing::Fault`] where it is not one whole array of rows.
pub fn find_comments(json: impl Read, sent: &[LineComment]) -> Result<Vec<bool>, listing::Fault> {
    let mut found = vec![false; sent.len()];
    for_each_row(json, &mut |row: Row| {
        let mut open = sent.iter().zip(&mut found).filter(|(comment, found)| !**found && row.is(comment));
        if let Some((_, found)) = open.next() {
            *found = true;
        }
        Ok(())
    })?;
    Ok(found)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    id: Scalar,
    state: Scalar,
    commit_id: Scalar,
    html_url: Scalar,
    pull_request_url: Scalar,
    body: WholeText,
}

/// A row has a line on one side, and 0 on the other.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    path: Scalar,
    position: Scalar,
    original_position: Scalar,
    body: WholeText,
}

impl Row {
    fn is(&self, comment: &LineComment) -> bool {
        let position = match comment.side {
            Side::Old => &self.original_position,
            Side::New => &self.position,
        };
        self.path.is_text(&comment.path)
            && *position == Scalar::Integer(comment.line)
            && self.body.0.as_deref() == Some(comment.body.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn comment(path: &str, side: Side, line: u64) -> LineComment {
        LineComment { path: path.into(), side, line, body: "b".into() }
    }

    fn found(rows: &Value, sent: &[LineComment]) -> Vec<bool> {
        find_comments(rows.to_string().as_bytes(), sent).expect("rows")
    }

    /// K-35: a comment is found by its path, its side, its line and its text, and each row is one comment.
    #[test]
    fn comments_are_found_where_they_were_put() {
        let row = |path: &str, new: u64, old: u64, body: &str| json!({"path": path, "position": new, "original_position": old, "body": body, "diff_hunk": "@@"});
        let new = comment("a", Side::New, 3);
        for (rows, there) in [
            (json!([row("a", 3, 0, "b")]), true),
            (json!([row("a", 0, 3, "b")]), false),
            (json!([row("a", 4, 0, "b")]), false),
            (json!([row("b", 3, 0, "b")]), false),
            (json!([row("a", 3, 0, "B")]), false),
            (json!([]), false),
        ] {
            assert_eq!(found(&rows, std::slice::from_ref(&new)), [there], "{rows}");
        }
        assert_eq!(found(&json!([row("a", 0, 3, "b")]), &[comment("a", Side::Old, 3)]), [true]);
        // Two that are alike need two rows.
        assert_eq!(found(&json!([row("a", 3, 0, "b")]), &[new.clone(), new.clone()]), [true, false]);
        assert_eq!(found(&json!([row("a", 3, 0, "b"), row("a", 3, 0, "b")]), &[new.clone(), new]), [true, true]);
        assert!(find_comments(&b"{}"[..], &[]).is_err());
    }

    /// G-146.
    #[test]
    fn a_review_has_an_id_and_belongs_to_its_pull_request() {
        let (owner, repo) = (Owner::new("alice").expect("a name"), RepoName::new("proj").expect("a name"));
        let read = |answer: Value| {
            let index = Index::new(7).expect("an index");
            Reviewed::read(answer.to_string().as_bytes(), &owner, &repo, index)
        };
        let review = read(json!({"id": 5, "state": "APPROVED", "commit_id": "x"})).expect("a review");
        assert_eq!((review.id, review.state.as_deref(), review.commit_id), (5, Some("APPROVED"), None));
        assert_eq!(read(json!({})), Err(Fault::Malformed));
        assert!(read(json!({"id": 5, "pull_request_url": "https://f/Alice/proj/pulls/7"})).is_ok());
        for url in ["https://f/alice/proj/pulls/77", "https://f/bob/proj/pulls/7", "https://f/alice/other/pulls/7"] {
            assert_eq!(read(json!({"id": 5, "pull_request_url": url})), Err(Fault::Foreign), "{url}");
        }
    }
}
