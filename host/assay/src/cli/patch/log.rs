//! `assay patch log`: every attempt on a document, newest first, or one of them in full.

use std::collections::BTreeMap;

use clap::{Args, ColorChoice, ValueEnum};
use serde_json::{Value, json};

use super::{
    asked::{Asked, items, number, text},
    attempt,
    named::{self, Named},
    pages::{Pages, put, walk},
    paint::Paint,
    print,
    table::{Table, time},
};
use crate::cli::{Failed, editing::Ground};

/// List what was tried on documents, newest first; with --attempt show one attempt in full, as a diff.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay patch log --workspace ~/notes todo.txt
  assay patch log --workspace ~/notes todo.txt --status rejected --limit 500
  assay patch log 0f8fad5b-d9cb-469f-a165-70867728950e --attempt 7
      What attempt 7 did to the text, or why it did nothing.")]
pub(super) struct Log {
    #[command(flatten)]
    ground: Ground,
    /// Paths in the workspace, or documents' ids.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Show this attempt in full, by its id or its sequence.
    #[arg(long, value_name = "ID|SEQ")]
    attempt: Option<String>,
    /// Rows of each document at the most.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..), value_name = "ROWS", conflicts_with = "attempt")]
    limit: u32,
    /// Only attempts before this sequence.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "SEQ", conflicts_with = "attempt")]
    before: Option<u64>,
    /// Only those that were accepted, or rejected.
    #[arg(long, value_enum, value_name = "STATUS", conflicts_with = "attempt")]
    status: Option<Status>,
    /// Colours; by default on a terminal, unless NO_COLOR is set.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
    /// Print what the tool answers, one JSON object a line.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Status {
    Accepted,
    Rejected,
}

impl Log {
    pub(super) async fn run(self) -> Result<(), Failed> {
        let asked = Asked::of(&self.ground).await?;
        let found = named::find_all(&asked.editing, &self.files).await?;
        let paint = Paint::of(self.color);
        for (at, named) in found.iter().enumerate() {
            if let Some(wanted) = &self.attempt {
                attempt::show(&asked, named, wanted, self.json, paint).await?;
                continue;
            }
            let pages = self.pages(&asked, named).await?;
            if self.json {
                pages.answers.iter().try_for_each(|answer| print(&format!("{}\n", answer.text)))?;
                continue;
            }
            let head = if found.len() > 1 {
                format!("{}{}:\n", if at > 0 { "\n" } else { "" }, named.name)
            } else {
                String::new()
            };
            print(&format!("{head}{}", self.shown(&asked, named, &pages).await?))?;
        }
        Ok(())
    }

    async fn pages(&self, asked: &Asked, named: &Named) -> Result<Pages, Failed> {
        let mut arguments = json!({"target_file_id": named.head.id});
        if let Some(before) = self.before {
            put(&mut arguments, "before_sequence", json!(before));
        }
        if let Some(status) = self.status {
            put(
                &mut arguments,
                "status",
                json!(match status {
                    Status::Accepted => "accepted",
                    Status::Rejected => "rejected",
                }),
            );
        }
        walk(asked, "patchdiff_get_pdcp_log", &arguments, self.limit).await
    }

    async fn shown(&self, asked: &Asked, named: &Named, pages: &Pages) -> Result<String, Failed> {
        if pages.rows().next().is_none() {
            let which = if self.before.is_some() || self.status.is_some() { "No such attempt" } else { "Nothing" };
            return Ok(format!("{which} was made on {} yet.\n", named.name));
        }
        let counts = changes(asked, named, pages).await?;
        let mut table = Table::with(&["TIME (UTC)", "SEQ", "OUTCOME", "REASON", "VERSION", "FORMAT", "CHANGES", "KEY"]);
        for row in pages.rows() {
            let count = counts.get(text(row, "pdcp_log_id")).map(u64::to_string).unwrap_or_default();
            table.row([
                &time(text(row, "created_at")),
                &number(row, "log_sequence").map(|sequence| sequence.to_string()).unwrap_or_default(),
                text(row, "status"),
                text(row, "failure_reason"),
                &versions(row),
                format_of(row),
                &count,
                text(row, "client_request_id"),
            ]);
        }
        let mut shown = table.text();
        if let Some(next) = pages.next {
            shown.push_str(&format!("Older ones: --before {next}, or a greater --limit.\n"));
        }
        Ok(shown)
    }
}

/// How many changes each accepted attempt of the pages made, as the ledger has them: payloads are not looked into.
async fn changes(asked: &Asked, named: &Named, pages: &Pages) -> Result<BTreeMap<String, u64>, Failed> {
    let accepted: Vec<&str> =
        pages.rows().filter(|row| text(row, "status") == "accepted").map(|row| text(row, "pdcp_log_id")).collect();
    let mut counts: BTreeMap<String, u64> = accepted.iter().map(|id| ((*id).to_owned(), 0)).collect();
    let Some(oldest) = accepted.last() else { return Ok(counts) };
    let mut arguments = json!({"target_file_id": named.head.id, "include_previous_cycles": true, "limit": 200});
    let mut reached = false;
    loop {
        let answer = asked.told("patchdiff_get_manifest_ledger", &arguments).await?.value;
        // A page is oldest first, and older pages follow.
        for entry in items(&answer, "entries").iter().rev() {
            let id = text(entry, "pdcp_log_id");
            reached |= id == *oldest;
            if let Some(count) = counts.get_mut(id) {
                *count += 1;
            } else if reached {
                return Ok(counts);
            }
        }
        match number(&answer, "next_sequence") {
            Some(next) => put(&mut arguments, "before_sequence", json!(next)),
            None => return Ok(counts),
        }
    }
}

/// `3 -> 4` of what was accepted, `3` of what was not.
pub(super) fn versions(row: &Value) -> String {
    match (number(row, "before_version"), number(row, "after_version")) {
        (Some(before), Some(after)) => format!("{before} -> {after}"),
        (Some(before), None) => before.to_string(),
        _ => String::new(),
    }
}

/// The format without the product's name.
pub(super) fn format_of(row: &Value) -> &str {
    let protocol = text(row, "protocol_version");
    protocol.strip_prefix("patchdiff-").unwrap_or(protocol)
}
