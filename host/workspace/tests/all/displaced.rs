//! The last moment: what another program did just before the staged file was put in place, or just after.
#![cfg(any(target_os = "linux", target_os = "macos"))]

use std::{fs, os::unix::fs::symlink};

use assay_workspace::{Left, Refusal, Step};

use crate::ground::{Ground, SECRET, expecting, path, save, save_while};

/// X-02, PG-04: whatever took the file's place at the last moment is put back as it was.
#[test]
fn what_took_the_place_is_put_back() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let workspace = ground.open();
    let link = || {
        fs::remove_file(&file).expect("it is removed");
        symlink(ground.outside().join("secret"), &file).expect("it links");
    };
    let failed = save_while(&workspace, "file", "old", "new", Step::Install, link).expect_err("it is a link");
    assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_path_unsupported", "untouched"));
    assert!(fs::symlink_metadata(&file).expect("it is there").is_symlink());
    assert_eq!(fs::read(&file).expect("it reads"), SECRET);
    assert!(ground.own_files("").is_empty());
    fs::remove_file(&file).expect("it is removed");

    fs::write(&file, "old").expect("it writes");
    let directory = || {
        fs::remove_file(&file).expect("it is removed");
        ground.put("file/inner", "theirs");
    };
    let failed = save_while(&workspace, "file", "old", "new", Step::Install, directory).expect_err("it is a directory");
    assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_path_unsupported", "untouched"));
    assert_eq!(ground.get("file/inner"), b"theirs");
    assert!(ground.own_files("").is_empty());
    ground.assert_outside_is_whole();
}

/// PG-04: a file that was removed at the last moment stays removed.
#[test]
fn what_is_gone_stays_gone() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let remove = || fs::remove_file(&file).expect("it is removed");
    let failed = save_while(&ground.open(), "file", "old", "new", Step::Install, remove).expect_err("it is gone");
    assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_drift", "untouched"));
    assert!(!file.exists());
    assert!(ground.own_files("").is_empty());
}

/// P-010: what cannot be put back is kept beside, under a name that no later SAVE removes, and told.
#[test]
fn what_cannot_be_put_back_is_kept() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let workspace = ground.open();
    let mut observer = |step| {
        match step {
            Step::Install => fs::write(&file, "theirs")?,
            Step::VerifyDisplaced => fs::remove_file(&file)?,
            _ => {}
        }
        Ok(())
    };
    let failed = workspace.publish(&path("file"), &expecting("old"), b"new", &mut observer).expect_err("it drifted");
    assert!(matches!(failed.cause, Refusal::Drift { .. }), "{failed}");
    assert_eq!((failed.step, failed.destination.name()), (Step::VerifyDisplaced, "unknown"));
    let Some(Left::Displaced(name)) = &failed.left else { panic!("{failed}") };
    assert!(failed.to_string().contains(name.as_str()), "{failed}");
    assert_eq!(ground.get(name), b"theirs");

    fs::write(&file, "old").expect("it writes");
    save(&workspace, "file", "old", "new").expect("it is published");
    assert_eq!(ground.own_files(""), [name.as_str()]);
    assert_eq!(ground.get(name), b"theirs");
}

/// P-010: when yet another program is as quick, both of their files are kept: the first in its place, the second beside.
#[test]
fn what_comes_between_is_kept() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let mut observer = |step| match step {
        Step::Install => fs::write(&file, "first"),
        Step::VerifyDisplaced => {
            let beside = ground.put("beside", "second");
            fs::rename(beside, &file)
        }
        _ => Ok(()),
    };
    let failed =
        ground.open().publish(&path("file"), &expecting("old"), b"new", &mut observer).expect_err("it drifted");
    let Some(Left::Displaced(name)) = &failed.left else { panic!("{failed}") };
    assert_eq!(ground.get(name), b"second");
    assert_eq!(ground.get("file"), b"first");
    assert_eq!(ground.own_files(""), [name.as_str()]);
}

/// P-010: another file with the new bytes is not the one that was installed, though the bytes are on disk.
#[test]
fn another_file_with_the_new_bytes_is_told() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let replace = || fs::rename(ground.put("beside", "new"), &file).expect("it is renamed");
    let failed = save_while(&ground.open(), "file", "old", "new", Step::VerifyInstalled, replace).expect_err("another");
    assert!(matches!(failed.cause, Refusal::Changed { .. }), "{failed}");
    assert_eq!(failed.destination.name(), "installed");
}

/// P-010: a change behind the installation is told as it is: neither the old nor the new bytes are there.
#[test]
fn a_change_behind_the_installation_is_unknown() {
    for step in [Step::SyncDirectory, Step::VerifyInstalled] {
        let ground = Ground::new();
        let file = ground.put("file", "old");
        let change = || fs::write(&file, "theirs").expect("it writes");
        let failed = save_while(&ground.open(), "file", "old", "new", step, change).expect_err("it was changed");
        assert_eq!((failed.step, failed.destination.name()), (Step::VerifyInstalled, "unknown"));
        assert_eq!(failed.cause.name(), "workspace_drift");
        let said = failed.to_string();
        assert!(said.contains(&failed.before.to_string()) && said.contains(&failed.after.to_string()), "{said}");
        assert_eq!(ground.get("file"), b"theirs");
        assert!(ground.own_files("").is_empty());
    }
}
