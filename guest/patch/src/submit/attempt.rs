//! The attempt under judgement: its row as it would be stored, and the ways in which it ends.
//!
//! In which order they are tried is decided elsewhere; here each says what is stored of it.

use super::{
    Acceptance, Keyed, Locked, Missed, Rejection, Row, Submission, Verdict, diagnostic, diagnostic::Member,
    fingerprint::Prints, key,
};
use crate::{
    Profile, Reason, Stage,
    apply::{Applied, Failure},
    json::{self, Value},
    record::{Identity, Invalid, Transaction, Work, identity},
};

pub(super) struct Attempt<'a> {
    target: &'a Locked,
    request: &'a Value,
    identity: Identity,
    prints: Prints,
    row: Row,
}

impl<'a> Attempt<'a> {
    pub(super) fn of(target: &'a Locked, submission: &Submission<'a>) -> Self {
        let Submission { protocol, request, parent, .. } = submission;
        let identity = identity(request);
        let prints = Prints::of(target, submission);
        let profile = Transaction::profile_of(request, *protocol);
        let row = Row::new(target, profile, request, parent, &identity, &prints);
        Self { target, request, identity, prints, row }
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    pub(super) fn profile(&self) -> &Profile {
        &self.row.profile
    }

    /// Whether the attempt under the key is this very request.
    pub(super) fn is_that_of(&self, keyed: &Keyed) -> bool {
        self.prints.are_those_of(keyed)
    }

    /// Whether it has a text that no database stores.
    pub(super) fn is_unstorable(&self) -> bool {
        self.prints.unstorable.is_some()
    }

    pub(super) fn accepted(self, work: &Work, applied: Applied) -> Acceptance {
        Acceptance::new(self.target, self.row, work, applied)
    }

    /// Before anything of the edits was applied.
    pub(super) fn at(self, stage: Stage, invalid: &Invalid) -> Verdict {
        self.end(stage, invalid, [])
    }

    /// The key is another request's (P-117): this one keeps its fingerprint, and no key.
    pub(super) fn at_other_key(mut self, keyed: &Keyed) -> Verdict {
        self.row.client_request_id = None;
        let detail = "client_request_id is that of another request about this target: take a new one";
        let invalid = Invalid::new(Reason::ContextInvalid, detail);
        let more = [
            ("code", "request_key_conflict".into()),
            ("existing_pdcp_log_id", keyed.pdcp_log_id.as_str().into()),
            self.submitted_key(),
        ];
        self.end(Stage::PreconditionGuard, &invalid, more)
    }

    /// The key can be none (P-074, P-121).
    pub(super) fn at_malformed_key(self) -> Verdict {
        let detail = "client_request_id is 1 to 128 printable ASCII characters without a space, or null";
        let invalid = Invalid::new(Reason::ContextInvalid, detail);
        let more = [("code", "invalid_client_request_id".into()), self.submitted_key()];
        self.end(Stage::ProtocolValidation, &invalid, more)
    }

    /// A text that no database stores (P-101).
    pub(super) fn at_encoding(self) -> Verdict {
        let detail = "the request has an unpaired surrogate or NUL, which no text that is stored can have";
        self.at(Stage::ProtocolValidation, &Invalid::new(Reason::TargetEncodingInvalid, detail))
    }

    /// A change does not apply.
    pub(super) fn at_application(self, failure: Failure) -> Verdict {
        let stage = Stage::TransactionApplicability;
        let mut members = diagnostic::common(&self.row, stage, failure.reason);
        members.extend(diagnostic::of_failure(&failure));
        let Failure { reason, detail, change_id, buffer, failing, .. } = failure;
        let missed = failing.missed.map(|text| Missed { text, buffer });
        rejected(self.row, stage, &Invalid::new(reason, detail).of(&change_id), members, missed)
    }

    /// All changes apply, and make more than is kept.
    pub(super) fn at_size(self, invalid: &Invalid, applied: &Applied) -> Verdict {
        let stage = Stage::TransactionApplicability;
        let mut members = diagnostic::common(&self.row, stage, invalid.reason);
        members.push(("failure_context", diagnostic::beginning(applied.text.as_str(), applied.changes.len())));
        rejected(self.row, stage, invalid, members, None)
    }

    fn submitted_key(&self) -> Member {
        let key = key::submitted(self.request).map_or(Value::Null, diagnostic::preview);
        ("submitted_client_request_id", key)
    }

    /// With what is told of every request that the applier did not see.
    fn end(self, stage: Stage, invalid: &Invalid, more: impl IntoIterator<Item = Member>) -> Verdict {
        let mut members = diagnostic::common(&self.row, stage, invalid.reason);
        members.push(("failure_context", diagnostic::beginning(self.target.text.as_str(), 0)));
        members.extend(diagnostic::raw(self.request, &self.identity));
        members.extend(self.prints.unstorable.as_ref().map(diagnostic::invalid_input));
        members.extend(more);
        rejected(self.row, stage, invalid, members, None)
    }
}

impl Acceptance {
    /// The second look at the guards, right before the commit: where the target is another by now than what this was decided
    /// on, it is a rejection, and nothing is committed (P-068).
    #[must_use]
    pub fn at_commit(self: Box<Self>, decided_on: &Locked, version: u64, current_hash: &str) -> Verdict {
        if self.row.before_version == version && self.row.before_hash == current_hash {
            return Verdict::Accepted(self);
        }
        let detail = "the target became another while the changes were tried on it: read it again";
        let invalid = Invalid::new(Reason::TargetDiverged, detail);
        let mut members = diagnostic::common(&self.row, Stage::CommitGuard, invalid.reason);
        members.push(("failure_context", diagnostic::beginning(decided_on.text.as_str(), 0)));
        rejected(self.row, Stage::CommitGuard, &invalid, members, None)
    }
}

fn rejected(row: Row, stage: Stage, invalid: &Invalid, diagnostic: Vec<Member>, missed: Option<Missed>) -> Verdict {
    Verdict::Rejected(Box::new(Rejection {
        row,
        stage,
        reason: invalid.reason,
        detail: invalid.detail.clone(),
        failed_change_id: invalid.change_id.clone(),
        diagnostic: json::object(diagnostic),
        missed,
    }))
}
