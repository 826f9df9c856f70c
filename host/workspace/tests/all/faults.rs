//! Every step fails once: what is on disk then, and what is said about it.

use std::io;

use assay_workspace::{Digest, Fault, Refusal, STEPS, Step};

use crate::ground::{Ground, expecting, path, save};

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

/// P-009, P-010: a failure before the installation leaves the old file, one behind it the new file, and each is told so.
#[test]
fn a_failure_is_told_as_it_is() {
    for step in STEPS {
        for exchange in [true, false] {
            let ground = Ground::new();
            ground.put("file", "old");
            let workspace = if exchange { ground.open() } else { ground.open().without_exchange() };
            let failed = workspace
                .publish(&path("file"), &expecting("old"), b"new", &mut |reached| {
                    if reached == step { Err(full()) } else { Ok(()) }
                })
                .expect_err("it fails");
            assert_eq!(failed.step, step);
            assert!(matches!(failed.cause, Refusal::Fault(Fault::Io { .. })), "{failed}");
            assert_eq!((failed.before, failed.after), (Digest::of("old"), Digest::of("new")));
            assert_eq!(failed.left, None);

            // What was displaced and not looked at is put back.
            let last_untouched = if exchange { Step::VerifyDisplaced } else { Step::Install };
            let (name, bytes) = if step <= last_untouched { ("untouched", "old") } else { ("installed", "new") };
            assert_eq!(failed.destination.name(), name, "{step:?}");
            assert_eq!(ground.get("file"), bytes.as_bytes(), "{step:?}");
            assert!(ground.own_files("").is_empty(), "{step:?}");

            let said = failed.to_string();
            assert!(said.contains(step.name()) && said.contains("`file`"), "{said}");
            assert_eq!(said.contains("did not touch"), name == "untouched", "{said}");
            assert_eq!(said.contains(&Digest::of("new").to_string()), name == "installed", "{said}");
            save(&workspace, "file", bytes, "next").expect("nothing stands in the way");
        }
    }
}

/// P-010: after a SAVE that was cut off behind the installation, saving the same bytes again completes it.
#[test]
fn a_cut_off_publication_can_be_completed() {
    let ground = Ground::new();
    ground.put("file", "old");
    let workspace = ground.open();
    let mut cut_off = |step| if step == Step::SyncDirectory { Err(full()) } else { Ok(()) };
    let failed = workspace.publish(&path("file"), &expecting("old"), b"new", &mut cut_off).expect_err("it is cut off");
    assert_eq!(failed.destination.name(), "installed");
    let failed = workspace.publish(&path("file"), &expecting("new"), b"new", &mut cut_off).expect_err("again");
    assert_eq!((failed.step, failed.destination.name()), (Step::SyncDirectory, "installed"));
    let published = save(&workspace, "file", "new", "new").expect("it is completed");
    assert_eq!(published.inode_before, published.inode_after);
}

/// PG-04: a staged file that another process alters, or takes away, is not installed.
#[test]
fn an_altered_staged_file_is_not_installed() {
    for alter in [|at: &std::path::Path| std::fs::write(at, "theirs"), |at: &std::path::Path| std::fs::remove_file(at)]
    {
        let ground = Ground::new();
        ground.put("file", "old");
        let mut observer = |step| match (step, ground.own_files("").first()) {
            (Step::SyncFile, Some(name)) => alter(&ground.at(name)),
            _ => Ok(()),
        };
        let failed =
            ground.open().publish(&path("file"), &expecting("old"), b"new", &mut observer).expect_err("it was altered");
        assert_eq!((failed.step, failed.destination.name()), (Step::VerifyStaged, "untouched"), "{failed}");
        assert!(["staged_corrupt", "workspace_drift"].contains(&failed.cause.name()), "{failed}");
        assert_eq!(ground.get("file"), b"old");
        assert!(ground.own_files("").is_empty());
    }
}
