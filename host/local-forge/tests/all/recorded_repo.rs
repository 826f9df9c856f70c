//! The very repository that the recorded forge served, made anew: its objects have the recorded ids.

use crate::ground::{Repo, git_at};

/// The commit at which `main` stood when most was recorded.
pub(crate) const BASE: &str = "d79b27265d2ee6fc7f47df91e0ff9543dc734e30";
/// The head of pull request 1.
pub(crate) const HEAD: &str = "d288433cafcf2b2a999c2a46a5d520efb230d4da";
/// The annotated tag of [`BASE`].
const TAG: &str = "object d79b27265d2ee6fc7f47df91e0ff9543dc734e30\ntype commit\ntag v1.0\n\
    tagger Rec <rec@example.org> 1767225600 +0000\n\nannotated tag v1.0\n";

/// The start of 2026.
const DAY: &str = "1767225600 +0000";
/// When the branch `weird` was made.
const WEIRD_DAY: &str = "1796174320 +0000";
const BIN: &[u8] = include_bytes!("../recordings/bin.dat");

/// The branches that became pull requests 1 to 15, in this order. Numbers that issues had, and one that is not
/// recorded, are filled up.
pub(crate) const BRANCHES: [&str; 15] = [
    "feature",
    "modeonly",
    "emptydiff",
    "gone",
    "brk",
    "brk_small",
    "no-7",
    "no-8",
    "no-9",
    "forkfeat",
    "agit",
    "weird",
    "okmerge",
    "no-14",
    "ctrl",
];

/// The repository with `main` alone.
pub(crate) fn base() -> Repo {
    let repo = Repo::empty("sha1");
    let mut import = Import::default();
    import.commit("main", None, DAY, "base commit\n");
    for (name, content) in base_files() {
        import.file("100644", name, &content);
    }
    import.file("120000", b"link", b"text.txt");
    import.module("1111111111111111111111111111111111111111");
    for number in 1..=1100 {
        import.file("100644", format!("many/f{number:04}.txt").as_bytes(), format!("{number}\n").as_bytes());
    }
    import.run(&repo);
    assert_eq!(repo.git(["rev-parse", "main"]), BASE, "it is the recorded repository");
    repo
}

/// Adds the two tags, an annotated one and one that is no more than a name.
pub(crate) fn tag(repo: &Repo) {
    let tag = git_at(&repo.path(), ["hash-object", "-t", "tag", "-w", "--stdin"], TAG.as_bytes());
    assert_eq!(tag, b"7570222f2c4c05ab8dd5613a964505cd3670b0d6\n");
    repo.git(["update-ref", "refs/tags/v1.0", "7570222f2c4c05ab8dd5613a964505cd3670b0d6"]);
    repo.git(["update-ref", "refs/tags/light", BASE]);
}

/// Adds one of [`BRANCHES`].
pub(crate) fn add(repo: &Repo, branch: &str) {
    let mut import = Import::default();
    let (from, day) = match branch {
        "forkfeat" => ("refs/heads/main", DAY),
        "weird" => (BASE, WEIRD_DAY),
        _ => (BASE, DAY),
    };
    let message = match branch {
        "feature" => "feature commit\n",
        "emptydiff" => "empty commit\n",
        "brk" => "three files\n",
        "brk_small" => "three small files\n",
        _ => "m\n",
    };
    import.commit(branch, Some(from), day, message);
    match branch {
        "feature" => feature(&mut import),
        "modeonly" => import.file("100755", b"README.md", b"readme\n"),
        "gone" => import.file("100644", b"README.md", b"readme\ngone\n"),
        "brk" => {
            for letter in ["a", "m", "z"] {
                let lines = (1..=400).map(|n| format!("{letter} broken base content line {n}\n"));
                import.file("100644", format!("brk_{letter}.txt").as_bytes(), lines.collect::<String>().as_bytes());
            }
        }
        "brk_small" => {
            for letter in ["a", "m", "z"] {
                let lines = (1..=3).map(|n| format!("{letter} small {n}\n"));
                import.file("100644", format!("bs_{letter}.txt").as_bytes(), lines.collect::<String>().as_bytes());
            }
        }
        "forkfeat" => import.file("100644", b"geteol.txt", b"gamma\ndelta\nfork\n"),
        "agit" => import.file("100644", b"text.txt", &[&numbers("20")[..], b"agit\n"].concat()),
        "weird" => {
            for (name, content) in WEIRD {
                import.file("100644", name.as_bytes(), content.as_bytes());
            }
        }
        "okmerge" => import.file("100644", b"okmerge.txt", b"hi\n"),
        "ctrl" => import.file("100644", b"aaa.txt", b"a\x01\x02b\n"),
        // Another commit than `main`, with nothing in it.
        _ => {}
    }
    import.run(repo);
    if branch == "feature" {
        assert_eq!(repo.git(["rev-parse", branch]), HEAD, "it is the recorded branch");
    }
}

/// Moves `main` as the recorded forge did, by two commits.
pub(crate) fn move_main(repo: &Repo) {
    let mut import = Import::default();
    import.commit("main", Some("refs/heads/main^0"), DAY, "m\n");
    import.file("100644", b"README.md", b"updated\n");
    import.file("100644", b"newdir/new.txt", b"new\n");
    import.run(repo);
}

const WEIRD: [(&str, &str); 8] = [
    (" lead.txt", "d"),
    ("$caf\\xe9\"q.txt", "q"),
    (":colon.txt", "c"),
    ("[br].txt", "b"),
    ("a*b.txt", "s"),
    ("d b/x y.txt", "x"),
    ("plus+and&eq=.txt", "p"),
    ("trail ", "t"),
];

fn base_files() -> Vec<(&'static [u8], Vec<u8>)> {
    let lines = |word: &str| (1..=30).map(|n| format!("{word} line {n}\n")).collect::<String>().into_bytes();
    let pointer = "version https://git-lfs.github.com/spec/v1\n\
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
    let modules = "[submodule \"sub\"]\n\tpath = sub\n\turl = https://example.org/x/sub.git\n";
    let utf16: Vec<u8> = "\u{feff}h\u{e9}llo\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        (b".gitmodules", modules.into()),
        (b"README.md", b"readme\n".into()),
        (b"back\\slash.txt", b"bs\n".into()),
        (b"big.bin", vec![b'z'; 11 << 20]),
        (b"bin.dat", BIN.into()),
        (b"copy_src.txt", lines("copy")),
        (b"crlf.txt", b"one\r\ntwo\r\nthree\r\n".into()),
        (b"empty.txt", Vec::new()),
        (b"geteol.txt", b"gamma\ndelta\n".into()),
        (b"hash#name.txt", b"hash\n".into()),
        (b"latin1-content.txt", b"caf\xe9\n".into()),
        (b"latin1-\xe9.txt", b"latin1 name\n".into()),
        (b"lfs.bin", pointer.into()),
        (b"long.txt", long(b'x')),
        (b"mode.sh", b"#!/bin/sh\necho hi\n".into()),
        (b"new\nline.txt", b"nl\n".into()),
        (b"noeol.txt", b"alpha\nbeta".into()),
        (b"nul.txt", b"abc\0def\nline2\n".into()),
        (b"pct%41.txt", b"pct\n".into()),
        (b"q?mark.txt", b"q\n".into()),
        (b"quote\".txt", b"quote\n".into()),
        (b"rename_me.txt", lines("rename")),
        (b"semi;colon&amp.txt", b"semi\n".into()),
        (b"sp ace.txt", b"space\n".into()),
        (b"tab\tname.txt", b"tab\n".into()),
        (b"text.txt", numbers("20")),
        (b"utf16.txt", utf16),
        ("üñí.txt".as_bytes(), b"utf8\n".into()),
    ]
}

fn feature(import: &mut Import) {
    let mut bin = BIN.to_vec();
    bin[100] = b'[';
    let copied: String = (1..=30).map(|n| format!("copy line {n}\n")).collect();
    let renamed: String = (1..=30).map(|n| format!("rename line {n}\n")).collect();
    let png: Vec<u8> = b"\x89PNG\r\n\x1a\n".iter().copied().chain(0..=255).collect();
    for name in ["empty.txt", "rename_me.txt"] {
        import.delete(name);
    }
    for (name, content) in base_files() {
        let changed = [&b"back\\slash.txt"[..], b"hash#name.txt", b"latin1-content.txt", b"latin1-\xe9.txt"];
        let more = [&b"new\nline.txt"[..], b"pct%41.txt", b"q?mark.txt", b"quote\".txt", b"sp ace.txt"];
        let most = [&b"tab\tname.txt"[..], "üñí.txt".as_bytes()];
        if changed.contains(&name) || more.contains(&name) || most.contains(&name) {
            import.file("100644", name, &[&content[..], b"changed\n"].concat());
        }
    }
    import.file("100644", b"bin.dat", &bin);
    import.file("100644", b"copy_dst.txt", copied.as_bytes());
    import.file("100644", b"copy_src.txt", [&copied, "orig changed\n"].concat().as_bytes());
    import.file("100644", b"crlf.txt", b"one\r\nTWO\r\nthree\r\n");
    import.file("100644", b"empty2.txt", b"");
    import.file("100644", b"geteol.txt", b"gamma\ndelta");
    import.file("120000", b"link", b"README.md");
    import.file("100644", b"long.txt", &long(b'y'));
    import.file("100755", b"mode.sh", b"#!/bin/sh\necho hi\n");
    import.file("100644", b"newbin.png", &png);
    import.file("100644", b"noeol.txt", b"alpha\nbeta2");
    import.file("100644", b"nul.txt", b"abc\0def\nline2\nmore\0\n");
    import.file("100644", b"renamed.txt", renamed.as_bytes());
    import.module("2222222222222222222222222222222222222222");
    import.file("100644", b"text.txt", &numbers("twenty"));
}

/// One line of 1,200,000 bytes, or of one more that ends with a `y`.
fn long(last: u8) -> Vec<u8> {
    let mut line = vec![b'x'; 1_200_000];
    if last == b'y' {
        line.push(b'y');
    }
    line.push(b'\n');
    line
}

/// The numbers from 1 to 40, a line each, with another word for the twentieth.
fn numbers(twentieth: &str) -> Vec<u8> {
    let line = |n: u32| if n == 20 { format!("{twentieth}\n") } else { format!("{n}\n") };
    (1..=40).map(line).collect::<String>().into_bytes()
}

/// What `git fast-import` is told.
#[derive(Default)]
struct Import(Vec<u8>);

impl Import {
    fn commit(&mut self, branch: &str, from: Option<&str>, day: &str, message: &str) {
        self.say(&format!("commit refs/heads/{branch}\ncommitter Rec <rec@example.org> {day}\n"));
        self.data(message.as_bytes());
        if let Some(from) = from {
            self.say(&format!("from {from}\n"));
        }
    }

    fn file(&mut self, mode: &str, name: &[u8], content: &[u8]) {
        self.say(&format!("M {mode} inline "));
        self.name(name);
        self.data(content);
    }

    fn module(&mut self, commit: &str) {
        self.say(&format!("M 160000 {commit} sub\n"));
    }

    fn delete(&mut self, name: &str) {
        self.say("D ");
        self.name(name.as_bytes());
    }

    fn name(&mut self, name: &[u8]) {
        let escaped: String = name.iter().map(|byte| format!("\\{byte:03o}")).collect();
        self.say(&format!("\"{escaped}\"\n"));
    }

    fn data(&mut self, data: &[u8]) {
        self.say(&format!("data {}\n", data.len()));
        self.0.extend_from_slice(data);
        self.say("\n");
    }

    fn say(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    fn run(self, repo: &Repo) {
        git_at(&repo.path(), ["fast-import", "--quiet"], &self.0);
    }
}
