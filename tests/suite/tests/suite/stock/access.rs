//! Bytes that are kept are released to those alone whom the forge shows their inputs.

use assay_kit::{AwkwardRepository, ObjectFormat, Outcome};
use assay_local_forge::{Cut, ObjectFault};

use super::{DIFF, LIST, Scene, refused};
use crate::stage::{ROOM, TOKEN};

/// O-012: a token that was revoked between two pages gets nothing, and another caller never did, though the bytes are kept.
#[test]
fn kept_bytes_are_not_for_everybody() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let scene = Scene::of(&repository);
    let mut arguments = scene.arguments("everything");
    let cursor = scene.page(DIFF, &arguments)["next_cursor"].clone();
    arguments["cursor"] = cursor;
    scene.page(DIFF, &arguments);

    // The repository is private, and this token is nobody's.
    for (tool, arguments) in
        [(DIFF, &arguments), (DIFF, &scene.arguments("everything")), (LIST, &scene.arguments("everything"))]
    {
        let stranger = scene.stage.call_as(TOKEN, tool, &arguments.to_string(), ROOM);
        let (_, message) = refused(stranger);
        assert!(!message.contains("diff --git"), "{message}");
    }
    // Who may read it still does.
    scene.page(DIFF, &arguments);
    scene.forge.revoke(&scene.token);
    scene.forge.clear_requests();
    refused(scene.call(DIFF, &arguments));
    refused(scene.call(DIFF, &scene.arguments("everything")));
    refused(scene.call(LIST, &scene.arguments("everything")));
    assert!(!scene.forge.asked().is_empty(), "the forge was asked");
}

/// O-005: an error body under a perfect framing is a cut diff, wherever the forge stopped; so is a cut that nothing shows.
#[test]
fn a_cut_is_never_a_diff() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let mut scene = Scene::of(&repository);
    let arguments = scene.arguments("everything");
    for files in [1, 2, 9, 20] {
        scene.anew();
        scene.forge.control().break_diffs(2, Cut::Files(files));
        let (code, _) = refused(scene.call(DIFF, &arguments));
        assert_eq!(code, "diff_truncated", "after {files} files");
        scene.forge.control().heal();
        scene.forge.control().shorten_diffs(2, Cut::Files(files));
        match scene.call(DIFF, &arguments) {
            Outcome::Refused { .. } => {}
            Outcome::Ok(page) => assert!(!page.contains("\"level\":\"transform\""), "after {files} files"),
            other @ Outcome::Fault(_) => panic!("{other:?}"),
        }
        scene.forge.control().heal();
    }
    assert_eq!(scene.page(DIFF, &arguments)["manifest"]["level"], "transform", "nothing of that was kept");
}

/// O-010, O-011: an object that lies or is not there stops the proof and is said to; what was a passing fault is none later.
#[test]
fn objects_that_fail_stop_the_proof() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let mut scene = Scene::of(&repository);
    let arguments = scene.arguments("everything");
    let tree = repository.oid("everything^{tree}");
    for fault in [ObjectFault::Missing, ObjectFault::NotFound, ObjectFault::Broken] {
        scene.anew();
        scene.forge.control().fail_object(&tree, fault);
        match scene.call(DIFF, &arguments) {
            Outcome::Refused { .. } => {}
            Outcome::Ok(page) => {
                assert!(!page.contains("\"level\":\"transform\"") && !page.contains("\"stopped\":null"), "{fault:?}")
            }
            other @ Outcome::Fault(_) => panic!("{fault:?}: {other:?}"),
        }
        scene.forge.control().heal();
        assert_eq!(scene.page(DIFF, &arguments)["manifest"]["level"], "transform", "{fault:?} has passed");
    }
}
