//! A process of its own, for what a process does to itself: its limits, its rights, its mounts.
//!
//! It is this test program again, with one test selected and a job in its environment.

use std::{env, process::Command};

use rustix::process::geteuid;

const JOB: &str = "ASSAY_PATCH_TEST_JOB";
#[cfg(target_os = "linux")]
const NOBODY: u32 = 65_534;

/// Runs a test as a job, and it has to succeed. A script, if one is given, is the shell's: what it sets holds for the job,
/// which it starts as `exec "$@"`.
pub(crate) fn job(test: &str, detail: &str, script: Option<&str>) {
    let program = env::current_exe().expect("this program has a path");
    let mut command = match script {
        None => Command::new(program),
        Some(script) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(program);
            shell
        }
    };
    let output = command.args([test, "--exact", "--nocapture"]).env(JOB, detail).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 passed"), "{test} {detail}: {said}{}", String::from_utf8_lossy(&output.stderr));
}

/// What this process was started for, where it was.
pub(crate) fn given() -> Option<String> {
    env::var(JOB).ok()
}

/// Has no privileges from now on, in this thread and in those that it starts.
#[cfg(target_os = "linux")]
pub(crate) fn step_down() {
    use rustix::{
        process::{Gid, Uid},
        thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid},
    };
    if geteuid().is_root() {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        set_thread_groups(&[]).expect("root steps down");
        set_thread_res_gid(group, group, group).expect("root steps down");
        set_thread_res_uid(user, user, user).expect("root steps down");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn step_down() {
    assert!(!geteuid().is_root(), "run these tests as a user");
}
