//! What a list says of its pages, where what the forge says need not agree in every point.
//!
//! A wrong "there is more" costs one request, whose page is then empty; a wrong "that was all" hides rows. So any sound
//! sign of more rows counts, and only an empty page ends the list whatever else is said.

use serde::Serialize;

use super::{Evidence, Links};

/// The greatest page that is asked for: beyond it a forge's own arithmetic overflows and it answers with the first.
pub const MOST_PAGE: u64 = 1 << 53;

/// The page that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// From 1 on.
    pub page: u64,
    /// Rows to a page. A forge may give fewer and not say so (K-82).
    pub limit: u64,
}

/// Members that every list has, in this order; `returned` is how many rows the answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Paging {
    /// As asked for.
    pub page: u64,
    /// As asked for.
    pub limit: u64,
    /// Rows in the answer.
    pub returned: usize,
    /// As the forge counts; it may count rows that it does not show.
    pub total: Option<u64>,
    /// Whether there may be more.
    pub has_more: bool,
    /// What to pass as `page` then (G-100).
    pub next_page: Option<u64>,
}

impl Paging {
    /// Judges a page on which the forge sent `native` rows, of which `returned` are shown.
    #[must_use]
    pub fn judge(asked: Asked, native: usize, returned: usize, evidence: &Evidence) -> Self {
        let Asked { page, limit } = asked;
        let has_more = has_more(asked, native as u64, evidence) && page < MOST_PAGE;
        Self { page, limit, returned, total: evidence.total, has_more, next_page: has_more.then(|| page + 1) }
    }

    /// The same of a list from whose pages the forge takes rows that it does not show, as reviews that others have not sent off
    /// yet: there an empty page ends nothing that the total counts.
    #[must_use]
    pub fn judge_sparse(asked: Asked, native: usize, returned: usize, evidence: &Evidence) -> Self {
        let counted = evidence.total.is_some_and(|total| asked.page.saturating_mul(asked.limit) < total);
        let judged = Self::judge(asked, native, returned, evidence);
        let has_more = judged.has_more || (counted && asked.page < MOST_PAGE);
        Self { has_more, next_page: has_more.then(|| asked.page + 1), ..judged }
    }
}

fn has_more(Asked { page, limit }: Asked, native: u64, evidence: &Evidence) -> bool {
    if native == 0 {
        // K-83: counts may hold what is never shown.
        return false;
    }
    if evidence.links.has_next() {
        return true;
    }
    let Some(total) = evidence.total else {
        // G-098.
        return native >= limit;
    };
    // G-099; and K-82: a short page that does not end at the total is one of a forge that gives fewer rows to a page.
    let at_the_end = (page - 1).saturating_mul(limit).saturating_add(native) == total;
    let clamped = evidence.links == Links::Absent && native < limit && !at_the_end;
    page.saturating_mul(limit) < total || (clamped && page.saturating_mul(native) < total)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "<http://elsewhere/x?page=2>; rel=\"next\"";
    const PREV: &str = "<http://elsewhere/x?page=1>; rel=\"prev\"";

    fn more(page: u64, limit: u64, native: usize, total: Option<u64>, link: &[&str]) -> bool {
        let links = Links::parse(link.iter().map(|value| value.as_bytes()));
        let paging = Paging::judge(Asked { page, limit }, native, native, &Evidence { total, links });
        assert_eq!(paging.next_page, paging.has_more.then_some(page + 1));
        assert_eq!((paging.page, paging.limit, paging.returned, paging.total), (page, limit, native, total));
        paging.has_more
    }

    /// G-098.
    #[test]
    fn without_a_total_a_full_page_goes_on() {
        assert!(more(1, 50, 50, None, &[]));
        assert!(!more(1, 50, 49, None, &[]));
        assert!(!more(2, 50, 0, None, &[NEXT]));
        assert!(more(1, 50, 20, None, &[NEXT]));
    }

    /// G-099, K-87: pages end where the total does.
    #[test]
    fn a_total_says_where_it_ends() {
        assert!(more(1, 30, 30, Some(61), &[]));
        assert!(more(2, 30, 30, Some(61), &[]));
        assert!(!more(3, 30, 1, Some(61), &[]));
        assert!(!more(1, 50, 50, Some(50), &[]));
        assert!(!more(2, 50, 20, Some(70), &[PREV]));
        assert!(more(1, 50, 10, Some(100), &[]));
    }

    /// K-82: a forge that gives 20 rows where 50 were asked for, with and without its `Link`.
    #[test]
    fn a_clamped_page_goes_on() {
        for link in [&[][..], &[NEXT]] {
            assert!(more(1, 50, 20, Some(45), link));
            assert!(more(2, 50, 20, Some(45), link));
        }
        assert!(!more(3, 50, 5, Some(45), &[PREV]));
        // One more request, which finds nothing, where nothing else tells.
        assert!(more(3, 50, 5, Some(45), &[]));
        assert!(!more(4, 50, 0, Some(45), &[]));
    }

    /// K-83.
    #[test]
    fn an_empty_page_ends_the_list() {
        for link in [&[][..], &[NEXT]] {
            assert!(!more(3, 20, 0, Some(100), link));
        }
    }

    /// What is taken from a page ends the list no sooner than the total says.
    #[test]
    fn a_sparse_page_goes_on() {
        let more = |page, native, total| {
            let evidence = Evidence { total, links: Links::Absent };
            let paging = Paging::judge_sparse(Asked { page, limit: 5 }, native, native, &evidence);
            assert_eq!(paging.next_page, paging.has_more.then_some(page + 1));
            paging.has_more
        };
        assert!(more(1, 0, Some(6)) && more(1, 3, Some(6)) && more(1, 5, None));
        assert!(
            !more(2, 0, Some(6)) && !more(2, 0, Some(10)) && !more(1, 0, None) && !more(MOST_PAGE, 0, Some(u64::MAX))
        );
    }

    #[test]
    fn the_greatest_page_is_the_last() {
        assert!(!more(MOST_PAGE, 50, 50, Some(u64::MAX), &[NEXT]));
    }
}
