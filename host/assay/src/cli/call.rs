//! `assay call`: one tool, once, for people and scripts.

use std::io::{Read as _, Write as _};

use anyhow::{Context as _, anyhow, ensure};
use assay_envelope::Refusal;
use assay_mcp::{Arguments, Catalogue, Failure};
use clap::Args;

use super::{
    Failed,
    connection::{Connected, Connection},
    credential::OwnCredential,
    editing::EditingOptions,
    offer::Offer,
    shown::shown,
};
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
    #[command(flatten)]
    offer: Offer,
    #[command(flatten)]
    editing: EditingOptions,
    /// The tool, as `assay tools` lists it.
    tool: String,
    /// Its arguments, a JSON object; `-` reads them from standard input.
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
}

impl Call {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let arguments = read(&self.tool, self.arguments).map_err(Failed::Configuration)?;
        let editing = self.editing.open_for(&self.tool).await?;
        let connected = self.connection.connect_with(editing).await?;
        let may = may_be_called(&self.tool, &connected, &self.offer);
        let arguments = match may.and_then(|()| checked(&self.tool, arguments, connected.engine.catalogue())) {
            Ok(arguments) => arguments,
            Err(failed) => {
                connected.close().await;
                return Err(failed);
            }
        };
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

/// Whether the tool is offered, or there is none of that name at all.
fn may_be_called(tool: &str, connected: &Connected, offer: &Offer) -> Result<(), Failed> {
    let is_offered = offer.by_name(connected)?.get(tool).is_some();
    if is_offered || connected.engine.catalogue().get(tool).is_none() {
        return Ok(());
    }
    let why = if connected.local.is_some() && offer.of(connected.engine.catalogue())?.get(tool).is_some() {
        "changes something, and --local only reads: `assay local-forge PATH` serves a copy that can be changed"
    } else {
        "is not offered: --toolsets, --tools, --exclude-tools or --read-only (or their variables) leave it out"
    };
    Err(Failed::Configuration(anyhow!("`{tool}` {why}")))
}

/// The arguments as the tool's schema has them: what is wrong with a call is told before anything is asked.
fn checked(tool: &str, arguments: Arguments, catalogue: &Catalogue) -> Result<String, Failed> {
    if catalogue.get(tool).is_none() {
        return Err(Failed::Configuration(anyhow!("there is no tool `{}`; `assay tools` lists them", shown(tool))));
    }
    catalogue.checked(tool, arguments).map_err(|refusal| Failed::Configuration(refusal.into()))
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

fn read(tool: &str, arguments: String) -> anyhow::Result<Arguments> {
    let text = if arguments == "-" {
        let mut text = String::new();
        let input = std::io::stdin().take(ARGUMENT_BYTES + 1);
        { input }.read_to_string(&mut text).context("the arguments on standard input")?;
        ensure!(text.len() as u64 <= ARGUMENT_BYTES, "the arguments on standard input have more than 1 MiB");
        text
    } else {
        arguments
    };
    Arguments::of_text(tool, &text).context("the arguments are not one JSON object")
}
