//! A review as the forge says that it made it, and its comments on lines as they are read back (K-35).

use std::io::Read;

use serde::Deserialize;

use super::{Fault, leads_to};
use crate::{
    Index, ObjectId, Owner, RepoName,
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
    /// How many comments on lines it has.
    pub comments_count: Option<u64>,
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
            comments_count: answer.comments_count.count(),
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

/// What is known of a comment that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is not there.
    Missing,
    /// Its text is there, on its file and told by another commit's line: a newer forge follows a line back to the commit that
    /// it is from, and keeps the number that it has there.
    Renumbered,
    /// It is there, on its line.
    There,
}

/// Reads the comments of a review of the commit `head` and tells which of `sent` are among them, each row counted for one of
/// them.
///
/// # Errors
/// [`listing::Fault`] where it is not one whole array of rows.
pub fn find_comments(json: impl Read, sent: &[LineComment], head: ObjectId) -> Result<Vec<Found>, listing::Fault> {
    let head = head.to_string();
    let mut found = vec![Found::Missing; sent.len()];
    // Rows with another commit's line, counted at the first comment that has their file and text.
    let mut renumbered = vec![0_usize; sent.len()];
    for_each_row(json, &mut |row: Row| {
        let mut open =
            sent.iter().zip(&mut found).filter(|(comment, found)| **found == Found::Missing && row.is(comment));
        if let Some((_, found)) = open.next() {
            *found = Found::There;
        } else if row.is_of_another_commit(&head) {
            let alike = sent.iter().zip(&mut renumbered).find(|(comment, _)| row.says(comment));
            alike.into_iter().for_each(|(_, rows)| *rows += 1);
        }
        Ok(())
    })?;
    for (comment, found) in sent.iter().zip(&mut found).filter(|(_, found)| **found == Found::Missing) {
        let mut alike = sent.iter().zip(&mut renumbered);
        let rows = alike.find(|(first, _)| first.path == comment.path && first.body == comment.body);
        if let Some((_, rows @ 1..)) = rows {
            *rows -= 1;
            *found = Found::Renumbered;
        }
    }
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
    comments_count: Scalar,
    body: WholeText,
}

/// A row has a line on one side, and 0 on the other.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    path: Scalar,
    position: Scalar,
    original_position: Scalar,
    commit_id: Scalar,
    body: WholeText,
}

impl Row {
    fn is(&self, comment: &LineComment) -> bool {
        let position = match comment.side {
            Side::Old => &self.original_position,
            Side::New => &self.position,
        };
        self.says(comment) && *position == Scalar::Integer(comment.line)
    }

    /// Whether its file and its text are the comment's.
    fn says(&self, comment: &LineComment) -> bool {
        self.path.is_text(&comment.path) && self.body.0.as_deref() == Some(comment.body.as_str())
    }

    fn is_of_another_commit(&self, head: &str) -> bool {
        self.commit_id.clone().object_id().is_some_and(|commit| !commit.eq_ignore_ascii_case(head))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn comment(path: &str, side: Side, line: u64) -> LineComment {
        LineComment { path: path.into(), side, line, body: "b".into() }
    }

    fn head() -> ObjectId {
        ObjectId::from_hex(&"0a".repeat(20)).expect("an id")
    }

    fn find(rows: &Value, sent: &[LineComment]) -> Vec<Found> {
        find_comments(rows.to_string().as_bytes(), sent, head()).expect("rows")
    }

    fn found(rows: &Value, sent: &[LineComment]) -> Vec<bool> {
        find(rows, sent).into_iter().map(|found| found == Found::There).collect()
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
        assert!(find_comments(&b"{}"[..], &[], head()).is_err());
    }

    /// K-35: a line that is told as another commit has it says nothing against the comment; the head's own line does.
    #[test]
    fn another_commits_line_is_no_other_place() {
        let (older, newest) = ("0b".repeat(20), "0A".repeat(20));
        let row = |new: u64, old: u64, body: &str, commit: &str| json!({"path": "a", "position": new, "original_position": old, "body": body, "commit_id": commit});
        let sent = [comment("a", Side::New, 3), comment("a", Side::New, 4), comment("a", Side::Old, 9)];
        let rows =
            json!([row(1, 0, "b", &older), row(4, 0, "b", &older), row(0, 7, "b", &older), row(8, 0, "b", &older)]);
        assert_eq!(find(&rows, &sent), [Found::Renumbered, Found::There, Found::Renumbered]);
        let one = sent.get(..1).expect("three");
        for (row, known) in [
            (row(1, 0, "b", &older), Found::Renumbered),
            (row(1, 0, "b", &newest), Found::Missing),
            (row(1, 0, "B", &older), Found::Missing),
            (row(1, 0, "b", "0b"), Found::Missing),
            (row(3, 0, "b", &older), Found::There),
        ] {
            assert_eq!(find(&json!([row]), one), [known], "{row}");
        }
        // One row is one comment.
        assert_eq!(find(&json!([row(1, 0, "b", &older)]), &sent), [Found::Renumbered, Found::Missing, Found::Missing]);
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
