//! The ports natively: what the functions that a component imports do here.
//!
//! Generated from `wit/`, so that a component's world and what the host offers cannot drift apart. The engine links
//! exactly what a world names; each port looks up every handle that it is given.

mod documents;
mod objects;
mod origin_lists;
mod origin_read;
mod origin_write;
mod reading;
#[cfg(test)]
mod tests;
mod workspace;

pub(crate) use self::bindings::{
    EveryPort, EveryPortPre,
    exports::assay::ports::tools::{Failure as ToolFailure, Tool},
};
pub(crate) use self::{documents::Own, origin_read::OPEN_REQUESTS, reading::PAUSES};

/// Generated: the world `every-port` as the host sees it.
#[allow(missing_docs, unreachable_pub, clippy::all, reason = "generated")]
mod bindings {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "every-port",
        imports: {
            "assay:ports/documents": async | trappable,
            "assay:ports/workspace.read": async | trappable,
            "assay:ports/workspace.publish": async | trappable,
            "assay:ports/objects.put": async | trappable,
            "assay:ports/objects.[method]draft.write": async | trappable,
            "assay:ports/objects.[method]draft.annotate": async | trappable,
            "assay:ports/objects.[method]draft.keep": async | trappable,
            "assay:ports/objects.[method]diff.read": async | trappable,
            "assay:ports/objects.[method]diff.read-annotations": async | trappable,
            "assay:ports/reading.take-turn": async | trappable,
            "assay:ports/reading.pause": async | trappable,
            "assay:ports/origin-read.[method]pending.wait": async | trappable,
            "assay:ports/origin-read.[method]answer.read": async | trappable,
            "assay:ports/origin-lists.shows": async | trappable,
            "assay:ports/origin-write.send": async | trappable,
            default: trappable,
        },
        exports: { default: async },
        with: {
            "assay:ports/callers.caller": crate::ports::CallerHandle,
            "assay:ports/documents.session": crate::ports::documents::Session,
            "assay:ports/objects.draft": crate::ports::objects::Draft,
            "assay:ports/objects.diff": crate::ports::objects::Diff,
            "assay:ports/reading.turn": crate::ports::reading::Turn,
            "assay:ports/origin-read.pending": crate::ports::origin_read::Pending,
            "assay:ports/origin-read.answer": crate::ports::origin_read::Open,
        },
    });
}

use std::sync::Arc;

use wasmtime::component::Resource;

use self::bindings::assay::ports::callers;
use crate::{caller::Caller, engine::State};

/// What a component holds of a caller: nothing that it could read.
#[allow(unreachable_pub, reason = "the bindings re-export it")]
pub struct CallerHandle(pub(crate) Arc<Caller>);

impl callers::Host for State {}

impl callers::HostCaller for State {
    fn drop(&mut self, caller: Resource<CallerHandle>) -> wasmtime::Result<()> {
        self.table.delete(caller)?;
        Ok(())
    }
}
