//! Which statements of the contract the tests name, so that one that no test names is seen.
//!
//! An id in production code says where a rule comes from; only what stands in tests, cases and clients counts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that hold nothing that we wrote.
const SKIPPED: &[&str] = &[".git", "target", "node_modules", "__pycache__"];

/// The ids of a list: one a line, `#` starts a remark.
#[must_use]
pub fn required(list: &str) -> BTreeSet<String> {
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Every id that a test, a case, a client or `ARCHITECTURE.md` below `root` names, and where.
///
/// # Errors
/// Where a file or folder cannot be read.
pub fn named_in_tests(root: &Path) -> io::Result<BTreeMap<String, Vec<PathBuf>>> {
    let mut named: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries = fs::read_dir(&folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            let kind = entry.file_type()?;
            if kind.is_dir() && !SKIPPED.iter().any(|skipped| entry.file_name() == *skipped) {
                folders.push(path);
            } else if kind.is_file() {
                let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
                if !can_show(&relative) {
                    continue;
                }
                let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
                for id in ids_in(part_that_shows(&relative, &text)) {
                    named.entry(id).or_default().push(relative.clone());
                }
            }
        }
    }
    Ok(named)
}

/// Every id in a text.
#[must_use]
pub fn ids_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| is_id(word)).map(str::to_owned).collect()
}

/// Whether this is an id: one or two capitals, a hyphen, three digits, perhaps a letter (`D-036b`, `PG-001`), or two
/// for a row of the users' reports and for what goes beyond the seed (`K-18`, `E-07`, `X-03`).
#[must_use]
pub fn is_id(word: &str) -> bool {
    let Some((family, number)) = word.split_once('-') else { return false };
    let digits = number.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(number);
    let of_two_digits = matches!(family, "E" | "K" | "X") && number.len() == 2;
    matches!(family.len(), 1 | 2)
        && family.bytes().all(|byte| byte.is_ascii_uppercase())
        && (of_two_digits || digits.len() == 3)
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn can_show(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension {
        // This file's own tests name ids to show how they are found.
        "rs" if path.ends_with("kit/src/contract.rs") => false,
        "rs" | "py" | "mjs" => true,
        "json" => path.parent().is_some_and(|folder| folder.ends_with("cases")),
        // What is said there to have no test, with the reason.
        "md" => path == Path::new("ARCHITECTURE.md"),
        _ => false,
    }
}

// Tests stand last in a file of ours, behind the only `cfg(test)` that starts a line.
fn part_that_shows<'a>(path: &Path, text: &'a str) -> &'a str {
    let inside = |name: &str| path.components().any(|part| part.as_os_str() == name);
    let tests_alone = (inside("tests") && !inside("kit")) || path.file_name().is_some_and(|name| name == "tests.rs");
    if path.extension().is_none_or(|extension| extension != "rs") || tests_alone {
        return text;
    }
    text.find("\n#[cfg(test)]").and_then(|at| text.get(at..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_from_what_looks_like_them() {
        let text = "D-036b: (D-018), PG-001/S-004. SHA-256 utf-008 D-12 D-1234 d-012 K-18 X-03 D-036bc X-D-012 D-007";
        assert_eq!(
            ids_in(text).into_iter().collect::<Vec<_>>(),
            ["D-007", "D-018", "D-036b", "K-18", "PG-001", "S-004", "X-03"]
        );
    }

    #[test]
    fn a_list_may_have_remarks() {
        let list = required("# all\nD-001\n\nD-002 # why\n");
        assert_eq!(list.into_iter().collect::<Vec<_>>(), ["D-001", "D-002"]);
    }

    #[test]
    fn only_tests_show() {
        let root = tempfile::tempdir().expect("room");
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            fs::write(path, text).expect("room");
        };
        write("guest/x/src/lib.rs", "/// D-101\nfn f() {}\n#[cfg(test)]\nmod tests { /* D-102 */ }\n");
        write("guest/x/src/tests.rs", "// D-103");
        write("guest/x/src/t/cases/a.json", "[\"D-104\"]");
        write("guest/x/src/t/tool.json", "D-105");
        write("tests/suite/tests/suite/a.rs", "// D-106");
        write("tests/kit/src/a.rs", "// D-107");
        write("ARCHITECTURE.md", "D-108");
        write("README.md", "D-109");
        write("target/x/tests/a.rs", "// D-110");
        let named = named_in_tests(root.path()).expect("readable");
        assert_eq!(named.into_keys().collect::<Vec<_>>(), ["D-102", "D-103", "D-104", "D-106", "D-108"]);
    }

    #[test]
    fn the_list_names_the_statements_about_the_diff() {
        let list = required(include_str!("../../suite/contract-ids.txt"));
        assert!(list.iter().all(|id| is_id(id)), "{list:?}");
        assert_eq!(list.iter().filter(|id| id.starts_with("S-")).count(), 18);
        for id in ["D-001", "D-011a", "D-023a", "D-036a", "D-036b", "D-040a", "D-057a", "D-082"] {
            assert!(list.contains(id), "{id}");
        }
        assert_eq!(list.iter().filter(|id| id.starts_with("D-")).count(), 88);
    }
}
