//! Documents and the sections that they have.

use super::*;

/// The sections of `text`: the path and name of each, and the numbers of its first and last line, from 1.
fn sections(text: &str) -> Vec<(String, usize, usize)> {
    let bytes = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let line = |at: usize| text[..at].matches('\n').count();
    let named = |scope: Scope| {
        let (start, end) = (bytes(scope.span.start), bytes(scope.span.end));
        let last = text[..end].strip_suffix('\n').unwrap_or(&text[..end]).len();
        let path = scope.path.into_iter().chain([scope.name]).collect::<Vec<_>>().join(" / ");
        (path, line(start) + 1, line(last) + 1)
    };
    MarkdownHeadings.outline(text).into_iter().map(named).collect()
}

fn assert_sections(text: &str, expected: &[(&str, usize, usize)]) {
    let expected: Vec<_> = expected.iter().map(|&(path, first, last)| (path.to_owned(), first, last)).collect();
    assert_eq!(sections(text), expected, "{text}");
}

/// P-143: a section ends before the next heading of the same or a higher level.
#[test]
fn sections_nest() {
    assert_sections(
        "intro\n# A é\ntext\n### A1\n\n## A2 ##\nSub\nline\n---\nx\n\n# B\n\n",
        &[("A é", 2, 11), ("A é / A1", 4, 5), ("A é / A2", 6, 6), ("A é / Sub line", 7, 11), ("B", 12, 13)],
    );
    assert_sections("Title\n=====\n\nPart\n----\n# Next", &[("Title", 1, 5), ("Title / Part", 4, 5), ("Next", 6, 6)]);
    assert_sections("  # a\n   ## b\n    # code\n#\n", &[("a", 1, 3), ("a / b", 2, 3), ("", 4, 4)]);
    assert_sections("no heading\n#none\n", &[]);
}

/// P-143: what is in code, comments and other HTML is no heading.
#[test]
fn verbatim_text_has_no_headings() {
    assert_sections(
        "# A\n```sh\n# no\n~~~\n```\n## B\n~~~~\n# no\n~~~\n# no\n~~~~~\n## C\n",
        &[("A", 1, 12), ("A / B", 6, 11), ("A / C", 12, 12)],
    );
    assert_sections("```\n# no\n", &[]);
    assert_sections("``` a`b\n# yes\n", &[("yes", 2, 2)]);
    assert_sections("<!-- # no\n# no\n\n# no -->\n# A\n<!-- x -->\n# B\n", &[("A", 5, 6), ("B", 7, 7)]);
    assert_sections("<div>\n# no\n\n# A\n<pre>\n\n# no\n</pre>\n# B\n", &[("A", 4, 8), ("B", 9, 9)]);
    assert_sections("text\n<b>\n# A\n", &[("A", 3, 3)]);
    assert_sections("    # code\n\n\t# code\ntext\n    # text\n", &[]);
}

/// P-143, CommonMark 4.3: an underline needs a paragraph above it, in the same place.
#[test]
fn setext_headings() {
    assert_sections("a\n\n---\nb\n***\nc\n===\n", &[("c", 6, 7)]);
    assert_sections("> a\n---\n> b\nc\n===\n- d\ne\n===\n- f\n---\n", &[]);
    assert_sections("> a\n\nb\n===\n", &[("b", 3, 4)]);
    assert_sections("---\nFoo\n---\nBar\n---\nBaz\n", &[("Foo", 2, 3), ("Bar", 4, 6)]);
    assert_sections("[a]: b\n===\n[c]: d\n---\n", &[("=== [c]: d", 2, 4)]);
    assert_sections("[a]: b\n---\n[a]: b\nFoo\n---\n", &[("Foo", 4, 5)]);
    assert_sections("Foo\n= =\n    ---\n---\n", &[("Foo = = ---", 1, 4)]);
    assert_sections("Foo\n-\nx\n", &[("Foo", 1, 3)]);
}

/// P-143: a heading within a quote or a list item is part of that.
#[test]
fn containers_keep_their_headings() {
    assert_sections(
        "# A\n- one\n\n  # no\n  - two\n    1. three\n\n       # no\n       ```\n# B\n- ```\n  # no\n\n  # no\n  ```\n\n  # no\n\n ## C\n> # no\n> ```\n# D\n",
        &[("A", 1, 9), ("B", 10, 21), ("B / C", 19, 21), ("D", 22, 22)],
    );
    assert_sections("- # no\n-\n\n  # A\n", &[("A", 4, 4)]);
    assert_sections("-\n  # no\n", &[]);
    assert_sections("text\n2. x\n   # A\n", &[("A", 3, 3)]);
    assert_sections("text\n1. x\n   # no\n", &[]);
    assert_sections("10) x\n    # no\n   # A\n", &[("A", 3, 3)]);
    assert_sections("-\tx\n\n\t# no\n > - # no\n >   # no\n", &[]);
    assert_sections("- a\n  ```\nb\n===\n", &[("b", 3, 4)]);
    assert_sections("- a\n\nb\n===\n", &[("b", 3, 4)]);
}

/// P-143: what is before the document is no part of it.
#[test]
fn front_matter_has_no_headings() {
    assert_sections("---\ntitle: x\n# no\ntags:\n---\n# A\n", &[("A", 6, 6)]);
    assert_sections("---\ntitle: x\n...\nA\n---\n", &[("A", 4, 5)]);
    assert_sections("---\ntitle: x\n\n# A\n", &[("A", 4, 4)]);
    assert_sections("---\n\nA\n---\n", &[("A", 3, 4)]);
    assert_sections("---\n", &[]);
}
