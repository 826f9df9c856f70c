//! What every tool that answers in pages takes: a cursor, and how much of the answer's bound a call wants to use.

use assay_envelope::{Arguments, Refusal};
use assay_forge::cursor::{Call, Cursor};
use assay_origin::refuse;

use crate::ports::Settings;

/// Bounds of `cursor` in bytes (D-060).
const CURSOR: (usize, usize) = (1, 8_192);
/// Bounds of `max_bytes` (G-084).
const MAX_BYTES: (u64, u64) = (4_096, 49_000);

/// Where to go on, and how much may come.
#[derive(Debug)]
pub(crate) struct Paging {
    pub(crate) cursor: Option<Cursor>,
    max_bytes: Option<u64>,
}

impl Paging {
    /// Takes `cursor` and `max_bytes`.
    pub(crate) fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let cursor = arguments.optional_text("cursor", CURSOR)?;
        let max_bytes = arguments.optional_integer("max_bytes", MAX_BYTES)?;
        let cursor = cursor.map(|text| Cursor::decode(&text)).transpose().map_err(refuse)?;
        Ok(Self { cursor, max_bytes })
    }

    /// The cursor belongs to this call (D-054).
    pub(crate) fn check(&self, call: &Call<'_>) -> Result<(), Refusal> {
        self.cursor.as_ref().map_or(Ok(()), |cursor| cursor.check_call(call).map_err(refuse))
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
