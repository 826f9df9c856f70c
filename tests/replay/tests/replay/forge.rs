//! The forge of one replay: the recorded answer where it belongs, around it further recordings, and what git has.

use std::{cell::RefCell, collections::BTreeSet};

use assay_kit::{Framing, Recording, Reply, Response, ScriptedAnswer, case_run::target};
use assay_tools_read::ports::Source;
use assay_tools_write::ports::Ports as Writing;
use serde_json::Value;

use crate::{
    arguments::{self, API, parts},
    expect,
    git::Git,
    made,
    mend::{self, Mended},
    ports::{Answers, Over, Request},
    table::{Group, Table},
};

/// Bytes that an answer may take.
const ROOM: usize = 48_000;

/// Replays one recording. What does not hold is told.
/// `told` learns the members that were there.
pub(crate) fn replay(
    table: &Table,
    group: &Group,
    name: &str,
    git: &Git,
    told: &mut BTreeSet<String>,
) -> Result<(), String> {
    let recording = Recording::read(name);
    let body = mend::body(table, &recording, git);
    let with = group.with.iter().map(|name| {
        let other = Recording::read(name);
        let whole = Mended::Whole(mend::whole(table, name, git));
        let (place, query) = parts(&other.target);
        let reference = query.into_iter().find(|(name, _)| name == "ref").map(|(_, reference)| reference);
        Beside { place, reference, answer: answer(&other, &whole) }
    });
    let scene = Scene {
        group,
        git,
        recording: &recording,
        place: group.at.as_ref().map_or_else(|| place(&recording.target), |at| place(&below(&recording, at))),
        decisive: answer(&recording, &body),
        with: with.collect(),
        seen: RefCell::default(),
    };
    let arguments = Value::Object(arguments::of(group, &recording)).to_string();
    let source = if recording.target.contains("evidence") { Source::Auto } else { Source::Observed };
    let over = Over { forge: &scene, source };
    let called = match assay_tools_read::find(&group.tool) {
        Some(tool) => {
            let ports = assay_tools_read::ports::Ports { origin: &over, lists: &over, objects: &over, reading: &over };
            tool.call(ports, &arguments, ROOM)
        }
        None => {
            let tool = assay_tools_write::find(&group.tool).expect("a tool of this name");
            tool.call(Writing { origin: &over, write: &over }, &arguments, ROOM)
        }
    };
    let called = called.map_err(|refusal| (refusal.code.into_owned(), refusal.message));
    let judged = scene.judge().and_then(|()| expect::judge(table, group, &recording, &body, &called, told));
    judged.map_err(|what| format!("{what}\n  called with {arguments}\n  there came {called:?}"))
}

struct Scene<'a> {
    group: &'a Group,
    git: &'a Git,
    recording: &'a Recording,
    place: Vec<Vec<u8>>,
    decisive: ScriptedAnswer,
    with: Vec<Beside>,
    seen: RefCell<Seen>,
}

/// A further recording's answer, and for what it is one.
struct Beside {
    place: Vec<Vec<u8>>,
    /// What it is read at, where that was said.
    reference: Option<String>,
    answer: ScriptedAnswer,
}

/// What was asked.
#[derive(Default)]
struct Seen {
    /// The requests that the recording answered.
    met: Vec<Met>,
    unforeseen: Vec<String>,
}

struct Met {
    query: Vec<(String, String)>,
    range: Option<String>,
    body: Value,
}

impl Scene<'_> {
    /// Whether the recorded answer was met, and by the recorded request; whether nothing else was asked than is known.
    fn judge(&self) -> Result<(), String> {
        let seen = self.seen.borrow();
        if !seen.unforeseen.is_empty() {
            return Err(format!("nobody knows what the forge says to {:?}", seen.unforeseen));
        }
        if self.group.beside {
            return Ok(());
        }
        let Met { query, range, body } = seen.met.first().ok_or("the tool never asked for it")?;
        let there = parts(&self.recording.target).1;
        let range_there = self.recording.sent.iter().find(|(name, _)| name == "Range").map(|(_, range)| range);
        let sent: Value = serde_json::from_slice(&self.recording.sent_body).unwrap_or_default();
        let (sent, here) =
            (sent.as_object().cloned().unwrap_or_default(), body.as_object().cloned().unwrap_or_default());
        // A tool spells out what may be left out: an empty text.
        let other = sent.iter().filter(|(name, value)| here.get(*name) != Some(*value));
        let more = here.iter().filter(|(name, value)| !sent.contains_key(*name) && value.as_str() != Some(""));
        let other: Vec<_> = other.chain(more).collect();
        let same = *query == there && range.as_ref() == range_there && other.is_empty() && self.group.at.is_none();
        match (&self.group.asked_otherwise, same) {
            (None, true) | (Some(_), false) => Ok(()),
            (None, false) => Err(format!(
                "it asks otherwise: {query:?}, {range:?}, {body} for {there:?}, {range_there:?}, {other:?}"
            )),
            (Some(_), true) => Err("it asks just as was recorded, which the table denies".to_owned()),
        }
    }

    fn is_of(&self, request: &Request<'_>) -> bool {
        request.method == self.recording.method && request.path == self.place && !self.group.beside
    }
}

impl Answers for Scene<'_> {
    fn ask(&self, request: &Request<'_>) -> Reply {
        let Request { method, path, query, range, body } = *request;
        if self.is_of(request) {
            self.seen.borrow_mut().met.push(Met {
                query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                range: range.map(|(first, last)| format!("bytes={first}-{last}")),
                body: serde_json::from_slice(body).unwrap_or_default(),
            });
            return Reply::from(self.decisive.clone());
        }
        let reference = query.iter().find(|(name, _)| *name == "ref").map(|(_, reference)| *reference);
        let mut others = self.with.iter().filter(|other| other.answer.method == method && other.is_at(path));
        if let Some(other) = others.find(|other| other.reference.is_none() || other.reference.as_deref() == reference) {
            return Reply::from(other.answer.clone());
        }
        if let Some(response) = made::answer(self.git, self.group, self.recording, request) {
            return Reply::from(ScriptedAnswer::get("", response));
        }
        self.seen.borrow_mut().unforeseen.push(format!("{method} {}", target(path, query)));
        Reply::Unforeseen
    }
}

impl Beside {
    /// Names of owners and repositories are the same in either case.
    fn is_at(&self, path: &[&[u8]]) -> bool {
        let mut names = self.place.iter().zip(path);
        self.place.len() == path.len() && names.all(|(there, here)| there.eq_ignore_ascii_case(here))
    }
}

/// The recorded response.
fn answer(recording: &Recording, body: &Mended) -> ScriptedAnswer {
    let (bytes, cut_after) = match body {
        Mended::Whole(bytes) => (bytes, None),
        Mended::BrokenOff(start) => (start, Some(start.len())),
    };
    let mut response = Response::new(recording.status(), bytes.clone()).framed(Framing::Raw);
    for (name, value) in &recording.headers {
        response = response.header(name, value);
    }
    let method =
        ["GET", "POST", "PUT"].into_iter().find(|method| *method == recording.method).expect("tools use these");
    ScriptedAnswer { method, cut_after, ..ScriptedAnswer::get("", response) }
}

fn place(target: &str) -> Vec<Vec<u8>> {
    parts(target).0
}

/// `at` below the recording's repository.
fn below(recording: &Recording, at: &str) -> String {
    let names: Vec<&str> = recording.target.strip_prefix(API).unwrap_or_default().split('/').collect();
    format!("{API}/repos/{}/{}/{at}", names[2], names[3])
}
