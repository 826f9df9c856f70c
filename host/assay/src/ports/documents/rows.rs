//! The store's rows as the port has them, and back.

use assay_documents as store;

use super::port;

/// Versions and places are never negative, and never past what the store counts to.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn sequence(place: u64) -> i64 {
    number(place)
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

pub(super) fn fault(fault: store::Fault) -> port::Fault {
    port::Fault { unknown: matches!(fault, store::Fault::CommitUnknown(_)), message: fault.to_string() }
}

pub(super) fn all<T: Into<U>, U>(rows: Vec<T>) -> Vec<U> {
    rows.into_iter().map(Into::into).collect()
}

pub(super) fn new_target(owner: String, origin: port::Origin, state: port::State) -> store::NewTarget {
    store::NewTarget {
        owner,
        version: number(state.version),
        current_hash: state.current_hash,
        workspace_tracked: origin.workspace_path.is_some(),
        workspace_path: origin.workspace_path,
        workspace_root_identity: origin.workspace_root_identity,
        has_bom: origin.has_bom,
        source_line_endings: origin.source_line_endings,
        synced: origin.synced.map(Into::into),
        line_endings: state.line_endings,
        content: state.content,
    }
}

impl From<store::Target> for port::Target {
    fn from(store::Target { head, line_endings, content }: store::Target) -> Self {
        Self {
            id: head.id,
            origin: port::Origin {
                workspace_path: head.workspace_path,
                workspace_root_identity: head.workspace_root_identity,
                has_bom: head.has_bom,
                source_line_endings: head.source_line_endings,
                synced: head.synced.map(Into::into),
            },
            state: port::State { version: count(head.version), current_hash: head.current_hash, line_endings, content },
            created_at: head.created_at,
            updated_at: head.updated_at,
        }
    }
}

impl From<store::Synced> for port::Synced {
    fn from(synced: store::Synced) -> Self {
        Self { disk_sha256: synced.disk_sha256, version: count(synced.version) }
    }
}

impl From<port::Synced> for store::Synced {
    fn from(synced: port::Synced) -> Self {
        Self { disk_sha256: synced.disk_sha256, version: number(synced.version) }
    }
}

impl From<port::State> for store::NewState {
    fn from(state: port::State) -> Self {
        Self {
            content: state.content,
            version: number(state.version),
            current_hash: state.current_hash,
            line_endings: state.line_endings,
        }
    }
}

impl From<store::Created> for port::Created {
    fn from(created: store::Created) -> Self {
        Self { target_file_id: created.target_file_id, cycle_id: created.cycle_id, snapshot_id: created.snapshot_id }
    }
}

impl From<store::Attempt> for port::Attempt {
    fn from(attempt: store::Attempt) -> Self {
        let facts = attempt.facts;
        Self {
            id: attempt.id,
            log_sequence: count(attempt.log_sequence),
            created_at: attempt.created_at,
            facts: port::AttemptFacts {
                target_file_id: facts.target_file_id,
                accepted: facts.status == store::Status::Accepted,
                validation_stage: facts.validation_stage,
                failure_reason: facts.failure_reason,
                failure_detail: facts.failure_detail,
                failed_change_id: facts.failed_change_id,
                expected_target_version: facts.expected_target_version.map(count),
                expected_current_hash: facts.expected_current_hash,
                before_hash: facts.before_hash,
                after_hash: facts.after_hash,
                before_version: facts.before_version.map(count),
                after_version: facts.after_version.map(count),
                pdcp_content_hash: facts.pdcp_content_hash,
                protocol_version: facts.protocol_version,
                runtime_version: facts.runtime_version,
                submission_source: facts.submission_source,
                parent_pdcp_log_id: facts.parent_pdcp_log_id,
                regeneration_attempt: facts.regeneration_attempt.map(count),
                regeneration_source: facts.regeneration_source,
                client_request_id: facts.client_request_id,
                request_fingerprint: facts.request_fingerprint,
                warnings_json: facts.warnings_json,
                diagnostic_json: facts.diagnostic_json,
            },
            pdcp_content: attempt.pdcp_content,
        }
    }
}

impl From<port::AttemptFacts> for store::AttemptFacts {
    fn from(facts: port::AttemptFacts) -> Self {
        Self {
            target_file_id: facts.target_file_id,
            status: if facts.accepted { store::Status::Accepted } else { store::Status::Rejected },
            validation_stage: facts.validation_stage,
            failure_reason: facts.failure_reason,
            failure_detail: facts.failure_detail,
            failed_change_id: facts.failed_change_id,
            expected_target_version: facts.expected_target_version.map(number),
            expected_current_hash: facts.expected_current_hash,
            before_hash: facts.before_hash,
            after_hash: facts.after_hash,
            before_version: facts.before_version.map(number),
            after_version: facts.after_version.map(number),
            pdcp_content_hash: facts.pdcp_content_hash,
            protocol_version: facts.protocol_version,
            runtime_version: facts.runtime_version,
            submission_source: facts.submission_source,
            parent_pdcp_log_id: facts.parent_pdcp_log_id,
            regeneration_attempt: facts.regeneration_attempt.map(number),
            regeneration_source: facts.regeneration_source,
            client_request_id: facts.client_request_id,
            request_fingerprint: facts.request_fingerprint,
            warnings_json: facts.warnings_json,
            diagnostic_json: facts.diagnostic_json,
        }
    }
}

impl From<store::Appended> for port::Appended {
    fn from(appended: store::Appended) -> Self {
        Self { id: appended.id, log_sequence: count(appended.log_sequence), created_at: appended.created_at }
    }
}

impl From<port::EntryFacts> for store::EntryFacts {
    fn from(facts: port::EntryFacts) -> Self {
        Self {
            change_id: facts.change_id,
            intent: facts.intent,
            risk: facts.risk,
            derived_json: facts.derived_json,
            ..Self::default()
        }
    }
}

impl From<store::Entry> for port::Entry {
    fn from(entry: store::Entry) -> Self {
        Self {
            id: entry.id,
            ledger_sequence: count(entry.ledger_sequence),
            pdcp_log_id: entry.pdcp_log_id,
            editing_cycle_id: entry.editing_cycle_id,
            origin: entry.origin,
            created_at: entry.created_at,
            facts: port::EntryFacts {
                change_id: entry.facts.change_id,
                intent: entry.facts.intent,
                risk: entry.facts.risk,
                derived_json: entry.facts.derived_json,
            },
        }
    }
}

impl From<store::Snapshot> for port::Snapshot {
    fn from(snapshot: store::Snapshot) -> Self {
        Self {
            id: snapshot.id,
            version: count(snapshot.version),
            content_hash: snapshot.content_hash,
            created_at: snapshot.created_at,
            content: snapshot.content,
        }
    }
}

impl From<store::Checkpointed> for port::Checkpointed {
    fn from(saved: store::Checkpointed) -> Self {
        Self { snapshot_id: saved.snapshot_id, closed_cycle_id: saved.closed_cycle_id, cycle_id: saved.cycle_id }
    }
}

impl From<store::ScopeSnapshot> for port::ScopeSnapshot {
    fn from(snapshot: store::ScopeSnapshot) -> Self {
        Self {
            id: snapshot.id,
            target_file_id: snapshot.target_file_id,
            version: count(snapshot.version),
            current_hash: snapshot.current_hash,
        }
    }
}

impl From<store::Scope> for port::Scope {
    fn from(scope: store::Scope) -> Self {
        Self {
            scope_id: scope.scope_id,
            kind: scope.kind,
            name: scope.name,
            path: scope.path,
            start: count(scope.start),
            end: count(scope.end),
            sha256: scope.sha256,
            parser: scope.parser,
            grammar_version: scope.grammar_version,
            has_error: scope.has_error,
        }
    }
}

impl From<port::Scope> for store::Scope {
    fn from(scope: port::Scope) -> Self {
        Self {
            scope_id: scope.scope_id,
            kind: scope.kind,
            name: scope.name,
            path: scope.path,
            start: number(scope.start),
            end: number(scope.end),
            sha256: scope.sha256,
            parser: scope.parser,
            grammar_version: scope.grammar_version,
            has_error: scope.has_error,
        }
    }
}
