//! `patchdiff_read_lines`: lines with their numbers and offsets.

use std::num::NonZeroUsize;

use assay_patch::{
    json::{self, Value},
    text::{DEFAULT_READ_LINES, MAX_READ_CHARS, MAX_READ_LINES, read_lines},
};

use crate::{
    answer::{Stop, fits, fitted, number},
    ask::Ask,
    ports::Ports,
    targets,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "start_line", "max_lines", "max_chars"])?;
    let bounded = |name, default: usize, most: usize| -> Result<NonZeroUsize, Stop> {
        let number = ask.clamped(name, 1, default as u64, most as u64)?;
        Ok(NonZeroUsize::new(number).expect("it was bounded from below"))
    };
    let start = bounded("start_line", 1, usize::MAX)?;
    let mut max_lines = bounded("max_lines", DEFAULT_READ_LINES, MAX_READ_LINES)?;
    let mut max_chars = bounded("max_chars", MAX_READ_CHARS, MAX_READ_CHARS)?;
    let target = targets::read(ports, &ask)?;
    let positions = target.positions();
    loop {
        let read = read_lines(&positions, start, max_lines, max_chars)
            .map_err(|error| Stop::invalid(error.to_string()))?;
        let lines = read.lines.iter().map(|line| {
            let own = [
                ("number", number(line.number)),
                ("text", Value::from(line.text)),
                ("start", number(line.span.start)),
                ("end", number(line.span.end)),
            ];
            json::object(own.into_iter().chain(line.cut_at.map(|at| ("cut_at", number(at)))))
        });
        let own = [
            ("lines", Value::Array(lines.collect())),
            ("total_lines", number(read.total_lines)),
            ("final_newline", read.final_newline.into()),
            ("next_line", read.next_line.map(number).into()),
        ];
        let answer = json::object(target.members().into_iter().chain(own));
        if fits(&answer, room) {
            return Ok(fitted(answer, room)?);
        }
        // Fewer lines first, for empty ones have no characters to save; then less of the one that is left.
        if let Some(fewer) = NonZeroUsize::new(read.lines.len() / 2) {
            max_lines = fewer;
            continue;
        }
        let shown = read.lines.first().map_or(0, |line| line.text.chars().count());
        match NonZeroUsize::new(shown / 2) {
            Some(less) => max_chars = less,
            None => return Ok(fitted(answer, room)?),
        }
    }
}
