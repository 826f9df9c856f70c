//! What no recording has: objects, names and files out of the recorded repository, and a forge's plain consent to a review.

use assay_kit::{RecordedBody, Recording, Response};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{arguments::parts, git::Git, mend::sides, ports::Request, table::Group};

/// Entries on a page of a tree's listing.
const PER_PAGE: usize = 1000;

pub(crate) fn answer(git: &Git, group: &Group, recording: &Recording, request: &Request<'_>) -> Option<Response> {
    let [b"repos", _, _, rest @ ..] = request.path else { return None };
    let texts: Vec<String> = rest.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let reference = request.query.iter().find(|(name, _)| *name == "ref").map_or("main", |(_, value)| value);
    Some(match (request.method, &texts[..]) {
        ("GET", ["branches", name]) => match git.resolve(&format!("refs/heads/{name}")) {
            Some(id) => Response::json(200, &json!({"name": name, "commit": {"id": id}})),
            None => missing(404),
        },
        ("GET", ["tags", _]) => missing(404),
        ("GET", ["git", "commits", id]) => match git.resolve(&format!("{id}^{{tree}}")) {
            Some(tree) => Response::json(200, &json!({"sha": id, "commit": {"tree": {"sha": tree}}})),
            None => missing(404),
        },
        ("GET", ["git", "blobs", id]) => match git.object(id) {
            Some(bytes) => {
                let (content, size) = (STANDARD.encode(&bytes), bytes.len());
                Response::json(200, &json!({"content": content, "encoding": "base64", "sha": id, "size": size}))
            }
            None => missing(400),
        },
        ("GET", ["git", "trees", id]) => tree(git, id, request.query)?,
        ("GET", ["git", "refs", "pull", number, "head"]) => {
            let object = json!({"type": "commit", "sha": sides(number, git)?.1});
            Response::json(200, &json!([{"ref": format!("refs/pull/{number}/head"), "object": object}]))
        }
        ("GET", ["pulls", number]) => pull(git, number)?,
        ("GET", ["contents", ..]) => {
            let (there, _) = parts(&recording.target);
            let asks_for_part = there.get(3).is_some_and(|route| route == b"raw");
            if asks_for_part && there[4..] == rest[1..] {
                return Some(withheld(git, recording, &texts[1..].join("/")));
            }
            file(git, reference, &texts[1..].join("/"))
        }
        ("GET", ["raw", path @ ..]) => part(git, &format!("{reference}:{}", path.join("/")), request.range?)?,
        ("POST", ["pulls", _, "reviews"]) => {
            let sent: Value = serde_json::from_slice(request.body).ok()?;
            let (commit, text) = (&sent["commit_id"], &sent["body"]);
            Response::json(200, &json!({"id": 1, "state": "COMMENT", "commit_id": commit, "body": text}))
        }
        ("GET", ["pulls", _, "reviews", "1", "comments"]) => {
            let comments = group.call["comments"].as_array()?.iter();
            let row = |comment: &Value| json!({"path": comment["path"], "body": comment["body"], "position": comment["line"]});
            Response::json(200, &comments.map(row).collect())
        }
        _ => return None,
    })
}

fn missing(status: u16) -> Response {
    Response::error(status, "not there")
}

/// A pull request as recorded, with another's number and commits.
fn pull(git: &Git, number: &str) -> Option<Response> {
    let (base, head) = sides(number, git)?;
    let RecordedBody::Whole(first) = Recording::read("055-pr1").body else { return None };
    let mut pull: Value = serde_json::from_slice(&first).ok()?;
    pull["number"] = json!(number.parse::<u64>().ok()?);
    pull["head"]["sha"] = json!(head);
    pull["merge_base"] = json!(base);
    Some(Response::json(200, &pull))
}

/// A tree's listing.
fn tree(git: &Git, id: &str, query: &[(&str, &str)]) -> Option<Response> {
    let entries = git.entries(id)?;
    let page = query.iter().find(|(name, _)| *name == "page").and_then(|(_, page)| page.parse().ok());
    let page: usize = page.unwrap_or(1);
    let rows = entries.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE).map(|(row, name)| {
        let [mode, kind, sha, size] = row.split_whitespace().collect::<Vec<_>>()[..] else {
            unreachable!("it has four")
        };
        let size = size.parse::<u64>().unwrap_or_default();
        json!({"path": String::from_utf8_lossy(name), "mode": mode, "type": kind, "sha": sha, "size": size})
    });
    let rows: Vec<Value> = rows.collect();
    let more = entries.len() > page * PER_PAGE;
    let listing = json!({"sha": id, "tree": rows, "truncated": more, "page": page, "total_count": entries.len()});
    Some(Response::json(200, &listing))
}

/// A file with its content.
fn file(git: &Git, reference: &str, path: &str) -> Response {
    let blob = git.resolve(&format!("{reference}:{path}"));
    match blob.and_then(|id| Some((git.object(&id)?, id))) {
        Some((bytes, id)) => contents(path, &id, bytes.len(), &STANDARD.encode(bytes)),
        None => missing(404),
    }
}

/// A file of which the forge says all but the content, so that its bytes are asked for.
fn withheld(git: &Git, recording: &Recording, path: &str) -> Response {
    let tag = recording.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("etag"));
    let tag = tag.map(|(_, value)| value.trim_matches('"').to_owned());
    let blob = tag.or_else(|| git.resolve("main:README.md")).expect("it is there");
    // An empty file's content is not withheld: this one was not empty a moment ago.
    let size = git.object(&blob).map_or(1, |bytes| bytes.len()).max(1);
    contents(path, &blob, size, "")
}

fn contents(path: &str, blob: &str, size: usize, content: &str) -> Response {
    let name = path.rsplit('/').next();
    let file = json!({"name": name, "path": path, "sha": blob, "type": "file", "size": size, "encoding": "base64",
        "content": content});
    Response::json(200, &file)
}

/// A part of a file.
fn part(git: &Git, revision: &str, (first, last): (u64, u64)) -> Option<Response> {
    let blob = git.resolve(revision)?;
    let bytes = git.object(&blob)?;
    let window = bytes.get(usize::try_from(first).ok()?..=usize::try_from(last).ok()?)?;
    let range = format!("bytes {first}-{last}/{}", bytes.len());
    Some(Response::new(206, window).header("Content-Range", range).header("ETag", format!("\"{blob}\"")))
}
