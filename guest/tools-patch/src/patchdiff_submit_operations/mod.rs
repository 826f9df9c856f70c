//! `patchdiff_submit_operations`: one transaction of its format, all of it or nothing.

use assay_patch::Protocol;

use crate::{answer::Stop, ask::Ask, ports::Ports, submission};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    submission::call(ports, &ask, room, Protocol::Tx2)
}
