//! API paths: checked as segments, encoded once; which of them are closed, and which repository they are about.
//!
//! The tools build paths from it and the host's origin port judges by it, so both mean the same by a segment. It knows
//! no origin and no credential.

mod areas;
mod repository;

use std::fmt::Write as _;

pub use areas::credential_area;
pub use repository::{About, NoRepositoryName, RepositoryName, about};

/// A path below the forge's API root, every segment encoded once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiPath(String);

/// Why a segment was refused. The texts hold no part of the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentError {
    /// There is none at all.
    #[error("an API path has at least one segment")]
    NoSegment,
    /// It has no bytes, and would vanish from the path.
    #[error("a path segment is empty")]
    Empty,
    /// It is `.` or `..`, or becomes so if a server decodes it again.
    #[error("a path segment is a dot segment, or becomes one when decoded again")]
    Dots,
    /// It holds a slash, or does if a server decodes it again.
    #[error("a path segment holds a slash, or does when decoded again")]
    Slash,
    /// It holds a NUL, which no path of git's or of a forge's has.
    #[error("a path segment holds a NUL")]
    Nul,
    /// It has more than 4,096 bytes.
    #[error("a path segment has more than 4,096 bytes")]
    Long,
}

/// Bytes of one segment; git's own limit for a path is this on the systems that forges run on.
const SEGMENT_BYTES: usize = 4_096;

impl ApiPath {
    /// Joins raw segments, each encoded once: every byte outside RFC 3986's unreserved set becomes `%XX`.
    ///
    /// # Errors
    /// The first segment that breaks a rule.
    pub fn from_segments<S: AsRef<[u8]>>(segments: &[S]) -> Result<Self, SegmentError> {
        let mut path = String::new();
        for segment in segments {
            check(segment.as_ref())?;
            path.push('/');
            encode(segment.as_ref(), &mut path);
        }
        if path.is_empty() { Err(SegmentError::NoSegment) } else { Ok(Self(path)) }
    }

    /// The path with its leading slash, ready to be put behind the API root.
    #[must_use]
    pub fn encoded(&self) -> &str {
        &self.0
    }
}

/// Joins pairs as `a=b&c=d`, names and values encoded once.
#[must_use]
pub fn encode_query<N: AsRef<str>, V: AsRef<str>>(pairs: &[(N, V)]) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        if !query.is_empty() {
            query.push('&');
        }
        encode(name.as_ref().as_bytes(), &mut query);
        query.push('=');
        encode(value.as_ref().as_bytes(), &mut query);
    }
    query
}

/// Judges a segment as it stands and as every further decoding would leave it: proxies are known to decode twice.
fn check(segment: &[u8]) -> Result<(), SegmentError> {
    if segment.is_empty() {
        return Err(SegmentError::Empty);
    }
    if segment.len() > SEGMENT_BYTES {
        return Err(SegmentError::Long);
    }
    let mut bytes = segment.to_vec();
    loop {
        match bytes.as_slice() {
            b"." | b".." => return Err(SegmentError::Dots),
            b if b.contains(&b'/') => return Err(SegmentError::Slash),
            b if b.contains(&0) => return Err(SegmentError::Nul),
            _ => {}
        }
        let decoded = decode(&bytes);
        if decoded.len() == bytes.len() {
            return Ok(());
        }
        bytes = decoded;
    }
}

/// Decodes every well-formed `%XX` once and leaves the rest.
fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        let pair = tail.split_at_checked(2).filter(|_| first == b'%');
        match pair.and_then(|(digits, after)| Some((hex(digits)?, after))) {
            Some((byte, after)) => {
                out.push(byte);
                rest = after;
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
    out
}

fn hex(digits: &[u8]) -> Option<u8> {
    digits.iter().try_fold(0_u8, |byte, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(byte << 4 | u8::try_from(value).ok()?)
    })
}

fn encode(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            out.push(char::from(*byte));
        } else {
            write!(out, "%{byte:02X}").expect("writing to a string does not fail");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(segments: &[&[u8]]) -> Result<String, SegmentError> {
        ApiPath::from_segments(segments).map(|path| path.encoded().to_owned())
    }

    /// D-005, K-46, K-47: every byte outside the unreserved set is encoded, once.
    #[test]
    fn encodes_once() {
        assert_eq!(path(&[b"repos", b"a b", b"c#d?e;f+g"]), Ok("/repos/a%20b/c%23d%3Fe%3Bf%2Bg".to_owned()));
        assert_eq!(path(&[b"100%25.txt"]), Ok("/100%2525.txt".to_owned()));
        assert_eq!(path(&[b"hello%mother.txt"]), Ok("/hello%25mother.txt".to_owned()));
        assert_eq!(path(&[b"latin1-\xe9.txt", b"7.diff"]), Ok("/latin1-%E9.txt/7.diff".to_owned()));
        assert_eq!(encode_query(&[("binary", "true"), ("a b", "c&d=e")]), "binary=true&a%20b=c%26d%3De");
    }

    #[test]
    fn refuses_what_could_leave_its_place() {
        assert_eq!(ApiPath::from_segments::<&[u8]>(&[]), Err(SegmentError::NoSegment));
        for (segment, why) in [
            (&b""[..], SegmentError::Empty),
            (b".", SegmentError::Dots),
            (b"..", SegmentError::Dots),
            (b"%2e%2E", SegmentError::Dots),
            (b".%2e", SegmentError::Dots),
            (b"%252e%252e", SegmentError::Dots),
            (b"%25252e.", SegmentError::Dots),
            (b"a/b", SegmentError::Slash),
            (b"a%2fb", SegmentError::Slash),
            (b"a%252Fb", SegmentError::Slash),
            (b"a\0", SegmentError::Nul),
            (b"a%00", SegmentError::Nul),
            (&[b'x'; 4_097], SegmentError::Long),
        ] {
            assert_eq!(path(&[segment]), Err(why), "{}", segment.escape_ascii());
        }
        assert_eq!(path(&[b"...", b"..a", b"%", b"%2", b"%zz"]), Ok("/.../..a/%25/%252/%25zz".to_owned()));
    }

    proptest! {
        #[test]
        fn an_accepted_segment_decodes_to_itself(segment in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(encoded) = path(&[&segment]) {
                prop_assert_eq!(decode(&encoded.as_bytes()[1..]), segment);
                prop_assert!(encoded[1..].bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)));
            }
        }
    }
}
