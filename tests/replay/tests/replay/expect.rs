//! Whether what the tool says is what the forge said.

use std::collections::BTreeSet;

use assay_kit::Recording;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    mend::Mended,
    table::{Group, Table},
};

/// An answer's text, or a refusal's code and message.
type Called = Result<String, (String, String)>;

pub(crate) fn judge(
    table: &Table,
    group: &Group,
    recording: &Recording,
    body: &Mended,
    called: &Called,
    told: &mut BTreeSet<String>,
) -> Result<(), String> {
    let text = match (called, &group.refused) {
        (Ok(text), None) => text,
        (Err((code, message)), Some(expected)) => return refused(code, message, expected, body),
        (Ok(_), Some(expected)) => return Err(format!("{expected} was expected")),
        (Err((code, _)), None) => return Err(format!("an answer was expected, it refused with {code}")),
    };
    let Mended::Whole(bytes) = body else { return Err("half an answer was taken for one".to_owned()) };
    let answer: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    for (at, value) in &group.answer {
        same(at, &found(&answer, at), std::slice::from_ref(value))?;
    }
    let recorded: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let compared = group.compared.as_ref().unwrap_or(&group.tool);
    let members = table.members.get(compared).into_iter().flatten();
    for (at, there) in members.clone() {
        let have = found(&answer, at);
        same(at, &have, &found(&recorded, there))?;
        if have.iter().any(|value| !value.is_null()) {
            told.insert(format!("{compared} {at}"));
        }
    }
    match group.tool.as_str() {
        "get_file" => file(&answer, &recorded, bytes, recording),
        "get_pull_request_diff" if recording.target.contains(".diff") => diff(&answer, bytes),
        _ if members.count() + group.answer.len() == 0 => Err("the table compares nothing".to_owned()),
        _ => Ok(()),
    }
}

/// The right code, and nothing of what the forge said (D-077).
fn refused(code: &str, message: &str, expected: &str, body: &Mended) -> Result<(), String> {
    if code != expected {
        return Err(format!("{expected} was expected"));
    }
    let (Mended::Whole(bytes) | Mended::BrokenOff(bytes)) = body;
    let said: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let said = said["message"].as_str().filter(|said| said.len() > 12);
    if said.is_some_and(|said| message.contains(said)) {
        Err("the refusal has the forge's words".to_owned())
    } else {
        Ok(())
    }
}

/// The file's own bytes: all of them, or a window of them.
fn file(answer: &Value, recorded: &Value, raw: &[u8], recording: &Recording) -> Result<(), String> {
    if recorded.get("content").is_some() {
        for name in ["/sha", "/size"] {
            same(name, &found(answer, name), &found(recorded, name))?;
        }
    }
    let bytes = match recorded.get("content").and_then(Value::as_str) {
        // Withheld: its bytes were asked for elsewhere.
        Some("") if answer["size"] != 0 => return Ok(()),
        Some(content) if !recording.target.contains("/raw/") => STANDARD.decode(content).map_err(|e| e.to_string())?,
        _ if recording.target.contains("/raw/") => raw.to_vec(),
        // What a ref means was recorded, not the file.
        _ => return if answer["sha"].is_string() { Ok(()) } else { Err("it shows no file".to_owned()) },
    };
    let shown = match answer.get("data").and_then(Value::as_str) {
        Some(data) => STANDARD.decode(data).map_err(|error| error.to_string())?,
        None => answer["text"].as_str().unwrap_or_default().as_bytes().to_vec(),
    };
    let whole = shown.len() as u64 == answer["size"].as_u64().unwrap_or_default();
    let holds = if whole { shown == bytes } else { !shown.is_empty() && bytes.starts_with(&shown) };
    if holds { Ok(()) } else { Err("the bytes are not those of the file".to_owned()) }
}

/// A window of the very diff, and a receipt of all of it.
fn diff(answer: &Value, bytes: &[u8]) -> Result<(), String> {
    let window = STANDARD.decode(answer["data"].as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    if !bytes.starts_with(&window) || (window.is_empty() && !bytes.is_empty()) {
        return Err("the window is none of the recorded diff".to_owned());
    }
    let sha256: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let receipt = answer["manifest"].to_string();
    if !receipt.contains(&sha256) || !receipt.contains(&format!(":{}", bytes.len())) {
        return Err(format!("the receipt is not of {} bytes with {sha256}", bytes.len()));
    }
    same("/eof", &found(answer, "/eof"), &[Value::from(window.len() == bytes.len())])
}

fn same(at: &str, have: &[Value], expected: &[Value]) -> Result<(), String> {
    if have == expected { Ok(()) } else { Err(format!("{at} is {have:?}, expected {expected:?}")) }
}

/// What stands there; `*` is every element. What is missing is null, as the tools show it.
fn found(value: &Value, at: &str) -> Vec<Value> {
    let Some((before, behind)) = at.split_once("/*") else {
        return vec![value.pointer(at).cloned().unwrap_or_default()];
    };
    let elements = value.pointer(before).and_then(Value::as_array).into_iter().flatten();
    elements.flat_map(|element| found(element, behind)).collect()
}
