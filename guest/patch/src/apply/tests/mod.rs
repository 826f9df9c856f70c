//! The applier, by tables of what happens, and beside a model that is simple and slow.

mod attacks;
mod batch;
mod changes;
mod endings;
mod failures;
mod model;
mod profiles;
mod properties;
mod reports;
mod selectors;
mod sizes;
mod spans;
mod warnings;

use super::*;
use crate::{Protocol, record::Selectors};

fn profile(protocol: Protocol, version: &str) -> Profile {
    Profile::of(protocol.name(), &format!("patchdiff-mvp-{version}")).expect("it is known")
}

/// The rules of submissions, which are those of every current profile.
fn current() -> Profile {
    profile(Protocol::Tx2, "0.5.0")
}

/// Operations, known by their numbers.
fn transaction(actions: impl IntoIterator<Item = Action>) -> Transaction {
    let operations = (1..).zip(actions).map(|(number, action)| Operation {
        change_id: format!("chg_{number:03}"),
        rationale: None,
        risk: None,
        action,
    });
    Transaction { intent: "test".into(), operations: operations.collect() }
}

/// A match, with no selector.
fn replace(text: &str, replace: &str) -> Action {
    select(text, replace, Selectors::default())
}

fn select(text: &str, replace: &str, selectors: Selectors) -> Action {
    Action::Match { text: text.into(), replace: replace.into(), selectors }
}

fn numbered(index: u64) -> Selectors {
    Selectors { occurrence_index: Some(index), ..Selectors::default() }
}

fn anchored(before: &str, after: &str) -> Selectors {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Selectors { occurrence_index: None, anchor_before: given(before), anchor_after: given(after) }
}

fn span(start: usize, end: usize, expected: &str, replace: &str) -> Action {
    beside(span_of(start, end), expected, replace, ["", ""])
}

fn beside(span: Span, expected: &str, replace: &str, [before, after]: [&str; 2]) -> Action {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Action::Span {
        span,
        expected: expected.into(),
        replace: replace.into(),
        before: given(before),
        after: given(after),
    }
}

fn span_of(start: usize, end: usize) -> Span {
    Span { start, end }
}

/// What comes of the actions, with warnings.
fn run(start: &str, actions: impl IntoIterator<Item = Action>) -> Result<Applied, Box<Failure>> {
    run_by(&current(), start, actions)
}

fn run_by(profile: &Profile, start: &str, actions: impl IntoIterator<Item = Action>) -> Result<Applied, Box<Failure>> {
    apply(&Canonical::of(start), &transaction(actions), profile, Extras { endings: None, warnings: true })
}

/// The new text, else the reason.
fn text(start: &str, actions: impl IntoIterator<Item = Action>) -> Result<String, Reason> {
    text_by(&current(), start, actions)
}

fn text_by(profile: &Profile, start: &str, actions: impl IntoIterator<Item = Action>) -> Result<String, Reason> {
    let applied = run_by(profile, start, actions);
    applied.map(|applied| applied.text.into_string()).map_err(|failure| failure.reason)
}

fn failure(start: &str, actions: impl IntoIterator<Item = Action>) -> Failure {
    *run(start, actions).expect_err("it does not apply")
}

fn is(text: &str) -> Result<String, Reason> {
    Ok(text.to_owned())
}
