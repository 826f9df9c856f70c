//! Rows of columns for a terminal. What came out of a database drives nothing there.

use crate::cli::shown::{columns, in_line};

/// Rows as they are collected.
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn with(heads: &[&str]) -> Self {
        Self { rows: vec![heads.iter().map(|head| (*head).to_owned()).collect()] }
    }

    /// One more; each cell is made fit for a line.
    pub(super) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.iter().map(|cell| if cell.is_empty() { "-".to_owned() } else { in_line(cell) }).collect());
    }

    /// Whether it has none but its heads.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.len() <= 1
    }

    /// All of them, each column as wide as its widest cell.
    pub(super) fn text(&self) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns(cell));
            }
        }
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (width, cell) in widths.iter().zip(row) {
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width.saturating_sub(columns(cell)) + 2));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// A stored time, to the second.
pub(super) fn time(stored: &str) -> String {
    match (stored.get(..10), stored.get(11..19)) {
        (Some(day), Some(second)) => format!("{day} {second}"),
        _ => stored.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other_whatever_is_in_them() {
        let mut table = Table::with(&["A", "NAME", "B"]);
        table.row(["路径", "a\u{1b}[2J\nb", "x"]);
        table.row(["1", "", "yy"]);
        assert_eq!(table.text(), "A     NAME           B\n路径  a<1B>[2J<0A>b  x\n1     -              yy\n");
        assert_eq!(time("2026-11-05T12:00:00.000007Z"), "2026-11-05 12:00:00");
        assert_eq!(time("é"), "é");
    }
}
