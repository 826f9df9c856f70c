//! Which tools are offered: the options that an operator turns them on and off with.

use std::collections::BTreeSet;

use anyhow::anyhow;
use assay_mcp::{Catalogue, Choice};
use clap::{ArgAction, Args, builder::BoolishValueParser};

use super::{Failed, connection::Connected, editing::TOOLS as EDITING, settings::text};

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
        self.choose(all, named(&self.toolsets), BTreeSet::new())
    }

    /// What is offered of the tools on this forge: on a --local one those that change nothing of it.
    pub(crate) fn on(&self, connected: &Connected) -> Result<Catalogue, Failed> {
        self.choose(connected.engine.catalogue(), named(&self.toolsets), changing(connected))
    }

    /// What may be called by name: every set, where none is named.
    pub(crate) fn by_name(&self, connected: &Connected) -> Result<Catalogue, Failed> {
        let all = || (self.tools.is_empty()).then(|| BTreeSet::from(["all".to_owned()]));
        let toolsets = named(&self.toolsets).or_else(all);
        self.choose(connected.engine.catalogue(), toolsets, changing(connected))
    }

    /// Whether a toolset, or a tool whose name begins so, is asked for.
    pub(crate) fn asks_for(&self, toolset: &str, prefix: &str) -> bool {
        let sets = self.toolsets.iter().any(|set| set == toolset || set == "all");
        sets || self.tools.iter().any(|tool| tool.starts_with(prefix))
    }

    fn choose(
        &self,
        all: &Catalogue,
        toolsets: Option<BTreeSet<String>>,
        beside: BTreeSet<String>,
    ) -> Result<Catalogue, Failed> {
        let choice = Choice {
            toolsets,
            tools: named(&self.tools),
            exclude_tools: self.exclude_tools.iter().cloned().chain(beside).collect(),
            read_only: self.read_only,
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

fn named(names: &[String]) -> Option<BTreeSet<String>> {
    (!names.is_empty()).then(|| names.iter().cloned().collect())
}

/// The tools that would change something of a --local forge, whose token only reads.
fn changing(connected: &Connected) -> BTreeSet<String> {
    if connected.local.is_none() {
        return BTreeSet::new();
    }
    let tools = connected.engine.catalogue().tools().iter().filter(|tool| !tool.name.starts_with(EDITING));
    let changing =
        tools.filter(|tool| tool.annotations.as_ref().is_none_or(|hints| hints.read_only_hint != Some(true)));
    changing.map(|tool| tool.name.to_string()).collect()
}
