//! Which columns make which row. A payload or a document's text comes last, and is read only where it is named.

use crate::{
    Attempt, AttemptFacts, Entry, EntryFacts, Fault, Head, Scope, ScopeSnapshot, Snapshot, SnapshotType, Status,
    Synced, Target, rows::insert::Insert, value::Row,
};

pub(super) const HEAD: &str = "id, owner, version, current_hash, workspace_path, workspace_tracked, \
     workspace_root_identity, has_bom, source_line_endings, last_synced_disk_sha256, last_synced_version, created_at, \
     updated_at";

pub(super) fn head(row: &mut Row) -> Result<Head, Fault> {
    Ok(Head {
        id: row.text()?,
        owner: row.text()?,
        version: row.integer()?,
        current_hash: row.text()?,
        workspace_path: row.optional_text()?,
        workspace_tracked: row.boolean()?,
        workspace_root_identity: row.optional_text()?,
        has_bom: row.boolean()?,
        source_line_endings: row.optional_text()?,
        synced: synced(row)?,
        created_at: row.text()?,
        updated_at: row.text()?,
    })
}

/// The two columns are there together or not at all, as the schema says.
fn synced(row: &mut Row) -> Result<Option<Synced>, Fault> {
    let (disk_sha256, version) = (row.optional_text()?, row.optional_integer()?);
    Ok(disk_sha256.zip(version).map(|(disk_sha256, version)| Synced { disk_sha256, version }))
}

/// The columns of a whole document.
pub(super) fn target_columns() -> String {
    format!("{HEAD}, line_endings, content")
}

pub(super) fn target(row: &mut Row) -> Result<Target, Fault> {
    Ok(Target { head: head(row)?, line_endings: row.optional_text()?, content: row.text()? })
}

const ATTEMPT: &str = "id, log_sequence, created_at, target_file_id, status, validation_stage, failure_reason, \
     failure_detail, failed_change_id, expected_target_version, expected_current_hash, before_hash, after_hash, \
     before_version, after_version, pdcp_content_hash, protocol_version, runtime_version, submission_source, \
     parent_pdcp_log_id, regeneration_attempt, regeneration_source, client_request_id, request_fingerprint, \
     warnings_json, diagnostic_json";

/// The columns of an attempt, with its payload or without.
pub(super) fn attempt_columns(with_content: bool) -> String {
    if with_content { format!("{ATTEMPT}, pdcp_content") } else { ATTEMPT.to_owned() }
}

pub(super) fn attempt(row: &mut Row, with_content: bool) -> Result<Attempt, Fault> {
    Ok(Attempt {
        id: row.text()?,
        log_sequence: row.integer()?,
        created_at: row.text()?,
        facts: AttemptFacts {
            target_file_id: row.text()?,
            status: status(&row.text()?)?,
            validation_stage: row.text()?,
            failure_reason: row.optional_text()?,
            failure_detail: row.optional_text()?,
            failed_change_id: row.optional_text()?,
            expected_target_version: row.optional_integer()?,
            expected_current_hash: row.optional_text()?,
            before_hash: row.optional_text()?,
            after_hash: row.optional_text()?,
            before_version: row.optional_integer()?,
            after_version: row.optional_integer()?,
            pdcp_content_hash: row.text()?,
            protocol_version: row.text()?,
            runtime_version: row.optional_text()?,
            submission_source: row.optional_text()?,
            parent_pdcp_log_id: row.optional_text()?,
            regeneration_attempt: row.optional_integer()?,
            regeneration_source: row.optional_text()?,
            client_request_id: row.optional_text()?,
            request_fingerprint: row.optional_text()?,
            warnings_json: row.optional_text()?,
            diagnostic_json: row.optional_text()?,
        },
        pdcp_content: if with_content { Some(row.text()?) } else { None },
    })
}

pub(super) fn new_attempt(id: &str, created_at: &str, facts: AttemptFacts, pdcp_content: String) -> Insert {
    Insert::into("append_only_pdcp_logs")
        .with("id", id)
        .with("created_at", created_at)
        .with("target_file_id", facts.target_file_id)
        .with("status", facts.status.name())
        .with("validation_stage", facts.validation_stage)
        .with("failure_reason", facts.failure_reason)
        .with("failure_detail", facts.failure_detail)
        .with("failed_change_id", facts.failed_change_id)
        .with("expected_target_version", facts.expected_target_version)
        .with("expected_current_hash", facts.expected_current_hash)
        .with("before_hash", facts.before_hash)
        .with("after_hash", facts.after_hash)
        .with("before_version", facts.before_version)
        .with("after_version", facts.after_version)
        .with("pdcp_content_hash", facts.pdcp_content_hash)
        .with("protocol_version", facts.protocol_version)
        .with("runtime_version", facts.runtime_version)
        .with("submission_source", facts.submission_source)
        .with("parent_pdcp_log_id", facts.parent_pdcp_log_id)
        .with("regeneration_attempt", facts.regeneration_attempt)
        .with("regeneration_source", facts.regeneration_source)
        .with("client_request_id", facts.client_request_id)
        .with("request_fingerprint", facts.request_fingerprint)
        .with("warnings_json", facts.warnings_json)
        .with("diagnostic_json", facts.diagnostic_json)
        .with("pdcp_content", pdcp_content)
}

fn status(name: &str) -> Result<Status, Fault> {
    let known = [Status::Accepted, Status::Rejected];
    known.into_iter().find(|status| status.name() == name).ok_or_else(|| unknown("status"))
}

pub(super) const ENTRY: &str = "id, ledger_sequence, target_file_id, pdcp_log_id, editing_cycle_id, origin, created_at, \
     change_id, intent, input_state, output_state, affected_region, user_visible_change, risk, derived_json";

pub(super) fn entry(row: &mut Row) -> Result<Entry, Fault> {
    Ok(Entry {
        id: row.text()?,
        ledger_sequence: row.integer()?,
        target_file_id: row.text()?,
        pdcp_log_id: row.text()?,
        editing_cycle_id: row.text()?,
        origin: row.text()?,
        created_at: row.text()?,
        facts: EntryFacts {
            change_id: row.text()?,
            intent: row.text()?,
            input_state: row.optional_text()?,
            output_state: row.optional_text()?,
            affected_region: row.optional_text()?,
            user_visible_change: row.optional_text()?,
            risk: row.optional_text()?,
            derived_json: row.optional_text()?,
        },
    })
}

pub(super) const SNAPSHOT: &str = "id, target_file_id, snapshot_type, version, content_hash, editing_cycle_id, \
     line_endings, publication_json, created_at, content";

pub(super) fn snapshot(row: &mut Row) -> Result<Snapshot, Fault> {
    Ok(Snapshot {
        id: row.text()?,
        target_file_id: row.text()?,
        snapshot_type: snapshot_type(&row.text()?)?,
        version: row.integer()?,
        content_hash: row.text()?,
        editing_cycle_id: row.text()?,
        line_endings: row.optional_text()?,
        publication_json: row.optional_text()?,
        created_at: row.text()?,
        content: row.text()?,
    })
}

fn snapshot_type(name: &str) -> Result<SnapshotType, Fault> {
    let known = [SnapshotType::InitialUpload, SnapshotType::SaveCheckpoint];
    known.into_iter().find(|kind| kind.name() == name).ok_or_else(|| unknown("snapshot_type"))
}

pub(super) const SCOPE_SNAPSHOT: &str = "id, target_file_id, version, current_hash, created_at";

pub(super) fn scope_snapshot(row: &mut Row) -> Result<ScopeSnapshot, Fault> {
    Ok(ScopeSnapshot {
        id: row.text()?,
        target_file_id: row.text()?,
        version: row.integer()?,
        current_hash: row.text()?,
        created_at: row.text()?,
    })
}

pub(super) const SCOPE: &str =
    "scope_id, kind, name, path, start_offset, end_offset, sha256, parser, grammar_version, has_error";

pub(super) fn scope(row: &mut Row) -> Result<Scope, Fault> {
    Ok(Scope {
        scope_id: row.text()?,
        kind: row.text()?,
        name: row.optional_text()?,
        path: row.optional_text()?,
        start: row.integer()?,
        end: row.integer()?,
        sha256: row.text()?,
        parser: row.text()?,
        grammar_version: row.optional_text()?,
        has_error: row.boolean()?,
    })
}

fn unknown(column: &str) -> Fault {
    Fault::Damaged(format!("an unknown {column}"))
}
