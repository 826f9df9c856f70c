//! The recorded repository, made anew.

use std::{
    ffi::OsStr,
    io::Write as _,
    process::{Command, Stdio},
};

use assay_kit::recorded_repo::{BASE, BRANCHES, HEAD, TAG, base, branch};
use tempfile::TempDir;

pub(crate) struct Git(TempDir);

impl Git {
    pub(crate) fn recorded() -> Self {
        let git = Self(TempDir::new().expect("a temporary folder"));
        git.must(&["init", "--quiet", "--bare", "--initial-branch=main"], &[]);
        git.must(&["fast-import", "--quiet"], &base());
        for name in BRANCHES {
            git.must(&["fast-import", "--quiet"], &branch(name));
        }
        git.must(&["hash-object", "-t", "tag", "-w", "--stdin"], TAG.as_bytes());
        assert_eq!(git.resolve("main").as_deref(), Some(BASE), "it is the recorded repository");
        assert_eq!(git.resolve("feature").as_deref(), Some(HEAD), "it is the recorded branch");
        git
    }

    /// The full id of what a revision names.
    pub(crate) fn resolve(&self, revision: &str) -> Option<String> {
        let id = self.run(&["rev-parse", "--verify", "--quiet", revision], &[])?;
        Some(String::from_utf8(id).expect("an id is ASCII").trim_end().to_owned())
    }

    /// An object's content.
    pub(crate) fn object(&self, id: &str) -> Option<Vec<u8>> {
        let kind = self.run(&["cat-file", "-t", id], &[])?;
        let kind = String::from_utf8(kind).expect("a kind is ASCII");
        self.run(&["cat-file", kind.trim_end(), id], &[])
    }

    /// The diff between two commits as a forge makes it.
    pub(crate) fn diff(&self, from: &str, to: &str, binary: bool) -> Option<Vec<u8>> {
        let kind: &[&str] = if binary { &["-p", "--binary", "--histogram"] } else { &["-p"] };
        self.run(
            &[&["-c", "core.quotePath=false", "diff"], kind, &["--no-ext-diff", "--no-textconv", from, to, "--"]]
                .concat(),
            &[],
        )
    }

    /// A tree's entries as `ls-tree` lists them: mode, kind, id, size and the name's bytes.
    pub(crate) fn entries(&self, tree: &str) -> Option<Vec<(String, Vec<u8>)>> {
        let listed = self.run(&["ls-tree", "-z", "--long", tree], &[])?;
        let entries = listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
        Some(
            entries
                .map(|entry| {
                    let tab = entry.iter().position(|byte| *byte == b'\t').expect("a name follows");
                    (String::from_utf8_lossy(&entry[..tab]).into_owned(), entry[tab + 1..].to_vec())
                })
                .collect(),
        )
    }

    fn must<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Vec<u8> {
        self.run(arguments, input).expect("git does it")
    }

    fn run<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Option<Vec<u8>> {
        let mut child = Command::new("git")
            .current_dir(self.0.path())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs([("HOME", "/nonexistent"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("git is installed");
        let mut stdin = child.stdin.take().expect("it is a pipe");
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output().expect("git ends")
        });
        output.status.success().then_some(output.stdout)
    }
}
