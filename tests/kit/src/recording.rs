//! What a real forge was asked and what it answered, as recorded in `tests/recordings`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Headers of a request that are not sent again as they are.
const OURS: [&str; 6] = ["host", "user-agent", "accept", "connection", "authorization", "content-length"];

/// One recorded exchange.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its file's, without the ending.
    pub name: String,
    /// In capitals.
    pub method: String,
    /// Path and query as they were sent.
    pub target: String,
    /// The request's fields that mean something.
    pub sent: Vec<(String, String)>,
    /// The request's body; none is empty.
    pub sent_body: Vec<u8>,
    /// Whether there was a credential.
    pub had_credential: bool,
    /// Such as `HTTP/1.1 200 OK`.
    pub status_line: String,
    /// The response's fields, in order.
    pub headers: Vec<(String, String)>,
    /// The response's body.
    pub body: RecordedBody,
}

/// A body without its chunks.
#[derive(Clone, Debug)]
pub enum RecordedBody {
    /// All of it.
    Whole(Vec<u8>),
    /// Its start, how much of it was left out, and its end.
    Cut(Vec<u8>, usize, Vec<u8>),
}

impl Recording {
    /// Where they are.
    #[must_use]
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../recordings")
    }

    /// The names of all, in order.
    #[must_use]
    pub fn names() -> Vec<String> {
        let files = fs::read_dir(Self::folder()).expect("the recordings are there");
        let files = files.map(|file| file.expect("it is readable").file_name().into_string().expect("a plain name"));
        let numbered = files.filter(|file| file.starts_with(|first: char| first.is_ascii_digit()));
        let mut names: Vec<String> = numbered.filter_map(|file| file.strip_suffix(".txt").map(str::to_owned)).collect();
        names.sort();
        names
    }

    /// The one of that name.
    #[must_use]
    pub fn read(name: &str) -> Self {
        let bytes = fs::read(Self::folder().join(format!("{name}.txt"))).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (request, response) = split(&bytes, b"<<< RESPONSE (raw head)\n").expect("there is a response");
        let (head, rest) = split(response, b"\n\n").expect("the head ends");
        let (_, body) = split(rest, b"\n").expect("the body's note is a line");
        let (asked, sent_body) = split(request, b"\n\n").expect("the request's head ends");
        let asked = String::from_utf8_lossy(asked).into_owned();
        let mut words = asked.lines().nth(1).expect("there is a request line").split(' ');
        let (method, target) = (words.next().expect("a method"), words.next().expect("a target"));
        let sent = pairs(&asked);
        let had_credential = sent.iter().any(|(name, _)| name == "Authorization");
        let head = String::from_utf8_lossy(head).into_owned();
        Self {
            name: name.to_owned(),
            method: method.to_owned(),
            target: target.to_owned(),
            sent: sent.into_iter().filter(|(name, _)| !OURS.contains(&&*name.to_ascii_lowercase())).collect(),
            sent_body: sent_body.trim_ascii_end().to_vec(),
            had_credential,
            status_line: head.lines().next().expect("there is a status line").to_owned(),
            headers: pairs(&head),
            body: RecordedBody::read(body),
        }
    }

    /// The status code.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status_line.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status line has a code")
    }
}

impl RecordedBody {
    fn read(bytes: &[u8]) -> Self {
        let cut = split(bytes, b"\n### ... ").and_then(|(start, rest)| {
            let (number, end) = split(rest, b" bytes cut ...\n")?;
            let number = std::str::from_utf8(number).ok()?.parse().ok()?;
            Some(Self::Cut(start.to_vec(), number, end.to_vec()))
        });
        cut.unwrap_or_else(|| Self::Whole(bytes.to_vec()))
    }

    /// Whether `whole` can be it: the same length, start and end.
    #[must_use]
    pub fn agrees_with(&self, whole: &[u8]) -> bool {
        match self {
            Self::Whole(bytes) => bytes == whole,
            Self::Cut(start, left_out, end) => {
                let length = start.len() + left_out + end.len();
                whole.len() == length && whole.starts_with(start) && whole.ends_with(end)
            }
        }
    }
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.lines().filter_map(|line| line.trim_end_matches('\r').split_once(": "));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let start = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..start], &bytes[start + at.len()..]))
}
