//! A process that is killed at every point of SAVE.

use std::{fs, os::unix::process::ExitStatusExt as _};

use assay_workspace::{STEPS, Step};

use crate::{
    child,
    ground::{Ground, save},
};

/// P-008, P-010, PG-04: whenever it is killed, the file has all of the old or all of the new bytes, its mode, and one name;
/// the next SAVE succeeds and removes what was left.
#[test]
fn a_kill_leaves_the_old_or_the_new_bytes() {
    // Several pieces, so that a kill also comes while they are being written.
    let new = vec![b'n'; 200_000];
    let points =
        STEPS.into_iter().flat_map(|step| (1..=if step == Step::Write { 4 } else { 1 }).map(move |time| (step, time)));
    for (step, time) in points {
        let ground = Ground::new();
        ground.put("dir/file", "old");
        let mode = ground.mode("dir/file");
        fs::write(ground.folder().join("new"), &new).expect("it writes");
        let output = child::run("die", ground.root(), &format!("{} {time}", step.name()), None);
        assert_eq!(output.status.signal(), Some(9), "{step:?}: {output:?}");

        let has = ground.get("dir/file");
        let expected = if step <= Step::Install { b"old".as_slice() } else { &new };
        assert!(has == expected, "{step:?} leaves {} bytes", has.len());
        assert_eq!(ground.mode("dir/file"), mode, "{step:?}");
        let left = ground.own_files("dir");
        let is_left = (Step::Write..=Step::Discard).contains(&step);
        assert_eq!(left.len(), usize::from(is_left), "{step:?}: {left:?}");

        let published = save(&ground.open(), "dir/file", &has, "next").expect("the lease ended with its holder");
        assert_eq!(published.stale_removed, u32::from(is_left), "{step:?}");
        assert_eq!(ground.get("dir/file"), b"next");
        assert!(ground.own_files("dir").is_empty(), "{step:?}");
    }
}
