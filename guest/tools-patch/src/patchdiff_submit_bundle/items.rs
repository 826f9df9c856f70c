//! A bundle's items: each an ordinary submission, with what the bundle says for all of them.
//!
//! What is wrong here has no target that a row could belong to (P-075, P-080). What is wrong within an item is left to
//! those who judge it, and has its row.

use std::collections::BTreeSet;

use assay_patch::{
    Protocol,
    json::{Text, Value},
    submit::{Unlinked, Unreachable, no_bundle, unlinked},
};

use crate::ask::uuid;

/// The most items; as many as a batch has groups.
const MAX_ITEMS: usize = 16;
/// What a bundle says for all its items. A correlation id is about the call.
const SHARED: [&str; 3] = ["intent", "source", "client_request_id"];
const CORRELATION: &str = "correlation_id";
const ITEMS: &str = "items";

/// A bundle, no target of which is there twice.
pub(super) struct Bundle {
    pub(super) items: Vec<Submitted>,
}

/// One item.
pub(super) struct Submitted {
    /// In its one spelling.
    pub(super) target: String,
    pub(super) protocol: Protocol,
    /// As its own tool would be given it.
    pub(super) request: Value,
}

/// Why it is none, and which item it is about.
pub(super) struct Fault {
    pub(super) at: Option<usize>,
    pub(super) unlinked: Unlinked,
}

impl Bundle {
    /// Takes the items out of a request; what else it has stays there.
    pub(super) fn taken_from(request: &mut Value) -> Result<Self, Fault> {
        let none = |detail: &str| Fault { at: None, unlinked: no_bundle(detail.to_owned()) };
        let Value::Object(members) = request else { return Err(none("a bundle is an object")) };
        let is_known = |key: &Text| key.as_str().is_some_and(|key| [ITEMS, CORRELATION].contains(&key) || SHARED.contains(&key));
        if !members.keys().all(is_known) {
            return Err(none(
                "the bundle has a member that it does not take; it takes items, intent, source, client_request_id, \
                 correlation_id, and whatever is about one target stands in its item",
            ));
        }
        let Some(Value::Array(given)) = members.remove(ITEMS.as_bytes()) else {
            return Err(none("items of the bundle is an array, and has to be given"));
        };
        if !(1..=MAX_ITEMS).contains(&given.len()) {
            return Err(none("items of the bundle is an array of 1 to 16 items"));
        }
        let shared: Vec<(&str, &Value)> =
            SHARED.iter().filter_map(|name| Some((*name, members.get(name.as_bytes())?))).collect();
        let mut items = Vec::with_capacity(given.len());
        let mut met = BTreeSet::new();
        for (at, item) in given.into_iter().enumerate() {
            let fault = |unlinked| Fault { at: Some(at), unlinked };
            let item = Submitted::read(item, at, &shared).map_err(fault)?;
            if !met.insert(item.target.clone()) {
                let detail = format!("items[{at}] is about the target of an earlier one: each target has one item");
                return Err(fault(no_bundle(detail)));
            }
            items.push(item);
        }
        Ok(Self { items })
    }
}

impl Submitted {
    fn read(item: Value, at: usize, shared: &[(&str, &Value)]) -> Result<Self, Unlinked> {
        let Value::Object(mut members) = item else { return Err(no_bundle(format!("items[{at}] is an object"))) };
        for name in SHARED.into_iter().chain([CORRELATION]) {
            if members.contains_key(name.as_bytes()) {
                return Err(no_bundle(format!("{name} is the bundle's: leave it out of items[{at}]")));
            }
        }
        let format = members.get("format".as_bytes()).and_then(Value::as_str);
        let Some(protocol) = Protocol::ALL.into_iter().find(|protocol| format == Some(protocol.name())) else {
            let known = Protocol::ALL.map(Protocol::name).join(", ");
            return Err(no_bundle(format!("format of items[{at}] is one of {known}")));
        };
        let Some(target) = members.get("target_file_id".as_bytes()).and_then(Value::as_str).and_then(uuid) else {
            return Err(unlinked(protocol, Unreachable::Malformed));
        };
        // The bundle is told from others by what its items are, and an id has two spellings.
        members.insert(Text::from("target_file_id"), target.as_str().into());
        members.extend(shared.iter().map(|(name, value)| (Text::from(*name), (*value).clone())));
        Ok(Self { target, protocol, request: Value::Object(members) })
    }
}
