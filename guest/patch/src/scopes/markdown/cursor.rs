//! A place within a line, in bytes and in columns. A tab reaches to the next multiple of four columns, and a container may
//! take only some of them.

const TAB: usize = 4;

/// The part of a line that is not consumed.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    line: &'a str,
    /// The first byte that is not wholly consumed.
    at: usize,
    column: usize,
    /// Where there is nothing but white space left.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of `line`, which has no line end.
    pub(super) fn of(line: &'a str) -> Self {
        Self { line, at: 0, column: 0, end: line.trim_end_matches([' ', '\t']).len() }
    }

    /// Whether there is nothing but white space left.
    pub(super) fn is_blank(&self) -> bool {
        self.at >= self.end
    }

    /// How many columns of white space are next, but no more than about `enough` are counted.
    pub(super) fn indent(&self, enough: usize) -> usize {
        let mut ahead = self.clone();
        while ahead.column - self.column < enough && ahead.step() {}
        ahead.column - self.column
    }

    /// Whether what is next is deep enough to be no block's start.
    pub(super) fn is_deep(&self) -> bool {
        self.indent(4) >= 4
    }

    /// Consumes at most so many columns of white space.
    pub(super) fn skip(&mut self, columns: usize) {
        let until = self.column + columns;
        while self.column < until {
            let before = self.clone();
            if !self.step() {
                break;
            }
            if self.column > until {
                *self = Self { column: until, ..before };
            }
        }
    }

    /// Consumes a marker of so many bytes, each of them one column.
    pub(super) fn skip_marker(&mut self, bytes: usize) {
        self.at += bytes;
        self.column += bytes;
    }

    /// What is left, without the white space before it.
    pub(super) fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default().trim_start_matches([' ', '\t'])
    }

    /// Consumes a space or what is left of a tab.
    fn step(&mut self) -> bool {
        match self.line.as_bytes().get(self.at) {
            Some(b' ') => self.column += 1,
            Some(b'\t') => self.column += TAB - self.column % TAB,
            _ => return false,
        }
        self.at += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-143: a tab can be consumed in part.
    #[test]
    fn tabs_are_columns() {
        let mut cursor = Cursor::of(" \t\tx ");
        assert_eq!((cursor.indent(99), cursor.indent(3)), (8, 4));
        cursor.skip(2);
        assert_eq!((cursor.indent(99), cursor.rest()), (6, "x "));
        cursor.skip(99);
        assert_eq!((cursor.indent(99), cursor.is_blank()), (0, false));
        cursor.skip_marker(1);
        assert!(cursor.is_blank());
    }
}
