//! `patchdiff_find_occurrences`: every exact occurrence of a text, overlapping ones too (P-169, P-170, PG-32).

use std::num::NonZeroUsize;

use assay_patch::{
    json::{self, Value},
    text::{Canonical, DEFAULT_CONTEXT_CHARS, MAX_CONTEXT_CHARS, MAX_RESULTS, Page, find_occurrences},
};

use crate::{
    answer::{Stop, fits, fitted, number},
    ask::Ask,
    ports::Ports,
    targets,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "text", "context_chars", "start_occurrence", "max_results"])?;
    let text = Canonical::of(ask.text("text")?);
    if text.as_str().is_empty() {
        return Err(Stop::invalid("`text` must not be empty"));
    }
    let most = MAX_RESULTS as u64;
    let context_chars = ask.clamped("context_chars", 0, DEFAULT_CONTEXT_CHARS as u64, MAX_CONTEXT_CHARS as u64)?;
    let start = counted(ask.clamped("start_occurrence", 1, 1, u64::MAX)?);
    let mut max_results = counted(ask.clamped("max_results", 1, most, most)?);
    let target = targets::read(ports, &ask)?;
    let positions = target.positions();
    loop {
        let page = Page { context_chars, start_occurrence: start, max_results };
        let found = find_occurrences(&positions, text.as_str(), page);
        let occurrences = found.occurrences.iter().map(|occurrence| {
            json::object([
                ("occurrence_index", number(occurrence.occurrence_index)),
                ("start", number(occurrence.span.start)),
                ("end", number(occurrence.span.end)),
                ("before", occurrence.before.into()),
                ("after", occurrence.after.into()),
            ])
        });
        let own = [
            ("occurrence_count", number(found.occurrence_count)),
            ("returned_count", number(found.occurrences.len())),
            ("start_occurrence", number(start.get())),
            ("occurrences", Value::Array(occurrences.collect())),
            ("truncated", found.next_occurrence_index.is_some().into()),
            ("next_occurrence_index", found.next_occurrence_index.map(number).into()),
        ];
        let answer = json::object(target.members().into_iter().chain(own));
        // Fewer are shown where contexts take the room; the next page goes on behind them.
        match NonZeroUsize::new(found.occurrences.len() / 2).filter(|_| !fits(&answer, room)) {
            Some(fewer) => max_results = fewer,
            None => return Ok(fitted(answer, room)?),
        }
    }
}

fn counted(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("it was bounded from below")
}
