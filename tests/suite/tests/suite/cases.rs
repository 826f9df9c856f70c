//! Every case of every tool inside its component, over a real socket: what holds natively holds there.

use std::path::{Path, PathBuf};

use assay_kit::{
    Asked, CallResult, Case, Request, Runner, ScriptedAnswer, ScriptedForge,
    case::CaseSettings,
    case_run::{run, run_dir, script_on},
};

use crate::stage::{Stage, TOKEN};

const ROOT: &str = "/api/v1";

#[test]
fn every_tool_keeps_its_cases_in_wasm() {
    let folders = case_folders();
    assert!(folders.len() >= 2, "the tools' folders were found: {folders:?}");
    for folder in folders {
        run_dir(&folder, &mut InWasm::default());
    }
}

/// O-003, D-061: a list of refs as long as an answer may be is read in bounded memory: it is refused, and is no fault.
#[test]
fn a_long_list_of_refs_is_passed_over() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/tools-read/src/get_pull_request_diff/cases");
    let mut case = Case::load(&cases.join("no_head_ref_is_refused.json")).expect("it is there");
    for step in &mut case.steps {
        let refs = step.forge.iter_mut().find(|answer| answer.target.ends_with("/head")).expect("it asks for the refs");
        refs.response.body = format!("[{}0]", "0,".repeat(4 << 20)).into_bytes();
    }
    run(&case, &mut InWasm::default()).unwrap_or_else(|what| panic!("{what}"));
}

fn case_folders() -> Vec<PathBuf> {
    let below = |component: &str| {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest").join(component).join("src");
        let entries = std::fs::read_dir(tools).expect("the component's sources are there");
        entries.map(|entry| entry.expect("it can be listed").path().join("cases")).collect::<Vec<_>>()
    };
    let folders = ["tools-read", "tools-write"].into_iter().flat_map(below);
    folders.filter(|folder| folder.is_dir()).collect()
}

/// One process and one forge a case: what they remember, its calls share.
#[derive(Default)]
struct InWasm(Option<(ScriptedForge, Stage)>);

impl Runner for InWasm {
    fn begin(&mut self, settings: &CaseSettings) {
        let forge = ScriptedForge::start();
        let stage = Stage::set(&forge.url(), settings);
        self.0 = Some((forge, stage));
    }

    /// D-004, D-050: every request carries the caller's own credential and no other.
    fn call(&mut self, tool: &str, arguments: &str, room: u32, answers: Vec<ScriptedAnswer>) -> CallResult {
        let (forge, stage) = self.0.as_ref().expect("a case begins before its calls");
        let before = forge.requests().len();
        forge.forget_all();
        script_on(forge, ROOT, &answers);
        let outcome = stage.call(tool, arguments, room);
        let requests = forge.requests().split_off(before);
        for request in &requests {
            let credentials = request.header("authorization");
            assert_eq!(credentials, [format!("Bearer {TOKEN}").as_bytes()], "{}", request.target);
        }
        let below = |target: &str| target.strip_prefix(ROOT).unwrap_or(target).to_owned();
        let asked =
            |request: Request| Asked { target: below(&request.target), method: request.method, body: request.body };
        CallResult { outcome, requests: requests.into_iter().map(asked).collect() }
    }
}
