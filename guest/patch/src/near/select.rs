//! Which windows are the nearest: the order of PG-24, and that none overlaps another.

use super::MISSES;
use super::alphabet::Alphabet;
use super::kernel::{Pattern, Text};
use crate::text::Span;

/// How many ends have one smallest distance in common.
const BLOCK: usize = 256;
/// The distance of an end where no window may end any more.
const TAKEN: u16 = u16::MAX;

/// A window and its distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// Where it is.
    pub(super) span: Span,
    /// From the query.
    pub(super) distance: usize,
}

/// The distances that windows have by where they end, of those that overlap none found so far.
struct Ends {
    /// Of the window that ends behind each code point.
    distances: Vec<u16>,
    /// The smallest of each [`BLOCK`] of them.
    minima: Vec<u16>,
}

/// The nearest windows of `text`, which has `len` code points, in order. The query has at most 256.
pub(super) fn nearest(query: &[char], text: impl Iterator<Item = char>, len: usize) -> Vec<Found> {
    match query.len() {
        0 => Vec::new(),
        1..=64 => nearest_by::<1>(query, text, len),
        65..=128 => nearest_by::<2>(query, text, len),
        129..=192 => nearest_by::<3>(query, text, len),
        _ => nearest_by::<4>(query, text, len),
    }
}

fn nearest_by<const W: usize>(query: &[char], text: impl Iterator<Item = char>, len: usize) -> Vec<Found> {
    let alphabet = Alphabet::of(query);
    let symbols = || query.iter().map(|char| alphabet.symbol(*char));
    let forward = Pattern::<W>::anywhere(symbols(), alphabet.len());
    let backward = Pattern::<W>::anchored(symbols().rev(), alphabet.len());
    let threshold = (query.len() / 3).max(1);
    // A longer window has more to delete than the threshold.
    let longest = query.len() + threshold;
    let text = Text::of(text.map(|char| alphabet.symbol(char)), len, longest);
    let mut ends = Ends::of(text.distances(&forward));
    let text = text.symbols();
    let mut found: Vec<Found> = Vec::with_capacity(MISSES);
    while found.len() < MISSES
        && let Some((end, distance)) = ends.nearest()
        && usize::from(distance) <= threshold
    {
        let before = text[..end].iter().rev().take(longest).copied();
        let shorter = backward.distances_by_len(before).position(|other| other == distance);
        let start = end - 1 - shorter.expect("a window of this distance ends here");
        ends.set(start, (start..end).map(|_| TAKEN));
        // To the right of it, windows were measured that begin within it.
        let free = found.iter().map(|other| other.span.start).filter(|start| *start >= end).min().unwrap_or(text.len());
        let right = &text[end..free.min(end + longest)];
        ends.set(end, forward.distances_within(right));
        found.push(Found { span: Span { start, end }, distance: usize::from(distance) });
    }
    found
}

impl Ends {
    fn of(distances: Vec<u16>) -> Self {
        let minima = distances.chunks(BLOCK).map(smallest).collect();
        Self { distances, minima }
    }

    /// The first end of the smallest distance, and that.
    fn nearest(&self) -> Option<(usize, u16)> {
        let distance = *self.minima.iter().min()?;
        let block = self.minima.iter().position(|other| *other == distance)?;
        let within = self.distances[block * BLOCK..].iter().position(|other| *other == distance)?;
        Some((block * BLOCK + within + 1, distance))
    }

    /// Other distances for the windows that end behind the code point at `from` and those that follow.
    fn set(&mut self, from: usize, distances: impl Iterator<Item = u16>) {
        let mut until = from;
        for (place, distance) in self.distances[from..].iter_mut().zip(distances) {
            *place = distance;
            until += 1;
        }
        let blocks = from / BLOCK..until.div_ceil(BLOCK);
        let changed = self.distances[blocks.start * BLOCK..].chunks(BLOCK).map(smallest);
        self.minima[blocks].iter_mut().zip(changed).for_each(|(minimum, changed)| *minimum = changed);
    }
}

fn smallest(distances: &[u16]) -> u16 {
    distances.iter().copied().fold(TAKEN, u16::min)
}
