//! What git can write and seldom does, and diffs that git cannot write though they look as if: kinds that once went wrong.

use assay_forge::proof::{Contradiction, Stopped};
use assay_kit::{
    AwkwardRepository, ObjectFormat,
    tree::{Entry, Tree, file},
};

use super::{
    diff,
    support::{Pair, boundaries},
};

/// O-005, O-008: a binary patch is inflated to its end, however hard it was deflated.
#[test]
fn every_compression_is_inflated() {
    let mut change = Tree::new();
    for size in [1, 4_095, 8_190, 16_383, 16_384, 16_385, 20_000, 32_768, 50_001] {
        change.insert(format!("zeros {size}").into_bytes(), file(vec![0; size]));
    }
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &Tree::new(), &[("topic".to_owned(), change)]);
    let pair = Pair::of(&repository, "main", "topic");
    for level in 1..=9 {
        repository.git(["config", "core.compression", &level.to_string()]);
        pair.proves(&diff(&repository, &["--binary", "--histogram"], "main", "topic"), &format!("level {level}"));
    }
}

/// O-005, O-008: an id can begin with more zeros than are shown of it, on a side that is there.
#[test]
fn ids_can_begin_with_zeros() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::of_trees(format, &Tree::from([(b"f".to_vec(), file("f\n"))]), &[]);
        let commit = |submodule: Option<&str>| {
            repository.git(["read-tree", "main"]);
            if let Some(digits) = submodule {
                let id = format!("{digits:a<width$}", width = format.hex_digits());
                repository.git(["update-index", "--add", "--cacheinfo", &format!("160000,{id},m")]);
            }
            let tree = String::from_utf8(repository.git(["write-tree"])).expect("an id");
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
            let made = repository.git(identity.into_iter().chain(["commit-tree", "-m", "m", tree.trim_end()]));
            String::from_utf8(made).expect("an id").trim_end().to_owned()
        };
        let (none, one, two) = (commit(None), commit(Some("00000001")), commit(Some("00000002")));
        for (old, new) in [(&none, &one), (&one, &none), (&one, &two)] {
            let pair = Pair::of(&repository, old, new);
            let printed = diff(&repository, &["--binary"], old, new);
            assert!(String::from_utf8_lossy(&printed).contains("index 0000000..0000000"), "git shows seven digits");
            pair.proves(&printed, &format!("{old}..{new}"));
        }
    }
}

/// O-008a: what is there in the base is not new, and no file is a copy of itself.
#[test]
fn what_was_there_is_not_told_as_new() {
    let text = |start: usize| (start..start + 60).map(|line| format!("line {line}\n")).collect::<String>();
    let base = Tree::from([(b"a".to_vec(), file(text(0)))]);
    let change = Tree::from([(b"a".to_vec(), file("other\n")), (b"b".to_vec(), file(text(1)))]);
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".to_owned(), change)]);
    let pair = Pair::of(&repository, "main", "topic");
    let full = diff(&repository, &["--binary", "--full-index", "--no-renames"], "main", "topic");
    pair.proves(&full, "as git writes it");
    let (old, new) = (repository.oid("main:a"), repository.oid("topic:a"));
    let added = format!(
        "diff --git a/a b/a\nnew file mode 100644\nindex {}..{new}\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+other\n",
        "0".repeat(40)
    );
    let copied = format!(
        "diff --git a/a b/a\nsimilarity index 1%\ncopy from a\ncopy to a\nindex {old}..{new} 100644\n--- a/a\n+++ b/a\n"
    );
    let rename = format!(
        "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\nindex {old}..{} 100644\n--- a/a\n+++ b/b\n",
        repository.oid("topic:b")
    );
    for forged in [added, copied, rename] {
        let outcome = pair.prove(forged.as_bytes());
        assert_eq!(outcome.conclusion.contradiction(), Some(Contradiction::Status), "{}", outcome.verdict());
    }
}

/// O-008, O-008a: a file that gives way to another type is deleted before it is added, and nothing stands between.
#[test]
fn a_type_change_is_told_in_order() {
    let link = Entry::Link(b"elsewhere".to_vec());
    let mut base = Tree::from(["a", "p", "z"].map(|name| (name.as_bytes().to_vec(), file(format!("{name}\n")))));
    base.insert(b"x".to_vec(), link.clone());
    let change = Tree::from([(b"a".to_vec(), file("b\n")), (b"p".to_vec(), link), (b"z".to_vec(), file("y\n"))]);
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".to_owned(), change)]);
    let pair = Pair::of(&repository, "main", "topic");
    let printed = diff(&repository, &["--binary"], "main", "topic");
    pair.proves(&printed, "as git writes it");
    let bounds = boundaries(&printed);
    let sections: Vec<&[u8]> = bounds.windows(2).map(|ends| &printed[ends[0]..ends[1]]).collect();
    assert_eq!(sections.len(), 5, "of a, p twice, x and z");
    let told = |order: &[usize]| order.iter().flat_map(|at| sections[*at]).copied().collect::<Vec<u8>>();
    let moved = b"diff --git a/x b/p\nsimilarity index 100%\nrename from x\nrename to p\n";
    for forged in [
        told(&[0, 2, 1, 3, 4]),
        told(&[0, 1, 3, 2, 4]),
        told(&[1, 0, 2, 3, 4]),
        told(&[4, 3, 2, 1, 0]),
        told(&[0, 1, 3, 4]),
        [&told(&[0, 1])[..], moved, sections[4]].concat(),
    ] {
        let outcome = pair.prove(&forged);
        let verdict = outcome.verdict();
        assert_eq!(
            outcome.conclusion.contradiction(),
            Some(Contradiction::Missing),
            "{}: {verdict}",
            forged.escape_ascii()
        );
    }
}

/// O-008a: the id of a side that is not there is so many zeros as an id has at the most, and a binary patch's ids are whole.
#[test]
fn ids_have_their_length() {
    let change = Tree::from([(b"b".to_vec(), file([0, 1, 2])), (b"t".to_vec(), file("t\n"))]);
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &Tree::new(), &[("topic".to_owned(), change)]);
    let pair = Pair::of(&repository, "main", "topic");
    let printed = String::from_utf8(diff(&repository, &["--binary", "--full-index"], "main", "topic")).expect("ASCII");
    let zeros = "0".repeat(40);
    let id = repository.oid("topic:b");
    for (from, to) in [(&zeros, "0".repeat(64)), (&zeros, "0".repeat(41)), (&id, id[..39].to_owned())] {
        let outcome = pair.prove(printed.replacen(from.as_str(), &to, 1).as_bytes());
        assert_eq!(outcome.conclusion.contradiction(), Some(Contradiction::Ids), "{to}: {}", outcome.verdict());
    }
}

/// O-015: copies out of large folders by turns stop the proof before the folders have been read for ever.
#[test]
fn folders_are_not_read_for_ever() {
    let mut base = Tree::new();
    for folder in ["one", "two"] {
        for number in 0..12_000 {
            let name = format!("{folder}/{number:05} {}", "a long name ".repeat(8));
            base.insert(name.into_bytes(), file("the same\n"));
        }
    }
    let mut change = base.clone();
    (0..600).for_each(|number| drop(change.insert(format!("new/{number}").into_bytes(), file("the same\n"))));
    let repository = AwkwardRepository::of_trees(ObjectFormat::Sha1, &base, &[("topic".to_owned(), change)]);
    let pair = Pair::of(&repository, "main", "topic");
    let forged = |folders: [&str; 2]| {
        let section = |number: usize| {
            let from = format!("{}/{:05} {}", folders[number % 2], 11_999, "a long name ".repeat(8));
            let to = format!("new/{number}");
            format!("diff --git a/{from} b/{to}\nsimilarity index 100%\ncopy from {from}\ncopy to {to}\n")
        };
        (0..600).map(section).collect::<String>()
    };
    assert!(pair.prove(forged(["one", "one"]).as_bytes()).is_transform(), "one folder is read once");
    let outcome = pair.prove(forged(["one", "two"]).as_bytes());
    assert_eq!(outcome.conclusion.stopped(), Some(Stopped::TooManyObjects), "{}", outcome.verdict());
}

/// O-005: a diff whose last line was not ended is not whole, however long that line is.
#[test]
fn a_long_last_line_has_its_end() {
    let repository =
        AwkwardRepository::of_trees(ObjectFormat::Sha1, &Tree::new(), &[("topic".to_owned(), Tree::new())]);
    let pair = Pair::of(&repository, "main", "topic");
    for length in [10, 40_000] {
        let names = ["o", "n"].map(|side| side.repeat(length));
        let [old, new] = &names;
        let whole = format!("diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n");
        assert!(pair.prove(whole.as_bytes()).parsed.is_ok());
        assert!(pair.prove(whole.trim_end().as_bytes()).parsed.is_err(), "{length} bytes");
    }
}
