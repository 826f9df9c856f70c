//! `assay diff`: a pull request's diff to a file or to standard output, read to its end, checked, and told what it is.
//!
//! It calls the tools that an agent calls, and checks their answers as an agent should.

mod manifest;
mod output;
mod receipt;
mod stat;
mod target;
mod terminal;
mod walk;

use std::{io::IsTerminal as _, path::PathBuf, sync::Arc, time::Duration};

use anyhow::anyhow;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json, value::RawValue};

pub(crate) use self::{
    output::{Closed, Output, unwritten},
    target::{Pull, Target},
};
use self::{receipt::Subject, stat::Listing, walk::Walk};
use super::{
    Failed, call,
    connection::{Connected, Connection},
    credential::OwnCredential,
    local, say,
};
use crate::{caller::Caller, shutdown};

const DIFF: &str = "get_pull_request_diff";
const LIST: &str = "list_pull_request_files";

/// Seconds that are waited for a budget at a time; a longer wait is told instead.
const LONGEST_WAIT: u64 = 300;
/// Waits for one page. Each gets further; a budget that is too small for any page is told in the end.
const MOST_WAITS: u32 = 60;
/// Codes of refusals that something else than the forge, or a wrong token, can be behind.
const DOUBTFUL: [&str; 6] =
    ["answer_malformed", "diff_malformed", "evidence_malformed", "evidence_unavailable", "not_found", "unauthorized"];

/// The last lines of `--help`.
const AFTER_HELP: &str = "\
Examples:
  assay diff team/project#7 -o 7.diff
      Write the diff, checked to its last byte, to a file; the receipt goes to standard error.
  assay diff https://forge.example/team/project/pulls/7 --file src/lib.rs
      One file's part, by either of its names.
  assay diff team/project#7 --stat
      The changed files.
  assay diff --local ~/src/project main..topic
      A branch of a local repository, as a pull request would show it.
  assay diff --local ~/src/project --stock main..topic
      The same, proven against git objects as on a forge without evidence.
  GATEWAY_DIFF_PROOF=required assay diff team/project#7 -o 7.diff
      Nothing that is not proven or native evidence.";

/// Read a pull request's diff to its end, check it, and say in words what is known about it.
///
/// The diff goes to standard output, or to a file that is there whole or not at all. The receipt goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Diff {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
    /// OWNER/REPO#7, OWNER/REPO 7, or the pull request's page; with --local also main..topic.
    #[arg(required = true, num_args = 1..=2, value_name = "PULL")]
    target: Vec<String>,
    /// Write to this file, and only once all of it was checked.
    #[arg(short, long, value_name = "FILE", conflicts_with = "stat")]
    output: Option<PathBuf>,
    /// Only this file's part, by its name before or after a rename; a name that is not UTF-8 as git quotes it.
    #[arg(long, value_name = "PATH", conflicts_with = "stat")]
    file: Option<String>,
    /// List the changed files instead of showing the diff.
    #[arg(long)]
    stat: bool,
    /// Keep the receipt, a JSON object, in this file.
    #[arg(long, value_name = "FILE")]
    receipt: Option<PathBuf>,
}

/// Everything that a reading needs.
struct Reading<'a> {
    connected: &'a Connected,
    caller: Arc<Caller>,
    pull: Pull,
}

impl Diff {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        // What is written wrongly is told before anything is started.
        let words = |forge: &str| match self.connection.local() {
            [] => Target::on_forge(&self.target, forge),
            _ => Target::on_local(&self.target, forge),
        };
        if self.connection.local().is_empty() {
            words(&self.connection.address()?).map_err(Failed::Configuration)?;
        }
        let connected = self.connection.connect().await?;
        let read = async {
            let target = words(&connected.url).map_err(Failed::Configuration)?;
            let caller = Arc::new(Caller::new(self.credential.read(&connected)?));
            let pull = match target {
                Target::Pull(pull) => pull,
                Target::Range { base, branch } => local::pull(&connected, &caller, base.as_deref(), &branch).await?,
            };
            self.read(Reading { connected: &connected, caller, pull }).await
        };
        let ended = tokio::select! {
            ended = read => ended,
            // What was begun is dropped: no file is left, and no copy of a repository.
            () = shutdown::requested() => Err(Failed::Fault(anyhow!("interrupted; nothing was left behind"))),
        };
        connected.close().await;
        ended
    }

    async fn read(&self, reading: Reading<'_>) -> Result<(), Failed> {
        let subject = Subject {
            pull: format!("{}/{}#{}", reading.pull.owner, reading.pull.repo, reading.pull.index),
            forge: if reading.connected.local.is_some() { "a local forge" } else { &reading.connected.url },
            file: self.file.as_deref(),
        };
        let kept = self.receipt.as_deref().map(|path| Output::open(Some(path))).transpose();
        let kept = kept.map_err(Failed::Configuration)?;
        let (words, manifest) =
            if self.stat { reading.list(&subject).await? } else { self.whole(&reading, &subject).await? };
        if let Some(mut kept) = kept {
            let text = format!("{manifest}\n");
            kept.write(text.as_bytes()).and_then(|()| kept.finish()).map_err(Failed::Fault)?;
        }
        eprint!("{words}");
        Ok(())
    }

    async fn whole(&self, reading: &Reading<'_>, subject: &Subject<'_>) -> Result<(String, Box<RawValue>), Failed> {
        // Before the first request, so that a place that cannot be written to costs none.
        let mut output = Output::open(self.output.as_deref()).map_err(Failed::Configuration)?;
        let bar = Bar::new("{bytes} of {total_bytes}  {bytes_per_sec}", !output.is_terminal());
        let mut arguments = reading.arguments();
        // Text takes less of an answer than base64 beside text, so more of the diff fits and fewer pages are asked for.
        put(&mut arguments, "encoding", json!("auto"));
        if let Some(file) = &self.file {
            put(&mut arguments, "file_path", json!(file));
        }
        let mut walk = Walk::default();
        let manifest = loop {
            let page = reading.call(DIFF, &arguments).await?;
            let step = walk.take(&page).map_err(wrong)?;
            output.write(&step.bytes).map_err(Failed::Fault)?;
            bar.show(walk.progress());
            match step.cursor {
                Some(cursor) => put(&mut arguments, "cursor", json!(cursor)),
                None => break step.manifest,
            }
        };
        bar.clear();
        let assembled = walk.finish().map_err(wrong)?;
        let mut words = String::new();
        if let Some(path) = output.finish().map_err(Failed::Fault)? {
            words = format!("wrote {}\n", path.display());
        }
        words.push_str(&receipt::of_diff(subject, &assembled));
        Ok((words, manifest))
    }
}

impl Reading<'_> {
    async fn list(&self, subject: &Subject<'_>) -> Result<(String, Box<RawValue>), Failed> {
        let bar = Bar::new("{pos} of {len} files", true);
        let mut arguments = self.arguments();
        let mut listing = Listing::default();
        let manifest = loop {
            let page = self.call(LIST, &arguments).await?;
            let step = listing.take(&page).map_err(wrong)?;
            bar.show(listing.progress());
            match step.cursor {
                Some(cursor) => put(&mut arguments, "cursor", json!(cursor)),
                None => break step.manifest,
            }
        };
        bar.clear();
        let listed = listing.finish().map_err(wrong)?;
        say(&listed.table(width()))?;
        Ok((receipt::of_list(subject, &listed.manifest), manifest))
    }

    fn arguments(&self) -> Value {
        let Pull { owner, repo, index } = &self.pull;
        json!({"owner": owner, "repo": repo, "index": index})
    }

    /// Calls, and where a budget is used up waits as long as the refusal says: what was hashed until then stays (O-011).
    async fn call(&self, tool: &str, arguments: &Value) -> Result<String, Failed> {
        let room = self.connected.engine.reading().settings().result_bytes;
        let mut waits = 0;
        loop {
            let called = self.connected.engine.call(Arc::clone(&self.caller), tool, arguments.to_string(), room).await;
            let failed = match called {
                Ok(page) => return Ok(page),
                Err(failure) => call::failed(tool, failure),
            };
            let Some(seconds) = wait_of(&failed).filter(|_| waits < MOST_WAITS) else { return Err(hinted(failed)) };
            waits += 1;
            tracing::warn!("the budget is used up; going on in {seconds} s");
            tokio::time::sleep(Duration::from_secs(seconds)).await;
        }
    }
}

/// What may as well be said by something that is no forge, or to a token that is none: `assay doctor` tells these apart.
fn hinted(mut failed: Failed) -> Failed {
    if let Failed::Refused(refusal) = &mut failed
        && DOUBTFUL.contains(&refusal.code.as_ref())
    {
        refusal.message.push_str("; `assay doctor` checks the address and the token");
    }
    failed
}

/// The seconds after which a refused call may be tried again.
fn wait_of(failed: &Failed) -> Option<u64> {
    let Failed::Refused(refusal) = failed else { return None };
    let (_, after) = refusal.message.rsplit_once("Retry-After: ").filter(|_| refusal.code == "rate_limited")?;
    let seconds = after.split('s').next()?.parse().ok()?;
    (seconds <= LONGEST_WAIT).then_some(seconds)
}

/// How far the reading is, where somebody sees it.
struct Bar(ProgressBar);

impl Bar {
    fn new(what: &str, may_draw: bool) -> Self {
        let draws = may_draw && std::io::stderr().is_terminal();
        let target = if draws { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template(&format!("{{bar:32}} {what}")).expect("the template is ours");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        if draws {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self(bar)
    }

    fn show(&self, (read, of): (u64, Option<u64>)) {
        self.0.set_length(of.unwrap_or(read));
        self.0.set_position(read);
    }

    fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Bar {
    /// Also where the reading fails, so that the reason stands on a line of its own.
    fn drop(&mut self) {
        self.clear();
    }
}

fn put(arguments: &mut Value, name: &str, value: Value) {
    if let Some(object) = arguments.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}

/// The tool's answer is not what it says it is: that is a fault here, whatever the forge did.
fn wrong(error: anyhow::Error) -> Failed {
    Failed::Fault(error.context("the answers of the tool contradict each other; nothing of them is to be relied on"))
}

fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    columns.filter(|columns| (20..=500).contains(columns)).unwrap_or(stat::WIDTH)
}
