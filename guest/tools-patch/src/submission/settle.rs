//! What becomes of submissions that are committed together: the locks, what the requests name, the decision, its rows.
//!
//! One submission is a bundle of one. No target is here twice.

use std::collections::{BTreeMap, BTreeSet};

use assay_envelope::Refusal;
use assay_patch::{
    Protocol, Sha256Hex,
    apply::Context,
    json::Value,
    submit::{Acceptance, Joint, Missed, Rejection, Verdict, context_value, judge, together},
};

use super::{
    facts::{accepted_facts, entries, rejected_facts, state},
    look::Looked,
    told::nearest,
};
use crate::{
    answer::Stop,
    ports::{AttemptFacts, EntryFacts, Ports, Session, Target},
};

/// One of them.
pub(crate) struct Item<'a> {
    /// The target's id, in its one spelling.
    pub(crate) target: String,
    /// The format.
    pub(crate) protocol: Protocol,
    /// What is submitted.
    pub(crate) request: &'a Value,
}

/// What became of them.
pub(crate) enum Settled {
    /// There is no target of that item's, so nothing was looked at and nothing stored (P-080).
    Absent(usize),
    /// Each item's outcome, in the order of the items.
    Outcomes(Vec<Outcome>),
}

/// What became of one.
pub(crate) enum Outcome {
    /// A row tells it.
    Decided(Box<Decided>),
    /// Nothing was found against it, and nothing done: another of its bundle failed. There is no row of it.
    NotCommitted(Now),
}

/// What was decided, as its row has it, and what the target is now.
pub(crate) struct Decided {
    pub(crate) facts: AttemptFacts,
    pub(crate) pdcp_log_id: String,
    pub(crate) changes: Vec<EntryFacts>,
    pub(crate) is_recovered: bool,
    pub(crate) now: Now,
    /// What was looked for beside, once the locks were gone.
    pub(crate) near_misses: Option<Value>,
}

/// What a target is by now, as answers tell it.
pub(crate) struct Now {
    pub(crate) id: String,
    pub(crate) version: u64,
    pub(crate) current_hash: String,
    /// The beginning of its text (P-088).
    pub(crate) context: Value,
}

/// A target under its lock, and what its item names.
struct Held {
    looked: Looked,
    now: Now,
}

type Opened = Box<dyn Session>;
type Settling<T> = Result<T, Stop>;

/// Decides and stores. `bundle` tells the bundle from others, where it is one.
pub(crate) fn settle(ports: Ports<'_>, items: &[Item<'_>], bundle: Option<&Sha256Hex>) -> Settling<Settled> {
    let mut session = ports.documents.begin()?;
    let targets = match locked(session.as_mut(), items)? {
        Ok(targets) => targets,
        Err(absent) => return Ok(Settled::Absent(absent)),
    };
    let mut all = Vec::with_capacity(items.len());
    for (target, item) in targets.into_iter().zip(items) {
        all.push(Held { looked: Looked::up(session.as_mut(), &target, item.request)?, now: Now::of(&target) });
    }
    let verdicts = all.iter().zip(items).map(|(Held { looked, .. }, item)| {
        judge(&looked.locked, &looked.submission(item.protocol, item.request, bundle))
    });
    let joint = match together(verdicts.collect()) {
        Joint::Accepted(acceptances) => looked_at_again(session.as_mut(), &mut all, acceptances)?,
        decided => decided,
    };
    let now = all.into_iter().map(|held| held.now);
    let outcomes = match joint {
        Joint::Recovered(ids) => recovered(session, now.zip(ids))?,
        Joint::Rejected(rejections) => rejected(session, now.zip(rejections))?,
        Joint::Accepted(acceptances) => accepted(session, now.zip(acceptances))?,
    };
    Ok(Settled::Outcomes(outcomes))
}

/// The targets in the order of the items, or the first item that has none. The locks are taken in the order of the ids, so
/// that no two bundles wait for each other.
fn locked(session: &mut dyn Session, items: &[Item<'_>]) -> Settling<Result<Vec<Target>, usize>> {
    let ids: BTreeSet<&str> = items.iter().map(|item| item.target.as_str()).collect();
    let mut targets = BTreeMap::new();
    for id in ids {
        targets.extend(session.lock(id)?.map(|target| (id, target)));
    }
    Ok(items.iter().enumerate().map(|(at, item)| targets.remove(item.target.as_str()).ok_or(at)).collect())
}

/// P-068: the second look, at what is stored by now, before anything is written.
fn looked_at_again(session: &mut dyn Session, all: &mut [Held], acceptances: Vec<Acceptance>) -> Settling<Joint> {
    let mut verdicts = Vec::with_capacity(acceptances.len());
    for (held, acceptance) in all.iter_mut().zip(acceptances) {
        let locked = &held.looked.locked;
        let target = session.lock(&locked.id)?.ok_or_else(|| Stop::not_found("target"))?;
        let verdict = Box::new(acceptance).at_commit(locked, target.state.version, &target.state.current_hash);
        if matches!(verdict, Verdict::Rejected(_)) {
            held.now = Now::of(&target);
        }
        verdicts.push(verdict);
    }
    Ok(together(verdicts))
}

/// P-116: the outcomes as they were recorded, whatever the targets are by now.
fn recovered(mut session: Opened, items: impl Iterator<Item = (Now, Option<String>)>) -> Settling<Vec<Outcome>> {
    let (mut outcomes, mut is_whole, mut is_rejected) = (Vec::new(), true, false);
    for (now, id) in items {
        let Some(id) = id else {
            is_whole = false;
            outcomes.push(Outcome::NotCommitted(now));
            continue;
        };
        let attempt = session.attempt(&now.id, &id, false)?.ok_or_else(|| Stop::not_found("attempt"))?;
        let changes = session.ledger_of(&id)?.into_iter().map(|entry| entry.facts).collect();
        is_rejected |= !attempt.facts.accepted;
        let (facts, pdcp_log_id) = (attempt.facts, attempt.id);
        outcomes.push(decided(Decided { facts, pdcp_log_id, changes, is_recovered: true, now, near_misses: None }));
    }
    if is_whole || is_rejected {
        return Ok(outcomes);
    }
    // No commit leaves that behind.
    Err(Refusal::new("storage_failed", "The history has a part of this bundle alone: rows of it were removed.").into())
}

fn rejected(mut session: Opened, items: impl Iterator<Item = (Now, Option<Box<Rejection>>)>) -> Settling<Vec<Outcome>> {
    let mut rows = Vec::new();
    for (now, rejection) in items {
        let Some(rejection) = rejection else {
            rows.push((now, None));
            continue;
        };
        let facts = rejected_facts(&now.id, &rejection);
        let Rejection { row, missed, .. } = *rejection;
        let appended = session.append(facts.clone(), row.pdcp_content, Vec::new(), None)?;
        rows.push((now, Some((facts, appended.id, missed))));
    }
    session.commit()?;
    let outcomes = rows.into_iter().map(|(now, row)| {
        let Some((facts, pdcp_log_id, missed)) = row else { return Outcome::NotCommitted(now) };
        // P-092: only once the locks are gone.
        let near_misses = missed.map(|Missed { text, buffer }| nearest(&text, &buffer));
        decided(Decided { facts, pdcp_log_id, changes: Vec::new(), is_recovered: false, now, near_misses })
    });
    Ok(outcomes.collect())
}

fn accepted(mut session: Opened, items: impl Iterator<Item = (Now, Acceptance)>) -> Settling<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for (now, acceptance) in items {
        let (facts, changes) = (accepted_facts(&now.id, &acceptance), entries(&acceptance));
        let Acceptance { row, state: new, .. } = acceptance;
        let now = Now { version: new.version, current_hash: new.current_hash.to_string(), ..now };
        let appended = session.append(facts.clone(), row.pdcp_content, changes.clone(), Some(state(new)))?;
        let pdcp_log_id = appended.id;
        outcomes.push(decided(Decided { facts, pdcp_log_id, changes, is_recovered: false, now, near_misses: None }));
    }
    session.commit()?;
    Ok(outcomes)
}

fn decided(decided: Decided) -> Outcome {
    Outcome::Decided(Box::new(decided))
}

impl Now {
    fn of(target: &Target) -> Self {
        Self {
            id: target.id.clone(),
            version: target.state.version,
            current_hash: target.state.current_hash.clone(),
            context: context_value(&Context::around(&target.state.content, None)),
        }
    }
}
