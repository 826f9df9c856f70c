//! Rows to be written, with each column beside its value.

use std::fmt::Write as _;

use crate::{Fault, value::Value};

/// Rows in one statement. PostgreSQL takes 65,535 parameters and SQLite 32,766.
const ROWS: usize = 64;

/// Rows of one table.
pub(super) struct Insert {
    table: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
    returning: &'static str,
    overriding: &'static str,
}

impl Insert {
    pub(super) fn into(table: &'static str) -> Self {
        Self { table, columns: Vec::new(), rows: vec![Vec::new()], returning: "", overriding: "" }
    }

    /// The only row's next column.
    pub(super) fn with(mut self, column: &'static str, value: impl Into<Value>) -> Self {
        self.columns.push(column);
        if let Some(row) = self.rows.last_mut() {
            row.push(value.into());
        }
        self
    }

    /// All rows of inserts that have the same columns.
    pub(super) fn all(inserts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut inserts = inserts.into_iter();
        let mut first = inserts.next()?;
        first.rows.extend(inserts.flat_map(|insert| insert.rows));
        Some(first)
    }

    /// What is to come back of each row.
    pub(super) fn returning(mut self, column: &'static str) -> Self {
        self.returning = column;
        self
    }

    /// What the database must be told where it would give a column's value itself.
    pub(super) fn overriding(mut self, words: &'static str) -> Self {
        self.overriding = words;
        self
    }

    /// The statements, in the order of the rows.
    pub(super) fn statements(self) -> Result<Vec<(String, Vec<Value>)>, Fault> {
        let Self { table, columns, mut rows, returning, overriding } = self;
        for row in &rows {
            if let Some((column, _)) = columns.iter().zip(row).find(|(_, value)| value.has_nul()) {
                return Err(Fault::Unstorable(format!("{table}.{column}")));
            }
        }
        let mut statements = Vec::with_capacity(rows.len().div_ceil(ROWS));
        while !rows.is_empty() {
            let rest = rows.split_off(rows.len().min(ROWS));
            let mut text = format!("INSERT INTO {table} ({}){overriding} VALUES ", columns.join(", "));
            for row in 0..rows.len() {
                let first = row * columns.len();
                let places: Vec<_> = (1..=columns.len()).map(|column| format!("${}", first + column)).collect();
                let comma = if row == 0 { "" } else { ", " };
                write!(text, "{comma}({})", places.join(", ")).expect("a String takes everything");
            }
            if !returning.is_empty() {
                write!(text, " RETURNING {returning}").expect("a String takes everything");
            }
            statements.push((text, rows.into_iter().flatten().collect()));
            rows = rest;
        }
        Ok(statements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: i64) -> Insert {
        Insert::into("t").with("a", number).with("b", "x")
    }

    #[test]
    fn rows_go_in_together_but_not_too_many() {
        let one = row(1).returning("a").statements().expect("no NUL");
        assert_eq!(one, [("INSERT INTO t (a, b) VALUES ($1, $2) RETURNING a".to_owned(), vec![1.into(), "x".into()])]);

        let many = Insert::all((0..150).map(row)).expect("some").statements().expect("no NUL");
        let sizes: Vec<_> = many.iter().map(|(_, values)| values.len()).collect();
        assert_eq!(sizes, [128, 128, 44]);
        assert!(many[0].0.starts_with("INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), "));
        assert!(many[2].0.ends_with("($43, $44)"));
        let numbers: Vec<_> = many.iter().flat_map(|(_, values)| values.iter().step_by(2).cloned()).collect();
        assert_eq!(numbers, (0..150).map(Value::from).collect::<Vec<_>>());
        assert!(Insert::all([]).is_none());
    }

    #[test]
    fn nul_is_refused_by_column() {
        let insert = Insert::all([row(1), Insert::into("t").with("a", 2).with("b", "\0")]).expect("some");
        assert_eq!(insert.statements(), Err(Fault::Unstorable("t.b".to_owned())));
    }
}
