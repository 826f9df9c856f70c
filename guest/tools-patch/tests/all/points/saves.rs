//! A save that ends at every point: what is on disk and in the database then, and how an operator finds out and goes on.

use std::fs;

use assay_workspace::{STEPS, Step};
use serde_json::{Value, json};

use super::{ENDS, End, ended, is_kept, points};
use crate::{
    ground::{Ground, Seen},
    switches::Point,
};

const OLD: &str = "a\r\nb\n";
const NEW: &str = "A\r\nb\n";

fn request(target: &Seen, version: u64) -> Value {
    json!({"target_file_id": target.id, "sync_workspace": true, "expected_target_version": version})
}

/// A target of the file, edited since.
fn edited(ground: &Ground) -> Seen {
    ground.write("file.txt", OLD);
    let target = ground.import("file.txt");
    assert_eq!(ground.edit(&target, json!([{"match": "a", "replace": "A"}]))["status"], "accepted");
    target
}

fn checkpoints(ground: &Ground, target: &Seen) -> i64 {
    let of = "SELECT count(*) FROM target_snapshots WHERE snapshot_type = 'save_checkpoint' AND target_file_id =";
    ground.place.number(&format!("{of} '{}'", target.id))
}

/// Whether the file is the new one where a save ended at a point; nothing where it may be either.
fn is_installed(points: &[Point], at: usize, end: End) -> Option<bool> {
    let step = |name: &str| STEPS.into_iter().find(|step| step.name() == name);
    let Some(step) = points[..=at].iter().rev().find_map(|point| step(point.call)) else { return Some(false) };
    match end {
        // What was put in place and not yet looked at is put back.
        End::Fault => Some(step > Step::VerifyDisplaced),
        End::Kill => Some(step > Step::Install),
        End::Drop if step == Step::VerifyDisplaced => None,
        End::Drop => Some(step > Step::Install),
    }
}

/// P-008, P-009, P-010, P-016, P-112, P-156, P-162, P-163: the file has all of the old or all of the new bytes, the
/// database has the checkpoint or not, what is said is what is, the next save says it again, and whoever has looked at the
/// file completes the save by saying what is there.
#[test]
fn a_save_that_ends_anywhere_is_told_and_completed() {
    let ground = Ground::new();
    let points = points(&ground, "save", &request(&edited(&ground), 2));
    assert!(points.len() >= 26, "{points:?}");
    for (at, point) in points.iter().enumerate().filter(|(_, point)| point.call != "identity") {
        for end in ENDS {
            let at_it = format!("{point:?} {end:?}");
            let target = edited(&ground);
            let said = ended(&ground, at, end, "save", &request(&target, 2));
            let disk = fs::read_to_string(ground.root().join("file.txt")).expect("it is there");
            let (installed, saved) = (disk == NEW, is_kept(&points, at));
            assert!(installed || disk == OLD, "{at_it}: {disk:?}");
            assert_eq!(is_installed(&points, at, end).unwrap_or(installed), installed, "{at_it}");
            assert_eq!(checkpoints(&ground, &target), i64::from(saved), "{at_it}");
            ground.replays(&target);
            if let Some(said) = said {
                told(&said.map_err(|refusal| refusal.code), installed, saved, &at_it);
            }
            goes_on(&ground, &target, installed, saved, &at_it);
        }
    }
}

/// What a save says that met a fault.
fn told(said: &Result<Value, std::borrow::Cow<'static, str>>, installed: bool, saved: bool, at: &str) {
    if !installed {
        assert_eq!(said.as_ref().expect_err("nothing was done"), "storage_failed", "{at}");
        return;
    }
    let answer = said.as_ref().expect("the file is another");
    let checkpoint = if saved { "unknown" } else { "absent" };
    assert_eq!((&answer["status"], &answer["destination"]), (&json!("partial"), &json!("installed")), "{at}: {answer}");
    assert_eq!((&answer["checkpoint"], &answer["version"]), (&json!(checkpoint), &json!(2)), "{at}");
    assert_eq!(answer["intended_sha256"], sha256(NEW), "{at}");
    assert!(answer["publication"].is_object() && answer["what_to_do"].is_string(), "{at}");
}

/// The next saves.
fn goes_on(ground: &Ground, target: &Seen, installed: bool, saved: bool, at: &str) {
    let next = ground.call("save", &request(target, 2));
    if installed && !saved {
        // It says again what there is, and does nothing by itself.
        assert_eq!((&next["status"], &next["failure_reason"]), (&json!("rejected"), &json!("workspace_drift")), "{at}");
        let disk = &next["disk"];
        assert_eq!((&disk["recorded_sha256"], &disk["recorded_version"]), (&json!(sha256(OLD)), &json!(1)), "{at}");
        assert_eq!(disk["intended_sha256"], sha256(NEW), "{at}");
        assert!(next["detail"].as_str().expect("a text").contains(&sha256(NEW)), "{at}: it names what it found");
        assert_eq!(checkpoints(ground, target), 0, "{at}");
        let mut seen = request(target, 2);
        seen["expected_disk_sha256"] = json!(sha256(NEW));
        let completed = ground.told("ok", "save", &seen);
        assert_eq!(completed["publication"]["sha256"], sha256(NEW), "{at}");
    } else {
        assert_eq!(next["status"], "ok", "{at}: {next}");
    }
    assert_eq!(checkpoints(ground, target), 1 + i64::from(saved), "{at}");
    assert_eq!(fs::read_to_string(ground.root().join("file.txt")).expect("it is there"), NEW, "{at}");
    // And everything goes on as ever.
    assert_eq!(ground.edit(target, json!([{"match": "b", "replace": "B"}]))["status"], "accepted", "{at}");
    assert_eq!(ground.call("save", &request(target, 3))["status"], "ok", "{at}");
    assert_eq!(fs::read_to_string(ground.root().join("file.txt")).expect("it is there"), "A\r\nB\n", "{at}");
    let left = fs::read_dir(ground.root()).expect("it lists").count();
    assert_eq!(left, 1, "{at}: nothing is left beside the file");
    ground.replays(target);
}

fn sha256(text: &str) -> String {
    assay_workspace::Digest::of(text).to_string()
}

/// P-010, P-156, P-163: what an operator saw completes a save and does nothing else: it replaces no file that no record
/// knows, and needs the file to be what was seen.
#[test]
fn what_was_seen_on_disk_completes_and_replaces_nothing() {
    let ground = Ground::new();
    let target = edited(&ground);
    let save = |seen: Value, sync: bool| {
        let mut arguments = request(&target, 2);
        arguments["expected_disk_sha256"] = seen;
        arguments["sync_workspace"] = json!(sync);
        ground.call("save", &arguments)
    };
    let file = || fs::read_to_string(ground.root().join("file.txt")).expect("it is there");
    for wrong in [json!("A"), json!(7), json!(sha256(OLD).to_uppercase()), json!("")] {
        assert_eq!(save(wrong, true)["status"], "invalid_argument");
    }
    assert_eq!(save(json!(sha256(OLD)), false)["status"], "invalid_argument");
    // Somebody else's text is named, and stays; so does the record.
    ground.write("file.txt", "theirs\n");
    for seen in [sha256("theirs\n"), sha256(NEW), sha256(OLD)] {
        let answer = save(json!(seen), true);
        assert_eq!((&answer["status"], &answer["failure_reason"]), (&json!("rejected"), &json!("workspace_drift")));
        assert_eq!(answer["disk"]["intended_sha256"], sha256(NEW), "{answer}");
        assert_eq!(file(), "theirs\n");
    }
    assert_eq!(checkpoints(&ground, &target), 0);
    // With the recorded one it is a save like any other.
    ground.write("file.txt", OLD);
    assert_eq!(save(json!(sha256(OLD)), true)["status"], "ok");
    assert_eq!((file().as_str(), checkpoints(&ground, &target)), (NEW, 1));
    assert_eq!(save(Value::Null, true)["status"], "ok");
}

/// P-010, X-03: the target was edited since the save was cut off. What is on disk is its earlier version, which is brought
/// back, saved and left again; nobody's text is lost.
#[test]
fn a_save_is_completed_after_later_edits() {
    let ground = Ground::new();
    let target = edited(&ground);
    ground.fail("checkpoint", crate::ground::Trouble::Fails);
    assert_eq!(ground.call("save", &request(&target, 2))["status"], "partial");
    assert_eq!(ground.edit(&target, json!([{"match": "b", "replace": "B"}]))["status"], "accepted");
    assert_eq!(ground.call("save", &request(&target, 3))["failure_reason"], "workspace_drift");
    let restore = |to: u64, at: u64| {
        let id = &target.id;
        let arguments = json!({"target_file_id": id, "to_version": to, "expected_target_version": at});
        ground.told("accepted", "restore_target", &arguments);
    };
    restore(2, 3);
    let mut seen = request(&target, 4);
    seen["expected_disk_sha256"] = json!(sha256(NEW));
    ground.told("ok", "save", &seen);
    restore(3, 4);
    ground.told("ok", "save", &request(&target, 5));
    assert_eq!(fs::read_to_string(ground.root().join("file.txt")).expect("it is there"), "A\r\nB\n");
    ground.replays(&target);
}
