//! A case of a tool as data: why it exists, the call, what the forge says, what must come of it.
//!
//! Reading is strict: an unknown member, a case without a reason or a folder that shows only one side is an error, as a
//! misspelled expectation would otherwise hold for ever. Running is [`crate::case_run`]'s.
//!
//! ```json
//! { "why": "…", "covers": ["D-005"], "call": { "owner": "o", "repo": "r", "index": 7 }, "room": 48000,
//!   "forge": [{ "get": "/repos/o/r/pulls/7.diff?binary=true&evidence=v1", "evidence": { "diff": "…", "index": 7 } }],
//!   "expect": { "answer": { "eof": true }, "requests": 1 },
//!   "then": [{ "call": { "owner": "o", "repo": "r", "index": 7, "cursor": "$next_cursor" }, "expect": { … } }] }
//! ```
//!
//! An answer to a write has `post`, `put`, `patch` or `delete` in the place of `get`, and may have `body`: the JSON value
//! that must have been sent. `"unanswered": true` in the place of an answer ends the connection before its head.
//!
//! `call` and `json` are taken as they are spelled, so `7.0`, numbers of any length and members given twice arrive.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    contract::is_id,
    evidence::Evidence,
    repository::ObjectFormat,
    response::{Framing, Response},
};

/// The bytes that an answer may take inside the response, where a case does not say.
pub const ROOM: u32 = 48_000;
/// In arguments: the `next_cursor` of the answer before.
pub const NEXT_CURSOR: &str = "$next_cursor";
/// In an expected answer: any string but the empty one.
pub const ANY_STRING: &str = "$string";

/// One case: a call and those that follow it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file it came from.
    pub path: PathBuf,
    /// The tool: the folder above `cases`.
    pub tool: String,
    /// What the case is about.
    pub why: String,
    /// The contract ids that it shows.
    pub covers: Vec<String>,
    /// How the operator has set what a case depends on.
    pub settings: CaseSettings,
    /// The calls in order, at least one.
    pub steps: Vec<CaseStep>,
}

/// Settings by the values of their variables; what is not given has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSettings {
    /// `GATEWAY_DIFF_SOURCE`.
    pub diff_source: Option<String>,
    /// `GATEWAY_DIFF_PROOF`.
    pub diff_proof: Option<String>,
    /// `GATEWAY_DIFF_ENCODING`.
    pub diff_encoding: Option<String>,
    /// `GATEWAY_PROOF_FILE_BYTES`.
    pub proof_file_bytes: Option<u64>,
    /// `GATEWAY_SPOOL_BYTES`.
    pub spool_bytes: Option<u64>,
}

/// One call of a case.
#[derive(Clone, Debug)]
pub struct CaseStep {
    /// The arguments as spelled, [`NEXT_CURSOR`] not yet filled in.
    pub arguments: String,
    /// The bytes that the answer may take inside a JSON string.
    pub room: u32,
    /// What the forge says.
    pub forge: Vec<ScriptedAnswer>,
    /// What must come of it.
    pub expect: Expectation,
    /// How many requests the forge must have seen.
    pub requests: Option<usize>,
}

/// An answer of the forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedAnswer {
    /// The method, in capitals.
    pub method: &'static str,
    /// Path and query below the API root, as on the wire.
    pub target: String,
    /// What must have been sent, where the case says it.
    pub body: Option<Value>,
    /// The response.
    pub response: Response,
    /// The connection breaks after so many bytes of the body.
    pub cut_after: Option<usize>,
    /// The connection ends before anything of the response.
    pub unanswered: bool,
}

/// What must come of a call.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// An answer with these members; of an object in it, too, only the members given are compared.
    Answer {
        /// The members and values.
        has: Map<String, Value>,
        /// Exactly these members, in any order, where given.
        members: Option<Vec<String>>,
    },
    /// A refusal.
    Refused {
        /// Its code is one of these.
        codes: Vec<String>,
        /// Its message has each of these.
        has: Vec<String>,
        /// Its message has none of these.
        lacks: Vec<String>,
    },
}

impl ScriptedAnswer {
    /// The whole answer to a read.
    #[must_use]
    pub fn get(target: &str, response: Response) -> Self {
        let target = target.to_owned();
        Self { method: "GET", target, body: None, response, cut_after: None, unanswered: false }
    }
}

impl Case {
    /// Every case of a tool's `cases` folder, in the order of their names.
    ///
    /// # Errors
    /// Where a file is no case, or the folder has no accepted or no refused one.
    pub fn load_dir(folder: &Path) -> Result<Vec<Self>> {
        let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let cases = paths.iter().map(|path| Self::load(path)).collect::<Result<Vec<_>>>()?;
        let steps = || cases.iter().flat_map(|case| &case.steps);
        let accepted = steps().any(|step| matches!(step.expect, Expectation::Answer { .. }));
        let refused = steps().any(|step| matches!(step.expect, Expectation::Refused { .. }));
        ensure!(accepted, "{} has no case that is accepted", folder.display());
        ensure!(refused, "{} has no case that is refused", folder.display());
        Ok(cases)
    }

    /// One case file, below `TOOL/cases/`.
    ///
    /// # Errors
    /// Where it is no case; the path is told.
    pub fn load(path: &Path) -> Result<Self> {
        let tool = path.parent().and_then(Path::parent).and_then(Path::file_name);
        let tool = tool.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
        Self::parse(path, tool, &text).with_context(|| format!("in {}", path.display()))
    }

    /// A case from its text.
    ///
    /// # Errors
    /// Where it is no case.
    pub fn parse(path: &Path, tool: String, text: &str) -> Result<Self> {
        let file: CaseFile = serde_json::from_str(text)?;
        ensure!(!file.why.trim().is_empty(), "`why` is empty");
        ensure!(!file.covers.is_empty(), "`covers` is empty");
        for id in &file.covers {
            ensure!(is_id(id), "`covers`: {id:?} is no id of the contract");
        }
        let mut forge = answers(file.forge)?;
        let mut steps = vec![step(&file.call, file.room, forge.clone(), file.expect)?];
        for (number, then) in (1..).zip(file.then) {
            if let Some(other) = then.forge {
                forge = answers(other).with_context(|| format!("then, call {number}"))?;
            }
            let next = step(&then.call, then.room, forge.clone(), then.expect);
            steps.push(next.with_context(|| format!("then, call {number}"))?);
        }
        let first = steps.first().is_some_and(|step| step.arguments.contains(NEXT_CURSOR));
        ensure!(!first, "the first call has no answer before it to take {NEXT_CURSOR} from");
        Ok(Self { path: path.to_owned(), tool, why: file.why, covers: file.covers, settings: file.settings, steps })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    why: String,
    covers: Vec<String>,
    #[serde(default)]
    settings: CaseSettings,
    call: Box<RawValue>,
    room: Option<u32>,
    forge: Vec<AnswerFile>,
    expect: ExpectFile,
    #[serde(default)]
    then: Vec<ThenFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThenFile {
    call: Box<RawValue>,
    room: Option<u32>,
    /// As before, where it is not given.
    forge: Option<Vec<AnswerFile>>,
    expect: ExpectFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerFile {
    get: Option<String>,
    post: Option<String>,
    put: Option<String>,
    patch: Option<String>,
    delete: Option<String>,
    body: Option<Value>,
    status: Option<u16>,
    /// Each name given replaces every field of that name; null takes it away, a name given twice stands twice.
    #[serde(default)]
    headers: Vec<(String, Option<String>)>,
    #[serde(default, deserialize_with = "present")]
    json: Option<Box<RawValue>>,
    text: Option<String>,
    base64: Option<String>,
    evidence: Option<EvidenceFile>,
    cut_after: Option<usize>,
    #[serde(default)]
    unanswered: bool,
}

impl AnswerFile {
    /// Takes the one request that it answers.
    fn request(&mut self) -> Result<(&'static str, String)> {
        let targets = [
            ("GET", self.get.take()),
            ("POST", self.post.take()),
            ("PUT", self.put.take()),
            ("PATCH", self.patch.take()),
            ("DELETE", self.delete.take()),
        ];
        let mut given = targets.into_iter().filter_map(|(method, target)| Some((method, target?)));
        let (Some((method, target)), None) = (given.next(), given.next()) else {
            bail!("an answer needs one of `get`, `post`, `put`, `patch`, `delete`");
        };
        ensure!(target.starts_with('/'), "a target starts with a slash: {target:?}");
        ensure!(method != "GET" || self.body.is_none(), "{target}: a GET has no `body`");
        Ok((method, target))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceFile {
    diff: Option<String>,
    diff_base64: Option<String>,
    index: u64,
    #[serde(default)]
    object_format: FormatFile,
    #[serde(default)]
    set: Map<String, Value>,
    #[serde(default)]
    remove: Vec<String>,
    #[serde(default)]
    replace: Vec<(String, String)>,
    #[serde(default)]
    append: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FormatFile {
    #[default]
    Sha1,
    Sha256,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectFile {
    answer: Option<Map<String, Value>>,
    members: Option<Vec<String>>,
    refused: Option<RefusedFile>,
    requests: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusedFile {
    code: Codes,
    #[serde(default)]
    has: Vec<String>,
    #[serde(default)]
    lacks: Vec<String>,
}

/// Several where the transport may notice first what the verifier would notice later.
#[derive(Deserialize)]
#[serde(untagged)]
enum Codes {
    One(String),
    AnyOf(Vec<String>),
}

fn step(call: &RawValue, room: Option<u32>, forge: Vec<ScriptedAnswer>, expect: ExpectFile) -> Result<CaseStep> {
    let requests = expect.requests;
    let expect = match (expect.answer, expect.refused) {
        (Some(has), None) => Expectation::Answer { has, members: expect.members },
        (None, Some(refused)) => {
            ensure!(expect.members.is_none(), "`members` belongs to an answer");
            let codes = match refused.code {
                Codes::One(code) => vec![code],
                Codes::AnyOf(codes) => codes,
            };
            ensure!(!codes.is_empty(), "`refused` has no code");
            Expectation::Refused { codes, has: refused.has, lacks: refused.lacks }
        }
        _ => bail!("`expect` needs either `answer` or `refused`"),
    };
    Ok(CaseStep { arguments: call.get().to_owned(), room: room.unwrap_or(ROOM), forge, expect, requests })
}

fn answers(files: Vec<AnswerFile>) -> Result<Vec<ScriptedAnswer>> {
    files.into_iter().map(scripted).collect()
}

fn scripted(mut file: AnswerFile) -> Result<ScriptedAnswer> {
    let (method, target) = file.request()?;
    let status = file.status.unwrap_or(200);
    let mut response = match (file.json, file.text, file.base64, file.evidence, file.unanswered) {
        (Some(json), None, None, None, false) => Response::json_text(status, json.get()),
        (None, Some(text), None, None, false) => Response::stock_diff(text),
        (None, None, Some(base64), None, false) => Response::stock_diff(STANDARD.decode(base64).context("`base64`")?),
        (None, None, None, Some(evidence), false) => entity(evidence)?.response(),
        (None, None, None, None, true) => Response::new(status, ""),
        _ => bail!("{target}: give exactly one of `json`, `text`, `base64`, `evidence`, `unanswered`"),
    };
    let reason = Response::new(status, "").reason;
    (response.status, response.reason) = (status, reason);
    response = with_headers(response, &file.headers);
    if let Some(at) = file.cut_after {
        ensure!(at <= response.body.len(), "`cut_after` is beyond the body's {} bytes", response.body.len());
    }
    let (body, cut_after, unanswered) = (file.body, file.cut_after, file.unanswered);
    Ok(ScriptedAnswer { method, target, body, response, cut_after, unanswered })
}

// Who names a framing field spells the framing out, and the connection ends behind what was said.
fn with_headers(mut response: Response, headers: &[(String, Option<String>)]) -> Response {
    let framing = ["content-length", "transfer-encoding"];
    if headers.iter().any(|(name, _)| framing.contains(&name.to_ascii_lowercase().as_str())) {
        response = response.framed(Framing::Length).spelled_out();
    }
    for (name, _) in headers {
        response = response.without(name);
    }
    for (name, value) in headers {
        if let Some(value) = value {
            response = response.header(name, value);
        }
    }
    response
}

fn entity(file: EvidenceFile) -> Result<Evidence> {
    let diff = match (file.diff, file.diff_base64) {
        (Some(text), None) => text.into_bytes(),
        (None, Some(base64)) => STANDARD.decode(base64).context("`diff_base64`")?,
        _ => bail!("`evidence` needs either `diff` or `diff_base64`"),
    };
    let format = match file.object_format {
        FormatFile::Sha1 => ObjectFormat::Sha1,
        FormatFile::Sha256 => ObjectFormat::Sha256,
    };
    let mut evidence = Evidence::new(diff, file.index, format);
    for (pointer, value) in file.set {
        evidence = evidence.set(&pointer, value);
    }
    for pointer in &file.remove {
        evidence = evidence.remove(pointer);
    }
    for (from, to) in &file.replace {
        evidence = evidence.raw_replace(from, to);
    }
    Ok(evidence.append(file.append))
}

// A member that says null is there; one that is left out is not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
        "why": "w", "covers": ["D-005"], "call": {"index": 7.0, "index": 7},
        "forge": [
            {"get": "/a", "evidence": {"diff": "d", "index": 7, "set": {"/manifest/repository/id": 5},
                "replace": [["\"schema\"", "\"SCHEMA\""]]}},
            {"get": "/b", "status": 404, "json": null},
            {"get": "/c", "text": "diff", "headers": [["content-length", "5"], ["Content-Type", null]], "cut_after": 2},
            {"post": "/d", "body": {"n": 7}, "status": 201, "json": {}},
            {"delete": "/d", "unanswered": true}
        ],
        "expect": {"answer": {"eof": true}, "requests": 1},
        "then": [{"call": {"cursor": "$next_cursor"}, "expect": {"refused": {"code": "x"}}}]
    }"#;

    fn parse(text: &str) -> Result<Case> {
        Case::parse(Path::new("t/cases/x.json"), "t".into(), text)
    }

    #[test]
    fn a_case_is_read_as_it_is_spelled() {
        let case = parse(GOOD).expect("a right case");
        let [first, second] = &case.steps[..] else { panic!("two calls") };
        assert_eq!(first.arguments, r#"{"index": 7.0, "index": 7}"#);
        assert_eq!((first.room, first.requests, second.requests), (ROOM, Some(1), None));
        assert_eq!(first.forge, second.forge);
        let [evidence, null, text, created, silent] = &first.forge[..] else { panic!("five answers") };
        let body = String::from_utf8_lossy(&evidence.response.body);
        assert!(body.starts_with("{\"SCHEMA\"") && body.contains("\"repository\":{\"id\":5,"), "{body}");
        assert_eq!((null.response.status, &null.response.body[..]), (404, &b"null"[..]));
        let sent = String::from_utf8(text.response.bytes()).expect("ASCII");
        assert!(sent.ends_with("content-length: 5\r\n\r\ndiff") && !sent.contains("Content-Type"), "{sent}");
        assert_eq!(text.cut_after, Some(2));
        assert_eq!((evidence.method, &evidence.target[..], evidence.body.is_none()), ("GET", "/a", true));
        assert_eq!((created.method, created.body.clone()), ("POST", Some(serde_json::json!({"n": 7}))));
        assert!(silent.method == "DELETE" && silent.unanswered && !created.unanswered);
    }

    #[test]
    fn what_is_no_case_is_an_error() {
        for (from, to) in [
            ("\"why\": \"w\"", "\"why\": \" \""),
            ("[\"D-005\"]", "[]"),
            ("[\"D-005\"]", "[\"D-5\"]"),
            ("\"requests\"", "\"request\""),
            ("\"set\"", "\"sets\""),
            ("\"get\": \"/a\", ", "\"get\": \"/a\", \"text\": \"\", "),
            ("\"refused\": {\"code\": \"x\"}", ""),
            ("\"call\": {\"index\"", "\"call\": {\"cursor\": \"$next_cursor\", \"index\""),
            ("\"cut_after\": 2", "\"cut_after\": 99"),
            ("\"post\": \"/d\"", "\"post\": \"/d\", \"get\": \"/d\""),
            ("\"post\": \"/d\", ", ""),
            ("\"post\": \"/d\"", "\"get\": \"/d\""),
            ("\"delete\": \"/d\"", "\"delete\": \"d\""),
            ("\"unanswered\": true", "\"unanswered\": true, \"text\": \"\""),
        ] {
            assert!(GOOD.contains(from), "{from}");
            assert!(parse(&GOOD.replacen(from, to, 1)).is_err(), "{from} -> {to}");
        }
    }

    #[test]
    fn a_folder_shows_both_sides() {
        let folder = tempfile::tempdir().expect("room");
        let cases = folder.path().join("tool/cases");
        fs::create_dir_all(&cases).expect("room");
        let write = |name: &str, text: &str| fs::write(cases.join(name), text).expect("room");
        let then = GOOD.find(",\n        \"then\"").expect("it has a second call");
        let accepted = format!("{}}}", GOOD.get(..then).expect("a boundary"));
        write("a.json", &accepted);
        let error = Case::load_dir(&cases).expect_err("nothing is refused");
        assert!(error.to_string().contains("no case that is refused"), "{error}");
        write("b.json", &accepted.replace("\"answer\": {\"eof\": true}", "\"refused\": {\"code\": [\"x\", \"y\"]}"));
        let loaded = Case::load_dir(&cases).expect("both sides are there");
        assert_eq!(loaded.iter().map(|case| case.tool.as_str()).collect::<Vec<_>>(), ["tool", "tool"]);
    }
}
