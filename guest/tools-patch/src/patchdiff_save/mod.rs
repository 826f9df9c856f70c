//! `patchdiff_save`: a checkpoint of the text and, where asked for, the file on disk (P-008 to P-011, P-162, P-163, X-02).
//!
//! The order is fixed: the target's lock, its guards, the file, and only then the checkpoint. What fails behind the file
//! is told as it is, with what is on disk, and nothing is put right by itself.

use assay_patch::{
    Reason,
    json::{self, Value},
    record::{Identity, identity},
};

use crate::{
    answer::{Member, Stop, fitted},
    ask::Ask,
    ports::{Destination, Fault, Ports, Failed, Published, Session, Synced, Target},
    submission::locked,
};

const TAKES: [&str; 4] = ["target_file_id", "sync_workspace", "expected_target_version", "expected_current_hash"];

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&TAKES)?;
    let id = ask.target()?;
    let sync = ask.flag("sync_workspace")?;
    let guards = identity(ask.whole());
    let mut session = ports.documents.begin()?;
    let target = session.lock(&id)?.ok_or_else(|| Stop::not_found("target"))?;
    check(&guards, &target)?;
    let published = if sync { Some(publish(ports, &target)?) } else { None };
    let saved = checkpoint(session, &target, published.as_ref());
    let answer = match (saved, &published) {
        (Ok(members), _) => {
            let publication = published.as_ref().map_or(Value::Null, described);
            json::object(target.members().into_iter().chain(members).chain([("publication", publication)]))
        }
        (Err(fault), None) => return Err(fault.into()),
        // The file is there, and the checkpoint is not, or nobody knows: an operator looks at both (P-010).
        (Err(fault), Some(published)) => partial(&target, Destination::Installed, &fault.message, fault.unknown, described(published)),
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

fn publish(ports: Ports<'_>, target: &Target) -> Result<Published, Stop> {
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
    ports.workspace.publish(path, &synced.disk_sha256, &bytes).map_err(|failed| not_published(target, failed))
}

fn not_published(target: &Target, failed: Failed) -> Stop {
    let Failed { refusal, step, destination } = failed;
    if destination == Destination::Untouched {
        return Stop::of_workspace(refusal).with([("step", step.into())]);
    }
    let evidence = json::object([("step", step.into()), ("code", refusal.code.into())]);
    let members = partial_members(target, destination, false, evidence);
    Stop::Status("partial", refusal.message, members)
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

fn partial(target: &Target, destination: Destination, detail: &str, unknown: bool, publication: Value) -> Value {
    let own = [("status", "partial".into()), ("detail", detail.into())];
    json::object(own.into_iter().chain(partial_members(target, destination, unknown, publication)))
}

fn partial_members(target: &Target, destination: Destination, unknown: bool, publication: Value) -> Vec<Member> {
    let on_disk = match destination {
        Destination::Untouched => "untouched",
        Destination::Installed => "installed",
        Destination::Unknown => "unknown",
    };
    let what_to_do = "Compare the file with the target by patchdiff_export_target. Nothing is put right by itself: while the \
                      file is not the one that was recorded, a save refuses with workspace_drift; import it again then.";
    vec![
        ("target_file_id", target.id.as_str().into()),
        ("version", target.state.version.into()),
        ("destination", on_disk.into()),
        ("checkpoint", if unknown { "unknown" } else { "absent" }.into()),
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
