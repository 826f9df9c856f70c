//! `patchdiff_restore_target`: an earlier version's text, brought back as one more guarded transaction.

use assay_patch::{
    Protocol,
    json::{Text, Value},
};

use crate::{
    answer::Stop,
    ask::Ask,
    ports::Ports,
    replaying::{self, Replayed},
    submission, targets,
};

const TAKES: [&str; 10] = [
    "target_file_id",
    "to_version",
    "intent",
    "expected_target_version",
    "expected_current_hash",
    "source",
    "parent_pdcp_log_id",
    "attempt",
    "client_request_id",
    "correlation_id",
];

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&TAKES)?;
    let version = ask.optional_number("to_version", 0)?;
    let version = version.ok_or_else(|| Stop::invalid("`to_version` is missing: the version to bring back"))?;
    let target = targets::read(ports, &ask)?;
    // History never changes, so what a version was can be read before the lock is taken.
    let mut view = ports.documents.view()?;
    let Replayed { version: reached, text, .. } = replaying::of(view.as_mut(), &target, Some(version))?;
    drop(view);
    if reached != version {
        return Err(Stop::invalid(format!("there is no version {version}: the target has version {}", target.state.version)));
    }
    let mut request = ask.whole().clone();
    if let Value::Object(members) = &mut request {
        members.remove("to_version".as_bytes());
        members.insert(Text::from("replacement"), text.into());
        if ask.given("intent").is_none() {
            members.insert(Text::from("intent"), format!("Restore version {version}").into());
        }
    }
    submission::call(ports, &Ask::of(request), room, Protocol::Tx3)
}
