use super::*;

// Seven bytes: padded, and more than two groups.
const DIFF: &[u8] = b"diff\xff\xfe\n";

fn parsed(evidence: &Evidence) -> Value {
    serde_json::from_slice(&evidence.body()).expect("the entity is JSON")
}

#[test]
fn a_default_entity_is_right() {
    for format in [ObjectFormat::Sha1, ObjectFormat::Sha256] {
        let entity = parsed(&Evidence::new(DIFF, 7, format));
        assert_eq!(entity["schema"], "forgejo.pr-diff-evidence.v1");
        assert_eq!(entity["manifest"]["content"]["bytes"], DIFF.len());
        assert_eq!(entity["manifest"]["content"]["sha256"], sha256_hex(DIFF));
        assert_eq!(STANDARD.decode(entity["data"].as_str().expect("text")).expect("canonical"), DIFF);
        let head = &entity["manifest"]["generation"]["inputs"]["head"];
        assert_eq!(head["oid"].as_str().expect("text").len(), format.hex_digits());
        let name = STANDARD.decode(head["ref"]["data"].as_str().expect("text")).expect("canonical");
        assert_eq!(name, b"refs/pull/7/head");
    }
    let empty = parsed(&Evidence::new("", 1, ObjectFormat::Sha1));
    assert_eq!(empty["data"], "");
    assert!(empty["manifest"]["content"]["sha256"].as_str().expect("text").starts_with("e3b0c442"));
}

#[test]
fn members_stand_in_the_order_that_a_forge_of_ours_writes() {
    let body = String::from_utf8(Evidence::new(DIFF, 7, ObjectFormat::Sha1).body()).expect("ASCII");
    assert!(body.starts_with(r#"{"schema":"forgejo.pr-diff-evidence.v1","manifest":{"contract":"#), "{body}");
    assert!(body.ends_with(r#","data":"ZGlmZv/+Cg=="}"#), "{body}");
    let reversed = Evidence::new(DIFF, 7, ObjectFormat::Sha1).reversed("");
    assert!(reversed.body().starts_with(b"{\"data\":\"ZGlm"));
    assert_eq!(parsed(&reversed), parsed(&Evidence::new(DIFF, 7, ObjectFormat::Sha1)));
}

#[test]
fn every_member_can_be_changed_and_taken_out() {
    let good = Evidence::new(DIFF, 7, ObjectFormat::Sha1);
    let pointers = good.pointers();
    assert!(pointers.len() > 40, "{pointers:?}");
    for pointer in pointers {
        assert_eq!(parsed(&good.clone().set(&pointer, json!("other"))).pointer(&pointer), Some(&json!("other")));
        assert_eq!(parsed(&good.clone().remove(&pointer)).pointer(&pointer), None, "{pointer}");
        let name = pointer.rsplit('/').next().expect("a pointer ends in a name");
        let twice = good.clone().duplicate(&pointer, name).body();
        assert!(twice.len() > good.body().len(), "{pointer}");
        assert_eq!(serde_json::from_slice::<Value>(&twice).expect("JSON"), parsed(&good));
    }
}

#[test]
fn every_damage_changes_the_entity_and_nothing_else_does() {
    let good = Evidence::new(DIFF, 7, ObjectFormat::Sha1);
    for fault in DataFault::ALL {
        let body = good.clone().corrupt(fault).body();
        assert_ne!(body, good.body(), "{fault:?}");
        let data = serde_json::from_slice::<Value>(&body).ok().map(|entity| entity["data"].clone());
        let decoded = data.as_ref().and_then(Value::as_str).map(|data| STANDARD.decode(data));
        let spelling_only = matches!(fault, DataFault::Escape | DataFault::Solidus);
        assert_eq!(matches!(decoded, Some(Ok(bytes)) if bytes == DIFF), spelling_only, "{fault:?}");
    }
}

#[test]
fn raw_texts_and_replacements_reach_the_bytes() {
    let evidence = Evidence::new(DIFF, 7, ObjectFormat::Sha1)
        .set_raw("/manifest/pull_request/index", "7.0")
        .raw_replace("\"schema\"", "\"sch\\u0065ma\"")
        .prepend(b"\xef\xbb\xbf")
        .append(b" {}");
    let body = evidence.body();
    assert!(body.starts_with(b"\xef\xbb\xbf{\"sch\\u0065ma\""));
    assert!(body.ends_with(b"\"} {}"));
    assert!(String::from_utf8_lossy(&body).contains("\"index\":7.0"));
    let response = evidence.response();
    assert!(response.head().ends_with(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes()));
}

#[test]
#[should_panic(expected = "does not occur")]
fn a_replacement_of_nothing_is_a_mistake_of_the_test() {
    let _ = Evidence::new(DIFF, 7, ObjectFormat::Sha1).raw_replace("nowhere", "x").body();
}
