//! Whether an answer of ours agrees with a recorded one.

use std::collections::BTreeSet;

use assay_kit::recording::{RecordedBody, Recording};
use assay_local_forge::LocalForge;
use serde_json::Value;

use crate::ground::Reply;

/// Where the recorded forge was.
const RECORDED_BASE: &str = "http://127.0.0.1:3911";
/// Members that this forge has beyond the recorded release; see `shapes`.
const NEWER: [&str; 1] = ["object_format_name"];
/// Whether what was answered follows from the repository alone, so that it must be the same to the byte.
fn is_exact(recording: &Recording) -> bool {
    let exact = ["/git/blobs/", "/git/trees/", "/git/commits/", "/contents", "/raw/", "/media/", "/files", "/commits"];
    let reads = recording.method != "POST" && recording.method != "PUT";
    reads && !recording.status_line.contains(" 500 ") && exact.iter().any(|part| recording.target.contains(part))
}

/// Fails unless `reply` agrees: status, headers and framing always; errors and what follows from the repository to
/// the byte; any other JSON in its shape. `renamed` are ids that are others here.
pub(crate) fn compare(recording: &Recording, reply: &Reply, forge: &LocalForge, renamed: &[(&str, String)]) {
    let name = &recording.name;
    assert_eq!(reply.status_line, recording.status_line, "{name}");
    let ours = |text: &str| renamed.iter().fold(text.to_owned(), |text, (old, new)| text.replace(old, new));
    let recorded: Vec<_> = recording.headers.iter().map(|(name, value)| (name.clone(), ours(value))).collect();
    let answered: Vec<_> =
        reply.headers.iter().map(|(name, value)| (name.clone(), value.replace(&forge.url(), RECORDED_BASE))).collect();
    assert_eq!(comparable(&answered), comparable(&recorded), "{name}");
    let body = replace(&reply.body, forge.url().as_bytes(), RECORDED_BASE.as_bytes());
    let renaming = |bytes: &[u8]| {
        renamed.iter().fold(bytes.to_vec(), |bytes, (old, new)| replace(&bytes, old.as_bytes(), new.as_bytes()))
    };
    let kind = reply.header("Content-Type").unwrap_or_default();
    let is_text = !kind.starts_with("application/json") && !kind.starts_with("text/html");
    let is_error = reply.status >= 300 && !(reply.status == 500 && kind.starts_with("text/html"));
    match &recording.body {
        RecordedBody::Whole(recorded) if is_exact(recording) || is_error || (is_text && recording.method == "GET") => {
            assert_same(&body, &renaming(recorded), name);
        }
        RecordedBody::Whole(recorded) => {
            if let Ok(recorded) = serde_json::from_slice::<Value>(recorded) {
                assert_eq!(shape(&reply.json()), shape(&recorded), "{name}");
                assert_eq!(reply.body.last(), Some(&b'\n'), "{name}");
            }
        }
        RecordedBody::Cut(start, left_out, end) if is_exact(recording) || is_text => {
            assert_eq!(body.len(), start.len() + left_out + end.len(), "{name}");
            assert_same(&body[..start.len()], &renaming(start), name);
            assert_same(&body[body.len() - end.len()..], &renaming(end), name);
        }
        // Half an object has no shape; that it is one at all is all that can be said.
        RecordedBody::Cut(..) => drop(reply.json()),
    }
}

fn assert_same(ours: &[u8], recorded: &[u8], name: &str) {
    let Some(at) = ours.iter().zip(recorded).position(|(a, b)| a != b).or((ours.len() != recorded.len()).then_some(0))
    else {
        return;
    };
    let around = |bytes: &[u8]| {
        let start = at.saturating_sub(200);
        String::from_utf8_lossy(&bytes[start..bytes.len().min(start + 600)]).into_owned()
    };
    panic!("{name}, from byte {at} on:\n{}\nis not what was recorded:\n{}", around(ours), around(recorded));
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let start = bytes.windows(at.len()).position(|window| window == at)?;
    Some((&bytes[..start], &bytes[start + at.len()..]))
}

fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut rest = bytes;
    let mut replaced = Vec::new();
    while let Some((before, after)) = split(rest, old) {
        replaced.extend_from_slice(before);
        replaced.extend_from_slice(new);
        rest = after;
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// Names and values, but for those that follow from what is served. `Allow` names what can be done, which is less here.
fn comparable(headers: &[(String, String)]) -> Vec<(String, String)> {
    let mut kept: Vec<_> = headers
        .iter()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("date"))
        .map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let follows = matches!(&*name, "content-length" | "x-total-count" | "allow");
            (name, if follows { String::new() } else { value.clone() })
        })
        .collect();
    kept.sort();
    kept.dedup();
    kept
}

/// Every member's path and type; elements of an array have one path.
fn shape(value: &Value) -> BTreeSet<(String, &'static str)> {
    fn walk(value: &Value, path: &str, into: &mut BTreeSet<(String, &'static str)>) {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(items) => {
                items.iter().for_each(|item| walk(item, &format!("{path}[]"), into));
                "array"
            }
            Value::Object(members) => {
                for (name, member) in members.iter().filter(|(name, _)| !NEWER.contains(&name.as_str())) {
                    walk(member, &format!("{path}.{name}"), into);
                }
                "object"
            }
        };
        into.insert((path.to_owned(), kind));
    }
    let mut members = BTreeSet::new();
    walk(value, "", &mut members);
    members
}
