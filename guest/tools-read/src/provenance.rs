//! Where an answer's values come from: what was asked, and when the forge says that it answered (G-144).
//!
//! A component knows neither the forge's address nor the time. So the address is the path below the API's root as it was
//! sent, and the times are the `Date` fields of the first and the last answer, null where a forge sends none.

use assay_forge::http::Head;
use assay_origin::RepoTarget;
use serde::Serialize;
use time::format_description::well_known::Rfc3339;

/// Kept apart from the identities that the forge gave.
#[derive(Debug, Serialize)]
pub(crate) struct Provenance<'a> {
    api_url: String,
    requested: Requested<'a>,
    observed_start: Option<String>,
    observed_end: Option<String>,
}

#[derive(Debug, Serialize)]
struct Requested<'a> {
    owner: &'a str,
    repo: &'a str,
}

impl<'a> Provenance<'a> {
    /// Of an answer that was read from `first` to `last`.
    pub(crate) fn new(
        target: &'a RepoTarget,
        path: &[&[u8]],
        query: &[(&str, &str)],
        first: &Head,
        last: &Head,
    ) -> Self {
        Self {
            api_url: sent(path, query),
            requested: Requested { owner: target.owner.as_str(), repo: target.repo.as_str() },
            observed_start: date(first),
            observed_end: date(last),
        }
    }
}

fn date(head: &Head) -> Option<String> {
    head.date()?.format(&Rfc3339).ok()
}

/// The target as the host's port writes it: every byte outside the unreserved ones is encoded, once.
fn sent(path: &[&[u8]], query: &[(&str, &str)]) -> String {
    let mut target = String::new();
    for segment in path {
        target.push('/');
        encode(segment, &mut target);
    }
    for (number, (name, value)) in query.iter().enumerate() {
        target.push(if number == 0 { '?' } else { '&' });
        encode(name.as_bytes(), &mut target);
        target.push('=');
        encode(value.as_bytes(), &mut target);
    }
    target
}

fn encode(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.extend(
                [byte >> 4, byte & 15]
                    .map(|digit| char::from(b"0123456789ABCDEF".get(usize::from(digit)).copied().unwrap_or(b'0'))),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G-144.
    #[test]
    fn the_target_is_the_one_that_was_sent() {
        assert_eq!(
            sent(&[b"repos", b"a b", b"%\xe9~"], &[("x", "1+1"), ("y", "&")]),
            "/repos/a%20b/%25%E9~?x=1%2B1&y=%26"
        );
        let head = |date: &str| Head { status: 200, headers: vec![("date".into(), date.into())] };
        assert_eq!(date(&head("Wed, 02 Dec 2026 01:15:28 GMT")).as_deref(), Some("2026-12-02T01:15:28Z"));
        assert_eq!(date(&head("yesterday")), None);
    }
}
