//! The difference of two commits' trees, by bytes: which paths differ, and what is there on either side.
//!
//! Both root trees are walked level by level and only where they differ, so that a source can have a whole level under
//! way. Modes are compared as git compares them. What is held is bounded, whatever the trees are: a tree can name one
//! subtree many times and so have more paths than anyone can count.

use std::{cmp::Ordering, collections::BTreeMap, mem::size_of};

use super::{ObjectSource, Stopped, Wanted};
use crate::{
    ObjectId,
    object::{self, Kind, Object, TreeEntry, is_tree},
};

/// Bytes of a commit: a message can be long, and only the first line is read.
const COMMIT_BYTES: u64 = 1024 * 1024;
/// Bytes of one tree, of which two are held: a folder of about 50,000 files.
const TREE_BYTES: u64 = 2 * 1024 * 1024;
/// What the changed paths may cost together: about 40,000 of them. Larger changes are imports that nobody reads.
const CHANGES_BYTES: usize = 8 * 1024 * 1024;
/// Trees that are read, each of which may be a request: about 8,000 changed folders.
const MOST_TREES: u32 = 16 * 1024;
/// Bytes of the trees that are read, together: each costs time to hash and to read, kept or not.
const MOST_TREE_BYTES: u64 = 256 * 1024 * 1024;

/// One side of a path that is no folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its mode: 0o100644, 0o100755, 0o120000 or 0o160000.
    pub mode: u32,
    /// Its blob; a submodule's commit.
    pub id: ObjectId,
}

impl Entry {
    /// Git shows a change between two types as a deletion and an addition.
    pub(super) const fn is_like(self, other: Self) -> bool {
        self.mode >> 12 == other.mode >> 12
    }

    /// Whether it is a commit of another repository, whose content is made up.
    pub(super) const fn is_submodule(self) -> bool {
        object::is_submodule(self.mode)
    }
}

/// A path that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// Every path that differs, in git's order, and a way to the paths that do not.
#[derive(Debug)]
pub(super) struct Changes {
    changes: Vec<Change>,
    /// The base's root tree; nothing where both commits are one.
    base: Option<ObjectId>,
    /// The folder of the base that was looked into last, by its path.
    folder: Option<(Vec<u8>, Files)>,
    cost: Cost,
}

/// A folder's files by their names: a diff can name each of them as a copy's source.
type Files = BTreeMap<Vec<u8>, Entry>;

/// A folder that differs.
struct Folder {
    /// Its path, a slash at its end; the root's is empty.
    path: Vec<u8>,
    old: Option<ObjectId>,
    new: Option<ObjectId>,
}

/// What is held and was read so far, against its bounds.
#[derive(Debug, Default)]
struct Cost {
    bytes: usize,
    trees: u32,
    tree_bytes: u64,
}

impl Changes {
    /// Reads the two commits and walks their trees.
    pub(super) fn read(source: &mut impl ObjectSource, old: ObjectId, new: ObjectId) -> Result<Self, Stopped> {
        if old == new {
            return Ok(Self { changes: Vec::new(), base: None, folder: None, cost: Cost::default() });
        }
        let commits = [old, new].map(|id| Wanted { id, kind: Kind::Commit });
        source.expect(&commits);
        let [old, new] = commits.map(|commit| root(source, commit));
        let (old, new) = (old?, new?);
        let mut cost = Cost::default();
        let mut changes = Vec::new();
        let mut level = vec![Folder { path: Vec::new(), old: Some(old), new: Some(new) }];
        level.retain(|folder| folder.old != folder.new);
        while !level.is_empty() {
            let ids = level.iter().flat_map(|folder| [folder.old, folder.new]).flatten();
            source.expect(&ids.map(|id| Wanted { id, kind: Kind::Tree }).collect::<Vec<_>>());
            let mut below = Vec::new();
            for folder in level {
                let [old, new] = [folder.old, folder.new].map(|id| match id {
                    Some(id) => get_tree(source, id, &mut cost).map(Some),
                    None => Ok(None),
                });
                compare(&folder.path, old?.as_ref(), new?.as_ref(), &mut changes, &mut below, &mut cost)?;
            }
            level = below;
        }
        changes.sort_unstable_by(|one: &Change, other| one.path.cmp(&other.path));
        Ok(Self { changes, base: Some(old), folder: None, cost })
    }

    pub(super) fn as_slice(&self) -> &[Change] {
        &self.changes
    }

    /// The place of a path among those that differ.
    pub(super) fn find(&self, path: &[u8]) -> Option<usize> {
        self.changes.binary_search_by(|change| change.path.as_slice().cmp(path)).ok()
    }

    /// What the base has at a path, whether it differs or not; nothing where it has no file there.
    pub(super) fn in_base(&mut self, source: &mut impl ObjectSource, path: &[u8]) -> Result<Option<Entry>, Stopped> {
        if let Some(change) = self.find(path).and_then(|at| self.changes.get(at)) {
            return Ok(change.old);
        }
        let (folder, name) = path.split_at(memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1));
        if self.folder.as_ref().is_none_or(|(held, _)| held != folder) {
            let tree = self.base_folder(source, folder)?;
            let files = tree.as_ref().map_or_else(|| Ok(Files::new()), files)?;
            self.folder = Some((folder.to_vec(), files));
        }
        Ok(self.folder.as_ref().and_then(|(_, files)| files.get(name).copied()))
    }

    fn base_folder(&mut self, source: &mut impl ObjectSource, path: &[u8]) -> Result<Option<Object>, Stopped> {
        let Some(root) = self.base else { return Ok(None) };
        let mut tree = get_tree(source, root, &mut self.cost)?;
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            let Some(below) = entry(&tree, name)?.filter(|entry| is_tree(entry.mode)) else { return Ok(None) };
            let below = below.id;
            drop(tree);
            tree = get_tree(source, below, &mut self.cost)?;
        }
        Ok(Some(tree))
    }
}

impl Cost {
    fn tree(&mut self) -> Result<(), Stopped> {
        self.trees += 1;
        let allowed = self.trees <= MOST_TREES && self.tree_bytes <= MOST_TREE_BYTES;
        if allowed { Ok(()) } else { Err(Stopped::TooManyObjects) }
    }

    fn hold<T>(&mut self, path: &[u8]) -> Result<(), Stopped> {
        self.bytes += path.len() + size_of::<T>();
        if self.bytes <= CHANGES_BYTES { Ok(()) } else { Err(Stopped::TooManyObjects) }
    }
}

/// Asks the source, and takes from it what was asked for alone.
pub(super) fn get(source: &mut impl ObjectSource, wanted: Wanted, most: u64) -> Result<Object, Stopped> {
    let object = source.get(wanted, most)?;
    let asked = object.id() == wanted.id && object.kind() == wanted.kind && object.content().len() as u64 <= most;
    if asked { Ok(object) } else { Err(Stopped::ObjectDamaged) }
}

fn root(source: &mut impl ObjectSource, commit: Wanted) -> Result<ObjectId, Stopped> {
    Ok(object::tree_of(&get(source, commit, COMMIT_BYTES).map_err(too_large)?)?)
}

fn get_tree(source: &mut impl ObjectSource, id: ObjectId, cost: &mut Cost) -> Result<Object, Stopped> {
    cost.tree()?;
    let tree = get(source, Wanted { id, kind: Kind::Tree }, TREE_BYTES).map_err(too_large)?;
    cost.tree_bytes += tree.content().len() as u64;
    Ok(tree)
}

/// A tree or commit that is too large is too much of the whole change, not one file of it.
fn too_large(stopped: Stopped) -> Stopped {
    if stopped == Stopped::FileTooLarge { Stopped::TooManyObjects } else { stopped }
}

fn files(tree: &Object) -> Result<Files, Stopped> {
    let mut files = Files::new();
    for entry in object::entries(tree)? {
        let entry = entry?;
        if !is_tree(entry.mode) {
            files.insert(entry.name.to_vec(), Entry { mode: entry.mode, id: entry.id });
        }
    }
    Ok(files)
}

fn entry<'a>(tree: &'a Object, name: &[u8]) -> Result<Option<TreeEntry<'a>>, Stopped> {
    for entry in object::entries(tree)? {
        let entry = entry?;
        if entry.name == name {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// Sorts what differs between two versions of a folder into files and into folders that have to be walked.
fn compare(
    path: &[u8],
    old: Option<&Object>,
    new: Option<&Object>,
    changes: &mut Vec<Change>,
    below: &mut Vec<Folder>,
    cost: &mut Cost,
) -> Result<(), Stopped> {
    let [mut old, mut new] = [old, new].map(|tree| {
        let entries = tree.map(object::entries).transpose();
        entries.map(|entries| entries.into_iter().flatten().peekable())
    });
    let (old, new) = (old.as_mut().map_err(|fault| *fault)?, new.as_mut().map_err(|fault| *fault)?);
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return Ok(()),
            (Some(Ok(old)), Some(Ok(new))) => old.order(new),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(Err(fault)), _) | (_, Some(Err(fault))) => return Err((*fault).into()),
        };
        let old = old.next_if(|_| order != Ordering::Greater).transpose()?;
        let new = new.next_if(|_| order != Ordering::Less).transpose()?;
        let same = |old: &TreeEntry<'_>, new: &TreeEntry<'_>| (old.mode, old.id) == (new.mode, new.id);
        let Some(name) = old.or(new).map(|entry| entry.name) else { return Ok(()) };
        if old.zip(new).is_some_and(|(old, new)| same(&old, &new)) {
            continue;
        }
        // In git's order a folder never equals a file, so both sides are of one kind.
        if old.or(new).is_some_and(|entry| is_tree(entry.mode)) {
            let path = [path, name, b"/"].concat();
            cost.hold::<Folder>(&path)?;
            below.push(Folder { path, old: old.map(|entry| entry.id), new: new.map(|entry| entry.id) });
        } else {
            let path = [path, name].concat();
            cost.hold::<Change>(&path)?;
            let side = |entry: TreeEntry<'_>| Entry { mode: entry.mode, id: entry.id };
            changes.push(Change { path, old: old.map(side), new: new.map(side) });
        }
    }
}
