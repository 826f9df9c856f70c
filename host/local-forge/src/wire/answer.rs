//! How a released forge words its answers: headers, framing, error bodies. What they say is decided by `routes`.

use std::{convert::Infallible, io};

use bytes::Bytes;
use futures_util::stream;
use http::{
    HeaderValue, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS},
};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use serde::Serialize;

use crate::{operator::accounts::Area, serve::access::BadCredential, wire::shapes::NO_TEXT};

/// Go's response buffer: a shorter body gets a `Content-Length`, others are chunked.
pub(crate) const BUFFER: usize = 2048;

/// What is sent back.
pub(crate) type Answer = Response<Body>;
/// A body whose failure cuts the connection.
pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// The type of all JSON.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json;charset=utf-8");
/// The type of plain text.
pub(crate) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const NOT_FOUND: &str = "The target couldn't be found.";

/// The wording of one forge, which names itself in its errors.
#[derive(Debug)]
pub(crate) struct Wording {
    /// Where the forge is: `http://127.0.0.1:3000`.
    pub(crate) base: String,
}

#[derive(Serialize)]
struct Fault<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Option<&'a [String]>>,
    message: &'a str,
    url: &'a str,
}

impl Wording {
    /// 404 for what is missing and for what the caller may not know of alike.
    pub(crate) fn not_found(&self) -> Answer {
        self.fault(StatusCode::NOT_FOUND, NOT_FOUND, Some(None))
    }

    /// 404 with a reason, as branches have one.
    pub(crate) fn not_found_because(&self, reason: String) -> Answer {
        self.fault(StatusCode::NOT_FOUND, NOT_FOUND, Some(Some(&[reason])))
    }

    /// 401 for a credential that opens nothing, on public data too.
    pub(crate) fn bad_credential(&self, bad: &BadCredential) -> Answer {
        let message = format!("user does not exist [uid: 0, name: {}, keyid: 0]", bad.name);
        self.fault(StatusCode::UNAUTHORIZED, &message, None)
    }

    /// 401 where an account is needed.
    pub(crate) fn token_required(&self) -> Answer {
        self.fault(StatusCode::UNAUTHORIZED, "token is required", None)
    }

    /// 403 before anything is looked up.
    pub(crate) fn missing_scope(&self, area: Area, write: bool) -> Answer {
        let (kind, name) = (if write { "write" } else { "read" }, area.name());
        let message = format!("token does not have at least one of required scope(s): [{kind}:{name}]");
        self.fault(StatusCode::FORBIDDEN, &message, None)
    }

    /// A refusal in these words.
    pub(crate) fn refused(&self, status: StatusCode, message: &str) -> Answer {
        self.fault(status, message, None)
    }

    /// 404 in other words than usual, with reasons or none.
    pub(crate) fn not_found_as(&self, message: &str, reasons: Option<&[String]>) -> Answer {
        self.fault(StatusCode::NOT_FOUND, message, Some(reasons))
    }

    /// 500, which says nothing to anybody.
    pub(crate) fn broken(&self) -> Answer {
        self.fault(StatusCode::INTERNAL_SERVER_ERROR, "", None)
    }

    /// What a forge adds to a diff that broke off after its first byte.
    pub(crate) fn broken_tail(&self) -> Bytes {
        encode(&Fault { errors: None, message: "", url: &self.swagger() })
    }

    fn fault(&self, status: StatusCode, message: &str, errors: Option<Option<&[String]>>) -> Answer {
        json(status, &Fault { errors, message, url: &self.swagger() })
    }

    fn swagger(&self) -> String {
        format!("{}/api/swagger", self.base)
    }
}

/// 403 for everybody without an account.
pub(crate) fn sign_in_required() -> Answer {
    #[derive(Serialize)]
    struct OnlySignedIn {
        message: &'static str,
    }
    json(StatusCode::FORBIDDEN, &OnlySignedIn { message: "Only signed in user is allowed to call APIs." })
}

/// 404 for a path that is no route.
pub(crate) fn no_route() -> Answer {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}

/// 405 with nothing in it but for what is allowed.
pub(crate) fn wrong_method(allowed: &'static str) -> Answer {
    let mut answer = empty(StatusCode::METHOD_NOT_ALLOWED);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// A short text.
pub(crate) fn text(status: StatusCode, text: &'static str) -> Answer {
    let mut answer = whole(status, Bytes::from_static(text.as_bytes()));
    answer.headers_mut().insert(CONTENT_TYPE, TEXT);
    answer
}

/// JSON as Go writes it.
pub(crate) fn json<T: Serialize>(status: StatusCode, value: &T) -> Answer {
    let mut answer = whole(status, encode(value));
    answer.headers_mut().insert(CONTENT_TYPE, JSON);
    answer
}

/// A body that is there already.
pub(crate) fn whole(status: StatusCode, body: Bytes) -> Answer {
    if body.len() >= BUFFER {
        return streamed(status, body);
    }
    let mut answer = empty(status);
    *answer.body_mut() = sized(body);
    answer
}

/// A body in chunks, however short it is.
pub(crate) fn streamed(status: StatusCode, body: Bytes) -> Answer {
    let mut answer = empty(status);
    *answer.body_mut() = boxed(StreamBody::new(stream::once(std::future::ready(Ok(Frame::data(body))))));
    answer
}

/// A body under a length.
pub(crate) fn sized(body: Bytes) -> Body {
    boxed(Full::new(body).map_err(|never: Infallible| match never {}))
}

/// No body, and the headers that every answer has.
pub(crate) fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(boxed(Full::default().map_err(|never: Infallible| match never {})));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=0, private, must-revalidate, no-transform"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("SAMEORIGIN"));
    answer
}

pub(crate) fn boxed(body: impl http_body::Body<Data = Bytes, Error = io::Error> + Send + 'static) -> Body {
    body.boxed_unsync()
}

/// Go's encoder escapes what could start markup, and ends with a line feed.
pub(crate) fn encode<T: Serialize>(value: &T) -> Bytes {
    let plain = serde_json::to_string(value).expect("the shapes are structs of plain data");
    let mut escaped = String::with_capacity(plain.len() + 64);
    for c in plain.chars() {
        match c {
            // Outside strings JSON has none of these.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            NO_TEXT => escaped.push_str("\\ufffd"),
            other => escaped.push(other),
        }
    }
    escaped.push('\n');
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_escaped_as_go_does() {
        assert_eq!(encode(&["<a>&\u{2028}\"é"]), "[\"\\u003ca\\u003e\\u0026\\u2028\\\"é\"]\n");
    }

    /// Recording 122: each byte that is no UTF-8 is one escape.
    #[test]
    fn what_is_no_text_is_escaped_a_byte_at_a_time() {
        let name = crate::wire::shapes::text(b"\xe2\x82 \xe9 \xef\xbf\xbd");
        assert_eq!(encode(&name), "\"\\ufffd\\ufffd \\ufffd \u{fffd}\"\n");
    }

    #[test]
    fn a_body_below_the_buffer_has_a_length() {
        let exact = |length| whole(StatusCode::OK, vec![b'x'; length].into()).body().size_hint_exact();
        assert_eq!((exact(BUFFER - 1), exact(BUFFER)), (Some(2047), None));
    }

    trait SizeHintExact {
        fn size_hint_exact(&self) -> Option<u64>;
    }

    impl SizeHintExact for Body {
        fn size_hint_exact(&self) -> Option<u64> {
            http_body::Body::size_hint(self).exact()
        }
    }
}
