//! Paging as released forges do it: bounds applied in silence, the total and the links in headers.

use http::{HeaderName, HeaderValue};

use crate::{operator::stock::Stock, serve::target::Query, wire::answer::Answer};

/// The page that was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page {
    number: usize,
    limit: usize,
}

impl Page {
    pub(crate) fn of(query: &Query, stock: &Stock) -> Self {
        let number = |name| query.get(name).and_then(|text| text.parse::<usize>().ok()).filter(|&n| n > 0);
        let limit = number("limit").unwrap_or(stock.default_items).min(stock.max_items).max(1);
        Self { number: number("page").unwrap_or(1), limit }
    }

    /// The items of this page, none when it is past the end.
    pub(crate) fn cut<T>(&self, items: impl Iterator<Item = T>) -> Vec<T> {
        items.skip(self.start()).take(self.limit).collect()
    }

    /// How many items come before this page.
    pub(crate) fn start(&self) -> usize {
        (self.number - 1).saturating_mul(self.limit)
    }

    /// How many items it has at most.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Adds the total, and links when there is more than one page. `address` is the route's, without a query.
    pub(crate) fn describe(&self, answer: &mut Answer, total: usize, address: &str, query: &Query) {
        self.say(answer, total, address, query, &[]);
    }

    /// The same, and once more in the headers that lists of commits and files have from older days; some of them even
    /// name the total twice.
    pub(crate) fn describe_twice(
        &self,
        answer: &mut Answer,
        total: usize,
        address: &str,
        query: &Query,
        names_total_twice: bool,
    ) {
        let pages = total.div_ceil(self.limit);
        let number = |n: usize| HeaderValue::from(n);
        let more = HeaderValue::from_static(if self.number < pages { "true" } else { "false" });
        let mut older =
            vec![("X-Page", number(self.number)), ("X-PerPage", number(self.limit)), ("X-PageCount", number(pages))];
        if names_total_twice {
            older.insert(2, ("X-Total", number(total)));
        }
        older.push(("X-HasMore", more));
        self.say(answer, total, address, query, &older);
    }

    fn say(&self, answer: &mut Answer, total: usize, address: &str, query: &Query, older: &[(&str, HeaderValue)]) {
        let links = self.links(total, address, query);
        let mut exposed = if links.is_empty() { "X-Total-Count" } else { "Link, X-Total-Count" }.to_owned();
        let headers = answer.headers_mut();
        headers.insert(HeaderName::from_static("x-total-count"), HeaderValue::from(total));
        for (name, value) in older {
            exposed.push_str(", ");
            exposed.push_str(name);
            if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                headers.insert(name, value.clone());
            }
        }
        if let Ok(exposed) = HeaderValue::from_str(&exposed) {
            headers.insert(http::header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
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
    use crate::serve::target::Target;

    fn query(text: &str) -> Query {
        Target::parse(&format!("/?{text}").parse().expect("a target")).expect("well formed").query
    }

    #[test]
    fn bounds_are_applied_in_silence() {
        for (text, number, limit) in
            [("", 1, 30), ("page=0&limit=0", 1, 30), ("page=-1&limit=x", 1, 30), ("page=3&limit=1000", 3, 50)]
        {
            assert_eq!(Page::of(&query(text), &Stock::default()), Page { number, limit }, "{text}");
        }
        assert_eq!(Page::of(&query("page=2&limit=2"), &Stock::default()).cut(0..5), [2, 3]);
        assert!(Page::of(&query("page=18446744073709551615"), &Stock::default()).cut(0..5).is_empty());
    }

    /// The texts are those of recordings 070 and 072, of 26 items.
    #[test]
    fn links_are_worded_as_recorded() {
        let links = |text: &str| Page::of(&query(text), &Stock::default()).links(26, "http://f/x", &query(text));
        let link = |page: u32, relation: &str| format!("<http://f/x?limit=5&page={page}>; rel=\"{relation}\"");
        let middle = [link(3, "next"), link(6, "last"), link(1, "first"), link(1, "prev")];
        assert_eq!(links("limit=5&page=2"), middle.join(","));
        assert_eq!(links("limit=5&page=99"), [link(1, "first"), link(5, "prev")].join(","));
        assert_eq!(links("limit=50"), "");
    }
}
