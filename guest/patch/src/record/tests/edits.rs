//! `patchdiff-tx/1`, and the members that every format has.

use proptest::prelude::*;

use super::*;

fn edit(more: &str) -> String {
    record("edits", &format!(r#"{{"match":"a","replace":"b"{more}}}"#))
}

fn ids(record: &str, version: &str) -> Result<Vec<String>, Refused> {
    let operations = read(record, &profile(Protocol::Tx1, version))?;
    Ok(operations.into_iter().map(|operation| operation.change_id).collect())
}

/// P-033, P-041, P-066: what has to be there, and of what kind it has to be; an item that is no object is no edit at all.
#[test]
fn a_record_has_an_intent_and_edits() {
    for (record, reason) in [
        ("[]", Reason::ManifestInvalid),
        ("{}", Reason::ManifestInvalid),
        (r#"{"intent":"x"}"#, Reason::ManifestMissing),
        (r#"{"intent":"x","edits":null}"#, Reason::ManifestMissing),
        (r#"{"intent":"x","edits":[]}"#, Reason::ManifestInvalid),
        (r#"{"intent":"x","edits":{}}"#, Reason::ManifestInvalid),
        (r#"{"intent":"x","edits":"[]"}"#, Reason::ManifestInvalid),
        (r#"{"intent":"x","edits":[null]}"#, Reason::BlockMalformed),
        (r#"{"intent":"x","edits":["a"]}"#, Reason::BlockMalformed),
        (r#"{"intent":"x","edits":[[]]}"#, Reason::BlockMalformed),
    ] {
        assert_eq!(read(record, &tx1()), refused(reason), "{record}");
    }
    for intent in ["null", "1", r#""""#, r#"" \t\r\n""#, r#""\u2003\u00a0""#] {
        let record = format!(r#"{{"intent":{intent},"edits":[{{"match":"a","replace":"b"}}]}}"#);
        assert_eq!(read(&record, &tx1()), refused(Reason::ManifestInvalid), "{intent}");
    }
    let transaction = Transaction::read(&value(&edit("")), &tx1()).expect("it is a record");
    assert_eq!(transaction.intent, "why");
    let action = Action::Match { text: "a".into(), replace: "b".into(), selectors: Selectors::default() };
    assert_eq!(
        transaction.operations,
        [Operation { change_id: "chg_001".into(), rationale: None, risk: None, action }]
    );
}

/// P-041: a match that says nothing is none; a replacement may.
#[test]
fn an_edit_has_a_match_and_a_replacement() {
    for (item, holds) in [
        (r#"{"match":"a","replace":""}"#, true),
        (r#"{"match":" ","replace":"b"}"#, true),
        (r#"{"match":"\n","replace":"b"}"#, true),
        (r#"{"match":"","replace":"b"}"#, false),
        (r#"{"match":null,"replace":"b"}"#, false),
        (r#"{"match":1,"replace":"b"}"#, false),
        (r#"{"replace":"b"}"#, false),
        (r#"{"match":"a"}"#, false),
        (r#"{"match":"a","replace":null}"#, false),
        (r#"{"match":"a","replace":["b"]}"#, false),
    ] {
        let read = read(&record("edits", item), &tx1());
        match read {
            Ok(_) => assert!(holds, "{item}"),
            wrong => assert!(!holds && wrong == refused_first(Reason::ManifestInvalid), "{item}: {wrong:?}"),
        }
    }
}

/// P-048: what an edit does not take is refused, with no word of it repeated.
#[test]
fn unknown_members_are_refused() {
    for more in [r#","region_hint":"x""#, r#","op":"match""#, r#","Match":"a""#, r#","":null"#, r#","SECRET":1"#] {
        let record = edit(more);
        assert_eq!(read(&record, &tx1()), refused(Reason::ManifestInvalid), "{more}");
        let detail = Transaction::read(&value(&record), &tx1()).expect_err("it is refused").detail;
        assert!(detail.starts_with("edits[0] ") && detail.contains("anchor_before"), "{detail}");
        assert!(!detail.contains("SECRET"), "{detail}");
    }
    for (more, reason) in [
        (r#""operations":[]"#, Some(Reason::ManifestInvalid)),
        (r#""replacement":"x""#, Some(Reason::ManifestInvalid)),
        (r#""change_id":"x""#, Some(Reason::ManifestInvalid)),
        (r#""target_file_id":"x""#, None),
    ] {
        let record = format!(r#"{{"intent":"x","edits":[{{"match":"a","replace":"b"}}],{more}}}"#);
        assert_eq!(read(&record, &tx1()).err().map(|refused| refused.0), reason, "{more}");
    }
}

/// P-033, P-034, P-035, P-036, P-037, P-038, P-039, P-061: the envelope's members are allowed beside the edits, and none of them changes what is read.
#[test]
fn the_envelope_is_no_part_of_the_edits() {
    let plain = Transaction::read(&value(&edit("")), &tx1());
    let envelope = r#""target_file_id":"t","expected_target_version":1,"expected_current_hash":null,"source":"s",
        "parent_pdcp_log_id":null,"attempt":2,"client_request_id":"k","correlation_id":"c","format":"patchdiff-tx/1""#;
    let whole = format!(r#"{{"intent":"why","edits":[{{"match":"a","replace":"b"}}],{envelope}}}"#);
    assert_eq!(Transaction::read(&value(&whole), &tx1()), plain);
    assert!(plain.is_ok());
}

/// P-055, P-126: a record that names another format than the one it is read by is refused, not taken for it.
#[test]
fn a_record_may_name_its_format_alone() {
    for (format, holds) in [
        ("null", true),
        (r#""patchdiff-tx/1""#, true),
        (r#""patchdiff-tx/2""#, false),
        (r#""patchdiff-tx/1\n""#, false),
        ("1", false),
    ] {
        let record = format!(r#"{{"intent":"x","edits":[{{"match":"a","replace":"b"}}],"format":{format}}}"#);
        let read = read(&record, &tx1());
        assert_eq!(read.err(), (!holds).then_some((Reason::ManifestInvalid, None)), "{format}");
    }
}

/// P-044, P-045: a rationale says something, a risk is one of three, and null is nothing.
#[test]
fn a_change_may_say_why_and_at_what_risk() {
    let first = |more: &str| {
        let operations = read(&edit(more), &tx1())?;
        Ok(operations.into_iter().map(|operation| (operation.rationale, operation.risk)).next())
    };
    let said = |rationale: &str, risk| Ok(Some((Some(rationale.to_owned()), risk)));
    assert_eq!(first(r#","rationale":null,"risk":null"#), Ok(Some((None, None))));
    assert_eq!(first(r#","rationale":" so ","risk":"low""#), said(" so ", Some("low")));
    for risk in ["low", "medium", "high"] {
        assert_eq!(first(&format!(r#","risk":"{risk}""#)), Ok(Some((None, Some(risk)))));
    }
    for more in [
        r#","rationale":"""#,
        r#","rationale":" \n""#,
        r#","rationale":1"#,
        r#","risk":"""#,
        r#","risk":"Low""#,
        r#","risk":"critical""#,
        r#","risk":1"#,
    ] {
        assert_eq!(first(more), Err((Reason::ManifestInvalid, Some("chg_001".to_owned()))), "{more}");
    }
}

/// P-046, P-047, P-066: selectors that are none are refused as such, before a text is looked at.
#[test]
fn selectors_are_integers_and_texts() {
    let selectors = |more: &str| {
        let operations = read(&edit(more), &tx1())?;
        let Some(Action::Match { selectors, .. }) = operations.into_iter().next().map(|operation| operation.action)
        else {
            panic!("it is a match");
        };
        Ok((selectors.occurrence_index, selectors.anchor_before, selectors.anchor_after))
    };
    let text = |text: &str| Some(text.to_owned());
    for (more, read) in [
        ("", (None, None, None)),
        (r#","occurrence_index":null,"anchor_before":null,"anchor_after":null"#, (None, None, None)),
        (r#","occurrence_index":1"#, (Some(1), None, None)),
        (r#","occurrence_index":9007199254740993"#, (Some(9_007_199_254_740_993), None, None)),
        // There is no such occurrence on any machine, so it does not matter which it is.
        (r#","occurrence_index":1180591620717411303424"#, (Some(u64::MAX), None, None)),
        (r#","anchor_before":" ","anchor_after":"\r\n""#, (None, text(" "), text("\r\n"))),
    ] {
        assert_eq!(selectors(more), Ok(read), "{more}");
    }
    for more in [
        r#","occurrence_index":0"#,
        r#","occurrence_index":-1"#,
        r#","occurrence_index":-1180591620717411303424"#,
        r#","occurrence_index":1.0"#,
        r#","occurrence_index":1e2"#,
        r#","occurrence_index":true"#,
        r#","occurrence_index":"1""#,
        r#","anchor_before":"""#,
        r#","anchor_after":"""#,
        r#","anchor_before":0"#,
        r#","anchor_after":["x"]"#,
    ] {
        assert_eq!(selectors(more), Err((Reason::DisambiguationInvalid, Some("chg_001".to_owned()))), "{more}");
    }
}

/// P-029: what is read is what was given; line ends are the applier's matter.
#[test]
fn texts_are_kept_as_they_were_given() {
    let record = record("edits", r#"{"match":"a\r\nb\r","replace":"\r\n\r"}"#);
    let operations = read(&record, &tx1()).expect("it is a record");
    let [Operation { action: Action::Match { text, replace, .. }, .. }] = &operations[..] else { panic!("one match") };
    assert_eq!((text.as_str(), replace.as_str()), ("a\r\nb\r", "\r\n\r"));
}

/// P-042, PG-07: an id that is not given is the edit's number, which no other edit may have taken or takes.
#[test]
fn an_edit_without_an_id_is_known_by_its_number() {
    let item = |id: Option<&str>| match id {
        None => r#"{"match":"a","replace":"b"}"#.to_owned(),
        Some(id) => format!(r#"{{"match":"a","replace":"b","change_id":{id}}}"#),
    };
    let list = |ids: &[Option<&str>]| ids.iter().map(|id| item(*id)).collect::<Vec<_>>().join(",");
    let duplicate = |id: &str| Err((Reason::ManifestInvalid, Some(id.to_owned())));
    for (given, read) in [
        (
            &[None, Some("null"), Some(r#""x""#), None][..],
            Ok(["chg_001", "chg_002", "x", "chg_004"].map(str::to_owned).to_vec()),
        ),
        (&[Some(r#""chg_003""#), None], Ok(["chg_003", "chg_002"].map(str::to_owned).to_vec())),
        (&[Some(r#""chg_002""#), None], duplicate("chg_002")),
        (&[None, Some(r#""chg_001""#)], duplicate("chg_001")),
        (&[Some(r#""x""#), Some(r#""X""#), Some(r#""x""#)], duplicate("x")),
    ] {
        assert_eq!(ids(&record("edits", &list(given)), "0.2.2"), read, "{given:?}");
    }
    let many = ids(&record("edits", &list(&[None; 1_000])), "0.2.2").expect("it is a record");
    assert_eq!((many[8].as_str(), many[98].as_str(), many[998].as_str()), ("chg_009", "chg_099", "chg_999"));
    assert_eq!(many[999], "chg_1000");
}

/// P-043, P-127, P-129, P-131, PG-27: which ids each profile takes; one that is taken is kept as it is.
#[test]
fn ids_have_the_grammar_of_the_profile() {
    let long = |length: usize, of: &str| of.repeat(length);
    let (strict, historical) = (["0.2.1", "0.2.2"], ["0.1.0", "0.2.0"]);
    for (id, is_strict, is_historical) in [
        ("a".to_owned(), true, true),
        ("AZaz09_.:-".to_owned(), true, true),
        (long(64, "x"), true, true),
        (long(65, "x"), false, true),
        (long(255, "x"), false, true),
        (long(255, "é"), false, true),
        (long(256, "x"), false, false),
        (long(256, "é"), false, false),
        (String::new(), false, false),
        ("a\\n".to_owned(), false, true),
        ("\\na".to_owned(), false, true),
        (" ".to_owned(), false, true),
        (" a ".to_owned(), false, true),
        ("a b".to_owned(), false, true),
        ("a/b".to_owned(), false, true),
        ("é".to_owned(), false, true),
        ("chg\u{ff10}".to_owned(), false, true),
    ] {
        let record = edit(&format!(r#","change_id":"{id}""#));
        let kept = id.replace("\\n", "\n");
        for (version, holds) in strict
            .map(|version| (version, is_strict))
            .into_iter()
            .chain(historical.map(|version| (version, is_historical)))
        {
            let read = ids(&record, version);
            let expected = if holds { Ok(vec![kept.clone()]) } else { Err((Reason::ManifestInvalid, None)) };
            assert_eq!(read, expected, "{id:?} in {version}");
        }
    }
    for id in ["1", "true", "[]", r#""\ud800""#] {
        for version in ["0.1.0", "0.2.2"] {
            assert_eq!(
                ids(&edit(&format!(r#","change_id":{id}"#)), version),
                Err((Reason::ManifestInvalid, None)),
                "{id}"
            );
        }
    }
}

/// P-128: what is submitted now.
#[test]
fn edits_are_recorded_under_one_profile() {
    assert_eq!(Transaction::profile_of(&value(&edit("")), Protocol::Tx1), tx1());
}

proptest! {
    /// P-043: as a regular expression that is anchored at both ends has it.
    #[test]
    fn strict_ids_are_a_regular_language(id in r"[ -~\ta-zA-Zé]{0,4}|[A-Za-z0-9_.:-]{60,68}") {
        let given = json::object([("match", "a".into()), ("replace", "b".into()), ("change_id", id.as_str().into())]);
        let record = json::object([("intent", "x".into()), ("edits", Value::Array(vec![given]))]);
        let allowed = |letter: char| matches!(letter, 'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '.' | ':' | '-');
        let holds = (1..=64).contains(&id.chars().count()) && id.chars().all(allowed);
        prop_assert_eq!(Transaction::read(&record, &tx1()).is_ok(), holds);
    }
}
