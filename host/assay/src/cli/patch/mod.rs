//! `assay patch`: what agents did to texts, for the people whose texts they are.
//!
//! What a tool of the component answers is asked from that tool; the database itself is only asked which documents there
//! are, and for whole histories. Everything here only reads, but for `import` and `migrate`.

mod asked;
mod attempt;
mod changes;
mod export;
mod import;
mod ledger;
mod list;
mod log;
mod migrate;
mod named;
mod pages;
mod paint;
mod replay;
mod table;

use std::io::Write as _;

use anyhow::anyhow;
use clap::{Args, Subcommand};

use super::{Failed, diff::unwritten};
use crate::shutdown;

/// The last lines of `--help`.
const AFTER_HELP: &str = "\
A FILE is a path in the workspace, written from there or from the current folder, or a document's id.

Examples:
  assay patch list
      Every document there is.
  assay patch log --workspace ~/notes todo.txt
      What was tried on a file, newest first; with --attempt 7 one attempt in full, as a diff.
  assay patch replay --workspace ~/notes todo.txt && assay patch export --workspace ~/notes todo.txt -o todo.txt
      Does history make the text, and is the file on disk the one that was saved last? Then write it.
  assay patch export --history --all -o documents.jsonl
  assay patch import --database postgres://me@db/documents documents.jsonl
      From one database into another.";

/// See what was done to edited texts: history, ledger, replay; export and import them.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Patch {
    #[command(subcommand)]
    below: Below,
}

#[derive(Debug, Subcommand)]
enum Below {
    List(list::List),
    Log(log::Log),
    Ledger(ledger::Ledger),
    Replay(replay::Replay),
    Export(export::Export),
    Import(import::Import),
    Migrate(migrate::Migrate),
}

impl Patch {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let run = async {
            match self.below {
                Below::List(command) => command.run().await,
                Below::Log(command) => command.run().await,
                Below::Ledger(command) => command.run().await,
                Below::Replay(command) => command.run().await,
                Below::Export(command) => command.run().await,
                Below::Import(command) => command.run().await,
                Below::Migrate(command) => command.run().await,
            }
        };
        tokio::select! {
            ended = run => ended,
            // What was begun is dropped: no file is left, and nothing of a transaction is kept.
            () = shutdown::requested() => Err(Failed::Fault(anyhow!("interrupted; nothing was left behind"))),
        }
    }
}

/// Prints to standard output. Whoever closes it early, as `head` does, has what he wanted.
fn print(text: &str) -> Result<(), Failed> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failed::Fault(unwritten(error)))
}
