//! The answer: where the directory stands, and as many of its entries as fit.

use assay_envelope::Refusal;
use assay_forge::{
    cursor::{Fault, Over, PlaceCursor},
    file::quoted,
    object::{TreeEntry, entries},
};
use assay_origin::refuse;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Request,
    walk::{Directory, Found},
};
use crate::paging::fit_rows;

#[derive(Serialize)]
struct Page<'a> {
    path: &'a str,
    requested_ref: Option<&'a str>,
    ref_resolved: String,
    tree_sha: String,
    tree_verified: bool,
    entries: &'a [&'a RawValue],
    returned: usize,
    total: u64,
    has_more: bool,
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    #[serde(rename = "type")]
    kind: &'static str,
    mode: String,
    sha: String,
    size: Option<u64>,
}

pub(super) fn render(request: &Request, found: &Found, room: usize) -> Result<String, Refusal> {
    let total = found.tree.count()?;
    // A sound cursor binds the very tree that was read, and so its count.
    if request.paging.cursor.as_ref().is_some_and(|cursor| cursor.size() != total) {
        return Err(refuse(Fault::Offset));
    }
    let page = |rows: &[String]| {
        let entries: Vec<&RawValue> =
            rows.iter().map(|row| serde_json::from_str(row).expect("it was written as JSON")).collect();
        let next = found.offset + entries.len() as u64;
        let has_more = next < total;
        let page = Page {
            path: request.at.path.as_ref().map_or("", |path| path.as_str()),
            requested_ref: request.requested_ref(),
            ref_resolved: found.commit.to_string(),
            tree_sha: found.tree.object.id().to_string(),
            tree_verified: found.is_proven,
            entries: &entries,
            returned: entries.len(),
            total,
            has_more,
            next_cursor: has_more.then(|| continue_at(request, found, total, next)),
        };
        serde_json::to_string(&page).expect("strings and numbers")
    };
    let rows = found.tree.rows(found).map(|row| serde_json::to_string(&row).expect("strings and numbers"));
    fit_rows(rows, room, page).ok_or_else(|| request.paging.too_small("one entry of the directory"))
}

fn continue_at(request: &Request, found: &Found, total: u64, offset: u64) -> String {
    let mut place = request.at.place();
    place.reference = request.requested_ref();
    let ids = (found.commit, found.tree.object.id());
    PlaceCursor::new(Over::Directory, &place, found.path.as_ref(), ids, found.is_proven, total, offset).encode()
}

impl Directory {
    /// How many entries it has; every one of them was looked at.
    fn count(&self) -> Result<u64, Refusal> {
        let entries = entries(&self.object).and_then(|mut entries| entries.try_fold(0, |count, entry| entry.map(|_| count + 1)));
        entries.map_err(|fault| refuse(assay_forge::file::Fault::Tree(fault)))
    }

    fn rows<'a>(&'a self, found: &'a Found) -> impl Iterator<Item = Row> + 'a {
        let entries = entries(&self.object).into_iter().flatten().map_while(Result::ok);
        let skip = usize::try_from(found.offset).unwrap_or(usize::MAX);
        entries.enumerate().skip(skip).map(move |(at, entry)| self.row(found, at, &entry))
    }

    fn row(&self, found: &Found, at: usize, entry: &TreeEntry<'_>) -> Row {
        let path = match &found.path {
            Some(directory) => [directory.as_bytes(), b"/", entry.name].concat(),
            None => entry.name.to_vec(),
        };
        let kind = match entry.mode {
            0o040_000 => "directory",
            0o100_755 => "executable",
            0o120_000 => "symlink",
            0o160_000 => "submodule",
            _ => "file",
        };
        // Forges say 0 of what has no size.
        let has_size = !matches!(kind, "directory" | "submodule");
        let size = self.sizes.get(at).copied().flatten().filter(|_| has_size);
        Row { path: quoted(&path), kind, mode: format!("{:06o}", entry.mode), sha: entry.id.to_string(), size }
    }
}
