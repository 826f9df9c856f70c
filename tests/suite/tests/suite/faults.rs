//! A forge that fails in every way a forge can: one refusal each, nothing of the answer, and the next call works.

use std::{sync::Arc, time::Duration};

use assay_host::budget::{Budget, Rates};
use assay_kit::{Evidence, Fault, ObjectFormat, Outcome, Response, ScriptedForge};
use serde_json::{Value, json};

use crate::{
    program::Stdio,
    stage::{ROOM, Stage, TOKEN, origin},
};

const TARGET: &str = "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1";
const SECRET_LINE: &str = "+a line that only a verified answer shows\n";

fn diff() -> String {
    let lines = SECRET_LINE.repeat(2_000);
    format!("diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -0,0 +1,2000 @@\n{lines}")
}

fn evidence() -> Evidence {
    Evidence::new(diff(), 7, ObjectFormat::Sha1)
}

fn arguments() -> String {
    json!({"owner": "o", "repo": "r", "index": 7}).to_string()
}

/// D-011, D-018, D-036b, D-069, D-070, D-071, D-072, D-073, D-074, D-076, D-077: whatever a forge does wrong around a right
/// entity is one refusal, after one request, without a byte of the entity or of the fault in it.
#[test]
fn every_fault_is_one_refusal() {
    let foreign = ScriptedForge::start();
    let good = evidence().response();
    for fault in Fault::of(&good, &format!("{}/stolen", foreign.url())) {
        let forge = ScriptedForge::start();
        forge.script("GET", TARGET, fault.script(&good));
        let stage = Stage::on(&forge.url());
        // What follows the counted bytes on the wire is no part of the entity (ARCHITECTURE.md).
        let outcome = stage.call("get_pull_request_diff", &arguments(), ROOM);
        if fault == Fault::Surplus {
            assert!(!matches!(outcome, Outcome::Fault(_)), "{fault:?}: {outcome:?}");
        } else {
            let Outcome::Refused { code, message } = outcome else { panic!("{fault:?}: {outcome:?}") };
            assert!(!message.contains("only a verified") && !message.contains(TOKEN), "{fault:?}: {message}");
            assert!(!message.contains("127.0.0.1") && !message.contains("stolen"), "{fault:?}: {message}");
            assert!(
                message.len() > 20 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{code}: {message}"
            );
        }
        // A plain diff's type is a stock forge's answer, and its inputs are asked for (O-001).
        let is_stock = matches!(fault, Fault::Header("Content-Type", value) if value.starts_with("text/plain"));
        let (diffs, others): (Vec<_>, Vec<_>) = forge.requests().into_iter().partition(|asked| asked.target == TARGET);
        assert_eq!(diffs.len(), 1, "{fault:?}: asked once, never again");
        assert_eq!(others.is_empty(), !is_stock, "{fault:?}");
        // The same engine goes on.
        forge.forget("GET", TARGET);
        forge.script("GET", TARGET, [good.clone()]);
        let again = stage.call("get_pull_request_diff", &arguments(), ROOM);
        assert!(matches!(again, Outcome::Ok(_)), "after {fault:?}: {again:?}");
    }
    assert_eq!(foreign.connections(), 0, "a redirect's target is never contacted");
}

/// D-009, D-068, D-075, D-078: what a client must not notice.
#[test]
fn harmless_differences_change_nothing() {
    let good = evidence().response();
    let with_vias = good.clone().header("Via", "1.1 first").header("Via", "1.1 second");
    let plain = read(&good);
    for fault in Fault::harmless() {
        let forge = ScriptedForge::start();
        forge.script("GET", TARGET, fault.script(&good));
        assert_eq!(first_page(&forge), plain, "{fault:?}");
    }
    assert_eq!(read(&with_vias), plain);
}

/// D-068: silence ends a call, after the time that one byte may take and not a moment that is measured over the whole.
#[test]
fn silence_is_a_refusal() {
    let good = evidence().response();
    for fault in [Fault::NeverAnswers, Fault::StallsAfter(100)] {
        let forge = ScriptedForge::start();
        forge.script("GET", TARGET, fault.script(&good));
        let stage = Stage::with(&forge.url(), |parts| parts.origin = origin(&forge.url(), Duration::from_millis(300)));
        let outcome = stage.call("get_pull_request_diff", &arguments(), ROOM);
        assert!(matches!(&outcome, Outcome::Refused { code, .. } if code == "timed_out"), "{fault:?}: {outcome:?}");
    }
}

/// D-007, D-008, G-062, G-068: one call is one read unit; without one nothing is sent.
#[test]
fn a_used_up_budget_sends_nothing() {
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, [evidence().response()]);
    let rates = Rates { read: 2, write: 1, window: Duration::from_secs(600) };
    let stage = Stage::with(&forge.url(), |parts| parts.budget = Arc::new(Budget::new(rates)));
    for _ in 0..2 {
        assert!(matches!(stage.call("get_pull_request_diff", &arguments(), ROOM), Outcome::Ok(_)));
    }
    let Outcome::Refused { code, message } = stage.call("get_pull_request_diff", &arguments(), ROOM) else {
        panic!("the third call has no unit left")
    };
    assert_eq!(code, "rate_limited");
    assert!(message.contains("HTTP 429") && message.contains("Retry-After: "), "{message}");
    assert!(message.contains("this credential's read budget"), "it is the gateway's bound, not the forge's: {message}");
    assert_eq!(forge.requests().len(), 2);
    let other = stage.call_as("another-token", "get_pull_request_diff", &arguments(), ROOM);
    assert!(matches!(other, Outcome::Ok(_)), "another caller has a budget of its own");
}

/// G-064a: over standard input and output the process's own credential is the one key, and has the same limits, each class
/// its own.
#[test]
fn a_process_has_one_budget() {
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, [evidence().response()]);
    let settings = [("GATEWAY_RATE_READ", "2"), ("GATEWAY_RATE_WRITE", "1"), ("GATEWAY_RATE_WINDOW", "600")];
    let settings = settings.map(|(name, value)| (name, value.to_owned()));
    let mut program = Stdio::start_with(&forge.url(), TOKEN, &settings);
    let arguments: Value = serde_json::from_str(&arguments()).expect("an object");
    let mut read = || program.call("get_pull_request_diff", &arguments);
    assert!(!read().contains("rate_limited") && !read().contains("rate_limited"));
    let third = read();
    assert!(third.contains("rate_limited: ") && third.contains("read budget"), "{third}");
    assert_eq!(forge.requests().len(), 2);
    let issue = json!({"owner": "o", "repo": "r", "title": "t"});
    let first = program.call("create_issue", &issue);
    assert!(!first.contains("rate_limited"), "a write has a unit of its own class: {first}");
    let second = program.call("create_issue", &issue);
    assert!(second.contains("rate_limited: ") && second.contains("write budget"), "{second}");
    let writes = forge.requests().iter().filter(|request| request.method == "POST").count();
    assert_eq!(writes, 1);
}

/// D-050, D-059: the same cursor in another caller's hands works as far as that caller's own access goes.
#[test]
fn a_cursor_belongs_to_nobody() {
    let good = evidence().response();
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, Fault::RevokedFrom(3).script(&good));
    let stage = Stage::on(&forge.url());
    let page = page(stage.call_as("first", "get_pull_request_diff", &arguments(), ROOM));
    let mut arguments: Value = serde_json::from_str(&arguments()).expect("an object");
    arguments["cursor"] = page["next_cursor"].clone();
    let arguments = arguments.to_string();
    let second = stage.call_as("second", "get_pull_request_diff", &arguments, ROOM);
    assert!(matches!(second, Outcome::Ok(_)), "{second:?}");
    let revoked = stage.call_as("second", "get_pull_request_diff", &arguments, ROOM);
    assert!(matches!(&revoked, Outcome::Refused { code, .. } if code == "unauthorized"), "{revoked:?}");
}

fn read(response: &Response) -> Value {
    let forge = ScriptedForge::start();
    forge.script("GET", TARGET, [response.clone()]);
    first_page(&forge)
}

fn first_page(forge: &ScriptedForge) -> Value {
    page(Stage::on(&forge.url()).call("get_pull_request_diff", &arguments(), ROOM))
}

fn page(outcome: Outcome) -> Value {
    let Outcome::Ok(text) = outcome else { panic!("{outcome:?}") };
    serde_json::from_str(&text).expect("an answer is JSON")
}
