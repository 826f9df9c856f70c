//! What can go wrong between a forge and its client, as data: a suite goes through [`Fault::of`] and forgets none.
//!
//! A fault turns one right response into what the forge does instead, request by request. What is wrong inside an entity
//! whose transfer is right is made by [`crate::evidence`].

use std::time::Duration;

use crate::{
    response::{Framing, Response},
    scripted::{Delivery, Step},
};

/// One fault around a right response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The response ends after so many bytes (head included), the connection well closed.
    CutThenClose(usize),
    /// The response ends after so many bytes (head included), the connection reset.
    CutThenReset(usize),
    /// One bit of this byte of the body is wrong; the length is right.
    Flip(usize),
    /// `Content-Length` is off by this much; the body is whole.
    LengthOff(i64),
    /// `Content-Length` reads like this.
    LengthReads(&'static str),
    /// There is no `Content-Length`; the body ends with the connection.
    NoLength,
    /// A field stands twice with the same value.
    Repeated(&'static str),
    /// A second `Content-Length` says something else.
    ConflictingLength,
    /// A field that has no place in such an answer, or a known one with another value.
    Header(&'static str, &'static str),
    /// A field is missing.
    Missing(&'static str),
    /// Chunks instead of a length.
    Chunked,
    /// Chunks and a length.
    ChunkedWithLength,
    /// Bytes that the length does not count follow the body.
    Surplus,
    /// Another status, with the right body.
    Status(u16),
    /// A redirect.
    Redirect {
        /// The status.
        status: u16,
        /// Where to.
        location: String,
    },
    /// Too many requests, with so many seconds to wait or without saying.
    TooMany {
        /// The field's value.
        retry_after: Option<&'static str>,
    },
    /// The token stops working at this request, counted from 1; the ones before are answered well.
    RevokedFrom(usize),
    /// The answer is another from this request on, counted from 1.
    MovedFrom(usize, Box<Response>),
    /// Bytes that are no HTTP.
    NotHttp,
    /// A head of more than this many bytes.
    HugeHead(usize),
    /// A field after another, without end, until the client leaves.
    EndlessHead,
    /// Nothing comes, not even a head.
    NeverAnswers,
    /// The head comes, then so many bytes of the body, then nothing.
    StallsAfter(usize),
    /// The body comes in pieces of so many bytes with a millisecond between them. Nothing is wrong with that (D-068).
    SlowBody(usize),
    /// Every byte, the head's too, is a write of its own. Nothing is wrong with that (D-078).
    ByteByByte,
}

impl Fault {
    /// Every kind of fault that a right response can suffer and that must end in a refusal, in representative places.
    ///
    /// Left out are the two that need time-outs ([`Fault::NeverAnswers`], [`Fault::StallsAfter`]) and the harmless ones.
    /// `foreign` is a URL that must never be asked.
    #[must_use]
    pub fn of(good: &Response, foreign: &str) -> Vec<Self> {
        let head = good.head().len();
        let body = good.body.len();
        let mut faults = Vec::new();
        for at in [0, 1, head / 2, head - 1, head, head + 1, head + body / 2, head + body - 1] {
            faults.push(Self::CutThenClose(at));
            faults.push(Self::CutThenReset(at));
        }
        faults.extend([0, body / 2, body - 1].map(Self::Flip));
        faults.extend([-1, 1, 4_096].map(Self::LengthOff));
        let counted = [" 5, 5", "+5", "05", "0x5", "-1", "", "5 5", "9007199254740993", "18446744073709551616"];
        faults.extend(counted.map(Self::LengthReads));
        faults.extend([Self::NoLength, Self::Repeated("Content-Length"), Self::ConflictingLength]);
        faults.extend(["Content-Type", "Cache-Control", "Accept-Ranges"].map(Self::Missing));
        faults.extend([
            Self::Header("Content-Type", "text/plain; charset=utf-8"),
            Self::Header("Content-Type", "application/json; charset=latin1"),
            Self::Header("Cache-Control", "max-age=0, private, must-revalidate"),
            Self::Header("Accept-Ranges", "bytes"),
            Self::Header("Content-Encoding", "identity"),
            Self::Header("Content-Encoding", "gzip"),
            Self::Header("Content-Range", "bytes 0-4/5"),
            Self::Chunked,
            Self::ChunkedWithLength,
        ]);
        faults.extend([201, 203, 204, 206, 304, 400, 401, 403, 404, 409, 500, 502, 503].map(Self::Status));
        for status in [301, 302, 303, 307, 308] {
            faults.push(Self::Redirect { status, location: foreign.to_owned() });
        }
        faults.extend([None, Some("60"), Some("soon")].map(|retry_after| Self::TooMany { retry_after }));
        faults.extend([Self::RevokedFrom(1), Self::NotHttp, Self::HugeHead(1 << 20), Self::EndlessHead]);
        faults
    }

    /// What a client must not notice.
    #[must_use]
    pub fn harmless() -> Vec<Self> {
        vec![
            Self::SlowBody(64),
            Self::ByteByByte,
            Self::Header("Via", "1.1 edge"),
            Self::Repeated("Via"),
            Self::Header("Content-Type", "application/json;charset=utf-8"),
            Self::Header("Cache-Control", "No-Store, PRIVATE"),
            Self::Header("Link", "<http://127.0.0.1:9/never>; rel=\"next\""),
        ]
    }

    /// What the forge does at the first request, the second and so on; the last is repeated.
    #[must_use]
    pub fn script(&self, good: &Response) -> Vec<Delivery> {
        match self {
            Self::RevokedFrom(request) => from_request(*request, good, revoked()),
            Self::MovedFrom(request, other) => from_request(*request, good, Response::clone(other)),
            other => vec![other.once(good)],
        }
    }

    fn once(&self, good: &Response) -> Delivery {
        let closing = |response: Response| Delivery::from(response.spelled_out());
        match self {
            Self::CutThenClose(at) => Delivery(vec![Step::Bytes(first(&good.bytes(), *at)), Step::Close]),
            Self::CutThenReset(at) => Delivery(vec![Step::Bytes(first(&good.bytes(), *at)), Step::Reset]),
            Self::Flip(at) => {
                let mut response = good.clone();
                *response.body.get_mut(*at).expect("the byte to flip is in the body") ^= 1;
                response.into()
            }
            Self::LengthOff(by) => closing(good.clone().spelled_out().with("Content-Length", lie(good, *by))),
            Self::LengthReads(text) => closing(good.clone().spelled_out().with("Content-Length", text)),
            Self::NoLength => closing(good.clone().spelled_out().without("Content-Length")),
            Self::Repeated(name) => {
                let response = good.clone().spelled_out();
                let same = response.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
                let value = same.map_or_else(|| b"1.0 one".to_vec(), |(_, value)| value.clone());
                let missing = same.is_none();
                let response = response.header(name, &value);
                closing(if missing { response.header(name, "1.1 two") } else { response })
            }
            Self::ConflictingLength => closing(good.clone().spelled_out().header("Content-Length", lie(good, 1))),
            Self::Header(name, value) => good.clone().with(name, value).into(),
            Self::Missing(name) => good.clone().without(name).into(),
            Self::Chunked => good.clone().framed(Framing::Chunked(vec![7, 100, 16_384])).into(),
            Self::ChunkedWithLength => {
                let chunked = good.clone().framed(Framing::Chunked(vec![4_096])).spelled_out();
                closing(chunked.header("Content-Length", lie(good, 0)))
            }
            Self::Surplus => {
                let mut response = good.clone().spelled_out();
                response.body.extend_from_slice(b"surplus");
                closing(response)
            }
            Self::Status(status) => Response { status: *status, ..good.clone() }.spelled_out().into(),
            Self::Redirect { status, location } => {
                Response::new(*status, "<a href=\"elsewhere\">moved</a>").header("Location", location).into()
            }
            Self::TooMany { retry_after } => {
                let response = Response::error(429, "slow down, secret detail");
                retry_after.iter().fold(response, |response, after| response.header("Retry-After", after)).into()
            }
            Self::RevokedFrom(_) => revoked().into(),
            Self::MovedFrom(_, other) => Response::clone(other).into(),
            Self::NotHttp => Delivery(vec![Step::Bytes(b"\x16\x03\x01\x00 220 hello\n\n".to_vec()), Step::Close]),
            Self::HugeHead(bytes) => good.clone().header("X-Padding", "x".repeat(*bytes)).into(),
            Self::EndlessHead => {
                // As many as no client takes; the client leaves long before.
                let field = format!("X-Padding: {}\r\n", "x".repeat(1_000)).into_bytes();
                let start = Step::Bytes(b"HTTP/1.1 200 OK\r\n".to_vec());
                let fields = std::iter::repeat_n(Step::Bytes(field.repeat(64)), 1_024);
                Delivery(std::iter::once(start).chain(fields).chain([Step::Stall]).collect())
            }
            Self::NeverAnswers => Delivery(vec![Step::Stall]),
            Self::StallsAfter(bytes) => {
                let sent = first(&good.bytes(), good.head().len() + bytes);
                Delivery(vec![Step::Bytes(sent), Step::Stall])
            }
            Self::SlowBody(piece) => {
                let framed = good.bytes();
                let head = good.head();
                let body = framed.get(head.len()..).unwrap_or_default();
                let mut steps = vec![Step::Bytes(head)];
                for part in body.chunks((*piece).max(1)) {
                    steps.extend([Step::Pause(Duration::from_millis(1)), Step::Bytes(part.to_vec())]);
                }
                ended(good, steps)
            }
            Self::ByteByByte => ended(good, good.bytes().into_iter().map(|byte| Step::Bytes(vec![byte])).collect()),
        }
    }
}

fn from_request(request: usize, good: &Response, then: Response) -> Vec<Delivery> {
    let before = std::iter::repeat_n(good.clone(), request.saturating_sub(1));
    before.chain([then]).map(Delivery::from).collect()
}

fn ended(good: &Response, mut steps: Vec<Step>) -> Delivery {
    if good.closes() {
        steps.push(Step::Close);
    }
    Delivery(steps)
}

fn revoked() -> Response {
    Response::error(401, "user does not exist [uid: 0, name: ]")
}

fn first(bytes: &[u8], count: usize) -> Vec<u8> {
    bytes.get(..count).unwrap_or(bytes).to_vec()
}

fn lie(good: &Response, by: i64) -> String {
    let length = i64::try_from(good.body.len()).expect("a test's body is small");
    (length + by).to_string()
}

#[cfg(test)]
mod tests {
    use std::{
        io::{ErrorKind, Read as _, Write as _},
        net::TcpStream,
    };

    use super::*;
    use crate::{evidence::Evidence, repository::ObjectFormat, scripted::ScriptedForge};

    fn good() -> Response {
        Evidence::new("diff --git a/x b/x\n", 7, ObjectFormat::Sha1).response()
    }

    // What a client sees at each of three requests, each over a connection of its own.
    fn seen(fault: &Fault, good: &Response) -> Vec<(Vec<u8>, Option<ErrorKind>)> {
        let forge = ScriptedForge::start();
        forge.script("GET", "/", fault.script(good));
        let mut seen = Vec::new();
        for _ in 0..3 {
            let mut stream = TcpStream::connect(forge.address()).expect("the forge listens");
            stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("the forge reads");
            // The forge may have ended the connection already.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut bytes = Vec::new();
            let ended = stream.read_to_end(&mut bytes);
            seen.push((bytes, ended.err().map(|error| error.kind())));
        }
        forge.assert_foreseen();
        seen
    }

    fn once(fault: &Fault) -> Vec<u8> {
        seen(fault, &good()).swap_remove(0).0
    }

    #[test]
    fn a_cut_ends_at_its_byte() {
        let good = good();
        for at in [0, 1, good.head().len(), good.bytes().len() - 1] {
            let (bytes, error) = seen(&Fault::CutThenClose(at), &good).swap_remove(0);
            assert_eq!((bytes, error), (first(&good.bytes(), at), None));
        }
        // A reset may overtake bytes that were on their way, so only its kind is certain.
        let (_, error) = seen(&Fault::CutThenReset(40), &good).swap_remove(0);
        assert_eq!(error, Some(ErrorKind::ConnectionReset));
    }

    #[test]
    fn a_flip_changes_one_byte_and_no_length() {
        let (bytes, good) = (once(&Fault::Flip(9)), good().bytes());
        assert_eq!(bytes.len(), good.len());
        assert_eq!(bytes.iter().zip(&good).filter(|(a, b)| a != b).count(), 1);
    }

    #[test]
    fn lengths_lie_as_told() {
        let text = |fault| String::from_utf8(once(&fault)).expect("ASCII");
        let length = good().body.len();
        assert!(text(Fault::LengthOff(-1)).contains(&format!("Content-Length: {}\r\n", length - 1)));
        assert!(text(Fault::LengthReads("+5")).contains("Content-Length: +5\r\n"));
        assert_eq!(text(Fault::Repeated("Content-Length")).matches("Content-Length").count(), 2);
        assert_eq!(text(Fault::Repeated("Via")).matches("Via: ").count(), 2);
        assert!(!text(Fault::NoLength).contains("Content-Length"));
        let both = text(Fault::ChunkedWithLength);
        assert!(both.contains("Content-Length") && both.contains("Transfer-Encoding: chunked"), "{both}");
        assert!(text(Fault::Surplus).ends_with("}surplus"));
    }

    #[test]
    fn what_begins_later_spares_the_requests_before() {
        let other = Response::new(200, "other");
        for (fault, then) in [(Fault::RevokedFrom(2), "401"), (Fault::MovedFrom(2, Box::new(other)), "other")] {
            let seen = seen(&fault, &good());
            assert_eq!(seen[0].0, good().bytes());
            for (bytes, _) in &seen[1..] {
                assert!(String::from_utf8_lossy(bytes).contains(then), "{fault:?}");
            }
        }
    }

    #[test]
    fn nothing_harmless_changes_the_body() {
        for fault in Fault::harmless() {
            let bytes = once(&fault);
            assert!(bytes.ends_with(&good().body), "{fault:?}");
            assert!(bytes.starts_with(b"HTTP/1.1 200 OK\r\n"), "{fault:?}");
        }
    }

    #[test]
    fn every_fault_is_one() {
        let good = good();
        let faults = Fault::of(&good, "http://127.0.0.1:9/");
        for fault in &faults {
            if matches!(fault, Fault::EndlessHead | Fault::CutThenReset(_)) {
                continue;
            }
            assert_ne!(once(fault), good.bytes(), "{fault:?}");
        }
        assert!(faults.len() > 60, "{}", faults.len());
    }
}
