//! Code points as small numbers: the same for two texts' same code points, and 0 for what the query has nowhere.
//!
//! Looking one up costs the same for every script, so that the search does not depend on what it searches.

/// How many bits of a code point choose the place within a page.
const PAGE_BITS: usize = 8;
/// How many code points a page has.
const PAGE: usize = 1 << PAGE_BITS;

/// The code points of a query, numbered from 1.
pub(super) struct Alphabet {
    /// The page of each [`PAGE`] code points; the first is that of the foreign ones.
    pages: Box<[u16; (char::MAX as usize >> PAGE_BITS) + 1]>,
    symbols: Vec<[u16; PAGE]>,
    len: u16,
}

impl Alphabet {
    /// Of a query of at most 65,535 code points.
    pub(super) fn of(query: &[char]) -> Self {
        let mut alphabet = Self { pages: Box::new([0; _]), symbols: vec![[0; PAGE]], len: 0 };
        query.iter().for_each(|char| alphabet.add(*char));
        alphabet
    }

    fn add(&mut self, char: char) {
        let page = &mut self.pages[char as usize >> PAGE_BITS];
        if *page == 0 {
            *page = u16::try_from(self.symbols.len()).expect("a page for each code point of a query at most");
            self.symbols.push([0; PAGE]);
        }
        let symbol = &mut self.symbols[usize::from(*page)][char as usize % PAGE];
        if *symbol == 0 {
            self.len += 1;
            *symbol = self.len;
        }
    }

    /// How many symbols there are, the foreign one among them.
    pub(super) fn len(&self) -> usize {
        usize::from(self.len) + 1
    }

    /// The symbol of a code point.
    pub(super) fn symbol(&self, char: char) -> u16 {
        let page = self.pages[char as usize >> PAGE_BITS];
        self.symbols[usize::from(page)][char as usize % PAGE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-24: code points are what is compared.
    #[test]
    fn every_code_point_of_the_query_has_one_symbol() {
        let alphabet = Alphabet::of(&['a', '\u{161}', 'a', '\0', char::MAX]);
        assert_eq!(['a', '\u{161}', '\0', char::MAX].map(|char| alphabet.symbol(char)), [1, 2, 3, 4]);
        assert_eq!(['b', '\u{61}', '\u{10061}', '\u{ff}', '漢'].map(|char| alphabet.symbol(char)), [0, 1, 0, 0, 0]);
        assert_eq!(alphabet.len(), 5);
    }
}
