//! `patchdiff_read_target`: a window of a target's text (P-166 to P-168, PG-31).

use std::num::NonZeroUsize;

use assay_patch::{json, text::read_window};

use crate::{
    answer::{Stop, fits, fitted, number},
    ask::Ask,
    ports::Ports,
    targets,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "start", "length"])?;
    let start = ask.clamped("start", 0, 0, u64::MAX)?;
    let length = ask.optional_number("length", 1)?.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut length = length.and_then(NonZeroUsize::new);
    let target = targets::read(ports, &ask)?;
    let positions = target.positions();
    loop {
        let window = read_window(&positions, start, length).map_err(|error| Stop::invalid(error.to_string()))?;
        let own = [
            ("start", number(window.span.start)),
            ("end", number(window.span.end)),
            ("text", window.text.into()),
            ("total_chars", number(window.total_chars)),
            ("truncated", window.next_start.is_some().into()),
            ("next_start", window.next_start.map(number).into()),
        ];
        let answer = json::object(target.members().into_iter().chain(own));
        // What escapes take shortens the window; `next_start` goes on where it ends.
        match NonZeroUsize::new(window.span.len() / 2).filter(|_| !fits(&answer, room)) {
            Some(shorter) => length = Some(shorter),
            None => return Ok(fitted(answer, room)?),
        }
    }
}
