//! One attempt in full: what it did to the text, or what it asked for and why that did nothing.

use std::fmt::Write as _;

use assay_envelope::Refusal;
use serde_json::{Value, json};

use super::{
    asked::{Asked, items, number, text},
    changes,
    log::{format_of, versions},
    named::Named,
    pages::put,
    paint::{Paint, Piece},
    print,
    table::time,
};
use crate::cli::{
    Failed,
    shown::{in_line, visible},
};

const LOG: &str = "patchdiff_get_pdcp_log";

pub(super) async fn show(asked: &Asked, named: &Named, wanted: &str, json: bool, paint: Paint) -> Result<(), Failed> {
    let sequence = match wanted.parse::<u64>() {
        Ok(sequence) => sequence,
        Err(_) => sequence_of(asked, named, wanted).await?,
    };
    let before = sequence.saturating_add(1);
    let arguments =
        json!({"target_file_id": named.head.id, "before_sequence": before, "limit": 1, "include_content": true});
    let answer = asked.told(LOG, &arguments).await?;
    let row = items(&answer.value, "entries").first().filter(|row| number(row, "log_sequence") == Some(sequence));
    let Some(row) = row else { return Err(unknown(named, wanted)) };
    if json {
        return print(&format!("{}\n", answer.text));
    }
    let mut out = head(named, row, paint);
    if text(row, "status") == "accepted" {
        accepted(asked, named, row, paint, &mut out).await?
    } else {
        rejected(asked, named, row, paint, &mut out).await?;
    }
    print(&out)
}

/// The place of an attempt whose id is known.
async fn sequence_of(asked: &Asked, named: &Named, wanted: &str) -> Result<u64, Failed> {
    let wanted_id = wanted.to_ascii_lowercase();
    let mut arguments = json!({"target_file_id": named.head.id, "limit": 200});
    loop {
        let answer = asked.told(LOG, &arguments).await?.value;
        let found = items(&answer, "entries").iter().find(|row| text(row, "pdcp_log_id") == wanted_id);
        if let Some(sequence) = found.and_then(|row| number(row, "log_sequence")) {
            return Ok(sequence);
        }
        let next = number(&answer, "next_sequence").ok_or_else(|| unknown(named, wanted))?;
        put(&mut arguments, "before_sequence", json!(next));
    }
}

fn unknown(named: &Named, wanted: &str) -> Failed {
    let message = format!("there is no attempt {} on {}; `assay patch log` lists them", in_line(wanted), named.name);
    Failed::Refused(Refusal::new("not_found", message))
}

fn head(named: &Named, row: &Value, paint: Paint) -> String {
    let mut out = String::new();
    let place = number(row, "log_sequence").unwrap_or_default();
    let title = format!("attempt {place} ({}) on {}", in_line(text(row, "pdcp_log_id")), named.name);
    line(&mut out, &paint.piece(Piece::Head, &title));
    let rules = text(row, "runtime_version");
    let rules = if rules.is_empty() { String::new() } else { format!(" by {}", in_line(rules)) };
    let facts = [
        ("time", time(text(row, "created_at")) + " UTC"),
        ("outcome", format!("{}, {}", in_line(text(row, "status")), in_line(text(row, "validation_stage")))),
        ("version", versions(row)),
        ("format", format!("{}{rules}", in_line(format_of(row)))),
        ("intent", in_line(&intent(row))),
        ("key", in_line(text(row, "client_request_id"))),
        ("source", in_line(text(row, "submission_source"))),
        ("mends", in_line(text(row, "parent_pdcp_log_id"))),
    ];
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        line(&mut out, &format!("{name:<8} {value}"));
    }
    for warning in items(row, "warnings") {
        line(&mut out, &format!("warning  {} {}", in_line(text(warning, "code")), in_line(text(warning, "change_id"))));
    }
    out
}

/// The two texts as history makes them, and the lines that differ.
async fn accepted(asked: &Asked, named: &Named, row: &Value, paint: Paint, out: &mut String) -> Result<(), Failed> {
    let (Some(before), Some(after)) = (number(row, "before_version"), number(row, "after_version")) else {
        return Ok(());
    };
    let mut texts = Vec::with_capacity(2);
    for version in [before, after] {
        let arguments = json!({"target_file_id": named.head.id, "version": version, "length": u32::MAX});
        let answer = asked.told("patchdiff_export_target", &arguments).await?.value;
        texts.push(text(&answer, "text").to_owned());
    }
    let [old, new] = texts.as_slice() else { return Ok(()) };
    let diff = changes::between(old, new, paint);
    if diff.is_empty() {
        line(out, "\nIt left the text as it was.");
        return Ok(());
    }
    line(out, &format!("\n{}", paint.piece(Piece::Head, &format!("--- version {before}"))));
    line(out, &paint.piece(Piece::Head, &format!("+++ version {after}")));
    out.push_str(&diff);
    Ok(())
}

/// What was asked for, why it failed, where, and what comes near it.
async fn rejected(asked: &Asked, named: &Named, row: &Value, paint: Paint, out: &mut String) -> Result<(), Failed> {
    let reason = in_line(text(row, "failure_reason"));
    line(out, &format!("reason   {}", paint.piece(Piece::Gone, &reason)));
    line(out, &format!("         {}", in_line(text(row, "failure_detail"))));
    let failed = text(row, "failed_change_id");
    if !failed.is_empty() {
        line(out, &format!("change   {}", in_line(failed)));
    }
    let record = record(row);
    match (&record, number(row, "pdcp_content_omitted_bytes")) {
        (_, Some(bytes)) => line(out, &format!("\nIt asked for {bytes} bytes of changes, which are not shown.")),
        (Some(record), None) => wanted(record, paint, out),
        (None, None) => line(out, "\nWhat it asked for is no JSON."),
    }
    let diagnostic = row.get("diagnostic").unwrap_or(&Value::Null);
    place(diagnostic, paint, out);
    if let Some(record) = record.filter(|_| diagnostic.get("near_miss_query").is_some()) {
        near(asked, named, diagnostic, &record, paint, out).await?;
    }
    Ok(())
}

/// The changes that were asked for, each as the text it looks for and the one in its place.
fn wanted(record: &Value, paint: Paint, out: &mut String) {
    line(out, &format!("\n{}", paint.piece(Piece::Head, "It asked for")));
    let groups = items(record, "groups");
    let grouped = groups.iter().flat_map(|group| items(group, "operations"));
    let alone = [items(record, "edits"), items(record, "operations")].into_iter().flatten();
    let mut count = 0;
    for change in alone.chain(grouped) {
        count += 1;
        let given = text(change, "change_id");
        let id = if given.is_empty() { format!("chg_{count:03}") } else { in_line(given) };
        let span = match (number(change, "start"), number(change, "end")) {
            (Some(start), Some(end)) => format!(" at {start} to {end}"),
            _ => String::new(),
        };
        line(out, &paint.piece(Piece::Place, &format!("{id}{span}")));
        let old = ["match", "expected_text"].into_iter().map(|name| text(change, name)).find(|text| !text.is_empty());
        sides(old.unwrap_or_default(), text(change, "replace"), paint, out);
    }
    if let Some(whole) = record.get("replacement").and_then(Value::as_str) {
        count += 1;
        let lines = whole.lines().count();
        line(out, &format!("another text for all of it: {} bytes in {lines} lines", whole.len()));
    }
    if count == 0 {
        line(out, "no change that can be shown; --json shows its record");
    }
}

fn sides(old: &str, new: &str, paint: Paint, out: &mut String) {
    for (sign, piece, side) in [('-', Piece::Gone, old), ('+', Piece::Come, new)] {
        for each in side.split_terminator('\n') {
            line(out, &paint.piece(piece, &format!("{sign}{}", visible(each))));
        }
    }
}

/// Where it failed (P-084 to P-091), as it was stored then.
fn place(diagnostic: &Value, paint: Paint, out: &mut String) {
    let context = diagnostic.get("failure_context").unwrap_or(&Value::Null);
    if let (Some(start), Some(end)) = (number(context, "start"), number(context, "end")) {
        let of = match number(context, "prior_changes") {
            Some(prior @ 1..) => format!("the text after {prior} of its changes"),
            _ => "the text".to_owned(),
        };
        let total = number(context, "total_chars").unwrap_or_default();
        let title = format!("Where it failed: characters {start} to {end} of {total} of {of}");
        line(out, &format!("\n{}", paint.piece(Piece::Head, &title)));
        quote(text(context, "text"), out);
    }
    for candidate in items(diagnostic, "exact_candidates") {
        let at = number(candidate, "occurrence_index").unwrap_or_default();
        let start = number(candidate, "start").unwrap_or_default();
        line(
            out,
            &format!(
                "occurrence {at} at {start}, between {} and {}",
                quoted(text(candidate, "before")),
                quoted(text(candidate, "after"))
            ),
        );
    }
    if let Some(consumed) = diagnostic.get("consumed_by") {
        line(out, &format!("its text was taken by {}", in_line(text(consumed, "change_id"))));
    }
}

/// What comes near the text that is nowhere: of the text as it is now, so only while that is the one it failed on.
async fn near(
    asked: &Asked,
    named: &Named,
    diagnostic: &Value,
    record: &Value,
    paint: Paint,
    out: &mut String,
) -> Result<(), Failed> {
    let observed = number(diagnostic, "observed_version");
    if observed.is_none() || observed != u64::try_from(named.head.version).ok() {
        return Ok(());
    }
    let mut preview = json!({"target_file_id": named.head.id});
    for name in ["edits", "operations"] {
        if let Some(given) = record.get(name) {
            put(&mut preview, name, given.clone());
        }
    }
    // It only adds to what is known: where it says nothing, neither is said here.
    let answer = asked.ask("patchdiff_preview", &preview).await?.value;
    let misses = items(answer.get("near_misses").unwrap_or(&Value::Null), "misses");
    if !misses.is_empty() {
        line(out, &format!("\n{}", paint.piece(Piece::Head, "What comes nearest")));
    }
    for miss in misses {
        let (start, end) = (number(miss, "start").unwrap_or_default(), number(miss, "end").unwrap_or_default());
        let distance = number(miss, "distance").unwrap_or_default();
        line(out, &format!("characters {start} to {end}, {distance} away: {}", quoted(text(miss, "text"))));
    }
    Ok(())
}

fn record(row: &Value) -> Option<Value> {
    serde_json::from_str(text(row, "pdcp_content")).ok()
}

fn intent(row: &Value) -> String {
    record(row).map(|record| text(&record, "intent").to_owned()).unwrap_or_default()
}

/// A text within a line.
fn quoted(part: &str) -> String {
    format!("{:?}", in_line(part))
}

fn quote(part: &str, out: &mut String) {
    for each in part.split('\n') {
        line(out, &format!("  | {}", visible(each)));
    }
}

fn line(out: &mut String, text: &str) {
    writeln!(out, "{text}").expect("a string takes everything");
}
