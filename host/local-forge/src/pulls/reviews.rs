//! Reviews of a pull request: the list, one of them with its comments on lines, a new one.
//!
//! A comment on a line outside the diff is taken and shown nowhere, as a real forge does (K-35).

use http::StatusCode;
use serde::{Deserialize, Serialize};

use crate::{
    issues::comments::count,
    pulls::hunks::around,
    serve::{
        routes::{One, now},
        sent::{Sent, Stop, unprocessable},
        target::Query,
    },
    state::tracker::{LineComment, Review, ReviewState},
    wire::{
        answer::{Answer, json},
        shapes::{self, utc},
    },
};

/// The most comments of one review.
const MAX_COMMENTS: usize = 1000;
/// The longest path of a comment, in bytes.
const MAX_PATH: usize = 4096;

#[derive(Serialize)]
struct Shown {
    id: u64,
    user: shapes::User,
    team: Option<()>,
    state: ReviewState,
    body: String,
    commit_id: String,
    stale: bool,
    official: bool,
    dismissed: bool,
    comments_count: usize,
    submitted_at: String,
    updated_at: String,
    html_url: String,
    pull_request_url: String,
}

#[derive(Serialize)]
struct ShownComment {
    id: u64,
    body: String,
    user: shapes::User,
    resolver: Option<()>,
    pull_request_review_id: u64,
    created_at: String,
    updated_at: String,
    path: String,
    commit_id: String,
    original_commit_id: String,
    diff_hunk: String,
    /// The line in the new file, or zero.
    position: u64,
    /// The line in the old one, or zero.
    original_position: u64,
    html_url: String,
    pull_request_url: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewReview {
    event: Option<String>,
    body: Option<String>,
    commit_id: Option<String>,
    comments: Option<Vec<NewComment>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NewComment {
    path: Option<String>,
    body: Option<String>,
    new_position: Option<i64>,
    old_position: Option<i64>,
}

impl One<'_> {
    /// Oldest first, without links. A draft is seen by its author alone.
    pub(crate) fn reviews(&self, index: &[u8], query: &Query) -> Answer {
        let Some((number, pull, _)) = self.find(index) else { return self.forge.wording.not_found() };
        let seen: Vec<&Review> = self.visible_reviews(number).collect();
        let shown = self.forge.page(query).cut(seen.iter().map(|review| self.review_shape(number, review, &pull.head)));
        let mut answer = json(StatusCode::OK, &shown);
        count(&mut answer, seen.len());
        answer
    }

    pub(crate) fn review(&self, index: &[u8], id: &[u8]) -> Answer {
        match self.find_review(index, id) {
            Some((number, head, review)) => json(StatusCode::OK, &self.review_shape(number, review, head)),
            None => self.forge.wording.not_found(),
        }
    }

    pub(crate) fn review_comments(&self, index: &[u8], id: &[u8]) -> Answer {
        let Some((number, _, review)) = self.find_review(index, id) else { return self.forge.wording.not_found() };
        let page = self.page_of(number);
        let shape = |comment: &LineComment| {
            let id = self.repository.row_id(comment.id);
            let (position, original_position) = if comment.old { (0, comment.line) } else { (comment.line, 0) };
            ShownComment {
                id,
                body: comment.body.clone(),
                user: self.forge.account(&review.author),
                resolver: None,
                pull_request_review_id: self.repository.row_id(review.id),
                created_at: utc(review.submitted),
                updated_at: utc(review.submitted),
                path: comment.path.clone(),
                commit_id: review.commit.clone(),
                original_commit_id: review.commit.clone(),
                diff_hunk: comment.hunk.clone(),
                position,
                original_position,
                html_url: format!("{page}#issuecomment-{id}"),
                pull_request_url: page.clone(),
            }
        };
        json(StatusCode::OK, &review.comments.iter().map(shape).collect::<Vec<_>>())
    }

    pub(crate) async fn create_review(&self, index: &[u8], sent: &Sent<'_>) -> Result<Answer, Stop> {
        let wording = &self.forge.wording;
        let form: NewReview = sent.json(wording)?;
        let Some((number, pull, _)) = self.find(index) else { return Err(wording.not_found().into()) };
        let Some(post) = self.post(number) else { return Err(wording.not_found().into()) };
        let (body, comments) = (form.body.unwrap_or_default(), form.comments.unwrap_or_default());
        let (says, own) = (!body.trim().is_empty(), self.caller.is(&post.author));
        let refuse = |message: &str| Err(unprocessable(wording, message));
        let state = match form.event.as_deref().unwrap_or_default() {
            "APPROVED" if own => return refuse("approve your own pull is not allowed"),
            "REQUEST_CHANGES" if own => return refuse("reject your own pull is not allowed"),
            "APPROVED" | "REQUEST_CHANGES" if !self.is_open(number, pull) => {
                return refuse("pull request is closed");
            }
            "REQUEST_CHANGES" if !says => return refuse("review event REQUEST_CHANGES requires a body"),
            "COMMENT" if !says && comments.is_empty() => {
                return refuse("review event COMMENT requires a body or a comment");
            }
            "APPROVED" => ReviewState::Approved,
            "REQUEST_CHANGES" => ReviewState::RequestChanges,
            "COMMENT" => ReviewState::Comment,
            // Anything else is a draft.
            _ => ReviewState::Pending,
        };
        let commit = form.commit_id.filter(|commit| !commit.is_empty()).unwrap_or_else(|| pull.head.clone());
        let known =
            self.repository.format().is_id(commit.as_bytes()) && self.commit_of(commit.as_bytes()).await?.is_some();
        if !known {
            return Err(wording.not_found().into());
        }
        if comments.len() > MAX_COMMENTS {
            return refuse("too many comments");
        }
        let mut lines = Vec::with_capacity(comments.len());
        for comment in comments {
            let old = comment.old_position.unwrap_or(0) > 0;
            let line = comment.old_position.filter(|_| old).or(comment.new_position).unwrap_or(0);
            let (Ok(line), Some(path)) = (u64::try_from(line), comment.path.filter(|path| is_path(path))) else {
                return refuse("a comment needs a path and a line");
            };
            let body = comment.body.unwrap_or_default();
            lines.push(LineComment { id: 0, path, body, line, old, hunk: String::new() });
        }
        let range = self.range(number, pull).await?;
        around(&self.forge.git, self.repository.dir(), (&range.merge_base, &commit), &mut lines).await?;
        if !self.forge.stock.keep_stray_comments {
            lines.retain(|line| !line.hunk.is_empty());
        }
        let mut writing = self.writing().await?;
        let tracker = writing.tracker();
        let id = tracker.next();
        for line in &mut lines {
            line.id = tracker.next();
        }
        let (author, submitted) = (sent.login.to_owned(), now());
        let review = Review { id, author, state, body, commit, submitted, comments: lines };
        tracker.reviews.entry(number).or_default().push(review.clone());
        let after = writing.keep().await?;
        Ok(json(StatusCode::OK, &self.later(&after).review_shape(number, &review, &pull.head)))
    }

    fn visible_reviews(&self, number: u64) -> impl Iterator<Item = &Review> {
        let seen = |review: &&Review| review.state != ReviewState::Pending || self.caller.is(&review.author);
        self.snapshot.tracker.reviews_of(number).iter().filter(seen)
    }

    /// A review, the number of what it is of, and the head of that.
    fn find_review(&self, index: &[u8], id: &[u8]) -> Option<(u64, &str, &Review)> {
        let (number, pull, _) = self.find(index)?;
        let id = self.repository.number_of(std::str::from_utf8(id).ok()?.parse().ok()?)?;
        let review = self.visible_reviews(number).find(|review| review.id == id)?;
        Some((number, &pull.head, review))
    }

    fn review_shape(&self, number: u64, review: &Review, head: &str) -> Shown {
        let (id, page) = (self.repository.row_id(review.id), self.page_of(number));
        let by = |login: &str| self.forge.access.writes(login, &self.repository.owner, &self.repository.name);
        Shown {
            id,
            user: self.forge.account(&review.author),
            team: None,
            state: review.state,
            body: review.body.clone(),
            commit_id: review.commit.clone(),
            stale: review.commit != head,
            official: matches!(review.state, ReviewState::Approved | ReviewState::RequestChanges) && by(&review.author),
            dismissed: false,
            comments_count: review.comments.len(),
            submitted_at: utc(review.submitted),
            updated_at: utc(review.submitted),
            html_url: format!("{page}#issuecomment-{id}"),
            pull_request_url: page,
        }
    }
}

fn is_path(path: &str) -> bool {
    !path.is_empty() && path.len() <= MAX_PATH && !path.contains('\0')
}
