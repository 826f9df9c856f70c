//! `patchdiff_export_target`: the whole text, as it is edited or with the line ends it came with (P-159, PG-30).

use std::num::NonZeroUsize;

use assay_patch::{
    Sha256Hex, json,
    text::{Positions, Style, original_eol, read_window},
};

use crate::{
    answer::{Stop, fits, fitted, number, stored},
    ask::Ask,
    ports::{Ports, Target},
    submission::locked,
    targets,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "format", "start", "length"])?;
    let original = ask.choice("format", &[("canonical", false), ("original_eol", true)])?.unwrap_or(false);
    let start = ask.clamped("start", 0, 0, u64::MAX)?;
    let length = ask.optional_number("length", 1)?.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut length = length.and_then(NonZeroUsize::new);
    let target = targets::read(ports, &ask)?;
    let text = if original { with_original_eol(&target)? } else { target.state.content.clone() };
    let positions = Positions::of(&text);
    loop {
        let window = read_window(&positions, start, length).map_err(|error| Stop::invalid(error.to_string()))?;
        let own = [
            ("format", if original { "original_eol" } else { "canonical" }.into()),
            ("total_bytes", number(text.len())),
            ("sha256", Sha256Hex::of(&text).as_str().into()),
            ("total_chars", number(window.total_chars)),
            ("start", number(window.span.start)),
            ("end", number(window.span.end)),
            ("text", window.text.into()),
            ("truncated", window.next_start.is_some().into()),
            ("next_start", window.next_start.map(number).into()),
        ];
        let answer = json::object(target.members().into_iter().chain(own));
        match NonZeroUsize::new(window.span.len() / 2).filter(|_| !fits(&answer, room)) {
            Some(shorter) => length = Some(shorter),
            None => return Ok(fitted(answer, room)?),
        }
    }
}

fn with_original_eol(target: &Target) -> Result<String, Stop> {
    let locked = locked(target);
    let source = stored(target.origin.source_line_endings.as_deref());
    let style = source.get("style").and_then(json::Value::as_str).and_then(Style::from_name);
    let bytes = original_eol(&locked.text, style, locked.endings.as_ref(), target.origin.has_bom);
    let bytes = bytes.map_err(|error| {
        Stop::invalid(error.to_string()).with([("reason", "original_eol_unavailable".into())])
    })?;
    Ok(String::from_utf8(bytes).expect("text with other line ends is text"))
}
