//! `patchdiff-tx/1`: exact matches (P-032 to P-048).

use super::{
    Action, Invalid, Selectors, Transaction, envelope,
    members::Members,
    selectors::{Changes, DESCRIBING, SELECTING},
};
use crate::{Profile, json::Value};

pub(super) fn read(record: &Value, profile: &Profile) -> Result<Transaction, Invalid> {
    let (members, intent) = envelope::open(record, &["edits"], profile)?;
    let mut changes = Changes::new(profile);
    for (at, edit) in members.items("edits")?.iter().enumerate() {
        read_match(edit, &format!("edits[{at}]"), &[], &mut changes)?;
    }
    Ok(Transaction { intent, operations: changes.into_operations() })
}

/// One replacement of an occurrence; `more` are members it has besides.
pub(super) fn read_match(edit: &Value, name: &str, more: &[&str], changes: &mut Changes<'_>) -> Result<(), Invalid> {
    let known: Vec<&str> =
        ["match", "replace"].into_iter().chain(SELECTING).chain(DESCRIBING).chain(more.iter().copied()).collect();
    let members = Members::of_item(edit, name, &known)?;
    changes.add(members, || {
        Ok(Action::Match {
            text: members.filled("match")?.to_owned(),
            replace: members.string("replace")?.to_owned(),
            selectors: Selectors::read(members)?,
        })
    })
}
