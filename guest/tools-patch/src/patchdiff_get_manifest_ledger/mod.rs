//! `patchdiff_get_manifest_ledger`: the changes that were accepted, a page of them oldest first (P-174, P-176, P-177).

use assay_patch::json::{self, Value};

use crate::{
    answer::{Stop, stored},
    ask::Ask,
    history::{Asked, Shown, empty},
    ports::{Entry, LedgerFilter, Ports, Session},
};

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    page(ports, &ask, room).map_err(|stop| stop.with(empty()))
}

fn page(ports: Ports<'_>, ask: &Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["target_file_id", "include_previous_cycles", "limit", "before_sequence"])?;
    let asked = Asked::of(ask)?;
    let active_cycle_only = !ask.flag("include_previous_cycles")?;
    let mut view = asked.view(ports)?;
    let next = |view: &mut dyn Session, before_sequence, most: u32| {
        // The port gives one more than its limit.
        let filter = LedgerFilter { active_cycle_only, before_sequence, limit: most - 1 };
        Ok(view.ledger(&asked.target, &filter)?)
    };
    let show = |_: &mut dyn Session, entry: Entry| Ok(Shown { sequence: entry.ledger_sequence, row: row(entry) });
    let rows = asked.rows(view.as_mut(), room, next, show)?;
    asked.page(rows, true, room)
}

fn row(entry: Entry) -> Value {
    json::object([
        ("ledger_sequence", entry.ledger_sequence.into()),
        ("pdcp_log_id", entry.pdcp_log_id.into()),
        ("editing_cycle_id", entry.editing_cycle_id.into()),
        ("origin", entry.origin.into()),
        ("change_id", entry.facts.change_id.into()),
        ("intent", entry.facts.intent.into()),
        ("risk", entry.facts.risk.into()),
        ("derived", stored(entry.facts.derived_json.as_deref())),
        ("created_at", entry.created_at.into()),
    ])
}
