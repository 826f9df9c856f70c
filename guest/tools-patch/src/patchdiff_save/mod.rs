//! `patchdiff_save`: a checkpoint of the text and, where asked for, the file on disk (P-008 to P-011, P-162, P-163, X-02).
//!
//! The order is fixed: the target's lock, its guards, the file, and only then the checkpoint. What fails behind the file
//! is told as it is, with what is on disk, and nothing is put right by itself. Whoever looked at the file and found the
//! text of a save that was cut off says so with `expected_disk_sha256`, and the save is completed (P-010, P-016).

use assay_patch::{
    Reason, Sha256Hex,
    json::{self, Value},
    record::{Identity, identity},
};

use crate::{
    answer::{Member, Stop, fitted},
    ask::Ask,
    ports::{Destination, Fault, Ports, Failed, Published, Session, Synced, Target},
    submission::locked,
};

const TAKES: [&str; 5] =
    ["target_file_id", "sync_workspace", "expected_target_version", "expected_current_hash", "expected_disk_sha256"];

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&TAKES)?;
    let id = ask.target()?;
    let sync = ask.flag("sync_workspace")?;
    let guards = identity(ask.whole());
    let seen = seen_on_disk(&ask, sync)?;
    let mut session = ports.documents.begin()?;
    let target = session.lock(&id)?.ok_or_else(|| Stop::not_found("target"))?;
    check(&guards, &target)?;
    let published = if sync { Some(publish(ports, &target, seen)?) } else { None };
    let saved = checkpoint(session, &target, published.as_ref());
    let answer = match (saved, &published) {
        (Ok(members), _) => {
            let publication = published.as_ref().map_or(Value::Null, described);
            json::object(target.members().into_iter().chain(members).chain([("publication", publication)]))
        }
        (Err(fault), None) => return Err(fault.into()),
        // The file is there, and the checkpoint is not, or nobody knows: an operator looks at both (P-010).
        (Err(fault), Some(published)) => partial(&target, &fault, published),
    };
    Ok(fitted(answer, room)?)
}

fn check(guards: &Identity, target: &Target) -> Result<(), Stop> {
    if let Some(flaw) = &guards.flaw {
        return Err(Stop::invalid(flaw.detail.clone()));
    }
    let (version, hash) = (guards.expected_target_version, &guards.expected_current_hash);
    if version.is_none() && hash.is_none() {
        return Err(Stop::invalid("give expected_target_version or expected_current_hash: which text is to be saved"));
    }
    let reason = if version.is_some_and(|version| version != target.state.version) {
        Reason::TargetVersionMismatch
    } else if hash.as_ref().is_some_and(|hash| hash.as_str() != target.state.current_hash) {
        Reason::TargetHashMismatch
    } else {
        return Ok(());
    };
    let version = target.state.version;
    Err(rejected(reason.name(), format!("the target has another text, and version {version}: read it again")))
}

/// The digest that the caller saw the file have.
fn seen_on_disk(ask: &Ask, sync: bool) -> Result<Option<Sha256Hex>, Stop> {
    let Some(given) = ask.optional_text("expected_disk_sha256")? else { return Ok(None) };
    if !sync {
        return Err(Stop::invalid("`expected_disk_sha256` is about the file: give it with sync_workspace = true"));
    }
    let digest = Sha256Hex::from_hex(given);
    digest.map(Some).ok_or_else(|| Stop::invalid("`expected_disk_sha256` must be 64 lower-case hexadecimal digits"))
}

fn publish(ports: Ports<'_>, target: &Target, seen: Option<Sha256Hex>) -> Result<Published, Stop> {
    let (Some(path), Some(synced)) = (&target.origin.workspace_path, &target.origin.synced) else {
        let detail = "the target was not imported from a workspace: save it without sync_workspace, and export it";
        return Err(rejected(Reason::WorkspaceBindingMismatch.name(), detail.to_owned()));
    };
    if ports.workspace.identity().is_none() || ports.workspace.identity() != target.origin.workspace_root_identity {
        let detail = "the target was imported from another workspace than the one that is there now";
        return Err(rejected(Reason::WorkspaceBindingMismatch.name(), detail.to_owned()));
    }
    let locked = locked(target);
    let bytes = match &locked.endings {
        Some(endings) => endings.restore(&locked.text, target.origin.has_bom),
        None => return Err(rejected("original_eol_unavailable", "the line ends of the file are not known".to_owned())),
    };
    let bytes = bytes.map_err(|error| rejected("original_eol_unavailable", error.to_string()))?;
    let disk = Disk { recorded: synced, intended: Sha256Hex::of(&bytes) };
    let expected = disk.expected(seen)?;
    ports.workspace.publish(path, &expected, &bytes).map_err(|failed| disk.not_published(target, failed))
}

/// What is known of the file: what was recorded of it, and what it is to have.
struct Disk<'a> {
    recorded: &'a Synced,
    intended: Sha256Hex,
}

impl Disk<'_> {
    /// What the file must still have: what was recorded, or, where the caller saw that, what it is to have anyway. So
    /// nothing is ever replaced that no record knows (P-163).
    fn expected(&self, seen: Option<Sha256Hex>) -> Result<String, Stop> {
        match seen {
            Some(seen) if seen == self.intended => Ok(seen.to_string()),
            Some(seen) if seen.as_str() != self.recorded.disk_sha256 => {
                let detail = "the file that was seen has neither what was recorded nor what is to be saved, and nothing \
                              is replaced that no record knows: import it again";
                Err(rejected(Reason::WorkspaceDrift.name(), detail.to_owned()).with([("disk", self.described())]))
            }
            _ => Ok(self.recorded.disk_sha256.clone()),
        }
    }

    fn not_published(&self, target: &Target, failed: Failed) -> Stop {
        let Failed { refusal, step, destination } = failed;
        if destination == Destination::Untouched {
            let members = [("step", step.into()), ("disk", self.described())];
            return Stop::of_workspace(refusal).with(members);
        }
        let evidence = json::object([("step", step.into()), ("code", refusal.code.into())]);
        let members = partial_members(target, destination, false, self.intended.as_str(), evidence);
        Stop::Status("partial", refusal.message, members)
    }

    /// By which an operator tells a save that was cut off from a file that somebody else changed.
    fn described(&self) -> Value {
        json::object([
            ("recorded_sha256", self.recorded.disk_sha256.as_str().into()),
            ("recorded_version", self.recorded.version.into()),
            ("intended_sha256", self.intended.as_str().into()),
        ])
    }
}

fn checkpoint(
    mut session: Box<dyn Session>,
    target: &Target,
    published: Option<&Published>,
) -> Result<Vec<Member>, Fault> {
    let publication = published.and_then(|published| described(published).canonical().ok());
    let synced = published.map(|published| Synced {
        disk_sha256: published.sha256.clone(),
        version: target.state.version,
    });
    let saved = session.checkpoint(&target.id, publication, synced)?;
    session.commit()?;
    Ok(vec![
        ("snapshot_id", saved.snapshot_id.into()),
        ("closed_cycle_id", saved.closed_cycle_id.into()),
        ("cycle_id", saved.cycle_id.into()),
    ])
}

fn partial(target: &Target, fault: &Fault, published: &Published) -> Value {
    let own = [("status", "partial".into()), ("detail", fault.message.as_str().into())];
    let (installed, sha256) = (Destination::Installed, &published.sha256);
    json::object(own.into_iter().chain(partial_members(target, installed, fault.unknown, sha256, described(published))))
}

fn partial_members(
    target: &Target,
    destination: Destination,
    unknown: bool,
    intended: &str,
    publication: Value,
) -> Vec<Member> {
    let on_disk = match destination {
        Destination::Untouched => "untouched",
        Destination::Installed => "installed",
        Destination::Unknown => "unknown",
    };
    let what_to_do = "Look at the file: nothing is put right by itself. While it is not the one that was recorded, a save \
                      refuses with workspace_drift. Has it intended_sha256, save once more with that as \
                      expected_disk_sha256: this completes the save and replaces nothing. Has it another, import it again.";
    vec![
        ("target_file_id", target.id.as_str().into()),
        ("version", target.state.version.into()),
        ("destination", on_disk.into()),
        ("checkpoint", if unknown { "unknown" } else { "absent" }.into()),
        ("intended_sha256", intended.into()),
        ("publication", publication),
        ("what_to_do", what_to_do.into()),
    ]
}

fn described(published: &Published) -> Value {
    json::object([
        ("sha256", published.sha256.as_str().into()),
        ("bytes", published.bytes.into()),
        ("mode", format!("{:04o}", published.mode & 0o7777).into()),
    ])
}

fn rejected(reason: &str, detail: String) -> Stop {
    Stop::Status("rejected", detail, vec![("failure_reason", reason.into())])
}
