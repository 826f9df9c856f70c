//! What is told of an outcome: the members of its answer, whichever tool gives it.

use assay_patch::{
    Stage,
    json::{self, Value},
    near,
    submit::{Unlinked, unavailable_context},
};

use super::settle::{Decided, Now};
use crate::answer::{Member, number, stored};

/// All but the evidence. Of warnings at most so many.
pub(crate) fn decided(decided: &Decided, warnings: usize) -> Vec<Member> {
    let Decided { facts, now, .. } = decided;
    let stage = Stage::of(&facts.validation_stage);
    let text = |text: &Option<String>| Value::from(text.as_deref());
    let mut members: Vec<Member> = vec![
        ("status", if facts.accepted { "accepted" } else { "rejected" }.into()),
        ("pdcp_log_id", decided.pdcp_log_id.as_str().into()),
        ("before_version", facts.before_version.into()),
        ("before_hash", text(&facts.before_hash)),
        // What the attempt came to; `current_` is what is there now (the eleventh decided ambiguity).
        ("version", facts.after_version.or(facts.before_version).into()),
        ("validity", stage.map_or(Value::Null, validity)),
    ];
    members.extend(current(now));
    if facts.accepted {
        members.push(("after_version", facts.after_version.into()));
        members.push(("after_hash", text(&facts.after_hash)));
        if let Value::Array(all) = stored(facts.warnings_json.as_deref()) {
            members.extend(warned(&all, warnings));
        }
        return members;
    }
    members.extend([
        ("failure_reason", text(&facts.failure_reason)),
        ("failure_detail", text(&facts.failure_detail)),
        ("failed_change_id", text(&facts.failed_change_id)),
        ("diagnostic", stored(facts.diagnostic_json.as_deref())),
        ("current_context", now.context.clone()),
    ]);
    members.extend(decided.near_misses.clone().map(|misses| ("near_misses", misses)));
    members
}

/// What the target is by now.
pub(crate) fn current(now: &Now) -> [Member; 3] {
    [
        ("target_file_id", now.id.as_str().into()),
        ("current_version", now.version.into()),
        ("current_hash", now.current_hash.as_str().into()),
    ]
}

/// P-075, P-080: a request that has no target has no row either.
pub(crate) fn without_target(request: &Value, unlinked: Unlinked) -> Vec<Member> {
    let Unlinked { stage, reason, detail, diagnostic } = unlinked;
    let members = [
        ("status", "rejected".into()),
        ("failure_reason", reason.name().into()),
        ("failure_detail", detail.as_ref().into()),
        ("pdcp_log_id", Value::Null),
        ("deduplicated", false.into()),
        ("validity", validity(stage)),
        ("diagnostic", diagnostic),
        ("current_context", unavailable_context()),
    ];
    members.into_iter().chain(correlation(request)).collect()
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
pub(crate) fn correlation(request: &Value) -> Option<Member> {
    let id = request.get("correlation_id")?.as_str()?;
    let fits = (1..=128).contains(&id.len()) && id.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    fits.then(|| ("correlation_id", id.into()))
}

/// Warnings, as many as are told: the row is kept by now, and its answer has to fit.
pub(crate) fn warned(warnings: &[Value], most: usize) -> Vec<Member> {
    let shown = warnings.iter().take(most).cloned().collect();
    let omitted = warnings.len().saturating_sub(most);
    let mut members = vec![("warnings", Value::Array(shown))];
    if omitted > 0 {
        members.push(("omitted_warnings", number(omitted)));
    }
    members
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
