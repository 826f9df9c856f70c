//! How one short text becomes another, by as few edits as there can be.

/// What happens to a run of code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffOp {
    /// Both texts have them.
    Equal,
    /// Only the window has them.
    Insert,
    /// Only the query has them.
    Delete,
    /// The query has others in the place of each.
    Replace,
}

/// Code points one after the other to which the same happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffRun {
    /// What happens to them.
    pub op: DiffOp,
    /// How many there are; of a replacement, in each of the two texts.
    pub chars: usize,
}

impl DiffOp {
    /// Its name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::Replace => "replace",
        }
    }
}

/// The script from `query` to `window`, which are `distance` apart (PG-24). Of several that are as short, it is the one
/// that, at the first place where they differ, keeps rather than replaces, replaces rather than deletes, and deletes
/// rather than inserts. Were the distance wrong, it would be a longer script.
pub(super) fn between(query: &[char], window: &[char], distance: usize) -> Vec<DiffRun> {
    let costs = Costs::of(query, window, distance);
    let (mut i, mut j) = (0, 0);
    let mut runs: Vec<DiffRun> = Vec::new();
    while i < query.len() || j < window.len() {
        let op = match (query.get(i), window.get(j)) {
            // To keep what is the same is never worse.
            (Some(from), Some(to)) if from == to => DiffOp::Equal,
            (Some(_), Some(_)) if costs.from(i + 1, j + 1) < costs.from(i, j) => DiffOp::Replace,
            (Some(_), Some(_)) if costs.from(i + 1, j) < costs.from(i, j) => DiffOp::Delete,
            (Some(_), None) => DiffOp::Delete,
            _ => DiffOp::Insert,
        };
        i += usize::from(op != DiffOp::Insert);
        j += usize::from(op != DiffOp::Delete);
        match runs.last_mut() {
            Some(run) if run.op == op => run.chars += 1,
            _ => runs.push(DiffRun { op, chars: 1 }),
        }
    }
    runs
}

/// How many edits the rests of two texts are apart.
struct Costs {
    cells: Vec<u16>,
    width: usize,
}

impl Costs {
    /// No shortest script comes to places further from each other than `distance`, so those stay as far as can be.
    fn of(query: &[char], window: &[char], distance: usize) -> Self {
        let width = window.len() + 1;
        let mut cells = vec![u16::MAX; (query.len() + 1) * width];
        for i in (0..=query.len()).rev() {
            for j in (i.saturating_sub(distance)..width.min(i + distance + 1)).rev() {
                let at = i * width + j;
                cells[at] = match (query.get(i), window.get(j)) {
                    (Some(from), Some(to)) if from == to => cells[at + width + 1],
                    (Some(_), Some(_)) => {
                        cells[at + width + 1].min(cells[at + width]).min(cells[at + 1]).saturating_add(1)
                    }
                    (Some(_), None) => cells[at + width].saturating_add(1),
                    (None, Some(_)) => cells[at + 1].saturating_add(1),
                    (None, None) => 0,
                };
            }
        }
        Self { cells, width }
    }

    /// From these places on.
    fn from(&self, i: usize, j: usize) -> u16 {
        self.cells[i * self.width + j]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::judge;
    use super::*;

    fn script(query: &str, window: &str) -> String {
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        let (query, window) = (chars(query), chars(window));
        let runs = between(&query, &window, judge::levenshtein(&query, &window));
        runs.iter().map(|run| format!("{}{} ", run.op.name(), run.chars)).collect::<String>().trim_end().to_owned()
    }

    /// PG-24: one script of the shortest.
    #[test]
    fn scripts_are_shortest_and_chosen_by_a_rule() {
        assert_eq!(script("", ""), "");
        assert_eq!(script("ab", "ab"), "equal2");
        assert_eq!(script("    foo", "\tfoo"), "replace1 delete3 equal3");
        assert_eq!(script("y := 99\n", "y := 2\n"), "equal5 replace1 delete1 equal1");
        assert_eq!(script("abc", "xabcy"), "insert1 equal3 insert1");
        assert_eq!(script("aab", "ab"), "equal1 delete1 equal1");
        assert_eq!(script("é漢", "e漢"), "replace1 equal1");
    }

    proptest! {
        /// PG-24: the script makes the window of the query, in as many edits as the distance says.
        #[test]
        fn a_script_does_what_it_says(query in "[ab漢]{0,40}", window in "[ab漢]{0,40}", wrong in 0..40usize) {
            let (query, window): (Vec<char>, Vec<char>) = (query.chars().collect(), window.chars().collect());
            let distance = judge::levenshtein(&query, &window);
            prop_assert_eq!(edits(&query, &window, distance)?, distance);
            prop_assert!(edits(&query, &window, wrong)? >= distance);
        }
    }

    /// How many edits a script has that does make the window of the query.
    fn edits(query: &[char], window: &[char], distance: usize) -> Result<usize, TestCaseError> {
        let (mut from, mut to) = (query, window);
        let mut edits = 0;
        for run in between(query, window, distance) {
            let (deleted, kept) = from.split_at(if run.op == DiffOp::Insert { 0 } else { run.chars });
            let (inserted, rest) = to.split_at(if run.op == DiffOp::Delete { 0 } else { run.chars });
            (from, to) = (kept, rest);
            match run.op {
                DiffOp::Equal => prop_assert_eq!(deleted, inserted),
                _ => edits += run.chars,
            }
            if run.op == DiffOp::Replace {
                prop_assert!(deleted.iter().zip(inserted).all(|(old, new)| old != new));
            }
        }
        prop_assert!(from.is_empty() && to.is_empty());
        Ok(edits)
    }
}
