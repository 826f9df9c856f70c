//! The rows of the index that one answer may show: from an offset on, as many as can fit into any answer.

use assay_envelope::RESULT_BYTES;
use assay_forge::files::{FileRow, TakeRow};

/// Rows as JSON; those beyond what an answer holds are only counted by who tells the totals.
#[derive(Debug)]
pub(crate) struct Rows {
    skip: u64,
    bytes: usize,
    rows: Vec<String>,
}

impl Rows {
    /// None yet; those before `offset` are passed over.
    pub(crate) const fn from(offset: u64) -> Self {
        Self { skip: offset, bytes: 0, rows: Vec::new() }
    }

    /// Takes the next row's JSON.
    pub(crate) fn push(&mut self, json: &str) {
        if self.skip > 0 {
            self.skip -= 1;
        } else if self.bytes <= RESULT_BYTES {
            self.bytes += json.len();
            self.rows.push(json.to_owned());
        }
    }

    /// In the diff's order.
    pub(crate) fn as_slice(&self) -> &[String] {
        &self.rows
    }
}

impl TakeRow for Rows {
    fn row(&mut self, row: FileRow) {
        self.push(&json(&row));
    }
}

/// A row as it is shown and kept: one line.
pub(crate) fn json(row: &FileRow) -> String {
    serde_json::to_string(row).expect("strings and numbers")
}
