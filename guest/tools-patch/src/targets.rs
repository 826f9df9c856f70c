//! A target as tools read it.

use assay_patch::text::Positions;

use crate::{
    answer::{Member, Stop},
    ask::Ask,
    ports::{Ports, Target},
};

/// The target that a call names, without a lock (P-099).
pub(crate) fn read(ports: Ports<'_>, ask: &Ask) -> Result<Target, Stop> {
    let id = ask.target()?;
    ports.documents.view()?.target(&id)?.ok_or_else(|| Stop::not_found("target"))
}

impl Target {
    /// What every answer about it begins with.
    pub(crate) fn members(&self) -> [Member; 4] {
        [
            ("status", "ok".into()),
            ("target_file_id", self.id.as_str().into()),
            ("version", self.state.version.into()),
            ("current_hash", self.state.current_hash.as_str().into()),
        ]
    }

    pub(crate) fn positions(&self) -> Positions<'_> {
        Positions::of(&self.state.content)
    }
}
