//! From a file to a target and back: every byte that nobody edited is what it was.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use assay_tools_patch::ports::Destination;
use assay_workspace::Step;
use serde_json::{Value, json};

use crate::ground::{Ground, Seen, Trouble};

fn save(ground: &Ground, target: &Seen) -> Value {
    let version = ground.now(target).version;
    ground
        .call("save", &json!({"target_file_id": target.id, "sync_workspace": true, "expected_target_version": version}))
}

fn edit(ground: &Ground, target: &Seen, text: &str, replace: &str) {
    let answer = ground.edit(target, json!([{"match": text, "replace": replace}]));
    assert_eq!(answer["status"], "accepted", "{answer}");
}

/// P-006, P-007, P-009, P-155, P-157, P-164, X-02, E-02, E-05, E-06, E-07, E-09, E-15, E-17, E-18: only what was edited differs.
#[test]
fn every_other_byte_is_kept() {
    let ground = Ground::new();
    let lines: Vec<String> = (1..=100).map(|line| format!("line {line};\r\n")).collect();
    let crlf = lines.concat();
    for (before, text, replace, after) in [
        (crlf.as_str(), "line 50;", "fifty", crlf.replace("line 50;", "fifty").as_str()),
        ("a\r\nb\nc", "c", "C", "a\r\nb\nC"),
        ("a\rb\r\nc\n", "b", "B", "a\rB\r\nc\n"),
        ("a\r\nb\r\n", "a\n", "x\n", "x\r\nb\r\n"),
        ("\u{feff}hello\n", "hello", "hi", "\u{feff}hi\n"),
        ("alpha\nbeta\n\n", "alpha", "x", "x\nbeta\n\n"),
        ("hello\nworld", "world", "world\ntail", "hello\nworld\ntail"),
        ("a:\n\tcc\nb\n", "\nb", "\nc", "a:\n\tcc\nc\n"),
        ("“a” —\u{a0}b \nname\n", "name", "n", "“a” —\u{a0}b \nn\n"),
    ] {
        let path = ground.write("file.txt", before);
        let target = ground.import("file.txt");
        edit(&ground, &target, text, replace);
        assert_eq!(fs::read(&path).unwrap(), before.as_bytes(), "an edit changes no file");
        let saved = save(&ground, &target);
        assert_eq!((&saved["status"], &saved["publication"]["bytes"]), (&json!("ok"), &json!(after.len())), "{saved}");
        assert_eq!(String::from_utf8(fs::read(&path).unwrap()).unwrap(), after);
        // And once more, on what it is by now.
        edit(&ground, &target, replace, text);
        save(&ground, &target);
        assert_eq!(String::from_utf8(fs::read(&path).unwrap()).unwrap(), before);
        ground.replays(&target);
    }
}

/// E-19, X-02: the mode stays.
#[test]
fn e_19_the_mode_is_kept() {
    let ground = Ground::new();
    let path = ground.write("run", "a\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let target = ground.import("run");
    edit(&ground, &target, "a", "b");
    assert_eq!(save(&ground, &target)["publication"]["mode"], "0750");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o750);
}

/// E-29: a rejected edit leaves nothing to save.
#[test]
fn e_29_a_rejected_edit_saves_the_same_bytes() {
    let ground = Ground::new();
    let bytes = "0123456\r\n89\n".repeat(1_000);
    let path = ground.write("file.txt", &bytes);
    let target = ground.import("file.txt");
    assert_eq!(ground.edit(&target, json!([{"match": "nope", "replace": ""}]))["status"], "rejected");
    assert_eq!(save(&ground, &target)["status"], "ok");
    assert_eq!(fs::read(&path).unwrap(), bytes.as_bytes());
}

/// P-163, P-156, E-23, E-21, X-02: another file, folder or kind of file refuses, and nothing is touched or saved.
#[test]
fn what_is_another_file_by_now_is_left_alone() {
    let ground = Ground::new();
    let path = ground.write("file.txt", "a\n");
    let target = ground.import("file.txt");
    edit(&ground, &target, "a", "b");
    let refused = |reason: &str| {
        let before = fs::read(&path).ok();
        let answer = save(&ground, &target);
        assert_eq!((&answer["status"], &answer["failure_reason"]), (&json!("rejected"), &json!(reason)), "{answer}");
        assert_eq!(fs::read(&path).ok(), before);
        let ledger = ground.call("get_manifest_ledger", &json!({"target_file_id": target.id}));
        assert_eq!(ledger["entries"].as_array().unwrap().len(), 1, "the cycle goes on");
        answer
    };
    ground.write("file.txt", "other\n");
    refused("workspace_drift");
    fs::remove_file(&path).unwrap();
    refused("workspace_drift");
    ground.write("file.txt", "a\n");
    fs::hard_link(&path, ground.root().join("second")).unwrap();
    assert!(refused("workspace_path_unsupported")["detail"].as_str().unwrap().contains("nlink:2"));
    fs::remove_file(ground.root().join("second")).unwrap();
    let elsewhere = ground.folder().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("file.txt"), "a\n").unwrap();
    ground.work_in(Some(&elsewhere));
    refused("workspace_binding_mismatch");
    ground.work_in(None);
    refused("workspace_binding_mismatch");
    ground.work_in(Some(&ground.root()));
    assert_eq!(save(&ground, &target)["status"], "ok");
    // E-23: between the lease and the install.
    edit(&ground, &target, "b", "c");
    *ground.switches.writes_at.borrow_mut() = Some((Step::Recheck, path.clone()));
    let answer = save(&ground, &target);
    assert_eq!((&answer["status"], &answer["failure_reason"]), (&json!("rejected"), &json!("workspace_drift")));
    assert_eq!(fs::read(&path).unwrap(), b"another\n");
}

/// P-156, P-163: a save needs a guard that holds, and a target that is a file's.
#[test]
fn a_save_is_guarded() {
    let ground = Ground::new();
    ground.write("file.txt", "a\n");
    let target = ground.import("file.txt");
    let save = |status: &str, more: Value| {
        let mut arguments = json!({"target_file_id": target.id, "sync_workspace": true});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ground.told(status, "save", &arguments)
    };
    save("invalid_argument", json!({}));
    save("invalid_argument", json!({"expected_target_version": null}));
    save("invalid_argument", json!({"expected_target_version": -1}));
    save("invalid_argument", json!({"expected_current_hash": "A"}));
    save("invalid_argument", json!({"expected_target_version": 1, "sync_workspace": "yes"}));
    save("invalid_argument", json!({"expected_target_version": 1, "nope": 1}));
    assert_eq!(save("rejected", json!({"expected_target_version": 2}))["failure_reason"], "target_version_mismatch");
    let stale = json!({"expected_target_version": 1, "expected_current_hash": "0".repeat(64)});
    assert_eq!(save("rejected", stale)["failure_reason"], "target_hash_mismatch");
    let text = ground.begin("a\n");
    let answer = ground.told(
        "rejected",
        "save",
        &json!({"target_file_id": text.id, "sync_workspace": true, "expected_target_version": 1}),
    );
    assert_eq!(answer["failure_reason"], "workspace_binding_mismatch");
}

/// P-164, PG-30, X-02, P-111: what is no file of the workspace, or no text, is not imported.
#[test]
fn what_is_no_text_file_is_not_imported() {
    let ground = Ground::new();
    let path = ground.write("file.txt", "a\n");
    symlink(&path, ground.root().join("link")).unwrap();
    ground.write("binary", [0, 0xff]);
    ground.write("latin", b"caf\xe9\n");
    let import = |path: &str| ground.call("initialize_target", &json!({"from_workspace": true, "path": path}));
    for (path, reason) in [
        ("link", "workspace_path_unsupported"),
        ("../file.txt", "workspace_path_unsupported"),
        ("/etc/passwd", "workspace_path_unsupported"),
        (".", "workspace_path_unsupported"),
        ("", "workspace_path_unsupported"),
        ("nope", "not_found"),
    ] {
        let answer = import(path);
        assert_eq!(
            (&answer["status"], &answer["failure_reason"]),
            (&json!("rejected"), &json!(reason)),
            "{path}: {answer}"
        );
    }
    for path in ["binary", "latin"] {
        assert_eq!(import(path)["status"], "invalid_argument");
    }
    for arguments in [
        json!({}),
        json!({"from_workspace": true}),
        json!({"content": "a", "path": "b"}),
        json!({"content": "a", "from_workspace": true, "path": "file.txt"}),
        json!({"content": "a\u{0}"}),
        json!({"content": 7}),
    ] {
        ground.told("invalid_argument", "initialize_target", &arguments);
    }
    let answer = ground.told("rejected", "initialize_target", &json!({"content": "a".repeat(1_000_001)}));
    assert_eq!(answer["failure_reason"], "size_limit_exceeded");
    ground.work_in(None);
    assert_eq!(import("file.txt")["failure_reason"], "workspace_unavailable");
}

/// P-155, P-159, PG-30: the facts of a source, and the text with the line ends it came with.
#[test]
fn a_text_is_exported_as_it_came() {
    let ground = Ground::new();
    for (content, style) in
        [("\u{feff}a\r\nb\r\n", "crlf"), ("a\rb", "cr"), ("a\nb\n", "lf"), ("ab", "none"), ("a\r\nb\n", "mixed")]
    {
        let begun = ground.told("ok", "initialize_target", &json!({"content": content}));
        assert_eq!(begun["source_line_endings"]["style"], style);
        assert_eq!(begun["source_line_endings"]["source_utf8_bytes"], content.len());
        let id = &begun["target_file_id"];
        let original = ground.told("ok", "export_target", &json!({"target_file_id": id, "format": "original_eol"}));
        assert_eq!((&original["text"], &original["total_bytes"]), (&json!(content), &json!(content.len())));
        let plain = ground.told("ok", "export_target", &json!({"target_file_id": id}));
        assert_eq!((&plain["sha256"], plain["format"].as_str()), (&begun["current_hash"], Some("canonical")));
    }
}

/// P-010, P-112: what failed behind the file is told as it is, and nothing is put right by itself.
#[test]
fn what_is_half_saved_is_told() {
    let ground = Ground::new();
    let path = ground.write("file.txt", "a\n");
    for (call, trouble, checkpoint) in [
        ("checkpoint", Trouble::Fails, "absent"),
        ("commit", Trouble::Fails, "absent"),
        ("commit", Trouble::UnknownAndLost, "unknown"),
        ("commit", Trouble::UnknownButKept, "unknown"),
    ] {
        ground.write("file.txt", "a\n");
        let target = ground.import("file.txt");
        edit(&ground, &target, "a", "b");
        ground.fail(call, trouble);
        let answer = save(&ground, &target);
        assert_eq!((&answer["status"], &answer["destination"]), (&json!("partial"), &json!("installed")), "{answer}");
        assert_eq!((&answer["checkpoint"], &answer["publication"]["bytes"]), (&json!(checkpoint), &json!(2)));
        assert_eq!(fs::read(&path).unwrap(), b"b\n");
        let again = save(&ground, &target);
        if trouble == Trouble::UnknownButKept {
            assert_eq!(again["status"], "ok");
        } else {
            assert_eq!(again["failure_reason"], "workspace_drift");
        }
        ground.replays(&target);
    }
    for (step, destination, status) in
        [(Step::SyncDirectory, None, "installed"), (Step::SyncDirectory, Some(Destination::Unknown), "unknown")]
    {
        ground.write("file.txt", "a\n");
        let target = ground.import("file.txt");
        edit(&ground, &target, "a", "b");
        *ground.switches.fails_at.borrow_mut() = Some(step);
        *ground.switches.destination.borrow_mut() = destination;
        let answer = save(&ground, &target);
        assert_eq!((&answer["status"], &answer["destination"]), (&json!("partial"), &json!(status)), "{answer}");
        assert_eq!(
            (&answer["checkpoint"], &answer["publication"]["step"]),
            (&json!("absent"), &json!("sync_directory"))
        );
        *ground.switches.fails_at.borrow_mut() = None;
        *ground.switches.destination.borrow_mut() = None;
        let ledger = ground.call("get_manifest_ledger", &json!({"target_file_id": target.id}));
        assert_eq!(ledger["entries"].as_array().unwrap().len(), 1);
    }
    // A system that fails before the file was touched is no rejection.
    ground.write("file.txt", "a\n");
    let target = ground.import("file.txt");
    edit(&ground, &target, "a", "b");
    *ground.switches.fails_at.borrow_mut() = Some(Step::Stage);
    let arguments = json!({"target_file_id": target.id, "sync_workspace": true, "expected_target_version": 2});
    assert_eq!(ground.within("save", &arguments, 49_000).unwrap_err().code, "storage_failed");
    assert_eq!(fs::read(&path).unwrap(), b"a\n");
}
