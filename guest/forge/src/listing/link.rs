//! The `Link` field of a list's head, as forges write it.
//!
//! Its targets carry the forge's own idea of its address, which may be another host than the one that was asked (`ROOT_URL`).
//! So they are read for the page number, compared, and never requested or shown.

/// Bytes of the field that are read; a forge's has some hundred.
const FIELD_BYTES: usize = 16 * 1024;

/// What the field says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Links {
    /// There is none, as on a list's only page.
    Absent,
    /// It cannot be read.
    Malformed,
    /// Its relations.
    Given {
        /// `rel="next"`.
        next: Option<Target>,
        /// `rel="last"`.
        last: Option<Target>,
    },
}

/// Where a relation leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Scheme and authority in lower case; none where the target is relative.
    pub origin: Option<String>,
    /// The path's segments, decoded.
    pub segments: Vec<String>,
    /// The query's pairs, decoded.
    pub query: Vec<(String, String)>,
}

impl Links {
    /// Reads the values of every `Link` field.
    #[must_use]
    pub fn parse<'a>(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let values: Vec<&[u8]> = values.collect();
        if values.is_empty() {
            return Self::Absent;
        }
        if values.iter().map(|value| value.len()).sum::<usize>() > FIELD_BYTES {
            return Self::Malformed;
        }
        relations(&values).unwrap_or(Self::Malformed)
    }

    /// Whether it is there, sound, and names a next page.
    #[must_use]
    pub const fn has_next(&self) -> bool {
        matches!(self, Self::Given { next: Some(_), .. })
    }
}

impl Target {
    /// Reads an address as a forge writes it; nothing where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (origin, rest) = match text.split_once("://") {
            Some((scheme, rest)) => {
                let known = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
                let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
                let (authority, rest) = rest.split_at_checked(end)?;
                let plain = known && !authority.is_empty() && !authority.contains('@');
                (Some(plain.then(|| format!("{scheme}://{authority}").to_ascii_lowercase())?), rest)
            }
            None => (None, text),
        };
        let rest = rest.split('#').next()?;
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let segments = path.split('/').filter(|part| !part.is_empty()).map(decode).collect::<Option<_>>()?;
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let query = pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                Some((decode(&name.replace('+', " "))?, decode(&value.replace('+', " "))?))
            })
            .collect::<Option<_>>()?;
        Some(Self { origin, segments, query })
    }

    /// The value of a pair that is there once; nothing where it is missing, twice there, or another.
    #[must_use]
    pub fn one<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        let mut values = self.all(name);
        values.next().filter(|_| values.next().is_none())
    }

    /// Every value of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.query.iter().filter(move |(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// The page it leads to.
    #[must_use]
    pub fn page(&self) -> Option<u64> {
        self.one("page").filter(|page| page.bytes().all(|b| b.is_ascii_digit())).and_then(|page| page.parse().ok())
    }
}

fn relations(values: &[&[u8]]) -> Option<Links> {
    let (mut next, mut last) = (None, None);
    for value in values {
        let mut rest = std::str::from_utf8(value).ok()?.trim();
        while !rest.is_empty() {
            let (target, after) = rest.strip_prefix('<')?.split_once('>')?;
            let (parameters, after) = split_at_comma(after);
            let relation = parameters.split(';').find_map(|parameter| {
                let (name, value) = parameter.split_once('=')?;
                name.trim().eq_ignore_ascii_case("rel").then(|| value.trim().trim_matches('"').to_ascii_lowercase())
            })?;
            for word in relation.split_ascii_whitespace() {
                let slot = match word {
                    "next" => &mut next,
                    "last" => &mut last,
                    _ => continue,
                };
                if slot.replace(Target::parse(target)?).is_some() {
                    return None;
                }
            }
            rest = after.trim();
        }
    }
    Some(Links::Given { next, last })
}

/// The parameters of one link, and what follows the comma behind them. A comma in quotes ends nothing.
fn split_at_comma(text: &str) -> (&str, &str) {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => return (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
            _ => {}
        }
    }
    (text, "")
}

/// Percent-encoding taken off once; nothing where it is not sound.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let (digits, after) = rest.split_first_chunk::<2>()?;
            let digits = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after;
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(values: &[&str]) -> Links {
        Links::parse(values.iter().map(|value| value.as_bytes()))
    }

    fn pages(links: &Links) -> (Option<u64>, Option<u64>) {
        let Links::Given { next, last } = links else { panic!("{links:?}") };
        (next.as_ref().and_then(Target::page), last.as_ref().and_then(Target::page))
    }

    /// G-126: as recorded (043, 202), and what proxies make of it.
    #[test]
    fn reads_what_forges_write() {
        let next = "<http://127.0.0.1:3911/api/v1/repos/search?exclusive=true&limit=1&page=2&uid=2>; rel=\"next\"";
        let last = "<http://127.0.0.1:3911/api/v1/repos/search?exclusive=true&limit=1&page=3&uid=2>; rel=\"last\"";
        let first = "<http://f/x?page=1>; rel=\"first\"";
        assert_eq!(pages(&parse(&[&format!("{next},{last}")])), (Some(2), Some(3)));
        assert_eq!(pages(&parse(&[next, last])), (Some(2), Some(3)));
        assert_eq!(pages(&parse(&[&format!("{first}, {next} , {last},")])), (Some(2), Some(3)));
        assert_eq!(pages(&parse(&[first])), (None, None));
        assert_eq!(pages(&parse(&["<http://f/x?page=2>; title=\"a, b\"; REL=next"])), (Some(2), None));
        assert_eq!(pages(&parse(&["</x?page=2>;rel=\"next last\""])), (Some(2), Some(2)));
        assert_eq!(parse(&[]), Links::Absent);
        let Links::Given { next: Some(target), .. } = parse(&[next]) else { panic!("a next page") };
        assert_eq!(target.origin.as_deref(), Some("http://127.0.0.1:3911"));
        assert_eq!(target.segments, ["api", "v1", "repos", "search"]);
        assert_eq!(target.one("uid"), Some("2"));
    }

    #[test]
    fn refuses_what_cannot_be_read() {
        let twice = "<http://f/x?page=2>; rel=\"next\"";
        for value in [
            "",
            "x",
            "<http://f/x?page=2>",
            "http://f/x; rel=next",
            "<http://f/x?page=2; rel=\"next\"",
            "<ftp://f/x>; rel=next",
            "<http://u@f/x>; rel=next",
            "<http:///x>; rel=next",
            "<http://f/%4>; rel=next",
            "<http://f/%ff>; rel=next",
        ] {
            let empty = Links::Given { next: None, last: None };
            assert!([Links::Malformed, empty].contains(&parse(&[value])), "{value}");
            assert!(!parse(&[value]).has_next(), "{value}");
        }
        assert_eq!(parse(&[twice, twice]), Links::Malformed);
        assert_eq!(parse(&["x"]), Links::Malformed);
        assert_eq!(parse(&[&format!("<http://f/{}>; rel=next", "x".repeat(FIELD_BYTES))]), Links::Malformed);
        assert_eq!(Links::parse([&b"<http://f/\xff>; rel=next"[..]].into_iter()), Links::Malformed);
        for page in ["", "page=", "page=-1", "page=+2", "page=2&page=3", "page=99999999999999999999", "Page=2"] {
            assert_eq!(pages(&parse(&[&format!("<http://f/x?{page}>; rel=next")])).0, None, "{page}");
        }
    }
}
