//! `assay tools`: what the embedded components offer, without a forge.

use std::io::Write as _;

use assay_mcp::{full_schemas, result_schemas};
use clap::{Args, ValueEnum};

use super::{Failed, editing::TOOLS as EDITING, offer::Offer};
use crate::engine::{Engine, Limits};

/// List the tools: name and title; with `--json` everything that an agent is told about them.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// One JSON array, as MCP's tools/list shows it.
    #[arg(long)]
    json: bool,
    /// JSON Schemas of the editing tools that tools/list has no room for: one JSON object, by tool.
    #[arg(long, value_enum, value_name = "WHICH", conflicts_with = "json")]
    schema: Option<Schemas>,
    #[command(flatten)]
    offer: Offer,
}

/// What the schemas are of.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Schemas {
    /// What each tool takes, with the rule that one guard must be given (P-040).
    Full,
    /// What the observed tools answer where they succeed, `detailed` and `compact` (PG-06).
    Results,
}

impl Tools {
    pub(crate) fn run(self) -> Result<(), Failed> {
        let text = match self.schema {
            Some(Schemas::Results) => pretty(&result_schemas()),
            Some(Schemas::Full) => self.full()?,
            None => self.listed()?,
        };
        std::io::stdout().write_all(text.as_bytes()).map_err(|e| Failed::Fault(e.into()))
    }

    fn listed(&self) -> Result<String, Failed> {
        let engine = Engine::without_origin(Limits::default()).map_err(Failed::Fault)?;
        let catalogue = self.offer.of(engine.catalogue())?;
        if self.json {
            return Ok(pretty(catalogue.tools()));
        }
        let line = |name: &str, title: Option<&str>| format!("{name}  {}\n", title.unwrap_or_default());
        Ok(catalogue.tools().iter().map(|tool| line(&tool.name, tool.title.as_deref())).collect())
    }

    /// Of the editing tools that are asked for, or of all where none is.
    fn full(&self) -> Result<String, Failed> {
        let engine = Engine::without_origin(Limits::default()).map_err(Failed::Fault)?;
        let asked = self.offer.asks_for("patch", EDITING);
        let catalogue = if asked { self.offer.of(engine.catalogue())? } else { engine.catalogue().clone() };
        Ok(pretty(&full_schemas(&catalogue)))
    }
}

fn pretty<T: serde::Serialize + ?Sized>(what: &T) -> String {
    serde_json::to_string_pretty(what).expect("it has string keys") + "\n"
}
