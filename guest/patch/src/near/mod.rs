//! The nearest misses of a text that is nowhere: exact, bounded, and the same whatever computes them (PG-24).
//!
//! A miss is a window of the buffer, at least one code point long, that is few edits away from the query. This file
//! bounds what is looked at and says what was found. Which windows those are is decided in `select`, on distances that
//! `kernel` computes for every place where a window can end.

mod alphabet;
#[cfg(test)]
mod judge;
mod kernel;
mod lanes;
mod script;
mod select;

pub use script::{DiffOp, DiffRun};

use crate::text::Span;

/// How many code points of a query are searched for (PG-22).
pub const QUERY_CHARS: usize = 256;
/// How many code points of a buffer are searched (P-092, PG-23).
pub const BUFFER_CHARS: usize = 65_536;
/// How many misses there are at most (P-090).
pub const MISSES: usize = 3;
/// How many code points of a window are shown (PG-24).
pub const TEXT_CHARS: usize = 256;

/// What was searched and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The windows, nearest first, none of which overlaps another (P-090).
    pub misses: Vec<Miss>,
    /// How many code points of the buffer were searched, all of them fully (PG-23, X-05).
    pub scanned_chars: usize,
    /// How many the buffer has.
    pub total_chars: usize,
    /// Whether those are the same.
    pub complete: bool,
    /// How many code points the query has (PG-22).
    pub query_chars_total: usize,
    /// Whether only the first [`QUERY_CHARS`] of them were searched for.
    pub query_truncated: bool,
}

/// A window of the buffer that is near to the query (PG-24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Where it is, in code points of the buffer.
    pub span: Span,
    /// How many code points must be inserted, deleted or replaced to make it of the searched part of the query.
    pub distance: usize,
    /// 1,000,000 times (1 - `distance` / the longer of the two texts' lengths), rounded down; a million only where they
    /// are the same.
    pub similarity_ppm: u32,
}

/// The windows of `buffer` that are nearest to `query` (P-090, P-092, P-093, P-094, PG-22, PG-23, PG-24, X-05).
///
/// Only the first [`QUERY_CHARS`] code points of the query, `m` of them, and the first [`BUFFER_CHARS`] of the buffer
/// are looked at. A window is a miss where its Levenshtein distance is at most the larger of 1 and `m / 3` rounded
/// down. The first is the one of the smallest distance, then of the smallest end, then of the largest start; each
/// further one is the first in the same order among the windows that overlap none before it. A window that is the query
/// itself is one like any other, with a distance of 0. An empty query has no misses.
#[must_use]
pub fn search(query: &str, buffer: &str) -> Report {
    let query_chars_total = query.chars().count();
    let total_chars = buffer.chars().count();
    let scanned_chars = total_chars.min(BUFFER_CHARS);
    let query: Vec<char> = query.chars().take(QUERY_CHARS).collect();
    let misses = select::nearest(&query, buffer.chars().take(BUFFER_CHARS), scanned_chars)
        .into_iter()
        .map(|found| Miss::of(found, query.len()))
        .collect();
    Report {
        misses,
        scanned_chars,
        total_chars,
        complete: scanned_chars == total_chars,
        query_chars_total,
        query_truncated: query_chars_total > QUERY_CHARS,
    }
}

impl Miss {
    fn of(found: select::Found, query_chars: usize) -> Self {
        let longer = query_chars.max(found.span.len());
        // At most a million, since a distance is never above the longer length.
        let similarity_ppm = u32::try_from((longer - found.distance) * 1_000_000 / longer).unwrap_or_default();
        Self { span: found.span, distance: found.distance, similarity_ppm }
    }

    /// The first [`TEXT_CHARS`] code points of the window in `buffer`, which is the one that was searched. Where the
    /// span is longer, the window has more than that.
    #[must_use]
    pub fn text<'a>(&self, buffer: &'a str) -> &'a str {
        slice(buffer, self.span.start, self.span.len().min(TEXT_CHARS))
    }

    /// How the searched part of `query` becomes the whole window in `buffer`; both are those that were searched.
    #[must_use]
    pub fn diff_ops(&self, query: &str, buffer: &str) -> Vec<DiffRun> {
        let query: Vec<char> = query.chars().take(QUERY_CHARS).collect();
        let window: Vec<char> = slice(buffer, self.span.start, self.span.len()).chars().collect();
        script::between(&query, &window, self.distance)
    }
}

/// As much of these code points as the text has.
fn slice(text: &str, start: usize, len: usize) -> &str {
    let mut chars = text.chars();
    if let Some(before) = start.checked_sub(1) {
        chars.nth(before);
    }
    let rest = chars.as_str();
    let bytes = rest.chars().take(len).map(char::len_utf8).sum();
    rest.get(..bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str, buffer: &str) -> Vec<(usize, usize, usize)> {
        search(query, buffer).misses.iter().map(|miss| (miss.span.start, miss.span.end, miss.distance)).collect()
    }

    /// PG-24: nothing is near where there is nothing.
    #[test]
    fn empty_texts_have_no_misses() {
        for (query, buffer) in [("", ""), ("", "abc"), ("a", ""), ("abc", "")] {
            assert_eq!(found(query, buffer), [], "{query:?} in {buffer:?}");
        }
    }

    /// PG-24: a miss may be the query itself, and its similarity is then a million.
    #[test]
    fn the_query_itself_is_the_nearest() {
        let report = search("needle", "needlf needle noodle");
        assert_eq!(report.misses[0], Miss { span: Span { start: 7, end: 13 }, distance: 0, similarity_ppm: 1_000_000 });
        assert_eq!(report.misses[0].text("needlf needle noodle"), "needle");
        assert_eq!(found("needle", "needlf needle noodle"), [(7, 13, 0), (0, 5, 1), (14, 20, 2)]);
    }

    /// PG-24: the smallest end comes first, and of the windows that end there the shortest.
    #[test]
    fn ties_are_decided_by_the_end_and_then_by_the_start() {
        assert_eq!(found("abcd", "abc abcd"), [(4, 8, 0), (0, 3, 1)]);
        assert_eq!(found("xabc", "zabc zabc"), [(1, 4, 1), (6, 9, 1)]);
        assert_eq!(found("aaa", "aaaaaaaaaaaa"), [(0, 3, 0), (3, 6, 0), (6, 9, 0)]);
        assert_eq!(found("aaaa", "aaaaaaaaaaa"), [(0, 4, 0), (4, 8, 0), (8, 11, 1)]);
    }

    /// PG-24: what is right of a miss is measured from where that ends.
    #[test]
    fn a_later_miss_takes_nothing_of_an_earlier_one() {
        assert_eq!(found("abcabc", "abcabcabcabx"), [(0, 6, 0), (6, 11, 1)]);
        assert_eq!(found("abcdea", "abcdeabXcdYea"), [(0, 6, 0)], "nor where it is as long as one can be");
    }

    /// PG-24: the threshold is a third of the query, and at least one edit.
    #[test]
    fn a_third_of_the_query_may_differ() {
        assert_eq!(found("abcdef", "--abXdYf--"), [(2, 8, 2)]);
        assert_eq!(found("abcdef", "--XbXdYf--"), []);
        assert_eq!(found("abcde", "--aXcYe--"), [], "five have one edit");
        assert_eq!(found("ab", "-a-"), [(1, 2, 1)]);
        assert_eq!(found("ab", "-c-"), []);
        assert_eq!(found("a", "bcde"), [(0, 1, 1), (1, 2, 1), (2, 3, 1)], "a window has a code point");
    }

    /// E-34, PG-24: what differs is shown.
    #[test]
    fn a_difference_in_a_block_is_shown() {
        let (query, buffer) = ("x := 1\ny := 99\nz := 3\n", "x := 1\ny := 2\nz := 3\nx := 4\n");
        let report = search(query, buffer);
        let miss = report.misses[0];
        assert_eq!((miss.span, miss.distance), (Span { start: 0, end: 21 }, 2));
        assert_eq!(miss.similarity_ppm, 909_090, "20 of 22");
        assert_eq!(miss.text(buffer), "x := 1\ny := 2\nz := 3\n");
        let ops: Vec<(DiffOp, usize)> = miss.diff_ops(query, buffer).iter().map(|run| (run.op, run.chars)).collect();
        assert_eq!(ops, [(DiffOp::Equal, 12), (DiffOp::Replace, 1), (DiffOp::Delete, 1), (DiffOp::Equal, 8)]);
    }

    /// PG-24: a window longer than what is shown of one.
    #[test]
    fn a_shown_window_is_bounded() {
        let query: Vec<char> = ('\u{4e00}'..).take(QUERY_CHARS).collect();
        let buffer = "é".to_owned() + &query.chunks(4).map(String::from_iter).collect::<Vec<_>>().join("-") + "é";
        let query = String::from_iter(query);
        let miss = search(&query, &buffer).misses[0];
        assert_eq!((miss.span, miss.distance), (Span { start: 1, end: 320 }, 63));
        assert_eq!(miss.similarity_ppm, 802_507, "256 of 319");
        assert_eq!(miss.text(&buffer).chars().count(), TEXT_CHARS);
        assert!(buffer[2..].starts_with(miss.text(&buffer)));
        let ops = miss.diff_ops(&query, &buffer);
        assert_eq!(ops.len(), 127, "the script is of the whole window");
        assert_eq!(ops.iter().map(|run| run.chars).sum::<usize>(), 319);
    }

    /// PG-22, PG-23, X-05: the bounds are in code points, and what they left out is said.
    #[test]
    fn the_bounds_are_reported() {
        let query = "é".repeat(QUERY_CHARS) + "x";
        let buffer = "-".repeat(BUFFER_CHARS - QUERY_CHARS) + &"é".repeat(QUERY_CHARS) + "x";
        let report = search(&query, &buffer);
        assert_eq!((report.query_chars_total, report.query_truncated), (257, true));
        assert_eq!((report.scanned_chars, report.total_chars, report.complete), (65_536, 65_537, false));
        assert_eq!(report.misses.len(), 1);
        assert_eq!(report.misses[0].span, Span { start: BUFFER_CHARS - QUERY_CHARS, end: BUFFER_CHARS });

        let report = search("é", "éé");
        assert_eq!((report.query_chars_total, report.query_truncated), (1, false));
        assert_eq!((report.scanned_chars, report.total_chars, report.complete), (2, 2, true));
        assert!(!search(&query[..512], &buffer).query_truncated);
    }

    /// PG-24: a buffer shorter than the query.
    #[test]
    fn a_query_may_be_longer_than_the_buffer() {
        assert_eq!(found("abcdef", "bcde"), [(0, 4, 2)]);
        assert_eq!(found("abcdef", "bcd"), []);
    }
}
