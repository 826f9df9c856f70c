//! What a status means for a write, in a sentence each: what is known, and what to do (K-78).
//!
//! That nothing was changed is said where a forge refuses before it does anything, and nowhere else. No sentence holds a
//! byte that the forge sent (D-077).

use assay_envelope::Refusal;
use assay_forge::http::Head;

/// What a write is about, for what is said where it was not done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About<'a> {
    /// The scope that a token needs.
    pub(crate) scope: &'static str,
    /// What a 404 may hide, with its article.
    pub(crate) subject: &'static str,
    /// The arguments that name it.
    pub(crate) named_by: &'static str,
    /// How the caller learns whether the write was done: sentences of their own.
    pub(crate) find_out: &'a str,
}

/// Why a status is no success, where it means the same for every write.
pub(crate) fn refused(head: &Head, about: About<'_>) -> Refusal {
    let status = head.status;
    let About { scope, subject, named_by, find_out } = about;
    match status {
        // 304 names no other place, and answers a condition that was not set.
        300..=303 | 305..=399 => assay_origin::WriteFault::Moved(status).refusal(find_out),
        400 | 422 => Refusal::new(
            "invalid_request",
            format!(
                "The forge does not accept what was sent (HTTP {status}); nothing was changed. Check every argument: one of \
                 them names something that the forge does not have, or has a form that it does not take."
            ),
        ),
        401 => Refusal::new(
            "unauthorized",
            "The forge refused the credential itself (HTTP 401); nothing was changed. The token is wrong, expired or \
             revoked: use a valid one.",
        ),
        // K-81: limits of a second kind come with this status.
        403 if head.retry_after().is_some() => limited(head),
        403 => Refusal::new(
            "forbidden",
            format!(
                "The forge knows the credential but does not let it do this (HTTP 403); nothing was changed. The token needs \
                 the scope `{scope}`, and its owner the right to write there: check both."
            ),
        ),
        404 => Refusal::new(
            "not_found",
            format!(
                "The forge does not show {subject} to this credential (HTTP 404): it does not exist, or it is hidden from \
                 this token or archived, and the forge does not say which; nothing was changed. Check {named_by}, that the \
                 token has the scope `{scope}`, and that its owner may see the repository."
            ),
        ),
        413 => Refusal::new(
            "too_large",
            "The forge, or a proxy before it, takes no more of this (HTTP 413): what was sent is too large, or a quota is \
             used up; nothing was changed. Send less, or ask the forge's operator.",
        ),
        423 => Refusal::new(
            "locked",
            "The forge says that this is locked (HTTP 423), as an archived repository is; nothing was changed. Nothing can \
             be written there until its owner unlocks it.",
        ),
        429 => limited(head),
        _ => uncertain(head, find_out),
    }
}

/// A success that was not expected, a failure on the forge's side, or a status without a meaning here.
fn uncertain(head: &Head, find_out: &str) -> Refusal {
    let what = match head.status {
        500..=599 => "The forge, or a proxy before it, failed while it handled the request",
        200..=299 => "The forge answered with a success that this request does not have",
        _ => "The forge answered with a status that has no meaning here",
    };
    let status = head.status;
    Refusal::new(
        "delivery_uncertain",
        format!("{what} (HTTP {status}). Whether it was done is not known, and it was not sent again. {find_out}"),
    )
}

/// K-81: when to come back is told, and nothing is sent before.
fn limited(head: &Head) -> Refusal {
    let when = match head.retry_after() {
        Some(seconds) => format!("Retry-After: {seconds}s: call again no earlier"),
        None => "Wait a minute before you call again".to_owned(),
    };
    let status = head.status;
    Refusal::new(
        "rate_limited",
        format!("The forge itself has had too many requests (HTTP {status}); nothing was changed. {when}."),
    )
}

/// A refusal of a read that stood before a write.
pub(crate) fn before_write(refusal: Refusal) -> Refusal {
    Refusal::new(refusal.code, format!("{} Nothing was written.", ended(refusal.message)))
}

/// A text with a full stop at its end.
pub(crate) fn ended(mut text: String) -> String {
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}
