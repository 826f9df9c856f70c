//! Files that are not the ones that were imported or saved last.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use assay_workspace::{Digest, Refusal, Step};

use crate::ground::{Ground, save, save_while};

/// P-163, PG-04, E-23: drift is refused with both digests, and the drifted file stays.
#[test]
fn a_drifted_file_is_refused() {
    let ground = Ground::new();
    ground.put("file", "theirs");
    for workspace in ground.walks() {
        let failed = save(&workspace, "file", "old", "new").expect_err("it drifted");
        let (old, theirs) = (Digest::of("old"), Digest::of("theirs"));
        assert!(
            matches!(failed.cause, Refusal::Drift { expected, found, .. } if expected == old && found == Some(theirs)),
            "{failed}"
        );
        assert_eq!((failed.cause.name(), failed.step), ("workspace_drift", Step::Check));
        let said = failed.to_string();
        for part in [old.to_string(), theirs.to_string(), "step check".to_owned(), "did not touch".to_owned()] {
            assert!(said.contains(&part), "{said}");
        }
        assert_eq!(ground.get("file"), b"theirs");
        assert!(ground.own_files("").is_empty());
    }
}

/// P-163: a file or directory that is gone has drifted as well.
#[test]
fn a_file_that_is_gone_is_drift() {
    let ground = Ground::new();
    ground.put("dir/other", "");
    for workspace in ground.walks() {
        for name in ["file", "dir/file", "none/file"] {
            let failed = save(&workspace, name, "old", "new").expect_err("it is gone");
            assert!(matches!(failed.cause, Refusal::Drift { found: None, .. }), "{failed}");
            assert_eq!(failed.destination.name(), "untouched");
            assert!(!ground.at(name).exists());
        }
    }
}

/// E-23: the file is changed between the lease and the installation, at whatever step: drift, and the change is kept.
#[test]
fn a_change_between_lease_and_installation_is_drift() {
    use Step::{Attributes, Check, Install, Recheck, Stage, Sweep, SyncFile, VerifyStaged, Write};
    let steps = [Sweep, Check, Stage, Write, Attributes, SyncFile, VerifyStaged, Recheck, Install];
    for step in steps {
        let ground = Ground::new();
        let file = ground.put("dir/file", "old");
        for workspace in ground.walks() {
            // In place, and as most editors do it.
            let in_place = || fs::write(&file, "theirs").expect("it writes");
            let renamed = || {
                fs::write(ground.at("dir/beside"), "theirs").expect("it writes");
                fs::rename(ground.at("dir/beside"), &file).expect("it is renamed");
            };
            for change in [&in_place as &dyn Fn(), &renamed] {
                let failed = save_while(&workspace, "dir/file", "old", "new", step, change).expect_err("it drifted");
                assert!(
                    matches!(failed.cause, Refusal::Drift { found: Some(found), .. } if found == Digest::of("theirs")),
                    "{failed}"
                );
                assert_eq!((failed.destination.name(), failed.left), ("untouched", None), "{step:?}");
                assert_eq!(ground.get("dir/file"), b"theirs", "{step:?}");
                assert!(ground.own_files("dir").is_empty(), "{step:?}");
                fs::write(&file, "old").expect("it writes");
            }
        }
    }
}

/// PG-04: where two files cannot be exchanged, that holds up to the last look.
#[test]
fn without_exchange_the_last_look_is_the_last() {
    let ground = Ground::new();
    let file = ground.put("file", "old");
    let workspace = ground.open().without_exchange();
    let change = || fs::write(&file, "theirs").expect("it writes");
    let failed = save_while(&workspace, "file", "old", "new", Step::Recheck, change).expect_err("it drifted");
    assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_drift", "untouched"));
    assert_eq!(ground.get("file"), b"theirs");
    assert!(ground.own_files("").is_empty());
}

/// E-19, PG-04: a file with the same bytes but another mode, or another file with them, is not what was copied from.
#[test]
fn another_file_with_the_same_bytes_is_refused() {
    for step in [Step::Recheck, Step::Install] {
        let ground = Ground::new();
        let file = ground.put("file", "old");
        let set = |at: &Path, mode| fs::set_permissions(at, Permissions::from_mode(mode)).expect("its mode is set");
        let narrower = || set(&file, 0o600);
        let another = || {
            set(&ground.put("beside", "old"), 0o644);
            fs::rename(ground.at("beside"), &file).expect("it is renamed");
        };
        for change in [&narrower as &dyn Fn(), &another] {
            set(&file, 0o644);
            let failed = save_while(&ground.open(), "file", "old", "new", step, change).expect_err("it changed");
            assert!(matches!(failed.cause, Refusal::Changed { .. }), "{failed}");
            assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_drift", "untouched"));
            assert_eq!(ground.get("file"), b"old");
            assert!(ground.own_files("").is_empty());
        }
    }
}

/// PG-04: a directory that is moved away during SAVE, and another in its place: neither file is touched.
#[test]
fn a_directory_that_is_replaced_is_noticed() {
    let ground = Ground::new();
    ground.put("dir/file", "old");
    for workspace in ground.walks() {
        let swap = || {
            fs::rename(ground.at("dir"), ground.outside().join("dir")).expect("it moves");
            ground.put("dir/file", "old");
        };
        let failed = save_while(&workspace, "dir/file", "old", "new", Step::Recheck, swap).expect_err("it moved");
        assert_eq!((failed.cause.name(), failed.destination.name()), ("workspace_drift", "untouched"));
        let moved = ground.outside().join("dir");
        for directory in [&ground.at("dir"), &moved] {
            assert_eq!(fs::read(directory.join("file")).expect("it reads"), b"old");
            assert!(crate::ground::own_files(directory).is_empty());
        }
        fs::remove_dir_all(moved).expect("it is removed");
    }
}
