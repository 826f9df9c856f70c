//! A JSON answer with one object's content in it as base64, sent a piece at a time.
//!
//! Below Go's buffer the answer is whole, with a length; above it is chunked. A read that fails in between cuts the
//! connection.

use std::io;

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures_util::{Stream, stream};
use http::{StatusCode, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::StreamBody;
use serde::Serialize;

use crate::{
    git::objects::Content,
    wire::answer::{Answer, BUFFER, JSON, boxed, empty, encode, json},
};

/// Where the content goes. In JSON no string can hold these bytes, for its quotes would be escaped.
const PLACE: &[u8] = b"\"content\":\"";

/// The answer `value`, whose first member `content` is the empty string, with `content` there instead.
pub(crate) async fn with_content<T: Serialize>(value: &T, mut content: Content) -> io::Result<Answer> {
    let encoded = encode(value);
    let Some(at) = encoded.windows(PLACE.len()).position(|window| window == PLACE) else {
        return Ok(json(StatusCode::OK, value));
    };
    let (before, after) = (encoded.slice(..at + PLACE.len()), encoded.slice(at + PLACE.len()..));
    let length = encoded.len() as u64 + content.left().div_ceil(3) * 4;
    // Read before the status is out, so that an object that cannot be read at all has an honest one.
    let first = content.next().await?.unwrap_or_default();
    let mut answer = empty(StatusCode::OK);
    answer.headers_mut().insert(CONTENT_TYPE, JSON);
    let start: Bytes = [&before[..], STANDARD.encode(&first).as_bytes()].concat().into();
    let rest = Sent::Start(start, content, after);
    *answer.body_mut() = if length < BUFFER as u64 {
        let mut whole = Vec::new();
        let mut pieces = Box::pin(rest.stream());
        while let Some(piece) = stream::StreamExt::next(&mut pieces).await {
            whole.extend_from_slice(&piece?);
        }
        crate::wire::answer::sized(whole.into())
    } else {
        boxed(StreamBody::new(stream::StreamExt::map(rest.stream(), |piece| piece.map(Frame::data))))
    };
    Ok(answer)
}

/// What has been sent so far decides what comes next.
enum Sent {
    Start(Bytes, Content, Bytes),
    Middle(Content, Bytes),
    All,
}

impl Sent {
    fn stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(self, |sent| async move {
            match sent {
                Self::Start(start, content, after) => Some((Ok(start), Self::Middle(content, after))),
                Self::Middle(mut content, after) => Some(match content.next().await {
                    Ok(Some(piece)) => (Ok(STANDARD.encode(&piece).into()), Self::Middle(content, after)),
                    Ok(None) => (Ok(after), Self::All),
                    Err(e) => (Err(e), Self::All),
                }),
                Self::All => None,
            }
        })
    }
}
