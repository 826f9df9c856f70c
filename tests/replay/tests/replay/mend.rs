//! Bodies whose middle the recorder cut.

use assay_kit::{
    RecordedBody, Recording,
    recorded_repo::{BASE, BRANCHES},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::{arguments::parts, git::Git, table::Table};

/// Bytes on either side of a cut that must stand on either side of the middle as well.
const SIDE: usize = 48;

/// The whole body; of one whose middle is not known, the start alone.
pub(crate) enum Mended {
    Whole(Vec<u8>),
    BrokenOff(Vec<u8>),
}

/// The body of a recording, mended by what the table names or by git.
pub(crate) fn body(table: &Table, recording: &Recording, git: &Git) -> Mended {
    let RecordedBody::Cut(start, left_out, end) = &recording.body else {
        let RecordedBody::Whole(whole) = &recording.body else { unreachable!("it is one of two") };
        return Mended::Whole(whole.clone());
    };
    let whole = match table.mended.get(&recording.name).map(Vec::as_slice) {
        Some([one]) => filled(start, *left_out, end, &whole(table, one, git)),
        Some(several) => Some(list(several.iter().map(|name| whole(table, name, git)))),
        None => by_diff(recording, git)
            .or_else(|| {
                let object = git.object(&object(recording)?)?;
                filled(start, *left_out, end, STANDARD.encode(object).as_bytes())
            })
            .or_else(|| tree(recording, git))
            .or_else(|| file_on_branch(start, end, git)),
    };
    match whole {
        Some(whole) => {
            assert!(recording.body.agrees_with(&whole), "{}: what it is mended by is not it", recording.name);
            Mended::Whole(whole)
        }
        None => {
            assert!(!table.mended.contains_key(&recording.name), "{}: it cannot be mended so", recording.name);
            Mended::BrokenOff(start.clone())
        }
    }
}

/// A body that must be known whole.
pub(crate) fn whole(table: &Table, name: &str, git: &Git) -> Vec<u8> {
    match body(table, &Recording::read(name), git) {
        Mended::Whole(whole) => whole,
        Mended::BrokenOff(_) => panic!("{name} is not known whole"),
    }
}

/// With the middle of `other`, where it has both sides of the cut at that distance.
fn filled(start: &[u8], left_out: usize, end: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let before = &start[start.len().saturating_sub(SIDE)..];
    let behind = &end[..end.len().min(SIDE)];
    let at = other.windows(before.len() + left_out + behind.len());
    let found = at.into_iter().find(|window| window.starts_with(before) && window.ends_with(behind))?;
    Some([start, &found[before.len()..before.len() + left_out], end].concat())
}

/// The list whose elements are these bodies.
fn list(elements: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let elements: Vec<Vec<u8>> = elements.map(|element| element.trim_ascii_end().to_vec()).collect();
    [&b"["[..], &elements.join(&b","[..]), b"]\n"].concat()
}

/// What the recording shows the content of, as git names it.
fn object(recording: &Recording) -> Option<String> {
    let (segments, query) = parts(&recording.target);
    let names: Vec<&str> = segments.iter().map(|name| std::str::from_utf8(name)).collect::<Result<_, _>>().ok()?;
    match &names[..] {
        ["repos", _, _, "git", "blobs", id] => Some((*id).to_owned()),
        ["repos", _, _, "contents", path @ ..] => Some(format!("{}:{}", query.first()?.1, path.join("/"))),
        _ => None,
    }
}

/// A pull request's diff as git makes it; of one that the forge could not finish, the middle is the same.
fn by_diff(recording: &Recording, git: &Git) -> Option<Vec<u8>> {
    let (path, query) = recording.target.split_once('?').unwrap_or((&recording.target, ""));
    let number = path.rsplit('/').next()?.strip_suffix(".diff")?;
    let (base, head) = sides(number, git)?;
    let binary = ["binary=true", "binary=1"].iter().any(|word| query.contains(word));
    let diff = git.diff(&base, &head, binary)?;
    match &recording.body {
        body if body.agrees_with(&diff) => Some(diff),
        RecordedBody::Cut(start, left_out, end) => filled(start, *left_out, end, &diff),
        RecordedBody::Whole(_) => None,
    }
}

/// A tree's listing as the forge writes it.
fn tree(recording: &Recording, git: &Git) -> Option<Vec<u8>> {
    let (api, id) = recording.target.split_once("/git/trees/")?;
    let commit = git.resolve(id)?;
    let api = format!("http://127.0.0.1:3911{api}/git");
    let rows = git.entries(&commit)?.into_iter().map(|(row, name)| {
        let [mode, kind, id, size] = row.split_whitespace().collect::<Vec<_>>()[..] else {
            unreachable!("it has four")
        };
        let name = Value::from(String::from_utf8_lossy(&name)).to_string();
        let name = name.replace('&', "\\u0026").replace('\u{fffd}', "\\ufffd");
        let size = if size == "-" { "0" } else { size };
        let url = match kind {
            "commit" => String::new(),
            _ => format!("{api}/{kind}s/{id}"),
        };
        format!(r#"{{"path":{name},"mode":"{mode}","type":"{kind}","size":{size},"sha":"{id}","url":"{url}"}}"#)
    });
    let rows: Vec<String> = rows.collect();
    let (count, rows) = (rows.len(), rows.join(","));
    let listing = format!(
        r#"{{"sha":"{commit}","url":"{api}/trees/{commit}","tree":[{rows}],"truncated":false,"page":1,"total_count":{count}}}"#
    );
    let listing = format!("{listing}\n").into_bytes();
    recording.body.agrees_with(&listing).then_some(listing)
}

/// A file on a branch: what follows its type says what stands before it once more.
fn file_on_branch(start: &[u8], end: &[u8], git: &Git) -> Option<Vec<u8>> {
    let (start, end) = (std::str::from_utf8(start).ok()?, std::str::from_utf8(end).ok()?);
    let known = &start[..start.find(r#""type":"file""#)?];
    let (_, sha) = known.split_once(r#""sha":""#)?;
    let sha = sha.get(..40)?;
    let (_, place) = end.rsplit_once("/src/")?;
    let place = place.strip_suffix("\"}}\n")?;
    let (_, name) = place.strip_prefix("branch/")?.split_once('/')?;
    let branch = place.strip_prefix("branch/")?.strip_suffix(name)?.trim_end_matches('/');
    let bytes = git.object(sha)?;
    let (size, content) = (bytes.len(), STANDARD.encode(bytes));
    let base = "http://127.0.0.1:3911";
    let (web, api) = (format!("{base}/alice/proj"), format!("{base}/api/v1/repos/alice/proj"));
    let (own, blob) = (format!("{api}/contents/{name}?ref={branch}"), format!("{api}/git/blobs/{sha}"));
    let rest = format!(
        r#""type":"file","size":{size},"encoding":"base64","content":"{content}","target":null,"url":"{own}","html_url":"{web}/src/{place}","git_url":"{blob}","download_url":"{web}/raw/{place}","submodule_git_url":null,"_links":{{"self":"{own}","git":"{blob}","html":"{web}/src/{place}"}}}}"#
    );
    Some(format!("{known}{rest}\n").into_bytes())
}

/// The two commits of a pull request: as recorded, or, where its answer was not, those of its branch.
pub(crate) fn sides(number: &str, git: &Git) -> Option<(String, String)> {
    let names = Recording::names().into_iter();
    let recordings = names
        .map(|name| Recording::read(&name))
        .filter(|recording| recording.status() < 300 && recording.target.starts_with("/api/v1/repos/alice/proj/pulls"));
    let mut pulls = recordings.filter_map(|recording| match recording.body {
        RecordedBody::Whole(body) => serde_json::from_slice::<Value>(&body).ok(),
        RecordedBody::Cut(..) => None,
    });
    let text = |pull: &Value, at: &str| pull.pointer(at).and_then(Value::as_str).map(str::to_owned);
    let index: u64 = number.parse().ok()?;
    if let Some(pull) = pulls.find(|pull| pull["number"] == index) {
        return Some((text(&pull, "/merge_base")?, text(&pull, "/head/sha")?));
    }
    let branch = BRANCHES.get(usize::try_from(index).ok()?.checked_sub(1)?)?;
    Some((BASE.to_owned(), git.resolve(branch)?))
}
