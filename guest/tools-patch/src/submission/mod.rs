//! One submission: the lock, what the request names, the decision, its row, and only then what is looked for beside (P-082).

mod evidence;
mod look;

use assay_patch::{
    Protocol, Stage,
    apply::Context,
    json::{self, Value},
    near,
    submit::{
        Acceptance, Locked, Missed, Rejection, Row, Unlinked, Unreachable, Verdict, context_value, judge,
        unavailable_context, unlinked,
    },
};

use crate::{
    answer::{Member, Stop, fits, fitted, number},
    ask::{Ask, uuid},
    ports::{AttemptFacts, EntryFacts, Ports, Session, State, Target},
};
pub(crate) use evidence::Evidence;
pub(crate) use look::{Looked, locked};

/// The most bytes of an answer's evidence (PG-25, E-37).
pub(crate) const EVIDENCE_BYTES: usize = 32_768;
/// The most warnings that are told; the row has all.
const MAX_WARNINGS: usize = 64;

/// What was decided, as its row has it, and what the target is now.
struct Decided {
    facts: AttemptFacts,
    pdcp_log_id: String,
    changes: Vec<EntryFacts>,
    is_recovered: bool,
    now: Target,
    /// What was looked for beside, once the lock was gone.
    near_misses: Option<Value>,
}

/// Submits in one format.
pub(crate) fn call(ports: Ports<'_>, ask: &Ask, room: usize, protocol: Protocol) -> Result<String, Stop> {
    let request = ask.whole();
    let Some(id) = request.get("target_file_id").and_then(Value::as_str).and_then(uuid) else {
        return Ok(fitted(without_target(request, unlinked(protocol, Unreachable::Malformed)), room)?);
    };
    let mut session = ports.documents.begin()?;
    let Some(target) = session.lock(&id)? else {
        return Ok(fitted(without_target(request, unlinked(protocol, Unreachable::Absent)), room)?);
    };
    let looked = Looked::up(session.as_mut(), &target, request)?;
    let decided = match judge(&looked.locked, &looked.submission(protocol, request)) {
        Verdict::Recovered(pdcp_log_id) => recovered(session, target, &pdcp_log_id)?,
        Verdict::Rejected(rejection) => rejected(session, target, *rejection)?,
        Verdict::Accepted(acceptance) => accepted(session, &looked.locked, acceptance)?,
    };
    answer(&decided, request, room)
}

/// P-116: the outcome as it was recorded, whatever the target is by now.
fn recovered(mut session: Box<dyn Session>, now: Target, pdcp_log_id: &str) -> Result<Decided, Stop> {
    let attempt = session.attempt(&now.id, pdcp_log_id, false)?.ok_or_else(|| Stop::not_found("attempt"))?;
    let changes = session.ledger_of(pdcp_log_id)?.into_iter().map(|entry| entry.facts).collect();
    Ok(Decided { facts: attempt.facts, pdcp_log_id: attempt.id, changes, is_recovered: true, now, near_misses: None })
}

fn rejected(mut session: Box<dyn Session>, now: Target, rejection: Rejection) -> Result<Decided, Stop> {
    let facts = rejected_facts(&now.id, &rejection);
    let appended = session.append(facts.clone(), rejection.row.pdcp_content, Vec::new(), None)?;
    session.commit()?;
    // P-092: only once the lock is gone.
    let near_misses = rejection.missed.map(|Missed { text, buffer }| nearest(&text, &buffer));
    Ok(Decided { facts, pdcp_log_id: appended.id, changes: Vec::new(), is_recovered: false, now, near_misses })
}

fn accepted(mut session: Box<dyn Session>, decided_on: &Locked, acceptance: Box<Acceptance>) -> Result<Decided, Stop> {
    // P-068: the second look, at what is stored by now.
    let mut now = session.lock(&decided_on.id)?.ok_or_else(|| Stop::not_found("target"))?;
    let acceptance = match acceptance.at_commit(decided_on, now.state.version, &now.state.current_hash) {
        Verdict::Accepted(acceptance) => acceptance,
        Verdict::Rejected(rejection) => return rejected(session, now, *rejection),
        Verdict::Recovered(pdcp_log_id) => return recovered(session, now, &pdcp_log_id),
    };
    let facts = accepted_facts(&now.id, &acceptance);
    let changes = entries(&acceptance);
    let state = State {
        version: acceptance.state.version,
        current_hash: acceptance.state.current_hash.to_string(),
        line_endings: acceptance.state.endings.as_ref().map(ToString::to_string),
        content: acceptance.state.text.as_str().to_owned(),
    };
    let appended = session.append(facts.clone(), acceptance.row.pdcp_content, changes.clone(), Some(state.clone()))?;
    session.commit()?;
    now.state = state;
    Ok(Decided { facts, pdcp_log_id: appended.id, changes, is_recovered: false, now, near_misses: None })
}

pub(crate) fn entries(acceptance: &Acceptance) -> Vec<EntryFacts> {
    let entries = acceptance.ledger.iter().map(|entry| EntryFacts {
        change_id: entry.change_id.clone(),
        intent: entry.intent.clone(),
        risk: entry.risk.map(str::to_owned),
        derived_json: entry.derived.canonical().ok(),
    });
    entries.collect()
}

/// What every row has.
fn facts(target: &str, row: &Row, stage: Stage) -> AttemptFacts {
    AttemptFacts {
        target_file_id: target.to_owned(),
        validation_stage: stage.name().to_owned(),
        expected_target_version: row.expected_target_version,
        expected_current_hash: row.expected_current_hash.as_ref().map(ToString::to_string),
        before_hash: Some(row.before_hash.clone()),
        before_version: Some(row.before_version),
        pdcp_content_hash: row.pdcp_content_hash.to_string(),
        protocol_version: row.profile.protocol.name().to_owned(),
        runtime_version: Some(row.profile.runtime.to_owned()),
        submission_source: row.submission_source.clone(),
        parent_pdcp_log_id: row.parent_pdcp_log_id.clone(),
        regeneration_attempt: row.regeneration_attempt,
        regeneration_source: row.regeneration_source.clone(),
        client_request_id: row.client_request_id.clone(),
        request_fingerprint: Some(row.request_fingerprint.to_string()),
        accepted: false,
        failure_reason: None,
        failure_detail: None,
        failed_change_id: None,
        after_hash: None,
        after_version: None,
        warnings_json: None,
        diagnostic_json: None,
    }
}

fn rejected_facts(target: &str, rejection: &Rejection) -> AttemptFacts {
    AttemptFacts {
        failure_reason: Some(rejection.reason.name().to_owned()),
        failure_detail: Some(rejection.detail.clone()),
        failed_change_id: rejection.failed_change_id.clone(),
        diagnostic_json: rejection.diagnostic.canonical().ok(),
        ..facts(target, &rejection.row, rejection.stage)
    }
}

fn accepted_facts(target: &str, acceptance: &Acceptance) -> AttemptFacts {
    let warnings = (!acceptance.warnings.is_empty()).then(|| Value::Array(acceptance.warnings.clone()));
    AttemptFacts {
        accepted: true,
        after_hash: Some(acceptance.state.current_hash.to_string()),
        after_version: Some(acceptance.state.version),
        warnings_json: warnings.and_then(|warnings| warnings.canonical().ok()),
        ..facts(target, &acceptance.row, Stage::Accepted)
    }
}

/// P-090, PG-24: what comes nearest, and how much was looked through.
pub(crate) fn nearest(query: &str, buffer: &str) -> Value {
    let report = near::search(query, buffer);
    let misses = report.misses.iter().map(|miss| {
        let ops = miss
            .diff_ops(query, buffer)
            .into_iter()
            .map(|run| json::object([("op", run.op.name().into()), ("chars", number(run.chars))]));
        json::object([
            ("start", number(miss.span.start)),
            ("end", number(miss.span.end)),
            ("distance", number(miss.distance)),
            ("similarity_ppm", u64::from(miss.similarity_ppm).into()),
            ("text", miss.text(buffer).into()),
            ("diff", Value::Array(ops.collect())),
        ])
    });
    json::object([
        ("misses", Value::Array(misses.collect())),
        ("scanned_chars", number(report.scanned_chars)),
        ("total_chars", number(report.total_chars)),
        ("complete", report.complete.into()),
    ])
}

/// P-075, P-080: a request that has no target has no row either.
fn without_target(request: &Value, unlinked: Unlinked) -> Value {
    let Unlinked { stage, reason, detail, diagnostic } = unlinked;
    let members = [
        ("status", "rejected".into()),
        ("failure_reason", reason.name().into()),
        ("failure_detail", detail.into()),
        ("pdcp_log_id", Value::Null),
        ("deduplicated", false.into()),
        ("validity", validity(stage)),
        ("diagnostic", diagnostic),
        ("current_context", unavailable_context()),
    ];
    json::object(members.into_iter().chain(correlation(request)))
}

/// P-031, P-083.
pub(crate) fn validity(stage: Stage) -> Value {
    let validity = stage.validity();
    json::object([
        ("protocol_valid", validity.protocol_valid.into()),
        ("transaction_valid", validity.transaction_valid.into()),
        ("task_correct", "not_evaluated".into()),
        ("semantic", "not_evaluated".into()),
    ])
}

/// PG-16: given back, and used for nothing.
fn correlation(request: &Value) -> Option<Member> {
    let id = request.get("correlation_id")?.as_str()?;
    let fits = (1..=128).contains(&id.len()) && id.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    fits.then(|| ("correlation_id", id.into()))
}

/// Warnings, as many as are told of one transaction: the row is kept by now, and its answer has to fit.
pub(crate) fn warned(warnings: &[Value]) -> Vec<Member> {
    let shown = warnings.iter().take(MAX_WARNINGS).cloned().collect();
    let omitted = warnings.len().saturating_sub(MAX_WARNINGS);
    let mut members = vec![("warnings", Value::Array(shown))];
    if omitted > 0 {
        members.push(("omitted_warnings", number(omitted)));
    }
    members
}

/// A rejection, without the longest of its members where it has no room for them: that it was stored has to be said.
pub(crate) fn rejection(mut members: Vec<Member>, room: usize) -> Result<String, Stop> {
    let mut omitted: Vec<Value> = Vec::new();
    for longest in ["near_misses", "current_context", "diagnostic"] {
        if fits(&json::object(members.iter().cloned()), room) {
            break;
        }
        members.retain(|(name, _)| *name != longest && *name != "omitted");
        omitted.push(longest.into());
        members.push(("omitted", Value::Array(omitted.clone())));
    }
    Ok(fitted(json::object(members), room)?)
}

fn answer(decided: &Decided, request: &Value, room: usize) -> Result<String, Stop> {
    let Decided { facts, now, .. } = decided;
    let stage = Stage::of(&facts.validation_stage);
    let text = |text: &Option<String>| Value::from(text.as_deref());
    let mut members: Vec<Member> = vec![
        ("status", if facts.accepted { "accepted" } else { "rejected" }.into()),
        ("target_file_id", now.id.as_str().into()),
        ("pdcp_log_id", decided.pdcp_log_id.as_str().into()),
        ("deduplicated", decided.is_recovered.into()),
        ("before_version", facts.before_version.into()),
        ("before_hash", text(&facts.before_hash)),
        // What the attempt came to; `current_` is what is there now (the eleventh decided ambiguity).
        ("version", facts.after_version.or(facts.before_version).into()),
        ("current_version", now.state.version.into()),
        ("current_hash", now.state.current_hash.as_str().into()),
        ("validity", stage.map_or(Value::Null, validity)),
    ];
    members.extend(correlation(request));
    if facts.accepted {
        members.push(("after_version", facts.after_version.into()));
        members.push(("after_hash", text(&facts.after_hash)));
        if let Value::Array(warnings) = crate::answer::stored(facts.warnings_json.as_deref()) {
            members.extend(warned(&warnings));
        }
        return Evidence::of(&decided.changes).fitted(members, room.min(EVIDENCE_BYTES));
    }
    members.extend([
        ("failure_reason", text(&facts.failure_reason)),
        ("failure_detail", text(&facts.failure_detail)),
        ("failed_change_id", text(&facts.failed_change_id)),
        ("diagnostic", crate::answer::stored(facts.diagnostic_json.as_deref())),
        ("current_context", context_value(&Context::around(&now.state.content, None))),
    ]);
    members.extend(decided.near_misses.clone().map(|misses| ("near_misses", misses)));
    rejection(members, room)
}
