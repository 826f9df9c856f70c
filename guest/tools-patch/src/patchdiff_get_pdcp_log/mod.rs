//! `patchdiff_get_pdcp_log`: every attempt on a target, newest first (P-171 to P-173, P-178).

use assay_patch::json::{self, Text, Value};

use crate::{
    answer::{Stop, cost, fits, number, stored},
    ask::Ask,
    history::{Asked, Shown, empty},
    ports::{Attempt, AttemptFilter, Ports},
};

const TAKES: [&str; 7] =
    ["target_file_id", "limit", "before_sequence", "status", "content_hash", "client_request_id", "include_content"];

/// The most bytes of a page beside its rows.
const PAGE_BYTES: usize = 512;

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    page(ports, &ask, room).map_err(|stop| stop.with(empty()))
}

fn page(ports: Ports<'_>, ask: &Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&TAKES)?;
    let mut asked = Asked::of(ask)?;
    let filter = AttemptFilter {
        before_sequence: asked.before_sequence,
        accepted: ask.choice("status", &[("accepted", true), ("rejected", false)])?,
        content_hash: ask.optional_text("content_hash")?.map(str::to_owned),
        client_request_id: ask.optional_text("client_request_id")?.map(str::to_owned),
        limit: u32::try_from(asked.limit).unwrap_or(u32::MAX),
        // A payload can be as long as a text: they are read one by one, as far as they have room.
        with_content: false,
    };
    let with_content = ask.flag("include_content")?;
    let mut view = asked.view(ports)?;
    let mut rows = Vec::new();
    let mut used = 0;
    for mut attempt in view.attempts(&asked.target, &filter)? {
        if with_content && used <= room && rows.len() < asked.limit {
            attempt = view.attempt(&asked.target, &attempt.id, true)?.unwrap_or(attempt);
        }
        let shown = Shown { sequence: attempt.log_sequence, row: bounded(attempt, room) };
        used += cost(&shown.row);
        rows.push(shown);
        if used > room && rows.len() > 1 {
            // The last does not fit: it only says that there is more.
            asked.limit = asked.limit.min(rows.len() - 1);
            break;
        }
    }
    asked.page(rows, false, room)
}

/// A row that fits into an answer of its own: a payload that does not is told by its length.
fn bounded(mut attempt: Attempt, room: usize) -> Value {
    let content = attempt.pdcp_content.take();
    let mut row = row(attempt);
    let Some(content) = content else { return row };
    let bytes = content.len();
    put(&mut row, "pdcp_content", content.into());
    if !fits(&row, room.saturating_sub(PAGE_BYTES)) {
        put(&mut row, "pdcp_content", Value::Null);
        put(&mut row, "pdcp_content_omitted_bytes", number(bytes));
    }
    row
}

fn put(row: &mut Value, name: &'static str, value: Value) {
    if let Value::Object(members) = row {
        members.insert(Text::from(name), value);
    }
}

fn row(attempt: Attempt) -> Value {
    let facts = attempt.facts;
    let text = |text: Option<String>| Value::from(text);
    let own = [
        ("pdcp_log_id", attempt.id.into()),
        ("log_sequence", attempt.log_sequence.into()),
        ("status", if facts.accepted { "accepted" } else { "rejected" }.into()),
        ("validation_stage", facts.validation_stage.into()),
        ("failure_reason", text(facts.failure_reason)),
        ("failure_detail", text(facts.failure_detail)),
        ("failed_change_id", text(facts.failed_change_id)),
        ("before_hash", text(facts.before_hash)),
        ("after_hash", text(facts.after_hash)),
        ("before_version", facts.before_version.into()),
        ("after_version", facts.after_version.into()),
        ("pdcp_content_hash", facts.pdcp_content_hash.into()),
        ("protocol_version", facts.protocol_version.into()),
        ("runtime_version", text(facts.runtime_version)),
        ("submission_source", text(facts.submission_source)),
        ("parent_pdcp_log_id", text(facts.parent_pdcp_log_id)),
        ("regeneration_attempt", facts.regeneration_attempt.into()),
        ("regeneration_source", text(facts.regeneration_source)),
        ("client_request_id", text(facts.client_request_id)),
        ("request_fingerprint", text(facts.request_fingerprint)),
        ("warnings", stored(facts.warnings_json.as_deref())),
        ("diagnostic", stored(facts.diagnostic_json.as_deref())),
        ("created_at", attempt.created_at.into()),
    ];
    json::object(own)
}
