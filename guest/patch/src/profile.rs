//! Which rules a stored transaction was applied by. A profile is never redefined once it wrote history (P-130).

/// The format of a record (P-055).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Exact matches.
    Tx1,
    /// Matches and spans.
    Tx2,
    /// One whole new text.
    Tx3,
    /// Operations within observed scopes of one target.
    ObservedBatch1,
}

/// Which change ids a profile takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdGrammar {
    /// Any text of 1 to 255 code points, as it stands (PG-27).
    Historical,
    /// `^[A-Za-z0-9_.:-]{1,64}$` (P-043).
    Strict,
}

/// The rules of one pair of protocol and runtime (P-127, and the fifth decided ambiguity).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The records it reads.
    pub protocol: Protocol,
    /// The name it has in history.
    pub runtime: &'static str,
    /// Whether occurrences may overlap (P-026).
    pub overlapping: bool,
    /// Whether every given selector must hold for the chosen occurrence, be it the only one (PG-08).
    pub enforces_selectors: bool,
    /// Which change ids it takes.
    pub change_ids: IdGrammar,
    /// Whether spans may say what is beside them (P-051).
    pub span_context: bool,
}

/// No profile of that protocol and runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no profile replays this protocol and runtime")]
pub struct UnsupportedRuntime;

impl Protocol {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Tx1, Self::Tx2, Self::Tx3, Self::ObservedBatch1];

    /// Its name in requests and in history.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tx1 => "patchdiff-tx/1",
            Self::Tx2 => "patchdiff-tx/2",
            Self::Tx3 => "patchdiff-tx/3",
            Self::ObservedBatch1 => "patchdiff-observed-batch/1",
        }
    }
}

impl Profile {
    /// Every pair that can be replayed.
    pub const ALL: [Self; 8] = [
        Self {
            protocol: Protocol::Tx1,
            runtime: "patchdiff-mvp-0.1.0",
            overlapping: false,
            enforces_selectors: false,
            change_ids: IdGrammar::Historical,
            span_context: false,
        },
        Self {
            protocol: Protocol::Tx1,
            runtime: "patchdiff-mvp-0.2.0",
            overlapping: true,
            enforces_selectors: false,
            change_ids: IdGrammar::Historical,
            span_context: false,
        },
        Self {
            protocol: Protocol::Tx1,
            runtime: "patchdiff-mvp-0.2.1",
            overlapping: true,
            enforces_selectors: false,
            change_ids: IdGrammar::Strict,
            span_context: false,
        },
        Self::strict(Protocol::Tx1, "patchdiff-mvp-0.2.2", false),
        Self::strict(Protocol::Tx2, "patchdiff-mvp-0.3.0", false),
        Self::strict(Protocol::Tx2, "patchdiff-mvp-0.5.0", true),
        Self::strict(Protocol::Tx3, "patchdiff-mvp-0.4.0", false),
        Self::strict(Protocol::ObservedBatch1, "patchdiff-observed-batch-r1", true),
    ];

    const fn strict(protocol: Protocol, runtime: &'static str, span_context: bool) -> Self {
        Self {
            protocol,
            runtime,
            overlapping: true,
            enforces_selectors: true,
            change_ids: IdGrammar::Strict,
            span_context,
        }
    }

    /// The profile that history names.
    ///
    /// # Errors
    /// [`UnsupportedRuntime`] for every other pair (P-126, P-130).
    pub fn of(protocol: &str, runtime: &str) -> Result<Self, UnsupportedRuntime> {
        let pair = |profile: &Self| profile.protocol.name() == protocol && profile.runtime == runtime;
        Self::ALL.into_iter().find(pair).ok_or(UnsupportedRuntime)
    }

    /// The profile that a new submission is recorded under (P-128, P-051). `span_context` says whether an operation of it
    /// says what is beside its span.
    #[must_use]
    pub fn current(protocol: Protocol, span_context: bool) -> Self {
        let newest = |profile: &&Self| {
            profile.protocol == protocol
                && profile.enforces_selectors
                && (protocol != Protocol::Tx2 || profile.span_context == span_context)
        };
        *Self::ALL.iter().find(newest).expect("every protocol has a strict profile")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-126, P-127, P-130, ambiguity 5, ambiguity 6: eight pairs, and no other.
    #[test]
    fn eight_pairs_are_replayed() {
        let mut known = 0;
        let runtimes = Profile::ALL.map(|profile| profile.runtime);
        for protocol in Protocol::ALL {
            for runtime in runtimes.into_iter().chain(["", "patchdiff-mvp-0.6.0"]) {
                known += usize::from(Profile::of(protocol.name(), runtime).is_ok());
            }
        }
        assert_eq!(known, 8);
        assert_eq!(Profile::of("patchdiff-tx/1", "patchdiff-mvp-0.3.0"), Err(UnsupportedRuntime));
        assert_eq!(Profile::of("patchdiff-tx/4", "patchdiff-mvp-0.4.0"), Err(UnsupportedRuntime));
    }

    /// P-127: the table.
    #[test]
    fn old_profiles_keep_their_rules() {
        let rules = |runtime: &str| {
            let profile = Profile::ALL.into_iter().find(|profile| profile.runtime == runtime).expect("it is known");
            (profile.overlapping, profile.enforces_selectors, profile.change_ids)
        };
        assert_eq!(rules("patchdiff-mvp-0.1.0"), (false, false, IdGrammar::Historical));
        assert_eq!(rules("patchdiff-mvp-0.2.0"), (true, false, IdGrammar::Historical));
        assert_eq!(rules("patchdiff-mvp-0.2.1"), (true, false, IdGrammar::Strict));
        for strict in ["0.2.2", "0.3.0", "0.4.0", "0.5.0"] {
            assert_eq!(rules(&format!("patchdiff-mvp-{strict}")), (true, true, IdGrammar::Strict));
        }
    }

    /// P-051, P-128.
    #[test]
    fn new_submissions_have_one_profile() {
        for (protocol, context, runtime) in [
            (Protocol::Tx1, false, "patchdiff-mvp-0.2.2"),
            (Protocol::Tx2, false, "patchdiff-mvp-0.3.0"),
            (Protocol::Tx2, true, "patchdiff-mvp-0.5.0"),
            (Protocol::Tx3, false, "patchdiff-mvp-0.4.0"),
            (Protocol::ObservedBatch1, false, "patchdiff-observed-batch-r1"),
        ] {
            assert_eq!(Profile::current(protocol, context).runtime, runtime);
        }
    }
}
