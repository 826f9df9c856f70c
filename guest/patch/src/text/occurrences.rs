//! Where a text occurs in another, exactly, overlapping or not (P-020, P-026, P-129).
//!
//! UTF-8 synchronises itself, so an occurrence of its bytes is one of its code points. The search is linear whatever the two
//! texts are: behind an occurrence it goes on from the prefix that is already matched (Knuth, Morris and Pratt), and where
//! none is it leaps by `memmem`. To start anew behind every occurrence would take their product on `aaaa…`.

use memchr::memmem::Finder;

use super::{Positions, Span};

/// The bytes at which a text occurs, rising. An empty one occurs nowhere.
#[derive(Clone, Debug)]
pub struct Occurrences<'t, 'n> {
    text: &'t [u8],
    finder: Finder<'n>,
    overlapping: bool,
    /// How far the text was looked through.
    at: usize,
    /// The longest beginning of the needle, in bytes, that ends there; shorter than the needle.
    matched: usize,
    /// For each beginning of the needle, the longest shorter one that it ends with. Made at the first occurrence.
    borders: Vec<usize>,
}

/// How often `needle` occurs.
#[must_use]
pub fn count(text: &str, needle: &str, overlapping: bool) -> usize {
    Occurrences::of(text, needle, overlapping).count()
}

/// Where `needle` occurs, in code points.
pub fn spans<'a>(positions: &'a Positions<'_>, needle: &'a str, overlapping: bool) -> impl Iterator<Item = Span> + 'a {
    let length = needle.chars().count();
    Occurrences::of(positions.text(), needle, overlapping).map(move |byte| {
        let start = positions.code_point(byte);
        Span { start, end: start + length }
    })
}

impl<'t, 'n> Occurrences<'t, 'n> {
    /// Of `needle` in `text`. Without `overlapping`, the next one begins behind the end of the last.
    #[must_use]
    pub fn of(text: &'t str, needle: &'n str, overlapping: bool) -> Self {
        let text = if needle.is_empty() { &[] } else { text.as_bytes() };
        Self { text, finder: Finder::new(needle), overlapping, at: 0, matched: 0, borders: Vec::new() }
    }

    /// Follows the prefix that is matched, to an occurrence or until none is.
    fn follow(&mut self) -> Option<usize> {
        let needle = self.finder.needle();
        while self.matched > 0 {
            let byte = self.text.get(self.at)?;
            if needle[self.matched] != *byte {
                self.matched = self.borders[self.matched - 1];
                continue;
            }
            self.at += 1;
            self.matched += 1;
            if self.matched == needle.len() {
                self.matched = self.borders[self.matched - 1];
                return Some(self.at - needle.len());
            }
        }
        None
    }
}

impl Iterator for Occurrences<'_, '_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if let Some(found) = self.follow() {
            return Some(found);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return None;
        }
        let Some(ahead) = self.finder.find(rest) else {
            self.at = self.text.len();
            return None;
        };
        let found = self.at + ahead;
        self.at = found + self.finder.needle().len();
        if self.overlapping {
            if self.borders.is_empty() {
                self.borders = borders(self.finder.needle());
            }
            self.matched = self.borders.last().copied().unwrap_or_default();
        }
        Some(found)
    }
}

impl std::iter::FusedIterator for Occurrences<'_, '_> {}

fn borders(needle: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(needle.len());
    let mut border = 0;
    for (end, byte) in needle.iter().enumerate() {
        while border > 0 && needle[border] != *byte {
            border = borders[border - 1];
        }
        border += usize::from(end > 0 && needle[border] == *byte);
        borders.push(border);
    }
    borders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(text: &str, needle: &str, overlapping: bool) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        for (byte, _) in text.char_indices() {
            if byte >= from && !needle.is_empty() && text[byte..].starts_with(needle) {
                found.push(byte);
                from = if overlapping { byte + 1 } else { byte + needle.len() };
            }
        }
        found
    }

    /// P-026, P-129, E-10, E-33, E-35, E-41.
    #[test]
    fn occurrences_are_counted() {
        for (text, needle, overlapping, disjoint) in [
            ("aaa", "aa", 2, 1),
            ("a\na\na", "a\na", 2, 1),
            ("g = \"hi\"\ng = “hi”\n", "\"hi\"", 1, 1),
            ("}\n}\n}\n", "}", 3, 3),
            ("x\nx\n", "x", 2, 2),
            ("a\tb\n", " ", 0, 0),
            ("abc", "", 0, 0),
            ("", "a", 0, 0),
            ("a", "aa", 0, 0),
            ("éé", "é", 2, 2),
        ] {
            assert_eq!(count(text, needle, true), overlapping, "{needle:?} in {text:?}");
            assert_eq!(count(text, needle, false), disjoint, "{needle:?} in {text:?}");
        }
    }

    /// P-026, P-170: a long needle in a long text that is all like it; the product of the two would never end.
    #[test]
    fn self_similar_texts_are_linear() {
        let (n, m) = (1 << 20, 1 << 18);
        let text = "a".repeat(n);
        assert_eq!(count(&text, &text[..m], true), n - m + 1);
        assert_eq!(count(&text, &text[..m], false), 4);
        assert_eq!(count(&text, &format!("{}b", &text[..m]), true), 0);
        assert_eq!(count(&text, &format!("b{}", &text[..m]), true), 0);
        let middle = format!("{}b{}", &text[..m / 2], &text[..m / 2]);
        assert_eq!(count(&text, &middle, true), 0);
        assert_eq!(count(&middle.repeat(3), &middle, true), 3);
        let pairs = "é\n".repeat(n / 4);
        assert_eq!(count(&pairs, &pairs[..3 * (m / 4)], true), n / 4 - m / 4 + 1);
        let near = format!("{}b", "a".repeat(m)).repeat(4);
        assert_eq!(count(&near, &text[..m - 1], true), 8);
    }

    proptest! {
        /// P-026, P-129: the same as looking at every place.
        #[test]
        fn every_place_is_looked_at(text in "(a|b|é){0,80}", needle in "(a|b|é){0,6}", overlapping: bool) {
            let places = naive(&text, &needle, overlapping);
            let mut found = Occurrences::of(&text, &needle, overlapping);
            prop_assert_eq!(found.by_ref().collect::<Vec<_>>(), places.clone());
            prop_assert_eq!(found.next(), None);
            let positions = Positions::of(&text);
            let expected: Vec<_> = places.iter().map(|at| positions.span(*at..at + needle.len())).collect();
            prop_assert_eq!(spans(&positions, &needle, overlapping).collect::<Vec<_>>(), expected);
        }

        /// P-026, P-129: needles that are made of one another.
        #[test]
        fn repeated_needles_overlap(part in "[ab]{1,3}", times in 1usize..5, text in "[ab]{0,3}", n in 0usize..12) {
            let text = [text.as_str(), &part.repeat(n), &text, &part.repeat(n)].concat();
            for overlapping in [true, false] {
                let needle = part.repeat(times);
                let found: Vec<_> = Occurrences::of(&text, &needle, overlapping).collect();
                prop_assert_eq!(found, naive(&text, &needle, overlapping));
            }
        }
    }
}
