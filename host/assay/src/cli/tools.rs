//! `assay tools`: what the embedded components offer, without a forge.

use std::io::Write as _;

use clap::Args;

use super::{Failed, offer::Offer};
use crate::engine::{Engine, Limits};

/// List the tools: name and title; with `--json` everything that an agent is told about them.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// One JSON array, as MCP's tools/list shows it.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    offer: Offer,
}

impl Tools {
    pub(crate) fn run(self) -> Result<(), Failed> {
        let engine = Engine::without_origin(Limits::default()).map_err(Failed::Fault)?;
        let catalogue = self.offer.of(engine.catalogue())?;
        let text = if self.json {
            serde_json::to_string_pretty(catalogue.tools()).expect("tools have string keys") + "\n"
        } else {
            catalogue
                .tools()
                .iter()
                .map(|tool| format!("{}  {}\n", tool.name, tool.title.as_deref().unwrap_or_default()))
                .collect()
        };
        std::io::stdout().write_all(text.as_bytes()).map_err(|e| Failed::Fault(e.into()))
    }
}
