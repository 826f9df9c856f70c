//! `patchdiff_initialize_target`: a text, or a file of the workspace, becomes a target (P-006, P-155, P-156, P-164).

use assay_patch::{
    json::{self, Value},
    record::{MAX_CODE_POINTS, MAX_UTF8_BYTES},
    text::{Canonical, Source},
};

use crate::{
    answer::{Stop, fitted, number},
    ask::Ask,
    ports::{Origin, Ports, State, Synced},
};

/// The version that a target begins with.
const FIRST: u64 = 1;
/// Why a text is not taken that is larger than what is kept.
const SIZE_LIMIT: &str = "size_limit_exceeded";

pub(crate) fn call(ports: Ports<'_>, ask: Ask, room: usize) -> Result<String, Stop> {
    ask.takes(&["content", "from_workspace", "path"])?;
    let given = (ask.optional_text("content")?, ask.flag("from_workspace")?, ask.optional_text("path")?);
    let (bytes, mut origin) = match given {
        (Some(content), false, None) => (content.as_bytes().to_vec(), nowhere()),
        (None, true, Some(path)) => from_workspace(ports, path)?,
        _ => return Err(Stop::invalid("give either `content`, or `from_workspace` = true and `path`")),
    };
    let (text, source) = Source::read(&bytes).map_err(|error| Stop::invalid(error.to_string()))?;
    check_size(&text)?;
    origin.has_bom = source.has_bom;
    origin.source_line_endings = described(&source).canonical().ok();
    let state = State {
        version: FIRST,
        current_hash: text.sha256().to_string(),
        line_endings: Some(source.endings.to_string()),
        content: text.as_str().to_owned(),
    };
    let mut session = ports.documents.begin()?;
    let created = session.create(origin, state)?;
    session.commit()?;
    let answer = json::object([
        ("status", "ok".into()),
        ("target_file_id", created.target_file_id.into()),
        ("version", FIRST.into()),
        ("current_hash", text.sha256().as_str().into()),
        ("total_chars", number(text.code_points())),
        ("snapshot_id", created.snapshot_id.into()),
        ("cycle_id", created.cycle_id.into()),
        ("source_line_endings", described(&source)),
        ("has_bom", source.has_bom.into()),
    ]);
    Ok(fitted(answer, room)?)
}

fn from_workspace(ports: Ports<'_>, path: &str) -> Result<(Vec<u8>, Origin), Stop> {
    let Some(identity) = ports.workspace.identity() else {
        let detail = "there is no workspace: the operator named none".to_owned();
        return Err(Stop::Status("rejected", detail, vec![("failure_reason", "workspace_unavailable".into())]));
    };
    // Line ends and a byte-order mark may be there beside the text that is kept.
    let file = ports.workspace.read(path, 2 * MAX_UTF8_BYTES as u64 + 3).map_err(|mut refusal| {
        // One limit has one reason, whether it was the file or its text that was measured (PG-12).
        if refusal.code == "too_large" {
            SIZE_LIMIT.clone_into(&mut refusal.code);
        }
        Stop::of_workspace(refusal)
    })?;
    let origin = Origin {
        workspace_path: Some(path.to_owned()),
        workspace_root_identity: Some(identity),
        synced: Some(Synced { disk_sha256: file.sha256, version: FIRST }),
        ..nowhere()
    };
    Ok((file.content, origin))
}

/// Of no file.
fn nowhere() -> Origin {
    Origin {
        workspace_path: None,
        workspace_root_identity: None,
        has_bom: false,
        source_line_endings: None,
        synced: None,
    }
}

fn check_size(text: &Canonical) -> Result<(), Stop> {
    let (points, bytes) = (text.code_points(), text.as_str().len());
    if points <= MAX_CODE_POINTS && bytes <= MAX_UTF8_BYTES {
        return Ok(());
    }
    let detail = format!(
        "the text has {points} code points and {bytes} bytes; at most {MAX_CODE_POINTS} and {MAX_UTF8_BYTES} are kept"
    );
    Err(Stop::Status("rejected", detail, vec![("failure_reason", SIZE_LIMIT.into())]))
}

/// P-155.
fn described(source: &Source) -> Value {
    json::object([
        ("style", source.style.name().into()),
        ("lf", number(source.lf)),
        ("crlf", number(source.crlf)),
        ("cr", number(source.cr)),
        ("normalized", source.normalized.into()),
        ("source_code_points", number(source.source_code_points)),
        ("source_utf8_bytes", number(source.source_utf8_bytes)),
        ("source_sha256", source.source_sha256.as_str().into()),
    ])
}
