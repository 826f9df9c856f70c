//! Which tools are offered: the options that an operator turns them on and off with.

use std::collections::BTreeSet;

use anyhow::anyhow;
use assay_mcp::{Catalogue, Choice};
use clap::{ArgAction, Args, builder::BoolishValueParser};

use super::{Failed, connection::Connected, settings::text};

/// Which tools.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tools")]
pub(crate) struct Offer {
    /// Sets of tools to offer: repos, files, pulls, issues (these four by default), api, memory, grants, registrar, patch;
    /// `default` is those four, `all` every one.
    #[arg(long, env = "GATEWAY_TOOLSETS", value_delimiter = ',', value_parser = text, value_name = "TOOLSET")]
    toolsets: Vec<String>,
    /// Tools to offer beside the sets named by --toolsets; alone where none is named.
    #[arg(long, env = "GATEWAY_TOOLS", value_delimiter = ',', value_parser = text, value_name = "TOOL")]
    tools: Vec<String>,
    /// Tools not to offer, whatever else says so.
    #[arg(long, env = "GATEWAY_EXCLUDE_TOOLS", value_delimiter = ',', value_parser = text, value_name = "TOOL")]
    exclude_tools: Vec<String>,
    /// Offer no tool that changes anything, whatever else says so.
    #[arg(long, env = "GATEWAY_READ_ONLY", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false", value_parser = BoolishValueParser::new(), value_name = "BOOLEAN")]
    read_only: bool,
}

impl Offer {
    /// What of `all` is offered.
    pub(crate) fn of(&self, all: &Catalogue) -> Result<Catalogue, Failed> {
        self.choose(all, self.read_only)
    }

    /// What is offered of the tools on this forge: on a --local one those that read.
    pub(crate) fn on(&self, connected: &Connected) -> Result<Catalogue, Failed> {
        self.choose(connected.engine.catalogue(), self.read_only || connected.local.is_some())
    }

    fn choose(&self, all: &Catalogue, read_only: bool) -> Result<Catalogue, Failed> {
        let named = |names: &[String]| (!names.is_empty()).then(|| names.iter().cloned().collect::<BTreeSet<_>>());
        let choice = Choice {
            toolsets: named(&self.toolsets),
            tools: named(&self.tools),
            exclude_tools: self.exclude_tools.iter().cloned().collect(),
            read_only,
        };
        let offered = all.offered(&choice).map_err(|unknown| Failed::Configuration(unknown.into()))?;
        if offered.tools().is_empty() {
            return Err(Failed::Configuration(anyhow!(
                "no tool is left to offer: --toolsets, --tools, --exclude-tools and --read-only leave all of them out"
            )));
        }
        Ok(offered)
    }
}
