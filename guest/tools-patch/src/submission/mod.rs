//! Submissions: the locks, what the requests name, the decision, its rows, and only then what is looked for beside (P-082).
//!
//! [`settle`] is for all of them; here one submission about one target is answered. A bundle's answer is its tool's.

mod evidence;
mod facts;
mod look;
mod settle;
mod told;

use assay_patch::{
    Protocol,
    json::{self, Value},
    submit::{Unreachable, unlinked},
};

use crate::{
    answer::{Member, Stop, fits, fitted},
    ask::{Ask, uuid},
    ports::Ports,
};
pub(crate) use evidence::{Evidence, most_that};
pub(crate) use facts::entries;
pub(crate) use look::locked;
pub(crate) use settle::{Decided, Item, Outcome, Settled, settle};
pub(crate) use told::{correlation, current, decided, nearest, validity, warned, without_target};

/// The most bytes of an answer's evidence (PG-25, E-37).
pub(crate) const EVIDENCE_BYTES: usize = 32_768;
/// The most warnings that an answer tells; the rows have all.
pub(crate) const MAX_WARNINGS: usize = 64;

/// Submits in one format.
pub(crate) fn call(ports: Ports<'_>, ask: &Ask, room: usize, protocol: Protocol) -> Result<String, Stop> {
    let request = ask.whole();
    let unreached = |why| {
        let members = without_target(request, unlinked(protocol, why));
        Ok(fitted(json::object(members), room)?)
    };
    let Some(target) = request.get("target_file_id").and_then(Value::as_str).and_then(uuid) else {
        return unreached(Unreachable::Malformed);
    };
    match settle(ports, &[Item { target, protocol, request }], None)? {
        Settled::Absent(_) => unreached(Unreachable::Absent),
        Settled::Outcomes(outcomes) => match outcomes.into_iter().next() {
            Some(Outcome::Decided(decided)) => answer(&decided, request, room),
            // It has nothing to be kept back by.
            Some(Outcome::NotCommitted(_)) | None => Err(Stop::not_found("outcome")),
        },
    }
}

fn answer(outcome: &Decided, request: &Value, room: usize) -> Result<String, Stop> {
    let mut members = decided(outcome, MAX_WARNINGS);
    members.push(("deduplicated", outcome.is_recovered.into()));
    members.extend(correlation(request));
    if outcome.facts.accepted {
        return Evidence::of(&outcome.changes).fitted(members, room.min(EVIDENCE_BYTES));
    }
    rejection(members, room)
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
