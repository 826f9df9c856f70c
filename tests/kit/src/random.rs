//! Random edits for property tests: a seed makes the same trees everywhere, so that a failure can be told in one number.

use crate::{
    content::{HEADER_LIKE, noise},
    names::AWKWARD,
    tree::{Entry, Tree, file, place},
};

/// Small and repeatable, which is all it has to be (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "an endless sequence is no iterator to collect")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    /// Where `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("a bound fits 64 bits");
        usize::try_from(self.next() % bound).expect("it is below a usize")
    }

    /// One of several.
    ///
    /// # Panics
    /// Where there is none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.below(from.len());
        from.get(at).expect("the number is below the length")
    }
}

/// A tree of up to a dozen awkward paths.
#[must_use]
pub fn tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new();
    for _ in 0..=random.below(12) {
        let (path, entry) = (path(random), entry(random));
        place(&mut tree, &path, entry);
    }
    tree
}

/// The tree after up to eight edits of every kind.
#[must_use]
pub fn edited(tree: &Tree, random: &mut Random) -> Tree {
    let mut after = tree.clone();
    for _ in 0..=random.below(8) {
        let paths: Vec<Vec<u8>> = after.keys().cloned().collect();
        if paths.is_empty() || random.below(6) == 0 {
            let (path, entry) = (path(random), entry(random));
            place(&mut after, &path, entry);
            continue;
        }
        let old = random.pick(&paths).clone();
        let entry_now = after.get(&old).cloned().expect("the path was taken from the tree");
        match random.below(8) {
            0 => {
                after.remove(&old);
            }
            1 => {
                let other = entry(random);
                after.insert(old, other);
            }
            2 | 3 => {
                after.remove(&old);
                let edited = if random.below(2) == 0 { entry_now } else { touched(entry_now, random) };
                let new = path(random);
                place(&mut after, &new, edited);
            }
            4 => {
                let new = path(random);
                let copy = if random.below(2) == 0 { entry_now } else { touched(entry_now, random) };
                place(&mut after, &new, copy);
            }
            5 => {
                let flipped = match entry_now {
                    Entry::File(content) => Entry::Executable(content),
                    Entry::Executable(content) => Entry::File(content),
                    Entry::Link(target) => Entry::File(target),
                    Entry::Submodule(_) => file("no module any more\n"),
                };
                after.insert(old, flipped);
            }
            _ => {
                after.insert(old, touched(entry_now, random));
            }
        }
    }
    after
}

fn path(random: &mut Random) -> Vec<u8> {
    let one = random.pick(AWKWARD).path.to_vec();
    match random.below(4) {
        0 => [b"dir/", &one[..]].concat(),
        1 => [random.pick(AWKWARD).path, b"/", &one].concat(),
        _ => one,
    }
}

fn entry(random: &mut Random) -> Entry {
    match random.below(12) {
        0 => Entry::Link(random.pick(AWKWARD).path.to_vec()),
        1 => Entry::Submodule(*random.pick(&['1', '2', 'f'])),
        2 => Entry::Executable(text(random)),
        3 => {
            let seed = random.next();
            let count = 1 + random.below(2_000);
            file(noise(seed, count))
        }
        4 => file(""),
        _ => file(text(random)),
    }
}

fn text(random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(60) {
        text.extend(line(random));
    }
    if random.below(3) == 0 {
        while text.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            text.pop();
        }
    }
    text
}

fn line(random: &mut Random) -> Vec<u8> {
    let mut line = match random.below(6) {
        0 => random.pick(HEADER_LIKE).as_bytes().to_vec(),
        1 => format!("fn number_{}() {{", random.below(30)).into_bytes(),
        2 => b"caf\xe9 in Latin-1".to_vec(),
        3 => format!("{}\t{}", "→".repeat(random.below(5)), random.below(1_000)).into_bytes(),
        _ => format!("common line {}", random.below(20)).into_bytes(),
    };
    line.extend_from_slice(if random.below(5) == 0 { b"\r\n" } else { b"\n" });
    line
}

fn touched(entry: Entry, random: &mut Random) -> Entry {
    match entry {
        Entry::File(content) => Entry::File(touched_bytes(&content, random)),
        Entry::Executable(content) => Entry::Executable(touched_bytes(&content, random)),
        Entry::Link(_) => Entry::Link(random.pick(AWKWARD).path.to_vec()),
        Entry::Submodule(digit) => Entry::Submodule(if digit == '1' { '2' } else { '1' }),
    }
}

fn touched_bytes(content: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len() + 1);
        if at < lines.len() && random.below(2) == 0 {
            lines.remove(at);
        } else {
            lines.insert(at, line(random));
        }
    }
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_trees_and_another_seed_others() {
        let make = |seed| {
            let mut random = Random::new(seed);
            let before = tree(&mut random);
            let after = edited(&before, &mut random);
            (before, after)
        };
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
        assert!((0..50).filter(|seed| make(*seed).0 != make(*seed).1).count() > 45);
    }
}
