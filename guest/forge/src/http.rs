//! What a forge's response head must look like before a byte of its body is read.
//!
//! Two judges: one for native evidence, whose framing is part of its promise (D-069 to D-076), one for the forge's plain
//! JSON. What a status means for the caller is said in one sentence each: what is known, what is not, what to do. No
//! sentence holds a byte that the forge sent (D-077). A redirect that comes here was not followed (D-076).

mod about;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

pub use self::about::{AboutFault, Subject, judge_json_about};
use crate::ObjectId;

/// The greatest length that is believed: 2^53.
const MOST_LENGTH: u64 = 1 << 53;

/// The longest wait in seconds that is repeated.
const MOST_WAIT: u32 = 86_400;

/// A response's status and its fields in the order they came. It has no `Debug`: fields are not for logs (D-077).
#[derive(Clone)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Field names in lower case and raw values; a repeated field is there as often as it came.
    pub headers: Vec<(String, Vec<u8>)>,
}

/// What the head of an answer to a diff's request promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// The native evidence; the entity has exactly so many bytes.
    Evidence {
        /// From the one canonical `Content-Length`.
        content_length: u64,
    },
    /// The signature of a forge that ignored `evidence=v1` and sends the plain diff (O-001).
    Stock(Transport),
}

/// How a plain diff comes, as its receipt says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transport {
    /// What tells a whole body from a cut one (O-004).
    pub framing: Framing,
    /// As the forge sniffed it; an empty diff has none.
    pub content_type: Option<String>,
}

/// What tells a whole body from a cut one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// `Content-Length`.
    Length,
    /// The last chunk.
    Chunked,
}

/// What is wrong with a response's head. The codes of [`Fault::code`] are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A redirect: its target is not contacted (D-076).
    #[error(
        "the forge answered with a redirect (HTTP {0}), which was not followed; the repository was probably renamed or \
         moved: call again with its present owner and name"
    )]
    Redirected(u16),
    /// 401.
    #[error(
        "the forge refused the credential itself (HTTP 401), which says nothing about the repository or the pull \
         request; the token is wrong, expired or revoked: use a valid one"
    )]
    Unauthorized,
    /// 403.
    #[error(
        "the forge knows the credential but does not let it do this (HTTP 403), which does not say whether the pull \
         request exists; the token needs the scope `read:repository`, and its owner may need access to the repository: \
         check both"
    )]
    Forbidden,
    /// 404.
    #[error(
        "the forge shows no such pull request to this credential (HTTP 404): it does not exist, or it is hidden from \
         this token, and the forge does not say which; check owner, repo and index, and that the token's owner may see \
         the repository"
    )]
    NotFound,
    /// 429, or 403 with a wait (K-81).
    #[error(
        "the forge itself has had too many requests (HTTP {}), which says nothing about the pull request; {}",
        .0,
        .1.or("wait a minute and call again")
    )]
    RateLimited(u16, Wait),
    /// 409 or 5xx to an evidence request (D-011a).
    #[error(
        "the forge could not make the evidence for this diff (HTTP {}), which does not say that the pull request is \
         missing or empty; {}, and tell the forge's operator if it stays so",
        .0,
        .1.or("call again later")
    )]
    EvidenceUnavailable(u16, Wait),
    /// 5xx to another request.
    #[error(
        "the forge failed (HTTP {}), which says nothing about what was asked for; {}, and tell the forge's operator if it \
         stays so",
        .0,
        .1.or("call again later")
    )]
    ServerError(u16, Wait),
    /// A status that the route does not have.
    #[error(
        "the forge answered with a status that has no meaning here (HTTP {0}), so nothing is known about what was asked \
         for; tell the forge's operator"
    )]
    UnexpectedStatus(u16),
    /// A field of the evidence's head is not what the evidence promises.
    #[error(
        "the forge's answer says neither that it is evidence nor that it is a plain diff: {0}; nothing of it is shown: \
         a proxy in between may have changed it, so call again, and tell the forge's operator if it stays so"
    )]
    Evidence(Rule),
    /// A field of a plain diff's head is not what such a diff has (O-004).
    #[error(
        "the forge's plain diff does not come as one: {0}; nothing of it is shown: a proxy in between may have changed \
         it, so call again, and tell the forge's operator if it stays so"
    )]
    Stock(Rule),
    /// 200 where a part of a file was asked for (F-022).
    #[error(
        "the forge answered with a whole file (HTTP 200) where a part of it was asked for, and a part is all that is taken \
         here; nothing of it is shown: the forge or a proxy before it knows no ranges, so tell the forge's operator"
    )]
    RangeIgnored,
    /// A field of the head of a file's part is not what was asked for (F-023 to F-026).
    #[error(
        "the forge's answer is not the part of the file that was asked for: {0}; nothing of it is shown: a proxy in between \
         may have changed it, so call again, and tell the forge's operator if it stays so"
    )]
    Range(Rule),
    /// A field of a JSON answer's head is not what such an answer has.
    #[error(
        "the forge's answer is not the plain JSON that was asked for: {0}; nothing of it is shown: a login page or a \
         proxy may stand before the forge, so check its address"
    )]
    Json(Rule),
}

/// How long the forge wants to be left alone, where it says so with a status that means it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wait(Option<u32>);

impl Wait {
    /// What to do: the forge's wait in the words that a client looks for (G-062), or else what is said without one.
    #[must_use]
    pub fn or(self, otherwise: &str) -> String {
        match self.0 {
            Some(seconds) => format!("Retry-After: {seconds}s: call again no earlier"),
            None => otherwise.to_owned(),
        }
    }
}

/// The rule that a field breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// D-070.
    #[error("its one Content-Type must be application/json in UTF-8")]
    ContentType,
    /// D-071.
    #[error("its Cache-Control must be private, no-store")]
    CacheControl,
    /// D-072.
    #[error("its Accept-Ranges must be none")]
    AcceptRanges,
    /// D-073.
    #[error("it must have one Content-Length, a plain decimal number")]
    ContentLength,
    /// D-074.
    #[error("it must have no Transfer-Encoding")]
    TransferEncoding,
    /// D-074.
    #[error("it must have no Content-Encoding")]
    ContentEncoding,
    /// D-074.
    #[error("it must have no Content-Range")]
    ContentRange,
    /// O-004: a body that only ends with its connection cannot be told from a cut one.
    #[error("it must have one Content-Length or come in chunks, so that its end can be told from a cut")]
    Framing,
    /// O-001.
    #[error("its one Content-Type must be text/plain or application/octet-stream, or none if it is empty")]
    PlainType,
    /// F-023.
    #[error("its one Content-Range must name exactly the bytes that were asked for, of a file of the known size")]
    Part,
    /// F-024.
    #[error("its one Content-Length must be the count of the bytes that were asked for")]
    PartLength,
    /// F-025.
    #[error("its one ETag must be the file's object id in quotes")]
    EntityTag,
    /// F-026.
    #[error("it must have no Content-Encoding but identity")]
    Identity,
}

impl Fault {
    /// A stable `snake_case` code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Redirected(_) => "redirected",
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::RateLimited(..) => "rate_limited",
            Self::EvidenceUnavailable(..) => "evidence_unavailable",
            Self::ServerError(..) | Self::UnexpectedStatus(_) => "forge_error",
            Self::Evidence(_) => "evidence_malformed",
            Self::Stock(_) => "diff_malformed",
            Self::RangeIgnored => "range_ignored",
            Self::Range(_) => "range_malformed",
            Self::Json(_) => "answer_malformed",
        }
    }
}

/// Judges the answer to an evidence request (D-069 to D-076, D-079, O-001).
///
/// # Errors
/// A [`Fault`] for everything that promises neither evidence nor a plain diff.
pub fn judge_evidence(head: &Head) -> Result<Served, Fault> {
    match head.status {
        200 => {}
        status @ (409 | 500..=599) => return Err(Fault::EvidenceUnavailable(status, head.wait())),
        _ => return Err(refused_status(head)),
    }
    if head.is_stock_diff() {
        return head.transport().map(Served::Stock).map_err(Fault::Stock);
    }
    head.evidence_length().map(|content_length| Served::Evidence { content_length }).map_err(Fault::Evidence)
}

/// Judges the answer to a request for the plain diff (O-001, O-004).
///
/// # Errors
/// A [`Fault`] for everything that promises no plain diff.
pub fn judge_diff(head: &Head) -> Result<Transport, Fault> {
    match head.status {
        200 => {}
        status @ (409 | 500..=599) => return Err(Fault::ServerError(status, head.wait())),
        _ => return Err(refused_status(head)),
    }
    if !head.is_stock_diff() {
        return Err(Fault::Stock(Rule::PlainType));
    }
    head.transport().map_err(Fault::Stock)
}

/// Judges the answer to a request for a part of a file: 206 with exactly the `first` to the `last` byte of `size`, or the
/// whole with 200, as a forge answers that knows no ranges. What it is, its object id says.
///
/// # Errors
/// A [`Fault`] for every other status, and for a range that was not asked for.
pub fn judge_raw(head: &Head, (first, last): (u64, u64), size: u64) -> Result<(), Fault> {
    match head.status {
        200 => {}
        206 => {
            let range = format!("bytes {first}-{last}/{size}");
            if head.one("content-range") != Some(range.as_bytes()) {
                return Err(Fault::Json(Rule::ContentRange));
            }
        }
        status @ 500..=599 => return Err(Fault::ServerError(status, head.wait())),
        _ => return Err(refused_status(head)),
    }
    head.expect_none("content-encoding", Rule::ContentEncoding).map_err(Fault::Json)
}

/// Judges the answer to a request for the `first` to the `last` byte of the file `blob` of `size` bytes: exactly that part,
/// said so by every field, or nothing (F-022 to F-027).
///
/// # Errors
/// A [`Fault`] for every other status, 200 among them, and for a field that says something else.
pub fn judge_range(head: &Head, (first, last): (u64, u64), size: u64, blob: ObjectId) -> Result<(), Fault> {
    match head.status {
        206 => {}
        200 => return Err(Fault::RangeIgnored),
        status @ 500..=599 => return Err(Fault::ServerError(status, head.wait())),
        _ => return Err(refused_status(head)),
    }
    let one = |name, wanted: String, rule| match head.one(name) {
        Some(value) if value == wanted.as_bytes() => Ok(()),
        _ => Err(Fault::Range(rule)),
    };
    if !head.all("content-encoding").all(|value| value.trim_ascii().eq_ignore_ascii_case(b"identity")) {
        return Err(Fault::Range(Rule::Identity));
    }
    one("content-range", format!("bytes {first}-{last}/{size}"), Rule::Part)?;
    one("content-length", (last - first + 1).to_string(), Rule::PartLength)?;
    one("etag", format!("\"{blob}\""), Rule::EntityTag)
}

/// Judges the answer to a request for the forge's plain JSON.
///
/// # Errors
/// A [`Fault`] unless the status is 200 and the body is JSON as it stands.
pub fn judge_json(head: &Head) -> Result<(), Fault> {
    match head.status {
        200 => {}
        status @ 500..=599 => return Err(Fault::ServerError(status, head.wait())),
        _ => return Err(refused_status(head)),
    }
    head.json_entity().map_err(Fault::Json)
}

/// Statuses that mean the same on every route.
fn refused_status(head: &Head) -> Fault {
    match head.status {
        // 304 names no other place: it answers a condition, and none was sent.
        status @ (300..=303 | 305..=399) => Fault::Redirected(status),
        401 => Fault::Unauthorized,
        403 if head.retry_after().is_none() => Fault::Forbidden,
        404 => Fault::NotFound,
        status @ (403 | 429) => Fault::RateLimited(status, head.wait()),
        status => Fault::UnexpectedStatus(status),
    }
}

impl Head {
    /// O-001: the types that a stock forge sniffs from a diff; an empty one has none.
    fn is_stock_diff(&self) -> bool {
        match self.one("content-type") {
            Some(value) => {
                media_type(value).is_some_and(|(kind, _)| is_any_of(kind, &["text/plain", "application/octet-stream"]))
            }
            None => self.all("content-type").next().is_none() && self.one("content-length") == Some(b"0"),
        }
    }

    /// How a plain diff comes, if its end can be told (O-004).
    fn transport(&self) -> Result<Transport, Rule> {
        self.expect_none("content-encoding", Rule::ContentEncoding)?;
        self.expect_none("content-range", Rule::ContentRange)?;
        let chunked =
            self.one("transfer-encoding").is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(b"chunked"));
        let framing = match self.all("transfer-encoding").next() {
            Some(_) if chunked => Framing::Chunked,
            Some(_) => return Err(Rule::Framing),
            None => {
                self.one("content-length").and_then(canonical_length).ok_or(Rule::Framing)?;
                Framing::Length
            }
        };
        let content_type =
            self.one("content-type").and_then(|value| std::str::from_utf8(value).ok()).map(str::to_owned);
        Ok(Transport { framing, content_type })
    }

    /// When the forge says it answered (`Date`), in whole seconds.
    #[must_use]
    pub fn date(&self) -> Option<OffsetDateTime> {
        let value = std::str::from_utf8(self.one("date")?).ok()?;
        OffsetDateTime::parse(trim(value), &Rfc2822).ok()
    }

    /// Whether the body is JSON as it stands, whatever the status says of it.
    ///
    /// # Errors
    /// The rule that a field breaks.
    pub fn json_entity(&self) -> Result<(), Rule> {
        self.expect_json()?;
        self.expect_none("content-encoding", Rule::ContentEncoding)
    }

    /// Whole seconds that the forge wants to have passed before the next request (K-81). A date counts as none, and so does
    /// more than a day, which no limit lasts.
    #[must_use]
    pub fn retry_after(&self) -> Option<u32> {
        let seconds = self.one("retry-after").map(<[u8]>::trim_ascii).and_then(canonical_length)?;
        u32::try_from(seconds).ok().filter(|seconds| *seconds <= MOST_WAIT)
    }

    /// The same where the status is one that asks to wait.
    #[must_use]
    pub fn wait(&self) -> Wait {
        Wait(self.retry_after().filter(|_| matches!(self.status, 403 | 429 | 503)))
    }

    /// The entity's length, if every field is as native evidence has it.
    fn evidence_length(&self) -> Result<u64, Rule> {
        self.expect_json()?;
        let directives: Option<Vec<&str>> =
            self.all("cache-control").map(|value| std::str::from_utf8(value).ok()).collect();
        let directives = directives.ok_or(Rule::CacheControl)?.join(",").to_ascii_lowercase();
        let directives: Vec<&str> = directives.split(',').map(trim).collect();
        let both = ["private", "no-store"].iter().all(|wanted| directives.contains(wanted));
        if !both || !directives.iter().all(|directive| matches!(*directive, "private" | "no-store")) {
            return Err(Rule::CacheControl);
        }
        if !self.one("accept-ranges").is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(b"none")) {
            return Err(Rule::AcceptRanges);
        }
        self.expect_none("transfer-encoding", Rule::TransferEncoding)?;
        self.expect_none("content-encoding", Rule::ContentEncoding)?;
        self.expect_none("content-range", Rule::ContentRange)?;
        self.one("content-length").and_then(canonical_length).ok_or(Rule::ContentLength)
    }

    /// D-070: `application/json`, of whose parameters only `charset=utf-8` is known.
    fn expect_json(&self) -> Result<(), Rule> {
        self.one("content-type")
            .and_then(media_type)
            .filter(|(kind, parameter)| {
                let utf8 =
                    parameter.is_none_or(|parameter| is_any_of(parameter, &["charset=utf-8", "charset=\"utf-8\""]));
                is_any_of(kind, &["application/json"]) && utf8
            })
            .map(|_| ())
            .ok_or(Rule::ContentType)
    }

    fn expect_none(&self, name: &str, rule: Rule) -> Result<(), Rule> {
        if self.all(name).next().is_none() { Ok(()) } else { Err(rule) }
    }

    /// The field's value, if it came exactly once.
    pub(crate) fn one(&self, name: &str) -> Option<&[u8]> {
        let mut values = self.all(name);
        values.next().filter(|_| values.next().is_none())
    }

    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_slice())
    }
}

/// Type and parameters, white space around each taken off.
fn media_type(value: &[u8]) -> Option<(&str, Option<&str>)> {
    let value = std::str::from_utf8(value).ok()?;
    Some(match value.split_once(';') {
        Some((kind, parameter)) => (trim(kind), Some(trim(parameter))),
        None => (trim(value), None),
    })
}

fn is_any_of(text: &str, wanted: &[&str]) -> bool {
    wanted.iter().any(|wanted| text.eq_ignore_ascii_case(wanted))
}

/// The white space that HTTP allows around a value.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// D-073: digits alone, no leading zero, at most 2^53.
fn canonical_length(value: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()))?;
    let length: u64 = digits.parse().ok()?;
    let canonical = digits == "0" || !digits.starts_with('0');
    Some(length).filter(|length| canonical && *length <= MOST_LENGTH)
}
