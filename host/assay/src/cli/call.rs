//! `assay call`: one tool, once, for people and scripts.

use std::io::{Read as _, Write as _};

use anyhow::{Context as _, anyhow};
use assay_envelope::Refusal;
use assay_mcp::Failure;
use clap::Args;

use super::{Failed, connection::Connection, credential::OwnCredential, shown::shown};
use crate::{caller::Caller, shutdown};

/// Bytes of the arguments read from standard input at the most.
const ARGUMENT_BYTES: u64 = 1024 * 1024;

/// Call one tool and print its answer, a JSON object, to standard output.
#[derive(Debug, Args)]
pub(crate) struct Call {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
    /// The tool, as `assay tools` lists it.
    tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input.
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
}

impl Call {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let arguments = read(self.arguments).map_err(Failed::Configuration)?;
        let connected = self.connection.connect().await?;
        let caller = Caller::new(self.credential.read(&connected)?);
        // The same bound as an agent's answer, so that a window here is one an agent would get.
        let room = connected.engine.reading().settings().result_bytes;
        let called = tokio::select! {
            called = connected.engine.call(caller.into(), &self.tool, arguments, room) => Some(called),
            () = shutdown::requested() => None,
        };
        connected.close().await;
        let Some(called) = called else { return Err(Failed::Fault(anyhow!("interrupted"))) };
        match called {
            Ok(text) => writeln!(std::io::stdout(), "{text}").map_err(|e| Failed::Fault(e.into())),
            Err(failure) => Err(failed(&self.tool, failure)),
        }
    }
}

/// How a command ends whose call did.
pub(crate) fn failed(tool: &str, failure: Failure) -> Failed {
    match failure {
        Failure::Refused(refusal) => Failed::Refused(refusal),
        Failure::UnknownTool => Failed::Refused(Refusal::new(
            "unknown_tool",
            format!("there is no tool `{}`; `assay tools` lists them", shown(tool)),
        )),
        Failure::Fault => Failed::Fault(anyhow!("the call failed; --log error shows why")),
    }
}

fn read(arguments: String) -> anyhow::Result<String> {
    if arguments != "-" {
        return Ok(arguments);
    }
    let mut text = String::new();
    std::io::stdin().take(ARGUMENT_BYTES).read_to_string(&mut text).context("the arguments on standard input")?;
    Ok(text)
}
