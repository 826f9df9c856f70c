//! `patchdiff_submit_bundle`: submissions about several targets in one database transaction, all of them or none.
//!
//! Each item is a submission of its own format with its own row, as its own tool would make it, but for its fingerprint: that
//! is of the bundle too, so one key is for one bundle, and for none of its parts.

mod answer;
mod items;

use assay_patch::{
    json,
    submit::{Unreachable, bundle_print, unlinked},
};

use crate::{
    answer::{Stop, fitted, number},
    ask::Ask,
    ports::Ports,
    submission::{Item, Settled, settle, without_target},
};
use items::{Bundle, Fault};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    let mut request = ask.into_whole();
    let Bundle { items } = match Bundle::taken_from(&mut request) {
        Ok(bundle) => bundle,
        Err(Fault { at, unlinked }) => {
            let members = without_target(&request, unlinked);
            let members = members.into_iter().chain(at.map(|at| ("failed_item", number(at))));
            return Ok(fitted(json::object(members), room)?);
        }
    };
    let print = bundle_print(items.iter().map(|item| (&*item.target, item.protocol, &item.request)));
    let submitted: Vec<Item<'_>> = items
        .iter()
        .map(|item| Item { target: item.target.clone(), protocol: item.protocol, request: &item.request })
        .collect();
    match settle(ports, &submitted, Some(&print))? {
        Settled::Outcomes(outcomes) => answer::of(&outcomes, &request, room),
        Settled::Absent(at) => {
            let protocol = items.get(at).map(|item| item.protocol).ok_or_else(|| Stop::not_found("target"))?;
            let members = without_target(&request, unlinked(protocol, Unreachable::Absent));
            let members = members.into_iter().chain([("failed_item", number(at))]);
            Ok(fitted(json::object(members), room)?)
        }
    }
}
