//! A bundle's answer: one status for all, each item's outcome in the order of the items, within one bound (PG-25).
//!
//! It is given once all is stored, so it has to fit: what there is no room for is left out, the longest first and of the last
//! item first, until nothing is left but which rows there are.

use std::collections::BTreeSet;

use assay_patch::{
    Stage,
    json::{self, Value},
};

use crate::{
    answer::{Member, Stop, fits, fitted, number},
    submission::{
        Decided, EVIDENCE_BYTES, Evidence, MAX_WARNINGS, Outcome, correlation, current, decided, most_that, validity,
    },
};

/// What is left out of items, in this order. What stays is the target, the status, the row and the reason.
const LEFT_OUT: [&str; 16] = [
    "near_misses",
    "current_context",
    "diagnostic",
    "evidence",
    "warnings",
    "omitted_warnings",
    "validity",
    "failure_detail",
    "before_hash",
    "after_hash",
    "current_hash",
    "failed_change_id",
    "before_version",
    "after_version",
    "version",
    "current_version",
];

pub(super) fn of(outcomes: &[Outcome], request: &Value, room: usize) -> Result<String, Stop> {
    let room = room.min(EVIDENCE_BYTES);
    let head: Vec<Member> = head(outcomes).into_iter().chain(correlation(request)).collect();
    let warnings = MAX_WARNINGS / outcomes.len().max(1);
    let evidence: Vec<Option<Evidence>> = outcomes.iter().map(evidence).collect();
    let items = |most: usize| {
        let items = outcomes.iter().zip(&evidence).map(|(outcome, evidence)| {
            let evidence = evidence.as_ref().map(|evidence| ("evidence", evidence.value(most)));
            item(outcome, warnings).into_iter().chain(evidence).collect()
        });
        items.collect::<Vec<Vec<Member>>>()
    };
    let longest = evidence.iter().flatten().map(Evidence::len).max().unwrap_or_default();
    let shown = most_that(longest, |most| fits(&answer(&head, &items(most), &BTreeSet::new()), room));
    let mut items = items(shown);
    let mut omitted = BTreeSet::new();
    let each = LEFT_OUT.into_iter().flat_map(|name| (0..outcomes.len()).rev().map(move |at| (name, at)));
    for (name, at) in each {
        if fits(&answer(&head, &items, &omitted), room) {
            break;
        }
        let Some(item) = items.get_mut(at) else { continue };
        let before = item.len();
        item.retain(|(own, _)| *own != name);
        if item.len() < before {
            omitted.insert(name);
        }
    }
    let whole = answer(&head, &items, &omitted);
    if fits(&whole, room) {
        return Ok(fitted(whole, room)?);
    }
    let least = head.into_iter().filter(|(name, _)| matches!(*name, "status" | "deduplicated" | "failure_reason"));
    let omitted = ("omitted", Value::Array(vec!["items".into()]));
    Ok(fitted(json::object(least.chain([omitted])), room)?)
}

/// What is told of the bundle. It failed as the first of its items did.
fn head(outcomes: &[Outcome]) -> Vec<Member> {
    let all = || outcomes.iter().enumerate().filter_map(|(at, outcome)| Some((at, row(outcome)?)));
    let is_recovered = all().any(|(_, decided)| decided.is_recovered);
    let failed = all().find(|(_, decided)| !decided.facts.accepted);
    let mut members: Vec<Member> = vec![("deduplicated", is_recovered.into())];
    let Some((at, decided)) = failed else {
        members.extend([("status", "accepted".into()), ("validity", validity(Stage::Accepted))]);
        return members;
    };
    let facts = &decided.facts;
    members.extend([
        ("status", "rejected".into()),
        ("validity", Stage::of(&facts.validation_stage).map_or(Value::Null, validity)),
        ("failed_item", number(at)),
        ("failure_reason", facts.failure_reason.as_deref().into()),
        ("failure_detail", facts.failure_detail.as_deref().into()),
    ]);
    members
}

fn item(outcome: &Outcome, warnings: usize) -> Vec<Member> {
    match outcome {
        Outcome::Decided(outcome) => decided(outcome, warnings),
        Outcome::NotCommitted(now) => {
            let own = [("status", "not_committed".into()), ("pdcp_log_id", Value::Null)];
            own.into_iter().chain(current(now)).collect()
        }
    }
}

fn evidence(outcome: &Outcome) -> Option<Evidence> {
    let decided = row(outcome).filter(|decided| decided.facts.accepted)?;
    Some(Evidence::of(&decided.changes))
}

fn row(outcome: &Outcome) -> Option<&Decided> {
    match outcome {
        Outcome::Decided(decided) => Some(decided),
        Outcome::NotCommitted(_) => None,
    }
}

fn answer(head: &[Member], items: &[Vec<Member>], omitted: &BTreeSet<&str>) -> Value {
    let items = items.iter().map(|members| json::object(members.iter().cloned())).collect();
    let names = || omitted.iter().map(|name| Value::from(*name)).collect();
    let omitted = (!omitted.is_empty()).then(|| ("omitted", Value::Array(names())));
    json::object(head.iter().cloned().chain([("items", Value::Array(items))]).chain(omitted))
}
