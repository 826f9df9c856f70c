//! Pages of history: which rows, how many of them fit, and where the next page goes on (P-171 to P-178).

use assay_patch::json::{self, Value};

use crate::{
    answer::{Member, Stop, fits, fitted},
    ask::Ask,
    ports::{Ports, Session},
};

/// Rows of a page where the call does not say, and at the most (P-171).
const LIMITS: (u64, u64) = (50, 200);

/// What both history tools take, and what they always answer with.
pub(crate) struct Asked {
    pub(crate) target: String,
    pub(crate) limit: usize,
    pub(crate) before_sequence: Option<u64>,
}

/// A row as it is shown, and its place.
pub(crate) struct Shown {
    pub(crate) sequence: u64,
    pub(crate) row: Value,
}

/// P-175: a page of nothing, beside whatever is wrong.
pub(crate) fn empty() -> [Member; 3] {
    [("entries", Value::Array(Vec::new())), ("has_more", false.into()), ("next_sequence", Value::Null)]
}

impl Asked {
    pub(crate) fn of(ask: &Ask) -> Result<Self, Stop> {
        Ok(Self {
            target: ask.target()?,
            limit: ask.clamped("limit", 1, LIMITS.0, LIMITS.1)?,
            before_sequence: ask.optional_number("before_sequence", 1)?,
        })
    }

    /// The view, once the target is known to be there.
    pub(crate) fn view(&self, ports: Ports<'_>) -> Result<Box<dyn Session>, Stop> {
        let mut view = ports.documents.view()?;
        match view.target(&self.target)? {
            Some(_) => Ok(view),
            None => Err(Stop::not_found("target")),
        }
    }

    /// One page of rows that came newest first, at most `limit` and one more. `render` puts them into the page's order.
    pub(crate) fn page(&self, mut rows: Vec<Shown>, oldest_first: bool, room: usize) -> Result<String, Stop> {
        let mut has_more = rows.len() > self.limit;
        rows.truncate(self.limit);
        loop {
            let next = rows.last().filter(|_| has_more).map(|row| row.sequence);
            let mut entries: Vec<Value> = rows.iter().map(|shown| shown.row.clone()).collect();
            if oldest_first {
                entries.reverse();
            }
            let answer = json::object([
                ("status", "ok".into()),
                ("target_file_id", self.target.as_str().into()),
                ("entries", Value::Array(entries)),
                ("has_more", has_more.into()),
                ("next_sequence", next.into()),
            ]);
            if rows.len() <= 1 || fits(&answer, room) {
                return Ok(fitted(answer, room)?);
            }
            // The oldest are left to the next page.
            rows.truncate(rows.len() / 2);
            has_more = true;
        }
    }
}
