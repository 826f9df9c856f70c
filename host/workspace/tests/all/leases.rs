//! Two who save in one directory: one after the other, or one is refused; no update is lost.

use std::{fs, sync::mpsc, thread, time::Duration};

use assay_workspace::{Refusal, Step, Walk, Workspace};

use crate::ground::{Ground, save, save_while};

/// P-008, PG-04: who finds the directory leased and may not wait is refused, and touches nothing.
#[test]
fn a_leased_directory_refuses_the_impatient() {
    let ground = Ground::new();
    ground.put("dir/file", "old");
    ground.put("dir/other", "old");
    ground.put("file", "old");
    let first = ground.open();
    for second in ground.walks() {
        let second = second.with_patience(Duration::ZERO);
        let meanwhile = || {
            for name in ["dir/file", "dir/other"] {
                let failed = save(&second, name, "old", "newer").expect_err("it is leased");
                assert!(matches!(failed.cause, Refusal::Leased { .. }), "{failed}");
                assert_eq!((failed.cause.name(), failed.step), ("leased", Step::Lease));
                assert_eq!(failed.destination.name(), "untouched");
            }
            save(&second, "file", "old", "newer").expect("another directory has its own lease");
            save(&second, "file", "newer", "old").expect("and gives it back");
        };
        save_while(&first, "dir/file", "old", "new", Step::Install, meanwhile).expect("it is published");
        save(&second, "dir/file", "new", "old").expect("the lease was given back");
    }
    assert_eq!(ground.get("dir/other"), b"old");
}

/// P-008, PG-04: a refused publication gives its lease back as well.
#[test]
fn a_refusal_gives_the_lease_back() {
    let ground = Ground::new();
    ground.put("file", "old");
    let workspace = ground.open().with_patience(Duration::ZERO);
    save(&workspace, "file", "other", "new").expect_err("it drifted");
    save(&workspace, "file", "old", "new").expect("nobody holds the lease");
}

/// P-163, PG-04: who waits for the lease then sees what the first one saved, so its update is not lost.
#[test]
fn who_waits_sees_what_was_saved() {
    let ground = Ground::new();
    ground.put("file", "old");
    let (first, second) = (ground.open(), ground.open().with_patience(Duration::from_secs(60)));
    let (starts, started) = mpsc::channel();
    thread::scope(|scope| {
        let mut waiting = None;
        let meanwhile = || {
            waiting = Some(scope.spawn(|| {
                save_while(&second, "file", "old", "second", Step::Lease, || starts.send(()).expect("it is awaited"))
            }));
            started.recv().expect("it has started");
        };
        save_while(&first, "file", "old", "first", Step::Install, meanwhile).expect("it is published");
        let failed = waiting.expect("it was started").join().expect("it ends").expect_err("the file is another now");
        assert_eq!((failed.cause.name(), failed.step), ("workspace_drift", Step::Check));
    });
    assert_eq!(ground.get("file"), b"first");
    assert!(ground.own_files("").is_empty());
}

/// X-02, P-008: a directory that is moved out of the root while it is waited for is left alone, staged files and all.
#[cfg(target_os = "linux")]
#[test]
fn a_directory_that_moves_while_it_is_waited_for_is_left_alone() {
    use rustix::fs::{FlockOperation, flock};

    for walk in [Walk::Kernel, Walk::Steps] {
        let ground = Ground::new();
        let stale = ".assay-stage-0123456789abcdef";
        ground.put("dir/file", "old");
        ground.put(&format!("dir/{stale}"), "x");
        let directory = ground.at("dir").canonicalize().expect("it is there");
        let held = fs::File::open(&directory).expect("it opens");
        flock(&held, FlockOperation::LockExclusive).expect("it is leased");
        let Ok(waiting) = Workspace::open_walking(&ground.root(), walk) else { continue };
        let waiting = waiting.with_patience(Duration::from_secs(60));
        thread::scope(|scope| {
            let saving = scope.spawn(|| save(&waiting, "dir/file", "old", "new"));
            // It waits for the lease once it has the directory open as well.
            let handles = || {
                let all = fs::read_dir("/proc/self/fd").expect("it lists");
                let leads = |at: std::path::PathBuf| fs::read_link(at).is_ok_and(|to| to == directory);
                all.filter(|entry| entry.as_ref().is_ok_and(|entry| leads(entry.path()))).count()
            };
            while handles() < 2 && !saving.is_finished() {
                thread::yield_now();
            }
            fs::rename(&directory, ground.outside().join("dir")).expect("it moves");
            ground.put("dir/file", "old");
            drop(held);
            let failed = saving.join().expect("it ends").expect_err("it is elsewhere");
            assert_eq!((failed.cause.name(), failed.step), ("workspace_drift", Step::Lease), "{failed}");
        });
        assert_eq!(crate::ground::own_files(&ground.outside().join("dir")), [stale]);
        assert_eq!(ground.get("dir/file"), b"old");
    }
}

/// P-008, PG-04: many who each add to what they read: every addition that was said to be saved is there.
#[test]
fn no_update_is_lost() {
    const WRITERS: usize = 4;
    const EACH: usize = 10;
    let ground = Ground::new();
    ground.put("file", "");
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let ground = &ground;
            scope.spawn(move || {
                let workspace = ground.open().with_patience(Duration::from_secs(60));
                let mut saved = 0;
                while saved < EACH {
                    let old = fs::read_to_string(ground.at("file")).expect("it reads");
                    let new = format!("{old}{writer}:{saved}\n");
                    match save(&workspace, "file", &old, &new) {
                        Ok(_) => saved += 1,
                        Err(failed) => assert_eq!(failed.cause.name(), "workspace_drift", "{failed}"),
                    }
                }
            });
        }
    });
    let text = fs::read_to_string(ground.at("file")).expect("it reads");
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    let expected: Vec<_> = (0..WRITERS).flat_map(|w| (0..EACH).map(move |n| format!("{w}:{n}"))).collect();
    assert_eq!(lines, expected);
    assert!(ground.own_files("").is_empty());
}
