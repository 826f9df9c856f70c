//! `assay patch replay`: whether history makes the text, and whether the file on disk is the one that was saved last.

use assay_envelope::Refusal;
use assay_workspace::{RelativePath, Workspace};
use clap::Args;
use serde_json::{Value, json};

use super::{
    asked::{Asked, number, text},
    named::{self, Named},
    pages::put,
    print,
};
use crate::cli::{Failed, editing::Ground, shown::in_line};

/// The four checks (P-135), in their order.
const CHECKS: [&str; 4] = ["content_matches", "stored_hash_matches", "recomputed_hash_matches", "version_matches"];

/// Bytes of a file at the most: what is larger was never a document's.
const FILE_BYTES: u64 = 16 << 20;

/// Apply each document's history again and compare; compare its file with the one that was last synced.
///
/// The exit code is 0 only where history makes the text by all four checks and every file is the one that was imported or
/// saved last; 1 where something does not hold or could not be looked at.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assay patch replay --workspace ~/notes todo.txt
  assay patch replay --text-only 0f8fad5b-d9cb-469f-a165-70867728950e
      The database alone.")]
pub(super) struct Replay {
    #[command(flatten)]
    ground: Ground,
    /// Paths in the workspace, or documents' ids.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Leave the files on disk alone.
    #[arg(long)]
    text_only: bool,
    /// Print what the tool answers, with `workspace_file` beside it, one JSON object a line.
    #[arg(long)]
    json: bool,
}

/// What the file on disk is.
struct OnDisk {
    /// For programs.
    word: &'static str,
    holds: bool,
    says: String,
}

impl Replay {
    pub(super) async fn run(self) -> Result<(), Failed> {
        let asked = Asked::of(&self.ground).await?;
        let mut fallen: Vec<String> = Vec::new();
        for named in named::find_all(&asked.editing, &self.files).await? {
            let mut answer =
                asked.ask("patchdiff_replay_target", &json!({"target_file_id": named.head.id})).await?.value;
            let on_disk =
                if self.text_only { None } else { Some(on_disk(asked.editing.workspace().map(AsRef::as_ref), &named)) };
            let holds = replays(&answer) && on_disk.as_ref().is_none_or(|on_disk| on_disk.holds);
            if !holds {
                fallen.push(named.name.clone());
            }
            if self.json {
                if let Some(on_disk) = &on_disk {
                    put(&mut answer, "workspace_file", json!(on_disk.word));
                }
                print(&format!("{answer}\n"))?;
            } else {
                print(&shown(&named, &answer, on_disk.as_ref()))?;
            }
        }
        if fallen.is_empty() {
            return Ok(());
        }
        let message = format!("something does not hold of {}", fallen.join(", "));
        Err(Failed::Refused(Refusal::new("replay_differs", message)))
    }
}

/// Whether a replay's answer says that history makes the text, by each of the four checks.
pub(super) fn replays(answer: &Value) -> bool {
    let checks = answer.get("materialized_state_checks").unwrap_or(&Value::Null);
    let all = CHECKS.iter().all(|check| checks.get(check) == Some(&Value::Bool(true)));
    text(answer, "status") == "success" && all && answer.get("materialized_state_matches") == Some(&Value::Bool(true))
}

fn shown(named: &Named, answer: &Value, on_disk: Option<&OnDisk>) -> String {
    let mut out = format!("{} ({}), version {}\n", named.name, named.head.id, named.head.version);
    if text(answer, "status") == "success" {
        let (count, version) = (number(answer, "replayed_transactions"), number(answer, "replayed_version"));
        let (count, version) = (count.unwrap_or_default(), version.unwrap_or_default());
        out.push_str(&format!("  {:<24} {count} accepted attempts make version {version}\n", "history"));
        let checks = answer.get("materialized_state_checks").unwrap_or(&Value::Null);
        for check in CHECKS {
            let holds = checks.get(check) == Some(&Value::Bool(true));
            out.push_str(&format!("  {check:<24} {}\n", if holds { "yes" } else { "NO" }));
        }
    } else {
        let (detail, attempt) = (in_line(text(answer, "detail")), in_line(text(answer, "pdcp_log_id")));
        let at = if attempt.is_empty() { String::new() } else { format!(" at attempt {attempt}") };
        out.push_str(&format!("  {:<24} CANNOT BE FOLLOWED{at}: {detail}\n", "history"));
    }
    if let Some(OnDisk { says, .. }) = on_disk {
        out.push_str(&format!("  {:<24} {says}\n", "file on disk"));
    }
    out
}

/// Compares the file with the last synced state (P-156).
fn on_disk(workspace: Option<&Workspace>, named: &Named) -> OnDisk {
    let head = &named.head;
    let (Some(path), Some(synced)) = (&head.workspace_path, &head.synced) else {
        return OnDisk { word: "none", holds: true, says: "none: the text is of no workspace".to_owned() };
    };
    let not = |word, says: String| OnDisk { word, holds: false, says };
    let Some(workspace) = workspace else {
        let says = "NOT LOOKED AT: name its folder with --workspace, or leave it out with --text-only".to_owned();
        return not("not_looked_at", says);
    };
    if head.workspace_root_identity.as_ref() != Some(&workspace.identity().to_string()) {
        return not("other_workspace", "NOT LOOKED AT: it is of another workspace than --workspace names".to_owned());
    }
    let read = RelativePath::parse(path).and_then(|path| workspace.read(&path, FILE_BYTES));
    match read {
        Ok(file) if file.sha256.to_string() == synced.disk_sha256 => {
            let ahead = head.version.saturating_sub(synced.version);
            let says = match ahead {
                0 => format!("the one of version {}", synced.version),
                1 => format!("the one of version {}; 1 later version is not saved", synced.version),
                _ => format!("the one of version {}; {ahead} later versions are not saved", synced.version),
            };
            OnDisk { word: "last_synced", holds: true, says }
        }
        Ok(_) => not("changed", format!("CHANGED since version {} was synced", synced.version)),
        Err(refusal) => not("unreadable", format!("NOT THE ONE: {}", in_line(&refusal.to_string()))),
    }
}
