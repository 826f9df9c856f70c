//! What every tool that answers in pages takes: a cursor, and how much of the answer's bound a call wants to use.

use assay_envelope::{Arguments, Refusal, escaped_len};
use assay_forge::cursor::{Call, Cursor, Fault};
use assay_origin::refuse;

use crate::ports::Settings;

/// Bounds of `cursor` in bytes (D-060).
const CURSOR: (usize, usize) = (1, 8_192);
/// Bounds of `max_bytes` (G-084).
const MAX_BYTES: (u64, u64) = (4_096, 49_000);

/// Where to go on, and how much may come.
#[derive(Debug)]
pub(crate) struct Paging<C = Cursor> {
    pub(crate) cursor: Option<C>,
    max_bytes: Option<u64>,
}

/// Takes a cursor, if one is given, as `decode` reads it.
pub(crate) fn take_cursor<C>(
    arguments: &mut Arguments,
    decode: impl FnOnce(&str) -> Result<C, Fault>,
) -> Result<Option<C>, Refusal> {
    let cursor = arguments.optional_text("cursor", CURSOR)?;
    cursor.map(|text| decode(&text)).transpose().map_err(refuse)
}

impl Paging {
    /// Takes `cursor` and `max_bytes`.
    pub(crate) fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        Self::take_as(arguments, Cursor::decode)
    }

    /// The cursor belongs to this call (D-054).
    pub(crate) fn check(&self, call: &Call<'_>) -> Result<(), Refusal> {
        self.cursor.as_ref().map_or(Ok(()), |cursor| cursor.check_call(call).map_err(refuse))
    }
}

impl<C> Paging<C> {
    /// The same for a cursor of another form.
    pub(crate) fn take_as(
        arguments: &mut Arguments,
        decode: impl FnOnce(&str) -> Result<C, Fault>,
    ) -> Result<Self, Refusal> {
        let cursor = take_cursor(arguments, decode)?;
        Ok(Self { cursor, max_bytes: arguments.optional_integer("max_bytes", MAX_BYTES)? })
    }

    /// What the answer may take of `room`: as much less as the call wants the whole response to be smaller.
    pub(crate) fn room(&self, room: usize, settings: &Settings) -> usize {
        let result_bytes = u64::from(settings.result_bytes);
        let less = self.max_bytes.map_or(0, |wanted| result_bytes.saturating_sub(wanted));
        room.saturating_sub(usize::try_from(less).unwrap_or(usize::MAX))
    }

    /// What to say where not even the least fits.
    pub(crate) fn too_small(&self, what: &str) -> Refusal {
        let advice = if self.max_bytes.is_some() {
            "Ask with a larger `max_bytes`, or a shorter request id"
        } else {
            "Use a shorter request id"
        };
        Refusal::new(
            "answer_too_large",
            format!("The receipt and the cursor leave no room for {what} within the answer's bound. {advice}."),
        )
    }
}

/// The page with as many rows as fit, at least one where there is one; nothing where not even that fits. `rows` are each
/// row's JSON, `render` writes the page of the first so many of them.
pub(crate) fn fit_rows(
    rows: impl IntoIterator<Item = String>,
    room: usize,
    render: impl Fn(&[String]) -> String,
) -> Option<String> {
    // The rows' own sizes say how many can fit; the page itself says whether they do.
    let mut left = room.saturating_sub(escaped_len(&render(&[])));
    let mut shown = Vec::new();
    for row in rows {
        let size = escaped_len(&row) + 1;
        if size > left && !shown.is_empty() {
            break;
        }
        left = left.saturating_sub(size);
        shown.push(row);
    }
    loop {
        let page = render(&shown);
        if escaped_len(&page) <= room {
            return Some(page);
        }
        if shown.len() < 2 {
            return None;
        }
        shown.pop();
    }
}
