//! Where texts are edited: the database of documents, and the folder that files come from and go to.

use std::{env, path::PathBuf, sync::Arc};

use anyhow::anyhow;
use assay_documents::{Documents, Fault};
use assay_mcp::{Catalogue, ResponseMode};
use assay_workspace::Workspace;
use clap::{Args, ValueEnum};

use super::{Failed, offer::Offer, settings::text};
use crate::editing::Editing;

/// What every tool's name begins with that edits a stored text.
pub(crate) const TOOLS: &str = assay_mcp::EDITING_TOOLS;

/// The database and the workspace.
#[derive(Debug, Args)]
pub(crate) struct Ground {
    /// The database of documents: a file of SQLite's, or the URL of a PostgreSQL database; documents.sqlite among your data
    /// by default, made when it is not there.
    #[arg(long, env = "PATCHDIFF_DATABASE_URL", hide_env_values = true, value_parser = text, value_name = "FILE|URL")]
    database: Option<String>,
    /// The folder that files are imported from and saved to; without one there is none.
    #[arg(long, env = "PATCHDIFF_WORKSPACE", value_name = "FOLDER")]
    workspace: Option<PathBuf>,
}

/// Where texts are edited, and by which tools.
#[derive(Debug, Args)]
#[command(next_help_heading = "Editing (the tools `patchdiff_*`, with --toolsets patch)")]
pub(crate) struct EditingOptions {
    #[command(flatten)]
    ground: Ground,
    /// Which of the editing tools.
    #[arg(long, env = "PATCHDIFF_MCP_PROFILE", value_enum, default_value_t = Profile::Full, value_name = "PROFILE")]
    patch_profile: Profile,
    /// How much an agent is told of what succeeded by observed parts.
    #[arg(long, env = "PATCHDIFF_MCP_RESPONSE_MODE", value_enum, default_value_t = Mode::Detailed, value_name = "MODE")]
    response_mode: Mode,
}

/// Sets of editing tools for agents that need few (P-001 to P-004, PG-01, PG-02).
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Profile {
    /// All of them.
    Full,
    /// Import, read, find, edit by observed parts of a text, save: the primary profile.
    #[value(name = "observed_workspace")]
    ObservedWorkspace,
    /// Import, read, find, edit by exact texts, save.
    #[value(name = "workspace")]
    Workspace,
    /// Observed parts alone, for hosts that import and save by themselves.
    #[value(name = "observed_v2")]
    ObservedV2,
}

impl Ground {
    /// Both, for whoever edits: an absent database is made.
    pub(crate) async fn opened(&self) -> Result<Arc<Editing>, Failed> {
        let location = self.location()?;
        self.on(&location, assay_documents::open(&location).await)
    }

    /// Both, for whoever only looks: nothing is made.
    pub(crate) async fn found(&self) -> Result<Arc<Editing>, Failed> {
        let location = self.location()?;
        self.on(&location, assay_documents::open_existing(&location).await)
    }

    /// Where the database is.
    pub(crate) fn location(&self) -> Result<String, Failed> {
        self.database.clone().map_or_else(usual_place, Ok)
    }

    fn on(&self, location: &str, documents: Result<Arc<dyn Documents>, Fault>) -> Result<Arc<Editing>, Failed> {
        let documents = documents.map_err(|fault| unusable(location, fault))?;
        let workspace = self.workspace.as_deref().map(Workspace::open).transpose();
        let workspace = workspace.map_err(|fault| Failed::Configuration(fault.into()))?.map(Arc::new);
        Ok(Arc::new(Editing { documents, owner: String::new(), workspace }))
    }
}

/// A database that cannot be used. A file is named; a URL is not, since a secret may be in it.
pub(crate) fn unusable(location: &str, fault: Fault) -> Failed {
    let error = anyhow::Error::new(fault);
    let is_absent_file = !location.contains("://") && !std::path::Path::new(location).exists();
    Failed::Configuration(if is_absent_file { error.context(location.to_owned()) } else { error })
}

/// See [`ResponseMode`]. It is read once, at the start (P-012).
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// Everything.
    Detailed,
    /// What the next call needs; failures are told in full all the same.
    Compact,
}

impl EditingOptions {
    /// Opens both where an editing tool is asked for. A database or a folder that cannot be used stops the start (P-005).
    pub(crate) async fn open(&self, offer: &Offer) -> Result<Option<Arc<Editing>>, Failed> {
        if !offer.asks_for("patch", TOOLS) {
            return Ok(None);
        }
        self.ground.opened().await.map(Some)
    }

    /// The same for one tool that is called by its name.
    pub(crate) async fn open_for(&self, tool: &str) -> Result<Option<Arc<Editing>>, Failed> {
        if tool.starts_with(TOOLS) { self.ground.opened().await.map(Some) } else { Ok(None) }
    }

    /// How answers leave for an agent.
    pub(crate) const fn response_mode(&self) -> ResponseMode {
        match self.response_mode {
            Mode::Detailed => ResponseMode::Detailed,
            Mode::Compact => ResponseMode::Compact,
        }
    }

    /// What the profile leaves of the tools.
    pub(crate) fn profiled(&self, offered: Catalogue) -> Result<Catalogue, Failed> {
        let Some(kept) = self.patch_profile.tools() else { return Ok(offered) };
        let is_left_out = |name: &&str| name.starts_with(TOOLS) && !kept.contains(name);
        let left_out: Vec<String> =
            offered.tools().iter().map(|tool| tool.name.as_ref()).filter(is_left_out).map(str::to_owned).collect();
        let choice =
            assay_mcp::Choice { exclude_tools: left_out.into_iter().collect(), ..assay_mcp::Choice::default() };
        Ok(offered.kept(&choice))
    }
}

/// Refuses to offer editing where documents have no owner yet: documents are one user's, and over HTTP there are many.
pub(crate) fn refuse_over_http(offered: &Catalogue) -> Result<(), Failed> {
    if offered.tools().iter().any(|tool| tool.name.starts_with(TOOLS)) {
        return Err(Failed::Configuration(anyhow!(
            "the editing tools are served on standard input and output alone (`assay stdio`): leave the toolset `patch` out"
        )));
    }
    Ok(())
}

impl Profile {
    fn tools(self) -> Option<&'static [&'static str]> {
        const WORKSPACE: &[&str] = &[
            "patchdiff_initialize_target",
            "patchdiff_read_target",
            "patchdiff_find_occurrences",
            "patchdiff_submit_edits",
            "patchdiff_save",
        ];
        const OBSERVED_WORKSPACE: &[&str] = &[
            "patchdiff_initialize_target",
            "patchdiff_read_target",
            "patchdiff_list_scopes",
            "patchdiff_observe_scopes",
            "patchdiff_submit_observed_batch",
            "patchdiff_find_occurrences",
            "patchdiff_save",
        ];
        const OBSERVED_V2: &[&str] = &[
            "patchdiff_list_scopes",
            "patchdiff_observe_scopes",
            "patchdiff_submit_observed_batch",
            "patchdiff_read_target",
            "patchdiff_find_occurrences",
        ];
        match self {
            Self::Full => None,
            Self::Workspace => Some(WORKSPACE),
            Self::ObservedWorkspace => Some(OBSERVED_WORKSPACE),
            Self::ObservedV2 => Some(OBSERVED_V2),
        }
    }
}

/// Where a user's data lies.
fn usual_place() -> Result<String, Failed> {
    let data = env::var_os("XDG_DATA_HOME").filter(|data| !data.is_empty()).map(PathBuf::from);
    let home = || env::home_dir().map(|home| home.join(".local/share"));
    let place = data.or_else(home).map(|data| data.join("assay/documents.sqlite"));
    let place = place.and_then(|place| place.to_str().map(str::to_owned));
    place.ok_or_else(|| {
        Failed::Configuration(anyhow!("there is no home to keep documents in: name a file with --database"))
    })
}
