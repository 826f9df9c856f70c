//! A process of its own that makes one call and is killed at a point of it.
//!
//! It is this test program again, with the one test below selected and the call in its environment. At the point it says so
//! and waits; whoever started it kills it then.

use std::{
    cell::Cell,
    env,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    ground::{Ground, ROOM},
    place::Place,
};

const CALL: &str = "ASSAY_PATCH_TEST_CALL";
/// What it says at the point.
const HERE: &str = "it is at the point";

/// Makes a call in another process, and kills that at the call's `at`th point.
pub(super) fn killed(ground: &Ground, at: usize, tool: &str, arguments: &Value) {
    let folder = ground.folder().to_str().expect("a plain name");
    let location = ground.place.location();
    let call = json!({"location": location, "folder": folder, "at": at, "tool": tool, "arguments": arguments});
    let (_, room) = module_path!().split_once("::").expect("it is in a room");
    let mut child = Command::new(env::current_exe().expect("this program has a path"))
        .args([&format!("{room}::makes_the_call_it_is_given"), "--exact", "--nocapture"])
        .env(CALL, call.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let is_there = said.any(|line| line.expect("it is text").contains(HERE));
    child.kill().expect("it is ours");
    let status = child.wait().expect("it ends");
    assert!(is_there, "{tool} has no point {at}: {status}");
    assert_eq!(status.signal(), Some(9));
}

/// Nothing in this process; the call in one that was started for it.
#[test]
fn makes_the_call_it_is_given() {
    let Ok(call) = env::var(CALL) else { return };
    let call: Value = serde_json::from_str(&call).expect("it is JSON");
    let text = |name: &str| call[name].as_str().expect("a text").to_owned();
    let ground = Ground::at(&Place::made(&text("location"), &PathBuf::from(text("folder"))));
    let (at, passed) = (call["at"].as_u64().expect("a number"), Cell::new(0));
    ground.switches.watch(move |_| {
        if passed.replace(passed.get() + 1) == at {
            let mut out = io::stdout().lock();
            writeln!(out, "{HERE}").and_then(|()| out.flush()).expect("somebody listens");
            // Until it is killed, or whoever would do that is gone.
            let _ = io::stdin().read(&mut [0]);
            std::process::exit(1);
        }
        true
    });
    let said = ground.within(&text("tool"), &call["arguments"], ROOM);
    panic!("it was to be killed on its way, and said {said:?}");
}
