//! A request's target, decoded once: path segments as bytes, query pairs as text.

use http::Uri;

/// A decoded target below the API's root.
#[derive(Debug)]
pub(crate) struct Target {
    /// Empty segments are gone: a forge collapses repeated slashes and drops trailing ones.
    pub(crate) segments: Vec<Vec<u8>>,
    pub(crate) query: Query,
}

/// The pairs of a query, in order.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

/// A percent sign without two hexadecimal digits after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadEscape;

impl Target {
    pub(crate) fn parse(uri: &Uri) -> Result<Self, BadEscape> {
        let segments = uri.path().split('/').filter(|segment| !segment.is_empty());
        let segments = segments.map(|segment| decode(segment.as_bytes(), false)).collect::<Result<_, _>>()?;
        Ok(Self { segments, query: Query::parse(uri.query().unwrap_or_default()) })
    }
}

impl Query {
    /// Pairs that cannot be decoded are left out, as Go does.
    fn parse(text: &str) -> Self {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = |text: &str| {
                decode(text.as_bytes(), true).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            };
            Some((plain(name)?, plain(value)?))
        };
        Self(text.split('&').filter(|pair| !pair.is_empty()).filter_map(pair).collect())
    }

    /// The first value under `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The whole query with `page` set, sorted by name and encoded, as links carry it.
    pub(crate) fn with_page(&self, page: usize) -> String {
        let mut pairs: Vec<(&str, String)> = self.0.iter().map(|(name, value)| (&**name, value.clone())).collect();
        pairs.retain(|(name, _)| *name != "page");
        pairs.push(("page", page.to_string()));
        pairs.sort_by_key(|(name, _)| *name);
        let pairs: Vec<String> = pairs.iter().map(|(n, v)| format!("{}={}", encode(n), encode(v))).collect();
        pairs.join("&")
    }
}

/// Percent-encodes all but unreserved bytes.
pub(crate) fn encode(text: impl AsRef<[u8]>) -> String {
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
    let one = |&b: &u8| if unreserved(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    text.as_ref().iter().map(one).collect()
}

/// Percent-encodes one segment of a path as Go does, which leaves some more bytes as they are.
pub(crate) fn path_escape(segment: &[u8]) -> String {
    let kept = |b: u8| b.is_ascii_alphanumeric() || b"-_.~$&+=:@".contains(&b);
    let one = |&b: &u8| if kept(b) { char::from(b).to_string() } else { format!("%{b:02X}") };
    segment.iter().map(one).collect()
}

fn decode(text: &[u8], plus_is_space: bool) -> Result<Vec<u8>, BadEscape> {
    let mut bytes = text.iter().copied();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16).and_then(|d| u8::try_from(d).ok());
                let (high, low) = (digit().ok_or(BadEscape)?, digit().ok_or(BadEscape)?);
                high << 4 | low
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Result<Target, BadEscape> {
        Target::parse(&text.parse().expect("a target"))
    }

    #[test]
    fn segments_are_decoded_once_and_slashes_collapse() {
        let target = target("//api/v1//repos/a%2Fb/%2525/%ff/?x").expect("well formed");
        let expected: [&[u8]; 6] = [b"api", b"v1", b"repos", b"a/b", b"%25", b"\xff"];
        assert_eq!(target.segments, expected);
        for bad in ["/%", "/%4", "/%zz", "/a%"] {
            assert_eq!(super::tests::target(bad).map(|_| ()), Err(BadEscape), "{bad}");
        }
    }

    #[test]
    fn the_first_value_counts_and_links_are_sorted() {
        let target = target("/x?state=all&limit=2&page=3&state=open&q=a+b%26&%zz=1").expect("well formed");
        assert_eq!(target.query.get("state"), Some("all"));
        assert_eq!(target.query.get("q"), Some("a b&"));
        assert_eq!(target.query.get("none"), None);
        assert_eq!(target.query.with_page(4), "limit=2&page=4&q=a%20b%26&state=all&state=open");
    }
}
