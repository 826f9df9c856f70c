//! Diffs are git's own, whatever is in them; they turn the one tree into the other.

use std::{fs::Permissions, os::unix::fs::PermissionsExt};

use crate::ground::{Repo, get, git_at, serving};

/// A pull request, number 1, with everything that trips readers of diffs. Gives base and head.
pub(crate) fn awkward(format: &str) -> (Repo, String, String) {
    let repo = Repo::empty(format);
    let names: [&[u8]; 10] = [
        b"sp ace.txt",
        b"quo\"te.txt",
        b"back\\slash.txt",
        b"tab\tname.txt",
        b"new\nline.txt",
        b"latin1-\xe9.txt",
        b"d b/inside b/x.txt",
        "üñí.txt".as_bytes(),
        b"-dash.txt",
        b"plain.txt",
    ];
    for name in names {
        repo.write(name, [b"text of ", name, b"\nsecond\n"].concat());
    }
    let noise: Vec<u8> = (0..6000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    repo.write("bin.dat", &noise);
    repo.write("rename-me.txt", "unchanged\n".repeat(20));
    repo.write("rename-edit.txt", "nearly unchanged\n".repeat(20));
    repo.write("mode.sh", "#!/bin/sh\n");
    repo.write("crlf.txt", "one\r\ntwo\r\nthree\r\n");
    repo.write("noeol.txt", "no end");
    repo.write("empty-goes.txt", "");
    repo.write("gone.txt", "diff --git a/fake b/fake\n--- a/fake\n");
    repo.link("link", "plain.txt");
    let length = if format == "sha1" { 40 } else { 64 };
    let gitlink = |digit: &str| format!("160000,{},sub", digit.repeat(length));
    repo.git(["add", "--all"]);
    repo.git(["update-index", "--add", "--cacheinfo", &gitlink("1")]);
    let base = repo.commit_index("Begin");

    repo.git(["checkout", "--quiet", "-b", "awkward"]);
    for name in names {
        repo.write(name, [b"text of ", name, b"\n2\n"].concat());
    }
    let mut other = noise.clone();
    other.splice(100..200, [0; 300]);
    repo.write("bin.dat", other);
    repo.write("new.bin", [0, 1, 2, 255].repeat(100));
    repo.git(["mv", "rename-me.txt", "renamed b.txt"]);
    repo.git(["mv", "rename-edit.txt", "renamed-edited.txt"]);
    repo.write("renamed-edited.txt", "nearly unchanged\n".repeat(20) + "more\n");
    let mode = repo.path().join("mode.sh");
    std::fs::set_permissions(mode, Permissions::from_mode(0o755)).expect("the work tree is writable");
    repo.write("crlf.txt", "one\r\nTWO\r\nthree\r\n");
    repo.write("noeol.txt", "no end\nat all");
    repo.write("empty-comes.txt", "");
    repo.write("long.txt", "x".repeat(200_000));
    repo.link("link", "elsewhere");
    repo.git(["rm", "--quiet", "gone.txt", "empty-goes.txt"]);
    repo.git(["add", "--all", "--", ".", ":!sub"]);
    repo.git(["update-index", "--add", "--cacheinfo", &gitlink("2")]);
    let head = repo.commit_index("Change everything");
    repo.git(["checkout", "--quiet", "--force", "main"]);
    (repo, base, head)
}

#[tokio::test]
async fn a_diff_is_gits_own_and_turns_base_into_head() {
    for format in ["sha1", "sha256"] {
        let (repo, base, head) = awkward(format);
        let forge = serving([repo.source()]).await;
        let reply = get(&forge, "/api/v1/repos/alice/proj/pulls/1.diff?binary=true").await;
        assert_eq!(reply.header("Content-Type"), Some("text/plain; charset=utf-8"));
        assert_eq!(reply.header("Transfer-Encoding"), Some("chunked"));
        assert!(reply.body == repo.diff(&base, &head), "{format}");
        for expected in [&b"\"a/quo\\\"te.txt\""[..], b"latin1-\xe9", b"GIT binary patch", b"rename from rename-me.txt"]
        {
            assert!(reply.body.windows(expected.len()).any(|w| w == expected), "{expected:?}");
        }

        git_at(&repo.path(), ["read-tree", &base], &[]);
        git_at(&repo.path(), ["apply", "--cached", "--whitespace=nowarn", "-"], &reply.body);
        assert_eq!(repo.git(["write-tree"]), repo.git(["rev-parse", &format!("{head}^{{tree}}")]), "{format}");

        let plain = get(&forge, "/api/v1/repos/alice/proj/pulls/1.diff").await;
        assert!(plain.text().contains("Binary files a/bin.dat and b/bin.dat differ"));
    }
}

#[tokio::test]
async fn attributes_in_the_tree_do_not_change_a_diff() {
    let repo = Repo::small();
    repo.write(".gitattributes", "*.txt binary\n");
    repo.commit("Call text binary");
    let forge = serving([repo.source()]).await;
    let reply = get(&forge, "/api/v1/repos/alice/proj/pulls/1.diff").await;
    assert!(reply.text().contains("\n-two\n+2\n"), "{}", reply.text());
}

#[tokio::test]
async fn many_ask_at_once_and_all_get_the_same() {
    let (repo, base, head) = awkward("sha1");
    let forge = std::sync::Arc::new(serving([repo.source()]).await);
    let expected = repo.diff(&base, &head);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let forge = forge.clone();
        tasks.spawn(async move { get(&forge, "/api/v1/repos/alice/proj/pulls/1.diff?binary=1").await.body });
    }
    for body in tasks.join_all().await {
        assert!(body == expected);
    }
    forge.quiet().await;
}
