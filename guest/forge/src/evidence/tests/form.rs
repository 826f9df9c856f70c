//! What an entity is as JSON: length, text, members, types. Numbers 10 to 25.

use sha2::{Digest as _, Sha256};

use super::{
    super::{
        Fault, MANIFEST_BYTES, Verifier,
        fixture::{DIFF, Fixture, seven, verify, verify_by},
    },
    *,
};
use crate::{Capture, ObjectFormat, base64, json};

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
