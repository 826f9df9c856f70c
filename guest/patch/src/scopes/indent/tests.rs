//! Texts and the blocks that they have.

use super::*;

/// The blocks of `text`: the path and name of each, and the numbers of its first and last line, from 1.
fn blocks(text: &str) -> Vec<(String, usize, usize)> {
    let line = |at: usize| text[..at].matches('\n').count();
    let named = |scope: Scope| {
        let last = text[..scope.span.end].strip_suffix('\n').unwrap_or(&text[..scope.span.end]).len();
        let path = scope.path.into_iter().chain([scope.name]).collect::<Vec<_>>().join(" / ");
        (path, line(scope.span.start) + 1, line(last) + 1)
    };
    IndentBlocks.outline(text).into_iter().map(named).collect()
}

fn assert_blocks(text: &str, expected: &[(&str, usize, usize)]) {
    let expected: Vec<_> = expected.iter().map(|&(path, first, last)| (path.to_owned(), first, last)).collect();
    assert_eq!(blocks(text), expected, "{text}");
}

/// E-39, P-143: decorators and comments come with a block, the blank lines after it do not.
#[test]
fn python() {
    assert_blocks(
        "import os\n\n# why\n@cached\n@route(\n    '/x',\n)\ndef first(\n    a,\n):\n    if a:\n\n        return 1\n\n    return 2\n\n\n\
         # far\n\nclass B:\n    x = 1\n    # near\n    def f(self):\n        pass\n",
        &[
            ("def first(", 3, 15),
            ("def first( / if a:", 11, 13),
            ("class B:", 20, 24),
            ("class B: / def f(self):", 22, 24),
        ],
    );
}

/// P-143.
#[test]
fn yaml() {
    assert_blocks(
        "---\n# top\non:\n  push:\n    branches: [a]\njobs:\n\n  build:\n    steps:\n      - run: |\n          x\n\n      - uses: y\nlast: 1\n",
        &[
            ("on:", 2, 5),
            ("on: / push:", 4, 5),
            ("jobs:", 6, 13),
            ("jobs: / build:", 8, 13),
            ("jobs: / build: / steps:", 9, 13),
            ("jobs: / build: / steps: / - run: |", 10, 11),
        ],
    );
}

/// P-143: tabs are depth as well, to the next stop.
#[test]
fn makefile() {
    assert_blocks(
        ".PHONY: all\n# builds\nall:\tdep\n\t@echo start\n\tcc \\\n\t\t-o x\n\nclean:\n        rm x\n\trm y\n",
        &[("all: dep", 2, 6), ("all: dep / cc \\", 5, 6), ("clean:", 8, 10)],
    );
}

/// E-39: a block has its closing bracket, and what is between two of them.
#[test]
fn braces() {
    assert_blocks(
        "#![no_std]\n/// Doc.\n#[cfg(\n    test,\n)]\nfn first() {\n    if x {\n        a\n    } else {\n        b\n    }\n}\n\nfn second() {\n    1\n}\n\
         fn third() {}\n/**\n * Doc.\n */\nvoid fourth() {\n    2;\n}\n",
        &[
            ("fn first() {", 2, 12),
            ("fn first() { / if x {", 7, 11),
            ("fn second() {", 14, 16),
            ("void fourth() {", 18, 23),
        ],
    );
    assert_blocks(
        "#a,\n#b {\n  x\n}\n@media (y) {\n  #c {\n    z\n  }\n}",
        &[("#b {", 1, 4), ("@media (y) {", 5, 9), ("@media (y) { / #c {", 6, 8)],
    );
}

/// P-143: what looks like the start of a comment or a decorator and has no end is a header as any other.
#[test]
fn what_never_ends() {
    assert_blocks("/*\n  X-Frame: DENY\n/a\n  Y: 1\n", &[("/*", 1, 2), ("/a", 3, 4)]);
    assert_blocks("@x(\n  1\ndef f:\n  2\n", &[("def f:", 3, 4)]);
    assert_blocks("/**\n * a\nf:\n  1\n", &[("f:", 3, 4)]);
    assert_blocks("# a\n\nf:\n  1", &[("f:", 3, 4)]);
    assert_blocks("a\n b\n  c\n   d\n b\n\n", &[("a", 1, 5), ("a / b", 2, 4), ("a / b / c", 3, 4)]);
    assert_blocks("  a\n b\nc\n}\n)\n", &[]);
    assert_blocks("\n \n", &[]);
}

/// PG-28: the nearest names are kept.
#[test]
fn paths_are_bounded() {
    let stairs: String = (0..40).map(|depth| format!("{}x{depth}\n", " ".repeat(depth))).collect();
    let scopes = IndentBlocks.outline(&stairs);
    let deepest = scopes.last().expect("there are 39");
    assert_eq!((scopes.len(), &*deepest.name, deepest.path.len()), (39, "x38", 16));
    assert_eq!((deepest.path.first(), deepest.path.last()), (Some(&"x22".to_owned()), Some(&"x37".to_owned())));
}
