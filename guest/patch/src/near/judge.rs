//! What the search must find, by the plainest means: tables of distances, cell by cell, against which it is tested.

use proptest::prelude::*;

use super::*;

/// A window: distance, end, start.
type Window = (usize, usize, usize);

/// The textbook's distance.
pub(super) fn levenshtein(query: &[char], window: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=window.len()).collect();
    for (i, from) in query.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in window.iter().enumerate() {
            let best = (diagonal + usize::from(from != to)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[window.len()]
}

/// The best window of a text by looking at each of them.
fn best_of_all(query: &[char], text: &[char]) -> Option<Window> {
    let windows = (1..=text.len()).flat_map(|end| (0..end).map(move |start| (start, end)));
    windows
        .map(|(start, end)| (levenshtein(query, &text[start..end]), end, start))
        .min_by_key(|(distance, end, start)| (*distance, *end, usize::MAX - start))
}

/// The same by one table whose cells remember the latest start. Of queries that no empty window is near to.
fn best_by_table(query: &[char], text: &[char]) -> Option<Window> {
    let better = |a: (usize, usize), b: (usize, usize)| if (b.0, a.1) < (a.0, b.1) { b } else { a };
    let mut column: Vec<(usize, usize)> = (0..=query.len()).map(|row| (row, 0)).collect();
    let mut best: Option<Window> = None;
    for (at, to) in text.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut column[0], (0, at + 1));
        for (row, from) in query.iter().enumerate() {
            let replaced = (diagonal.0 + usize::from(from != to), diagonal.1);
            let deleted = (column[row].0 + 1, column[row].1);
            let inserted = (column[row + 1].0 + 1, column[row + 1].1);
            diagonal = column[row + 1];
            column[row + 1] = better(better(replaced, deleted), inserted);
        }
        let (distance, start) = column[query.len()];
        if best.is_none_or(|best| distance < best.0) {
            best = Some((distance, at + 1, start));
        }
    }
    best
}

/// The windows in order, each the best of what those before it leave free.
fn judged(query: &str, buffer: &str, best: impl Fn(&[char], &[char]) -> Option<Window>) -> Vec<Window> {
    let query: Vec<char> = query.chars().take(QUERY_CHARS).collect();
    let text: Vec<char> = buffer.chars().take(BUFFER_CHARS).collect();
    let mut gaps = vec![(0, text.len())];
    let mut found = Vec::new();
    while found.len() < MISSES && !query.is_empty() {
        let of_gap = |&(from, to): &(usize, usize)| {
            best(&query, &text[from..to]).map(|(distance, end, start)| (distance, end + from, start + from))
        };
        let Some(nearest) = gaps.iter().filter_map(of_gap).min_by_key(|(distance, end, _)| (*distance, *end)) else {
            break;
        };
        let (distance, end, start) = nearest;
        if distance > (query.len() / 3).max(1) {
            break;
        }
        found.push(nearest);
        let around =
            |(from, to)| if from <= start && end <= to { vec![(from, start), (end, to)] } else { vec![(from, to)] };
        gaps = gaps.into_iter().flat_map(around).collect();
    }
    found
}

fn searched(query: &str, buffer: &str) -> Vec<Window> {
    search(query, buffer).misses.iter().map(|miss| (miss.distance, miss.span.end, miss.span.start)).collect()
}

/// A text and a query that is a damaged part of it, or of one that is alike.
fn damaged(alphabet: &'static str, longest: usize, text: usize) -> impl Strategy<Value = (String, String)> {
    let letter = move || prop::sample::select(alphabet.chars().collect::<Vec<char>>());
    let unit = prop::collection::vec(letter(), 1..text);
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, letter()), 0..longest / 4);
    (unit, 1..text, any::<prop::sample::Index>(), 1..=longest, edits, any::<prop::sample::Index>()).prop_map(
        move |(unit, len, at, longest, edits, scars)| {
            // Repeated where it is shorter than the text.
            let mut buffer: Vec<char> = unit.into_iter().cycle().take(len).collect();
            let start = at.index(buffer.len());
            let mut query: Vec<char> = buffer[start..].iter().take(longest).copied().collect();
            let in_query = scars.index(edits.len() + 1);
            for (count, (at, kind, letter)) in edits.into_iter().enumerate() {
                let damaged = if count < in_query { &mut query } else { &mut buffer };
                let at = at.index(damaged.len());
                match kind {
                    0 => damaged[at] = letter,
                    1 => damaged.insert(at, letter),
                    _ if damaged.len() > 1 => drop(damaged.remove(at)),
                    _ => {}
                }
            }
            (query.into_iter().collect(), buffer.into_iter().collect())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// PG-24, P-093: of all windows of a short text, by looking at each.
    #[test]
    fn short_texts_are_searched_exactly((query, buffer) in damaged("abé", 12, 40)) {
        prop_assert_eq!(searched(&query, &buffer), judged(&query, &buffer, best_of_all));
    }

    /// PG-24: the two judges agree.
    #[test]
    fn the_table_judges_like_all_windows((query, buffer) in damaged("ab漢\u{1f9ea}", 20, 40)) {
        prop_assume!(query.chars().count() > 1);
        prop_assert_eq!(judged(&query, &buffer, best_by_table), judged(&query, &buffer, best_of_all));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// PG-22, PG-24, P-093: long queries in long texts, over few letters and with repetition.
    #[test]
    fn long_texts_are_searched_exactly((query, buffer) in damaged("abc é漢\u{1f9ea}\n", 300, 3_700)) {
        prop_assume!(query.chars().count() > 1);
        prop_assert_eq!(searched(&query, &buffer), judged(&query, &buffer, best_by_table));
    }

    /// PG-24, P-094: one line many times, a little different each time.
    #[test]
    fn repetitive_texts_are_searched_exactly(
        line in "[a-e ]{4,60}\n",
        counters in prop::collection::vec(0..1_000_000u32, 2..50),
        lines in 1..4usize,
        counter in 0..1_000_000u32,
    ) {
        let buffer: String = counters.iter().map(|counter| format!("{counter:06} {line}")).collect();
        let query: String = (0..lines).map(|_| format!("{counter:06} {line}")).collect();
        prop_assert_eq!(searched(&query, &buffer), judged(&query, &buffer, best_by_table));
    }

    /// PG-24: texts that have nothing to do with each other.
    #[test]
    fn random_texts_are_searched_exactly(query in "[ab]{2,300}", buffer in "[ab]{0,2000}") {
        prop_assert_eq!(searched(&query, &buffer), judged(&query, &buffer, best_by_table));
    }
}
