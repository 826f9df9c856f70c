//! Whether several scopes can be edited in one step, each on its own.

use crate::text::Span;

/// Whether no two of these overlap or nest, so that replacing one moves no text of another (PG-28). Those that only touch are
/// disjoint; the same span twice is not, be it empty.
#[must_use]
pub fn disjoint(spans: &[Span]) -> bool {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| matches!(pair, [one, next] if one.end <= next.start && one != next))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans(of: &[(usize, usize)]) -> Vec<Span> {
        of.iter().map(|&(start, end)| Span { start, end }).collect()
    }

    /// PG-28, P-142.
    #[test]
    fn nested_and_overlapping_scopes_are_not_disjoint() {
        for apart in [&[][..], &[(3, 9)], &[(5, 9), (0, 5)], &[(7, 8), (0, 2), (3, 4)], &[(2, 2), (2, 5), (5, 5)]] {
            assert!(disjoint(&spans(apart)), "{apart:?}");
        }
        for together in [
            &[(0, 9), (3, 5)][..],
            &[(0, 5), (4, 9)],
            &[(0, 5), (0, 5)],
            &[(0, 9), (1, 2), (3, 4)],
            &[(0, 5), (0, 3)],
            &[(2, 2), (2, 2)],
            &[(1, 3), (2, 2)],
        ] {
            assert!(!disjoint(&spans(together)), "{together:?}");
        }
    }

    proptest! {
        /// PG-28: as two by two.
        #[test]
        fn all_are_disjoint_where_each_two_are(of in prop::collection::vec((0_usize..12, 0_usize..4), 0..6)) {
            let of: Vec<_> = of.into_iter().map(|(start, len)| Span { start, end: start + len }).collect();
            let pairwise = of.iter().enumerate().all(|(at, one)| {
                of.iter().skip(at + 1).all(|other| one != other && (one.end <= other.start || other.end <= one.start))
            });
            prop_assert_eq!(disjoint(&of), pairwise);
        }
    }
}
