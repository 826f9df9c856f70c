//! Distances by bits: a column of the table of distances is a few words, and one pass over the text gives its last row.
//!
//! This is Myers' algorithm in Hyyrö's form for queries of several words. A bit stands for a row and says whether the
//! distance rises or falls from the row above. The query ends at the highest bit of the last word, so that what leaves
//! that bit is how the last row changes. The rows before its first code point are unused and always the same as the
//! upper edge of the table.
//!
//! The text is cut into pieces that are read side by side. Each begins early, by as many columns as a window within the
//! threshold can be long (`lead`), so that every distance within the threshold is the true one; above it, one may be
//! too large.

use std::array;

use super::lanes::{GROUPS, Lanes, WIDTH, Wide};

/// How many symbols follow a text: as many as cutting it into equal pieces can need.
const TAIL: usize = GROUPS * WIDTH;

/// A text as symbols, 0 for what the query does not have, with room before and after it.
pub(super) struct Text {
    symbols: Vec<u16>,
    lead: usize,
}

/// A query of at most `64 * W` symbols.
pub(super) struct Pattern<const W: usize> {
    /// By symbol, the rows that have it.
    rows: Vec<[u64; W]>,
    /// The rows that stand for a code point.
    used: [u64; W],
    len: u16,
}

/// `G` groups of `N` pieces, each of them at a column of its own.
struct Scan<'a, V, const N: usize, const G: usize, const W: usize> {
    pattern: &'a Pattern<W>,
    columns: [Column<V, W>; G],
    scores: [V; G],
}

/// The differences of one column from row to row.
#[derive(Clone, Copy)]
struct Column<V, const W: usize> {
    rises: [V; W],
    falls: [V; W],
}

impl Text {
    /// Of `len` symbols. Before them come `lead` that are none of the query's, and these change no distance: to replace
    /// one costs as much as to have nothing there.
    pub(super) fn of(symbols: impl Iterator<Item = u16>, len: usize, lead: usize) -> Self {
        let mut padded = vec![0; lead + len + TAIL];
        padded[lead..lead + len].iter_mut().zip(symbols).for_each(|(place, symbol)| *place = symbol);
        Self { symbols: padded, lead }
    }

    /// The text alone.
    pub(super) fn symbols(&self) -> &[u16] {
        &self.symbols[self.lead..self.symbols.len() - TAIL]
    }

    /// For every place where a window can end, from 1 on, the smallest distance of one. Exact where that is a distance
    /// which no window longer than `lead` has. The pattern is for windows that begin anywhere.
    pub(super) fn distances<const W: usize>(&self, pattern: &Pattern<W>) -> Vec<u16> {
        self.distances_by::<Wide, WIDTH, GROUPS, W>(pattern)
    }

    fn distances_by<V: Lanes<N>, const N: usize, const G: usize, const W: usize>(
        &self,
        pattern: &Pattern<W>,
    ) -> Vec<u16> {
        let len = self.symbols().len();
        let piece = len.div_ceil(N * G).max(1);
        // The compiler sees that the slices of an array are all as long as the loops below run, and checks no index.
        let cut = |from: usize, len: usize| -> [[&[u16]; N]; G] {
            let start = |group: usize, lane: usize| from + (group * N + lane) * piece;
            array::from_fn(|group| array::from_fn(|lane| &self.symbols[start(group, lane)..][..len]))
        };
        let (before, own) = (cut(0, self.lead), cut(self.lead, piece));
        let mut row = vec![0; piece * N * G];
        let mut places = row.chunks_exact_mut(piece);
        let mut out: [[&mut [u16]; N]; G] =
            array::from_fn(|_| array::from_fn(|_| places.next().expect("as many as there are pieces")));
        let mut scan = Scan::<V, N, G, W>::of(pattern);
        for at in 0..self.lead {
            for group in 0..G {
                scan.advance(group, &before, at);
            }
        }
        for at in 0..piece {
            for (group, out) in out.iter_mut().enumerate() {
                let scores = scan.advance(group, &own, at);
                out.iter_mut().zip(scores).for_each(|(out, score)| out[at] = score);
            }
        }
        row.truncate(len);
        row
    }
}

impl<const W: usize> Pattern<W> {
    /// A query whose windows may begin anywhere. `symbols` is how many there are.
    pub(super) fn anywhere(query: impl ExactSizeIterator<Item = u16>, symbols: usize) -> Self {
        let mut pattern = Self::anchored(query, symbols);
        // An unused row equals everything, so that it stays 0 like the row above the table.
        for rows in &mut pattern.rows {
            *rows = array::from_fn(|word| rows[word] | !pattern.used[word]);
        }
        pattern
    }

    /// A query whose windows begin where the text does.
    pub(super) fn anchored(query: impl ExactSizeIterator<Item = u16>, symbols: usize) -> Self {
        let len = query.len();
        assert!(len <= 64 * W, "the words hold the query");
        let mut pattern =
            Self { rows: vec![[0; W]; symbols], used: [0; W], len: u16::try_from(len).expect("a few words") };
        for (bit, symbol) in (64 * W - len..).zip(query) {
            pattern.rows[usize::from(symbol)][bit / 64] |= 1 << (bit % 64);
            pattern.used[bit / 64] |= 1 << (bit % 64);
        }
        pattern
    }

    /// [`Text::distances`] of a text that begins here, all of them exact. The pattern is for windows that begin
    /// anywhere.
    pub(super) fn distances_within(&self, text: &[u16]) -> impl Iterator<Item = u16> {
        self.one_by_one(text.iter().copied(), 0)
    }

    /// The distances of the windows of 1, 2 and so on symbols. The pattern is anchored.
    pub(super) fn distances_by_len(&self, text: impl Iterator<Item = u16>) -> impl Iterator<Item = u16> {
        self.one_by_one(text, 1)
    }

    fn one_by_one(&self, text: impl Iterator<Item = u16>, edge: u64) -> impl Iterator<Item = u16> {
        let mut column = self.first_column::<u64, 1>();
        let mut score = u64::from(self.len);
        text.map(move |symbol| {
            score = score.add(column.advance(self.equal(|_| symbol), edge));
            score as u16
        })
    }

    /// The rows that have the symbol of each lane.
    #[inline(always)]
    fn equal<V: Lanes<N>, const N: usize>(&self, symbol: impl Fn(usize) -> u16) -> [V; W] {
        let rows: [&[u64; W]; N] = array::from_fn(|lane| &self.rows[usize::from(symbol(lane))]);
        array::from_fn(|word| V::from_fn(|lane| rows[lane][word]))
    }

    /// Before any text the distance of a row is its number.
    fn first_column<V: Lanes<N>, const N: usize>(&self) -> Column<V, W> {
        Column { rises: self.used.map(V::splat), falls: [V::splat(0); W] }
    }
}

impl<'a, V: Lanes<N>, const N: usize, const G: usize, const W: usize> Scan<'a, V, N, G, W> {
    fn of(pattern: &'a Pattern<W>) -> Self {
        let scores = [V::splat(u64::from(pattern.len)); G];
        Self { pattern, columns: [pattern.first_column(); G], scores }
    }

    /// The column at `at` of the pieces of one group; returned is what the last row has there.
    #[inline(always)]
    fn advance(&mut self, group: usize, pieces: &[[&[u16]; N]; G], at: usize) -> [u16; N] {
        let equal = self.pattern.equal(|lane| pieces[group][lane][at]);
        let change = self.columns[group].advance(equal, V::splat(0));
        self.scores[group] = self.scores[group].add(change);
        // A distance is at most the query's length.
        self.scores[group].words().map(|score| score as u16)
    }
}

impl<V, const W: usize> Column<V, W> {
    /// The next column, given the rows that equal its symbol and by how much (0 or 1) the upper edge rises; returned is
    /// by how much the last row rises, modulo 2^64.
    #[inline(always)]
    fn advance<const N: usize>(&mut self, equal: [V; W], edge: V) -> V
    where
        V: Lanes<N>,
    {
        let (mut plus, mut minus) = (edge, V::splat(0));
        for word in 0..W {
            let (rises, falls) = (self.rises[word], self.falls[word]);
            let vertical = equal[word].or(falls);
            let equal = equal[word].or(minus);
            let horizontal = equal.and(rises).add(rises).xor(rises).or(equal);
            let up = falls.or(horizontal.nor(rises));
            let down = rises.and(horizontal);
            let (shifted_up, shifted_down) = (up.up().or(plus), down.up().or(minus));
            self.rises[word] = shifted_down.or(vertical.nor(shifted_up));
            self.falls[word] = shifted_up.and(vertical);
            (plus, minus) = (up.top(), down.top());
        }
        plus.sub(minus)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn compare<const W: usize>(query: &[u16], text: &[u16], threshold: u16) -> Result<(), TestCaseError> {
        let pattern = Pattern::<W>::anywhere(query.iter().copied(), 5);
        let lead = query.len() + usize::from(threshold);
        let text = Text::of(text.iter().copied(), text.len(), lead);
        let lanes = text.distances(&pattern);
        let scalar = text.distances_by::<u64, 1, 1, W>(&pattern);
        let plain: Vec<u16> = pattern.distances_within(text.symbols()).collect();
        prop_assert_eq!(&scalar, &plain, "one lane is exact everywhere");
        prop_assert_eq!(lanes.len(), scalar.len());
        for (lane, scalar) in lanes.iter().zip(&scalar) {
            prop_assert!(lane == scalar || (*lane > threshold && *scalar > threshold), "{} {}", lane, scalar);
        }
        Ok(())
    }

    proptest! {
        /// PG-24: pieces side by side give what one pass gives.
        #[test]
        fn lanes_are_exact_within_the_threshold(
            query in prop::collection::vec(1u16..5, 1..256),
            text in prop::collection::vec(0u16..5, 0..2_000),
            planted in any::<prop::sample::Index>(),
        ) {
            let mut text = text;
            let at = planted.index(text.len() + 1);
            text.splice(at..at, query.iter().copied().filter(|symbol| *symbol != 3));
            let threshold = u16::try_from((query.len() / 3).max(1)).unwrap();
            match query.len().div_ceil(64) {
                1 => compare::<1>(&query, &text, threshold)?,
                2 => compare::<2>(&query, &text, threshold)?,
                3 => compare::<3>(&query, &text, threshold)?,
                _ => compare::<4>(&query, &text, threshold)?,
            }
        }
    }
}
