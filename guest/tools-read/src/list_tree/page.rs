//! The answer: where the directory stands, and as many of its entries as fit.

use assay_envelope::Refusal;
use assay_forge::{
    cursor::{Fault, Over, PlaceCursor},
    file::{TreePath, quoted},
    object::{TreeEntry, entries},
};
use assay_origin::refuse;
use assay_policy::ApiPath;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    Request,
    walk::{Directory, Found},
};
use crate::{paging::fit_rows, places::ask::segments};

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
    /// Stands only where it is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    readable: Option<bool>,
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
        Row {
            readable: (!can_be_asked_for(&path, kind)).then_some(false),
            path: quoted(&path),
            kind,
            mode: format!("{:06o}", entry.mode),
            sha: entry.id.to_string(),
            size,
        }
    }
}

/// Whether the tool that reads such an entry takes its path: no argument has a control character or more than 4,096 bytes, and
/// no route of a file a name that becomes a slash or a dot segment where a proxy decodes it again. A directory is reached by
/// its object id, and what is neither is read by no tool.
fn can_be_asked_for(path: &[u8], kind: &str) -> bool {
    let spelled = || {
        TreePath::new(quoted(path)).is_ok_and(|spelled| spelled.names().iter().any(|name| name.as_bytes() == path))
    };
    match kind {
        "directory" => spelled(),
        "file" | "executable" => spelled() && ApiPath::from_segments(&segments(path).collect::<Vec<_>>()).is_ok(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_tool_takes_is_known() {
        for (path, file, directory) in [
            (&b"d/a.txt"[..], true, true),
            (b"100%25", true, true),
            (b"50%", true, true),
            (b"caf\xe9", true, true),
            (b"a%2Fb", false, true),
            (b"a%2fb/c", false, true),
            (b"a%252Fb", false, true),
            (b"%2e%2E", false, true),
            (b"a%00", false, true),
            (b"a\nb", false, false),
            (b"\x7f", false, false),
            (&[b'x'; 4_097], false, false),
        ] {
            let shown = path.escape_ascii();
            assert_eq!(can_be_asked_for(path, "file"), file, "{shown}");
            assert_eq!(can_be_asked_for(path, "executable"), file, "{shown}");
            assert_eq!(can_be_asked_for(path, "directory"), directory, "{shown}");
            assert!(can_be_asked_for(path, "symlink") && can_be_asked_for(path, "submodule"), "{shown}");
        }
    }
}
