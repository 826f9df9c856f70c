//! Real git repositories in temporary folders, the same on every machine, and what real git says about them.
//!
//! The slice that a test expects is git's own: its diff is printed a second time with prefixes that occur nowhere else,
//! so that sections can be told apart without a parser.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    content::prose,
    evidence::Evidence,
    random::{Random, edited, tree},
    topics::topics,
    tree::{Commit, Tree, file, import_stream, place},
};

/// Stands in the prefixes of a diff that is to be taken apart; no content of ours has it.
const MARK: &str = "q7Zk9Vx2Wp4";
/// The default branch.
const BASE: &str = "main";

/// What names a repository's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 40 hexadecimal digits.
    Sha1,
    /// 64 hexadecimal digits.
    Sha256,
}

impl ObjectFormat {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sha1, Self::Sha256];

    /// As git and forges write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// The length of an object's id.
    #[must_use]
    pub fn hex_digits(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }
}

/// What a forge's git may be configured to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffStyle {
    /// `core.quotePath`: whether bytes from 0x80 on are octal escapes.
    pub quote_path: bool,
    /// Whether copies are looked for (`-C`); forges do not.
    pub copies: bool,
}

impl DiffStyle {
    /// As forges print it.
    pub const FORGE: Self = Self { quote_path: false, copies: false };
    /// Every style.
    pub const ALL: [Self; 4] = [
        Self::FORGE,
        Self { quote_path: true, copies: false },
        Self { quote_path: false, copies: true },
        Self { quote_path: true, copies: true },
    ];
}

/// One changed path as git tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `A`, `C`, `D`, `M`, `R` or `T`.
    pub status: char,
    /// The path before; for an added one the same as after.
    pub old: Vec<u8>,
    /// The path after; for a deleted one the same as before.
    pub new: Vec<u8>,
    /// Its sections of the diff: one, or two where the type changed.
    pub sections: Vec<Vec<u8>>,
}

/// A bare repository whose default branch is `main`, removed when dropped.
#[derive(Debug)]
pub struct AwkwardRepository {
    folder: TempDir,
    format: ObjectFormat,
    branches: Vec<String>,
}

impl AwkwardRepository {
    /// A branch for every topic of [`crate::topics`], `everything` with all of them, and `nothing` that changes nothing.
    ///
    /// # Panics
    /// Where git is missing or refuses.
    #[must_use]
    pub fn new(format: ObjectFormat) -> Self {
        let topics = topics();
        let mut base = Tree::new();
        place(&mut base, b"README.md", file("# Awkward\n"));
        for edit in topics.iter().flat_map(|(_, edits)| edits) {
            if let Some(entry) = &edit.before {
                let before = base.len();
                place(&mut base, &edit.path, entry.clone());
                assert_eq!(base.len(), before + 1, "{:?} is in two topics", String::from_utf8_lossy(&edit.path));
            }
        }
        let mut everything = base.clone();
        let mut branches = Vec::new();
        for (name, edits) in &topics {
            let mut changed = base.clone();
            for edit in edits {
                for tree in [&mut changed, &mut everything] {
                    match &edit.after {
                        Some(entry) => place(tree, &edit.path, entry.clone()),
                        None => drop(tree.remove(&edit.path)),
                    }
                }
            }
            branches.push(((*name).to_owned(), changed));
        }
        branches.push(("everything".into(), everything));
        branches.push(("nothing".into(), base.clone()));
        Self::of_trees(format, &base, &branches)
    }

    /// `change` is a random edit of `main`; the same for the same seed.
    ///
    /// # Panics
    /// Where git is missing or refuses.
    #[must_use]
    pub fn random(seed: u64, format: ObjectFormat) -> Self {
        let mut random = Random::new(seed);
        let base = tree(&mut random);
        let change = edited(&base, &mut random);
        Self::of_trees(format, &base, &[("change".into(), change)])
    }

    /// `large` adds a file of about so many bytes of text, beside small changes.
    ///
    /// # Panics
    /// Where git is missing or refuses.
    #[must_use]
    pub fn large(bytes: usize, format: ObjectFormat) -> Self {
        let mut base = Tree::new();
        place(&mut base, b"small.txt", file("one\ntwo\n"));
        let mut large = base.clone();
        place(&mut large, b"small.txt", file("one\nthree\n"));
        place(&mut large, "größer.txt".as_bytes(), file(prose(1, bytes)));
        Self::of_trees(format, &base, &[("large".into(), large)])
    }

    /// A repository of these trees, each branch one commit after `main`'s.
    ///
    /// # Panics
    /// Where git is missing or refuses.
    #[must_use]
    pub fn of_trees(format: ObjectFormat, base: &Tree, branches: &[(String, Tree)]) -> Self {
        let folder = tempfile::Builder::new().prefix("assay-kit-").tempdir().expect("there is room for a folder");
        let names = branches.iter().map(|(name, _)| name.clone()).collect();
        let repository = Self { folder, format, branches: names };
        std::fs::create_dir_all(repository.path()).expect("there is room for a folder");
        let object_format = format!("--object-format={}", format.name());
        repository.git(["init", "--quiet", "--bare", "--template=", "-b", BASE, &object_format, "."]);
        let mut commits = vec![Commit { branch: BASE, mark: 1, parent: None, tree: base }];
        for (mark, (branch, tree)) in (2..).zip(branches) {
            commits.push(Commit { branch, mark, parent: Some(1), tree });
        }
        let stream = import_stream(&commits, format.hex_digits());
        repository.git_with(&["fast-import".as_ref(), "--quiet".as_ref(), "--done".as_ref()], &stream);
        repository
    }

    /// The repository's folder.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("awkward.git")
    }

    /// What names its objects.
    #[must_use]
    pub fn format(&self) -> ObjectFormat {
        self.format
    }

    /// The branches beside `main`.
    #[must_use]
    pub fn branches(&self) -> &[String] {
        &self.branches
    }

    /// The full id of a revision.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn oid(&self, revision: &str) -> String {
        let oid = self.git(["rev-parse", "--verify", "--end-of-options", revision]);
        String::from_utf8(oid).expect("an id is ASCII").trim_end().to_owned()
    }

    /// Runs git on the repository, with nobody's configuration and paths taken as they are, and returns what it prints.
    ///
    /// # Panics
    /// Where git fails, with what it complained of.
    pub fn git<A: AsRef<[u8]>>(&self, arguments: impl IntoIterator<Item = A>) -> Vec<u8> {
        let arguments: Vec<Vec<u8>> = arguments.into_iter().map(|argument| argument.as_ref().to_vec()).collect();
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        self.git_with(&arguments, b"")
    }

    /// The diff of two revisions as a forge prints it.
    #[must_use]
    pub fn diff(&self, base: &str, head: &str, style: DiffStyle) -> Vec<u8> {
        self.styled(style, &["-p", "--binary", "--histogram"], &[base, head], &[])
    }

    /// The diff of two revisions limited to paths, as `git diff ... -- PATHS` prints it.
    #[must_use]
    pub fn diff_of(&self, base: &str, head: &str, style: DiffStyle, paths: &[&[u8]]) -> Vec<u8> {
        self.styled(style, &["-p", "--binary", "--histogram"], &[base, head], paths)
    }

    /// Every changed path with its sections, in diff order. All sections together are [`AwkwardRepository::diff`].
    ///
    /// # Panics
    /// Where git contradicts itself.
    #[must_use]
    pub fn changes(&self, base: &str, head: &str, style: DiffStyle) -> Vec<Change> {
        let (from, to) = (format!("--src-prefix={MARK}a/"), format!("--dst-prefix={MARK}b/"));
        let marked = self.styled(style, &["-p", "--binary", "--histogram", &from, &to], &[base, head], &[]);
        let mut sections = sections(&marked).into_iter();
        let raw = self.styled(style, &["--raw", "-z", "--no-abbrev"], &[base, head], &[]);
        let mut changes = raw_changes(&raw);
        for change in &mut changes {
            let count = if change.status == 'T' { 2 } else { 1 };
            change.sections.extend(sections.by_ref().take(count));
            assert_eq!(change.sections.len(), count, "git printed too few sections");
        }
        assert_eq!(sections.next(), None, "git printed too many sections");
        let together: Vec<u8> = changes.iter().flat_map(|change| change.sections.concat()).collect();
        assert_eq!(together, self.diff(base, head, style), "git printed other sections with other prefixes");
        changes
    }

    /// Every path that a change has on either side.
    #[must_use]
    pub fn changed_paths(&self, base: &str, head: &str, style: DiffStyle) -> BTreeSet<Vec<u8>> {
        self.changes(base, head, style).into_iter().flat_map(|change| [change.old, change.new]).collect()
    }

    /// Evidence about a branch as pull request `index` against `main`, with the real inputs.
    #[must_use]
    pub fn evidence(&self, branch: &str, index: u64) -> Evidence {
        let diff = self.diff(BASE, branch, DiffStyle::FORGE);
        Evidence::new(diff, index, self.format).inputs(&self.oid(BASE), &self.oid(branch))
    }

    fn styled(&self, style: DiffStyle, options: &[&str], revisions: &[&str], paths: &[&[u8]]) -> Vec<u8> {
        let quote_path = format!("core.quotePath={}", style.quote_path);
        let mut arguments: Vec<&[u8]> =
            [&b"-c"[..], quote_path.as_bytes(), b"diff", b"--no-ext-diff", b"--no-textconv", b"--no-color"].to_vec();
        if style.copies {
            arguments.push(b"-C");
        }
        arguments.extend(options.iter().chain(revisions).map(|text| text.as_bytes()));
        arguments.push(b"--");
        arguments.extend(paths);
        self.git_with(&arguments, b"")
    }

    fn git_with(&self, arguments: &[&[u8]], input: &[u8]) -> Vec<u8> {
        let mut command = clean_git(self.folder.path());
        command.current_dir(self.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for argument in arguments {
            command.arg(os(argument));
        }
        let mut child = command.spawn().expect("git is installed");
        let mut stdin = child.stdin.take().expect("it was asked for");
        let output = std::thread::scope(|scope| {
            // Git may answer before it has read all; a pipe that it closed early is seen by its exit status.
            scope.spawn(move || {
                let _ = stdin.write_all(input);
            });
            child.wait_with_output().expect("git ends")
        });
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {} failed: {complaint}", arguments.concat().escape_ascii());
        output.stdout
    }
}

/// The bytes that a slice of `path` must have: the sections of every change that has it on either side, in order
/// (S-004, S-012). Empty where there is none.
#[must_use]
pub fn slice_of(changes: &[Change], path: &[u8]) -> Vec<u8> {
    let named = changes.iter().filter(|change| change.old == path || change.new == path);
    named.flat_map(|change| change.sections.concat()).collect()
}

// Nobody's configuration, identity, language or time zone gets in.
fn clean_git(home: &Path) -> Command {
    let mut command = Command::new("git");
    command.env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
        .env("HOME", home)
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .env("GIT_TERMINAL_PROMPT", "0");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "ada@example.org");
        command.env(format!("GIT_{role}_DATE"), "1700000000 +0000");
    }
    command
}

fn os(argument: &[u8]) -> &std::ffi::OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(argument)
}

// A section starts where a header line has the mark; taking the mark out gives git's bytes back.
fn sections(marked: &[u8]) -> Vec<Vec<u8>> {
    let starts = [format!("diff --git {MARK}").into_bytes(), format!("diff --git \"{MARK}").into_bytes()];
    let mut sections: Vec<Vec<u8>> = Vec::new();
    for line in marked.split_inclusive(|byte| *byte == b'\n') {
        if starts.iter().any(|start| line.starts_with(start)) {
            sections.push(Vec::new());
        }
        let section = sections.last_mut().expect("a diff starts with a header");
        section.extend(without_mark(line));
    }
    sections
}

fn without_mark(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((byte, after)) = rest.split_first() {
        match rest.strip_prefix(MARK.as_bytes()) {
            Some(behind) => rest = behind,
            None => {
                out.push(*byte);
                rest = after;
            }
        }
    }
    out
}

fn raw_changes(raw: &[u8]) -> Vec<Change> {
    let mut fields = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changes = Vec::new();
    while let Some(head) = fields.next() {
        let status = head.rsplit(|byte| *byte == b' ').next().and_then(|status| status.first());
        let status = char::from(*status.expect("a raw line ends in a status"));
        let old = fields.next().expect("a raw line has a path").to_vec();
        let new = match status {
            'R' | 'C' => fields.next().expect("a rename has two paths").to_vec(),
            _ => old.clone(),
        };
        changes.push(Change { status, old, new, sections: Vec::new() });
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::AWKWARD;

    /// Each section by itself, as real git prints it when it is asked for those paths alone.
    #[test]
    fn sections_are_what_git_prints_for_their_paths() {
        for format in ObjectFormat::ALL {
            let repository = AwkwardRepository::new(format);
            for style in [DiffStyle::FORGE, DiffStyle { quote_path: true, copies: false }] {
                let changes = repository.changes("main", "everything", style);
                let sample = changes.iter().step_by(if style.quote_path { 7 } else { 3 });
                for change in sample {
                    let alone = repository.diff_of("main", "everything", style, &[&change.old, &change.new]);
                    assert_eq!(change.sections.concat(), alone, "{}", change.new.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn every_kind_of_change_is_there() {
        let repository = AwkwardRepository::new(ObjectFormat::Sha1);
        let style = DiffStyle { copies: true, ..DiffStyle::FORGE };
        let changes = repository.changes("main", "everything", style);
        let statuses: BTreeSet<char> = changes.iter().map(|change| change.status).collect();
        assert_eq!(statuses.into_iter().collect::<String>(), "ACDMRT");
        let diff = repository.diff("main", "everything", style);
        let lines: BTreeSet<&[u8]> = diff.split(|byte| *byte == b'\n').collect();
        let has = |start: &str| lines.iter().any(|line| line.starts_with(start.as_bytes()));
        for start in [
            "literal ",
            "delta ",
            "similarity index 100%",
            "rename from ",
            "copy from ",
            "old mode ",
            "new mode ",
            "deleted file mode 120000",
            "new file mode 160000",
            "-Subproject commit ",
            "\\ No newline at end of file",
            "--- a/users note",
            "+++ b/evil",
            "GIT binary patch",
            "+Subproject commit ",
        ] {
            assert!(has(start), "{start}");
        }
        assert!(diff.windows(2).any(|two| two == b"\r\n"));
        assert!(diff.ends_with(b"new mode 100755\n"), "K-29: the last section has no hunk");
        for name in AWKWARD {
            assert_ne!(slice_of(&changes, name.path), b"", "{}", name.why);
        }
        assert_eq!(slice_of(&changes, b"x"), b"", "K-21");
        assert_eq!(repository.diff("main", "nothing", style), b"");
    }

    #[test]
    fn a_repository_is_the_same_every_time() {
        for format in ObjectFormat::ALL {
            let heads = |repository: AwkwardRepository| repository.git(["for-each-ref"]);
            assert_eq!(heads(AwkwardRepository::new(format)), heads(AwkwardRepository::new(format)));
            let oid = AwkwardRepository::random(3, format).oid("change");
            assert_eq!(oid, AwkwardRepository::random(3, format).oid("change"));
            assert_eq!(oid.len(), format.hex_digits());
        }
    }

    #[test]
    fn random_changes_are_of_every_kind() {
        let mut statuses = BTreeSet::new();
        for seed in 0..12 {
            let format = if seed % 2 == 0 { ObjectFormat::Sha1 } else { ObjectFormat::Sha256 };
            let repository = AwkwardRepository::random(seed, format);
            let changes = repository.changes("main", "change", DiffStyle::ALL[seed as usize % 4]);
            statuses.extend(changes.iter().map(|change| change.status));
        }
        assert!("ADMRT".chars().all(|status| statuses.contains(&status)), "{statuses:?}");
    }

    #[test]
    fn evidence_is_about_the_real_inputs() {
        let repository = AwkwardRepository::large(10_000, ObjectFormat::Sha256);
        let manifest = repository.evidence("large", 3).manifest();
        let inputs = &manifest["generation"]["inputs"];
        assert_eq!(inputs["merge_base"]["oid"], repository.oid("main"));
        assert_eq!(inputs["head"]["oid"], repository.oid("large"));
        assert!(manifest["content"]["bytes"].as_u64().expect("a number") > 10_000);
    }
}
