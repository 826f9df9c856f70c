//! `assay patch import`: documents with their histories from another database, all of them or none.
//!
//! Before anything is kept, the component replays every history as the transaction has it: what does not make its text is not
//! taken over.

use std::{
    fs::File,
    io::{self, BufReader, Seek as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use assay_documents::{Imported, Places, Uncommitted, Unread};
use assay_envelope::Refusal;
use clap::Args;
use serde_json::json;

use super::{
    asked::{Asked, text},
    named::faulty,
    print,
    replay::replays,
};
use crate::{
    cli::{
        Failed,
        editing::Ground,
        shown::{in_line, quoted},
    },
    editing::{Editing, NOBODY},
};

/// Take documents over that `assay patch export --history` wrote from another database: all of them, or none.
///
/// Ids, sequences, hashes and times stay as they are. A document that is there already is refused, and so is a damaged file
/// and a history that does not replay.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay patch import --database ~/other.sqlite documents.jsonl
  assay patch export --history --all | assay patch import --database postgres://me@db/documents -")]
pub(super) struct Import {
    #[command(flatten)]
    ground: Ground,
    /// The file; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Give attempts and changes new sequences, in the same order: for a database whose sequences are taken.
    #[arg(long)]
    renumber: bool,
}

impl Import {
    pub(super) async fn run(self) -> Result<(), Failed> {
        // Before the database, whose other writers would wait for a pipe.
        let path = self.file.clone();
        let file = tokio::task::spawn_blocking(move || opened(&path)).await;
        let file = file.map_err(|error| Failed::Fault(error.into()))?.map_err(Failed::Configuration)?;
        let editing = self.ground.opened().await?;
        let places = if self.renumber { Places::New } else { Places::Kept };
        let mut transaction = editing.documents().begin().await.map_err(faulty)?;
        let imported = transaction.import(NOBODY, &mut BufReader::new(file), places).await.map_err(unread)?;
        let pending = Arc::new(Uncommitted::of(transaction));
        check(&pending, &imported).await?;
        pending.taken_back().await.map_err(faulty)?.commit().await.map_err(faulty)?;
        let mut said = format!("took over {}:\n", counted(imported.len() as u64, "document"));
        for document in &imported {
            let path = document.workspace_path.as_ref().map(|path| quoted(path.as_bytes()));
            said.push_str(&format!(
                "  {}  {}  version {}, {}; replays\n",
                document.target_file_id,
                path.as_deref().unwrap_or("-"),
                document.version,
                counted(document.attempts, "attempt"),
            ));
        }
        print(&said)
    }
}

/// Has the component replay each of them, in the transaction that is not committed yet.
async fn check(pending: &Arc<Uncommitted>, imported: &[Imported]) -> Result<(), Failed> {
    let looked = Editing::of_one(Arc::clone(pending) as _, None);
    let asked = Asked::on(Arc::new(looked))?;
    for Imported { target_file_id, .. } in imported {
        let answer = asked.ask("patchdiff_replay_target", &json!({"target_file_id": target_file_id})).await?.value;
        if replays(&answer) {
            continue;
        }
        let why = match text(&answer, "detail") {
            "" => "history does not make the text that is stored with it".to_owned(),
            detail => in_line(detail),
        };
        let message = format!("the history of {target_file_id} does not replay: {why}; nothing was taken over");
        return Err(Failed::Refused(Refusal::new("history_does_not_replay", message)));
    }
    Ok(())
}

/// The file, or what standard input and other streams have, kept in a file that is gone afterwards.
fn opened(path: &Path) -> anyhow::Result<File> {
    let name = path.display();
    if path == Path::new("-") {
        return spooled(&mut io::stdin().lock()).context("standard input cannot be read");
    }
    let mut file = File::open(path).with_context(|| format!("{name} cannot be read"))?;
    if file.metadata().with_context(|| format!("{name} cannot be read"))?.is_file() {
        return Ok(file);
    }
    spooled(&mut file).with_context(|| format!("{name} cannot be read"))
}

fn spooled(stream: &mut dyn io::Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(stream, &mut file)?;
    file.rewind()?;
    Ok(file)
}

fn unread(unread: Unread) -> Failed {
    let code = match &unread {
        Unread::Foreign(_) | Unread::OtherSchema { .. } => "history_unknown",
        Unread::Damaged { .. } | Unread::CutOff { .. } => "history_damaged",
        Unread::Taken { .. } => "target_exists",
        Unread::PlaceTaken { .. } => "sequence_taken",
        _ => return Failed::Fault(unread.into()),
    };
    let hint = if code == "sequence_taken" { "; --renumber gives new ones, in the same order" } else { "" };
    Failed::Refused(Refusal::new(code, format!("{unread}{hint}; nothing was taken over")))
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
