//! `create_review`: a review whose comments stand on lines that the diff has.
//!
//! A forge takes a comment on any line, says that it stored it, and shows it nowhere (K-35). So the lines are held against
//! the diff before anything is sent, the review is pinned to the commit that the diff was made from, and the comments are
//! read back.

mod hunks;
mod request;

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    Error, ObjectId,
    diff::Parser,
    http,
    observed::bracket,
    written::{Found, LineComment, Reviewed, Side, find_comments},
};
use assay_origin::{Method, Origin, feed, head, refuse};
use serde::Serialize;

use self::{hunks::Hunks, request::Request};
use crate::{
    answer,
    ports::Ports,
    pulls,
    status::{self, About, before_write},
};

const ABOUT: About<'_> = About {
    scope: "write:repository",
    subject: "the pull request",
    named_by: "owner, repo and index",
    find_out: "Look for it with `list_reviews` before you call again: a forge keeps two reviews that are the same. One in the \
               state PENDING is a draft that is left of it, and is submitted together with the next.",
};

/// The forge's members.
#[derive(Serialize)]
struct Sent<'a> {
    event: &'static str,
    body: &'a str,
    commit_id: &'a str,
    comments: Vec<SentComment<'a>>,
}

/// A line on one side; 0 on the other is none.
#[derive(Serialize)]
struct SentComment<'a> {
    path: &'a str,
    body: &'a str,
    new_position: u64,
    old_position: u64,
}

#[derive(Serialize)]
struct Created<'a> {
    id: u64,
    index: u64,
    state: Option<&'a str>,
    commit_id: Option<&'a str>,
    html_url: Option<&'a str>,
    comments_sent: usize,
    /// Nothing where they could not be read back.
    comments_verified: Option<usize>,
    /// Places in the call's `comments`, from 0, of those that are there and told by another commit's line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments_renumbered: Vec<usize>,
    /// Places of those that are not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    comments_missing: Vec<usize>,
    /// Why they could not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    comments_unread: Option<String>,
    /// How many more the review has: a forge submits what its user had begun as a draft along with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    comments_beside: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<&'a str>,
}

pub(crate) fn call(
    ports: Ports<'_>,
    arguments: Arguments,
    room: usize,
) -> Result<String, Refusal> {
    let request = Request::read(arguments)?;
    let pinned = request.pin(ports.origin).map_err(before_write)?;
    let commit = pinned.to_string();
    let index = request.target.index.to_string();
    let [repos, owner, repo, pulls, number] = request.target.segments(&index);
    let path = [repos, owner, repo, pulls, number, b"reviews"];
    let sent = ports.write.send(Method::Post, &path, &[], &request.body(&commit));
    let mut answered = sent.map_err(|fault| fault.refusal(ABOUT.find_out))?;
    match answered.status() {
        200 | 201 => {}
        422 => return Err(request.not_taken()),
        _ => return Err(status::refused(&head(answered.as_ref()), ABOUT)),
    }
    let target = &request.target;
    let review = answer::read(answered.as_mut(), ABOUT.find_out, |json| {
        Reviewed::read(json, &target.owner, &target.repo, target.index)
    })?;
    drop(answered);
    let found = request.read_back(ports.origin, review.id, pinned);
    let places = |wanted| -> Vec<usize> {
        let found = (0..).zip(found.iter().flatten());
        found.filter(|(_, found)| **found == wanted).map(|(at, _)| at).collect()
    };
    let sent = request.comments.len();
    let beside = review.comments_count.and_then(|count| count.checked_sub(sent as u64));
    let created = Created {
        id: review.id,
        index: request.target.index.get(),
        state: review.state.as_deref(),
        commit_id: review.commit_id.as_deref(),
        html_url: review.html_url.as_deref(),
        comments_sent: sent,
        comments_verified: found.as_ref().ok().map(|_| places(Found::There).len()),
        comments_renumbered: places(Found::Renumbered),
        comments_missing: places(Found::Missing),
        comments_unread: found.as_ref().err().map(unread),
        comments_beside: beside.filter(|count| *count > 0),
        differs: answer::differing(&[
            ("state", review.state.as_deref(), request.event.native),
            ("commit_id", review.commit_id.as_deref(), &commit),
            ("body", Some(review.body.as_deref().unwrap_or_default()), &request.text),
        ]),
    };
    answer::fitted(&created, room, &format!("review {} was created", review.id))
}

impl Request {
    /// The commit that the review is about: the diff's head, once every comment stands on a line of that diff.
    fn pin(&self, origin: &dyn Origin) -> Result<ObjectId, Refusal> {
        if self.comments.is_empty() {
            return self.guarded(pulls::head(origin, &self.target)?);
        }
        let before = pulls::inputs(origin, &self.target)?;
        self.guarded(before.1)?;
        let hunks = self.hunks(origin)?;
        let after = pulls::inputs(origin, &self.target)?;
        if bracket((&before.0, before.1), (&after.0, after.1)).is_err() {
            return Err(Refusal::new(
                "inputs_moved",
                "The pull request moved while its diff was read, so its lines may be others now. Read it again, then call \
                 again with lines of the new diff.",
            ));
        }
        hunks.judge()?;
        Ok(after.1)
    }

    fn guarded(&self, head: ObjectId) -> Result<ObjectId, Refusal> {
        if self.guard.is_none_or(|guard| guard == head) {
            return Ok(head);
        }
        Err(Refusal::new(
            "guard_failed",
            format!("The head is no longer `commit_id`: it is {head} now. Read what changed before you review it."),
        ))
    }

    /// The plain diff streams by; what is kept of it is bounded by the comments.
    fn hunks(&self, origin: &dyn Origin) -> Result<Hunks<'_>, Refusal> {
        let last = format!("{}.diff", self.target.index);
        let mut answered = origin.get(&self.target.segments(&last), &[], None).wait()?;
        http::judge_diff(&head(answered.as_ref())).map_err(refuse)?;
        let mut hunks = Hunks::new(&self.comments);
        let mut parser = Parser::new();
        feed(answered.as_mut(), |bytes| parser.feed(bytes, &mut hunks).map_err(Error::Truncated))?;
        parser.finish_line(&mut hunks).map_err(|fault| refuse(Error::Truncated(fault)))?;
        Ok(hunks)
    }

    fn body(&self, commit: &str) -> Vec<u8> {
        let on = |comment: &LineComment, side| if comment.side == side { comment.line } else { 0 };
        let comments = self.comments.iter().map(|comment| SentComment {
            path: &comment.path,
            body: &comment.body,
            new_position: on(comment, Side::New),
            old_position: on(comment, Side::Old),
        });
        answer::body(&Sent {
            event: self.event.native,
            body: &self.text,
            commit_id: commit,
            comments: comments.collect(),
        })
    }

    /// Which comments the review has; nothing to ask for where none was sent.
    fn read_back(&self, origin: &dyn Origin, review: u64, head: ObjectId) -> Result<Vec<Found>, Refusal> {
        if self.comments.is_empty() {
            return Ok(Vec::new());
        }
        let (index, review) = (self.target.index.to_string(), review.to_string());
        let [repos, owner, repo, pulls, number] = self.target.segments(&index);
        let path = [repos, owner, repo, pulls, number, b"reviews", review.as_bytes(), b"comments"];
        answer::get_json(origin, &path, |json| find_comments(json, &self.comments, head))
    }

    fn not_taken(&self) -> Refusal {
        let left = if self.comments.is_empty() {
            "nothing was changed"
        } else {
            "no review was submitted, and at most a draft of its comments is left that only the token's owner sees, and that is \
             submitted together with their next review"
        };
        Refusal::new(
            "invalid_request",
            format!(
                "The forge does not take this review (HTTP 422); {left}. Nobody approves or rejects a pull request of their \
                 own, or one that is closed: use `event` \"comment\" there."
            ),
        )
    }
}

/// Why the comments are not known. What a read's refusal says to do next would make a second review.
fn unread(refusal: &Refusal) -> String {
    let code = &refusal.code;
    format!("Reading them back failed ({code}). The review was made: do not call again, but look at it with `list_reviews`.")
}
