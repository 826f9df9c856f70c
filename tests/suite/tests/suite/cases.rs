//! Every case of every tool inside its component, over a real socket: what holds natively holds there.

use std::path::{Path, PathBuf};

use assay_kit::{
    CallResult, Runner, ScriptedAnswer, ScriptedForge,
    case_run::{run_dir, script_on},
};

use crate::stage::{Stage, TOKEN};

const ROOT: &str = "/api/v1";

#[test]
fn every_tool_keeps_its_cases_in_wasm() {
    let folders = case_folders();
    assert!(folders.len() >= 2, "the tools' folders were found: {folders:?}");
    for folder in folders {
        run_dir(&folder, &mut InWasm);
    }
}

fn case_folders() -> Vec<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/tools-read/src");
    let entries = std::fs::read_dir(tools).expect("the component's sources are there");
    let folders = entries.map(|entry| entry.expect("it can be listed").path().join("cases"));
    folders.filter(|folder| folder.is_dir()).collect()
}

struct InWasm;

impl Runner for InWasm {
    /// D-004, D-050: every request carries the caller's own credential and no other.
    fn call(&mut self, tool: &str, arguments: &str, room: u32, answers: Vec<ScriptedAnswer>) -> CallResult {
        let forge = ScriptedForge::start();
        script_on(&forge, ROOT, &answers);
        let outcome = Stage::on(&forge.url()).call(tool, arguments, room);
        let requests = forge.requests();
        for request in &requests {
            let credentials = request.header("authorization");
            assert_eq!(credentials, [format!("Bearer {TOKEN}").as_bytes()], "{}", request.target);
        }
        let below = |target: &str| target.strip_prefix(ROOT).unwrap_or(target).to_owned();
        CallResult { outcome, requests: requests.iter().map(|request| below(&request.target)).collect() }
    }
}
