//! What people said: issues, what was made of pull requests' titles, comments, reviews, releases and labels.
//!
//! Plain data, one file a repository in the state folder, replaced as a whole. Which number is a pull request is
//! `pulls::numbers`' to say; how all of it is shown is the answers'. Only callers with an account add to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All that was said about one repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tracker {
    /// By number. One that is a pull request's holds what was said of it beyond its branch.
    pub(crate) posts: BTreeMap<u64, Post>,
    /// By the number of what they are about, oldest first.
    pub(crate) comments: BTreeMap<u64, Vec<Comment>>,
    /// By the number of the pull request, oldest first.
    pub(crate) reviews: BTreeMap<u64, Vec<Review>>,
    /// Newest first.
    pub(crate) releases: Vec<Release>,
    pub(crate) labels: Vec<Label>,
    /// The highest number that a comment, a review, a release or a label has.
    last: u64,
}

/// An issue, or what was said of a pull request. What is not said there follows from the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Post {
    pub(crate) author: String,
    pub(crate) title: Option<String>,
    pub(crate) body: Option<String>,
    /// All times are seconds since 1970.
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) closed: Option<i64>,
    /// Numbers of labels.
    pub(crate) labels: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Comment {
    pub(crate) id: u64,
    pub(crate) author: String,
    pub(crate) body: String,
    pub(crate) created: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Review {
    pub(crate) id: u64,
    pub(crate) author: String,
    pub(crate) state: ReviewState,
    pub(crate) body: String,
    pub(crate) commit: String,
    pub(crate) submitted: i64,
    pub(crate) comments: Vec<LineComment>,
}

/// What a review says, as a forge names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    /// It may be merged.
    Approved,
    /// It must not be merged as it is.
    RequestChanges,
    /// Neither.
    Comment,
    /// Not sent off yet, and seen by its author alone.
    Pending,
}

/// A comment on a line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LineComment {
    pub(crate) id: u64,
    pub(crate) path: String,
    pub(crate) body: String,
    /// Counted from 1; in the old file when `old`.
    pub(crate) line: u64,
    pub(crate) old: bool,
    /// The diff around it, empty when it lies outside.
    pub(crate) hunk: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Release {
    pub(crate) id: u64,
    pub(crate) author: String,
    pub(crate) tag: String,
    pub(crate) target: String,
    pub(crate) name: String,
    pub(crate) body: String,
    pub(crate) draft: bool,
    pub(crate) prerelease: bool,
    pub(crate) created: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Label {
    pub(crate) id: u64,
    pub(crate) name: String,
    /// Six hexadecimal digits.
    pub(crate) color: String,
    pub(crate) description: String,
    pub(crate) exclusive: bool,
}

impl Tracker {
    /// A number for a comment, a review, a release or a label that nothing of them has yet.
    pub(crate) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Adds a comment and says so in what it is about.
    pub(crate) fn comment(&mut self, number: u64, author: &str, body: String, at: i64) -> Comment {
        let comment = Comment { id: self.next(), author: author.to_owned(), body, created: at };
        self.comments.entry(number).or_default().push(comment.clone());
        if let Some(post) = self.posts.get_mut(&number) {
            post.updated = at;
        }
        comment
    }

    /// The reviews of a pull request.
    pub(crate) fn reviews_of(&self, number: u64) -> &[Review] {
        self.reviews.get(&number).map(Vec::as_slice).unwrap_or_default()
    }

    /// The comments about an issue or a pull request.
    pub(crate) fn comments_about(&self, number: u64) -> &[Comment] {
        self.comments.get(&number).map(Vec::as_slice).unwrap_or_default()
    }
}
