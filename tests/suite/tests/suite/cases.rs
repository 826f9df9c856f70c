//! Every case of every tool inside its component, over a real socket: what holds natively holds there.

use std::path::{Path, PathBuf};

use assay_kit::{
    CallResult, Runner, ScriptedAnswer, ScriptedForge,
    case::CaseSettings,
    case_run::{run_dir, script_on},
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

fn case_folders() -> Vec<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/tools-read/src");
    let entries = std::fs::read_dir(tools).expect("the component's sources are there");
    let folders = entries.map(|entry| entry.expect("it can be listed").path().join("cases"));
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
        CallResult { outcome, requests: requests.iter().map(|request| below(&request.target)).collect() }
    }
}
