//! The requests behind one window: the commit, then the file's content or, where that is withheld, a part of its bytes.
//! A later window is a part as well, once the directory at the pinned commit still has the same file (F-057, F-058).

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId, RepoPath, WINDOW_BYTES,
    cursor::PlaceCursor,
    file::{Contents, ContentsAnswer, What, check_listed},
};
use assay_origin::{Origin, READ_BYTES};

use super::Request;
use crate::places::{
    Forge,
    ask::{read as read_json, segments},
    resolve,
};

/// What can be shown of a file.
pub(super) struct Found {
    pub(super) commit: ObjectId,
    pub(super) path: RepoPath,
    pub(super) blob: ObjectId,
    pub(super) size: u64,
    /// Where the bytes begin.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
    /// F-035: all of the file came in this very call, and was hashed.
    pub(super) whole_blob_verified: bool,
}

pub(super) fn read(origin: &dyn Origin, request: &Request) -> Result<Found, Refusal> {
    let forge = Forge { origin, target: &request.at.target };
    match (&request.cursor, request.names.first()) {
        (Some(cursor), Some(path)) => continued(forge, cursor, path),
        _ => begun(forge, request),
    }
}

fn begun(forge: Forge<'_>, request: &Request) -> Result<Found, Refusal> {
    let commit = resolve(forge, &request.at.reference)?;
    let (path, Contents { blob, size, held }) = contents(forge, commit, &request.names)?;
    let found = Found { commit, path, blob, size, offset: 0, bytes: Vec::new(), whole_blob_verified: true };
    match held {
        Some(held) => Ok(Found { bytes: held.into_inner(), ..found }),
        None => part(forge, found),
    }
}

/// F-057, F-058: two requests, neither of them for the content (F-059).
fn continued(forge: Forge<'_>, cursor: &PlaceCursor, path: &RepoPath) -> Result<Found, Refusal> {
    let commit = cursor.commit.to_string();
    let directory = path.as_bytes().rsplitn(2, |byte| *byte == b'/').nth(1);
    let rest: Vec<&[u8]> = std::iter::once(&b"contents"[..]).chain(directory.into_iter().flat_map(segments)).collect();
    let answer = forge.json(&rest, &[("ref", &commit)]).map_err(|missing| missing.refusal(What::Directory))?;
    read_json(answer, |json| check_listed(json, path, cursor.object, cursor.size()))?;
    part(
        forge,
        Found {
            commit: cursor.commit,
            path: path.clone(),
            blob: cursor.object,
            size: cursor.size(),
            offset: cursor.offset(),
            bytes: Vec::new(),
            whole_blob_verified: false,
        },
    )
}

/// The forge's answer with the file's content, under the first of its names that the forge has.
fn contents(forge: Forge<'_>, commit: ObjectId, names: &[RepoPath]) -> Result<(RepoPath, Contents), Refusal> {
    let id = commit.to_string();
    let mut first = None;
    for path in names {
        let rest: Vec<&[u8]> = std::iter::once(&b"contents"[..]).chain(segments(path.as_bytes())).collect();
        let mut answer = match forge.json(&rest, &[("ref", &id)]) {
            Ok(answer) => answer,
            Err(missing) if missing.is_absence() => {
                first.get_or_insert(missing);
                continue;
            }
            Err(missing) => return Err(missing.refusal(What::File)),
        };
        let mut contents = ContentsAnswer::new(path, commit.format());
        while !contents.is_enough() {
            let bytes = answer.read(READ_BYTES)?;
            if bytes.is_empty() {
                break;
            }
            contents.feed(&bytes).map_err(assay_origin::refuse)?;
        }
        return Ok((path.clone(), contents.finish().map_err(assay_origin::refuse)?));
    }
    Err(first.expect("a path has a name").refusal(What::File))
}

/// Reads the window at the offset as a part of the file (F-020, F-032); what is all of it is hashed (F-036, F-037).
fn part(forge: Forge<'_>, found: Found) -> Result<Found, Refusal> {
    let window = u64::try_from(WINDOW_BYTES).expect("small");
    let last = found.size.min(found.offset + window) - 1;
    let whole = (found.offset, last + 1) == (0, found.size);
    let part = forge.part(found.path.as_bytes(), found.commit, (found.offset, last), (found.blob, found.size))?;
    let bytes = if whole { part.finish_whole(found.blob).map(|bytes| bytes.into_inner()) } else { part.finish() };
    Ok(Found { bytes: bytes.map_err(assay_origin::refuse)?, whole_blob_verified: whole, ..found })
}
