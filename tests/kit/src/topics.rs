//! What an awkward pull request changes, by topic: each topic is a branch, and one branch has them all.
//!
//! Topics share no path, so that their union is one too.

use crate::{
    content::{HEADER_LIKE, lines, lines_with, noise},
    names::AWKWARD,
    tree::{Entry, file},
};

/// A path before and after; `None` is a path that is not there.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The path's bytes.
    pub path: Vec<u8>,
    /// On the default branch.
    pub before: Option<Entry>,
    /// On the topic's branch.
    pub after: Option<Entry>,
}

/// The topics by branch name.
#[must_use]
pub fn topics() -> Vec<(&'static str, Vec<Edit>)> {
    vec![
        ("names", names()),
        ("renames", renames()),
        ("copies", copies()),
        ("modes", modes()),
        ("links", links()),
        ("submodules", submodules()),
        ("empty-files", empty_files()),
        ("header-like", header_like()),
        ("endings", endings()),
        ("binary", binary()),
        // Last by name in the union, so that the diff ends in a section without a hunk (K-29, K-30).
        ("patchless", vec![change("～/last.sh", file(lines()), Entry::Executable(lines()))]),
    ]
}

fn edit(path: impl AsRef<[u8]>, before: Option<Entry>, after: Option<Entry>) -> Edit {
    Edit { path: path.as_ref().to_vec(), before, after }
}

fn change(path: impl AsRef<[u8]>, before: Entry, after: Entry) -> Edit {
    edit(path, Some(before), Some(after))
}

fn add(path: impl AsRef<[u8]>, entry: Entry) -> Edit {
    edit(path, None, Some(entry))
}

fn remove(path: impl AsRef<[u8]>, entry: Entry) -> Edit {
    edit(path, Some(entry), None)
}

// K-18, K-19, K-21, K-22: each name has lines of its own, so that a line charged to a neighbour shows.
fn names() -> Vec<Edit> {
    let with = |number: usize, what: &str| file(lines_with(20, &format!("{what} of name {number}")));
    let changed = |(number, name): (usize, &crate::names::Name)| {
        if name.why.contains("binary") {
            return change(name.path, file(noise(1, 300)), file(noise(2, 300)));
        }
        change(name.path, with(number, "old"), with(number, "new"))
    };
    AWKWARD.iter().enumerate().map(changed).collect()
}

fn renames() -> Vec<Edit> {
    let body = |what: &str| lines_with(1, what);
    let small = |what: &str| [lines_with(1, what), b"one more\n".to_vec()].concat();
    vec![
        remove("moved/exact old.txt", file(body("exact"))),
        add("moved/exact \"new\".txt", file(body("exact"))),
        remove("moved/naïve-old.txt", file(body("changed"))),
        add("moved/naïve-new.txt", file(small("changed"))),
        remove(b"moved/l\xe9.txt", file(body("latin"))),
        add(b"moved/x b/l\xe9.txt", file(small("latin"))),
        remove("moved/plain.sh", file(body("mode"))),
        add("moved/run.sh", Entry::Executable(small("mode"))),
        // S-012: `middle` is the new side of nothing and the old side of one; `chain` is replaced by something else.
        remove("moved/first.txt", file(body("first"))),
        add("moved/second.txt", file(body("first"))),
        change("moved/chain.txt", file(body("chain before")), file(noise(3, 200))),
        remove("moved/image.bin", file(noise(4, 4_000))),
        add("moved/picture.bin", file([noise(4, 4_000), b"tail".to_vec()].concat())),
    ]
}

fn copies() -> Vec<Edit> {
    vec![
        change(
            "copied/source.txt",
            file(lines_with(1, "copied")),
            file([lines_with(1, "copied"), b"x\n".to_vec()].concat()),
        ),
        add("copied/exact.txt", file(lines_with(1, "copied"))),
        add("copied/with change.txt", file([b"y\n".to_vec(), lines_with(1, "copied")].concat())),
    ]
}

fn modes() -> Vec<Edit> {
    vec![
        change("mode/on.sh", file("#!/bin/sh\n"), Entry::Executable(b"#!/bin/sh\n".to_vec())),
        change("mode/off \"q\".sh", Entry::Executable(b"#!/bin/sh\nx\n".to_vec()), file("#!/bin/sh\nx\n")),
        change("mode/both.sh", file(lines()), Entry::Executable(lines_with(7, "seven"))),
    ]
}

fn links() -> Vec<Edit> {
    let link = |target: &str| Entry::Link(target.as_bytes().to_vec());
    vec![
        add("link/added", link("target")),
        remove("link/removed", link("nowhere")),
        change("link/retargeted", link("a"), link("b/../c")),
        change("link/file to link", file(lines()), link("x b/y")),
        change("link/link to file", link("old"), file("no link any more\n")),
        add(b"link/\xe9 \"q\"", Entry::Link(b"\xe9\nnext".to_vec())),
    ]
}

// K-31.
fn submodules() -> Vec<Edit> {
    let ambiguous = |digit: &str| file(format!("Subproject commit {}\n", digit.repeat(40)));
    vec![
        add("module/added", Entry::Submodule('a')),
        change("module/bumped", Entry::Submodule('1'), Entry::Submodule('2')),
        remove("module/deleted b/x", Entry::Submodule('3')),
        change("module/file to module", file(lines()), Entry::Submodule('4')),
        change("module/module to file", Entry::Submodule('5'), ambiguous("5")),
        change("module/only text", ambiguous("1"), ambiguous("2")),
    ]
}

fn empty_files() -> Vec<Edit> {
    vec![
        add("empty/added", file("")),
        add("empty/added to run", Entry::Executable(Vec::new())),
        remove("empty/removed \"q\"", file("")),
        change("empty/emptied", file("a\n"), file("")),
        change("empty/filled", file(""), file("a")),
        change("empty/mode", file(""), Entry::Executable(Vec::new())),
    ]
}

// K-25, K-26, K-27.
fn header_like() -> Vec<Edit> {
    let all = |end: &str| HEADER_LIKE.join("\n") + end;
    let twice = |first: &str, second: &str| {
        let text = String::from_utf8(lines_with(5, first)).expect("ASCII");
        file(text.replace("line 35\n", second))
    };
    let around = |middle: &str| file(format!("{}{middle}\n{}", all("\n"), all("\n")));
    vec![
        change("like/1 removed", twice("-- a/users note", "line 35\n"), twice("", "other 35\n")),
        change("like/2 added", twice("", "line 35\n"), twice("++ b/evil", "other 35\n")),
        change("like/3 context", around("old"), around("new")),
        change("like/4 no line feed", file("x"), file("y")),
        add("like/5 all added", file(all(""))),
        remove("like/6 all removed", file(all("\n"))),
        change("like/7 swapped", file(all("\n")), file(all("\nend\n"))),
    ]
}

// K-38 and what line readers lose.
fn endings() -> Vec<Edit> {
    let crlf = |at, line| String::from_utf8(lines_with(at, line)).expect("ASCII").replace('\n', "\r\n");
    let bare = |at, line| lines_with(at, line).trim_ascii_end().to_vec();
    vec![
        change("end/crlf", file(crlf(20, "old")), file(crlf(20, "new"))),
        change("end/to crlf", file(lines()), file(crlf(0, ""))),
        change("end/lone cr", file("a\rb\rc\n"), file("a\rB\rc\n")),
        change("end/lost", file(lines()), file(bare(0, ""))),
        change("end/gained", file(bare(0, "")), file(lines())),
        change("end/neither", file(bare(40, "old")), file(bare(40, "new"))),
        change("end/context", file(bare(38, "old")), file(bare(38, "new"))),
        change("end/latin", file(b"caf\xe9\r\n"), file(b"th\xe9\r\n")),
        change("end/long", file("x".repeat(100_000) + "\n"), file("y".repeat(100_000) + "\n")),
        change(
            "end/nul late",
            file([&b"a\n".repeat(9_000)[..], b"\0old\n"].concat()),
            file([&b"a\n".repeat(9_000)[..], b"\0new\n"].concat()),
        ),
    ]
}

fn binary() -> Vec<Edit> {
    let large = noise(10, 6_000);
    let touched = [large.get(..3_000).unwrap_or_default(), b"touched", large.get(3_000..).unwrap_or_default()].concat();
    vec![
        add("bin/added.dat", file(noise(11, 500))),
        remove("bin/removed b/x.dat", file(noise(12, 500))),
        change("bin/delta.dat", file(large), file(touched)),
        change("bin/literal.dat", file(noise(13, 100)), file(noise(14, 70))),
        change("bin/from text", file(lines()), file(noise(15, 90))),
        change("bin/to text", file(noise(16, 90)), file(lines())),
        change("bin/emptied", file(noise(17, 90)), file("")),
        change("bin/k37", file([0x00, 0xff, 0xfe, 0x80]), file([0x00, 0xff, 0xfe, 0x81])),
        change("bin/mode too", file(noise(18, 90)), Entry::Executable(noise(19, 90))),
    ]
}
