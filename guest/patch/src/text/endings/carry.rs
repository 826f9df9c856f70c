//! How the map of line endings follows a passage that is written anew, up to a whole text (P-052, X-02).
//!
//! Lines are looked for, because they move: what both texts begin and end with, then lines that each has once, wherever
//! they went. A line that is found keeps its ending. Between lines that stay in order, one takes the place of another, and
//! where there are more than before, they are new. This is no smallest difference, but it costs n log n at most.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::{LineEndings, line_breaks};

/// For each new line, the old one it was or stands for, counted within the passage.
type Kept = Vec<Option<usize>>;

impl LineEndings {
    /// The map after `bytes` of `text` became `added`. Line breaks outside the passage keep their endings (P-024), and so do
    /// lines of it that are still there; new ones take that of the line before, else of the one after.
    ///
    /// # Panics
    /// Where `bytes` are no range of code points of `text`.
    #[must_use]
    pub fn replaced(&self, text: &str, bytes: Range<usize>, added: &str) -> Self {
        let [before, removed, after] = [&text[..bytes.start], &text[bytes.clone()], &text[bytes.end..]];
        let (at, gone, come) = (line_breaks(before), line_breaks(removed), line_breaks(added));
        if gone + come == 0 || self.runs().nth(1).is_none() {
            return self.edited(at, gone, come);
        }
        // The whole lines that the passage is part of; the last one of a text may have no ending to give or to take.
        let head = memrchr(b'\n', before.as_bytes()).map_or(before, |end| &before[end + 1..]);
        let tail = memchr(b'\n', after.as_bytes()).map(|end| &after[..end]);
        let whole = |passage: &str| [head, passage, tail.unwrap_or_default()].concat();
        let ended = usize::from(tail.is_some());
        let (old, new) = (whole(removed), whole(added));
        let old: Vec<_> = old.split('\n').take(gone + ended).collect();
        let new: Vec<_> = new.split('\n').take(come + ended).collect();

        let (begin, end) = (at.min(self.len()), (at + old.len()).min(self.len()));
        let mut found: Vec<_> = kept(&old, &new).into_iter().map(|kept| self.at(begin + kept?)).collect();
        if let (Some(_), Some(found)) = (tail, found.last_mut()) {
            // This line break is behind the passage, and what no edit matched keeps its bytes.
            *found = self.at(at + gone);
        }
        let first = self.before(begin).or(found.iter().copied().flatten().next()).or(self.at(end));
        let mut last = first.unwrap_or(self.lone);
        let endings = found.into_iter().map(|found| {
            last = found.unwrap_or(last);
            last
        });
        self.spliced(begin, end, endings)
    }
}

fn kept(old: &[&str], new: &[&str]) -> Kept {
    let mut kept = vec![None; new.len()];
    let (from, old_end, new_end) = keep_ends(old, new, (0, 0), &mut kept);
    let singles = lines_of_both(&old[from..old_end], &new[from..new_end]);
    let singles: Vec<_> = singles.into_iter().map(|(old, new)| (from + old, from + new)).collect();
    let mut begin = (from, from);
    for (old_anchor, new_anchor) in in_order(&singles) {
        keep_gap(&old[begin.0..old_anchor], &new[begin.1..new_anchor], begin, &mut kept);
        begin = (old_anchor + 1, new_anchor + 1);
    }
    keep_gap(&old[begin.0..old_end], &new[begin.1..new_end], begin, &mut kept);
    for (old, new) in singles {
        kept[new] = Some(old);
    }
    kept
}

/// Keeps what both begin and end with. `begin` is where the two slices are in the passage. Returns how many lines are
/// common at the beginning, and where the common end begins in either.
fn keep_ends(old: &[&str], new: &[&str], begin: (usize, usize), kept: &mut Kept) -> (usize, usize, usize) {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let lines = (0..head).map(|line| (line, line)).chain((old_end..old.len()).zip(new_end..new.len()));
    for (old, new) in lines {
        kept[begin.1 + new] = Some(begin.0 + old);
    }
    (head, old_end, new_end)
}

/// Keeps the ends of a place between two anchors, and has its first lines stand for those that were there.
fn keep_gap(old: &[&str], new: &[&str], begin: (usize, usize), kept: &mut Kept) {
    let (head, old_end, new_end) = keep_ends(old, new, begin, kept);
    for line in head..old_end.min(new_end) {
        kept[begin.1 + line] = Some(begin.0 + line);
    }
}

/// The lines that each of the two has exactly once, as (old, new), by their place in the new one.
fn lines_of_both(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (old, new) = (single_lines(old), single_lines(new));
    let place = |(text, line): &(&str, usize)| {
        let found = old.binary_search_by(|(other, _)| (*other).cmp(text)).ok()?;
        old.get(found).map(|(_, old)| (*old, *line))
    };
    let mut both: Vec<_> = new.iter().filter_map(place).collect();
    both.sort_unstable_by_key(|(_, new)| *new);
    both
}

/// The lines that are there once, sorted by their text.
fn single_lines<'a>(lines: &[&'a str]) -> Vec<(&'a str, usize)> {
    let mut sorted: Vec<_> = lines.iter().enumerate().map(|(number, line)| (*line, number)).collect();
    sorted.sort_unstable();
    let equal = |a: &(&str, usize), b: &(&str, usize)| a.0 == b.0;
    sorted.chunk_by(equal).filter_map(|same| if let [single] = same { Some(*single) } else { None }).collect()
}

/// A longest choice of these pairs whose old places rise as the new ones do.
fn in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The pair with the smallest old place that ends a choice of each length, and before each pair the one it goes on from.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; pairs.len()];
    for (number, (old, _)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].0 < *old);
        previous[number] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut next = ends.last().copied();
    let mut chosen = Vec::with_capacity(ends.len());
    while let Some(number) = next {
        chosen.push(pairs[number]);
        next = previous[number];
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Canonical, Ending, Source};

    fn saved(file: &str, new: &str) -> String {
        let (text, source) = Source::read(file.as_bytes()).expect("it is text");
        let map = source.endings.replaced(text.as_str(), 0..text.as_str().len(), new);
        let file = map.restore(&Canonical::of(new), false).expect("the map was carried along");
        String::from_utf8(file).expect("it is text")
    }

    /// X-02, P-052: a whole new text of a mixed file changes the lines it changes.
    #[test]
    fn lines_of_a_new_text_keep_their_endings() {
        for (file, new, expected) in [
            ("a\r\nb\nc\rd\n", "a\nb\nc\nd\n", "a\r\nb\nc\rd\n"),
            ("a\r\nb\nc\rd\n", "a\nb\nnew\nc\nd\n", "a\r\nb\nnew\nc\rd\n"),
            ("a\r\nb\nc\rd\n", "b\nc\nd\n", "b\nc\rd\n"),
            ("a\r\nb\nc\rd\n", "0\na\nB\nc\nd\ne\n", "0\r\na\r\nB\nc\rd\ne\n"),
            ("a\r\nb\nc\rd\n", "c\nx\na\n", "c\rx\ra\r\n"),
            ("a\r\nb\nc\rd\n", "", ""),
            ("a\r\nb\nc", "x\ny\nz\nu", "x\r\ny\nz\nu"),
            ("a\r\nb\nb\n", "b\nb\nb\nb\n", "b\r\nb\r\nb\nb\n"),
            ("}\r\n}\nx\r}\n", "}\n}\n}\nx\n}\n", "}\r\n}\n}\nx\r}\n"),
        ] {
            assert_eq!(saved(file, new), expected, "{file:?} -> {new:?}");
        }
    }

    /// X-02, P-024: a passage within lines changes the lines it is part of, and a map of another text harms nothing.
    #[test]
    fn a_passage_begins_within_a_line() {
        let map = LineEndings::parse("1C1L2R", 4).expect("it is a map");
        let text = "1\nfoo\nbar\n2\n";
        for (bytes, added, expected) in [
            (3..9, "oo1\nbar\nbaz", "1C1L3R"),
            (5..5, "\nnew", "1C2L2R"),
            (2..2, "new\n", "2C1L2R"),
            (5..6, "", "1C2R"),
            (2..9, "bar\nfoo", "1C3R"),
        ] {
            assert_eq!(map.replaced(text, bytes, added).to_string(), expected, "{added:?}");
        }
        assert_eq!(map.replaced("\n\n\n\n\n\n", 5..6, "x\n\n").len(), 6);
    }

    proptest! {
        /// as many endings as line breaks, the same text has the same map, a uniform file stays uniform, and lines
        /// before the first and behind the last change keep theirs.
        #[test]
        fn a_map_follows(
            file in prop_oneof!["([a-d]|\r|\n|\r\n){0,40}", "([a-d]|\r\n){0,40}"],
            new in "([a-d]|\n){0,40}",
        ) {
            let (text, source) = Source::read(file.as_bytes()).expect("it is text");
            let old = &source.endings;
            prop_assert_eq!(&old.replaced(text.as_str(), 0..text.as_str().len(), text.as_str()), old);
            let map = old.replaced(text.as_str(), 0..text.as_str().len(), &new);
            prop_assert_eq!(map.len(), line_breaks(&new));
            prop_assert!(old.runs().count() != 1 || map.runs().all(|(ending, _)| ending == old.each[0]));
            let (lines, new_lines) = (text.as_str().split('\n'), new.split('\n'));
            let head = lines.clone().zip(new_lines.clone()).take_while(|(a, b)| a == b).count();
            let head = head.min(old.len()).min(map.len());
            prop_assert_eq!(&old.each[..head], &map.each[..head]);
            let inserted = format!("{new}\n{}", text.as_str());
            let map = old.replaced(text.as_str(), 0..text.as_str().len(), &inserted);
            prop_assert_eq!(map.len(), line_breaks(&inserted));
        }

        /// the chosen pairs rise in both, and no longer choice exists.
        #[test]
        fn the_longest_order_is_chosen(olds in Just((0..9).collect::<Vec<usize>>()).prop_shuffle()) {
            let pairs: Vec<_> = olds.iter().copied().zip(0..).collect();
            let chosen = in_order(&pairs);
            prop_assert!(chosen.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1));
            let rising = |bits: &u32| {
                let choice = pairs.iter().filter(|(_, new)| bits >> new & 1 == 1).map(|(old, _)| old);
                choice.is_sorted()
            };
            let longest = (0u32..1 << 9).filter(rising).map(u32::count_ones).max();
            prop_assert_eq!(longest, Some(chosen.len() as u32));
        }
    }

    /// a long text with lines that are all alike is followed in one go.
    #[test]
    fn alike_lines_cost_little() {
        let file = "\r\n\n".repeat(100_000);
        let (text, source) = Source::read(file.as_bytes()).expect("it is text");
        let map = source.endings.replaced(text.as_str(), 0..text.as_str().len(), &"\n".repeat(150_000));
        assert_eq!((map.len(), map.at(0)), (150_000, Some(Ending::CrLf)));
    }
}
