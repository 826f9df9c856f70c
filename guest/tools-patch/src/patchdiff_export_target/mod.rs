//! `patchdiff_export_target`: the whole text, as it is edited or with the line ends it came with (P-159, PG-30), or as it was
//! at an earlier version, which history makes.

use std::num::NonZeroUsize;

use assay_patch::{
    Sha256Hex, json,
    text::{DEFAULT_READ_CHARS, Positions, Style, any_window, original_eol},
};

use crate::{
    answer::{Stop, fits, fitted, number, stored},
    ask::Ask,
    ports::{Ports, Target},
    replaying::{self, Replayed},
    submission::locked,
    targets,
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "format", "version", "start", "length"])?;
    let original = ask.choice("format", &[("canonical", false), ("original_eol", true)])?.unwrap_or(false);
    let start = ask.clamped("start", 0, 0, u64::MAX)?;
    let length = ask.optional_number("length", 1)?.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut length = length.unwrap_or(DEFAULT_READ_CHARS);
    let version = ask.optional_number("version", 0)?;
    let target = targets::read(ports, &ask)?;
    let earlier = version.filter(|version| *version != target.state.version);
    let text = match earlier {
        Some(_) if original => {
            return Err(Stop::invalid("the line ends of an earlier version are not known: export it as canonical"));
        }
        Some(version) => earlier_text(ports, &target, version)?,
        None if original => with_original_eol(&target)?,
        None => target.state.content.clone(),
    };
    let positions = Positions::of(&text);
    loop {
        let window = any_window(&positions, start, length).map_err(|error| Stop::invalid(error.to_string()))?;
        let own = [
            ("exported_version", earlier.unwrap_or(target.state.version).into()),
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
            Some(shorter) => length = shorter.get(),
            None => return Ok(fitted(answer, room)?),
        }
    }
}

/// History never changes, so what a version was can be read without a lock.
fn earlier_text(ports: Ports<'_>, target: &Target, version: u64) -> Result<String, Stop> {
    let mut view = ports.documents.view()?;
    let Replayed { version: reached, text, .. } = replaying::of(view.as_mut(), target, Some(version))?;
    if reached != version {
        return Err(Stop::invalid(format!("there is no version {version}: the target has version {}", target.state.version)));
    }
    Ok(text)
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
