//! What the tools share that show the forge's own pages: the arguments, and the reading of one page.

use std::io::{BufReader, Read};

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    http::{self, Subject},
    listing::{Evidence, Fault, MOST_PAGE},
};
use assay_origin::{Body, Pending, head, refuse};

/// Bytes of the forge's answer that are read at the most. Long members of rows (bodies) are passed over, not kept.
pub(crate) const LIST_BYTES: u64 = 32 * 1024 * 1024;

/// Takes `page`, 1 where it is not given (G-121).
pub(crate) fn take_page(arguments: &mut Arguments) -> Result<u64, Refusal> {
    Ok(arguments.optional_integer("page", (1, MOST_PAGE))?.unwrap_or(1))
}

/// Takes `limit`, the rows to a page.
pub(crate) fn take_limit(arguments: &mut Arguments, default: u64, most: u64) -> Result<u64, Refusal> {
    Ok(arguments.optional_integer("limit", (1, most))?.unwrap_or(default))
}

/// Waits for one page, judges its head and reads its rows, with what the head says of further pages.
pub(crate) fn read_page<T>(
    pending: Box<dyn Pending>,
    subject: Subject,
    rows: impl FnOnce(&mut dyn Read) -> Result<T, Fault>,
) -> Result<(T, Evidence), Refusal> {
    let mut answer = pending.wait()?;
    let head = head(answer.as_ref());
    http::judge_json_about(&head, subject).map_err(refuse)?;
    let mut body = Body::new(answer.as_mut(), LIST_BYTES);
    let rows = rows(&mut BufReader::new(&mut body));
    match body.fault() {
        Some(fault) => Err(fault.into()),
        None => Ok((rows.map_err(refuse)?, Evidence::of(&head))),
    }
}

/// What to say where a page does not fit even without everything that its rows can do without. `advice` is a sentence.
pub(crate) fn too_large(advice: &str) -> Refusal {
    Refusal::new(
        "answer_too_large",
        format!("The rows of this page do not fit into the answer's bound and are never cut. {advice}"),
    )
}
