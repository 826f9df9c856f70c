//! `assay patch export`: a document's text, or whole histories for another database.

use std::{io, path::PathBuf};

use anyhow::{anyhow, ensure};
use assay_documents::Unwritten;
use assay_envelope::Refusal;
use clap::Args;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    asked::{Asked, text},
    named::{self, faulty},
};
use crate::{
    cli::{Failed, diff::Output, editing::Ground},
    editing::{Editing, NOBODY},
};

/// Write a document's text with the line ends it came with, or with --history everything that is known of documents.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay patch export --workspace ~/notes todo.txt -o todo.txt
  assay patch export --workspace ~/notes todo.txt --at 3 --canonical
      As it was at version 3.
  assay patch export --history --all -o documents.jsonl
      For `assay patch import` into another database.")]
pub(super) struct Export {
    #[command(flatten)]
    ground: Ground,
    /// Paths in the workspace, or documents' ids; one of them, or any number with --history.
    #[arg(required_unless_present = "all", value_name = "FILE")]
    files: Vec<String>,
    /// Write to this file, which is there whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The text as it is edited: every line ends with LF, and there is no byte-order mark.
    #[arg(long, conflicts_with = "history")]
    canonical: bool,
    /// The text as it was at this version.
    #[arg(long, requires = "canonical", value_name = "VERSION")]
    at: Option<u64>,
    /// The whole history, as lines of JSON.
    #[arg(long)]
    history: bool,
    /// With --history: every document there is.
    #[arg(long, requires = "history", conflicts_with = "files")]
    all: bool,
}

impl Export {
    pub(super) async fn run(self) -> Result<(), Failed> {
        if self.history {
            return self.histories().await;
        }
        let [file] = self.files.as_slice() else {
            return Err(Failed::Configuration(anyhow!(
                "several texts are no file: export them one by one, or with --history"
            )));
        };
        let asked = Asked::of(&self.ground).await?;
        let named = named::find(&asked.editing, file).await?;
        let mut output = Output::open(self.output.as_deref()).map_err(Failed::Configuration)?;
        let text = self.text(&asked, &named.head.id).await?;
        output.write(text.as_bytes()).and_then(|()| output.finish()).map_err(Failed::Fault)?;
        Ok(())
    }

    /// The whole text, with the hash that the tool says it has.
    async fn text(&self, asked: &Asked, id: &str) -> Result<String, Failed> {
        let format = if self.canonical { "canonical" } else { "original_eol" };
        let arguments = json!({"target_file_id": id, "format": format, "version": self.at, "length": u32::MAX});
        let answer = asked.told("patchdiff_export_target", &arguments).await;
        let answer = answer.map_err(|failed| if self.canonical { failed } else { hinted(failed) })?.value;
        let whole = text(&answer, "text");
        let sha256: String = Sha256::digest(whole).iter().map(|byte| format!("{byte:02x}")).collect();
        let check = || {
            ensure!(answer.get("next_start").is_some_and(Value::is_null), "the text does not fit into one answer");
            ensure!(self::text(&answer, "sha256") == sha256, "the text is not the one that the tool says it is");
            anyhow::Ok(())
        };
        check().map_err(Failed::Fault)?;
        Ok(whole.to_owned())
    }

    async fn histories(&self) -> Result<(), Failed> {
        let editing = self.ground.found().await?;
        let ids = self.ids(&editing).await?;
        let mut output = Output::open(self.output.as_deref()).map_err(Failed::Configuration)?;
        let mut sink = Sink { output: &mut output, failed: None };
        let mut view = editing.documents().view().await.map_err(faulty)?;
        let written = view.export(NOBODY, &ids, &mut sink).await;
        if let Some(failed) = sink.failed.take() {
            return Err(Failed::Fault(failed));
        }
        let written = written.map_err(|unwritten| match unwritten {
            Unwritten::NotFound(_) => Failed::Refused(Refusal::new("not_found", unwritten.to_string())),
            other => Failed::Fault(other.into()),
        })?;
        if let Some(path) = output.finish().map_err(Failed::Fault)? {
            eprintln!("wrote {} documents in {} rows to {}", written.documents, written.rows, path.display());
        }
        Ok(())
    }

    /// The documents that are wanted, oldest first where that is all of them, so that a list of them stays as it is.
    async fn ids(&self, editing: &Editing) -> Result<Vec<String>, Failed> {
        if self.all {
            return Ok(named::all(editing).await?.into_iter().rev().map(|head| head.id).collect());
        }
        Ok(named::find_all(editing, &self.files).await?.into_iter().map(|named| named.head.id).collect())
    }
}

/// What to do where the line ends are not known any more.
fn hinted(mut failed: Failed) -> Failed {
    if let Failed::Refused(refusal) = &mut failed
        && refusal.code == "original_eol_unavailable"
    {
        refusal.message.push_str("; --canonical writes it with LF");
    }
    failed
}

/// The output as what lines are written to.
struct Sink<'a> {
    output: &'a mut Output,
    failed: Option<anyhow::Error>,
}

impl io::Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                self.failed = Some(error);
                Err(io::Error::other("the output failed"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
