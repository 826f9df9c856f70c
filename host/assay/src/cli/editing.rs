//! Where texts are edited: the database of documents, and the folder that files come from and go to.

use std::{env, path::PathBuf, sync::Arc};

use anyhow::anyhow;
use assay_documents::{Documents, Fault};
use assay_mcp::{Catalogue, ResponseMode};
use assay_workspace::Workspace;
use clap::{ArgAction, Args, ValueEnum, builder::BoolishValueParser};

use super::{Failed, offer::Offer, settings::text};
use crate::editing::Editing;

/// What every tool's name begins with that edits a stored text.
pub(crate) const TOOLS: &str = assay_mcp::EDITING_TOOLS;

/// The database.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The database of documents: a file of SQLite's, or the URL of a PostgreSQL database; documents.sqlite among your data
    /// by default, made when it is not there.
    #[arg(long, env = "PATCHDIFF_DATABASE_URL", hide_env_values = true, value_parser = text, value_name = "FILE|URL")]
    database: Option<String>,
}

/// The database and the workspace, for one user.
#[derive(Debug, Args)]
pub(crate) struct Ground {
    #[command(flatten)]
    place: Place,
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
    #[command(flatten)]
    offered: Offered,
}

/// Which of the tools, and how much they tell.
#[derive(Debug, Args)]
struct Offered {
    /// Which of the editing tools.
    #[arg(long, env = "PATCHDIFF_MCP_PROFILE", value_enum, default_value_t = Profile::Full, value_name = "PROFILE")]
    patch_profile: Profile,
    /// How much an agent is told of what succeeded by observed parts.
    #[arg(long, env = "PATCHDIFF_MCP_RESPONSE_MODE", value_enum, default_value_t = Mode::Detailed, value_name = "MODE")]
    response_mode: Mode,
}

/// The same for many users, none of whom reaches the server's disk: there is no workspace.
#[derive(Debug, Args)]
#[command(next_help_heading = "Editing (the tools `patchdiff_*`, with --toolsets patch)")]
pub(crate) struct EditingOverHttp {
    #[command(flatten)]
    over_http: OverHttp,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    offered: Offered,
}

/// Whether texts are edited over HTTP.
#[derive(Debug, Args)]
#[command(next_help_heading = "Editing (the tools `patchdiff_*`, with --toolsets patch)")]
pub(crate) struct OverHttp {
    /// Serve the editing tools over HTTP as well, where --toolsets or --tools choose them.
    ///
    /// A document belongs to the account that its caller's token speaks for: the forge is asked whose it is, which takes the
    /// scope read:user, and nobody finds another's. No caller reaches this machine's files: PATCHDIFF_WORKSPACE is for
    /// `assay stdio` alone. SQLite has one writer at a time, so PostgreSQL serves many better. A long text needs a larger
    /// --max-body.
    #[arg(long, env = "PATCHDIFF_OVER_HTTP", action = ArgAction::Set, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false", value_parser = BoolishValueParser::new(), value_name = "BOOLEAN")]
    patch: bool,
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
        self.on(self.place.opened().await?)
    }

    /// Both, for whoever only looks: nothing is made.
    pub(crate) async fn found(&self) -> Result<Arc<Editing>, Failed> {
        let location = self.location()?;
        self.on(assay_documents::open_existing(&location).await.map_err(|fault| unusable(&location, fault))?)
    }

    /// Where the database is.
    pub(crate) fn location(&self) -> Result<String, Failed> {
        self.place.location()
    }

    fn on(&self, documents: Arc<dyn Documents>) -> Result<Arc<Editing>, Failed> {
        let workspace = self.workspace.as_deref().map(Workspace::open).transpose();
        let workspace = workspace.map_err(|fault| Failed::Configuration(fault.into()))?.map(Arc::new);
        Ok(Arc::new(Editing::of_one(documents, workspace)))
    }
}

impl Place {
    async fn opened(&self) -> Result<Arc<dyn Documents>, Failed> {
        let location = self.location()?;
        assay_documents::open(&location).await.map_err(|fault| unusable(&location, fault))
    }

    fn location(&self) -> Result<String, Failed> {
        self.database.clone().map_or_else(usual_place, Ok)
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
        if !asked_for(offer) {
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
        self.offered.response_mode()
    }

    /// What the profile leaves of the tools.
    pub(crate) fn profiled(&self, offered: Catalogue) -> Result<Catalogue, Failed> {
        self.offered.of(offered)
    }
}

impl EditingOverHttp {
    /// Opens the database for the accounts of the forge, where that is allowed and asked for.
    pub(crate) async fn open(&self, offer: &Offer) -> Result<Option<Arc<Editing>>, Failed> {
        if !self.over_http.patch {
            return Ok(None);
        }
        if !asked_for(offer) {
            tracing::warn!("--patch lets the editing tools be served, and neither --toolsets nor --tools chooses any");
            return Ok(None);
        }
        Ok(Some(Arc::new(Editing::of_accounts(self.place.opened().await?))))
    }

    /// How answers leave for an agent.
    pub(crate) const fn response_mode(&self) -> ResponseMode {
        self.offered.response_mode()
    }

    /// What the profile leaves of the tools. Where the operator has not said that many may edit, tools for that are refused
    ///
    pub(crate) fn profiled(&self, offered: Catalogue) -> Result<Catalogue, Failed> {
        if !self.over_http.patch && offered.tools().iter().any(|tool| tool.name.starts_with(TOOLS)) {
            return Err(Failed::Configuration(anyhow!(
                "the editing tools are served over HTTP with --patch (PATCHDIFF_OVER_HTTP) alone: give it, or leave the toolset `patch` out; `assay stdio` serves them to one user"
            )));
        }
        self.offered.of(offered)
    }
}

fn asked_for(offer: &Offer) -> bool {
    offer.asks_for("patch", TOOLS)
}

impl Offered {
    const fn response_mode(&self) -> ResponseMode {
        match self.response_mode {
            Mode::Detailed => ResponseMode::Detailed,
            Mode::Compact => ResponseMode::Compact,
        }
    }

    fn of(&self, offered: Catalogue) -> Result<Catalogue, Failed> {
        let Some(kept) = self.patch_profile.tools() else { return Ok(offered) };
        let is_left_out = |name: &&str| name.starts_with(TOOLS) && !kept.contains(name);
        let left_out: Vec<String> =
            offered.tools().iter().map(|tool| tool.name.as_ref()).filter(is_left_out).map(str::to_owned).collect();
        let choice =
            assay_mcp::Choice { exclude_tools: left_out.into_iter().collect(), ..assay_mcp::Choice::default() };
        Ok(offered.kept(&choice))
    }
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
