//! From the commit down to the directory: every tree on the way is read whole and has its id, so that nothing is missing.
//!
//! A listing is written back into the tree that it must have come from (O-010): only then are its entries shown. What the
//! listing cannot show, a name that is no UTF-8, the tree itself has, which forges give as they give any object.

use assay_envelope::Refusal;
use assay_forge::{
    ObjectId, RepoPath,
    file::{Fault, Reference, What},
    object::{self, BlobAnswer, Kind, Object, TreeAnswer, entries, is_tree, tree_of},
};
use assay_origin::{Origin, feed, refuse};

use super::Request;
use crate::places::{
    Forge,
    ask::{Missing, segments},
    resolve,
    said_tree_of,
};

/// Bytes of a tree: some 200,000 entries.
const TREE_BYTES: u64 = 8 * 1024 * 1024;
/// Bytes of a commit, message and signature included.
const COMMIT_BYTES: u64 = 2 * 1024 * 1024;
/// What forges give at the most, and as often as not what they give anyway.
const PER_PAGE: &str = "1000";

/// A directory at a commit.
pub(super) struct Found {
    pub(super) commit: ObjectId,
    /// What it is called; nothing for the root.
    pub(super) path: Option<RepoPath>,
    pub(super) tree: Directory,
    /// Whether the commit was hashed as well: its tree is then the one that was read.
    pub(super) is_proven: bool,
    /// The first entry to be shown.
    pub(super) offset: u64,
}

/// A tree that has its id, and what the listing says of each entry's size.
pub(super) struct Directory {
    pub(super) object: Object,
    pub(super) sizes: Vec<Option<u64>>,
}

pub(super) fn read(origin: &dyn Origin, request: &Request) -> Result<Found, Refusal> {
    let forge = Forge { origin, target: &request.at.target };
    if let Some(cursor) = &request.paging.cursor {
        let tree = directory(forge, cursor.object)?;
        let (path, is_proven) = (request.names.first().cloned(), cursor.is_proven());
        return Ok(Found { commit: cursor.commit, path, tree, is_proven, offset: cursor.offset() });
    }
    let (commit, root, is_proven) = root(forge, &request.at.reference)?;
    let root = directory(forge, root)?;
    let found = |path, tree| Ok(Found { commit, path, tree, is_proven, offset: 0 });
    let Some((last, others)) = request.names.split_last() else { return found(None, root) };
    for path in others {
        if let Ok(tree) = descend(forge, &root, path)? {
            return found(Some(path.clone()), tree);
        }
    }
    match descend(forge, &root, last)? {
        Ok(tree) => found(Some(last.clone()), tree),
        Err(fault) => Err(refuse(fault)),
    }
}

/// The commit and its tree, out of the commit itself where the forge gives it.
fn root(forge: Forge<'_>, reference: &Reference) -> Result<(ObjectId, ObjectId, bool), Refusal> {
    let commit = match reference {
        // The commit's own bytes, if they come, confirm it better than anything (F-011).
        Reference::Commit(commit) => *commit,
        other => resolve(forge, other)?,
    };
    match object(forge, commit, Kind::Commit, COMMIT_BYTES)? {
        Some(object) => Ok((commit, tree_of(&object).map_err(|fault| refuse(Fault::Tree(fault)))?, true)),
        None => Ok((commit, said_tree_of(forge, commit)?, false)),
    }
}

/// The directory at `path` below `root`, or why there is none.
fn descend(forge: Forge<'_>, root: &Directory, path: &RepoPath) -> Result<Result<Directory, Fault>, Refusal> {
    let mut reached: Option<Directory> = None;
    for name in segments(path.as_bytes()) {
        let within = reached.as_ref().map_or(&root.object, |directory| &directory.object);
        let mut below = None;
        for entry in entries(within).map_err(unsound)? {
            let entry = entry.map_err(unsound)?;
            if entry.name == name {
                below = Some(entry);
                break;
            }
        }
        let Some(entry) = below else { return Ok(Err(Fault::NoEntry)) };
        if !is_tree(entry.mode) {
            return Ok(Err(Fault::NotDirectory));
        }
        reached = Some(directory(forge, entry.id)?);
    }
    Ok(reached.ok_or(Fault::NoEntry))
}

/// A tree by its id, whole.
fn directory(forge: Forge<'_>, id: ObjectId) -> Result<Directory, Refusal> {
    let (tree, sizes) = listing(forge, id)?;
    match Object::checked(id, Kind::Tree, tree) {
        Ok(object) => return Ok(Directory { object, sizes }),
        Err(object::Fault::Foreign) => {}
        Err(fault) => return Err(unsound(fault)),
    }
    match object(forge, id, Kind::Tree, TREE_BYTES)? {
        // Which size belongs to which entry, nothing vouches for.
        Some(object) => Ok(Directory { object, sizes: Vec::new() }),
        None => Err(unsound(object::Fault::Foreign)),
    }
}

/// A tree as its listing tells it. `truncated` says one thing on one forge and another on the next; the total does not.
fn listing(forge: Forge<'_>, id: ObjectId) -> Result<(Vec<u8>, Vec<Option<u64>>), Refusal> {
    let name = id.to_string();
    let mut tree = TreeAnswer::new(TREE_BYTES);
    let mut page = Some(1_u32);
    while let Some(number) = page {
        let number = number.to_string();
        let query = [("page", number.as_str()), ("per_page", PER_PAGE)];
        let mut answer = match forge.json(&[b"git", b"trees", name.as_bytes()], &query) {
            Ok(answer) => answer,
            Err(missing) => return Err(missing.refusal(What::Directory)),
        };
        feed(answer.as_mut(), |bytes| Ok(tree.feed(bytes).map_err(Fault::of_tree)?))?;
        page = tree.end_page().map_err(unsound)?;
    }
    Ok(tree.finish_with_sizes())
}

/// An object's own bytes, checked; nothing where the forge gives no object of that kind here.
fn object(forge: Forge<'_>, id: ObjectId, kind: Kind, most: u64) -> Result<Option<Object>, Refusal> {
    let name = id.to_string();
    let mut answer = match forge.json(&[b"git", b"blobs", name.as_bytes()], &[]) {
        Ok(answer) => answer,
        Err(missing @ Missing::Said(_)) if missing.is_absence() => return Ok(None),
        Err(missing) => return Err(missing.refusal(What::Directory)),
    };
    let mut blob = BlobAnswer::new(most);
    feed(answer.as_mut(), |bytes| Ok(blob.feed(bytes).map_err(Fault::of_tree)?))?;
    let content = blob.finish().map_err(unsound)?;
    Object::checked(id, kind, content).map(Some).map_err(unsound)
}

fn unsound(fault: object::Fault) -> Refusal {
    refuse(Fault::Tree(fault))
}
