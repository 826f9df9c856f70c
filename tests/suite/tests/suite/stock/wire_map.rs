//! Which requests a reading makes, on the forge's own log, and that its answers are git's.

use std::collections::BTreeSet;

use assay_kit::{AwkwardRepository, DiffStyle, ObjectFormat, repository::slice_of};
use serde_json::Value;

use super::{DIFF, LIST, Scene, data};

/// The requests that the wire map of section O has (below `/api/v1`), for pull request `index` of `local/awkward`.
fn is_mapped(asked: &str, index: u64) -> bool {
    let Some(route) = asked.strip_prefix("GET /repos/local/awkward/") else { return false };
    let is_id = |rest: &str| [40, 64].contains(&rest.len()) && rest.bytes().all(|b| b.is_ascii_hexdigit());
    route == format!("pulls/{index}.diff?binary=true&evidence=v1")
        || route == format!("pulls/{index}")
        || route == format!("git/refs/pull/{index}/head")
        || route.strip_prefix("git/blobs/").is_some_and(is_id)
}

/// Changed directories, the root among them, of both sides.
fn directories<'a>(paths: impl Iterator<Item = &'a [u8]>) -> BTreeSet<&'a [u8]> {
    let mut all = BTreeSet::from([&b""[..]]);
    for path in paths {
        all.extend((0..path.len()).filter(|at| path[*at] == b'/').map(|at| &path[..at]));
    }
    all
}

/// O-003, O-007, O-008, O-009, O-010, O-012: each branch is proven, byte for byte what git prints; the first page asks for
/// at most 8 things, one more for each changed file and two for each changed directory, later pages for 2; each request is
/// one of the map's and carries the credential.
#[test]
fn a_reading_asks_for_what_the_map_has() {
    for format in ObjectFormat::ALL {
        let repository = AwkwardRepository::new(format);
        let mut scene = Scene::of(&repository);
        for branch in repository.branches() {
            scene.anew();
            scene.forge.clear_requests();
            let pull = scene.pull(branch);
            let mut arguments = scene.arguments(branch);
            let first = scene.page(DIFF, &arguments);
            let (asked, paths) = (
                scene.forge.asked(),
                repository.changed_paths("main", branch, DiffStyle { quote_path: false, copies: false }),
            );
            let most = 8 + paths.len() + 2 * directories(paths.iter().map(Vec::as_slice)).len();
            assert!(asked.len() <= most, "{branch}: {} of {most}: {asked:#?}", asked.len());
            for asked in &asked {
                assert!(is_mapped(asked, pull.index), "{branch}: {asked}");
            }
            assert!(scene.forge.requests().iter().all(|request| request.had_credential));
            assert_eq!(first["manifest"]["level"], "transform", "{branch}: {}", first["manifest"]);
            assert_eq!(first["whole_diff_verified"], true);
            let mut bytes = data(&first);
            let mut page = first;
            while let Some(cursor) = page["next_cursor"].as_str() {
                arguments["cursor"] = cursor.into();
                scene.forge.clear_requests();
                page = scene.page(DIFF, &arguments);
                bytes.extend(data(&page));
                assert_eq!(scene.forge.asked().len(), 2, "{branch}: {:#?}", scene.forge.asked());
            }
            assert!(bytes == repository.diff("main", branch, DiffStyle::FORGE), "{branch}: not what git prints");
        }
    }
}

/// O-016, S-004, K-33: the index first, then files by the names it gave: each is git's part of the diff.
#[test]
fn the_index_leads_to_the_files() {
    let repository = AwkwardRepository::new(ObjectFormat::Sha256);
    let scene = Scene::of(&repository);
    let whole = repository.diff("main", "everything", DiffStyle::FORGE);
    let changes = repository.changes("main", "everything", DiffStyle::FORGE);
    let mut arguments = scene.arguments("everything");
    let mut page = scene.page(LIST, &arguments);
    let mut rows: Vec<Value> = page["files"].as_array().expect("rows").clone();
    while let Some(cursor) = page["next_cursor"].as_str() {
        arguments["cursor"] = cursor.into();
        page = scene.page(LIST, &arguments);
        rows.extend(page["files"].as_array().expect("rows").iter().cloned());
    }
    assert_eq!(rows.len(), changes.iter().map(|change| change.sections.len()).sum::<usize>());
    let mut end = 0;
    for row in &rows {
        assert_eq!(row["byte_offset"], end, "{row}");
        let count = usize::try_from(row["byte_count"].as_u64().expect("a count")).expect("it fits");
        assert_eq!(row["sha256"], assay_kit::evidence::sha256_hex(&whole[end..end + count]), "{row}");
        end += count;
    }
    assert_eq!(end, whole.len());
    let moved = |row: &Value| row["status"] == "renamed" && row["old_path"] != row["new_path"];
    assert!(rows.iter().any(moved), "where a file was is the diff's to say, not the forge's list");
    let mut read = 0;
    for row in rows.iter().step_by(7) {
        let Some(path) = row["new_path"].as_str().or(row["old_path"].as_str()) else { continue };
        let mut slice = scene.arguments("everything");
        slice["file_path"] = path.into();
        let (bytes, manifest) = {
            let mut page = scene.page(DIFF, &slice);
            let manifest = page["manifest"].clone();
            let mut bytes = data(&page);
            while let Some(cursor) = page["next_cursor"].as_str() {
                slice["cursor"] = cursor.into();
                page = scene.page(DIFF, &slice);
                bytes.extend(data(&page));
            }
            (bytes, manifest)
        };
        assert!(bytes == slice_of(&changes, path.as_bytes()), "{path}");
        assert_eq!(manifest["level"], "transform");
        read += 1;
    }
    assert!(read > 5, "{read} files were read");
}
