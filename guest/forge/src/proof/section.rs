//! What one section claims, held against the trees (O-007): its paths, modes and ids, and which sides it tells.

use super::{
    Contradiction, ObjectSource, Stopped,
    changes::{Change, Changes, Entry},
    side::Flaw,
};
use crate::{
    diff::{Body, Mode, SectionHeader, Status},
    object::is_empty,
};

/// Both sides of a section as the trees have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The old side: of a rename or copy, its source; nothing for a file that is added.
    pub old: Option<Entry>,
    /// The new side; nothing for a file that is deleted.
    pub new: Option<Entry>,
}

/// Sides of changed paths that a section tells, by their place among the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
}

/// Which sides of the changed paths were told.
#[derive(Debug)]
pub(super) struct Told {
    /// The old one, the new one.
    sides: Vec<(bool, bool)>,
    /// The path whose old side the last section deleted and whose new side can come now alone.
    due: Option<usize>,
}

/// Finds what the section is about, and holds what its header says against it.
pub(super) fn judge(
    header: &SectionHeader,
    changes: &mut Changes,
    source: &mut impl ObjectSource,
) -> Result<(Claims, Sides), Flaw> {
    let (old_path, new_path) = header.paths.as_ref().ok_or(Stopped::NameTooLong)?;
    let change = |changes: &Changes, path: &[u8]| {
        let at = changes.find(path).ok_or(Contradiction::UnchangedPath)?;
        changes.as_slice().get(at).map(|change| (at, change.old, change.new)).ok_or(Contradiction::UnchangedPath)
    };
    let status = Contradiction::Status;
    let (claims, sides) = match header.status {
        Status::Modified => {
            let (at, old, new) = change(changes, new_path)?;
            old.zip(new).filter(|(old, new)| old.is_like(*new)).ok_or(status)?;
            (Claims { old: Some(at), new: Some(at) }, Sides { old, new })
        }
        Status::Added => {
            let (at, _, new) = change(changes, new_path)?;
            (Claims { old: None, new: Some(at) }, Sides { old: None, new: Some(new.ok_or(status)?) })
        }
        Status::Deleted => {
            let (at, old, new) = change(changes, old_path)?;
            let old = old.ok_or(status)?;
            if new.is_some_and(|new| old.is_like(new)) {
                return Err(status.into());
            }
            (Claims { old: Some(at), new: None }, Sides { old: Some(old), new: None })
        }
        Status::Renamed => {
            let (from, old, _) = change(changes, old_path)?;
            let (to, _, new) = change(changes, new_path)?;
            let (old, new) = (old.ok_or(Contradiction::Source)?, new.ok_or(status)?);
            if from == to || !old.is_like(new) {
                return Err(status.into());
            }
            (Claims { old: Some(from), new: Some(to) }, Sides { old: Some(old), new: Some(new) })
        }
        Status::Copied => {
            let (to, _, new) = change(changes, new_path)?;
            let new = new.ok_or(status)?;
            let old = changes.in_base(source, old_path)?.ok_or(Contradiction::Source)?;
            if !old.is_like(new) {
                return Err(status.into());
            }
            (Claims { old: None, new: Some(to) }, Sides { old: Some(old), new: Some(new) })
        }
    };
    modes(header, sides)?;
    ids(header, sides)?;
    Ok((claims, sides))
}

/// O-008a: the modes that the header states are the trees'. One that states none states that they are equal.
fn modes(header: &SectionHeader, sides: Sides) -> Result<(), Contradiction> {
    let [old, new] = [sides.old, sides.new].map(|side| side.map(|entry| entry.mode));
    let [said_old, said_new] = [header.old_mode, header.new_mode].map(|mode| mode.map(Mode::bits));
    let unsaid = said_old.is_none() && said_new.is_none();
    if (unsaid && old == new) || (said_old == old && said_new == new) { Ok(()) } else { Err(Contradiction::Mode) }
}

/// O-008a: the ids are the beginnings of the two blobs', and there are none exactly where the two are one. A body shows
/// how two contents differ, so equal ones have none.
fn ids(header: &SectionHeader, sides: Sides) -> Result<(), Contradiction> {
    let same = sides.old.zip(sides.new).is_some_and(|(old, new)| old.id == new.id);
    let Some((old, new)) = header.ids.as_ref().filter(|_| !same) else {
        let silent = header.ids.is_none() && header.body == Body::None;
        return if same && silent { Ok(()) } else { Err(Contradiction::Ids) };
    };
    let digits = sides.old.or(sides.new).map_or(0, |entry| entry.id.to_string().len());
    // Git does not abbreviate the ids of what it writes as a binary patch.
    let long_enough = |said: &[u8]| said.len() == digits || (said.len() < digits && header.body != Body::Binary);
    let begins = |said: &[u8], side: Option<Entry>| match side {
        Some(entry) => long_enough(said) && entry.id.to_string().as_bytes().starts_with(said),
        None => long_enough(said) && said.iter().all(|digit| *digit == b'0'),
    };
    if !begins(old, sides.old) || !begins(new, sides.new) {
        return Err(Contradiction::Ids);
    }
    let empty = |entry: Entry| !entry.is_submodule() && is_empty(entry.id);
    // Only an empty file is added or deleted without a body.
    let bodiless = sides.old.xor(sides.new).is_some_and(empty);
    if (header.body == Body::None) == bodiless { Ok(()) } else { Err(Contradiction::Body) }
}

/// O-008a: 100% is said exactly where two paths have one blob. Git itself can say it of contents that differ in the order
/// of their lines, so nothing is contradicted. A modified file has no index but where git was told to break pairs.
pub(super) fn explains_similarity(header: &SectionHeader, sides: Sides) -> bool {
    let same = sides.old.zip(sides.new).is_some_and(|(old, new)| old.id == new.id);
    match header.status {
        Status::Renamed | Status::Copied => (header.similarity == Some(100)) == same,
        Status::Added | Status::Deleted | Status::Modified => header.similarity.is_none(),
    }
}

impl Told {
    pub(super) fn new(changes: &Changes) -> Self {
        Self { sides: vec![(false, false); changes.as_slice().len()], due: None }
    }

    /// Whether a section may tell these sides here. What is there on both sides is told as one file that was modified; only
    /// one that gives way to another type is told as a deletion and, directly after it, an addition. Git could be told to
    /// break other pairs as well (`-B`); no forge does, and a row would call new or moved what was there and is there still.
    pub(super) fn check(&self, claims: Claims, changes: &Changes) -> Result<(), Contradiction> {
        let [old, new] = [claims.old, claims.new].map(|at| at.and_then(|at| changes.as_slice().get(at)));
        let told = |at: Option<usize>| at.and_then(|at| self.sides.get(at)).copied().unwrap_or_default();
        if told(claims.old).0 || told(claims.new).1 {
            return Err(Contradiction::Repeated);
        }
        if claims.old == claims.new {
            return Ok(());
        }
        if old.is_some_and(|change| change.new.is_some()) && new.is_some() {
            return Err(Contradiction::Status);
        }
        match new.and_then(|change| change.old.zip(change.new)) {
            Some((old, new)) if old.is_like(new) => Err(Contradiction::Status),
            Some(_) if claims.old.is_some() || claims.new != self.due => Err(Contradiction::Missing),
            _ => Ok(()),
        }
    }

    /// A section that was checked is over, and has told these sides.
    pub(super) fn tell(&mut self, claims: Claims, changes: &Changes) {
        for (at, is_old) in claims.old.map(|at| (at, true)).into_iter().chain(claims.new.map(|at| (at, false))) {
            if let Some((old, new)) = self.sides.get_mut(at) {
                *(if is_old { old } else { new }) = true;
            }
        }
        let stays = |at: &usize| changes.as_slice().get(*at).is_some_and(|change| change.new.is_some());
        self.due = claims.old.filter(|at| claims.new.is_none() && stays(at));
    }

    /// The diff is over: every side was told.
    pub(super) fn end(&self, changes: &Changes) -> Result<(), Contradiction> {
        let told = |(change, (old, new)): (&Change, &(bool, bool))| {
            (change.old.is_none() || *old) && (change.new.is_none() || *new)
        };
        if changes.as_slice().iter().zip(&self.sides).all(told) { Ok(()) } else { Err(Contradiction::Missing) }
    }
}
