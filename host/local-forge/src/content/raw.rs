//! `GET /raw/{path}`: a file as it is, or a part of it, under the headers of the recorded forge.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::{Stream, stream};
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{
        ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_RANGE, CONTENT_TYPE, ETAG,
        IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RANGE,
    },
};
use hyper::ext::ReasonPhrase;

use crate::{
    Error,
    git::{
        history::last_change,
        listing::{Entry, entry_at},
        objects::{self, Content},
        run::Failure,
    },
    operator::live::ObjectFault,
    serve::{
        routes::One,
        target::{Query, path_escape},
    },
    wire::{
        answer::{Answer, TEXT, boxed, empty, sized},
        exact::Exact,
        range::Span,
        sniff::{SNIFFED, content_type},
    },
};

impl One<'_> {
    pub(crate) async fn raw(&self, path: &[u8], query: &Query, headers: &HeaderMap) -> Result<Answer, Error> {
        let wording = &self.forge.wording;
        if self.snapshot.is_empty() {
            return Ok(wording.broken());
        }
        let Some(at) = self.at_in_path(path, query).await? else { return Ok(wording.not_found()) };
        let entry = match at.path.is_empty() {
            true => None,
            false => match entry_at(&self.forge.git, self.repository.dir(), &at.commit, &at.path).await? {
                Some(entry) => Some(entry),
                None => return Ok(wording.not_found()),
            },
        };
        let Some(entry) = entry.filter(|entry| entry.kind == "blob") else {
            return Ok(wording.not_found_as("getBlobForEntry", None));
        };
        let (_, seconds) = last_change(&self.forge.git, self.repository.dir(), &at.commit, &at.path).await?;
        // The format of HTTP ends with the year 9999.
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.min(253_402_300_799));
        let described = describe(&entry, modified);
        if is_known(headers, &entry.oid, modified) {
            let mut answer = empty(StatusCode::NOT_MODIFIED);
            answer.headers_mut().extend(described);
            return Ok(answer);
        }
        let opened = match self.forge.live.fault(&entry.oid) {
            Some(ObjectFault::NotFound) => return Ok(wording.not_found()),
            Some(ObjectFault::Missing | ObjectFault::Broken) => None,
            None => objects::open(&self.forge.git, self.repository.dir(), entry.oid.as_bytes()).await?,
        };
        let Some((found, content)) = opened else {
            let mut answer = wording.broken();
            answer.headers_mut().extend(described);
            answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=21600"));
            return Ok(answer);
        };
        let content = content.flipping(self.forge.live.next_flip(&found.oid));
        let mut answer = serve(headers, found.size, content).await.map_err(Failure::from)?;
        let fields = answer.headers_mut();
        fields.extend(described);
        fields.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=300"));
        fields.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("Content-Disposition"));
        if let Ok(name) = HeaderValue::from_bytes(&disposition(&at.path)) {
            fields.insert(CONTENT_DISPOSITION, name);
        }
        Ok(answer)
    }
}

/// What is said of a file with or without its content.
fn describe(entry: &Entry, modified: SystemTime) -> HeaderMap {
    let kind = HeaderValue::from_static(if entry.mode == "120000" { "symlink" } else { "file" });
    let mut headers = HeaderMap::new();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", entry.oid)) {
        headers.insert(ETAG, tag);
    }
    if let Ok(date) = HeaderValue::from_str(&httpdate::fmt_http_date(modified)) {
        headers.insert(LAST_MODIFIED, date);
    }
    headers.insert(HeaderName::from_static("x-forgejo-object-type"), kind.clone());
    headers.insert(HeaderName::from_static("x-gitea-object-type"), kind);
    headers
}

/// Whether the caller has the file already. A date counts only without a tag.
fn is_known(headers: &HeaderMap, oid: &str, modified: SystemTime) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(tags) = text(IF_NONE_MATCH) {
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").trim_matches('"') == oid;
        return tags.split(',').any(bare);
    }
    text(IF_MODIFIED_SINCE).and_then(|date| httpdate::parse_http_date(date).ok()).is_some_and(|since| modified <= since)
}

/// The content, or what of it was asked for.
async fn serve(headers: &HeaderMap, size: u64, mut content: Content) -> std::io::Result<Answer> {
    let span = Span::of(headers.get(RANGE).map(HeaderValue::as_bytes), size);
    let start = content.next().await?.unwrap_or_default();
    let kind = content_type(start.get(..SNIFFED).unwrap_or(&start));
    let (status, from, length) = match span {
        Span::Whole => (StatusCode::OK, 0, size),
        Span::Part(first, last) => (StatusCode::PARTIAL_CONTENT, first, last + 1 - first),
        Span::Unsatisfiable(why) => return Ok(refused(StatusCode::RANGE_NOT_SATISFIABLE, &why)),
        Span::Refused(why) => return Ok(refused(StatusCode::BAD_REQUEST, &why)),
    };
    let mut answer = empty(status);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    if status == StatusCode::PARTIAL_CONTENT
        && let Ok(range) = HeaderValue::from_str(&format!("bytes {from}-{}/{size}", from + length - 1))
    {
        answer.headers_mut().insert(CONTENT_RANGE, range);
    }
    let here = start.slice(usize::try_from(from).map_or(start.len(), |from| from.min(start.len()))..);
    if here.is_empty() {
        content.skip(from - start.len() as u64).await?;
    }
    let pieces = Box::pin(pieces(here, content, length));
    *answer.body_mut() = if length == 0 { sized(Bytes::new()) } else { boxed(Exact::new(pieces, length)) };
    Ok(answer)
}

/// `here` and then what is left, `length` bytes together.
fn pieces(here: Bytes, content: Content, length: u64) -> impl Stream<Item = std::io::Result<Bytes>> + Send {
    stream::unfold((here, content, length), |(mut here, mut content, left)| async move {
        if left == 0 {
            return None;
        }
        if here.is_empty() {
            match content.next().await.transpose()? {
                Ok(piece) => here = piece,
                Err(e) => return Some((Err(e), (here, content, 0))),
            }
        }
        here.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let left = left - here.len() as u64;
        Some((Ok(here), (Bytes::new(), content, left)))
    })
}

fn refused(status: StatusCode, why: &str) -> Answer {
    let mut answer = empty(status);
    answer.headers_mut().insert(CONTENT_TYPE, TEXT);
    if status == StatusCode::RANGE_NOT_SATISFIABLE {
        // Go's name for it is that of an older standard.
        answer.extensions_mut().insert(ReasonPhrase::from_static(b"Requested Range Not Satisfiable"));
    }
    *answer.body_mut() = sized(Bytes::from(format!("{why}\n")));
    answer
}

/// The name of a file as a browser would save it: once as it is, where a header can hold it, and once escaped.
fn disposition(path: &[u8]) -> Vec<u8> {
    let name = path.rsplit(|&b| b == b'/').next().unwrap_or_default();
    let mut value = b"inline; filename=\"".to_vec();
    for &byte in name {
        match byte {
            b'"' | b'\\' => value.extend([b'\\', byte]),
            b'\r' | b'\n' => value.push(b' '),
            other => value.push(other),
        }
    }
    value.extend(format!("\"; filename*=UTF-8''{}", path_escape(name)).bytes());
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recordings 121, 131, 135, 137 and 411.
    #[test]
    fn a_file_is_named_as_recorded() {
        for (path, named) in [
            (&b"many/latin1-\xe9.txt"[..], &b"\"latin1-\xe9.txt\"; filename*=UTF-8''latin1-%E9.txt"[..]),
            (b"quote\".txt", b"\"quote\\\".txt\"; filename*=UTF-8''quote%22.txt"),
            (b"back\\slash.txt", b"\"back\\\\slash.txt\"; filename*=UTF-8''back%5Cslash.txt"),
            (b"new\nline.txt", b"\"new line.txt\"; filename*=UTF-8''new%0Aline.txt"),
            (b":colon.txt", b"\":colon.txt\"; filename*=UTF-8'':colon.txt"),
        ] {
            assert_eq!(disposition(path), [&b"inline; filename="[..], named].concat(), "{path:?}");
        }
    }
}
