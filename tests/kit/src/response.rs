//! One HTTP response as data, and its bytes on the wire.
//!
//! It says nothing about when the bytes arrive or whether they all do: that is [`crate::faulty`].

use serde_json::{Value, json};

/// Go's server keeps a body below this many bytes back to count it; from here on it sends chunks.
const COUNTED_BELOW: usize = 2_048;

/// How the end of the body is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One `Content-Length`, right.
    Length,
    /// `Transfer-Encoding: chunked` in chunks of these sizes, the last of them repeated; none means one chunk.
    Chunked(Vec<usize>),
    /// No length at all: the connection's end is the body's.
    UntilClose,
    /// Nothing is added to the headers, the body is sent as it is and the connection closed: for lengths that lie.
    Raw,
}

/// A response: status line, fields in order, body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: String,
    /// The fields in order, framing fields excluded unless [`Framing::Raw`].
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body before chunking.
    pub body: Vec<u8>,
    /// How the body ends.
    pub framing: Framing,
}

impl Response {
    /// A response without fields, with its length.
    #[must_use]
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let reason = reason(status).to_owned();
        Self { status, reason, headers: Vec::new(), body: body.into(), framing: Framing::Length }
    }

    /// JSON as Forgejo and Gitea send it: their spelling of the type, and chunks from 2,048 bytes on.
    #[must_use]
    pub fn json(status: u16, value: &Value) -> Self {
        Self::json_text(status, value.to_string())
    }

    /// As [`Response::json`], with the text as it is: for JSON that no library would write.
    #[must_use]
    pub fn json_text(status: u16, text: impl Into<Vec<u8>>) -> Self {
        Self::new(status, text)
            .header("Cache-Control", "max-age=0, private, must-revalidate")
            .header("Content-Type", "application/json;charset=utf-8")
            .framed_as_go_does()
    }

    /// A forge's error body.
    #[must_use]
    pub fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "errors": null, "message": message, "url": "http://localhost/api/swagger" }))
    }

    /// A diff as a stock forge sends it: no hash, often no length, and no type where it is empty.
    #[must_use]
    pub fn stock_diff(diff: impl Into<Vec<u8>>) -> Self {
        let response = Self::new(200, diff).header("Cache-Control", "max-age=0, private, must-revalidate");
        if response.body.is_empty() {
            return response;
        }
        response.header("Content-Type", "text/plain; charset=utf-8").framed_as_go_does()
    }

    /// With one more field at the end.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// Without any field of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(have, _)| !have.eq_ignore_ascii_case(name));
        self
    }

    /// With exactly one field of that name.
    #[must_use]
    pub fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).header(name, value)
    }

    /// With another framing.
    #[must_use]
    pub fn framed(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Written out: framing fields are ordinary fields, so that each can be changed, and nothing is added any more.
    #[must_use]
    pub fn spelled_out(mut self) -> Self {
        self.headers = self.wire_headers();
        self.body = self.wire_body();
        self.framing = Framing::Raw;
        self
    }

    /// The fields as they go out, framing fields included.
    #[must_use]
    pub fn wire_headers(&self) -> Vec<(String, Vec<u8>)> {
        let mut headers = self.headers.clone();
        match self.framing {
            Framing::Length => headers.push(("Content-Length".into(), self.body.len().to_string().into_bytes())),
            Framing::Chunked(_) => headers.push(("Transfer-Encoding".into(), b"chunked".to_vec())),
            Framing::UntilClose => headers.push(("Connection".into(), b"close".to_vec())),
            Framing::Raw => {}
        }
        headers
    }

    /// Status line, fields and the empty line.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, self.reason).into_bytes();
        for (name, value) in self.wire_headers() {
            head.extend_from_slice(name.as_bytes());
            head.extend_from_slice(b": ");
            head.extend_from_slice(&value);
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// Everything that goes out.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(self.wire_body());
        bytes
    }

    /// Whether the connection has to end after this response.
    #[must_use]
    pub fn closes(&self) -> bool {
        matches!(self.framing, Framing::UntilClose | Framing::Raw)
    }

    fn wire_body(&self) -> Vec<u8> {
        match &self.framing {
            Framing::Chunked(sizes) => chunked(&self.body, sizes),
            Framing::Length | Framing::UntilClose | Framing::Raw => self.body.clone(),
        }
    }

    fn framed_as_go_does(self) -> Self {
        let framing = if self.body.len() < COUNTED_BELOW { Framing::Length } else { Framing::Chunked(vec![4_096]) };
        self.framed(framing)
    }
}

fn chunked(body: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 64);
    let mut rest = body;
    let mut sizes = sizes.iter().copied();
    let mut size = body.len();
    while !rest.is_empty() {
        size = sizes.next().unwrap_or(size).max(1);
        let (chunk, after) = rest.split_at_checked(size).unwrap_or((rest, &[]));
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
        rest = after;
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_counted() {
        let bytes = Response::new(200, "abc").header("X", "1").bytes();
        assert_eq!(bytes, b"HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 3\r\n\r\nabc");
    }

    #[test]
    fn chunks_have_the_sizes_asked_for() {
        let response = Response::new(200, "abcdefg").framed(Framing::Chunked(vec![1, 3]));
        assert!(response.bytes().ends_with(b"\r\n\r\n1\r\na\r\n3\r\nbcd\r\n3\r\nefg\r\n0\r\n\r\n"));
        let whole = Response::new(200, "abc").framed(Framing::Chunked(Vec::new()));
        assert!(whole.bytes().ends_with(b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
    }

    #[test]
    fn stock_answers_are_framed_as_go_frames_them() {
        assert_eq!(Response::stock_diff("x".repeat(2_047)).framing, Framing::Length);
        assert_eq!(Response::stock_diff("x".repeat(2_048)).framing, Framing::Chunked(vec![4_096]));
        assert!(Response::stock_diff("").headers.iter().all(|(name, _)| name != "Content-Type"));
    }

    #[test]
    fn spelling_out_changes_no_byte() {
        for framing in [Framing::Length, Framing::Chunked(vec![2]), Framing::UntilClose] {
            let response = Response::new(404, "gone").header("A", "b").framed(framing);
            assert_eq!(response.clone().spelled_out().bytes(), response.bytes());
        }
    }
}
