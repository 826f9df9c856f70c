//! `patchdiff-tx/3`, and the size of texts.

use proptest::prelude::*;

use super::*;
use crate::text::Canonical;

fn tx3() -> Profile {
    profile(Protocol::Tx3, "0.4.0")
}

/// P-052, PG-11: one whole new text, which may be empty, and what a change has besides.
#[test]
fn a_replacement_is_one_change() {
    let one = |change_id: &str, rationale: Option<&str>, risk, replace: &str| {
        let action = Action::ReplaceAll { replace: replace.into() };
        Ok(vec![Operation { change_id: change_id.into(), rationale: rationale.map(str::to_owned), risk, action }])
    };
    for (more, operation) in [
        (r#""replacement":"x\r\n""#, one("chg_001", None, None, "x\r\n")),
        (r#""replacement":"""#, one("chg_001", None, None, "")),
        (
            r#""replacement":"x","change_id":"c","rationale":"r","risk":"low","format":"patchdiff-tx/3""#,
            one("c", Some("r"), Some("low"), "x"),
        ),
        (r#""replacement":null"#, refused(Reason::ManifestMissing)),
        (r#""source":"x""#, refused(Reason::ManifestMissing)),
        (r#""replacement":1"#, refused_first(Reason::ManifestInvalid)),
        (r#""replacement":["x"]"#, refused_first(Reason::ManifestInvalid)),
        (r#""replacement":"x","edits":[]"#, refused(Reason::ManifestInvalid)),
        (r#""replacement":"x","replace":"y""#, refused(Reason::ManifestInvalid)),
        (r#""replacement":"x","change_id":"a b""#, refused(Reason::ManifestInvalid)),
        (r#""replacement":"x","risk":"none""#, refused_first(Reason::ManifestInvalid)),
        (r#""replacement":"x","change_id":"c","rationale":"""#, Err((Reason::ManifestInvalid, Some("c".to_owned())))),
        (r#""replacement":"x","format":"patchdiff-tx/1""#, refused(Reason::ManifestInvalid)),
    ] {
        assert_eq!(read(&format!(r#"{{"intent":"x",{more}}}"#), &tx3()), operation, "{more}");
    }
    assert_eq!(read(r#"{"replacement":"x"}"#, &tx3()), refused(Reason::ManifestInvalid));
}

/// P-053, PG-12: the limits are taken in, one more is not, by code points and by bytes.
#[test]
fn limits_are_inclusive() {
    let points = "a".repeat(MAX_CODE_POINTS);
    // 500,000 code points of two bytes, and 48,576 of one.
    let bytes = format!("{}{}", "é".repeat(500_000), "a".repeat(48_576));
    assert_eq!((points.len(), bytes.len(), bytes.chars().count()), (1_000_000, 1_048_576, 548_576));
    let reason = |text: &str| check_size(text).map_err(|invalid| invalid.reason);
    for full in [&points, &bytes] {
        assert_eq!(reason(full), Ok(()));
        assert_eq!(reason(&format!("{full}a")), Err(Reason::SizeLimitExceeded));
    }
    assert_eq!(reason(""), Ok(()));
    // The raw text counts, though its canonical form is half as long.
    let raw = "\r\n".repeat(MAX_CODE_POINTS / 2 + 1);
    assert_eq!(Canonical::of(raw.as_str()).code_points(), MAX_CODE_POINTS / 2 + 1);
    assert_eq!(reason(&raw), Err(Reason::SizeLimitExceeded));
    let detail = check_size(&raw).expect_err("it is too long").detail;
    assert!(detail.contains("1000002 code points") && detail.contains("1000002 bytes"), "{detail}");
}

/// P-054, P-141: reading a record asks no size, so history above the limits is still read.
#[test]
fn reading_asks_no_size() {
    let text = "a".repeat(MAX_UTF8_BYTES + 1);
    let record = json::object([("intent", "x".into()), ("replacement", text.as_str().into())]);
    let read = Transaction::read(&record, &tx3()).map(|transaction| transaction.operations.len());
    assert_eq!(read, Ok(1));
}

/// P-142: what a batch does is said by its groups.
#[test]
fn a_batch_is_read_elsewhere() {
    let batch = Profile::current(Protocol::ObservedBatch1, false);
    assert_eq!(read(r#"{"intent":"x"}"#, &batch), refused(Reason::ManifestInvalid));
}

proptest! {
    /// P-053: a canonical text is never longer than what was given, so that the latter decides for both.
    #[test]
    fn canonical_texts_are_never_longer(text in "(a|é|\r|\n|\u{1f9ea}){0,40}") {
        let canonical = Canonical::of(text.as_str());
        prop_assert!(canonical.code_points() <= text.chars().count());
        prop_assert!(canonical.as_str().len() <= text.len());
    }
}
