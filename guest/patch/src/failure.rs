//! Why a submission is rejected, how far it had come, and what that says about it (P-065 to P-073).

/// Why a submission was rejected. The wire has the lower snake case (P-071, PG-19).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// No target of that id.
    TargetNotFound,
    /// The target has another version than the guard says.
    TargetVersionMismatch,
    /// The target, or an observed scope of it, has another hash than the guard says.
    TargetHashMismatch,
    /// The target moved between simulation and commit.
    TargetDiverged,
    /// A text that no database stores: an unpaired surrogate or NUL.
    TargetEncodingInvalid,
    /// There are no edits.
    ManifestMissing,
    /// The edits do not have the format's shape.
    ManifestInvalid,
    /// An item of the edits, operations or groups is no object.
    BlockMalformed,
    /// Neither guard is given.
    ContextMissing,
    /// A guard, the lineage or the request key is malformed or contradicts what is stored.
    ContextInvalid,
    /// A selector is malformed, or does not hold for the one chosen occurrence.
    DisambiguationInvalid,
    /// The text to replace is nowhere.
    MatchAbsent,
    /// The text to replace is in several places.
    MatchAmbiguous,
    /// An earlier edit of the same transaction consumed the text to replace.
    SequentialMatchInvalid,
    /// A span ends past the text.
    SpanOutOfBounds,
    /// A span holds another text than expected, or is beside another.
    SpanExpectedTextMismatch,
    /// A replacement above the size limits (P-053).
    SizeLimitExceeded,
    /// History that no known profile can replay (P-130).
    ReplayProtocolInvalid,
    /// The file on disk is not the one that was imported or saved last.
    WorkspaceDrift,
    /// The target was imported from another workspace.
    WorkspaceBindingMismatch,
    /// A path that the workspace does not serve: a link, a special file, or one that leaves the root.
    WorkspacePathUnsupported,
    /// No scope of that id.
    ScopeUnknown,
    /// A scope that was observed in another version.
    ScopeStale,
}

/// How far a submission came (P-065 to P-069).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Target, key and guards, before anything of the edits is read.
    PreconditionGuard,
    /// The request's shape.
    ProtocolValidation,
    /// The edits against the text.
    TransactionApplicability,
    /// The second look at the guards.
    CommitGuard,
    /// It was accepted.
    Accepted,
}

/// What a stage says of a submission (P-030). Whether the task is done and what the text means is never evaluated (P-031).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// Whether it has the protocol's shape; nothing where that was not reached.
    pub protocol_valid: Option<bool>,
    /// Whether its edits apply; nothing where that was not reached.
    pub transaction_valid: Option<bool>,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 23] = [
        Self::TargetNotFound,
        Self::TargetVersionMismatch,
        Self::TargetHashMismatch,
        Self::TargetDiverged,
        Self::TargetEncodingInvalid,
        Self::ManifestMissing,
        Self::ManifestInvalid,
        Self::BlockMalformed,
        Self::ContextMissing,
        Self::ContextInvalid,
        Self::DisambiguationInvalid,
        Self::MatchAbsent,
        Self::MatchAmbiguous,
        Self::SequentialMatchInvalid,
        Self::SpanOutOfBounds,
        Self::SpanExpectedTextMismatch,
        Self::SizeLimitExceeded,
        Self::ReplayProtocolInvalid,
        Self::WorkspaceDrift,
        Self::WorkspaceBindingMismatch,
        Self::WorkspacePathUnsupported,
        Self::ScopeUnknown,
        Self::ScopeStale,
    ];

    /// Its spelling on the wire and in history.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TargetNotFound => "target_not_found",
            Self::TargetVersionMismatch => "target_version_mismatch",
            Self::TargetHashMismatch => "target_hash_mismatch",
            Self::TargetDiverged => "target_diverged",
            Self::TargetEncodingInvalid => "target_encoding_invalid",
            Self::ManifestMissing => "manifest_missing",
            Self::ManifestInvalid => "manifest_invalid",
            Self::BlockMalformed => "block_malformed",
            Self::ContextMissing => "context_missing",
            Self::ContextInvalid => "context_invalid",
            Self::DisambiguationInvalid => "disambiguation_invalid",
            Self::MatchAbsent => "match_absent",
            Self::MatchAmbiguous => "match_ambiguous",
            Self::SequentialMatchInvalid => "sequential_match_invalid",
            Self::SpanOutOfBounds => "span_out_of_bounds",
            Self::SpanExpectedTextMismatch => "span_expected_text_mismatch",
            Self::SizeLimitExceeded => "size_limit_exceeded",
            Self::ReplayProtocolInvalid => "replay_protocol_invalid",
            Self::WorkspaceDrift => "workspace_drift",
            Self::WorkspaceBindingMismatch => "workspace_binding_mismatch",
            Self::WorkspacePathUnsupported => "workspace_path_unsupported",
            Self::ScopeUnknown => "scope_unknown",
            Self::ScopeStale => "scope_stale",
        }
    }

    /// Whether a new proposal from a fresh read can succeed; the identical request cannot (P-073, PG-20).
    #[must_use]
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::TargetVersionMismatch
                | Self::TargetHashMismatch
                | Self::TargetDiverged
                | Self::MatchAbsent
                | Self::MatchAmbiguous
                | Self::SequentialMatchInvalid
                | Self::DisambiguationInvalid
                | Self::SpanOutOfBounds
                | Self::SpanExpectedTextMismatch
                | Self::ScopeStale
        )
    }
}

impl Stage {
    /// Its spelling on the wire and in history.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PreconditionGuard => "PRECONDITION_GUARD",
            Self::ProtocolValidation => "PROTOCOL_VALIDATION",
            Self::TransactionApplicability => "TRANSACTION_APPLICABILITY",
            Self::CommitGuard => "COMMIT_GUARD",
            Self::Accepted => "ACCEPTED",
        }
    }

    /// The stage of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let all = [
            Self::PreconditionGuard,
            Self::ProtocolValidation,
            Self::TransactionApplicability,
            Self::CommitGuard,
            Self::Accepted,
        ];
        all.into_iter().find(|stage| stage.name() == name)
    }

    /// What ending there says of the submission.
    #[must_use]
    pub fn validity(self) -> Validity {
        let (protocol_valid, transaction_valid) = match self {
            Self::PreconditionGuard => (None, None),
            Self::ProtocolValidation => (Some(false), None),
            Self::TransactionApplicability => (Some(true), Some(false)),
            Self::CommitGuard | Self::Accepted => (Some(true), Some(true)),
        };
        Validity { protocol_valid, transaction_valid }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// P-030, P-065, P-066, P-067, P-068, P-069: what each stage says, and what it leaves unsaid.
    #[test]
    fn a_stage_says_what_was_reached() {
        for (stage, protocol, transaction) in [
            (Stage::PreconditionGuard, None, None),
            (Stage::ProtocolValidation, Some(false), None),
            (Stage::TransactionApplicability, Some(true), Some(false)),
            (Stage::CommitGuard, Some(true), Some(true)),
            (Stage::Accepted, Some(true), Some(true)),
        ] {
            let Validity { protocol_valid, transaction_valid } = stage.validity();
            assert_eq!((protocol_valid, transaction_valid), (protocol, transaction), "{}", stage.name());
        }
    }

    /// P-071, P-073: one name each, and one set of those that a fresh proposal can mend.
    #[test]
    fn reasons_have_names_and_some_can_be_mended() {
        let names: HashSet<_> = Reason::ALL.map(Reason::name).into();
        assert_eq!(names.len(), Reason::ALL.len());
        assert_eq!(Reason::ALL.into_iter().filter(|reason| reason.is_retryable()).count(), 10);
        for never in [Reason::ManifestInvalid, Reason::ContextMissing, Reason::SizeLimitExceeded] {
            assert!(!never.is_retryable(), "{}", never.name());
        }
    }
}
