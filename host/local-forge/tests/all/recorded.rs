//! This forge's answers beside those of a real one, for every recorded read: replayed, or left out for a reason.
//!
//! The repository is the recorded one to the object, so that most answers must be the recorded ones to the byte.

use std::{collections::BTreeSet, fs};

use assay_kit::{Recording, recorded_repo::BRANCHES};
use assay_local_forge::{Accounts, Config, Grant, LocalForge, PrivateReads, Source, State, Token, start};

use crate::{
    ground::{Repo, ask},
    recorded_repo::{add, base, move_main, tag},
    recorded_writes,
    recording::compare,
};

/// O-006 to O-008: what a stock forge is asked for is answered as recorded, in every state that was recorded.
#[tokio::test]
async fn answers_are_those_of_a_real_forge() {
    let stage = Stage::set().await;
    let (recorded_first, later) = BRANCHES.split_at(6);
    stage.add(recorded_first).await;
    stage.replay(&SIX_PULLS).await;
    stage.add(later).await;
    stage.replay(&FIRST).await;

    stage.repo.git(["branch", "--quiet", "-D", "gone"]);
    stage.replay(&BRANCH_DELETED).await;

    move_main(&stage.repo);
    stage.replay(&MAIN_MOVED).await;

    stage.forge.control().delete_fork("alice", "proj", 10).expect("it is served");
    stage.replay(&FORK_DELETED).await;

    stage.replay(&BEFORE_THE_LOSS).await;
    for blob in ["brk:brk_m.txt", "brk_small:bs_m.txt"] {
        stage.lose(&stage.repo.git(["rev-parse", blob]));
    }
    stage.replay(&OBJECTS_LOST).await;

    let control = stage.forge.control();
    for (old, new) in [
        (["alice", "priv"], ["alice", "priv2"]),
        (["a", "proj"], ["alice", "proj-of-a"]),
        (["oldowner", "proj"], ["alice", "proj-of-old"]),
    ] {
        control.rename(old[0], old[1], new[0], new[1]).expect("the name is free");
    }
    stage.replay(&RENAMED).await;
    stage.forge.shutdown().await;
}

/// A recording that nobody thought of fails here.
#[test]
fn every_recorded_read_is_replayed_or_left_out_for_a_reason() {
    let reads = fs::read_to_string(Recording::folder().join("READS.txt")).expect("the list of reads is there");
    let replayed: Vec<&str> = [
        &SIX_PULLS[..],
        &FIRST,
        &BRANCH_DELETED,
        &MAIN_MOVED,
        &FORK_DELETED,
        &BEFORE_THE_LOSS,
        &OBJECTS_LOST,
        &RENAMED,
    ]
    .concat();
    let written: Vec<&str> = recorded_writes::SEQUENCE.to_vec();
    let reads_between = written.iter().copied().filter(|name| Recording::read(name).method == "GET");
    let replayed: Vec<&str> = replayed.into_iter().chain(reads_between).collect();
    let all: Vec<&str> = replayed.iter().copied().chain(LEFT_OUT.iter().map(|(name, _)| *name)).collect();
    let listed: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(all.len(), listed.len(), "each is named once");
    assert_eq!(listed, reads.lines().collect(), "each is named");
    assert!(LEFT_OUT.iter().all(|(_, reason)| !reason.is_empty()));
    let reads = Recording::names().into_iter().map(|name| Recording::read(&name));
    let reads = reads.filter(|recording| ["GET", "HEAD"].contains(&&*recording.method));
    let unnamed: Vec<String> = reads.map(|read| read.name).filter(|name| !listed.contains(name.as_str())).collect();
    assert_eq!(unnamed, Vec::<String>::new(), "no recorded read lies there unread");
}

/// What the recordings are replayed against.
struct Stage {
    repo: Repo,
    _others: [Repo; 4],
    state: tempfile::TempDir,
    forge: LocalForge,
}

impl Stage {
    async fn set() -> Self {
        let repo = base();
        tag(&repo);
        let others = [Repo::small(), Repo::empty("sha1"), Repo::small(), Repo::small()];
        let [private, empty, of_a, of_old] = &others;
        let grant = |login: &str, token: &str, scope: &str| Grant {
            login: login.into(),
            token: Token::new(token),
            scopes: vec![scope.parse().expect("a scope")],
            private: PrivateReads::None,
        };
        let accounts = Accounts::public()
            .granting(grant("root", "roots", "all"))
            .granting(grant("alice", "alices", "all"))
            .granting(grant("alice", "alices-for-issues", "read:issue"))
            .granting(grant("bob", "bobs", "all"));
        let sources = vec![
            repo.source(),
            Source { name: "priv".into(), private: true, ..private.source() },
            Source { name: "empty".into(), ..empty.source() },
            Source { owner: "a".into(), ..of_a.source() },
            Source { owner: "oldowner".into(), ..of_old.source() },
        ];
        let state = tempfile::tempdir().expect("a temporary folder");
        let folder = State::Folder(state.path().into());
        // Stock, as recording 064 asks for evidence and gets a plain diff.
        let config = Config { native_evidence: false, accounts, state: folder, ..Config::serving(sources) };
        let forge = start(config).await.expect("the forge starts");
        Self { repo, _others: others, state, forge }
    }

    async fn add(&self, branches: &[&str]) {
        for branch in branches {
            add(&self.repo, branch);
            self.forge.refresh().await.expect("it follows");
        }
    }

    async fn replay(&self, names: &[&str]) {
        // The commits whose messages are not known.
        let unknown = [
            ("8bea937251e84e146f79507dd136ee0e0e936b85", "refs/heads/weird"),
            ("6fb1b3cea67735fbf070618ed550855fea268047", "refs/heads/modeonly"),
        ];
        let here = |reference| self.repo.git(["for-each-ref", "--format=%(objectname)", reference]);
        let renamed = unknown.map(|(recorded, reference)| (recorded, here(reference)));
        for name in names {
            let recording = Recording::read(name);
            let credential = match &name[..3] {
                "017" => Some("token a-guess"),
                "018" | "041" | "042" | "066" => Some("token alices-for-issues"),
                "039" | "308" => Some("token bobs"),
                _ => recording.had_credential.then_some("token alices"),
            };
            let mut headers: Vec<(&str, &str)> = credential.map(|c| ("Authorization", c)).into_iter().collect();
            headers.extend(recording.sent.iter().map(|(name, value)| (&**name, &**value)));
            let reply = ask(self.forge.address(), &recording.method, &recording.target, &headers).await;
            compare(&recording, &reply, &self.forge, &renamed);
        }
    }

    /// The forge's own copy of the repository.
    fn copy(&self) -> std::path::PathBuf {
        self.state.path().join("copies/1.git")
    }

    /// Takes an object out of the forge's copy.
    fn lose(&self, oid: &str) {
        let (fan, rest) = oid.split_at(2);
        let object = self.copy().join("objects").join(fan).join(rest);
        fs::remove_file(&object).expect("a small fetch leaves loose objects");
    }
}

/// Before there were other pull requests.
const SIX_PULLS: [&str; 1] = ["087-refs-pull"];

/// As it was at first.
const FIRST: [&str; 198] = [
    "313-method-not-allowed",
    "019-users-alice",
    "020-users-missing",
    "034-empty-tags",
    "043-search-uid",
    "044-search-limit1000",
    "045-user-repos",
    "106-tag-annotated",
    "107-tag-light",
    "108-tag-missing",
    "109-tags",
    "001-version",
    "002-settings-api",
    "015-user",
    "016-user-noauth",
    "017-user-badtoken",
    "018-user-scope-missing",
    "024-empty-repo",
    "025-empty-contents",
    "026-empty-contents-file",
    "027-empty-raw",
    "028-empty-trees",
    "029-empty-commits",
    "030-empty-branches",
    "031-empty-branch",
    "032-empty-pulls",
    "033-empty-gitcommit",
    "035-empty-refs",
    "036-repo",
    "037-repo-anon",
    "038-priv-anon",
    "039-priv-bob",
    "040-missing-repo",
    "041-scope-issueonly-on-repo",
    "042-scope-issueonly-on-missing",
    "055-pr1",
    "056-pr-missing",
    "057-pr-nonint",
    "058-pr1-diff",
    "059-pr1-diff-binary",
    "061-pr1-diff-range",
    "062-pr1-diff-gzip",
    "063-pr1-diff-head",
    "064-pr1-diff-evidence",
    "065-pr1-diff-readonly-scope",
    "066-pr1-diff-issueonly-scope",
    "067-pr1-diff-anon",
    "068-pr-missing-diff",
    "069-pr1-files",
    "070-pr1-files-l5",
    "071-pr1-files-l1000",
    "072-pr1-files-past-end",
    "073-pr1-commits",
    "074-pr2-modeonly-diff",
    "075-pr2-files",
    "076-pr2",
    "077-pr3-empty-diff",
    "079-pr3",
    "080-pr3-files",
    "081-pr4",
    "086-refs-pull1",
    "089-refs-full-prefix",
    "090-compare",
    "091-gitcommit-head",
    "094-gitcommit-missing",
    "095-gitcommit-bad",
    "096-gitcommit-nofiles",
    "097-tree",
    "098-tree-recursive",
    "099-tree-recursive-p2",
    "100-tree-recursive-p3",
    "101-tree-per_page-5000",
    "102-tree-missing",
    "103-tree-branchname",
    "104-branch-main",
    "105-branch-missing",
    "110-raw-readme",
    "111-contents-readme",
    "112-media-readme",
    "113-raw-crlf",
    "114-contents-crlf",
    "115-raw-noeol",
    "116-contents-noeol",
    "117-raw-bin",
    "118-contents-bin",
    "119-raw-nul",
    "120-contents-nul",
    "121-raw-latin1name",
    "122-contents-latin1name",
    "123-raw-space",
    "124-contents-space",
    "125-raw-hash",
    "126-contents-hash",
    "127-raw-qmark",
    "128-contents-qmark",
    "129-raw-pct",
    "130-contents-pct",
    "131-raw-quote",
    "132-contents-quote",
    "133-raw-tab",
    "134-contents-tab",
    "135-raw-bslash",
    "136-contents-bslash",
    "137-raw-newline",
    "138-contents-newline",
    "139-raw-utf8",
    "140-contents-utf8",
    "141-raw-symlink",
    "142-contents-symlink",
    "143-media-symlink",
    "144-raw-submodule",
    "145-contents-submodule",
    "146-media-submodule",
    "147-raw-lfs",
    "148-contents-lfs",
    "149-media-lfs",
    "150-raw-dir",
    "151-contents-dir",
    "152-raw-empty",
    "153-contents-empty",
    "154-media-empty",
    "155-raw-missing",
    "156-contents-missing",
    "157-raw-utf16",
    "158-contents-utf16",
    "159-raw-latin1content",
    "160-contents-latin1content",
    "161-contents-root",
    "162-contents-dotgit",
    "163-contents-dotdot",
    "164-contents-badref",
    "165-raw-badref",
    "166-raw-noref",
    "167-raw-ref-in-path",
    "168-raw-pullref",
    "169-raw-abbrev",
    "170-raw-tree-ish",
    "171-raw-range-0-9",
    "172-raw-range-open",
    "173-raw-range-suffix",
    "174-raw-range-multi",
    "175-raw-range-past",
    "176-raw-range-clamp",
    "177-raw-range-rev",
    "178-raw-range-bad",
    "179-raw-range-units",
    "180-raw-range-space",
    "181-raw-range-empty",
    "182-raw-ifnonematch",
    "183-raw-ifrange-mismatch",
    "184-raw-head",
    "185-raw-gzip",
    "186-raw-big-range",
    "187-contents-big",
    "188-blob-big",
    "189-blob-text",
    "190-blob-bin",
    "191-blob-empty",
    "192-blob-missing",
    "193-blob-is-commit",
    "194-blob-short",
    "195-blob-lfs",
    "279-pr-agit",
    "280-pr-agit-diff",
    "314-unknown-route",
    "315-double-slash",
    "316-trailing-slash",
    "317-case",
    "408-rawobj-commit",
    "409-rawobj-tree",
    "410-rawobj-tag",
    "411-weird-raw-_colon_txt",
    "412-weird-contents",
    "413-weird-raw-_br__txt",
    "414-weird-contents",
    "415-weird-raw-a_b_txt",
    "416-weird-contents",
    "417-weird-raw-_lead_txt",
    "418-weird-contents",
    "419-weird-raw-trail_",
    "420-weird-contents",
    "421-weird-raw-cafe",
    "422-weird-contents",
    "423-weird-raw-plus_and_eq__txt",
    "424-weird-contents",
    "425-weird-tree-recursive",
    "426-weird-tree",
    "428-weird-diff",
    "429-weird-files",
    "434-ok-merged",
    "435-ok-merged-diff",
    "441-pulls",
    "445-ok-merged-diff2",
    "452-ctrl-diff",
    "453-ctrl-diff-binary",
    "454-binary-param-junk",
    "455-binary-param-1",
    "456-compare-noapi",
];

/// The branch of pull request 4 is gone.
const BRANCH_DELETED: [&str; 3] = ["084-pr4-closed-branch-deleted", "085-pr4-closed-diff", "088-refs-pull4"];

/// The base has moved on.
const MAIN_MOVED: [&str; 5] =
    ["258-pr1-after-base-moved", "407-pr1", "262-pr2-before-merge", "265-pr2-merged", "266-pr2-merged-diff"];

/// The repository that pull request 10 came from is gone.
const FORK_DELETED: [&str; 4] =
    ["275-pr-fork-deleted", "276-pr-fork-deleted-diff", "277-pr-fork-deleted-files", "278-pulls-list"];

/// Diffs whose objects are all there still.
const BEFORE_THE_LOSS: [&str; 2] = ["281-trunc-big-before", "292-trunc-small-before"];

/// One blob of pull requests 5 and 6 each is gone from the forge's copy.
const OBJECTS_LOST: [&str; 14] = [
    "283-trunc-big-user",
    "284-trunc-big-binary",
    "286-trunc-big-files",
    "287-trunc-big-pr",
    "289-trunc-big-blob",
    "290-trunc-big-raw",
    "291-trunc-big-contents",
    "294-trunc-small-user",
    "295-trunc-small-binary",
    "297-trunc-small-files",
    "298-trunc-small-pr",
    "300-trunc-small-blob",
    "301-trunc-small-raw",
    "302-trunc-small-contents",
];

/// Repositories and owners go by other names.
const RENAMED: [&str; 9] = [
    "405-users-redirect-old",
    "304-renamed-get",
    "305-renamed-get-query",
    "306-renamed-anon",
    "308-renamed-bob",
    "401-owner-redirect-a",
    "402-owner-redirect-a-q",
    "403-owner-redirect-old",
    "404-owner-redirect-old-anon",
];

/// What is not replayed, and why.
const LEFT_OUT: [(&str, &str); 19] = [
    ("014-tokens-list-basic", "tokens are the configuration's, and nobody is shown them"),
    ("060-pr1-patch", "patches are not served: they are lossy"),
    ("078-pr3-empty-patch", "patches are not served: they are lossy"),
    ("092-gitcommit-diff", "a commit's diff against its first parent is not served"),
    ("093-gitcommit-patch", "a commit's diff against its first parent is not served"),
    ("247-timeline", "timelines are not served"),
    ("272-pr-fork", "every head is in the repository itself"),
    ("273-pr-fork-files", "every head is in the repository itself"),
    ("282-trunc-big-admin", "there is no administrator to whom more is said"),
    ("285-trunc-big-patch", "patches are not served: they are lossy"),
    ("288-trunc-big-gitcommitdiff", "a commit's diff against its first parent is not served"),
    ("293-trunc-small-admin", "there is no administrator to whom more is said"),
    ("296-trunc-small-patch", "patches are not served: they are lossy"),
    ("299-trunc-small-gitcommitdiff", "a commit's diff against its first parent is not served"),
    ("311-swagger", "there are no pages, only the API"),
    ("312-swagger-gzip", "there are no pages, only the API"),
    ("457-web-diff", "there are no pages, only the API"),
    ("458-web-diff-basic", "there are no pages, only the API"),
    ("459-web-compare-diff", "there are no pages, only the API"),
];
