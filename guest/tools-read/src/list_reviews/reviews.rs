//! One of the forge's pages of reviews, in as many answers as its texts need.

use assay_envelope::{Refusal, fit_leading};
use assay_forge::{
    http::Subject,
    listing::Paging,
    review::{ReviewRow, Reviews},
};
use serde::Serialize;

use super::{Request, too_small};
use crate::{native_list::read_page, ports::Ports};

pub(super) fn list(ports: Ports<'_>, request: &Request, room: usize) -> Result<String, Refusal> {
    let Request { target, after, pages } = request;
    let index = target.index.to_string();
    let path = [&target.segments(&index)[..], &[b"reviews"]].concat();
    let pending = ports.origin.get_following(&path, &pages.query(&[]));
    let read = |json: &mut dyn std::io::Read| Reviews::read(json, pages.most(), *after);
    let (found, evidence) = read_page(pending, Subject::REVIEWS, read)?;
    let behind = found.behind.ok_or_else(moved)?;
    fit_leading(&found.rows, room, ReviewRow::cut, |reviews| {
        let mut paging = Paging::judge_sparse(pages.asked, found.native, reviews.len(), &evidence);
        let mut next_after_id = None;
        if reviews.len() < behind {
            (paging.has_more, paging.next_page) = (true, Some(pages.asked.page));
            next_after_id = reviews.last().map(ReviewRow::id);
        }
        serde_json::to_string(&Answer { paging, next_after_id, reviews }).expect("its members have string keys")
    })
    .map_err(|_| too_small())
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    paging: Paging,
    /// What to pass as `after_id` beside `next_page`; null where that page begins anew.
    next_after_id: Option<u64>,
    reviews: &'a [ReviewRow],
}

fn moved() -> Refusal {
    Refusal::new(
        "list_changed",
        "No review on this page has the id given as `after_id`: the list has changed, or `page` or `limit` differ from the call \
         before. Begin again at page 1 without `after_id`.",
    )
}
