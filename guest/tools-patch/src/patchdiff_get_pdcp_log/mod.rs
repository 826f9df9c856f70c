//! `patchdiff_get_pdcp_log`: every attempt on a target, newest first (P-171 to P-173, P-178).

use assay_patch::json::{self, Value};

use crate::{
    answer::{Stop, stored},
    ask::Ask,
    history::{Asked, Shown, empty},
    ports::{Attempt, AttemptFilter, Ports, Session},
    submission::{MAX_WARNINGS, warned},
};

const TAKES: [&str; 7] =
    ["target_file_id", "limit", "before_sequence", "status", "content_hash", "client_request_id", "include_content"];

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    page(ports, &ask, room).map_err(|stop| stop.with(empty()))
}

fn page(ports: Ports<'_>, ask: &Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&TAKES)?;
    let asked = Asked::of(ask)?;
    let filter = AttemptFilter {
        before_sequence: None,
        accepted: ask.choice("status", &[("accepted", true), ("rejected", false)])?,
        content_hash: ask.optional_text("content_hash")?.map(str::to_owned),
        client_request_id: ask.optional_text("client_request_id")?.map(str::to_owned),
        limit: 0,
        // A payload can be as long as a text: they are read one by one, as far as they have room.
        with_content: false,
    };
    let with_content = ask.flag("include_content")?;
    let mut view = asked.view(ports)?;
    let next = |view: &mut dyn Session, before_sequence, most: u32| {
        // The port gives one more than its limit.
        let filter = AttemptFilter { before_sequence, limit: most - 1, ..filter.clone() };
        Ok(view.attempts(&asked.target, &filter)?)
    };
    let show = |view: &mut dyn Session, mut attempt: Attempt| {
        if with_content {
            attempt = view.attempt(&asked.target, &attempt.id, true)?.unwrap_or(attempt);
        }
        Ok(Shown { sequence: attempt.log_sequence, row: row(attempt) })
    };
    let rows = asked.rows(view.as_mut(), room, next, show)?;
    asked.page(rows, false, room)
}

fn row(attempt: Attempt) -> Value {
    let facts = attempt.facts;
    let text = |text: Option<String>| Value::from(text);
    // There can be several for each change: as many are shown as its submission was answered with.
    let warnings = match stored(facts.warnings_json.as_deref()) {
        Value::Array(all) => warned(&all, MAX_WARNINGS),
        _ => vec![("warnings", Value::Null)],
    };
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
        ("diagnostic", stored(facts.diagnostic_json.as_deref())),
        ("created_at", attempt.created_at.into()),
    ];
    let content = attempt.pdcp_content.map(|content| ("pdcp_content", content.into()));
    json::object(own.into_iter().chain(warnings).chain(content))
}
