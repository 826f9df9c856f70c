//! What is stored of a request, and what tells it from another under the same key (P-059, P-103, P-107, P-110, P-114).

use super::{Keyed, Locked, Member, Observed, Parent, Submission};
use crate::{
    Protocol, Sha256Hex,
    json::{self, Text, Unstorable, Value},
    record::scopes_value,
};

/// A request's record and its fingerprint.
pub(super) struct Prints {
    /// The record, or the evidence in its place.
    pub(super) content: String,
    pub(super) content_hash: Sha256Hex,
    pub(super) fingerprint: Sha256Hex,
    /// The fingerprint that a request with NUL had before such texts were refused (P-110).
    legacy: Option<Sha256Hex>,
    /// What keeps it from being stored.
    pub(super) unstorable: Option<Unstorable>,
}

impl Prints {
    pub(super) fn of(target: &Locked, submission: &Submission<'_>) -> Self {
        let Submission { protocol, request, observed, .. } = submission;
        let unstorable = json::unstorable(request);
        // NUL has a spelling in JSON, an unpaired surrogate has none.
        let plain = record(target, *protocol, request, observed.as_ref()).canonical().ok().and_then(|content| {
            let content_hash = Sha256Hex::of(&content);
            let identity = identity(target, submission, &content_hash).canonical().ok()?;
            Some((content, content_hash, Sha256Hex::of(identity)))
        });
        match plain {
            Some((content, content_hash, fingerprint)) if unstorable.is_empty() => {
                Self { content, content_hash, fingerprint, legacy: None, unstorable: None }
            }
            plain => {
                let content = json::envelope(request);
                let content_hash = Sha256Hex::of(&content);
                // The evidence has all that was given; these are what it does not have, or not in their one spelling.
                let own = [("protocol_version", protocol.name().into()), ("target_file_id", target.id.as_str().into())];
                let safe = json::object(own.into_iter().chain(bundle(submission)));
                let fingerprint = json::fingerprint(&content_hash, &safe).expect("texts of ours");
                let legacy = plain.map(|(_, _, fingerprint)| fingerprint);
                Self { content, content_hash, fingerprint, legacy, unstorable: Some(unstorable) }
            }
        }
    }

    /// Whether the attempt under the key is this very request (P-116).
    pub(super) fn are_those_of(&self, keyed: &Keyed) -> bool {
        let is_it = |print: &Sha256Hex| print.as_str() == keyed.request_fingerprint;
        is_it(&self.fingerprint) || self.legacy.as_ref().is_some_and(is_it)
    }
}

/// The record: what was submitted, with its format and the target's one spelling. The key is the row's.
fn record(target: &Locked, protocol: Protocol, request: &Value, observed: Option<&Observed>) -> Value {
    let mut record = request.clone();
    if let Value::Object(members) = &mut record {
        members.remove("client_request_id".as_bytes());
        members.entry(Text::from("format")).or_insert_with(|| protocol.name().into());
        members.insert(Text::from("target_file_id"), target.id.as_str().into());
        // Where the scopes are is kept with what is done in them, so that no parser is asked again (P-142).
        if let Some(observed) = observed.filter(|_| protocol == Protocol::ObservedBatch1) {
            members.entry(Text::from("scopes")).or_insert_with(|| scopes_value(&observed.scopes));
        }
    }
    record
}

/// What is hashed to a fingerprint (P-114). What is not given is null, and what is given stands as it was.
fn identity(target: &Locked, submission: &Submission<'_>, content: &Sha256Hex) -> Value {
    let Submission { protocol, request, parent, .. } = submission;
    let given = |key: &str| request.get(key).cloned().unwrap_or(Value::Null);
    let parent = match parent {
        Parent::Rejected(id) => id.as_str().into(),
        Parent::None | Parent::Unfit => given("parent_pdcp_log_id"),
    };
    let own = [
        ("protocol_version", protocol.name().into()),
        ("target_file_id", target.id.as_str().into()),
        ("pdcp_content_hash", content.as_str().into()),
        ("expected_target_version", given("expected_target_version")),
        ("expected_current_hash", given("expected_current_hash")),
        ("parent_pdcp_log_id", parent),
    ];
    json::object(own.into_iter().chain(bundle(submission)))
}

/// An item of a bundle is another request than the same one alone, and than the same one in another bundle.
fn bundle(submission: &Submission<'_>) -> Option<Member> {
    submission.bundle.map(|print| ("bundle", print.as_str().into()))
}
