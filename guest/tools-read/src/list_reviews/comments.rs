//! The comments of one review, which the forge gives all at once and in no order.

use assay_envelope::{Refusal, fit_leading};
use assay_forge::{
    http::Subject,
    review::{CommentRow, Comments},
};
use serde::Serialize;

use super::{Request, too_small};
use crate::{native_list::read_json, ports::Ports};

pub(super) fn list(ports: Ports<'_>, request: &Request, review: u64, room: usize) -> Result<String, Refusal> {
    let Request { target, after, pages } = request;
    if pages.asked.page != 1 {
        return Err(Refusal::new(
            "invalid_argument",
            "`page` counts pages of reviews; with `review_id` go on by `after_id` alone",
        ));
    }
    let (index, review_text) = (target.index.to_string(), review.to_string());
    let path = [&target.segments(&index)[..], &[b"reviews", review_text.as_bytes(), b"comments"]].concat();
    let pending = ports.origin.get_following(&path, &[]);
    let (found, _) = read_json(pending, Subject::REVIEW, |json| Comments::read(json, after.unwrap_or(0)))?;
    let rows = found.rows.get(..pages.most()).unwrap_or(&found.rows);
    fit_leading(rows, room, CommentRow::cut, |comments| {
        let has_more = (comments.len() as u64) < found.behind;
        let answer = Answer {
            review_id: review,
            limit: pages.asked.limit,
            returned: comments.len(),
            total: found.total,
            has_more,
            next_after_id: comments.last().map(CommentRow::id).filter(|_| has_more),
            comments,
        };
        serde_json::to_string(&answer).expect("its members have string keys")
    })
    .map_err(|_| too_small())
}

#[derive(Serialize)]
struct Answer<'a> {
    review_id: u64,
    limit: u64,
    returned: usize,
    /// Comments of the review, counted.
    total: u64,
    has_more: bool,
    /// What to pass as `after_id`.
    next_after_id: Option<u64>,
    comments: &'a [CommentRow],
}
