//! A decision as the rows that the port takes.

use assay_patch::{
    Stage,
    json::Value,
    submit::{Acceptance, NewState, Rejection, Row},
};

use crate::ports::{AttemptFacts, EntryFacts, State};

pub(crate) fn entries(acceptance: &Acceptance) -> Vec<EntryFacts> {
    let entries = acceptance.ledger.iter().map(|entry| EntryFacts {
        change_id: entry.change_id.clone(),
        intent: entry.intent.clone(),
        risk: entry.risk.map(str::to_owned),
        derived_json: entry.derived.canonical().ok(),
    });
    entries.collect()
}

pub(super) fn state(new: NewState) -> State {
    State {
        version: new.version,
        current_hash: new.current_hash.to_string(),
        line_endings: new.endings.as_ref().map(ToString::to_string),
        content: new.text.as_str().to_owned(),
    }
}

pub(super) fn rejected_facts(target: &str, rejection: &Rejection) -> AttemptFacts {
    AttemptFacts {
        failure_reason: Some(rejection.reason.name().to_owned()),
        failure_detail: Some(rejection.detail.clone()),
        failed_change_id: rejection.failed_change_id.clone(),
        diagnostic_json: rejection.diagnostic.canonical().ok(),
        ..facts(target, &rejection.row, rejection.stage)
    }
}

pub(super) fn accepted_facts(target: &str, acceptance: &Acceptance) -> AttemptFacts {
    let warnings = (!acceptance.warnings.is_empty()).then(|| Value::Array(acceptance.warnings.clone()));
    AttemptFacts {
        accepted: true,
        after_hash: Some(acceptance.state.current_hash.to_string()),
        after_version: Some(acceptance.state.version),
        warnings_json: warnings.and_then(|warnings| warnings.canonical().ok()),
        ..facts(target, &acceptance.row, Stage::Accepted)
    }
}

/// What every row has.
fn facts(target: &str, row: &Row, stage: Stage) -> AttemptFacts {
    AttemptFacts {
        target_file_id: target.to_owned(),
        validation_stage: stage.name().to_owned(),
        expected_target_version: row.expected_target_version,
        expected_current_hash: row.expected_current_hash.as_ref().map(ToString::to_string),
        before_hash: Some(row.before_hash.clone()),
        before_version: Some(row.before_version),
        pdcp_content_hash: row.pdcp_content_hash.to_string(),
        protocol_version: row.profile.protocol.name().to_owned(),
        runtime_version: Some(row.profile.runtime.to_owned()),
        submission_source: row.submission_source.clone(),
        parent_pdcp_log_id: row.parent_pdcp_log_id.clone(),
        regeneration_attempt: row.regeneration_attempt,
        regeneration_source: row.regeneration_source.clone(),
        client_request_id: row.client_request_id.clone(),
        request_fingerprint: Some(row.request_fingerprint.to_string()),
        accepted: false,
        failure_reason: None,
        failure_detail: None,
        failed_change_id: None,
        after_hash: None,
        after_version: None,
        warnings_json: None,
        diagnostic_json: None,
    }
}
