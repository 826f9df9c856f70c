//! The judges, field by field, and the sentences.

use super::*;

const EVIDENCE: [(&str, &str); 4] = [
    ("content-type", "application/json"),
    ("cache-control", "private, no-store"),
    ("accept-ranges", "none"),
    ("content-length", "5"),
];

fn head(status: u16, fields: &[(&str, &str)]) -> Head {
    Head { status, headers: fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect() }
}

/// The evidence's head with one field's values replaced.
fn with(name: &str, values: &[&str]) -> Head {
    let mut fields: Vec<_> = EVIDENCE.into_iter().filter(|(field, _)| *field != name).collect();
    fields.extend(values.iter().map(|value| (name, *value)));
    head(200, &fields)
}

fn refused(name: &str, values: &[&str], rule: Rule) {
    let judged = judge_evidence(&with(name, values));
    assert_eq!(judged, Err(Fault::Evidence(rule)), "{name}: {values:?}");
}

/// D-069 to D-073 and D-075, the spellings that are accepted.
#[test]
fn accepts_evidence() {
    let served = Ok(Served::Evidence { content_length: 5 });
    for (name, values) in [
        ("content-type", &["application/json"][..]),
        ("content-type", &["application/json;charset=utf-8"]),
        ("content-type", &["Application/JSON ; Charset=UTF-8"]),
        ("content-type", &["application/json; charset=\"utf-8\""]),
        ("cache-control", &["no-store,private"]),
        ("cache-control", &["Private", "NO-STORE"]),
        ("accept-ranges", &["None"]),
        // D-075
        ("via", &["1.1 a", "1.1 b"]),
        ("set-cookie", &["a=b", "c=d"]),
    ] {
        assert_eq!(judge_evidence(&with(name, values)), served, "{name}: {values:?}");
    }
    let longest = judge_evidence(&with("content-length", &["9007199254740992"]));
    assert_eq!(longest, Ok(Served::Evidence { content_length: 1 << 53 }));
}

/// D-036b number 1, D-069; D-011a; K-78: each status has its code and its sentence.
#[test]
fn refuses_every_other_status() {
    for (status, code, json_code) in [
        (204, "forge_error", "forge_error"),
        (206, "forge_error", "forge_error"),
        (304, "forge_error", "forge_error"),
        (400, "forge_error", "forge_error"),
        (401, "unauthorized", "unauthorized"),
        (403, "forbidden", "forbidden"),
        (404, "not_found", "not_found"),
        (409, "evidence_unavailable", "forge_error"),
        (429, "rate_limited", "rate_limited"),
        (500, "evidence_unavailable", "forge_error"),
        (503, "evidence_unavailable", "forge_error"),
        (100, "forge_error", "forge_error"),
        (999, "forge_error", "forge_error"),
    ] {
        assert_eq!(judge_evidence(&head(status, &EVIDENCE)).unwrap_err().code(), code, "{status}");
        assert_eq!(judge_json(&head(status, &EVIDENCE)).unwrap_err().code(), json_code, "{status}");
    }
    let says = |status| judge_json(&head(status, &[])).unwrap_err().to_string();
    assert!(says(403).contains("read:repository"));
    assert!(says(404).contains("does not exist, or it is hidden"));
    assert!(says(429).contains("HTTP 429"));
}

/// K-81: a wait is told where the status asks for one and it is a number of seconds within a day; nothing else is repeated.
#[test]
fn a_wait_is_told() {
    for (status, code, evidence_code) in [
        (403, "rate_limited", "rate_limited"),
        (429, "rate_limited", "rate_limited"),
        (503, "forge_error", "evidence_unavailable"),
    ] {
        let after = |value| head(status, &[("retry-after", value)]);
        for seconds in ["0", "1", " 30 ", "86400"] {
            let told = format!("Retry-After: {}s: call again no earlier", seconds.trim());
            let faults = [
                judge_json(&after(seconds)).unwrap_err(),
                judge_raw(&after(seconds), (0, 1), 2).unwrap_err(),
                judge_diff(&after(seconds)).unwrap_err(),
            ];
            for fault in faults {
                assert!(fault.code() == code && fault.to_string().contains(&told), "{fault}");
            }
            let fault = judge_evidence(&after(seconds)).unwrap_err();
            assert!(fault.code() == evidence_code && fault.to_string().contains(&told), "{fault}");
            let about = judge_json_about(&after(seconds), Subject::ISSUE).unwrap_err().to_string();
            assert!(about.contains(&told), "{about}");
        }
        for other in ["", "86401", "9007199254740992", "-1", "030", "1.5", "30s", "Wed, 02 Dec 2026 01:15:51 GMT"] {
            let fault = judge_json(&after(other)).unwrap_err();
            assert_eq!(fault, judge_json(&head(status, &[])).unwrap_err(), "{other}");
        }
        let twice = head(status, &[("retry-after", "30"), ("retry-after", "30")]);
        assert_eq!(judge_json(&twice), judge_json(&head(status, &[])));
    }
    // Other statuses ask for nothing.
    for status in [404, 500, 502] {
        assert_eq!(judge_json(&head(status, &[("retry-after", "30")])), judge_json(&head(status, &[])));
    }
}

/// D-036b number 2, D-076.
#[test]
fn refuses_redirects() {
    for status in [300, 301, 302, 303, 305, 307, 308] {
        let moved = head(status, &[("location", "https://elsewhere.example/secret")]);
        for fault in [judge_evidence(&moved).unwrap_err(), judge_json(&moved).unwrap_err()] {
            assert_eq!(fault, Fault::Redirected(status));
            // D-077: no header's value is repeated.
            assert!(!fault.to_string().contains("elsewhere"));
        }
    }
}

/// D-036b number 3, D-070.
#[test]
fn refuses_other_types() {
    for values in [
        &[][..],
        &[""],
        &["text/html"],
        &["application/json; charset=latin1"],
        &["application/json; profile=x"],
        &["application/json; charset=utf-8; x=y"],
        &["application/json, text/plain"],
        &["application/json", "application/json"],
        &["text/plain", "application/json"],
        &["application/jsonx"],
        &["application/problem+json"],
    ] {
        refused("content-type", values, Rule::ContentType);
        assert_eq!(judge_json(&with("content-type", values)), Err(Fault::Json(Rule::ContentType)), "{values:?}");
    }
}

/// D-036b number 3, D-079, O-001: a stock forge's answer is told apart, and is never evidence.
#[test]
fn knows_a_stock_forge() {
    for (fields, framing) in [
        (&[("content-type", "text/plain; charset=utf-8"), ("transfer-encoding", "chunked")][..], Framing::Chunked),
        (&[("content-type", "text/plain;charset=utf-8"), ("content-length", "212")], Framing::Length),
        (&[("content-type", "application/octet-stream"), ("content-length", "212")], Framing::Length),
        (&[("content-length", "0")], Framing::Length),
    ] {
        let content_type = fields.first().filter(|(name, _)| *name == "content-type").map(|(_, kind)| (*kind).into());
        let transport = Transport { framing, content_type };
        assert_eq!(judge_diff(&head(200, fields)), Ok(transport.clone()), "{fields:?}");
        assert_eq!(judge_evidence(&head(200, fields)), Ok(Served::Stock(transport)), "{fields:?}");
    }
    for fields in [&[][..], &[("content-length", "7")], &[("content-type", "text/html"), ("content-length", "0")]] {
        assert!(judge_evidence(&head(200, fields)).is_err(), "{fields:?}");
        assert_eq!(judge_diff(&head(200, fields)), Err(Fault::Stock(Rule::PlainType)), "{fields:?}");
    }
}

/// O-004: a body whose end cannot be told from a cut, or that is not what the forge made, is no plain diff.
#[test]
fn a_plain_diff_is_framed() {
    let plain = ("content-type", "text/plain");
    for (fields, rule) in [
        (&[plain][..], Rule::Framing),
        (&[plain, ("transfer-encoding", "gzip, chunked")], Rule::Framing),
        (&[plain, ("content-length", "5"), ("content-length", "5")], Rule::Framing),
        (&[plain, ("content-length", "+5")], Rule::Framing),
        (&[plain, ("content-length", "5"), ("content-encoding", "gzip")], Rule::ContentEncoding),
        (&[plain, ("content-length", "5"), ("content-range", "bytes 0-4/5")], Rule::ContentRange),
    ] {
        assert_eq!(judge_diff(&head(200, fields)), Err(Fault::Stock(rule)), "{fields:?}");
        assert_eq!(judge_evidence(&head(200, fields)), Err(Fault::Stock(rule)), "{fields:?}");
    }
    for (status, code) in [(404, "not_found"), (500, "forge_error"), (409, "forge_error"), (302, "redirected")] {
        assert_eq!(judge_diff(&head(status, &[plain])).unwrap_err().code(), code);
    }
}

/// O-010: exactly the range that was asked for, or the whole.
#[test]
fn a_part_is_the_part_that_was_asked_for() {
    let range = |value| judge_raw(&head(206, &[("content-range", value)]), (0, 9), 10);
    assert_eq!(range("bytes 0-9/10"), Ok(()));
    assert_eq!(judge_raw(&head(200, &[]), (0, 9), 10), Ok(()));
    for other in ["bytes 0-8/10", "bytes 1-9/10", "bytes 0-9/11", "bytes 0-9/*"] {
        assert_eq!(range(other), Err(Fault::Json(Rule::ContentRange)), "{other}");
    }
    assert_eq!(judge_raw(&head(416, &[]), (0, 9), 10).unwrap_err().code(), "forge_error");
}

/// F-022 to F-027: every field of a part is as it was asked for, or nothing is taken.
#[test]
fn a_range_is_exact() {
    let blob = ObjectId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a").expect("an id");
    let sound = [
        ("content-range", "bytes 2-5/6"),
        ("content-length", "4"),
        ("etag", "\"ce013625030ba8dba906f756967f9e9ca394464a\""),
    ];
    let judged = |status, name: &str, values: &[&str]| {
        let mut fields: Vec<_> = sound.into_iter().filter(|(field, _)| *field != name).collect();
        fields.extend(values.iter().map(|value| (name, *value)));
        judge_range(&head(status, &fields), (2, 5), 6, blob)
    };
    assert_eq!(judged(206, "x", &[]), Ok(()));
    assert_eq!(judged(206, "content-encoding", &["Identity"]), Ok(()));
    for (name, values, rule) in [
        ("content-encoding", &["gzip"][..], Rule::Identity),
        ("content-encoding", &["identity", "br"], Rule::Identity),
        ("content-range", &[], Rule::Part),
        ("content-range", &["bytes 2-5/7"], Rule::Part),
        ("content-range", &["bytes 2-4/6"], Rule::Part),
        ("content-range", &["bytes 1-5/6"], Rule::Part),
        ("content-range", &["bytes 2-5/*"], Rule::Part),
        ("content-range", &["bytes 2-5/6", "bytes 2-5/6"], Rule::Part),
        ("content-length", &[], Rule::PartLength),
        ("content-length", &["5"], Rule::PartLength),
        ("content-length", &["04"], Rule::PartLength),
        ("etag", &[], Rule::EntityTag),
        ("etag", &["ce013625030ba8dba906f756967f9e9ca394464a"], Rule::EntityTag),
        ("etag", &["W/\"ce013625030ba8dba906f756967f9e9ca394464a\""], Rule::EntityTag),
        ("etag", &["\"ce013625030ba8dba906f756967f9e9ca394464b\""], Rule::EntityTag),
    ] {
        assert_eq!(judged(206, name, values), Err(Fault::Range(rule)), "{name}: {values:?}");
    }
    for (status, code) in [
        (200, "range_ignored"),
        (302, "redirected"),
        (304, "forge_error"),
        (401, "unauthorized"),
        (403, "forbidden"),
        (404, "not_found"),
        (416, "forge_error"),
        (429, "rate_limited"),
        (500, "forge_error"),
    ] {
        assert_eq!(judged(status, "x", &[]).unwrap_err().code(), code, "{status}");
    }
}

/// O-014: the forge's clock, if it shows it once.
#[test]
fn the_date_is_the_forges() {
    let at = |value| head(200, &[("date", value)]).date().map(OffsetDateTime::unix_timestamp);
    assert_eq!(at("Wed, 02 Dec 2026 01:15:51 GMT"), Some(1_796_174_151));
    assert_eq!((at("yesterday"), head(200, &[]).date()), (None, None));
}

/// D-036b number 4, D-071.
#[test]
fn refuses_other_cache_rules() {
    for values in [
        &[][..],
        &["private"],
        &["no-store"],
        &["private, no-store, max-age=0"],
        &["public, no-store"],
        &["max-age=0, private, must-revalidate"],
        &["private no-store"],
        &["private=x, no-store"],
        &["private,, no-store"],
    ] {
        refused("cache-control", values, Rule::CacheControl);
    }
}

/// D-036b number 5, D-072.
#[test]
fn refuses_ranges() {
    for values in [&[][..], &["bytes"], &["none, bytes"], &["none", "none"], &[""]] {
        refused("accept-ranges", values, Rule::AcceptRanges);
    }
}

/// D-036b number 6, D-073.
#[test]
fn refuses_lengths_that_are_not_canonical() {
    for values in [
        &[][..],
        &["5", "5"],
        &["5", "6"],
        &["+5"],
        &["-5"],
        &["05"],
        &["0x5"],
        &["a"],
        &["5, 5"],
        &["5,5"],
        &[" 5"],
        &["5 "],
        &["5.0"],
        &[""],
        &["9007199254740993"],
        &["99999999999999999999999"],
    ] {
        refused("content-length", values, Rule::ContentLength);
    }
}

/// D-036b numbers 7, 8 and 9, D-074, O-D6: their presence alone refuses.
#[test]
fn refuses_transformed_bodies() {
    for value in ["chunked", "identity", "gzip", ""] {
        refused("transfer-encoding", &[value], Rule::TransferEncoding);
        refused("content-encoding", &[value], Rule::ContentEncoding);
        let encoded = judge_json(&with("content-encoding", &[value]));
        assert_eq!(encoded, Err(Fault::Json(Rule::ContentEncoding)));
    }
    refused("content-range", &["bytes 0-4/5"], Rule::ContentRange);
    refused("Content-Range", &[""], Rule::ContentRange);
}

/// K-78: what a status says is said of what was asked for, with the scope that it needs.
#[test]
fn a_refusal_names_its_subject() {
    for subject in [Subject::REPOSITORY, Subject::REPOSITORIES, Subject::OWNER, Subject::ISSUE, Subject::ISSUES] {
        for status in [401, 403, 404, 429] {
            let fault = judge_json_about(&head(status, &[]), subject).unwrap_err();
            let says = fault.to_string();
            assert!(says.contains(subject.noun) && !says.contains("pull request"), "{says}");
            assert_eq!(says.contains(subject.scope), status == 403, "{says}");
            assert_eq!(judge_json(&head(status, &[])), Err(fault.fault));
        }
        for status in [302, 400, 500] {
            let says = judge_json_about(&head(status, &[]), subject).unwrap_err().to_string();
            assert!(says.contains(&format!("HTTP {status}")) && !says.contains("pull request"), "{says}");
        }
    }
}

/// Plain JSON has whatever framing the forge likes.
#[test]
fn accepts_json() {
    let fields = [("content-type", "application/json;charset=utf-8"), ("transfer-encoding", "chunked")];
    assert_eq!(judge_json(&head(200, &fields)), Ok(()));
}
