//! `assay patch list`: the documents that there are.

use clap::Args;
use serde_json::json;

use super::{
    named::{faulty, name_of},
    print,
    table::{Table, time},
};
use crate::{
    cli::{Failed, editing::Ground},
    editing::NOBODY,
};

/// Documents that are read together.
const PAGE: u32 = 500;

/// List the documents, newest first: id, file, version, bytes, last change, attempts.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  assay patch list --database ~/.local/share/assay/documents.sqlite")]
pub(super) struct List {
    #[command(flatten)]
    ground: Ground,
    /// One JSON object a line.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) async fn run(self) -> Result<(), Failed> {
        let editing = self.ground.found().await?;
        let mut view = editing.documents().view().await.map_err(faulty)?;
        let mut table = Table::with(&["ID", "FILE", "VERSION", "BYTES", "CHANGED (UTC)", "ATTEMPTS"]);
        let mut after = None;
        let mut lines = String::new();
        loop {
            let page = view.summaries(NOBODY, after.as_deref(), PAGE).await.map_err(faulty)?;
            for row in page.iter().take(PAGE as usize) {
                let head = &row.head;
                if self.json {
                    let line = json!({
                        "target_file_id": head.id,
                        "workspace_path": head.workspace_path,
                        "version": head.version,
                        "current_hash": head.current_hash,
                        "bytes": row.bytes,
                        "attempts": row.attempts,
                        "created_at": head.created_at,
                        "updated_at": head.updated_at,
                    });
                    lines.push_str(&format!("{line}\n"));
                } else {
                    let file = head.workspace_path.as_ref().map(|_| name_of(head)).unwrap_or_default();
                    let counts = [head.version, row.bytes, row.attempts].map(|count| count.to_string());
                    let [version, bytes, attempts] = counts.each_ref().map(String::as_str);
                    table.row([&head.id, &file, version, bytes, &time(&head.updated_at), attempts]);
                }
            }
            after = page.get(PAGE as usize - 1).map(|row| row.head.id.clone());
            if page.len() <= PAGE as usize {
                break;
            }
        }
        match self.json {
            true => print(&lines),
            false if table.is_empty() => print("There are no documents yet.\n"),
            false => print(&table.text()),
        }
    }
}
