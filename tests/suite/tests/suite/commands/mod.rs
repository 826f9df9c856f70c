//! The commands for people, as they are run: their files, their tables, their words and their exit codes, on local forges
//! that serve evidence and on ones that do not.

mod doctor;
mod local;
mod patch;
mod settings;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use assay_kit::{
    AwkwardRepository, Delivery, DiffStyle, Evidence, Gate, ObjectFormat, ScriptedForge, Step, evidence::sha256_hex,
    repository::slice_of,
};
use assay_local_forge::{Accounts, Config, LocalForge, Source, Token};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::program;

/// What the program reads from the environment, none of which may be the tester's.
const SETTINGS: [&str; 29] = [
    "ASSAY_CONFIG",
    "ASSAY_LOG",
    "ASSAY_LOG_FORMAT",
    "COLUMNS",
    "FORGEJO_PASSWORD",
    "FORGEJO_TOKEN",
    "FORGEJO_TOKEN_FILE",
    "FORGEJO_URL",
    "FORGEJO_USER",
    "GATEWAY_ALLOWED_HOSTS",
    "GATEWAY_CA_FILE",
    "GATEWAY_DIFF_ENCODING",
    "GATEWAY_DIFF_PROOF",
    "GATEWAY_DIFF_SOURCE",
    "GATEWAY_LISTEN",
    "GATEWAY_MAX_BODY",
    "GATEWAY_OBJECT_CACHE_BYTES",
    "GATEWAY_PROOF_CONCURRENCY",
    "GATEWAY_PROOF_FILE_BYTES",
    "GATEWAY_RATE_READ",
    "GATEWAY_RATE_WINDOW",
    "GATEWAY_RESULT_BYTES",
    "GATEWAY_SPOOL_BYTES",
    "GATEWAY_TIMEOUT",
    "NO_COLOR",
    "PATCHDIFF_DATABASE_URL",
    "PATCHDIFF_MCP_PROFILE",
    "PATCHDIFF_WORKSPACE",
    "XDG_DATA_HOME",
];

/// A folder of the test's own: home, working folder and place of temporary files.
struct Desk {
    folder: TempDir,
}

/// A local forge over one repository.
struct Forge {
    runtime: Runtime,
    forge: Option<LocalForge>,
    token: Token,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        std::fs::create_dir(folder.path().join("tmp")).expect("there is room");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn assay(&self, arguments: &[&str]) -> Command {
        let mut command = program::assay();
        for name in SETTINGS {
            command.env_remove(name);
        }
        command
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("TMPDIR", self.path("tmp"))
            .current_dir(self.folder.path())
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.assay(arguments).output().expect("the program runs")
    }

    fn on(&self, forge: &Forge, arguments: &[&str]) -> Output {
        forge.told(&mut self.assay(arguments)).output().expect("the program runs")
    }

    fn settings(&self, text: &str) {
        let folder = self.path("config/assay");
        std::fs::create_dir_all(&folder).expect("there is room");
        std::fs::write(folder.join("config.toml"), text).expect("there is room");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What lies there, besides the folder for temporary files, which must be empty.
    fn left(&self) -> Vec<String> {
        let names = |folder: &Path| {
            let entries = std::fs::read_dir(folder).expect("it is there");
            let names = entries.map(|entry| entry.expect("it is readable").file_name().to_string_lossy().into_owned());
            let mut names: Vec<String> = names.collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(&self.path("tmp")), [""; 0], "temporary files were left");
        names(self.folder.path()).into_iter().filter(|name| name != "tmp" && name != "config").collect()
    }
}

impl Forge {
    fn over(repository: &AwkwardRepository, native_evidence: bool) -> Self {
        let (accounts, token) = Accounts::with_owner();
        Self::with(repository, native_evidence, accounts, token)
    }

    fn with(repository: &AwkwardRepository, native_evidence: bool, accounts: Accounts, token: Token) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
        let source = Source { private: true, ..Source::from_path(repository.path()) };
        let config = Config { accounts, native_evidence, ..Config::serving(vec![source]) };
        let forge = runtime.block_on(assay_local_forge::start(config)).expect("it starts");
        Self { runtime, forge: Some(forge), token }
    }

    fn url(&self) -> String {
        self.forge.as_ref().expect("until it is dropped").url()
    }

    fn told<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("FORGEJO_URL", self.url()).env("FORGEJO_TOKEN", &*self.token)
    }

    fn pull(&self, branch: &str) -> String {
        let pulls = self.forge.as_ref().expect("until it is dropped").pulls();
        let pull = pulls.iter().find(|pull| pull.branch == branch).expect("every branch is one");
        format!("{}/{}#{}", pull.owner, pull.repo, pull.index)
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        if let Some(forge) = self.forge.take() {
            self.runtime.block_on(forge.shutdown());
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn done(output: &Output) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", text(&output.stdout));
    said
}

#[track_caller]
fn failed(output: &Output, code: i32) -> String {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}\n{}", text(&output.stdout));
    said
}

/// O-008, O-009, D-044: what is written is git's, byte for byte, from either kind of forge, and the receipt says which.
#[test]
fn a_diff_is_gits_and_its_receipt_says_what_it_is() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::new(format);
        let diff = repository.diff("main", "everything", DiffStyle::FORGE);
        for native in [true, false] {
            let (desk, forge) = (Desk::new(), Forge::over(&repository, native));
            let pull = forge.pull("everything");
            let output = desk.on(&forge, &["diff", &pull, "-o", "out.diff", "--receipt", "receipt.json"]);
            let said = done(&output);
            assert_eq!(desk.read("out.diff"), diff, "{format:?}, native: {native}");
            assert_eq!((output.stdout.len(), desk.left()), (0, vec!["out.diff".to_owned(), "receipt.json".to_owned()]));
            for part in [&pull, &repository.oid("main"), &repository.oid("everything"), &sha256_hex(&diff)] {
                assert!(said.contains(part), "{part} is not in\n{said}");
            }
            let kind = if native { "native evidence" } else { "proven: applied to the merge base's tree" };
            assert!(said.contains(kind) && said.contains("not known") && !said.contains("NOT PROVEN"), "{said}");
            assert!(!said.contains(&*forge.token), "the token is in the receipt");
            let receipt: Value = serde_json::from_slice(&desk.read("receipt.json")).expect("it is JSON");
            assert_eq!(receipt["content"]["sha256"], sha256_hex(&diff));
            assert_eq!(receipt["schema"] == "assay.pr-diff-observed.v1", !native);

            let piped = desk.on(&forge, &["diff", &pull]);
            done(&piped);
            assert_eq!(piped.stdout, diff);
        }
    }
}

/// S-003, S-004, S-010: one file's part, by names that trip other tools.
#[test]
fn one_file_is_written_alone() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let changes = repository.changes("main", "everything", DiffStyle::FORGE);
    let (desk, forge) = (Desk::new(), Forge::over(&repository, false));
    let pull = forge.pull("everything");
    for (name, path) in [
        ("naïve.txt", "naïve.txt".as_bytes()),
        ("x b/y.txt", b"x b/y.txt"),
        ("line\nfeed.txt", b"line\nfeed.txt"),
        ("\"latin1-\\351.txt\"", b"latin1-\xe9.txt"),
        ("moved/naïve-old.txt", "moved/naïve-old.txt".as_bytes()),
        ("moved/naïve-new.txt", "moved/naïve-new.txt".as_bytes()),
    ] {
        let output = desk.on(&forge, &["diff", &pull, "--file", name]);
        let said = done(&output);
        assert_eq!(output.stdout, slice_of(&changes, path), "{name}");
        assert!(said.contains(&sha256_hex(&output.stdout)) && said.contains("of the whole diff"), "{said}");
        assert_eq!(said.matches('\n').count(), said.lines().count(), "a name broke a line: {said}");
    }
    let unknown = desk.on(&forge, &["diff", "local/nowhere#1"]);
    assert!(failed(&unknown, 1).contains("`assay doctor` checks the address and the token"));
    let missing = desk.on(&forge, &["diff", &pull, "--file", "no such file", "-o", "out.diff"]);
    assert!(failed(&missing, 1).contains("no such file"));
    assert_eq!(desk.left(), [""; 0]);
}

/// Who closes standard output early, as `head` does, has what he wanted.
#[test]
fn a_closed_pipe_is_no_fault() {
    let repository = AwkwardRepository::large(2_000_000, ObjectFormat::Sha1);
    let (desk, forge) = (Desk::new(), Forge::over(&repository, true));
    let mut command = desk.assay(&["diff", &forge.pull("large")]);
    let mut child = forge.told(&mut command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut first = [0; 11];
    child.stdout.take().expect("piped").read_exact(&mut first).expect("it writes");
    assert_eq!(&first, b"diff --git ");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(done(&output), "");
}

/// O-016: every file has its row, whatever its name, and none drives the terminal.
#[test]
fn the_table_has_every_file() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let changes = repository.changes("main", "everything", DiffStyle::FORGE);
    let sections: usize = changes.iter().map(|change| change.sections.len()).sum();
    let patch = repository.path().join("counted.diff");
    std::fs::write(&patch, repository.diff("main", "everything", DiffStyle::FORGE)).expect("there is room");
    // git counts the lines of the diff itself: of a file that became a link `diff --stat` counts otherwise.
    let counts = text(&repository.git(["apply", "--numstat", patch.to_str().expect("it is plain")]));
    let counted = |column: usize| -> u64 {
        counts.lines().filter_map(|line| line.split('\t').nth(column)?.parse::<u64>().ok()).sum()
    };
    let totals = format!("{} insertions(+), {} deletions(-)", counted(0), counted(1));
    for native in [true, false] {
        let (desk, forge) = (Desk::new(), Forge::over(&repository, native));
        let output = desk.on(&forge, &["diff", &forge.pull("everything"), "--stat"]);
        done(&output);
        let table = text(&output.stdout);
        let (last, rows) = table.lines().collect::<Vec<_>>().split_last().map(|(a, b)| (*a, b.len())).expect("lines");
        assert_eq!(rows, sections, "{table}");
        assert!(last.starts_with(&format!(" {sections} files changed, ")), "{last}");
        assert!(last.contains(&totals), "{last}, not {totals}");
        for part in
            ["\"latin1-\\351.txt\"", "\"line\\nfeed.txt\"", "\"bell\\007del\\177.txt\"", "naïve.txt", " => ", "| Bin"]
        {
            assert!(table.contains(part), "{part} is not in\n{table}");
        }
        assert!(!table.contains(|c: char| c.is_control() && c != '\n'), "{table:?}");
    }
}

/// O-011: a budget that ends in the middle of a proof, again and again, costs time and nothing else.
#[test]
fn a_small_budget_is_waited_for() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha1);
    let (desk, forge) = (Desk::new(), Forge::over(&repository, false));
    let pull = forge.pull("names");
    let output = desk.on(&forge, &["diff", &pull, "--rate-read", "20", "--rate-window", "1"]);
    assert!(done(&output).contains("proven: applied"));
    assert_eq!(output.stdout, repository.diff("main", "names", DiffStyle::FORGE));
}

/// Nothing is there of a diff that turned out wrong, and what was there before still is.
#[test]
fn a_diff_that_fails_leaves_nothing() {
    let target = "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1";
    let forge = ScriptedForge::start();
    let diff = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1,3000 @@\n".to_owned()
        + &"+a line of some length\n".repeat(3_000);
    let good = Evidence::new(&diff, 7, ObjectFormat::Sha1);
    let moved = good.clone().inputs(&"c".repeat(40), &"d".repeat(40));
    forge.script("GET", target, [good.response(), moved.response()]);
    let desk = Desk::new();
    std::fs::write(desk.path("out.diff"), "before").expect("there is room");
    let output = desk
        .assay(&["diff", "o/r#7", "-o", "out.diff", "--receipt", "receipt.json"])
        .env("FORGEJO_URL", forge.url())
        .env("FORGEJO_TOKEN", "token")
        .output()
        .expect("it runs");
    failed(&output, 1);
    assert_eq!(forge.requests().len(), 2, "the second page was asked for");
    assert_eq!((desk.read("out.diff"), desk.left()), (b"before".to_vec(), vec!["out.diff".to_owned()]));

    let folder =
        desk.assay(&["diff", "o/r#7", "-o", "."]).env("FORGEJO_URL", forge.url()).env("FORGEJO_TOKEN", "x").output();
    assert!(failed(&folder.expect("it runs"), 2).contains("folder"));
    assert_eq!(forge.requests().len(), 2, "no request is made for what cannot be written");
}

#[test]
fn every_shell_has_completions() {
    let desk = Desk::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = desk.run(&["completions", shell]);
        assert_eq!(done(&output), "");
        let script = text(&output.stdout);
        for word in ["doctor", "completions", "local-forge", "diff-source"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    for command in
        ["", "stdio", "serve", "diff", "doctor", "config", "call", "tools", "patch", "local-forge", "completions"]
    {
        let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        assert!(!desk.run(&arguments).stdout.is_empty(), "{command}");
    }
}

/// A signal in the middle of a download leaves neither a part of the file nor a copy of a repository.
#[test]
fn an_interrupt_leaves_nothing() {
    let forge = ScriptedForge::start();
    let desk = Desk::new();
    // The forge says nothing until the test ends.
    let gate = Gate::closed();
    let answer = Evidence::new("x\n", 7, ObjectFormat::Sha1).response();
    forge.script(
        "GET",
        "/api/v1/repos/o/r/pulls/7.diff?binary=true&evidence=v1",
        [Delivery(vec![Step::Wait(gate.clone()), Step::Bytes(answer.bytes())])],
    );
    let mut child = desk
        .assay(&["diff", "o/r#7", "-o", "out.diff"])
        .env("FORGEJO_URL", forge.url())
        .env("FORGEJO_TOKEN", "token")
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    while forge.requests().is_empty() {
        std::thread::yield_now();
    }
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(told.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(70));
    assert_eq!(desk.left(), [""; 0]);
    gate.open();
}
