//! A bundle: submissions about several targets, all of which are committed or none.
//!
//! Each of them is judged by itself, as any submission is; what that makes of all of them is decided here.

use std::borrow::Cow;

use super::{Acceptance, Rejection, Unlinked, Verdict, diagnostic};
use crate::{
    Protocol, Reason, Sha256Hex, Stage,
    json::{self, Value},
};

/// What becomes of submissions that are committed together, each at its place.
#[derive(Clone, Debug)]
pub enum Joint {
    /// The bundle was decided before: the attempts that have its outcome (P-116). Where it was rejected, targets whose
    /// submission did not fail have none.
    Recovered(Vec<Option<String>>),
    /// Rows are appended for those that failed, and nothing else changes. The others have no row: nothing was found
    /// against them, and nothing was done.
    Rejected(Vec<Option<Box<Rejection>>>),
    /// All of it is stored.
    Accepted(Vec<Acceptance>),
}

/// Decides on all of them. One that was decided before speaks for its bundle, since its fingerprint is that of no other.
///
/// Where one key is another request's, the bundle is a conflict and nothing but that (P-117): what else fails of it gets no
/// row, so that the bundle is stored under no key and every repetition is a conflict of its own (P-118).
#[must_use]
pub fn together(verdicts: Vec<Verdict>) -> Joint {
    if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Recovered(_))) {
        let ids = verdicts.into_iter().map(|verdict| match verdict {
            Verdict::Recovered(id) => Some(id),
            Verdict::Rejected(_) | Verdict::Accepted(_) => None,
        });
        return Joint::Recovered(ids.collect());
    }
    let rejections = verdicts.iter().filter_map(|verdict| match verdict {
        Verdict::Rejected(rejection) => Some(rejection),
        Verdict::Recovered(_) | Verdict::Accepted(_) => None,
    });
    let (mut is_rejected, mut is_conflict) = (false, false);
    for rejection in rejections {
        is_rejected = true;
        is_conflict |= rejection.is_key_conflict();
    }
    if !is_rejected {
        let acceptances = verdicts.into_iter().filter_map(|verdict| match verdict {
            Verdict::Accepted(acceptance) => Some(*acceptance),
            Verdict::Recovered(_) | Verdict::Rejected(_) => None,
        });
        return Joint::Accepted(acceptances.collect());
    }
    let rejections = verdicts.into_iter().map(|verdict| match verdict {
        Verdict::Rejected(rejection) if !is_conflict || rejection.is_key_conflict() => Some(rejection),
        _ => None,
    });
    Joint::Rejected(rejections.collect())
}

/// What tells a bundle from another under the same key: all that its items are, whatever their order. `items` are a
/// target's id in its one spelling and what is submitted about it; no target is there twice.
#[must_use]
pub fn bundle_print<'a>(items: impl IntoIterator<Item = (&'a str, Protocol, &'a Value)>) -> Sha256Hex {
    const DOMAIN: &str = "patchdiff-bundle/1\0";
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort_by_key(|(id, ..)| *id);
    let digests = items.into_iter().map(|(id, protocol, request)| {
        let parts = [id, "\0", protocol.name(), "\0", &request.ascii()];
        Sha256Hex::of_parts(parts).to_string()
    });
    Sha256Hex::of_parts([DOMAIN.to_owned()].into_iter().chain(digests))
}

/// The answer to what is no bundle. There is no target that a row of it could belong to (P-080).
#[must_use]
pub fn no_bundle(detail: impl Into<Cow<'static, str>>) -> Unlinked {
    let (stage, reason) = (Stage::ProtocolValidation, Reason::ManifestInvalid);
    let mut members = diagnostic::outcome(None, stage, reason);
    members.push(("failure_context", diagnostic::unavailable_context()));
    Unlinked { stage, reason, detail: detail.into(), diagnostic: json::object(members) }
}

impl Rejection {
    /// Whether its key is another request's (P-117). Nothing else is so early and of that reason.
    fn is_key_conflict(&self) -> bool {
        self.stage == Stage::PreconditionGuard && self.reason == Reason::ContextInvalid
    }
}
