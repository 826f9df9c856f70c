//! A process of its own, for what a process does to itself: being killed, its mask, its limits, its user.
//!
//! The process is this test program again, with the one test below selected and a job named in its environment.

use std::{
    env, fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use assay_workspace::{Fault, Refusal, Step, Workspace};
use rustix::process::{Signal, getpid, kill_process};

use crate::{
    ground::{expecting, own_files, path},
    modes, owners,
};

const JOB: &str = "ASSAY_WORKSPACE_TEST_JOB";
const ROOT: &str = "ASSAY_WORKSPACE_TEST_ROOT";
const DETAIL: &str = "ASSAY_WORKSPACE_TEST_DETAIL";

/// Runs a job. A script, if one is given, is the shell's: what it sets holds for the job, which it starts as `exec "$@"`.
pub(crate) fn run(job: &str, root: impl Into<PathBuf>, detail: &str, script: Option<&str>) -> Output {
    let program = env::current_exe().expect("this program has a path");
    let arguments = ["child::takes_the_job_it_is_given", "--exact", "--nocapture"];
    let mut command = match script {
        None => Command::new(program),
        Some(script) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(program);
            shell
        }
    };
    command.args(arguments).env(JOB, job).env(ROOT, root.into()).env(DETAIL, detail).output().expect("it runs")
}

/// Runs one that has to succeed.
pub(crate) fn succeed(job: &str, root: impl Into<PathBuf>, detail: &str, script: Option<&str>) {
    let output = run(job, root, detail, script);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{job} {detail}: {said}{}", String::from_utf8_lossy(&output.stdout));
}

/// Nothing in this process; the job in one that was started for it.
#[test]
fn takes_the_job_it_is_given() {
    let Ok(job) = env::var(JOB) else { return };
    let root = PathBuf::from(env::var_os(ROOT).expect("a root comes with a job"));
    let detail = env::var(DETAIL).expect("a detail comes with a job");
    match job.as_str() {
        "die" => die(&root, &detail),
        "fill" => fill(&root, &detail),
        "watch" => modes::watch(&root),
        "nobody" => owners::as_nobody(&root, &detail),
        other => panic!("there is no job {other}"),
    }
}

/// Saves `new` over `old` and kills this process when a step is reached for the given time.
fn die(root: &Path, detail: &str) {
    let (step, time) = detail.split_once(' ').expect("a step and how many times it comes");
    let mut left: usize = time.parse().expect("a number");
    let new = fs::read(root.with_file_name("new")).expect("the new bytes");
    let mut observer = |reached: Step| {
        if reached.name() == step {
            left -= 1;
            if left == 0 {
                kill_process(getpid(), Signal::KILL).expect("it may be killed");
            }
        }
        Ok(())
    };
    let workspace = Workspace::open(root).expect("it opens");
    workspace.publish(&path("dir/file"), &expecting("old"), &new, &mut observer).expect("it ends only by being killed");
}

/// Saves more than this process may write, or than the disk holds.
fn fill(root: &Path, detail: &str) {
    let workspace = Workspace::open(root).expect("it opens");
    let failed = workspace
        .publish(&path("file"), &expecting("old"), &vec![b'n'; 256 * 1024], &mut |_| Ok(()))
        .expect_err("there is no room for it");
    assert_eq!((failed.step, failed.destination.name(), failed.cause.name()), (Step::Write, "untouched", "io_failed"));
    let said = failed.to_string();
    let expected = if detail == "disk" { ErrorKind::StorageFull } else { ErrorKind::FileTooLarge };
    let is_expected = matches!(&failed.cause, Refusal::Fault(Fault::Io { error, .. }) if error.kind() == expected);
    assert!(is_expected, "{said}");
    assert!(said.contains("did not touch"), "{said}");
    assert_eq!(failed.left, None);
    assert_eq!(fs::read(root.join("file")).expect("it reads"), b"old");
    assert!(own_files(root).is_empty());
}
