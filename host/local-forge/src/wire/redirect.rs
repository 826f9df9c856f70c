//! The answer under a name that a repository had once: where it is now, with a recorded forge's two mistakes.
//!
//! A path that names another owner has the first occurrence of the old owner replaced, wherever that is; and what is
//! made is cleaned as a path with its query in it. Readers must not follow such an address, so it is kept as it is.

use bytes::Bytes;
use http::{
    HeaderValue, Method, StatusCode, Uri,
    header::{CONTENT_TYPE, LOCATION},
};

use crate::{
    operator::stock::Renamed,
    serve::target::encode,
    state::repository::Address,
    wire::answer::{Answer, empty, whole},
};

/// Leads from `owner`/`name`, as they were asked for, to `now`. There is a page for those who read; who writes gets none.
pub(crate) fn answer(method: &Method, uri: &Uri, owner: &[u8], name: &[u8], now: &Address, renamed: Renamed) -> Answer {
    let (path, moved) = (uri.path(), !now.owner.as_bytes().eq_ignore_ascii_case(owner));
    let (old, new) = if moved {
        (encode(owner), encode(&now.owner))
    } else {
        let joined = |owner: &[u8], name: &[u8]| format!("{}/{}", encode(owner), encode(name));
        (joined(owner, name), joined(now.owner.as_bytes(), now.name.as_bytes()))
    };
    let mut target = path.replacen(&old, &new, 1);
    if let Some(query) = uri.query() {
        target.push('?');
        target.push_str(query);
    }
    let target = clean(&target);
    let status = match renamed {
        Renamed::Permanent if !moved => StatusCode::MOVED_PERMANENTLY,
        Renamed::Permanent | Renamed::Temporary => StatusCode::TEMPORARY_REDIRECT,
    };
    let reason = status.canonical_reason().unwrap_or_default();
    let mut answer = if method == Method::GET {
        let mut page = whole(status, Bytes::from(format!("<a href=\"{}\">{reason}</a>.\n\n", escape(&target))));
        page.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        page
    } else {
        empty(status)
    };
    if let Ok(location) = HeaderValue::from_str(&target) {
        answer.headers_mut().insert(LOCATION, location);
    }
    answer
}

/// Go's `path.Clean` of an absolute path.
pub(crate) fn clean(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(kept.pop()),
            other => kept.push(other),
        }
    }
    format!("/{}", kept.join("/"))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(uri: &str, owner: &str, name: &str, now: (&str, &str)) -> String {
        let now = Address { owner: now.0.into(), name: now.1.into() };
        let uri = uri.parse().expect("a target");
        let answer = answer(&Method::GET, &uri, owner.as_bytes(), name.as_bytes(), &now, Renamed::Temporary);
        let location = answer.headers().get(LOCATION).expect("it leads somewhere");
        location.to_str().expect("it is text").to_owned()
    }

    /// Recordings 304, 305, 401 and 403.
    #[test]
    fn a_new_name_is_put_where_the_recorded_forge_puts_it() {
        let renamed = |uri| location(uri, "alice", "priv", ("alice", "priv2"));
        assert_eq!(renamed("/api/v1/repos/alice/priv"), "/api/v1/repos/alice/priv2");
        assert_eq!(
            renamed("/api/v1/repos/alice/priv/contents/README.md?ref=main&x=a//b/../c"),
            "/api/v1/repos/alice/priv2/contents/README.md?ref=main&x=a/c"
        );
        assert_eq!(location("/api/v1/repos/a/proj", "a", "proj", ("alice", "proj")), "/alicepi/v1/repos/a/proj");
        let old = location("/api/v1/repos/oldowner/proj?x=1", "oldowner", "proj", ("alice", "proj"));
        assert_eq!(old, "/api/v1/repos/alice/proj?x=1");
    }
}
