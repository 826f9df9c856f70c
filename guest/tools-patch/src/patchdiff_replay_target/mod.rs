//! `patchdiff_replay_target`: whether history makes the stored text (P-124 to P-138). It reports, and repairs nothing.

use assay_patch::json;

use crate::{
    answer::{Stop, fitted},
    ask::Ask,
    ports::Ports,
    replaying::{self, Replayed},
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id"])?;
    let id = ask.target()?;
    // Under the lock, so that history and text are of one moment (P-124).
    let mut session = ports.documents.begin()?;
    let target = session.lock(&id)?.ok_or_else(|| Stop::not_found("target"))?;
    let Replayed { checks, version, applied, sha256, .. } = replaying::of(session.as_mut(), &target, None)?;
    let own = [
        ("status", "success".into()),
        ("replayed_version", version.into()),
        ("replayed_transactions", applied.into()),
        ("reconstructed_hash", sha256.as_str().into()),
        ("materialized_state_matches", checks.all().into()),
        (
            "materialized_state_checks",
            json::object([
                ("content_matches", checks.content_matches.into()),
                ("stored_hash_matches", checks.stored_hash_matches.into()),
                ("recomputed_hash_matches", checks.recomputed_hash_matches.into()),
                ("version_matches", checks.version_matches.into()),
            ]),
        ),
    ];
    // The first member is the target's own status, which this replaces.
    Ok(fitted(json::object(target.members().into_iter().chain(own)), room)?)
}
