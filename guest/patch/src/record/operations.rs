//! `patchdiff-tx/2`: matches and spans in one order (P-049 to P-051, PG-09, PG-10).

use super::{
    Action, Invalid, Transaction,
    edits::read_match,
    envelope,
    members::{Members, block},
    selectors::{Changes, DESCRIBING},
};
use crate::{Profile, json::Value, text::Span};

/// The most code points of what is said to be beside a span.
const MAX_CONTEXT: usize = 400;
/// What a span may say of what is beside it.
const CONTEXT: [&str; 2] = ["expected_before", "expected_after"];

pub(super) fn read(record: &Value, profile: &Profile) -> Result<Transaction, Invalid> {
    let (members, intent) = envelope::open(record, &["operations"], profile)?;
    let mut changes = Changes::new(profile);
    read_list(members.items("operations")?, "operations", profile, &mut changes)?;
    Ok(Transaction { intent, operations: changes.into_operations() })
}

/// A list of operations, as a record or a group of a batch has one.
pub(super) fn read_list(
    list: &[Value],
    name: &str,
    profile: &Profile,
    changes: &mut Changes<'_>,
) -> Result<(), Invalid> {
    for (at, operation) in list.iter().enumerate() {
        let name = format!("{name}[{at}]");
        block(operation, &name)?;
        match op(operation) {
            Some("match") => read_match(operation, &name, &["op"], changes)?,
            Some("span") => read_span(operation, &name, profile, changes)?,
            _ => return Err(Invalid::manifest(format!("op of {name} is match or span"))),
        }
    }
    Ok(())
}

/// Whether a span says what is beside it (P-051). Null says nothing (PG-10).
pub(super) fn have_context(record: &Value) -> bool {
    let says = |operation: &Value| CONTEXT.iter().any(|key| operation.get(key).is_some_and(|value| !value.is_null()));
    let list = record.get("operations").and_then(Value::as_array).unwrap_or_default();
    list.iter().any(|operation| op(operation) == Some("span") && says(operation))
}

fn op(operation: &Value) -> Option<&str> {
    operation.get("op").and_then(Value::as_str)
}

fn read_span(operation: &Value, name: &str, profile: &Profile, changes: &mut Changes<'_>) -> Result<(), Invalid> {
    let own = ["op", "start", "end", "expected_text", "replace"];
    let known: Vec<&str> = own.into_iter().chain(CONTEXT).chain(DESCRIBING).collect();
    let members = Members::of(operation, name, &known)?;
    changes.add(members, || {
        let (start, end) = (members.offset("start")?, members.offset("end")?);
        if start > end {
            return Err(members.wrong("end", "not before its start"));
        }
        // What is past the counting of the machine is past the text, on every machine.
        let [start, end] = [start, end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        Ok(Action::Span {
            span: Span { start, end },
            expected: members.string("expected_text")?.to_owned(),
            replace: members.string("replace")?.to_owned(),
            before: beside(members, "expected_before", profile)?,
            after: beside(members, "expected_after", profile)?,
        })
    })
}

fn beside(members: Members<'_>, key: &str, profile: &Profile) -> Result<Option<String>, Invalid> {
    let Some(given) = members.given(key) else { return Ok(None) };
    if !profile.span_context {
        return Err(members.wrong(key, "null: this profile knows nothing of it"));
    }
    let text = given.as_str().filter(|text| (1..=MAX_CONTEXT).contains(&text.chars().count()));
    let text = text.ok_or_else(|| members.wrong(key, "a string of 1 to 400 code points, or null"))?;
    Ok(Some(text.to_owned()))
}
