//! What the tools share that show the forge's own lists: the arguments, and the reading of one answer.

use std::io::{BufReader, Read};

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    Error,
    http::{self, Head, Subject},
    listing::{Asked, Evidence, Fault, MOST_PAGE},
};
use assay_origin::{Answer, Body, Pending, head, refuse};

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
    let (rows, head) = read_json(pending, subject, rows)?;
    Ok((rows, Evidence::of(&head)))
}

/// Waits for an answer in JSON, judges its head and reads its body.
pub(crate) fn read_json<T, E: Into<Error>>(
    pending: Box<dyn Pending>,
    subject: Subject,
    read: impl FnOnce(&mut dyn Read) -> Result<T, E>,
) -> Result<(T, Head), Refusal> {
    read_answer(pending.wait()?, subject, read)
}

/// The same of an answer that has come.
pub(crate) fn read_answer<T, E: Into<Error>>(
    mut answer: Box<dyn Answer>,
    subject: Subject,
    read: impl FnOnce(&mut dyn Read) -> Result<T, E>,
) -> Result<(T, Head), Refusal> {
    let head = head(answer.as_ref());
    http::judge_json_about(&head, subject).map_err(refuse)?;
    let mut body = Body::new(answer.as_mut(), LIST_BYTES);
    let found = read(&mut BufReader::new(&mut body));
    Ok((body.outcome(found)?, head))
}

/// What to say where a page does not fit even without everything that its rows can do without. `advice` is a sentence.
pub(crate) fn too_large(advice: &str) -> Refusal {
    Refusal::new(
        "answer_too_large",
        format!("The rows of this page do not fit into the answer's bound and are never cut. {advice}"),
    )
}

/// Which of the forge's pages a call asks for.
#[derive(Debug)]
pub(crate) struct Pages {
    pub(crate) asked: Asked,
    page: String,
    limit: String,
}

impl Pages {
    /// Takes `page` and `limit`.
    pub(crate) fn take(arguments: &mut Arguments, default_limit: u64, most_limit: u64) -> Result<Self, Refusal> {
        let page = take_page(arguments)?;
        Ok(Self::of(page, take_limit(arguments, default_limit, most_limit)?))
    }

    /// A page of so many rows.
    pub(crate) fn of(page: u64, limit: u64) -> Self {
        Self { asked: Asked { page, limit }, page: page.to_string(), limit: limit.to_string() }
    }

    /// The query's pairs, behind those of the list's own.
    pub(crate) fn query<'a>(&'a self, own: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        [own, &[("page", &self.page), ("limit", &self.limit)]].concat()
    }

    /// As many rows as were asked for at the most.
    pub(crate) fn most(&self) -> usize {
        usize::try_from(self.asked.limit).unwrap_or(usize::MAX)
    }
}
