//! What a forge's response head must look like before a byte of its body is read.
//!
//! Two judges: one for native evidence, whose framing is part of its promise (D-069 to D-076), one for the forge's plain
//! JSON. What a status means for the caller is said in one sentence each: what is known, what is not, what to do. No
//! sentence holds a byte that the forge sent (D-077). Redirects are never followed here or anywhere (D-076).

use std::fmt;

use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use crate::ObjectId;

/// The greatest length that is believed: 2^53.
const MOST_LENGTH: u64 = 1 << 53;

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
        "the forge answered with a redirect (HTTP {0}), which is never followed; the repository was probably renamed or \
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
    /// 429.
    #[error(
        "the forge itself has had too many requests (HTTP 429), which says nothing about the pull request; wait a minute \
         and call again"
    )]
    RateLimited,
    /// 409 or 5xx to an evidence request (D-011a).
    #[error(
        "the forge could not make the evidence for this diff (HTTP {0}), which does not say that the pull request is \
         missing or empty; call again later, and tell the forge's operator if it stays so"
    )]
    EvidenceUnavailable(u16),
    /// 5xx to another request.
    #[error(
        "the forge failed (HTTP {0}), which says nothing about what was asked for; call again later, and tell the \
         forge's operator if it stays so"
    )]
    ServerError(u16),
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
            Self::RateLimited => "rate_limited",
            Self::EvidenceUnavailable(_) => "evidence_unavailable",
            Self::ServerError(_) | Self::UnexpectedStatus(_) => "forge_error",
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
        status @ (409 | 500..=599) => return Err(Fault::EvidenceUnavailable(status)),
        status => return Err(refused_status(status)),
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
        status @ (409 | 500..=599) => return Err(Fault::ServerError(status)),
        status => return Err(refused_status(status)),
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
        status @ 500..=599 => return Err(Fault::ServerError(status)),
        status => return Err(refused_status(status)),
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
        status @ 500..=599 => return Err(Fault::ServerError(status)),
        status => return Err(refused_status(status)),
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
        status @ 500..=599 => return Err(Fault::ServerError(status)),
        status => return Err(refused_status(status)),
    }
    head.json_entity().map_err(Fault::Json)
}

/// What an answer is about, for what is said where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// With its article: `the issue`.
    pub noun: &'static str,
    /// The scope that a token needs.
    pub scope: &'static str,
    /// The arguments that name it: `owner, repo and index`.
    pub named_by: &'static str,
}

impl Subject {
    /// One repository.
    pub const REPOSITORY: Self = Self { noun: "the repository", scope: "read:repository", named_by: "owner and repo" };
    /// A list of repositories.
    pub const REPOSITORIES: Self =
        Self { noun: "the list of repositories", scope: "read:repository", named_by: "owner" };
    /// A repository's pull requests.
    pub const PULLS: Self =
        Self { noun: "the repository with its pull requests", scope: "read:repository", named_by: "owner and repo" };
    /// A repository's releases.
    pub const RELEASES: Self =
        Self { noun: "the repository with its releases", scope: "read:repository", named_by: "owner and repo" };
    /// The commits of a ref, or those of them that touch a path.
    pub const COMMITS: Self = Self {
        noun: "the repository with commits of this ref and path",
        scope: "read:repository",
        named_by: "owner, repo, ref and path",
    };
    /// A pull request's reviews.
    pub const REVIEWS: Self = Self {
        noun: "the repository with this pull request",
        scope: "read:repository",
        named_by: "owner, repo and index",
    };
    /// The comments of one review.
    pub const REVIEW: Self = Self {
        noun: "the pull request with this review",
        scope: "read:repository",
        named_by: "owner, repo, index and review_id",
    };
    /// A user or an organisation.
    pub const OWNER: Self = Self { noun: "the owner", scope: "read:user", named_by: "owner" };
    /// One issue, or what is below it.
    pub const ISSUE: Self = Self { noun: "the issue", scope: "read:issue", named_by: "owner, repo and index" };
    /// A repository's issues.
    pub const ISSUES: Self =
        Self { noun: "the repository with its issues", scope: "read:issue", named_by: "owner and repo" };
}

/// What is wrong with the head of an answer about something else than a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct AboutFault {
    /// What was asked for.
    pub subject: Subject,
    /// What is wrong.
    pub fault: Fault,
}

impl fmt::Display for AboutFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { noun, scope, named_by } = self.subject;
        match self.fault {
            Fault::Unauthorized => write!(
                f,
                "the forge refused the credential itself (HTTP 401), which says nothing about {noun}; the token is wrong, \
                 expired or revoked: use a valid one"
            ),
            Fault::Forbidden => write!(
                f,
                "the forge knows the credential but does not let it do this (HTTP 403), which does not say whether {noun} \
                 exists; the token needs the scope `{scope}`, and its owner may need access: check both"
            ),
            Fault::NotFound => write!(
                f,
                "the forge does not show {noun} to this credential (HTTP 404): it does not exist, or it is hidden from this \
                 token, and the forge does not say which; check {named_by}, and that the token's owner may see the \
                 repository"
            ),
            Fault::RateLimited => write!(
                f,
                "the forge itself has had too many requests (HTTP 429), which says nothing about {noun}; wait a minute and \
                 call again"
            ),
            other => other.fmt(f),
        }
    }
}

/// As [`judge_json`], about something else than a pull request (K-78).
///
/// # Errors
/// As [`judge_json`].
pub fn judge_json_about(head: &Head, subject: Subject) -> Result<(), AboutFault> {
    judge_json(head).map_err(|fault| AboutFault { subject, fault })
}

/// Statuses that mean the same on every route.
const fn refused_status(status: u16) -> Fault {
    match status {
        // 304 names no other place: it answers a condition, and none was sent.
        300..=303 | 305..=399 => Fault::Redirected(status),
        401 => Fault::Unauthorized,
        403 => Fault::Forbidden,
        404 => Fault::NotFound,
        429 => Fault::RateLimited,
        _ => Fault::UnexpectedStatus(status),
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

    /// Whole seconds that the forge wants to have passed before the next request (K-81); a date counts as none.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        self.one("retry-after").map(<[u8]>::trim_ascii).and_then(canonical_length)
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

#[cfg(test)]
mod tests {
    use super::*;

    const EVIDENCE: [(&str, &str); 4] = [
        ("content-type", "application/json"),
        ("cache-control", "private, no-store"),
        ("accept-ranges", "none"),
        ("content-length", "5"),
    ];

    fn head(status: u16, fields: &[(&str, &str)]) -> Head {
        Head { status, headers: fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect() }
    }

    /// The evidence's head with one field's values replaced.
    fn with(name: &str, values: &[&str]) -> Head {
        let mut fields: Vec<_> = EVIDENCE.into_iter().filter(|(field, _)| *field != name).collect();
        fields.extend(values.iter().map(|value| (name, *value)));
        head(200, &fields)
    }

    fn refused(name: &str, values: &[&str], rule: Rule) {
        let judged = judge_evidence(&with(name, values));
        assert_eq!(judged, Err(Fault::Evidence(rule)), "{name}: {values:?}");
    }

    /// D-069 to D-073 and D-075, the spellings that are accepted.
    #[test]
    fn accepts_evidence() {
        let served = Ok(Served::Evidence { content_length: 5 });
        for (name, values) in [
            ("content-type", &["application/json"][..]),
            ("content-type", &["application/json;charset=utf-8"]),
            ("content-type", &["Application/JSON ; Charset=UTF-8"]),
            ("content-type", &["application/json; charset=\"utf-8\""]),
            ("cache-control", &["no-store,private"]),
            ("cache-control", &["Private", "NO-STORE"]),
            ("accept-ranges", &["None"]),
            // D-075
            ("via", &["1.1 a", "1.1 b"]),
            ("set-cookie", &["a=b", "c=d"]),
        ] {
            assert_eq!(judge_evidence(&with(name, values)), served, "{name}: {values:?}");
        }
        let longest = judge_evidence(&with("content-length", &["9007199254740992"]));
        assert_eq!(longest, Ok(Served::Evidence { content_length: 1 << 53 }));
    }

    /// D-036b number 1, D-069; D-011a; K-78: each status has its code and its sentence.
    #[test]
    fn refuses_every_other_status() {
        for (status, code, json_code) in [
            (204, "forge_error", "forge_error"),
            (206, "forge_error", "forge_error"),
            (304, "forge_error", "forge_error"),
            (400, "forge_error", "forge_error"),
            (401, "unauthorized", "unauthorized"),
            (403, "forbidden", "forbidden"),
            (404, "not_found", "not_found"),
            (409, "evidence_unavailable", "forge_error"),
            (429, "rate_limited", "rate_limited"),
            (500, "evidence_unavailable", "forge_error"),
            (503, "evidence_unavailable", "forge_error"),
            (100, "forge_error", "forge_error"),
            (999, "forge_error", "forge_error"),
        ] {
            assert_eq!(judge_evidence(&head(status, &EVIDENCE)).unwrap_err().code(), code, "{status}");
            assert_eq!(judge_json(&head(status, &EVIDENCE)).unwrap_err().code(), json_code, "{status}");
        }
        let says = |status| judge_json(&head(status, &[])).unwrap_err().to_string();
        assert!(says(403).contains("read:repository"));
        assert!(says(404).contains("does not exist, or it is hidden"));
        assert!(says(429).contains("HTTP 429"));
    }

    /// D-036b number 2, D-076.
    #[test]
    fn refuses_redirects() {
        for status in [300, 301, 302, 303, 305, 307, 308] {
            let moved = head(status, &[("location", "https://elsewhere.example/secret")]);
            for fault in [judge_evidence(&moved).unwrap_err(), judge_json(&moved).unwrap_err()] {
                assert_eq!(fault, Fault::Redirected(status));
                // D-077: no header's value is repeated.
                assert!(!fault.to_string().contains("elsewhere"));
            }
        }
    }

    /// D-036b number 3, D-070.
    #[test]
    fn refuses_other_types() {
        for values in [
            &[][..],
            &[""],
            &["text/html"],
            &["application/json; charset=latin1"],
            &["application/json; profile=x"],
            &["application/json; charset=utf-8; x=y"],
            &["application/json, text/plain"],
            &["application/json", "application/json"],
            &["text/plain", "application/json"],
            &["application/jsonx"],
            &["application/problem+json"],
        ] {
            refused("content-type", values, Rule::ContentType);
            assert_eq!(judge_json(&with("content-type", values)), Err(Fault::Json(Rule::ContentType)), "{values:?}");
        }
    }

    /// D-036b number 3, D-079, O-001: a stock forge's answer is told apart, and is never evidence.
    #[test]
    fn knows_a_stock_forge() {
        for (fields, framing) in [
            (&[("content-type", "text/plain; charset=utf-8"), ("transfer-encoding", "chunked")][..], Framing::Chunked),
            (&[("content-type", "text/plain;charset=utf-8"), ("content-length", "212")], Framing::Length),
            (&[("content-type", "application/octet-stream"), ("content-length", "212")], Framing::Length),
            (&[("content-length", "0")], Framing::Length),
        ] {
            let content_type =
                fields.first().filter(|(name, _)| *name == "content-type").map(|(_, kind)| (*kind).into());
            let transport = Transport { framing, content_type };
            assert_eq!(judge_diff(&head(200, fields)), Ok(transport.clone()), "{fields:?}");
            assert_eq!(judge_evidence(&head(200, fields)), Ok(Served::Stock(transport)), "{fields:?}");
        }
        for fields in [&[][..], &[("content-length", "7")], &[("content-type", "text/html"), ("content-length", "0")]] {
            assert!(judge_evidence(&head(200, fields)).is_err(), "{fields:?}");
            assert_eq!(judge_diff(&head(200, fields)), Err(Fault::Stock(Rule::PlainType)), "{fields:?}");
        }
    }

    /// O-004: a body whose end cannot be told from a cut, or that is not what the forge made, is no plain diff.
    #[test]
    fn a_plain_diff_is_framed() {
        let plain = ("content-type", "text/plain");
        for (fields, rule) in [
            (&[plain][..], Rule::Framing),
            (&[plain, ("transfer-encoding", "gzip, chunked")], Rule::Framing),
            (&[plain, ("content-length", "5"), ("content-length", "5")], Rule::Framing),
            (&[plain, ("content-length", "+5")], Rule::Framing),
            (&[plain, ("content-length", "5"), ("content-encoding", "gzip")], Rule::ContentEncoding),
            (&[plain, ("content-length", "5"), ("content-range", "bytes 0-4/5")], Rule::ContentRange),
        ] {
            assert_eq!(judge_diff(&head(200, fields)), Err(Fault::Stock(rule)), "{fields:?}");
            assert_eq!(judge_evidence(&head(200, fields)), Err(Fault::Stock(rule)), "{fields:?}");
        }
        for (status, code) in [(404, "not_found"), (500, "forge_error"), (409, "forge_error"), (302, "redirected")] {
            assert_eq!(judge_diff(&head(status, &[plain])).unwrap_err().code(), code);
        }
    }

    /// O-010: exactly the range that was asked for, or the whole.
    #[test]
    fn a_part_is_the_part_that_was_asked_for() {
        let range = |value| judge_raw(&head(206, &[("content-range", value)]), (0, 9), 10);
        assert_eq!(range("bytes 0-9/10"), Ok(()));
        assert_eq!(judge_raw(&head(200, &[]), (0, 9), 10), Ok(()));
        for other in ["bytes 0-8/10", "bytes 1-9/10", "bytes 0-9/11", "bytes 0-9/*"] {
            assert_eq!(range(other), Err(Fault::Json(Rule::ContentRange)), "{other}");
        }
        assert_eq!(judge_raw(&head(416, &[]), (0, 9), 10).unwrap_err().code(), "forge_error");
    }

    /// F-022 to F-027: every field of a part is as it was asked for, or nothing is taken.
    #[test]
    fn a_range_is_exact() {
        let blob = ObjectId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a").expect("an id");
        let sound = [
            ("content-range", "bytes 2-5/6"),
            ("content-length", "4"),
            ("etag", "\"ce013625030ba8dba906f756967f9e9ca394464a\""),
        ];
        let judged = |status, name: &str, values: &[&str]| {
            let mut fields: Vec<_> = sound.into_iter().filter(|(field, _)| *field != name).collect();
            fields.extend(values.iter().map(|value| (name, *value)));
            judge_range(&head(status, &fields), (2, 5), 6, blob)
        };
        assert_eq!(judged(206, "x", &[]), Ok(()));
        assert_eq!(judged(206, "content-encoding", &["Identity"]), Ok(()));
        for (name, values, rule) in [
            ("content-encoding", &["gzip"][..], Rule::Identity),
            ("content-encoding", &["identity", "br"], Rule::Identity),
            ("content-range", &[], Rule::Part),
            ("content-range", &["bytes 2-5/7"], Rule::Part),
            ("content-range", &["bytes 2-4/6"], Rule::Part),
            ("content-range", &["bytes 1-5/6"], Rule::Part),
            ("content-range", &["bytes 2-5/*"], Rule::Part),
            ("content-range", &["bytes 2-5/6", "bytes 2-5/6"], Rule::Part),
            ("content-length", &[], Rule::PartLength),
            ("content-length", &["5"], Rule::PartLength),
            ("content-length", &["04"], Rule::PartLength),
            ("etag", &[], Rule::EntityTag),
            ("etag", &["ce013625030ba8dba906f756967f9e9ca394464a"], Rule::EntityTag),
            ("etag", &["W/\"ce013625030ba8dba906f756967f9e9ca394464a\""], Rule::EntityTag),
            ("etag", &["\"ce013625030ba8dba906f756967f9e9ca394464b\""], Rule::EntityTag),
        ] {
            assert_eq!(judged(206, name, values), Err(Fault::Range(rule)), "{name}: {values:?}");
        }
        for (status, code) in [
            (200, "range_ignored"),
            (302, "redirected"),
            (304, "forge_error"),
            (401, "unauthorized"),
            (403, "forbidden"),
            (404, "not_found"),
            (416, "forge_error"),
            (429, "rate_limited"),
            (500, "forge_error"),
        ] {
            assert_eq!(judged(status, "x", &[]).unwrap_err().code(), code, "{status}");
        }
    }

    /// O-014: the forge's clock, if it shows it once.
    #[test]
    fn the_date_is_the_forges() {
        let at = |value| head(200, &[("date", value)]).date().map(OffsetDateTime::unix_timestamp);
        assert_eq!(at("Wed, 02 Dec 2026 01:15:51 GMT"), Some(1_796_174_151));
        assert_eq!((at("yesterday"), head(200, &[]).date()), (None, None));
    }

    /// D-036b number 4, D-071.
    #[test]
    fn refuses_other_cache_rules() {
        for values in [
            &[][..],
            &["private"],
            &["no-store"],
            &["private, no-store, max-age=0"],
            &["public, no-store"],
            &["max-age=0, private, must-revalidate"],
            &["private no-store"],
            &["private=x, no-store"],
            &["private,, no-store"],
        ] {
            refused("cache-control", values, Rule::CacheControl);
        }
    }

    /// D-036b number 5, D-072.
    #[test]
    fn refuses_ranges() {
        for values in [&[][..], &["bytes"], &["none, bytes"], &["none", "none"], &[""]] {
            refused("accept-ranges", values, Rule::AcceptRanges);
        }
    }

    /// D-036b number 6, D-073.
    #[test]
    fn refuses_lengths_that_are_not_canonical() {
        for values in [
            &[][..],
            &["5", "5"],
            &["5", "6"],
            &["+5"],
            &["-5"],
            &["05"],
            &["0x5"],
            &["a"],
            &["5, 5"],
            &["5,5"],
            &[" 5"],
            &["5 "],
            &["5.0"],
            &[""],
            &["9007199254740993"],
            &["99999999999999999999999"],
        ] {
            refused("content-length", values, Rule::ContentLength);
        }
    }

    /// D-036b numbers 7, 8 and 9, D-074, O-D6: their presence alone refuses.
    #[test]
    fn refuses_transformed_bodies() {
        for value in ["chunked", "identity", "gzip", ""] {
            refused("transfer-encoding", &[value], Rule::TransferEncoding);
            refused("content-encoding", &[value], Rule::ContentEncoding);
            let encoded = judge_json(&with("content-encoding", &[value]));
            assert_eq!(encoded, Err(Fault::Json(Rule::ContentEncoding)));
        }
        refused("content-range", &["bytes 0-4/5"], Rule::ContentRange);
        refused("Content-Range", &[""], Rule::ContentRange);
    }

    /// K-78: what a status says is said of what was asked for, with the scope that it needs.
    #[test]
    fn a_refusal_names_its_subject() {
        for subject in [Subject::REPOSITORY, Subject::REPOSITORIES, Subject::OWNER, Subject::ISSUE, Subject::ISSUES] {
            for status in [401, 403, 404, 429] {
                let fault = judge_json_about(&head(status, &[]), subject).unwrap_err();
                let says = fault.to_string();
                assert!(says.contains(subject.noun) && !says.contains("pull request"), "{says}");
                assert_eq!(says.contains(subject.scope), status == 403, "{says}");
                assert_eq!(judge_json(&head(status, &[])), Err(fault.fault));
            }
            for status in [302, 400, 500] {
                let says = judge_json_about(&head(status, &[]), subject).unwrap_err().to_string();
                assert!(says.contains(&format!("HTTP {status}")) && !says.contains("pull request"), "{says}");
            }
        }
    }

    /// Plain JSON has whatever framing the forge likes.
    #[test]
    fn accepts_json() {
        let fields = [("content-type", "application/json;charset=utf-8"), ("transfer-encoding", "chunked")];
        assert_eq!(judge_json(&head(200, &fields)), Ok(()));
    }
}
