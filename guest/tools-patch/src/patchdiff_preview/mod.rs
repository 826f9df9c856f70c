//! `patchdiff_preview`: what a submission would do to the text as it is, without a lock and without a row (P-098, P-099).
//!
//! It is judged as a submission is, so the two agree; what a submission has beside its edits is left out of it.

use assay_patch::{
    Protocol,
    json::{self, Text, Value},
    submit::{Acceptance, Missed, Parent, Rejection, Submission, Verdict, judge},
    text::{Positions, Span},
};

use crate::{
    answer::{Member, Stop, number},
    ask::Ask,
    ports::{Ports, Target},
    submission::{EVIDENCE_BYTES, Evidence, MAX_WARNINGS, entries, locked, nearest, rejection, validity, warned},
    targets,
};

/// What only matters once something is stored.
const BESIDE: [&str; 5] = ["source", "parent_pdcp_log_id", "attempt", "client_request_id", "correlation_id"];
/// Code points shown of a replaced text, and of what is around it.
const SHOWN: (usize, usize) = (400, 40);

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    let formats = [("edits", Protocol::Tx1), ("operations", Protocol::Tx2), ("replacement", Protocol::Tx3)];
    let given: Vec<Protocol> = formats.iter().filter(|(name, _)| ask.given(name).is_some()).map(|(_, p)| *p).collect();
    let [protocol] = given[..] else {
        return Err(Stop::invalid("give exactly one of `edits`, `operations` and `replacement`"));
    };
    let target = targets::read(ports, &ask)?;
    let request = request(&ask, &target);
    let (keyed, parent, observed, bundle) = (None, Parent::None, None, None);
    let submission = Submission { protocol, request: &request, keyed, parent, observed, bundle };
    let verdict = judge(&locked(&target), &submission);
    let room = room.min(EVIDENCE_BYTES);
    match verdict {
        Verdict::Accepted(acceptance) => shown(&target, &acceptance, room),
        Verdict::Rejected(rejected) => refused(&target, *rejected, room),
        // No key was looked up.
        Verdict::Recovered(_) => Err(Stop::not_found("attempt")),
    }
}

/// As it would be submitted. Without a guard it is about the text as it is.
fn request(ask: &Ask, target: &Target) -> Value {
    let mut request = ask.whole().clone();
    if let Value::Object(members) = &mut request {
        for name in BESIDE {
            members.remove(name.as_bytes());
        }
        // What is null is not there: another format's member, a guard, what a replacement alone has.
        members.retain(|_, value| !value.is_null());
        members.entry(Text::from("intent")).or_insert_with(|| "preview".into());
        if ask.given("expected_target_version").is_none() && ask.given("expected_current_hash").is_none() {
            members.insert(Text::from("expected_target_version"), target.state.version.into());
        }
    }
    request
}

fn refused(target: &Target, rejected: Rejection, room: usize) -> Result<String, Stop> {
    let Rejection { stage, reason, detail, failed_change_id, diagnostic, missed, .. } = rejected;
    let mut members: Vec<Member> = target.members().into();
    members.extend([
        ("status", "rejected".into()),
        ("validity", validity(stage)),
        ("failure_reason", reason.name().into()),
        ("failure_detail", detail.into()),
        ("failed_change_id", failed_change_id.into()),
        ("diagnostic", diagnostic),
    ]);
    members.extend(missed.map(|Missed { text, buffer }| ("near_misses", nearest(&text, &buffer))));
    rejection(members, room)
}

/// The outcome, with as many changes as have room.
fn shown(target: &Target, acceptance: &Acceptance, room: usize) -> Result<String, Stop> {
    let text = &acceptance.state.text;
    let mut members: Vec<Member> = target.members().into();
    members.extend([
        ("after_version", acceptance.state.version.into()),
        ("after_hash", acceptance.state.current_hash.as_str().into()),
        ("after_chars", number(text.code_points())),
        ("first_difference", first_difference(target, text.as_str())),
    ]);
    if !acceptance.warnings.is_empty() {
        members.extend(warned(&acceptance.warnings, MAX_WARNINGS));
    }
    Evidence::of(&entries(acceptance)).fitted_without(members, &["first_difference"], room)
}

/// Where the two texts first differ, and what they say there.
fn first_difference(target: &Target, after: &str) -> Value {
    let before = target.state.content.as_str();
    if before == after {
        return Value::Null;
    }
    let at = before.chars().zip(after.chars()).take_while(|(one, other)| one == other).count();
    let start = at.saturating_sub(SHOWN.1);
    let part = |text: &str| -> Value {
        let positions = Positions::of(text);
        let end = (start + SHOWN.0).min(positions.len());
        positions.slice(Span { start: start.min(end), end }).into()
    };
    json::object([("start", number(start)), ("before", part(before)), ("after", part(after))])
}
