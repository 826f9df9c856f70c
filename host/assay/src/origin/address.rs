//! The forge's address in the forms that people write it, made one: the API root.

use std::net::IpAddr;

use reqwest::Url;

/// Where every request goes: scheme, host, port, the forge's own path, `/api/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    root: String,
    secure: bool,
    loopback: bool,
}

/// What is wrong with an address. The texts follow "the forge's address" and hold no part of it: it may carry a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AddressFault {
    #[error("must start with https:// or http://, for example https://forge.example")]
    Scheme,
    #[error("holds a space, a backslash or a control character")]
    Character,
    #[error("is no URL: write it like https://forge.example or https://example.org/git")]
    Url,
    #[error("names a user or a password: leave them out, a token goes into FORGEJO_TOKEN")]
    UserInfo,
    #[error("has a query (`?`): write it up to the forge's own path alone")]
    Query,
    #[error("has a fragment (`#`): write it up to the forge's own path alone")]
    Fragment,
    #[error("has a path with empty or dot segments: write the forge's own path plainly, like https://example.org/git")]
    Path,
}

impl Address {
    /// Takes `https://host[:port][/path][/][api/v1[/]]` (K-77).
    pub(super) fn parse(text: &str) -> Result<Self, AddressFault> {
        // The URL parser would repair what stands here wrongly; a repaired address is not the one that was written.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(AddressFault::Character);
        }
        let (scheme, rest) = text.split_once("://").ok_or(AddressFault::Scheme)?;
        let secure = scheme.eq_ignore_ascii_case("https");
        if !secure && !scheme.eq_ignore_ascii_case("http") {
            return Err(AddressFault::Scheme);
        }
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(authority_end).ok_or(AddressFault::Url)?;
        if authority.contains('@') {
            return Err(AddressFault::UserInfo);
        }
        if authority.is_empty() {
            return Err(AddressFault::Url);
        }
        let url = Url::parse(text).map_err(|_| AddressFault::Url)?;
        if url.fragment().is_some() {
            return Err(AddressFault::Fragment);
        }
        if url.query().is_some() {
            return Err(AddressFault::Query);
        }
        let own = own_path(path);
        if own.split('/').skip(1).any(|segment| segment.is_empty() || is_dots(segment)) {
            return Err(AddressFault::Path);
        }
        let mut root = url;
        root.set_path(&format!("{own}/api/v1"));
        Ok(Self { loopback: is_loopback(&root), root: root.into(), secure })
    }

    /// The forge's own address, without the API's part: one spelling for one place.
    pub(super) fn name(&self) -> &str {
        self.root.strip_suffix("/api/v1").unwrap_or(&self.root)
    }

    /// The URL of an encoded path, which starts with a slash, and an encoded query.
    pub(super) fn below(&self, path: &str, query: &str) -> String {
        let separator = if query.is_empty() { "" } else { "?" };
        format!("{}{path}{separator}{query}", self.root)
    }

    /// The path of the API root, without a last slash.
    pub(super) fn root_path(&self) -> &str {
        let after_scheme = self.root.split_once("://").map_or("", |(_, rest)| rest);
        after_scheme.find('/').and_then(|at| after_scheme.get(at..)).unwrap_or_default()
    }

    /// Whether the forge is asked over TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.secure
    }

    /// Whether the forge is on this machine, where no proxy is asked.
    pub(super) fn is_loopback(&self) -> bool {
        self.loopback
    }
}

/// The path without last slashes and without the API's own part.
fn own_path(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix("/api/v1").unwrap_or(path).trim_end_matches('/')
}

fn is_dots(segment: &str) -> bool {
    let plain = segment.to_ascii_lowercase().replace("%2e", ".");
    plain == "." || plain == ".."
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str) -> Result<String, AddressFault> {
        Address::parse(text).map(|address| address.root)
    }

    /// K-77: every form leads to the same root.
    #[test]
    fn every_form_has_one_root() {
        for (host, root_of_it) in [
            ("https://forge.example", "https://forge.example"),
            ("https://forge.example:443", "https://forge.example"),
            ("HTTPS://Forge.Example:8443", "https://forge.example:8443"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ] {
            for (path, path_of_it) in [("", ""), ("/git", "/git"), ("/a/b", "/a/b")] {
                for end in ["", "/", "//", "/api/v1", "/api/v1/"] {
                    let text = format!("{host}{path}{end}");
                    assert_eq!(root(&text), Ok(format!("{root_of_it}{path_of_it}/api/v1")), "{text}");
                }
            }
        }
        assert_eq!(root("https://forge.example/api"), Ok("https://forge.example/api/api/v1".to_owned()));
    }

    #[test]
    fn what_is_no_address_says_why() {
        for (text, fault) in [
            ("", AddressFault::Scheme),
            ("forge.example", AddressFault::Scheme),
            ("localhost:3000", AddressFault::Scheme),
            ("ftp://forge.example", AddressFault::Scheme),
            ("file:///etc/passwd", AddressFault::Scheme),
            ("https:forge.example", AddressFault::Scheme),
            ("https://", AddressFault::Url),
            ("https:///forge.example", AddressFault::Url),
            ("https://forge.example:99999", AddressFault::Url),
            ("https://alice:pw@forge.example", AddressFault::UserInfo),
            ("https://alice@forge.example", AddressFault::UserInfo),
            ("https://forge.example?token=x", AddressFault::Query),
            ("https://forge.example/?", AddressFault::Query),
            ("https://forge.example/git#top", AddressFault::Fragment),
            (" https://forge.example", AddressFault::Character),
            ("https://forge.example\\git", AddressFault::Character),
            ("https://forge.exa\nmple", AddressFault::Character),
            ("https://forge.example/a/../b", AddressFault::Path),
            ("https://forge.example/%2e%2E/b", AddressFault::Path),
            ("https://forge.example//git", AddressFault::Path),
        ] {
            assert_eq!(root(text), Err(fault), "{text:?}");
        }
    }

    #[test]
    fn knows_this_machine() {
        let is = |text| Address::parse(text).map(|address| address.is_loopback());
        for text in ["http://localhost", "http://a.localhost:1", "http://127.9.9.9", "http://[::1]"] {
            assert_eq!(is(text), Ok(true), "{text}");
        }
        for text in ["http://localhost.example", "http://192.168.0.1", "http://[fe80::1]"] {
            assert_eq!(is(text), Ok(false), "{text}");
        }
    }
}
