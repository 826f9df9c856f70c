//! Damage, other calls, moved inputs: each refuses, and only what was written is read.

use base64_simd::URL_SAFE_NO_PAD;
use proptest::prelude::*;

use super::{text::checksum, *};
use crate::{
    Captured,
    evidence::{
        Manifest,
        fixture::{DIFF, Fixture, seven, verify},
    },
};

/// What is changed, and the bound value that must be named.
type Change<T> = (fn(&mut T), Bound);

fn names() -> (Owner, RepoName) {
    (Owner::new("alice").expect("a segment"), RepoName::new("proj").expect("a segment"))
}

fn path(text: &str) -> FilePath {
    FilePath::new(text).expect("within bounds")
}

fn manifest(fixture: &Fixture) -> Manifest {
    verify(&fixture.entity()).expect("sound").manifest
}

fn binding(fixture: &Fixture) -> Binding {
    Binding::from(&manifest(fixture))
}

fn whole(fixture: &Fixture, offset: u64) -> Cursor {
    let (owner, repo) = names();
    let call = Call { owner: &owner, repo: &repo, index: seven(), walk: Walk::Diff };
    Cursor::new(&call, binding(fixture), Extent::Diff, offset)
}

fn files(rows: u64, offset: u64) -> Cursor {
    let (owner, repo) = names();
    let call = Call { owner: &owner, repo: &repo, index: seven(), walk: Walk::Files };
    Cursor::new(&call, binding(&Fixture::new(DIFF)), Extent::Files(rows), offset)
}

fn slice() -> Slice {
    Slice { section_count: 2, captured: Captured { count: 30, sha256: [7; 32], offset: 0, window: vec![] } }
}

fn sliced(offset: u64) -> Cursor {
    let (owner, repo) = names();
    let path = path("src/a.rs");
    let call = Call { owner: &owner, repo: &repo, index: seven(), walk: Walk::File(&path) };
    Cursor::new(&call, binding(&Fixture::new(DIFF)), Extent::File(&slice()), offset)
}

/// A text with a valid checksum for any payload: anyone can write one (D-049).
fn forge(payload: &str) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode_to_string(payload), checksum(payload.as_bytes()))
}

fn payload(cursor: &Cursor) -> String {
    serde_json::to_string(cursor).expect("strings and numbers")
}

/// D-051, D-056, D-060: the text alone brings everything back.
#[test]
fn text_brings_it_back() {
    for cursor in [whole(&Fixture::new(DIFF), 5), sliced(9), whole(&Fixture::sha256_repository(DIFF), 1)] {
        let text = cursor.encode();
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
        assert_eq!(Cursor::decode(&text), Ok(cursor));
    }
    assert_eq!(sliced(9).offset(), 9);
}

/// D-060: the longest names and a path full of quotes stay far below the bound.
#[test]
fn the_longest_fits() {
    let quotes = "\"".repeat(255);
    let (owner, repo) = (Owner::new(quotes.clone()).expect("255"), RepoName::new(quotes).expect("255"));
    let long = path(&"\"".repeat(4_096));
    let call = Call { owner: &owner, repo: &repo, index: seven(), walk: Walk::File(&long) };
    let binding = binding(&Fixture::sha256_repository(DIFF));
    let cursor = Cursor::new(&call, binding, Extent::File(&slice()), (1 << 53) - 1);
    let text = cursor.encode();
    assert!(text.len() < CURSOR_BYTES / 2, "{}", text.len());
    assert_eq!(Cursor::decode(&text), Ok(cursor));
}

/// D-048, D-036b number 54: each bit of the text.
#[test]
fn damage_is_found() {
    let text = sliced(9).encode();
    for at in 0..text.len() {
        for bit in 0..7 {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1 << bit;
            let damaged = String::from_utf8(damaged).expect("seven bits");
            assert_eq!(Cursor::decode(&damaged), Err(Fault::Damaged), "{at}");
        }
    }
    for end in 0..text.len() {
        assert_eq!(Cursor::decode(&text[..end]), Err(Fault::Damaged), "{end}");
    }
    for other in [
        "",
        ".",
        "a.b",
        "é.é",
        &format!("{text}="),
        &format!(" {text}"),
        &format!("{text}.x"),
        &"A".repeat(CURSOR_BYTES + 1),
    ] {
        assert_eq!(Cursor::decode(other), Err(Fault::Damaged), "{other:.20}");
    }
}

/// D-036b number 54: version, size and form, each with a checksum that fits.
#[test]
fn only_what_was_written_is_read() {
    let sound = payload(&sliced(9));
    assert_eq!(Cursor::decode(&forge(&sound)), Ok(sliced(9)));
    let other = sound.replace(r#""v":2"#, r#""v":1"#);
    assert_eq!(Cursor::decode(&forge(&other)), Err(Fault::Version));
    assert_eq!(Cursor::decode(&forge(r#"{"v":1,"anything":[]}"#)), Err(Fault::Version));
    let oversized = sound.replace("alice", &"a".repeat(CURSOR_BYTES));
    for payload in [
        sound.replace(r#""v":2"#, r#""v": 2"#),
        sound.replace(r#""v":2"#, r#""v":2,"more":0"#),
        sound.replace(r#""owner":"alice","#, ""),
        sound.replace(r#""offset":9"#, r#""offset":9.0"#),
        sound.replace(r#""offset":9"#, r#""offset":-1"#),
        format!("[{sound}]"),
        format!("{sound} "),
        "{}".into(),
        String::new(),
        oversized,
    ] {
        assert_eq!(Cursor::decode(&forge(&payload)), Err(Fault::Damaged), "{payload:.60}");
    }
}

/// D-054, D-036b number 55: the arguments of another call.
#[test]
fn belongs_to_its_call() {
    let (owner, repo) = names();
    let (other_owner, other_repo) = (Owner::new("Alice").expect("ok"), RepoName::new("proj2").expect("ok"));
    let eight = Index::new(8).expect("ok");
    let (own, other) = (path("src/a.rs"), path("src/a.rs.bak"));
    let check = |cursor: &Cursor, owner, repo, index, walk| cursor.check_call(&Call { owner, repo, index, walk });
    let cursor = sliced(9);
    let of_own = Walk::File(&own);
    assert_eq!(check(&cursor, &owner, &repo, seven(), of_own), Ok(()));
    assert_eq!(check(&cursor, &other_owner, &repo, seven(), of_own), Err(Fault::Call("owner")));
    assert_eq!(check(&cursor, &owner, &other_repo, seven(), of_own), Err(Fault::Call("repo")));
    assert_eq!(check(&cursor, &owner, &repo, eight, of_own), Err(Fault::Call("index")));
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::File(&other)), Err(Fault::Call("file_path")));
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::Diff), Err(Fault::Call("file_path")));
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::Files), Err(Fault::Call("tool")));
    let cursor = whole(&Fixture::new(DIFF), 9);
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::Diff), Ok(()));
    assert_eq!(check(&cursor, &owner, &repo, seven(), of_own), Err(Fault::Call("file_path")));
    let cursor = files(9, 4);
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::Files), Ok(()));
    assert_eq!(check(&cursor, &owner, &repo, seven(), Walk::Diff), Err(Fault::Call("tool")));
}

/// D-052, D-053, D-058, D-036b number 52: each bound value alone, as far as a sound entity can change it alone.
#[test]
fn each_changed_input_refuses() {
    let start = Fixture::new(DIFF);
    let cursor = whole(&start, 5);
    assert_eq!(cursor.check(&binding(&start), Extent::Diff), Ok(()));
    let mut other_repository = start.clone();
    other_repository.manifest = start.manifest.replace(":12,", ":13,").replace(":12}", ":13}");
    let shorter = Fixture::new(&DIFF[1..]);
    let mut flipped = DIFF.to_vec();
    flipped[0] ^= 1;
    for (fresh, bound) in [
        (other_repository, Bound::RepositoryId),
        (start.clone().with(r#""id":34"#, r#""id":35"#), Bound::PullId),
        (Fixture::sha256_repository(DIFF), Bound::ObjectFormat),
        (start.clone().with(&"1f".repeat(20), &"1e".repeat(20)), Bound::MergeBaseOid),
        (start.clone().with(&"2e".repeat(20), &"2f".repeat(20)), Bound::HeadOid),
        (start.clone().with("pr-diff-binary.v1", "pr-diff-binary.v2"), Bound::Profile),
        (start.clone().with("2.47.3", "2.47.4"), Bound::Profile),
        (start.clone().with("--histogram", "--patience"), Bound::Profile),
        (shorter, Bound::ContentBytes),
        (Fixture::new(&flipped), Bound::ContentSha256),
    ] {
        let fault = cursor.check(&binding(&fresh), Extent::Diff).unwrap_err();
        assert_eq!(fault, Fault::Moved(bound));
        assert!(fault.to_string().contains(&bound.to_string()) && fault.to_string().contains("without a cursor"));
        assert_eq!(fault.code(), "inputs_moved");
    }
}

/// D-053, S-011: a sliced walk binds the slice as well.
#[test]
fn a_changed_slice_refuses() {
    let fresh = binding(&Fixture::new(DIFF));
    assert_eq!(sliced(5).check(&fresh, Extent::File(&slice())), Ok(()));
    let changes: [Change<Slice>; 3] = [
        (|s| s.section_count += 1, Bound::SectionCount),
        (|s| s.captured.count += 1, Bound::SliceBytes),
        (|s| s.captured.sha256 = [8; 32], Bound::SliceSha256),
    ];
    for (change, bound) in changes {
        let mut changed = slice();
        change(&mut changed);
        assert_eq!(sliced(5).check(&fresh, Extent::File(&changed)), Err(Fault::Moved(bound)));
    }
    assert_eq!(sliced(5).check(&fresh, Extent::Diff), Err(Fault::Call("file_path")));
    let whole = whole(&Fixture::new(DIFF), 5);
    assert_eq!(whole.check(&fresh, Extent::File(&slice())), Err(Fault::Call("file_path")));
}

/// D-031, D-057a: times, the target's tip and the fork may differ.
#[test]
fn observations_may_change() {
    let start = Fixture::new(DIFF);
    let tip = format!(r#""status":"present","oid":"{}""#, "3d".repeat(20));
    for fresh in [
        start.clone().with("2026-12-02T01:15:51.2Z", "2026-12-03T00:00:00Z"),
        start.clone().with("2026-12-02T01:15:51.123456789Z", "2026-12-01T00:00:00Z"),
        start.clone().with(&tip, r#""status":"missing","oid":null"#),
        start.clone().with(&"3d".repeat(20), &"4c".repeat(20)),
        start.clone().with("cmVmcy9oZWFkcy9tYWlu", "cmVmcy9oZWFkcy9kZXY="),
        start.clone().with(r#""repository_id":99"#, r#""repository_id":null"#),
        start.clone().with("ZmVhdP8=", "ZGV2"),
    ] {
        assert_eq!(whole(&start, 5).check(&binding(&fresh), Extent::Diff), Ok(()));
    }
}

/// D-055, D-036b number 53: an honest cursor points into the diff, after its first byte.
#[test]
fn offsets_stay_within() {
    let fixture = Fixture::new(DIFF);
    let (count, fresh) = (DIFF.len() as u64, binding(&fixture));
    for (offset, verdict) in [
        (0, Err(Fault::Offset)),
        (1, Ok(())),
        (count - 1, Ok(())),
        (count, Err(Fault::Offset)),
        (count + 1, Err(Fault::Offset)),
        (u64::MAX, Err(Fault::Offset)),
    ] {
        assert_eq!(whole(&fixture, offset).check(&fresh, Extent::Diff), verdict, "{offset}");
    }
    for (offset, verdict) in [(0, Err(Fault::Offset)), (29, Ok(())), (30, Err(Fault::Offset))] {
        assert_eq!(sliced(offset).check(&fresh, Extent::File(&slice())), verdict, "{offset}");
    }
    let empty = Fixture::new(b"");
    assert_eq!(whole(&empty, 0).check(&binding(&empty), Extent::Diff), Err(Fault::Offset));
}

/// O-013, O-016: an index of another length is of another diff, and the offset is a row of it.
#[test]
fn a_changed_index_refuses() {
    let fresh = binding(&Fixture::new(DIFF));
    assert_eq!(files(9, 4).check(&fresh, Extent::Files(9)), Ok(()));
    assert_eq!(files(9, 4).check(&fresh, Extent::Files(8)), Err(Fault::Moved(Bound::Rows)));
    assert_eq!(files(9, 9).check(&fresh, Extent::Files(9)), Err(Fault::Offset));
    assert_eq!(files(9, 0).check(&fresh, Extent::Files(9)), Err(Fault::Offset));
}

proptest! {
    /// Hostile text never panics, with a checksum that fits or without.
    #[test]
    fn takes_any_text(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = Cursor::decode(&text);
        let forged = format!("{}.{}", URL_SAFE_NO_PAD.encode_to_string(&bytes), checksum(&bytes));
        prop_assert!(Cursor::decode(&forged).is_err());
    }
}
