//! Every way an entity can be wrong, each with its number (D-036b), and what must be accepted beside it. The numbers 1 to
//! 9 are about the response's head and stand in `http`; 52 to 55 are about continuation and stand in `cursor`.

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use super::{
    Fault, MANIFEST_BYTES, Verifier,
    fixture::{DIFF, Fixture, seven, verify, verify_by},
};
use crate::{Capture, Error, Index, ObjectFormat, Sink, base64, json};

fn fixture() -> Fixture {
    Fixture::new(DIFF)
}

/// Refused in every order of the members, at once and byte by byte: D-035, D-078.
#[track_caller]
fn refuses(fixture: &Fixture, fault: impl Into<Error>) {
    let fault = fault.into();
    for entity in fixture.orders() {
        assert_eq!(verify(&entity).map(|_| ()).unwrap_err(), fault, "{}", String::from_utf8_lossy(&entity));
        let by_byte = verify_by(&entity, entity.len() as u64, 1).map(|_| ());
        assert_eq!(by_byte.unwrap_err(), fault, "by byte: {}", String::from_utf8_lossy(&entity));
    }
}

/// Refused with one text of the manifest replaced.
#[track_caller]
fn refuses_manifest(from: &str, to: &str, fault: impl Into<Error>) {
    refuses(&fixture().with(from, to), fault);
}

/// The whole entity as this text is refused, at every split.
#[track_caller]
fn refuses_text(entity: &[u8], fault: impl Into<Error>) {
    let fault = fault.into();
    for size in [entity.len(), 1, 3] {
        let verdict = verify_by(entity, entity.len() as u64, size).map(|_| ());
        assert_eq!(verdict.unwrap_err(), fault, "{}", String::from_utf8_lossy(entity));
    }
}

#[track_caller]
fn accepts(fixture: &Fixture) {
    for entity in fixture.orders() {
        let evidence = verify(&entity).expect("sound");
        assert_eq!(evidence.manifest.raw(), fixture.manifest);
        assert_eq!(base64::encode(&evidence.output.window), fixture.data);
    }
}

/// The entity's text with one of its texts replaced.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    let entity = String::from_utf8(fixture().entity()).expect("ASCII");
    assert_eq!(entity.matches(from).count(), 1, "{from}");
    entity.replace(from, to).into_bytes()
}

/// D-017, D-020 to D-024, D-034: what a sound entity states is what is given.
#[test]
fn states_what_the_manifest_states() {
    accepts(&fixture());
    let evidence = verify(&fixture().entity()).expect("sound");
    let manifest = &evidence.manifest;
    assert_eq!((manifest.repository_id(), manifest.pull_id(), manifest.index()), (12, 34, seven()));
    assert_eq!(manifest.object_format(), ObjectFormat::Sha1);
    assert_eq!(manifest.merge_base().oid().to_string(), "1f".repeat(20));
    assert_eq!(manifest.merge_base().source(), "stored_merge_base");
    assert_eq!(manifest.merge_base().reference(), None);
    assert_eq!(manifest.head().oid().to_string(), "2e".repeat(20));
    assert_eq!(manifest.head().source(), "hidden_pull_head");
    assert_eq!(manifest.head().repository_id(), 12);
    assert_eq!(manifest.head().reference(), Some(&b"refs/pull/7/head"[..]));
    assert_eq!(manifest.content_bytes(), DIFF.len() as u64);
    // D-045: the hash of the diff's bytes alone.
    assert_eq!(manifest.content_sha256(), <[u8; 32]>::from(Sha256::digest(DIFF)));
    let profile = r#"{"name":"pr-diff-binary.v1","arguments":["diff","-p","--binary","--histogram"],"binary":true,"git_version":"2.47.3"}"#;
    assert_eq!(manifest.profile_sha256(), <[u8; 32]>::from(Sha256::digest(profile)));
    assert_eq!(evidence.output.window, DIFF);
}

/// D-024: SHA-256 repositories.
#[test]
fn accepts_both_object_formats() {
    accepts(&Fixture::sha256_repository(DIFF));
}

/// D-035: members inside an object come in any order too, and white space stands anywhere.
#[test]
fn accepts_any_order_and_white_space() {
    accepts(&fixture().with(r#"{"id":34,"index":7}"#, "{\n\t\"index\" : 7 ,\r\n \"id\":34 }"));
    let profile = r#""name":"pr-diff-binary.v1","arguments":["diff","-p","--binary","--histogram"],"#;
    let moved =
        fixture().with(profile, "").with(r#""git_version":"2.47.3""#, &format!(r#"{profile}"git_version":"2.47.3""#));
    accepts(&moved);
    let (one, other) = (verify(&fixture().entity()), verify(&moved.entity()));
    // The same profile, however it is written: D-051 binds its meaning.
    assert_eq!(one.expect("sound").manifest.profile_sha256(), other.expect("sound").manifest.profile_sha256());
    let spaced = [b" \n", fixture().entity().as_slice(), b" \r\n\t\n"].concat();
    assert!(verify(&spaced).is_ok());
}

/// D-036b number 10, D-018 (d), D-073: cut at every byte, whether the head told the truth or not.
#[test]
fn n10_shorter_body() {
    for entity in fixture().orders() {
        for end in 0..entity.len() {
            let cut = &entity[..end];
            let short = verify_by(cut, entity.len() as u64, 7).map(|_| ()).unwrap_err();
            assert_eq!(short, Fault::Short.into(), "cut at {end}");
            assert!(verify(cut).is_err(), "announced as cut at {end}");
        }
    }
}

/// D-036b number 11, D-018 (g), D-073: more than was announced, white space included.
#[test]
fn n11_longer_body() {
    for entity in fixture().orders() {
        for tail in [&b"\n"[..], b"x", b"{}"] {
            let long = [&entity, tail].concat();
            for size in [1, 5, long.len()] {
                let verdict = verify_by(&long, entity.len() as u64, size).map(|_| ());
                assert_eq!(verdict.unwrap_err(), Fault::Long.into());
            }
        }
    }
    let mut verifier = Verifier::new(seven(), 0, Capture::new(0));
    assert_eq!(verifier.feed(b"x"), Err(Fault::Long.into()));
}

/// D-036b numbers 12 and 13, D-018 (g), D-036a.
#[test]
fn n12_n13_trailing_bytes_and_second_value() {
    for tail in [&b"x"[..], b"\0", b"{}", b" {}", b"\n1", b",", b"}", b"\xef\xbb\xbf", b"\x0b"] {
        for entity in fixture().orders() {
            refuses_text(&[&entity, tail].concat(), json::Fault::Trailing);
        }
    }
}

/// D-036b number 14, D-036a.
#[test]
fn n14_byte_order_mark() {
    refuses_text(&[b"\xef\xbb\xbf", fixture().entity().as_slice()].concat(), json::Fault::ByteOrderMark);
}

/// D-036b number 15, D-036a.
#[test]
fn n15_invalid_utf8() {
    for bad in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"] {
        let entity = fixture().entity();
        let at = entity.windows(6).position(|window| window == b"2.47.3").expect("the version");
        let entity = [&entity[..at], bad, &entity[at..]].concat();
        refuses_text(&entity, json::Fault::Utf8);
    }
}

/// D-036b number 16, D-018 (e), D-019: at every depth, spelled plainly or with escapes.
#[test]
fn n16_duplicate_members() {
    for (from, to) in [
        (r#""id":12,"#, r#""id":12,"id":12,"#),
        (r#""id":12,"#, r#""id":12,"i\u0064":12,"#),
        (r#""contract":"#, r#""contr\u0061ct":"x","contract":"#),
        (r#""binary":true,"#, r#""binary":true,"binary":true,"#),
        (r#""status":"present","#, r#""status":"present","st\u0061tus":"missing","#),
        (
            r#"{"encoding":"base64","data":"cmVmcy9wdWxsLzcvaGVhZA=="}"#,
            r#"{"encoding":"base64","data":"cmVmcy9wdWxsLzcvaGVhZA==","data":""}"#,
        ),
    ] {
        refuses_manifest(from, to, json::Fault::Duplicate);
    }
    let schema = r#"{"schema":"forgejo.pr-diff-evidence.v1","#;
    for again in [r#""schema":"forgejo.pr-diff-evidence.v1","#, r#""sch\u0065ma":"other","#] {
        refuses_text(&replaced(schema, &format!("{schema}{again}")), json::Fault::Duplicate);
    }
    let data = format!(r#""data":"{}""#, base64::encode(DIFF));
    for again in [r#","data":"""#, r#","d\u0061ta":"""#] {
        refuses_text(&replaced(&data, &format!("{data}{again}")), json::Fault::Duplicate);
    }
    let manifest = fixture().manifest;
    let again = format!(r#""manifest":{manifest},"manifest":{manifest}"#);
    refuses_text(&replaced(&format!(r#""manifest":{manifest}"#), &again), json::Fault::Duplicate);
}

/// D-036b number 17, D-033: no member more, none less, at every place.
#[test]
fn n17_unknown_and_missing_members() {
    for object in [
        "repository",
        "pull_request",
        "generation",
        "profile",
        "inputs",
        "merge_base",
        "head",
        "observations",
        "target_tip",
        "original_fork",
        "branch",
        "times",
        "content",
    ] {
        let open = format!(r#""{object}":{{"#);
        refuses_manifest(&open, &format!(r#"{open}"more":1,"#), Fault::Shape);
    }
    refuses_manifest(r#"{"contract""#, r#"{"more":null,"contract""#, Fault::Shape);
    for member in [
        r#""contract":"observed_input_range","#,
        r#""atomic_latest_pr_snapshot":false,"#,
        r#""repository":{"id":12,"object_format":"sha1"},"#,
        r#""id":12,"#,
        r#","object_format":"sha1""#,
        r#""pull_request":{"id":34,"index":7},"#,
        r#""id":34,"#,
        r#","index":7"#,
        r#""name":"pr-diff-binary.v1","#,
        r#""arguments":["diff","-p","--binary","--histogram"],"#,
        r#""binary":true,"#,
        r#","git_version":"2.47.3""#,
        r#""source":"stored_merge_base","#,
        r#""source":"hidden_pull_head","#,
        r#""status":"present","#,
        r#""repository_id":99,"#,
        r#""resolution":"not_read","#,
        r#","generation_input":false"#,
        r#","generated_at":"2026-12-02T01:15:51.2Z""#,
        r#","ref":{"encoding":"base64","data":"cmVmcy9wdWxsLzcvaGVhZA=="}"#,
        r#","data":"ZmVhdP8=""#,
        r#""branch":{"encoding":"base64","data":"ZmVhdP8="},"#,
    ] {
        refuses_manifest(member, "", Fault::Shape);
    }
    let tip = format!(r#""oid":"{}","#, "3d".repeat(20));
    refuses_manifest(&tip, "", Fault::Shape);
    refuses_manifest(&format!(r#""bytes":{},"#, DIFF.len()), "", Fault::Shape);

    let schema = r#""schema":"forgejo.pr-diff-evidence.v1","#;
    refuses_text(&replaced(schema, ""), Fault::MissingMember);
    refuses_text(&replaced(schema, &format!(r#"{schema}"more":"","#)), Fault::UnknownMember);
    refuses_text(&replaced(r#""schema""#, r#""Schema""#), Fault::UnknownMember);
    refuses_text(&replaced(&format!(r#""manifest":{},"#, fixture().manifest), ""), Fault::MissingMember);
    refuses_text(&replaced(&format!(r#","data":"{}""#, base64::encode(DIFF)), ""), Fault::MissingMember);
    refuses_text(b"{}", Fault::MissingMember);
}

/// D-036b number 19, D-020, D-036a: integers have one spelling, and nothing stands in for another type.
#[test]
fn n19_wrong_types() {
    for spelling in ["12.0", "1e3", "12E0", "-12", "-0", "012", "9007199254740992", "18446744073709551616"] {
        refuses_manifest(r#"{"id":12,"#, &format!(r#"{{"id":{spelling},"#), json::Fault::Number);
    }
    for value in [r#""12""#, "true", "false", "[12]", r#"{"id":12}"#, r#""""#] {
        refuses_manifest(r#"{"id":12,"#, &format!(r#"{{"id":{value},"#), Fault::Shape);
        refuses_manifest(r#""index":7"#, &format!(r#""index":{value}"#), Fault::Shape);
        let bytes = format!(r#""bytes":{}"#, DIFF.len());
        refuses_manifest(&bytes, &format!(r#""bytes":{value}"#), Fault::Shape);
    }
    for value in ["0", r#""false""#, "[]"] {
        let snapshot = r#""atomic_latest_pr_snapshot":false"#;
        refuses_manifest(snapshot, &format!(r#""atomic_latest_pr_snapshot":{value}"#), Fault::Shape);
        refuses_manifest(r#""generation_input":false"#, &format!(r#""generation_input":{value}"#), Fault::Shape);
    }
    // An array of an object's values is no object.
    refuses_manifest(r#"{"id":12,"object_format":"sha1"}"#, r#"[12,"sha1"]"#, Fault::Shape);
    refuses_manifest(r#"{"encoding":"base64","data":"ZmVhdP8="}"#, r#"["base64","ZmVhdP8="]"#, Fault::Shape);
    refuses_manifest(r#"["diff","-p","--binary","--histogram"]"#, r#""diff""#, Fault::Shape);
    refuses_manifest(r#"["diff","-p","--binary","--histogram"]"#, r#"["diff",7]"#, Fault::Shape);
    for (from, to) in [(r#""forgejo.pr-diff-evidence.v1""#, "1"), (r#""forgejo.pr-diff-evidence.v1""#, "true")] {
        refuses_text(&replaced(from, to), json::Fault::Kind);
    }
    refuses_text(&replaced(r#""forgejo.pr-diff-evidence.v1""#, r#"["forgejo.pr-diff-evidence.v1"]"#), Fault::Schema);
    let data = format!(r#""{}""#, base64::encode(DIFF));
    for other in ["[]", "{}", "7", "null"] {
        refuses_text(&replaced(&data, other), json::Fault::Kind);
    }
    refuses_text(&replaced(&fixture().manifest, r#""""#), Fault::Shape);
    refuses_text(&replaced(&fixture().manifest, "[]"), Fault::Shape);
}

/// D-036b number 20: null where none is allowed.
#[test]
fn n20_null() {
    for (from, name) in [
        (r#""contract":"observed_input_range""#, "contract"),
        (r#""atomic_latest_pr_snapshot":false"#, "atomic_latest_pr_snapshot"),
        (r#""repository":{"id":12,"object_format":"sha1"}"#, "repository"),
        (r#""id":34"#, "id"),
        (r#""object_format":"sha1""#, "object_format"),
        (r#""name":"pr-diff-binary.v1""#, "name"),
        (r#""binary":true"#, "binary"),
        (r#""source":"hidden_pull_head""#, "source"),
        (r#""status":"present""#, "status"),
        (r#""branch":{"encoding":"base64","data":"ZmVhdP8="}"#, "branch"),
        (r#""resolution":"not_read""#, "resolution"),
        (r#""generated_at":"2026-12-02T01:15:51.2Z""#, "generated_at"),
    ] {
        refuses_manifest(from, &format!(r#""{name}":null"#), Fault::Shape);
    }
    refuses_text(&replaced(&fixture().manifest, "null"), json::Fault::Kind);
    refuses_text(&replaced(r#""forgejo.pr-diff-evidence.v1""#, "null"), json::Fault::Kind);
}

/// D-036b number 21.
#[test]
fn n21_extensions_of_json() {
    for (from, to) in [
        (r#"{"id":12,"#, r#"{/**/"id":12,"#),
        (r#"{"id":12,"#, "{\"id\":12,//\n"),
        (r#""index":7}"#, r#""index":7,}"#),
        (r#""--histogram"]"#, r#""--histogram",]"#),
        (r#"{"id":12,"#, r#"{"id":NaN,"#),
        (r#"{"id":12,"#, r#"{"id":Infinity,"#),
        (r#"{"id":12,"#, r"{'id':12,"),
        (r#"{"id":12,"#, r"{id:12,"),
        (r#"{"id":12,"#, r#"{"id":0x0c,"#),
    ] {
        refuses_manifest(from, to, json::Fault::Syntax);
    }
}

/// D-036b number 22, D-036a.
#[test]
fn n22_surrogates_and_control_characters() {
    for half in [r"\ud800", r"\udfff", r"\ud800\ud800", r"\ud83d."] {
        refuses_manifest("2.47.3", half, json::Fault::Escape);
    }
    for control in ["\0", "\n", "\t", "\u{1f}"] {
        refuses_manifest("2.47.3", control, json::Fault::ControlCharacter);
    }
    accepts(&fixture().with("2.47.3", r"2.47 \ud83d\ude00 \n ü"));
}

/// D-036b number 23: refused by its depth, before it is known to be foreign.
#[test]
fn n23_nesting() {
    let deep = "[".repeat(10_000);
    refuses_manifest(r#""2.47.3""#, &deep, json::Fault::Depth);
    refuses_manifest(r#""cmVmcy9wdWxsLzcvaGVhZA==""#, "[]", json::Fault::Depth);
}

/// D-036b number 24, D-061.
#[test]
fn n24_manifest_beyond_its_bound() {
    let room = MANIFEST_BYTES - fixture().manifest.len();
    accepts(&fixture().with("2.47.3", &format!("2.47.3{}", "x".repeat(room))));
    refuses_manifest("2.47.3", &format!("2.47.3{}", "x".repeat(room + 1)), json::Fault::TooLong);
    refuses_manifest(r#"{"id":12,"#, &format!(r#"{{{}"id":12,"#, " ".repeat(room + 1)), json::Fault::TooLong);
}

/// D-036b number 25.
#[test]
fn n25_top_level_is_no_object() {
    for text in [&b"[]"[..], b"null", b"\"x\"", b"7", b"true", b"<html>", b"diff --git a/a b/a\n"] {
        refuses_text(text, json::Fault::NotAnObject);
    }
    refuses_text(b"", json::Fault::Truncated);
}

/// D-036b number 26, D-025, D-032.
#[test]
fn n26_schema_and_contract() {
    for other in ["forgejo.pr-diff-evidence.v2", "forgejo.pr-diff-evidence.v1 ", "", "assay.pr-diff-observed.v1"] {
        let mut changed = fixture();
        changed.schema = format!(r#""{other}""#);
        refuses(&changed, Fault::Schema);
    }
    let mut spelled = fixture();
    spelled.schema = r#""forgejo\u002epr-diff-evidence.v1""#.to_owned();
    accepts(&spelled);
    refuses_manifest("observed_input_range", "bracketed_observation", Fault::Contract);
}

/// D-036b number 27, D-025, D-047.
#[test]
fn n27_atomic_snapshot() {
    let snapshot = r#""atomic_latest_pr_snapshot":"#;
    refuses_manifest(&format!("{snapshot}false"), &format!("{snapshot}true"), Fault::Snapshot);
}

/// D-036b number 28, D-020.
#[test]
fn n28_ids() {
    for id in [r#""id":12,"#, r#""id":34,"#] {
        refuses_manifest(id, r#""id":0,"#, Fault::Id);
        refuses_manifest(id, r#""id":-1,"#, json::Fault::Number);
    }
    refuses_manifest(r#""index":7"#, r#""index":0"#, Fault::Id);
    accepts(&fixture().with(r#""id":34,"#, r#""id":9007199254740991,"#));
}

/// D-036b number 29, D-021.
#[test]
fn n29_another_index() {
    refuses_manifest(r#""index":7"#, r#""index":8"#, Fault::Index);
    let entity = fixture().entity();
    let eight = Index::new(8).expect("within bounds");
    let mut verifier = Verifier::new(eight, entity.len() as u64, Capture::new(0));
    assert_eq!(verifier.feed(&entity), Err(Fault::Index.into()));
}

/// D-036b number 30, D-022.
#[test]
fn n30_inputs_of_another_repository() {
    for source in ["stored_merge_base", "hidden_pull_head"] {
        for id in [13, 0] {
            let from = format!(r#""source":"{source}","repository_id":12"#);
            refuses_manifest(&from, &format!(r#""source":"{source}","repository_id":{id}"#), Fault::Repository);
        }
    }
    refuses_manifest(r#"{"id":12,"#, r#"{"id":13,"#, Fault::Repository);
}

/// D-036b number 31, D-023, D-023a.
#[test]
fn n31_head_ref() {
    let own = base64::encode(b"refs/pull/7/head");
    for other in
        ["refs/pull/8/head", "refs/heads/main", "refs/pull/7/head\n", "refs/pull/07/head", "refs/pull/7/merge", ""]
    {
        refuses_manifest(&own, &base64::encode(other.as_bytes()), Fault::HeadRef);
    }
}

/// D-036b number 32, D-024.
#[test]
fn n32_object_ids() {
    for byte in ["1f", "2e", "3d"] {
        let own = byte.repeat(20);
        for other in [
            byte.repeat(19),
            format!("{own}0"),
            own.to_uppercase(),
            "0".repeat(40),
            "g".repeat(40),
            String::new(),
            format!("{}z", &own[1..]),
        ] {
            refuses_manifest(&own, &other, Fault::ObjectId);
        }
    }
}

/// D-036b number 33, D-024: one format a manifest.
#[test]
fn n33_mixed_object_formats() {
    for byte in ["1f", "2e", "3d"] {
        refuses_manifest(&byte.repeat(20), &byte.repeat(32), Fault::ObjectId);
        let mixed = Fixture::sha256_repository(DIFF).with(&byte.repeat(32), &byte.repeat(20));
        refuses(&mixed, Fault::ObjectId);
    }
    refuses_manifest(r#""object_format":"sha1""#, r#""object_format":"sha256""#, Fault::ObjectId);
    for other in ["SHA1", "md5", "", "sha-1"] {
        let to = format!(r#""object_format":"{other}""#);
        refuses_manifest(r#""object_format":"sha1""#, &to, Fault::ObjectFormat);
    }
}

/// D-036b number 34, D-023, D-023a: a visible branch never stands in for an input.
#[test]
fn n34_sources() {
    for source in ["stored_merge_base", "hidden_pull_head"] {
        for other in ["visible_branch", "computed_merge_base", "", "Stored_merge_base"] {
            refuses_manifest(&format!(r#""source":"{source}""#), &format!(r#""source":"{other}""#), Fault::Source);
        }
    }
    let swapped = fixture()
        .with("stored_merge_base", "x")
        .with("hidden_pull_head", "stored_merge_base")
        .with(r#""x""#, r#""hidden_pull_head""#);
    refuses(&swapped, Fault::Source);
}

/// D-036b number 35: the profile's name is opaque, but a diff without binary parts is none.
#[test]
fn n35_profile() {
    refuses_manifest(r#""binary":true"#, r#""binary":false"#, Fault::Profile);
    accepts(&fixture().with("pr-diff-binary.v1", "another.v9").with(r#"["diff","-p","--binary","--histogram"]"#, "[]"));
}

/// D-036b number 36, D-026.
#[test]
fn n36_fork_was_not_read() {
    refuses_manifest(r#""generation_input":false"#, r#""generation_input":true"#, Fault::Fork);
    for other in ["read", "", "NOT_READ"] {
        refuses_manifest("not_read", other, Fault::Fork);
    }
}

/// D-036b number 37, D-027: a deleted fork has no id; none has 0.
#[test]
fn n37_fork_id() {
    accepts(&fixture().with(r#""repository_id":99"#, r#""repository_id":null"#));
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":0"#, Fault::Id);
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":-1"#, json::Fault::Number);
    refuses_manifest(r#""repository_id":99"#, r#""repository_id":"99""#, Fault::Shape);
}

/// D-036b number 38, D-028.
#[test]
fn n38_target_tip() {
    let present = format!(r#""status":"present","oid":"{}""#, "3d".repeat(20));
    accepts(&fixture().with(&present, r#""status":"missing","oid":null"#));
    for wrong in [
        r#""status":"present","oid":null"#.to_owned(),
        r#""status":"unknown","oid":null"#.to_owned(),
        present.replace("present", "missing"),
        present.replace("present", "unread"),
    ] {
        refuses_manifest(&present, &wrong, Fault::TargetTip);
    }
}

/// D-036b number 39.
#[test]
fn n39_times() {
    let own = "2026-12-02T01:15:51.2Z";
    for other in [
        "",
        "now",
        "2026-12-02",
        "2026-12-02 01:15:51",
        "2026-12-02T01:15:51",
        "2026-12-02T02:15:52+01:00",
        "2026-13-02T01:15:51Z",
        "2026-12-02T25:15:51Z",
        "1796174151",
        "2026-12-02T01:15:51.1Z",
        "2026-12-02T01:15:50Z",
    ] {
        refuses_manifest(own, other, Fault::Times);
    }
    accepts(&fixture().with(own, "2026-12-02T01:15:51.123456789Z"));
}

/// D-036b number 40.
#[test]
fn n40_content_encoding() {
    for other in ["identity", "base64url", "", "BASE64"] {
        let to = format!(r#""content":{{"encoding":"{other}""#);
        refuses_manifest(r#""content":{"encoding":"base64""#, &to, Fault::Content);
    }
}

/// Data of the sound fixture with its character at `at` replaced by `with`.
fn spoiled(at: usize, with: &str) -> Fixture {
    let mut data = base64::encode(DIFF);
    data.replace_range(at..=at, with);
    fixture().with_data(&data)
}

/// D-036b number 41, D-036: at the beginning, in the middle and at the end.
#[test]
fn n41_alphabet() {
    let last = base64::encode(DIFF).len() - 3;
    for at in [0, 5, last] {
        for other in ["-", "_", " ", "\n", "\r", "\t", "\0", ",", "é", "%"] {
            refuses_code(&spoiled(at, other), "evidence_corrupt");
        }
    }
    refuses_code(&fixture().with_data(&format!(" {}", base64::encode(DIFF))), "evidence_corrupt");
    refuses_code(&fixture().with_data(&format!("{}\n", base64::encode(DIFF))), "evidence_corrupt");
}

/// Which of two faults shows first depends on the order of members, as an early look at the length may come between.
#[track_caller]
fn refuses_code(fixture: &Fixture, code: &str) {
    for entity in fixture.orders() {
        for size in [1, 4, entity.len()] {
            let error = verify_by(&entity, entity.len() as u64, size).map(|_| ()).unwrap_err();
            assert_eq!(error.code(), code, "{error}: {}", String::from_utf8_lossy(&entity));
        }
    }
}

/// D-036b number 42, D-036.
#[test]
fn n42_escapes_in_data() {
    for escape in [r"\/", r"\u002b", r"\u0041", r"\n", r#"\""#] {
        refuses(&spoiled(4, escape), json::Fault::EscapeInContent);
    }
}

/// D-036b number 43.
#[test]
fn n43_length_of_data() {
    let data = base64::encode(DIFF);
    for cut in 1..4 {
        refuses_code(&fixture().with_data(&data[..data.len() - cut]), "evidence_corrupt");
    }
    refuses_code(&fixture().with_data(&data[1..]), "evidence_corrupt");
}

/// D-036b number 44, D-018 (a): with the stated bytes as they are, and with a diff that needs no padding.
#[test]
fn n44_padding() {
    for (diff, texts) in [
        (&b"A"[..], &["QQ", "QQ=", "QQ===", "=QQ=", "Q=Q=", "QQ==QQ==", "QQ=Q", "Q===", "QQ==="][..]),
        (b"AB", &["QUI", "QUI==", "Q=UI", "QUI=QUI=", "=QUI"]),
        (b"ABC", &["QUJD=", "QUJD====", "QUI=", "QU=D", "===="]),
    ] {
        accepts(&Fixture::new(diff));
        for text in texts {
            refuses_code(&Fixture::new(diff).with_data(text), "evidence_corrupt");
        }
    }
}

/// D-036b number 45, D-018 (b): the right bytes and the right hash, written with spare bits that are not zero.
#[test]
fn n45_spare_bits() {
    for (diff, texts) in [(&b"A"[..], &["QR==", "QS==", "Qf=="][..]), (b"AB", &["QUJ=", "QUK=", "QUL="])] {
        for text in texts {
            refuses(&Fixture::new(diff).with_data(text), Fault::Base64(base64::Fault::PadBits));
        }
    }
}

/// D-036b number 46, D-017.
#[test]
fn n46_count() {
    let count = format!(r#""bytes":{}"#, DIFF.len());
    for other in [DIFF.len() - 1, DIFF.len() + 1, 0, DIFF.len() * 2] {
        refuses_code(&fixture().with(&count, &format!(r#""bytes":{other}"#)), "evidence_corrupt");
    }
    // Where the data came first, the count alone says so.
    let [.., last] = &fixture().with(&count, &format!(r#""bytes":{}"#, DIFF.len() + 1)).orders()[..] else {
        panic!("six orders")
    };
    assert_eq!(verify(last).map(|_| ()).unwrap_err(), Fault::Count.into());
}

/// D-036b number 47, D-018 (c), D-018 (f): each byte of the diff, and the hash itself.
#[test]
fn n47_hash() {
    for at in 0..DIFF.len() {
        let mut corrupt = DIFF.to_vec();
        corrupt[at] ^= 1;
        refuses(&fixture().with_data(&base64::encode(&corrupt)), Fault::Hash);
    }
    let mut other = Fixture::new(b"x").manifest;
    other = other.replace(r#""bytes":1,"#, &format!(r#""bytes":{},"#, DIFF.len()));
    refuses(&Fixture { manifest: other, ..fixture() }, Fault::Hash);
    // D-045: a hash over git's object header is another one.
    let with_header = [format!("blob {}\0", DIFF.len()).as_bytes(), DIFF].concat();
    let manifest = Fixture::new(&with_header).manifest;
    let count = format!(r#""bytes":{},"#, with_header.len());
    let manifest = manifest.replace(&count, &format!(r#""bytes":{},"#, DIFF.len()));
    refuses(&Fixture { manifest, ..fixture() }, Fault::Hash);
}

/// D-036b number 48.
#[test]
fn n48_form_of_the_hash() {
    let own: String = Sha256::digest(DIFF).iter().map(|byte| format!("{byte:02x}")).collect();
    for other in [own.to_uppercase(), own[1..].to_owned(), format!("{own}0"), String::new(), "g".repeat(64)] {
        refuses_manifest(&own, &other, Fault::Content);
    }
}

/// D-036b number 49, D-035: a length that cannot be right is refused before the data.
#[test]
fn n49_length_arithmetic() {
    let entity = fixture().entity();
    let data = base64::encode(DIFF);
    let at = entity.len() - data.len() - 2;
    for length in [0, 1, entity.len() - 1, entity.len() + 2_000, 1 << 50] {
        let mut verifier = Verifier::new(seven(), length as u64, Capture::new(0));
        let head = verifier.feed(&entity[..at]);
        let expected = if length < at { Fault::Long } else { Fault::Length };
        assert_eq!(head, Err(expected.into()), "{length}");
    }
    let count = format!(r#""bytes":{}"#, DIFF.len());
    for bytes in [0, DIFF.len() + 3, 9_007_199_254_740_991] {
        let lying = fixture().with(&count, &format!(r#""bytes":{bytes}"#)).entity();
        assert!(verify(&lying).is_err());
    }
}

/// D-036b number 50, D-043: nothing, or something, and never one for the other.
#[test]
fn n50_empty_diff() {
    accepts(&Fixture::new(b""));
    assert!(Fixture::new(b"").manifest.contains("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    refuses_code(&Fixture::new(b"").with_data("QQ=="), "evidence_corrupt");
    refuses_code(&fixture().with_data(""), "evidence_corrupt");
    let manifest = fixture().manifest.replace(&format!(r#""bytes":{}"#, DIFF.len()), r#""bytes":0"#);
    refuses(&Fixture { manifest, ..Fixture::new(b"") }, Fault::Hash);
}

/// D-036b number 51, D-029: byte labels keep names that are not UTF-8, and have one spelling too.
#[test]
fn n51_labels() {
    for own in ["cmVmcy9wdWxsLzcvaGVhZA==", "cmVmcy9oZWFkcy9tYWlu", "ZmVhdP8="] {
        for other in ["ZmVhdP8", "ZmVhdP9=", "ZmVhdP8==", "ZmVh dP8=", "ZmVhdP_=", "=", "ZmVhdP8=\\n"] {
            refuses_manifest(own, other, Fault::Label);
        }
    }
    for name in [
        r#""ref":{"encoding":"base64","data":"cmVmcy9w"#,
        r#""ref":{"encoding":"base64","data":"cmVmcy9o"#,
        r#""branch":{"encoding":"base64""#,
    ] {
        refuses_manifest(name, &name.replace("base64", "utf8"), Fault::Label);
    }
    accepts(&fixture().with("ZmVhdP8=", ""));
}

/// D-018, late failure: a good beginning, and an error alone at the end; whoever goes on after it gets no further.
#[test]
fn late_failure_yields_an_error_alone() {
    struct Objecting;
    impl Sink for Objecting {
        type Output = ();
        fn push(&mut self, _: &[u8]) {}
        fn finish(self) -> Result<(), Error> {
            Err(Error::NoSuchPath { path: "x".into() })
        }
    }
    let good = fixture().entity();
    let mut corrupt = good.clone();
    let at = corrupt.len() - 8;
    corrupt[at] = if corrupt[at] == b'A' { b'B' } else { b'A' };
    let run = |entity: &[u8]| {
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Objecting);
        entity.chunks(10).for_each(|piece| drop(verifier.feed(piece)));
        verifier.finish().map(|_| ()).unwrap_err()
    };
    // S-008: what the sink has against the diff is said only of a verified one.
    assert_eq!(run(&good), Error::NoSuchPath { path: "x".into() });
    assert_eq!(run(&corrupt), Fault::Hash.into());
    let mut verifier = Verifier::new(seven(), good.len() as u64, Capture::new(0));
    let first = verifier.feed(b"[").unwrap_err();
    assert_eq!(verifier.feed(&good[1..]), Err(first.clone()));
    assert_eq!(verifier.finish().map(|_| ()).unwrap_err(), first);
}

/// D-077: no sentence repeats what the forge sent.
#[test]
fn faults_repeat_nothing() {
    for entity in [replaced("observed_input_range", "Sekret"), replaced("2.47.3\"", "2.47.3\",\"Sekret\":1")] {
        assert!(!verify(&entity).map(|_| ()).unwrap_err().to_string().contains("Sekret"));
    }
}

/// D-061, D-062: 3 MiB in both orders; what is held does not grow with them.
#[test]
fn memory_does_not_grow_with_the_diff() {
    let diff: Vec<u8> =
        (0..3_u32 << 20).map(|n| u8::try_from(n.wrapping_mul(2_654_435_761) >> 24).expect("a byte")).collect();
    for entity in Fixture::new(&diff).orders() {
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Capture::new(0));
        for piece in entity.chunks(16 * 1024) {
            verifier.feed(piece).expect("sound");
            assert!(verifier.allocated() < 64 * 1024, "{}", verifier.allocated());
        }
        let evidence = verifier.finish().expect("sound");
        assert_eq!(evidence.output.count, diff.len() as u64);
        assert_eq!(evidence.output.sha256, <[u8; 32]>::from(Sha256::digest(&diff)));
    }
}

/// The sound entity with one byte changed: a refusal, or the same diff under a manifest that shows the change.
fn judge_flip(entity: &[u8], manifest: &str) {
    if let Ok(evidence) = verify(entity) {
        assert_eq!(evidence.output.window, DIFF);
        assert_ne!(evidence.manifest.raw(), manifest, "{}", String::from_utf8_lossy(entity));
    }
}

/// D-018 (c): each bit of the entity.
#[test]
fn no_flipped_bit_changes_the_diff() {
    let fixture = fixture();
    for entity in [&fixture.orders()[0], &fixture.orders()[5]] {
        for at in 0..entity.len() {
            for bit in 0..8 {
                let mut flipped = entity.clone();
                flipped[at] ^= 1 << bit;
                judge_flip(&flipped, &fixture.manifest);
            }
        }
    }
}

proptest! {
    /// D-018 (c): any other byte, too.
    #[test]
    fn no_changed_byte_changes_the_diff(at in any::<prop::sample::Index>(), change in 1_u8.., order in 0_usize..6) {
        let fixture = fixture();
        let mut entity = fixture.orders()[order].clone();
        let at = at.index(entity.len());
        entity[at] ^= change;
        judge_flip(&entity, &fixture.manifest);
    }

    /// D-078: any chunking gives the same verdict, of sound and of spoiled entities.
    #[test]
    fn any_chunking_gives_the_same_verdict(
        diff in prop::collection::vec(any::<u8>(), 0..40_000),
        order in 0_usize..6,
        sizes in prop::collection::vec(1_usize..20_000, 1..9),
        spoil in prop::option::of((any::<prop::sample::Index>(), 1_u8..)),
    ) {
        let fixture = Fixture::new(&diff);
        let mut entity = fixture.orders()[order].clone();
        if let Some((at, change)) = spoil {
            let at = at.index(entity.len());
            entity[at] ^= change;
        }
        let verdict = verify(&entity).map(|evidence| (evidence.manifest, evidence.output));
        let mut verifier = Verifier::new(seven(), entity.len() as u64, Capture::new(0));
        let mut rest = entity.as_slice();
        for size in sizes.iter().cycle() {
            let (piece, left) = rest.split_at((*size).min(rest.len()));
            if piece.is_empty() || verifier.feed(piece).is_err() {
                break;
            }
            rest = left;
        }
        let chunked = verifier.finish().map(|evidence| {
            let evidence = evidence.into_inner();
            (evidence.manifest, evidence.output)
        });
        if spoil.is_none() {
            prop_assert_eq!(verdict.as_ref().map(|(_, captured)| captured.count), Ok(diff.len() as u64));
        }
        prop_assert_eq!(chunked, verdict);
    }

    /// Hostile bytes never panic, alone or in the place of a part.
    #[test]
    fn takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1_usize..40, length in any::<u64>()) {
        let _ = verify_by(&bytes, length, size);
        let _ = verify_by(&bytes, bytes.len() as u64, size);
        let mut entity = fixture().entity();
        let at = entity.len() / 2;
        entity.splice(at..at, bytes);
        if let Ok(evidence) = verify_by(&entity, entity.len() as u64, size) {
            prop_assert_eq!(evidence.output.window, DIFF);
        }
    }
}
