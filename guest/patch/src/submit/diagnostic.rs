//! What is stored beside a rejection, and never changed: bounded, and about the text that failed (P-072, P-084 to P-091).

use super::{Row, row::number};
use crate::{
    Protocol, Reason, Stage,
    apply::{Context, Failure},
    json::{self, Part, Preview, Text, Unstorable, Value},
    record::Identity,
    text::{Positions, Span},
};

/// The most code points of a near miss's query (PG-22).
const MAX_QUERY: usize = 256;
/// The code points on either side of an exact candidate.
const BESIDE: usize = 40;

/// A member and its value.
pub type Member = (&'static str, Value);

/// A part of a text, as responses and rows have it.
#[must_use]
pub fn context_value(context: &Context<'_>) -> Value {
    json::object(context_members(context))
}

/// In place of a context, where there is no target to have one of (P-080).
#[must_use]
pub fn unavailable_context() -> Value {
    json::object([("source", "unavailable".into())])
}

/// What every rejection has (P-072). What is of no format says so.
pub(super) fn outcome(protocol: Option<Protocol>, stage: Stage, reason: Reason) -> Vec<Member> {
    vec![
        ("format", protocol.map(Protocol::name).into()),
        ("retryable", reason.is_retryable().into()),
        ("requires_new_submission", true.into()),
        ("validation_stage", stage.name().into()),
    ]
}

/// What every rejection of a target has: of the target, what it was when the transaction began (P-086).
pub(super) fn common(row: &Row, stage: Stage, reason: Reason) -> Vec<Member> {
    let mut members = outcome(Some(row.profile.protocol), stage, reason);
    members
        .extend([("observed_version", row.before_version.into()), ("observed_hash", row.before_hash.as_str().into())]);
    members
}

/// The beginning of a text that so many changes were made to.
pub(super) fn beginning(text: &str, prior_changes: usize) -> Value {
    labelled(&Context::around(text, None), prior_changes)
}

/// P-084, P-085, P-087, P-089, P-091.
#[must_use]
pub fn of_failure(failure: &Failure) -> Vec<Member> {
    let failing = &failure.failing;
    let mut members = vec![("failure_context", labelled(&failure.context(), failure.prior_changes))];
    if let Some(field) = failing.field {
        members.push(("field", field.into()));
    }
    if let Some(count) = failing.occurrence_count {
        members.push(("occurrence_count", number(count)));
    }
    if !failing.candidates.is_empty() {
        let positions = Positions::of(&failure.buffer);
        let candidates = failing.candidates.iter().map(|candidate| {
            let Span { start, end } = candidate.span;
            let slice = |start, end| positions.slice(Span { start, end }).unwrap_or_default();
            let after = (end + BESIDE).min(positions.len());
            json::object([
                ("occurrence_index", number(candidate.occurrence_index)),
                ("start", number(start)),
                ("end", number(end)),
                ("before", slice(start.saturating_sub(BESIDE), start).into()),
                ("after", slice(end, after).into()),
            ])
        });
        members.push(("exact_candidates", Value::Array(candidates.collect())));
    }
    if let Some(consumed) = &failing.consumed {
        let members_of = [
            ("change_id", consumed.change_id.as_str().into()),
            ("start", number(consumed.span.start)),
            ("end", number(consumed.span.end)),
        ];
        members.push(("consumed_by", json::object(members_of)));
    }
    if let Some(missed) = &failing.missed {
        let total = missed.chars().count();
        let text: String = missed.chars().take(MAX_QUERY).collect();
        let query =
            [("text", Value::from(&*text)), ("total_chars", number(total)), ("truncated", (total > MAX_QUERY).into())];
        members.push(("near_miss_query", json::object(query)));
    }
    members
}

/// What was given and could not go into its column (P-079).
pub(super) fn raw(request: &Value, identity: &Identity) -> Vec<Member> {
    [
        ("raw_expected_target_version", "expected_target_version", identity.expected_target_version.is_none()),
        ("raw_expected_current_hash", "expected_current_hash", identity.expected_current_hash.is_none()),
        ("raw_attempt", "attempt", identity.attempt.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, key, is_lost)| Some((name, raw_value(request.get(key).filter(|_| is_lost)?)?)))
    .collect()
}

/// A value as it was given, where it is short and can be stored; else the beginning of its JSON. Null was not given.
fn raw_value(given: &Value) -> Option<Value> {
    let spelled = given.ascii();
    let is_short = spelled.len() <= Preview::LIMIT;
    match given {
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) if is_short => Some(given.clone()),
        Value::String(text) if is_short && text.is_storable() => Some(given.clone()),
        _ => Some(preview_of(&Text::from(spelled))),
    }
}

/// The beginning of a text, or of the JSON of something else, safe to be stored (P-104, P-117).
pub(super) fn preview(value: &Value) -> Value {
    value.as_text().map_or_else(|| preview_of(&Text::from(value.ascii())), preview_of)
}

fn preview_of(text: &Text) -> Value {
    let Preview { text, truncated } = Preview::of(text);
    json::object([("text", text.as_str().into()), ("truncated", truncated.into())])
}

/// Where the texts are that no database stores (P-104).
pub(super) fn invalid_input(unstorable: &Unstorable) -> Member {
    let places = unstorable.places.iter().map(|place| {
        let part = match place.part {
            Part::Key => "key",
            Part::Value => "value",
        };
        json::object([
            ("path", place.path.text.as_str().into()),
            ("part", part.into()),
            ("preview", place.preview.text.as_str().into()),
            ("truncated", (place.path.truncated || place.preview.truncated).into()),
        ])
    });
    let members = [("count", number(unstorable.count)), ("places", Value::Array(places.collect()))];
    ("invalid_input", json::object(members))
}

fn labelled(context: &Context<'_>, prior_changes: usize) -> Value {
    let source = if prior_changes == 0 { "canonical_target" } else { "intermediate_buffer" };
    let own = [("source", source.into()), ("prior_changes", number(prior_changes))];
    json::object(context_members(context).into_iter().chain(own))
}

fn context_members(context: &Context<'_>) -> [Member; 4] {
    [
        ("start", number(context.span.start)),
        ("end", number(context.span.end)),
        ("text", context.text.into()),
        ("total_chars", number(context.total_chars)),
    ]
}
