//! The command line: what each command takes, and what the exit codes mean.

mod call;
mod clients;
mod completions;
mod config;
mod connection;
mod credential;
mod diff;
mod doctor;
mod editing;
mod local;
mod local_forge;
mod logging;
mod offer;
mod patch;
mod probe;
mod proofs;
mod serve;
mod settings;
mod shown;
mod stdio;
mod tools;

use std::{ffi::OsString, fmt, io::Write as _, path::PathBuf, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use self::{
    logging::Logging,
    settings::{Read, Unread},
};

/// The last lines of `--help`: examples and exit codes, which are part of the interface.
const AFTER_HELP: &str = "\
Examples:
  FORGEJO_URL=https://forge.example FORGEJO_TOKEN=... assay doctor
      Is everything there that a verified diff needs?
  assay diff team/project#7 -o 7.diff
      Read a pull request's diff, check it, and say what is known about it.
  assay diff --local ~/src/project main..topic
      No forge at hand: a branch of a local clone.
  assay stdio
      Serve the tools to one agent over standard input and output.
  assay serve --listen 127.0.0.1:8080
      Serve them to many agents at http://127.0.0.1:8080/mcp; each sends its own forge token as a bearer.
  assay config client claude-code
      What to tell an agent's program.
  assay call get_pull_request_diff '{\"owner\":\"team\",\"repo\":\"project\",\"index\":7}'
      Call one tool and print its answer.
  assay patch log notes/todo.txt
      What was tried on a text that agents edit, and what became of it.

Settings are flags, variables and keys of ~/.config/assay/config.toml; `assay config` lists them.

Exit codes:
  0    done
  1    the tool refused, or the doctor or a replay found what does not hold; why is on standard error
  2    wrong usage or configuration; nothing was started
  70   a fault of this program or of the machine, or an interrupt";

/// Tools for a Forgejo or Gitea forge that prove what they return.
#[derive(Debug, Parser)]
#[command(name = "assay", version, after_help = AFTER_HELP, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    logging: Logging,
    /// The file of settings (TOML) [default: ~/.config/assay/config.toml, where there is one]
    #[arg(long, global = true, env = "ASSAY_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Stdio(stdio::Stdio),
    Serve(serve::Serve),
    Diff(diff::Diff),
    Doctor(doctor::Doctor),
    Config(Box<config::Config>),
    Call(call::Call),
    Tools(tools::Tools),
    Patch(patch::Patch),
    LocalForge(local_forge::LocalForgeCommand),
    Completions(completions::Completions),
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

/// Reads the command line, the environment and the file of settings, and runs the command to its end.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut definition = Cli::command();
    let parsed = settings::read(&definition, &arguments).and_then(|read| {
        let cli = Cli::from_arg_matches(&read.matches).map_err(|error| error.format(&mut definition))?;
        Ok((cli, read))
    });
    let (cli, read) = match parsed {
        Ok(parsed) => parsed,
        Err(Unread::Usage(error)) => {
            // Help on a closed pipe is nobody's loss.
            let _ = error.print();
            return u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from);
        }
        Err(error) => return Failed::Configuration(error.into()).tell(),
    };
    match cli.run(&read) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed::Fault(error)) if error.is::<diff::Closed>() => ExitCode::SUCCESS,
        Err(failed) => failed.tell(),
    }
}

impl Cli {
    fn run(self, read: &Read) -> Result<(), Failed> {
        self.logging.start();
        if let Some((_, matches)) = read.matches.subcommand() {
            connection::refuse_two_forges(matches)?;
        }
        let runtime = runtime()?;
        let ended = runtime.block_on(async {
            match self.command {
                Command::Stdio(command) => command.run().await,
                Command::Serve(command) => command.run().await,
                Command::Diff(command) => command.run().await,
                Command::Doctor(command) => command.run().await,
                Command::Config(command) => {
                    // Global options stand among a command's own once it is built.
                    let mut definition = Cli::command();
                    definition.build();
                    command.run(&definition, read)
                }
                Command::Call(command) => command.run().await,
                Command::Tools(command) => command.run(),
                Command::Patch(command) => command.run().await,
                Command::LocalForge(command) => command.run().await,
                Command::Completions(command) => command.run(),
            }
        });
        // A read of standard input cannot be given up, and must not be waited for.
        runtime.shutdown_background();
        ended
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Failed> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| Failed::Fault(e.into()))
}

/// Says something on standard output, as lines.
pub(crate) fn say(text: &str) -> Result<(), Failed> {
    print(format!("{text}\n").as_bytes())
}

/// Prints to standard output; where nobody can read it that is a fault of the machine's, not a panic.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failed> {
    let mut out = std::io::stdout();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| Failed::Fault(anyhow::Error::new(e).context("standard output cannot be written")))
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Configuration(error) | Self::Fault(error) => write!(f, "{error:#}"),
        }
    }
}

impl Failed {
    fn tell(&self) -> ExitCode {
        eprintln!("assay: {self}");
        ExitCode::from(match self {
            Self::Refused(_) => 1,
            Self::Configuration(_) => 2,
            Self::Fault(_) => 70,
        })
    }
}
