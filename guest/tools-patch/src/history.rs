//! Pages of history: which rows, how many of them fit, and where the next page goes on (P-171 to P-178).

use assay_patch::json::{self, Text, Value};

use crate::{
    answer::{Member, Stop, cost, fits, fitted, number},
    ask::Ask,
    ports::{Ports, Session},
};

/// Rows of a page where the call does not say, and at the most (P-171).
const LIMITS: (u64, u64) = (50, 200);

/// Rows that are asked for at once. A row can be as long as a request, and few of those make a page.
const CHUNK: usize = 8;
/// The most bytes of a page beside its rows.
const PAGE_BYTES: usize = 512;
/// A member that takes no more than this is not what makes a row too long.
const SHORT: usize = 40;

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

    /// The rows of a page, newest first, as far as they have room, and one more where there is one. `next` gives at most so many
    /// below a sequence.
    pub(crate) fn rows<T>(
        &self,
        view: &mut dyn Session,
        room: usize,
        mut next: impl FnMut(&mut dyn Session, Option<u64>, u32) -> Result<Vec<T>, Stop>,
        mut show: impl FnMut(&mut dyn Session, T) -> Result<Shown, Stop>,
    ) -> Result<Vec<Shown>, Stop> {
        let (mut rows, mut used) = (Vec::<Shown>::new(), 0);
        // One past the limit says that there is more.
        while rows.len() <= self.limit && used <= room {
            let before = rows.last().map_or(self.before_sequence, |last| Some(last.sequence));
            let wanted = CHUNK.min(self.limit + 1 - rows.len());
            let few = next(view, before, u32::try_from(wanted).unwrap_or(u32::MAX))?;
            let is_last = few.len() < wanted;
            for row in few {
                let Shown { sequence, row } = show(view, row)?;
                let row = bounded(row, room);
                used += cost(&row);
                rows.push(Shown { sequence, row });
                if used > room {
                    break;
                }
            }
            if is_last {
                break;
            }
        }
        Ok(rows)
    }

    /// One page of rows that came newest first, at most `limit` and one more.
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
            let ends = rows.iter().scan(PAGE_BYTES, |end, shown| {
                *end += cost(&shown.row) + 1;
                Some(*end)
            });
            let fitting = ends.take_while(|end| *end <= room).count();
            rows.truncate(fitting.clamp(1, rows.len() - 1));
            has_more = true;
        }
    }
}

/// A row that fits into a page of its own: what is longest of it is told by its length where the row does not, so that no
/// row stands in the way of those before it.
fn bounded(mut row: Value, room: usize) -> Value {
    while !fits(&row, room.saturating_sub(PAGE_BYTES))
        && let Value::Object(members) = &mut row
        && let Some((bytes, name)) = members.iter().map(|(name, value)| (cost(value), name.clone())).max()
        && bytes > SHORT
    {
        let member = members.insert(name.clone(), Value::Null);
        let bytes = member.as_ref().and_then(Value::as_str).map_or(bytes, str::len);
        members.insert(Text::from(format!("{}_omitted_bytes", name.as_str().unwrap_or_default())), number(bytes));
    }
    row
}
