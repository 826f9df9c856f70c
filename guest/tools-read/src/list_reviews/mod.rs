//! `list_reviews`: a pull request's reviews with their texts, or the comments on lines of one of them.
//!
//! An answer has as many as fit and goes on behind the last of them by its id (K-05, K-87).

mod comments;
mod reviews;

use assay_envelope::{Arguments, Refusal};
use assay_origin::PullTarget;

use crate::{native_list::Pages, ports::Ports};

/// Rows to a page, where a call does not say, and at the most.
const LIMITS: (u64, u64) = (20, 50);
/// An id of the forge's.
const ID: (u64, u64) = (1, i64::MAX as u64);

pub(crate) fn call(ports: Ports<'_>, mut arguments: Arguments, room: usize) -> Result<String, Refusal> {
    let request = Request {
        target: PullTarget::take(&mut arguments)?,
        after: arguments.optional_integer("after_id", ID)?,
        pages: Pages::take(&mut arguments, LIMITS.0, LIMITS.1)?,
    };
    let review = arguments.optional_integer("review_id", ID)?;
    arguments.finish()?;
    match review {
        None => reviews::list(ports, &request, room),
        Some(review) => comments::list(ports, &request, review, room),
    }
}

#[derive(Debug)]
struct Request {
    target: PullTarget,
    /// The id of the row that was shown last, and is on the page asked for.
    after: Option<u64>,
    pages: Pages,
}

/// What to say where not even one row without its text fits.
fn too_small() -> Refusal {
    Refusal::new("answer_too_large", "Not even one row without its text fits into the answer's bound. Use a shorter request id.")
}
