//! What must hold of a request by itself, once nothing is known against its guards (P-066).

use super::{Observed, Parent};
use crate::{
    Profile, Protocol, Reason,
    json::Value,
    record::{Identity, Invalid, MAX_UTF8_BYTES, Operation, Work, check_size},
};

/// The most bytes that the ledger's entries of one transaction say of what they are for. Each has the transaction's intent
/// where it has no rationale (P-150), so that a long intent and many changes would otherwise be their product.
const MAX_LEDGER_BYTES: usize = 4 * MAX_UTF8_BYTES;

/// A guard is there, and what stands beside the edits is well formed (P-034 to P-040).
pub(super) fn context(request: &Value, identity: &Identity) -> Result<(), Invalid> {
    if !has(request, "expected_target_version") && !has(request, "expected_current_hash") {
        let detail =
            "neither expected_target_version nor expected_current_hash is given: one of them says which text is meant";
        return Err(Invalid::new(Reason::ContextMissing, detail));
    }
    identity.flaw.clone().map_or(Ok(()), Err)
}

/// The lineage holds, and the rest is of its format and within its limits (P-078, P-053).
pub(super) fn work(
    request: &Value,
    profile: &Profile,
    parent: &Parent,
    observed: Option<&Observed>,
) -> Result<Work, Invalid> {
    // One that is named and was not looked up is no rejected attempt either.
    let is_resolved = matches!(parent, Parent::Rejected(_));
    if *parent == Parent::Unfit || (has(request, "parent_pdcp_log_id") && !is_resolved) {
        let detail = "parent_pdcp_log_id names no rejected attempt of this target";
        return Err(Invalid::new(Reason::ContextInvalid, detail));
    }
    let name = profile.protocol.name();
    if request.get("format").is_some_and(|format| format.as_str() != Some(name)) {
        return Err(Invalid::manifest(format!("format of the request is {name}, or is left out")));
    }
    let is_batch = profile.protocol == Protocol::ObservedBatch1;
    if is_batch && observed.is_none() && has(request, "snapshot_id") {
        return Err(Invalid::new(Reason::ScopeUnknown, "snapshot_id is none of this target's: observe its scopes"));
    }
    let scopes = observed.map(|observed| &observed.scopes[..]).unwrap_or_default();
    let work = Work::read(request, scopes, profile)?;
    check_ledger(&work)?;
    if profile.protocol == Protocol::Tx3 {
        check_size(request.get("replacement").and_then(Value::as_str).unwrap_or_default())?;
    }
    Ok(work)
}

/// A limit of fresh submissions, like that of P-053: history is never asked (P-054).
fn check_ledger(work: &Work) -> Result<(), Invalid> {
    let said = |operation: &Operation| operation.rationale.as_deref().unwrap_or(work.intent()).len();
    let bytes = work.operations().map(said).fold(0, usize::saturating_add);
    if bytes <= MAX_LEDGER_BYTES {
        return Ok(());
    }
    let detail = format!(
        "the ledger would keep {bytes} bytes of intents and rationales, one of them with each change; at most \
         {MAX_LEDGER_BYTES} are kept: shorten them, or make fewer changes at once"
    );
    Err(Invalid::new(Reason::SizeLimitExceeded, detail))
}

fn has(request: &Value, key: &str) -> bool {
    request.get(key).is_some_and(|value| !value.is_null())
}
