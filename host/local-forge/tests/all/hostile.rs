//! A served repository may be anybody's. Nothing in it is run, and nothing in it is changed.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use assay_local_forge::{Config, Error, start};
use tempfile::TempDir;

use crate::ground::{Repo, get, serving};

/// A program that leaves its name in a folder when it is run.
struct Canaries {
    folder: TempDir,
}

impl Canaries {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    /// A program that says that `name` was run, and nothing to git.
    fn program(&self, name: &str) -> String {
        let path = self.folder.path().join(format!("run-{name}"));
        let sung = self.folder.path().join(format!("sung-{name}"));
        fs::write(&path, format!("#!/bin/sh\n: > '{}'\n", sung.display())).expect("it is writable");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path.display().to_string()
    }

    /// Which were run; forgotten afterwards.
    fn sung(&self) -> Vec<String> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder.path()).expect("it is there").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(name) = name.strip_prefix("sung-") {
                names.push(name.to_owned());
                fs::remove_file(entry.path()).expect("it is ours");
            }
        }
        names.sort();
        names
    }
}

const ATTRIBUTES: &str = "* diff=canary filter=canary merge=canary\n";

/// Every way in which a repository's own files are known to name a program to git.
fn plant(repo: &Repo, canaries: &Canaries) {
    repo.write(".gitattributes", ATTRIBUTES);
    repo.commit("Name a driver for everything");
    let hooks = repo.path().join(".git/hooks");
    fs::create_dir_all(&hooks).expect("it is writable");
    for hook in [
        "post-checkout",
        "post-index-change",
        "post-merge",
        "post-receive",
        "post-rewrite",
        "post-update",
        "pre-auto-gc",
        "pre-receive",
        "proc-receive",
        "push-to-checkout",
        "reference-transaction",
        "update",
        "fsmonitor-watchman",
    ] {
        fs::copy(canaries.program(&format!("hook-{hook}")), hooks.join(hook)).expect("it is writable");
    }
    fs::create_dir_all(repo.path().join(".git/info")).expect("it is writable");
    fs::write(repo.path().join(".git/info/attributes"), ATTRIBUTES).expect("it is writable");
    for (key, program) in [
        ("core.fsmonitor", "fsmonitor"),
        ("core.sshCommand", "ssh"),
        ("core.gitProxy", "proxy"),
        ("core.pager", "pager"),
        ("core.editor", "editor"),
        ("core.askPass", "askpass"),
        ("core.alternateRefsCommand", "alternate-refs"),
        ("credential.helper", "credential"),
        ("diff.external", "external-diff"),
        ("diff.canary.command", "diff-command"),
        ("diff.canary.textconv", "textconv"),
        ("filter.canary.clean", "clean"),
        ("filter.canary.smudge", "smudge"),
        ("filter.canary.process", "process"),
        ("merge.canary.driver", "merge"),
        ("gpg.program", "gpg"),
        ("interactive.diffFilter", "filter"),
        ("uploadpack.packObjectsHook", "pack-objects"),
        ("remote.origin.uploadpack", "uploadpack"),
        ("remote.origin.vcs", "vcs"),
        ("pager.diff", "pager-diff"),
        ("pager.for-each-ref", "pager-for-each-ref"),
    ] {
        repo.git(["config", key, &canaries.program(program)]);
    }
    for command in ["diff", "fetch", "for-each-ref", "merge-base", "rev-parse", "upload-pack"] {
        repo.git([
            "config",
            &format!("alias.{command}"),
            &format!("!{}", canaries.program(&format!("alias-{command}"))),
        ]);
    }
    repo.git(["config", "protocol.ext.allow", "always"]);
    repo.git(["config", "core.repositoryFormatVersion", "1"]);
    repo.git(["config", "core.hooksPath", &hooks.display().to_string()]);
}

#[tokio::test]
async fn nothing_that_a_repository_names_is_run() {
    let (repo, canaries) = (Repo::small(), Canaries::new());
    plant(&repo, &canaries);
    // Ordinary git does run them, or this test would show nothing.
    canaries.sung();
    ordinary_git(&repo, &["status"]);
    ordinary_git(&repo, &["diff", "main", "feature"]);
    ordinary_git(&repo, &["-c", "filter.canary.process=", "diff", "main", "feature"]);
    ordinary_git(&repo, &["-c", "filter.canary.process=", "show", "--textconv", "feature"]);
    let control = canaries.sung();
    for name in ["diff-command", "fsmonitor", "process", "textconv"] {
        assert!(control.iter().any(|sung| sung == name), "{name}: {control:?}");
    }

    let forge = serving([repo.source()]).await;
    read_everything(&forge).await;
    repo.git(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "branch", "later", "feature"]);
    canaries.sung();
    read_everything(&forge).await;
    forge.shutdown().await;
    assert_eq!(canaries.sung(), Vec::<String>::new());
}

/// A partial clone completes itself with a command from its configuration, when somebody reads what it lacks.
#[tokio::test]
async fn a_partial_clone_does_not_complete_itself_with_its_own_command() {
    let (repo, canaries) = (Repo::small(), Canaries::new());
    let blob = repo.git(["rev-parse", "feature:a.txt"]);
    let (fan, rest) = blob.split_at(2);
    fs::remove_file(repo.path().join(".git/objects").join(fan).join(rest)).expect("it is loose");
    repo.git(["config", "core.repositoryFormatVersion", "1"]);
    repo.git(["config", "extensions.partialClone", "origin"]);
    for (key, value) in [
        ("remote.origin.url", repo.path().display().to_string()),
        ("remote.origin.promisor", "true".into()),
        ("remote.origin.uploadpack", canaries.program("uploadpack")),
        ("protocol.allow", "always".into()),
    ] {
        repo.git(["config", key, &value]);
    }
    // Ordinary git asks that command.
    ordinary_git(&repo, &["cat-file", "-p", &blob]);
    assert_eq!(canaries.sung(), ["uploadpack"]);

    let refused = start(Config::serving(vec![repo.source()])).await.expect_err("an object is missing");
    assert!(matches!(refused, Error::NotARepository { .. }), "{refused}");
    assert!(refused.to_string().contains("partial clone"), "{refused}");
    assert_eq!(canaries.sung(), Vec::<String>::new());
}

#[tokio::test]
async fn a_served_repository_is_never_written_to() {
    let repo = Repo::small();
    let before = files(&repo.path());
    let forge = serving([repo.source()]).await;
    read_everything(&forge).await;
    forge.shutdown().await;
    assert_eq!(files(&repo.path()), before);
}

/// What the owner's git does, whether it ends well or not: some canaries break what runs them.
fn ordinary_git(repo: &Repo, arguments: &[&str]) {
    let output = Command::new("git").arg("-C").arg(repo.path()).args(arguments).stdin(Stdio::null()).output();
    output.expect("git is installed");
}

async fn read_everything(forge: &assay_local_forge::LocalForge) {
    for target in [
        "",
        "/pulls?state=all",
        "/pulls/1",
        "/pulls/1.diff",
        "/pulls/1.diff?binary=true",
        "/pulls/1.diff?binary=true&evidence=v1",
        "/branches",
        "/branches/main",
        "/git/refs/heads",
    ] {
        let reply = get(forge, &format!("/api/v1/repos/alice/proj{target}")).await;
        assert_eq!(reply.status, 200, "{target}: {}", reply.text());
    }
}

/// All files below a folder, with what is in them and when they changed.
fn files(folder: &Path) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("it is readable").flatten() {
        let (path, metadata) = (entry.path(), entry.metadata().expect("it is readable"));
        if metadata.is_dir() {
            found.extend(files(&path));
        }
        let content = if metadata.is_file() { fs::read(&path).expect("it is readable") } else { Vec::new() };
        found.insert(path, (metadata.modified().expect("it has a time"), content));
    }
    found
}

/// One broken branch does not keep the others from being served; a broken default branch does, as in its place another one
/// would be what everything is compared with.
#[tokio::test]
async fn a_broken_branch_is_left_out_and_a_broken_base_refused() {
    for kind in ["garbage", "no object"] {
        let repo = Repo::small();
        repo.git(["branch", "other", "feature"]);
        let broken = |branch: &str| {
            let text = if kind == "garbage" { "garbage\n".to_owned() } else { format!("{}\n", "ab".repeat(20)) };
            std::fs::write(repo.path().join(".git/refs/heads").join(branch), text).expect("it is there");
        };
        broken("other");
        let forge = start(Config::serving(vec![repo.source()])).await.expect("the others are whole");
        let branches: Vec<String> = forge.pulls().into_iter().map(|pull| pull.branch).collect();
        assert_eq!(branches, ["feature"], "{kind}");
        forge.shutdown().await;
        broken("main");
        let refused = start(Config::serving(vec![repo.source()])).await.expect_err(kind).to_string();
        assert!(refused.contains("`main`") && refused.contains("git fsck"), "{kind}: {refused}");
    }
}
