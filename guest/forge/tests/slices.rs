//! Slices of diffs that real git does not write easily, or that other tools are known to read wrongly.

use assay_forge::{Error, RepoPath, Sink as _, Slice, Slicer, WINDOW_BYTES, diff::Rule};
use sha2::{Digest as _, Sha256};

fn slice_at(diff: &[u8], path: &[u8], offset: u64) -> Result<Slice, Error> {
    let mut slicer = Slicer::new(RepoPath::new(path).expect("a path"), offset);
    diff.chunks(17).for_each(|piece| slicer.push(piece));
    slicer.finish()
}

fn slice(diff: impl AsRef<[u8]>, path: &str) -> Result<Vec<u8>, Error> {
    slice_at(diff.as_ref(), path.as_bytes(), 0).map(|slice| slice.captured.window)
}

fn rule(diff: impl AsRef<[u8]>) -> Rule {
    match slice(diff, "f") {
        Err(Error::Diff(fault)) => fault.rule,
        other => panic!("{other:?}"),
    }
}

/// A section that changes `old` to `new` in `path`, spelled as it is.
fn section(path: &str, body: &str) -> String {
    format!("diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n{body}")
}

fn edit(path: &str) -> String {
    section(path, "@@ -1 +1 @@\n-a\n+b\n")
}

/// S-001, S-003, S-007: the section and no other, whatever stands around it; names are compared whole.
#[test]
fn one_section_of_many() {
    let (main, bak, deep) = (edit("cmd/main.go"), edit("cmd/main.go.bak"), edit("x/cmd/main.go"));
    for diff in [[&main, &bak, &deep], [&bak, &main, &deep], [&deep, &bak, &main]] {
        assert_eq!(slice(diff.map(String::as_str).concat(), "cmd/main.go"), Ok(main.clone().into_bytes()));
    }
}

/// S-006: what is not there is refused by name, and nothing stands in for it.
#[test]
fn a_missing_path_is_named() {
    for path in ["main.go", "cmd", "cmd/main.go.ba", "a/cmd/main.go", "dev/null"] {
        let error = slice(edit("cmd/main.go"), path).expect_err(path);
        assert_eq!(error, Error::NoSuchPath { path: path.to_owned() });
        assert!(error.to_string().contains(path));
    }
    assert!(matches!(slice("", "f"), Err(Error::NoSuchPath { .. })));
}

/// S-004, S-012: a path that is the old side of one rename and the new side of another has both sections, in order.
#[test]
fn either_side_of_a_rename_and_both() {
    let rename = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
    };
    let diff = [rename("a", "f"), edit("z"), rename("f", "c")];
    assert_eq!(slice(diff.concat(), "f"), Ok([diff[0].as_str(), &diff[2]].concat().into_bytes()));
    assert_eq!(slice(diff.concat(), "a"), Ok(diff[0].clone().into_bytes()));
    let slice = slice_at(diff.concat().as_bytes(), b"f", 0).expect("two sections");
    assert_eq!(slice.section_count, 2);
}

/// S-009, S-010, S-017: offsets count within the slice; count and hash are the slice's whatever the window.
#[test]
fn a_long_slice_has_windows() {
    let lines = "+0123456789abcdef\n".repeat(5_000);
    let long = section("f", &format!("@@ -0,0 +1,5000 @@\n{lines}"));
    let diff = [edit("a"), long.clone(), edit("z")].concat();
    let mut read = Vec::new();
    while read.len() < long.len() {
        let slice = slice_at(diff.as_bytes(), b"f", read.len() as u64).expect("it is there");
        assert_eq!(slice.captured.count, long.len() as u64);
        assert_eq!(slice.captured.sha256, <[u8; 32]>::from(Sha256::digest(&long)));
        assert!(slice.captured.window.len() <= WINDOW_BYTES);
        read.extend(slice.captured.window);
    }
    assert_eq!(read, long.into_bytes());
}

/// S-005: both forms of a binary section.
#[test]
fn binary_sections_are_whole() {
    let differ = "diff --git a/f b/f\nindex 1111111..2222222 100644\nBinary files a/f and b/f differ\n";
    let literal = "diff --git a/f b/f\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 3\nKc$`aQNCE%>hycU@\n\nliteral 0\nHcmV?d00001\n\n";
    for binary in [differ, literal] {
        assert_eq!(slice([&edit("a"), binary, &edit("z")].concat(), "f"), Ok(binary.as_bytes().to_vec()));
    }
    let odd = "diff --git a/x and b/x b/x and b/x\nindex 1111111..2222222 100644\nBinary files a/x and b/x and b/x and b/x differ\n";
    assert_eq!(slice(odd, "x and b/x"), Ok(odd.as_bytes().to_vec()));
}

/// S-014, K-18, K-19: quoted names are bytes, whichever way the forge quotes.
#[test]
fn quoted_names_are_unquoted() {
    for (spelled, path) in [
        (r"na\303\257ve.txt", "naïve.txt"),
        (r#"q\"uote.txt"#, "q\"uote.txt"),
        (r"back\\slash", "back\\slash"),
        (r"t\tab\nline", "t\tab\nline"),
    ] {
        let quoted = format!(
            "diff --git \"a/{spelled}\" \"b/{spelled}\"\nindex 1111111..2222222 100644\n--- \"a/{spelled}\"\n+++ \"b/{spelled}\"\n@@ -1 +1 @@\n-a\n+b\n"
        );
        // K-18: its lines are not charged to the file before.
        assert_eq!(slice([&edit("a"), quoted.as_str()].concat(), path), Ok(quoted.clone().into_bytes()));
        assert_eq!(slice([&edit("a"), quoted.as_str()].concat(), "a"), Ok(edit("a").into_bytes()));
    }
    let raw = b"diff --git a/caf\xe9 b/caf\xe9\nold mode 100644\nnew mode 100755\n";
    assert_eq!(slice_at(raw, b"caf\xe9", 0).expect("bytes are names").captured.window, raw);
}

/// K-23: a header with an octal escape beyond a byte is refused, whichever path is asked for.
#[test]
fn an_impossible_escape_is_refused() {
    for escape in [r"\400", r"\777"] {
        let diff = format!("diff --git \"a/{escape}\" \"b/{escape}\"\nold mode 100644\nnew mode 100755\n");
        assert_eq!(rule([edit("f"), diff].concat()), Rule::Quoting);
    }
}

/// K-21, K-22, S-013: names with ` b/` and with spaces.
#[test]
fn boundaries_inside_names() {
    let odd = section("x b/y.txt", "@@ -1 +1 @@\n-a\n+b\n")
        .replace("--- a/x b/y.txt", "--- a/x b/y.txt\t")
        .replace("+++ b/x b/y.txt", "+++ b/x b/y.txt\t");
    assert_eq!(slice(&odd, "x b/y.txt"), Ok(odd.clone().into_bytes()));
    assert!(matches!(slice(&odd, "x"), Err(Error::NoSuchPath { .. })));
    let spaces = "diff --git a/bin with space.dat b/bin with space.dat\nindex 1111111..2222222 100644\nBinary files a/bin with space.dat and b/bin with space.dat differ\n";
    assert_eq!(slice(spaces, "bin with space.dat"), Ok(spaces.as_bytes().to_vec()));
}

/// K-25, K-26, K-27, S-015: content that looks like a header is content.
#[test]
fn hunk_counts_drive() {
    let body = "@@ -1,3 +1,3 @@\n--- a/users note\n+++ b/evil\n diff --git a/z b/z\n \n@@ -9 +9 @@\n-diff --git a/q b/q\n+diff --git a/q b/q\n";
    let trap = section("f", body);
    let diff = [trap.as_str(), &edit("z")].concat();
    assert_eq!(slice(&diff, "f"), Ok(trap.into_bytes()));
    assert_eq!(slice(&diff, "z"), Ok(edit("z").into_bytes()));
    for absent in ["users note", "evil", "q"] {
        assert!(matches!(slice(&diff, absent), Err(Error::NoSuchPath { .. })), "{absent}");
    }
    let no_newline = section("f", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
    assert_eq!(slice([no_newline.as_str(), &edit("z")].concat(), "f"), Ok(no_newline.into_bytes()));
}

/// K-29, K-30, K-31: sections without a body, at the end without a line feed too; submodules and what looks like one.
#[test]
fn sections_without_hunks() {
    let modes = "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n";
    for diff in [modes, modes.trim_end()] {
        assert_eq!(slice([&edit("a"), diff].concat(), "f"), Ok(diff.as_bytes().to_vec()));
    }
    let empty = "diff --git a/f b/f\nnew file mode 100644\nindex 0000000..e69de29";
    assert_eq!(slice(empty, "f"), Ok(empty.as_bytes().to_vec()));
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let bump = format!(
        "diff --git a/f b/f\nindex 1111111..2222222 160000\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-Subproject commit {commit}\n+Subproject commit {commit}\n"
    );
    assert_eq!(slice(&bump, "f"), Ok(bump.clone().into_bytes()));
}

/// S-018: a name too long to be asked for is a boundary and never a match; the longest path that can be asked for is found,
/// however it is quoted.
#[test]
fn the_longest_names() {
    let quoted = r"\303".repeat(4_096);
    let path = vec![0o303_u8; 4_096];
    let longest = format!("diff --git \"a/{quoted}\" \"b/{quoted}\"\nold mode 100644\nnew mode 100755\n");
    let found = slice_at(longest.as_bytes(), &path, 0).expect("it is found").captured;
    assert!(found.count == longest.len() as u64 && longest.as_bytes().starts_with(&found.window));
    let plain = "x".repeat(20_000);
    let beyond = format!(
        "diff --git a/{plain} b/{plain}\nindex 1111111..2222222 100644\n--- a/{plain}\n+++ b/{plain}\n@@ -1 +1 @@\n-a\n+b\n"
    );
    let diff = [edit("a"), beyond, edit("f")].concat();
    assert_eq!(slice(&diff, "f"), Ok(edit("f").into_bytes()));
    assert_eq!(slice(&diff, "a"), Ok(edit("a").into_bytes()));
    let from = "y".repeat(40_000);
    let renamed = format!("diff --git a/{from} b/f\nsimilarity index 100%\nrename from {from}\nrename to f\n");
    assert!(matches!(slice(renamed, "f"), Err(Error::NoSuchPath { .. })));
}

/// S-018, D-078: what a long line means does not depend on how it is split, and where a section's names are known no line
/// is too long to be compared with them.
#[test]
fn long_lines_split_anywhere() {
    let (name, edited) = ("y".repeat(32_800), "diff --git a/f b/f\nindex 1111111..2222222 100644\n");
    let renamed = format!("diff --git a/{name} b/f\nsimilarity index 100%\nrename from {name}\nrename to f\n");
    let label = format!("{edited}--- a/{name}\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n");
    let differ = format!("{edited}Binary files a/f and b/{name} differ\n");
    for diff in [renamed, label, differ] {
        let verdicts = [1, 17, 32_788, 32_852, 32_853, usize::MAX].map(|size| {
            let mut slicer = Slicer::new(RepoPath::new("f").expect("a path"), 0);
            diff.as_bytes().chunks(size).for_each(|piece| slicer.push(piece));
            slicer.finish().expect_err("no name of it is `f` and true")
        });
        assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}");
    }
}

/// S-016: lines of megabytes and NULs pass; carriage returns stay.
#[test]
fn lines_of_any_length_pass() {
    let line = "x\0\r".repeat(1_000_000);
    let long = section("f", &format!("@@ -1 +1 @@\n-{line}\r\n+\r\n"));
    let diff = [long.as_str(), &edit("z")].concat();
    assert_eq!(slice(&diff, "z"), Ok(edit("z").into_bytes()));
    let slice = slice_at(diff.as_bytes(), b"f", 0).expect("it is there");
    assert_eq!(slice.captured.count, long.len() as u64);
}

/// What git does not write is refused with its place, whatever is asked for.
#[test]
fn what_is_no_diff_is_refused() {
    let header = "diff --git a/f b/f\n";
    let edited = format!("{header}index 1111111..2222222 100644\n");
    let added = format!("{header}new file mode 100644\nindex 0000000..2222222\n");
    for (diff, expected) in [
        ("hello\n".to_owned(), Rule::Section),
        (format!("{}{{\"message\":\"\"}}\n", edit("f")), Rule::Section),
        ("diff --cc f\nindex 1111111,2222222..3333333\n".to_owned(), Rule::Section),
        ("diff --git a/f b/g\n".to_owned(), Rule::Names),
        ("diff --git f f\n".to_owned(), Rule::Names),
        (format!("{header}rename from f\n"), Rule::Extended),
        ("diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to h\n".to_owned(), Rule::Names),
        (format!("{header}similarity index 90%\n"), Rule::Extended),
        (format!("{header}similarity index 101%\nrename from f\nrename to f\n"), Rule::Extended),
        (format!("{header}old mode 100644\n"), Rule::Extended),
        (format!("{header}new mode 100644\n"), Rule::Extended),
        (format!("{header}old mode 100644\nold mode 100644\n"), Rule::Extended),
        (format!("{header}old mode 100648\nnew mode 100644\n"), Rule::Extended),
        (format!("{header}new file mode 100644\ndeleted file mode 100644\n"), Rule::Extended),
        (format!("{header}index 111..222 100644\n"), Rule::Extended),
        (format!("{header}index 1111111..2222222 100644 x\n"), Rule::Extended),
        (format!("{header}Index: f\n"), Rule::Extended),
        (format!("{edited}--- a/g\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), Rule::Labels),
        (format!("{edited}--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n"), Rule::Labels),
        (format!("{edited}--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"), Rule::Labels),
        (format!("{added}--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+b\n"), Rule::Labels),
        (format!("{edited}--- a/f\n@@ -1 +1 @@\n"), Rule::Labels),
        (format!("{edited}--- a/f\n+++ b/f\ndiff --git a/g b/g\n"), Rule::Labels),
        (section("f", "@@ -1 +1 @\n-a\n+b\n"), Rule::Hunk),
        (section("f", "@@ -01 +1 @@\n-a\n+b\n"), Rule::Hunk),
        (section("f", "@@ -1,0 +1,0 @@\n"), Rule::Hunk),
        (section("f", "@@ -0,1 +1 @@\n-a\n+b\n"), Rule::Hunk),
        (section("f", "@@ -1 +1 @@x\n-a\n+b\n"), Rule::Hunk),
        (section("f", "@@ -1 +99999999999999999999 @@\n-a\n+b\n"), Rule::Hunk),
        (section("f", "@@ -1 +1 @@\n-a\n-b\n"), Rule::Count),
        (section("f", "@@ -1 +1 @@\n-a\n+b\n+c\n"), Rule::Section),
        (section("f", "@@ -1,2 +1 @@\n-a\ndiff --git a/g b/g\n"), Rule::Count),
        (section("f", "@@ -2 +2 @@\n\\ No newline at end of file\n"), Rule::NoNewline),
        (section("f", "@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n"), Rule::NoNewline),
        (
            section("f", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n\\ No newline at end of file\n"),
            Rule::NoNewline,
        ),
        (section("f", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n@@ -3 +3 @@\n-a\n+b\n"), Rule::NoNewline),
        (section("f", "@@ -1 +1 @@\n-a\n+b\n\\ Kein Zeilenumbruch\n"), Rule::NoNewline),
        (section("f", "@@ -1 +1 @@\n-a\n+b"), Rule::End),
        (section("f", "@@ -1 +1 @@\n-a\n"), Rule::End),
        (section("f", ""), Rule::End),
        (format!("{edited}GIT binary patch\nliteral 3\n\n"), Rule::Binary),
        (format!("{edited}GIT binary patch\nliteral 3\nHcmV?d00001\nHcmV?d00001\n\n"), Rule::Binary),
        (format!("{edited}GIT binary patch\nliteral x\nHcmV?d00001\n\n"), Rule::Binary),
        (format!("{edited}GIT binary patch\nliteral 3\nHcmV?d00001\n"), Rule::End),
        (format!("{edited}Binary files a/f and b/g differ\n"), Rule::Binary),
        (format!("{edited}Binary files a/f and b/f differ\nx\n"), Rule::Section),
        // A cut diff, or a header that says nothing (K-29).
        (header.to_owned(), Rule::Patch),
        (edited.clone(), Rule::Patch),
        (added.clone(), Rule::Patch),
        (format!("{header}new file mode 100644\n"), Rule::Patch),
        (format!("{header}--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), Rule::Patch),
        (format!("{header}index 1111111..2222222\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), Rule::Patch),
        ("diff --git a/f b/g\nsimilarity index 99%\nrename from f\nrename to g\n".to_owned(), Rule::Patch),
        (format!("{header}deleted file mode 100644\nindex 2222222..3333333\n"), Rule::Patch),
        (format!("{edited}GIT binary patch\nliteral 8\nHcmV?d00001\n\n"), Rule::End),
        (format!("{edited}GIT binary patch\nliteral 8\nHcmV?d00001\n\n{}", edit("g")), Rule::Binary),
        (format!("{edited}GIT binary patch\nliteral 4\nD~~~~~\n\n"), Rule::Binary),
        // Modes that no tree of git has, or that are no change.
        (format!("{header}old mode 100644\nnew mode 100644\n"), Rule::Extended),
        (format!("{header}old mode 100644\nnew mode 120000\n"), Rule::Extended),
        (format!("{header}old mode 100600\nnew mode 100644\n"), Rule::Extended),
        // Hunks that nothing leads to.
        (section("f", "@@ -2 +3 @@\n-a\n+b\n"), Rule::Order),
        (section("f", "@@ -5 +5 @@\n-a\n+b\n@@ -4 +4 @@\n-a\n+b\n"), Rule::Order),
        (section("f", "@@ -5 +5,2 @@\n-a\n+b\n+c\n@@ -9 +9 @@\n-a\n+b\n"), Rule::Order),
        (format!("{added}--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"), Rule::Order),
        (section("f", "@@ -1 +1 @@ \n-a\n+b\n"), Rule::Hunk),
        // Tabs stand behind names with a space, and there alone.
        (section("f", "@@ -1 +1 @@\n-a\n+b\n").replace("--- a/f", "--- a/f\t"), Rule::Labels),
    ] {
        assert_eq!(rule(&diff), expected, "{diff}");
    }
}

/// S-002, S-008: what a slice has against a diff it says at the end alone, and with the place; a slice without a path
/// does not exist.
#[test]
fn a_fault_has_its_place() {
    let diff = format!("{}broken\n", edit("f"));
    let error = slice(&diff, "f").expect_err("it is broken");
    assert!(error.to_string().contains(&format!("byte {}", edit("f").len())), "{error}");
    assert!(error.to_string().contains("without `file_path`") && !error.to_string().contains("broken"), "{error}");
    assert!(RepoPath::new("").is_err());
}

/// S-003, S-007, S-014: a name that looks like a quoted one is meant before the one that its quotes would stand for.
#[test]
fn a_name_can_look_quoted() {
    let spelled = r#""x\351""#;
    let (looks, is) = (edit_as(r#""a/\"x\\351\"""#, r#""b/\"x\\351\"""#), edit_as(r#""a/x\351""#, r#""b/x\351""#));
    let sliced = |diff: String| {
        let mut slicer = Slicer::new(assay_forge::FilePath::new(spelled).expect("a path"), 0);
        diff.as_bytes().chunks(17).for_each(|piece| slicer.push(piece));
        slicer.finish().map(|slice| String::from_utf8_lossy(&slice.captured.window).into_owned())
    };
    assert_eq!(sliced(format!("{is}{looks}")), Ok(looks.clone()));
    assert_eq!(sliced(format!("{looks}{is}")), Ok(looks));
    assert_eq!(sliced(is.clone()), Ok(is));
    assert_eq!(sliced(edit("other")), Err(Error::NoSuchPath { path: spelled.to_owned() }));
}

fn edit_as(old: &str, new: &str) -> String {
    format!("diff --git {old} {new}\nindex 1111111..2222222 100644\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n")
}
