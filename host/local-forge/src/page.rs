//! Paging as released forges do it: bounds applied in silence, the total and the links in headers.

use http::{HeaderName, HeaderValue};

use crate::{answer::Answer, target::Query};

/// What `GET /settings/api` says of pages.
pub(crate) const MAX_ITEMS: usize = 50;
/// Items on a page unless the caller says otherwise.
pub(crate) const DEFAULT_ITEMS: usize = 30;

/// The page that was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    number: usize,
    limit: usize,
}

impl Page {
    pub(crate) fn of(query: &Query) -> Self {
        let number = |name| query.get(name).and_then(|text| text.parse::<usize>().ok()).filter(|&n| n > 0);
        Self { number: number("page").unwrap_or(1), limit: number("limit").unwrap_or(DEFAULT_ITEMS).min(MAX_ITEMS) }
    }

    /// The items of this page, none when it is past the end.
    pub(crate) fn cut<T>(&self, items: impl Iterator<Item = T>) -> Vec<T> {
        items.skip((self.number - 1).saturating_mul(self.limit)).take(self.limit).collect()
    }

    /// Adds the total, and links when there is more than one page. `address` is the route's, without a query.
    pub(crate) fn describe(&self, answer: &mut Answer, total: usize, address: &str, query: &Query) {
        let headers = answer.headers_mut();
        headers.insert(HeaderName::from_static("x-total-count"), HeaderValue::from(total));
        let links = self.links(total, address, query);
        let exposed = if links.is_empty() { "X-Total-Count" } else { "Link, X-Total-Count" };
        headers.insert(http::header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(exposed));
        if let Ok(links) = HeaderValue::from_str(&links)
            && !links.is_empty()
        {
            headers.insert(http::header::LINK, links);
        }
    }

    fn links(&self, total: usize, address: &str, query: &Query) -> String {
        let last = total.div_ceil(self.limit).max(1);
        // A page past the end links as the last one does.
        let here = self.number.min(last);
        let mut links = Vec::new();
        if here < last {
            links.extend([(here + 1, "next"), (last, "last")]);
        }
        if here > 1 {
            links.extend([(1, "first"), (here - 1, "prev")]);
        }
        let link = |(page, relation)| format!("<{address}?{}>; rel=\"{relation}\"", query.with_page(page));
        links.into_iter().map(link).collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Target;

    fn query(text: &str) -> Query {
        Target::parse(&format!("/?{text}").parse().expect("a target")).expect("well formed").query
    }

    #[test]
    fn bounds_are_applied_in_silence() {
        for (text, number, limit) in
            [("", 1, 30), ("page=0&limit=0", 1, 30), ("page=-1&limit=x", 1, 30), ("page=3&limit=1000", 3, 50)]
        {
            assert_eq!(Page::of(&query(text)), Page { number, limit }, "{text}");
        }
        assert_eq!(Page::of(&query("page=2&limit=2")).cut(0..5), [2, 3]);
        assert!(Page::of(&query("page=18446744073709551615")).cut(0..5).is_empty());
    }

    /// The texts are those of recordings 070 and 072, of 26 items.
    #[test]
    fn links_are_worded_as_recorded() {
        let links = |text: &str| Page::of(&query(text)).links(26, "http://f/x", &query(text));
        let link = |page: u32, relation: &str| format!("<http://f/x?limit=5&page={page}>; rel=\"{relation}\"");
        let middle = [link(3, "next"), link(6, "last"), link(1, "first"), link(1, "prev")];
        assert_eq!(links("limit=5&page=2"), middle.join(","));
        assert_eq!(links("limit=5&page=99"), [link(1, "first"), link(5, "prev")].join(","));
        assert_eq!(links("limit=50"), "");
    }
}
