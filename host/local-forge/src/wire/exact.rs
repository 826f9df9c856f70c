//! A streamed body whose length is known before its first byte, so that it goes out under one `Content-Length`.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::Stream;
use http_body::{Body, Frame, SizeHint};

/// The bytes of a stream, of which there must be `left` more. The stream that gives more or fewer ends in an error,
/// which cuts the connection: a reader then sees a short body, never a wrong one.
pub(crate) struct Exact<S> {
    stream: S,
    left: u64,
}

impl<S> Exact<S> {
    pub(crate) fn new(stream: S, length: u64) -> Self {
        Self { stream, left: length }
    }
}

impl<S: Stream<Item = io::Result<Bytes>> + Unpin> Body for Exact<S> {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let next = std::task::ready!(Pin::new(&mut self.stream).poll_next(cx));
        let bytes = match next {
            Some(Ok(bytes)) => bytes,
            Some(Err(e)) => return Poll::Ready(Some(Err(e))),
            None => return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into()))),
        };
        match self.left.checked_sub(bytes.len() as u64) {
            Some(left) => {
                self.left = left;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            None => Poll::Ready(Some(Err(io::Error::other("the body is longer than was said")))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;

    fn of(parts: &[&'static str], length: u64) -> Exact<impl Stream<Item = io::Result<Bytes>> + Unpin> {
        let parts: Vec<io::Result<Bytes>> = parts.iter().map(|p| Ok(Bytes::from_static(p.as_bytes()))).collect();
        Exact::new(stream::iter(parts), length)
    }

    #[tokio::test]
    async fn a_length_that_does_not_hold_is_an_error() {
        let whole = of(&["ab", "c"], 3).collect().await.expect("the length holds");
        assert_eq!(whole.to_bytes(), "abc");
        assert!(of(&["ab"], 3).collect().await.is_err());
        assert!(of(&["ab", "cd"], 3).collect().await.is_err());
    }
}
