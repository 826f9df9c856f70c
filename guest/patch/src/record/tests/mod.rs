//! Records of every format, by tables of what is taken and what is not.

mod edits;
mod hostile;
mod identity;
mod operations;
mod replacement;

use super::*;
use crate::json;

/// Why a record is none, with the change that it is about.
type Refused = (Reason, Option<String>);

fn profile(protocol: Protocol, version: &str) -> Profile {
    Profile::of(protocol.name(), &format!("patchdiff-mvp-{version}")).expect("it is known")
}

fn tx1() -> Profile {
    profile(Protocol::Tx1, "0.2.2")
}

fn value(text: &str) -> Value {
    json::read(text).expect("it is JSON")
}

fn read(record: &str, profile: &Profile) -> Result<Vec<Operation>, Refused> {
    let read = Transaction::read(&value(record), profile);
    read.map(|transaction| transaction.operations).map_err(|invalid| (invalid.reason, invalid.change_id))
}

/// A record whose list of that name has these items.
fn record(list: &str, items: &str) -> String {
    format!(r#"{{"intent":"why","{list}":[{items}]}}"#)
}

/// One refusal, about no change that is known.
fn refused(reason: Reason) -> Result<Vec<Operation>, Refused> {
    Err((reason, None))
}

/// One refusal, about the first change.
fn refused_first(reason: Reason) -> Result<Vec<Operation>, Refused> {
    Err((reason, Some("chg_001".to_owned())))
}
