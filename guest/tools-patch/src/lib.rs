//! Component: guarded text editing. Exact, transactional, with a history that replays.
//!
//! What an edit means is decided in `assay-patch`; here a tool reads its arguments, takes a lock where it changes something,
//! and stores and answers what was decided. A tool is a folder and one word in the list below.

mod answer;
mod ask;

#[cfg(target_family = "wasm")]
mod component;
mod history;
pub mod ports;
mod replaying;
#[cfg(not(target_family = "wasm"))]
mod rows;
mod scoped;
mod submission;
mod targets;

use assay_envelope::{Refusal, ToolSpec};

use crate::{answer::Stop, ask::Ask, ports::Ports};

/// A tool of this component.
pub struct Tool {
    /// As it is called.
    pub name: &'static str,
    spec: &'static str,
    call: fn(Ports<'_>, Ask, usize) -> Result<String, Stop>,
}

macro_rules! tools {
    ($($name:ident)*) => {
        $(mod $name;)*

        /// Every tool of this component, in the order of their names.
        pub const TOOLS: &[Tool] = &[$(Tool {
            name: stringify!($name),
            spec: include_str!(concat!(stringify!($name), "/tool.json")),
            call: $name::call,
        }),*];
    };
}

tools! {
    patchdiff_export_target
    patchdiff_find_occurrences
    patchdiff_get_manifest_ledger
    patchdiff_get_pdcp_log
    patchdiff_initialize_target
    patchdiff_list_scopes
    patchdiff_observe_scopes
    patchdiff_preview
    patchdiff_read_lines
    patchdiff_read_target
    patchdiff_replay_target
    patchdiff_restore_target
    patchdiff_save
    patchdiff_submit_bundle
    patchdiff_submit_edits
    patchdiff_submit_observed_batch
    patchdiff_submit_operations
    patchdiff_submit_replacement
}

impl Tool {
    /// How it describes itself.
    #[must_use]
    pub fn spec(&self) -> ToolSpec<'static> {
        ToolSpec::compiled_in(self.spec)
    }

    /// Answers one call. `arguments` is a JSON object; the answer takes at most `room` bytes inside a JSON string.
    ///
    /// # Errors
    /// A refusal: the call was none, or the infrastructure failed. What is wrong with an edit is an answer.
    pub fn call(&self, ports: Ports<'_>, arguments: &str, room: usize) -> Result<String, Refusal> {
        let ask = Ask::read(arguments)?;
        match (self.call)(ports, ask, room) {
            Ok(answer) => Ok(answer),
            Err(stop) => stop.told(room),
        }
    }
}

/// The tool of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
