//! The list of changed files (O-016) as a table like git's own: a bar for each, the totals below.

use std::fmt::Write as _;

use anyhow::{Context as _, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::manifest::Manifest;
use crate::cli::shown::{columns, quoted, tail};

/// Columns of a table where nobody says how many there are.
pub(crate) const WIDTH: usize = 80;

/// One page of the list, as far as it is used.
#[derive(Deserialize)]
struct Page {
    manifest: Box<RawValue>,
    totals: Totals,
    files: Vec<Row>,
    eof: bool,
    next_cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct Totals {
    files: u64,
    additions: u64,
    deletions: u64,
    binary_files: u64,
}

/// One file. A name that is no UTF-8 comes in base64 alone.
#[derive(Clone, Debug, Deserialize)]
struct Row {
    old_path: Option<String>,
    new_path: Option<String>,
    old_path_base64: Option<String>,
    new_path_base64: Option<String>,
    status: String,
    kind: String,
    old_mode: Option<String>,
    new_mode: Option<String>,
    additions: Option<u64>,
    deletions: Option<u64>,
    byte_offset: u64,
    byte_count: u64,
}

/// The list while it is being read.
#[derive(Default)]
pub(crate) struct Listing {
    rows: Vec<Row>,
    first: Option<(Manifest, Totals)>,
    end: u64,
    done: bool,
}

/// A list that is whole and adds up.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) manifest: Manifest,
    rows: Vec<Row>,
    totals: Totals,
}

/// What one page brought.
pub(crate) struct Step {
    /// Where to go on; nothing at the end.
    pub(crate) cursor: Option<String>,
    pub(crate) manifest: Box<RawValue>,
}

impl Listing {
    /// Takes one page.
    ///
    /// # Errors
    /// Where it is about another diff than the first, or its files overlap with those before.
    pub(crate) fn take(&mut self, page: &str) -> anyhow::Result<Step> {
        ensure!(!self.done, "a page came after the last one");
        let page: Page = serde_json::from_str(page).context("the answer is no list of files")?;
        let manifest = Manifest::parse(&page.manifest)?;
        let (first, totals) = self.first.get_or_insert_with(|| (manifest.clone(), page.totals));
        ensure!(
            first.agrees_with(&manifest) && *totals == page.totals,
            "the page is about another diff than the first one"
        );
        for row in &page.files {
            ensure!(row.byte_offset >= self.end, "the list's files overlap");
            self.end = row.byte_offset.checked_add(row.byte_count).context("a file lies outside of the diff")?;
            ensure!(self.end <= manifest.content.bytes, "a file lies outside of the diff");
        }
        ensure!(page.eof == page.next_cursor.is_none(), "the page does not say where to go on");
        ensure!(page.eof || !page.files.is_empty(), "the page holds no file, and is not the last");
        self.rows.extend(page.files);
        self.done = page.eof;
        Ok(Step { cursor: page.next_cursor, manifest: page.manifest })
    }

    /// Files listed, and those that there are as far as is known.
    pub(crate) fn progress(&self) -> (u64, Option<u64>) {
        (self.rows.len() as u64, self.first.as_ref().map(|(_, totals)| totals.files))
    }

    /// Compares the files with the totals.
    ///
    /// # Errors
    /// Where they do not add up, or the end has not come.
    pub(crate) fn finish(self) -> anyhow::Result<Listed> {
        let (manifest, totals) = self.first.filter(|_| self.done).context("the list was not read to its end")?;
        let sum = |of: fn(&Row) -> Option<u64>| self.rows.iter().filter_map(of).fold(0_u64, u64::saturating_add);
        ensure!(self.rows.len() as u64 == totals.files, "the list has another number of files than its totals say");
        ensure!(sum(|row| row.additions) == totals.additions, "the added lines do not add up");
        ensure!(sum(|row| row.deletions) == totals.deletions, "the deleted lines do not add up");
        Ok(Listed { manifest, rows: self.rows, totals })
    }
}

impl Listed {
    /// The table, in so many columns.
    pub(crate) fn table(&self, width: usize) -> String {
        let names: Vec<String> = self.rows.iter().map(Row::name).collect();
        let counts: Vec<String> = self.rows.iter().map(Row::count).collect();
        let widest = |texts: &[String]| texts.iter().map(|text| columns(text)).max().unwrap_or(0);
        let count_width = widest(&counts);
        // Of what the count leaves, a third is for the bars, as in git.
        let room = width.saturating_sub(count_width + 6).max(20);
        let name_width = widest(&names).min(room - room / 3);
        let bar_width = room - name_width;
        let most = self.rows.iter().map(Row::lines).max().unwrap_or(0);
        let mut text = String::new();
        for ((row, name), count) in self.rows.iter().zip(&names).zip(&counts) {
            let name = tail(name, name_width);
            let pad = name_width.saturating_sub(columns(&name));
            let line = format!(" {name}{:pad$} | {count:>count_width$} {}", "", row.bar(most, bar_width));
            writeln!(text, "{}", line.trim_end()).expect("a string takes everything");
        }
        let Totals { files, additions, deletions, binary_files } = self.totals;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        write!(text, " {files} file{} changed", plural(files)).expect("as above");
        write!(text, ", {additions} insertion{}(+)", plural(additions)).expect("as above");
        write!(text, ", {deletions} deletion{}(-)", plural(deletions)).expect("as above");
        if binary_files > 0 {
            write!(text, ", {binary_files} binary").expect("as above");
        }
        text
    }
}

impl Row {
    /// The name, or both where there are two, and what happened besides lines, as in git's compact summary.
    fn name(&self) -> String {
        let old = path(self.old_path.as_deref(), self.old_path_base64.as_deref());
        let new = path(self.new_path.as_deref(), self.new_path_base64.as_deref());
        let name = match (old, new) {
            (Some(old), Some(new)) if old != new => format!("{} => {}", quoted(&old), quoted(&new)),
            (Some(name), _) | (None, Some(name)) => quoted(&name),
            (None, None) => "(no name)".to_owned(),
        };
        let executable = |mode: &Option<String>| mode.as_deref() == Some("100755");
        let regular = |mode: &Option<String>| mode.as_deref() == Some("100644");
        let mode = match self.status.as_str() {
            "added" if executable(&self.new_mode) => " (new +x)",
            "added" if self.kind == "symlink" => " (new +l)",
            "added" => " (new)",
            "deleted" => " (gone)",
            "copied" => " (copy)",
            "type_changed" => " (type)",
            _ if regular(&self.old_mode) && executable(&self.new_mode) => " (mode +x)",
            _ if executable(&self.old_mode) && regular(&self.new_mode) => " (mode -x)",
            _ => "",
        };
        name + mode
    }

    fn count(&self) -> String {
        if self.kind == "binary" { "Bin".to_owned() } else { self.lines().to_string() }
    }

    fn lines(&self) -> u64 {
        self.additions.unwrap_or(0).saturating_add(self.deletions.unwrap_or(0))
    }

    /// A plus or a minus a line, fewer where the longest bar would not fit; a file that has lines has a sign of each kind.
    fn bar(&self, most: u64, width: usize) -> String {
        let scale = |lines: u64| -> usize {
            let width = width as u64;
            let scaled = match lines {
                0 => 0,
                _ if most <= width => lines,
                // In 128 bits, where no product of two counts overflows.
                _ => {
                    1 + u64::try_from(u128::from(lines) * u128::from(width.saturating_sub(2)) / u128::from(most))
                        .unwrap_or(0)
                }
            };
            usize::try_from(scaled).unwrap_or(0).min(width as usize)
        };
        "+".repeat(scale(self.additions.unwrap_or(0))) + &"-".repeat(scale(self.deletions.unwrap_or(0)))
    }
}

fn path(text: Option<&str>, base64: Option<&str>) -> Option<Vec<u8>> {
    let bytes = base64.and_then(|base64| STANDARD.decode(base64).ok());
    bytes.or_else(|| Some(text?.as_bytes().to_vec()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::diff::manifest::tests::observed;

    fn row(old: Value, new: Value, status: &str, kind: &str, lines: (u64, u64), at: u64) -> Value {
        json!({
            "old_path": old, "new_path": new, "status": status, "kind": kind, "old_mode": "100644", "new_mode": "100644",
            "old_oid": "1", "new_oid": "2", "additions": lines.0, "deletions": lines.1, "byte_offset": at, "byte_count": 10,
            "sha256": "ab"
        })
    }

    fn page(files: Vec<Value>, totals: (u64, u64, u64), cursor: Option<&str>) -> String {
        json!({
            "requested": {}, "manifest": observed("transform", None, 100, "ab"),
            "totals": {"files": totals.0, "additions": totals.1, "deletions": totals.2, "binary_files": 1},
            "files": files, "returned": 0, "total": 0, "eof": cursor.is_none(), "next_cursor": cursor,
        })
        .to_string()
    }

    fn listed(pages: &[String]) -> anyhow::Result<Listed> {
        let mut listing = Listing::default();
        for page in pages {
            listing.take(page)?;
        }
        listing.finish()
    }

    /// O-016: two pages, hostile names and names that are no UTF-8, in one table.
    #[test]
    fn a_table_is_like_gits() {
        let mut bytes = row(Value::Null, Value::Null, "modified", "binary", (0, 0), 20);
        bytes["old_path_base64"] = json!(STANDARD.encode(b"caf\xe9.png"));
        bytes["new_path_base64"] = bytes["old_path_base64"].clone();
        let mut mode = row(json!("run"), json!("run"), "mode_changed", "text", (0, 0), 50);
        mode["new_mode"] = json!("100755");
        let pages = [
            page(
                vec![
                    row(json!("src/lib.rs"), json!("src/lib.rs"), "modified", "text", (3, 1), 0),
                    row(json!("old"), json!("new"), "renamed", "text", (0, 0), 10),
                    bytes,
                ],
                (6, 4, 3),
                Some("c"),
            ),
            page(
                vec![
                    row(json!("\u{1b}[2J\nx"), json!("\u{1b}[2J\nx"), "deleted", "text", (0, 2), 30),
                    row(Value::Null, json!("brand new"), "added", "text", (1, 0), 40),
                    mode,
                ],
                (6, 4, 3),
                None,
            ),
        ];
        let table = listed(&pages).expect("it adds up").table(WIDTH);
        assert_eq!(
            table,
            concat!(
                " src/lib.rs          |   4 +++-\n",
                " old => new          |   0\n",
                " \"caf\\351.png\"       | Bin\n",
                " \"\\033[2J\\nx\" (gone) |   2 --\n",
                " brand new (new)     |   1 +\n",
                " run (mode +x)       |   0\n",
                " 6 files changed, 4 insertions(+), 3 deletions(-), 1 binary",
            )
        );
    }

    #[test]
    fn long_bars_and_names_fit() {
        let name = "a/very/long/folder/".repeat(12) + "file.rs";
        let files = vec![
            row(json!(name), json!(name), "modified", "text", (1_000_000, 1), 0),
            row(json!("x"), json!("x"), "modified", "text", (1, 0), 10),
        ];
        let listed = listed(&[page(files, (2, 1_000_001, 1), None)]).expect("it adds up");
        for width in [0, 20, 40, 80, 200] {
            let table = listed.table(width);
            let lines: Vec<&str> = table.lines().collect();
            let [first, second, _] = lines.as_slice() else { panic!("{table}") };
            assert!(first.contains("...") && first.contains('+') && first.ends_with('-'), "{table}");
            assert!(second.ends_with('+'), "{table}");
            assert!(first.len() <= width.max(40), "{width}: {first}");
        }
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
        let one = || row(json!("x"), json!("x"), "modified", "text", (1, 0), 0);
        let good = || page(vec![one()], (1, 1, 0), None);
        assert!(listed(&[good()]).is_ok());
        for totals in [(2, 1, 0), (1, 2, 0), (1, 1, 1)] {
            assert!(listed(&[page(vec![one()], totals, None)]).is_err(), "{totals:?}");
        }
        assert!(listed(&[page(vec![one(), one()], (2, 2, 0), None)]).is_err(), "they overlap");
        assert!(
            listed(&[page(vec![row(json!("x"), json!("x"), "modified", "text", (1, 0), 91)], (1, 1, 0), None)])
                .is_err()
        );
        assert!(listed(&[page(vec![one()], (1, 1, 0), Some("c"))]).is_err(), "it has no end");
        assert!(listed(&[good(), good()]).is_err(), "it goes on after the end");
        assert!(listed(&[page(vec![], (1, 1, 0), Some("c"))]).is_err(), "it would not get on");
        assert!(listed(&[]).is_err());
    }
}
