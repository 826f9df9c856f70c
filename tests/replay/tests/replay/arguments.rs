//! How a tool must be called so that it asks what was asked when it was recorded.

use assay_kit::Recording;
use serde_json::{Map, Value, json};

use crate::table::Group;

/// Below this every path of a tool lies.
pub(crate) const API: &str = "/api/v1";

/// The arguments that the recorded request tells, and those of the table.
pub(crate) fn of(group: &Group, recording: &Recording) -> Map<String, Value> {
    let (segments, query) = parts(&recording.target);
    let segments: Vec<String> = segments.iter().map(|name| shown(name)).collect();
    let names: Vec<&str> = segments.iter().map(String::as_str).collect();
    let mut arguments = Map::new();
    let mut set = |name: &str, value: Value| drop(arguments.insert(name.to_owned(), value));
    if let ["repos", owner, repo, rest @ ..] = &names[..]
        && !["list_repositories", "search_repositories"].contains(&&*group.tool)
    {
        set("owner", json!(owner));
        set("repo", json!(repo));
        match rest {
            ["pulls" | "issues", last, ..] | ["git", "refs", "pull", last, "head"] => {
                set("index", last.trim_end_matches(".diff").parse().map_or(json!(last), |number: u64| json!(number)));
            }
            ["contents" | "raw", path @ ..] => set("path", json!(path.join("/"))),
            ["branches" | "tags", name] | ["git", "commits", name] if group.tool != "list_branches" => {
                set("ref", json!(name));
            }
            _ => {}
        }
        if group.tool == "get_file" && !matches!(rest, ["contents" | "raw", ..]) {
            set("path", json!("README.md"));
        }
    }
    for (name, value) in &query {
        match name.as_str() {
            "ref" | "state" => set(name, json!(value)),
            "page" => set(name, json!(value.parse::<u64>().expect("a page is a number"))),
            _ => {}
        }
    }
    if let Ok(Value::Object(sent)) = serde_json::from_slice(&recording.sent_body) {
        for (name, value) in sent {
            let name = match name.as_str() {
                "Do" => "style",
                "content" => "content_base64",
                other => other,
            };
            set(name, value);
        }
    }
    for (name, value) in &group.call {
        match value {
            Value::Null => drop(arguments.remove(name)),
            value => drop(arguments.insert(name.clone(), value.clone())),
        }
    }
    arguments
}

/// Path segments below the API root, and the query's pairs, decoded.
pub(crate) fn parts(target: &str) -> (Vec<Vec<u8>>, Vec<(String, String)>) {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_prefix(API).unwrap_or(path);
    let segments = path.trim_start_matches('/').split('/').map(decoded).collect();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let text = |part: &str| String::from_utf8(decoded(part)).expect("a query is text");
    (segments, pairs.map(|(name, value)| (text(name), text(value))).collect())
}

/// As a caller spells it: what is no UTF-8, as git quotes it.
fn shown(name: &[u8]) -> String {
    String::from_utf8(name.to_vec()).unwrap_or_else(|_| {
        let quoted = name.iter().map(|byte| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            byte => format!("\\{byte:03o}"),
        });
        format!("\"{}\"", quoted.collect::<String>())
    })
}

fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let hex: Vec<u8> = bytes.by_ref().take(2).collect();
            let hex = std::str::from_utf8(&hex).expect("two digits");
            out.push(u8::from_str_radix(hex, 16).expect("two hexadecimal digits"));
        } else {
            out.push(byte);
        }
    }
    out
}
