//! The command line: what each command takes, and what the exit codes mean.

mod call;
mod connection;
mod local_forge;
mod logging;
mod serve;
mod stdio;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub(crate) use self::logging::Logging;

/// The last lines of `--help`: examples and exit codes, which are part of the interface.
const AFTER_HELP: &str = "\
Examples:
  FORGEJO_URL=https://forge.example FORGEJO_TOKEN=... assay stdio
      Serve the tools to one agent over standard input and output.
  FORGEJO_URL=https://forge.example assay serve --listen 127.0.0.1:8080
      Serve them to many agents at http://127.0.0.1:8080/mcp; each sends its own forge token as a bearer.
  assay stdio --local ~/src/project
      No forge at hand: the pull requests are the branches of a local clone.
  assay call get_pull_request_diff '{\"owner\":\"team\",\"repo\":\"project\",\"index\":7}'
      Call one tool and print its answer.

Exit codes:
  0    done
  1    the tool refused; why is on standard error
  2    wrong usage or configuration; nothing was started
  70   a fault of this program";

/// Tools for a Forgejo or Gitea forge that prove what they return.
#[derive(Debug, Parser)]
#[command(name = "assay", version, after_help = AFTER_HELP, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    logging: Logging,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stdio(stdio::Stdio),
    Serve(serve::Serve),
    Call(call::Call),
    Tools(tools::Tools),
    LocalForge(local_forge::LocalForgeCommand),
}

/// How a command ended, other than well.
#[derive(Debug)]
pub(crate) enum Failed {
    /// A tool refused (exit code 1).
    Refused(assay_envelope::Refusal),
    /// Wrong usage or configuration, nothing was started (exit code 2).
    Configuration(anyhow::Error),
    /// A fault of this program or of the machine under it (exit code 70).
    Fault(anyhow::Error),
}

impl Cli {
    /// Runs the command to its end.
    #[must_use]
    pub fn run(self) -> ExitCode {
        self.logging.start();
        let ended = runtime().and_then(|runtime| {
            let ended = runtime.block_on(async {
                match self.command {
                    Command::Stdio(command) => command.run().await,
                    Command::Serve(command) => command.run().await,
                    Command::Call(command) => command.run().await,
                    Command::Tools(command) => command.run(),
                    Command::LocalForge(command) => command.run().await,
                }
            });
            // A read of standard input cannot be given up, and must not be waited for.
            runtime.shutdown_background();
            ended
        });
        match ended {
            Ok(()) => ExitCode::SUCCESS,
            Err(failed) => failed.tell(),
        }
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| Failed::Fault(e.into()))
}

/// Says something on standard output; where nobody can read it that is a fault of the machine's, not a panic.
pub(crate) fn say(text: &str) -> Result<(), Failed> {
    use std::io::Write as _;
    let mut out = std::io::stdout();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|e| Failed::Fault(anyhow::Error::new(e).context("standard output cannot be written")))
}

/// Text that others wrote, for a terminal: what could drive it or turn the line around is replaced.
pub(crate) fn shown(text: &str) -> String {
    let drives = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if drives(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

impl Failed {
    fn tell(&self) -> ExitCode {
        let (text, code) = match self {
            Self::Refused(refusal) => (refusal.to_string(), 1),
            Self::Configuration(error) => (format!("{error:#}"), 2),
            Self::Fault(error) => (format!("{error:#}"), 70),
        };
        eprintln!("assay: {text}");
        ExitCode::from(code)
    }
}
