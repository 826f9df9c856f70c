//! `assay patch ledger`: the changes that were accepted.

use clap::Args;
use serde_json::{Value, json};

use super::{
    asked::{Asked, items, number, text},
    named,
    pages::walk,
    print,
    table::{Table, time},
};
use crate::cli::{Failed, editing::Ground};

/// List the changes that were accepted since the text was last saved, oldest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  assay patch ledger --workspace ~/notes todo.txt --all-cycles")]
pub(super) struct Ledger {
    #[command(flatten)]
    ground: Ground,
    /// Paths in the workspace, or documents' ids.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Also the changes from before it was saved.
    #[arg(long)]
    all_cycles: bool,
    /// Rows of each document at the most, the newest of them.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..), value_name = "ROWS")]
    limit: u32,
    /// Print what the tool answers, one JSON object a line.
    #[arg(long)]
    json: bool,
}

impl Ledger {
    pub(super) async fn run(self) -> Result<(), Failed> {
        let asked = Asked::of(&self.ground).await?;
        let found = named::find_all(&asked.editing, &self.files).await?;
        for (at, named) in found.iter().enumerate() {
            let arguments = json!({"target_file_id": named.head.id, "include_previous_cycles": self.all_cycles});
            let pages = walk(&asked, "patchdiff_get_manifest_ledger", &arguments, self.limit).await?;
            if self.json {
                pages.answers.iter().try_for_each(|answer| print(&format!("{}\n", answer.text)))?;
                continue;
            }
            let mut shown = String::new();
            if found.len() > 1 {
                shown = format!("{}{}:\n", if at > 0 { "\n" } else { "" }, named.name);
            }
            if pages.rows().next().is_none() {
                let since =
                    if self.all_cycles { "" } else { " since it was last saved; --all-cycles shows those from before" };
                shown.push_str(&format!("Nothing was changed in {}{since}.\n", named.name));
            } else {
                let mut table =
                    Table::with(&["TIME (UTC)", "SEQ", "ATTEMPT", "CHANGE", "PLACE", "BECAME", "RISK", "INTENT"]);
                // Each page is oldest first, and older pages come later.
                let pages_back = pages.answers.iter().rev();
                pages_back.flat_map(|answer| items(&answer.value, "entries")).for_each(|entry| row(&mut table, entry));
                shown.push_str(&table.text());
            }
            if let Some(next) = pages.next {
                shown.push_str(&format!("Older ones than {next}: a greater --limit.\n"));
            }
            print(&shown)?;
        }
        Ok(())
    }
}

fn row(table: &mut Table, entry: &Value) {
    let derived = entry.get("derived").unwrap_or(&Value::Null);
    let span = match (number(derived, "span_start"), number(derived, "span_end")) {
        (Some(start), Some(end)) => format!("{start} to {end}"),
        _ => String::new(),
    };
    let became = number(derived, "replacement_chars").map(|chars| format!("{chars} characters")).unwrap_or_default();
    table.row([
        &time(text(entry, "created_at")),
        &number(entry, "ledger_sequence").map(|sequence| sequence.to_string()).unwrap_or_default(),
        text(entry, "pdcp_log_id"),
        text(entry, "change_id"),
        &span,
        &became,
        text(entry, "risk"),
        text(entry, "intent"),
    ]);
}
