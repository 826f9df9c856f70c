//! A target's history, read row by row and applied again.

use assay_patch::{
    Sha256Hex,
    replay::{Accepted, Broken, Checks, Initial, Replay, Stored},
};

use crate::{
    answer::Stop,
    ports::{Attempt, Session, Target},
};

/// Rows that are in memory at once, each with its record.
const ROWS: u32 = 8;

/// What came of it.
pub(crate) struct Replayed {
    pub(crate) checks: Checks,
    pub(crate) version: u64,
    pub(crate) applied: u64,
    pub(crate) sha256: Sha256Hex,
    pub(crate) text: String,
}

/// Replays `target`, up to a version where one is given.
pub(crate) fn of(session: &mut dyn Session, target: &Target, until: Option<u64>) -> Result<Replayed, Stop> {
    let initial = session.initial_snapshot(&target.id)?.ok_or_else(|| broken(Broken::without_initial()))?;
    let first = Initial {
        target_file_id: &target.id,
        content: &initial.content,
        content_hash: &initial.content_hash,
        version: initial.version,
    };
    let mut replay = Replay::from(&target.id, &first).map_err(broken)?;
    let mut behind = 0;
    'rows: loop {
        let rows = session.accepted_after(&target.id, behind, ROWS)?;
        let Some(last) = rows.last() else { break };
        behind = last.log_sequence;
        for row in &rows {
            if until.is_some_and(|until| replay.version() >= until) {
                break 'rows;
            }
            replay.step(&accepted(row)).map_err(broken)?;
        }
    }
    let stored = Stored {
        content: &target.state.content,
        current_hash: &target.state.current_hash,
        version: target.state.version,
    };
    let checks = replay.compare(&stored);
    let (version, applied, sha256) = (replay.version(), replay.applied(), replay.text().sha256());
    Ok(Replayed { checks, version, applied, sha256, text: replay.text().as_str().to_owned() })
}

fn accepted(row: &Attempt) -> Accepted<'_> {
    let facts = &row.facts;
    Accepted {
        pdcp_log_id: &row.id,
        target_file_id: &facts.target_file_id,
        protocol_version: &facts.protocol_version,
        runtime_version: facts.runtime_version.as_deref(),
        pdcp_content: row.pdcp_content.as_deref().unwrap_or_default(),
        pdcp_content_hash: &facts.pdcp_content_hash,
        before_version: facts.before_version.unwrap_or_default(),
        after_version: facts.after_version.unwrap_or_default(),
        before_hash: facts.before_hash.as_deref().unwrap_or_default(),
        after_hash: facts.after_hash.as_deref().unwrap_or_default(),
    }
}

fn broken(broken: Broken) -> Stop {
    let members = vec![
        ("failure_reason", Broken::REASON.name().into()),
        ("pdcp_log_id", broken.pdcp_log_id.clone().into()),
        ("replayed_version", broken.version.into()),
    ];
    Stop::Status("failed", broken.to_string(), members)
}
