//! One change of every kind, small enough to touch each of its bytes.

use assay_kit::{
    AwkwardRepository, ObjectFormat,
    content::{lines_with, noise},
    tree::{Entry, Tree, file, place},
};

/// `main` and `change`, whose diff has a section of every kind.
pub(crate) fn every_kind(format: ObjectFormat) -> AwkwardRepository {
    let function = |name: &str, lines: usize| {
        let body: String = (0..lines).map(|line| format!("    {name} {line}\n")).collect();
        format!("fn {name}() {{\n{body}}}\n")
    };
    let code = |first: &str, second: &str| {
        format!("{}{}", function("first", 12), function("second", 12))
            .replace("    first 9\n", first)
            .replace("    second 9\n", second)
    };
    let touched = [&noise(1, 300)[..], b"touched", &noise(2, 300)].concat();
    let sides: [(&[u8], Option<Entry>, Option<Entry>); 15] = [
        (
            "code é.rs".as_bytes(),
            Some(file(code("    first 9\n", "    second 9\n"))),
            Some(file(code("    first nine\r\n", ""))),
        ),
        (b"run.sh", Some(file("#!/bin/sh\n")), Some(Entry::Executable(b"#!/bin/sh\n".to_vec()))),
        (b"both.sh", Some(Entry::Executable(b"one\n".to_vec())), Some(file("two\n"))),
        (b"moved \"old\".txt", Some(file(lines_with(1, "moved"))), None),
        (b"to/moved\xe9.txt", None, Some(file(lines_with(2, "moved")))),
        (b"exact", Some(file(lines_with(3, "exact"))), None),
        (b"to/exact", None, Some(file(lines_with(3, "exact")))),
        (b"link", Some(Entry::Link(b"target".to_vec())), Some(Entry::Link(b"other".to_vec()))),
        (b"module", Some(Entry::Submodule('1')), Some(Entry::Submodule('2'))),
        (b"delta.bin", Some(file([noise(1, 300), noise(2, 300)].concat())), Some(file(touched))),
        (b"literal.bin", Some(file(noise(3, 60))), Some(file(noise(4, 50)))),
        (b"gone", Some(file("gone\n")), None),
        (b"empty", None, Some(file(""))),
        (b"end", Some(file("1\n2\n3")), Some(file("1\n2\n3\n"))),
        (b"type", Some(file("was a file\n")), Some(Entry::Link(b"now a link".to_vec()))),
    ];
    let (mut base, mut change) = (Tree::new(), Tree::new());
    place(&mut base, b"to/stays", file("stays\n"));
    place(&mut change, b"to/stays", file("stays\n"));
    for (path, old, new) in sides {
        for (tree, entry) in [(&mut base, old), (&mut change, new)] {
            if let Some(entry) = entry {
                place(tree, path, entry);
            }
        }
    }
    AwkwardRepository::of_trees(format, &base, &[("change".into(), change)])
}
