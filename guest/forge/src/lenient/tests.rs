use super::*;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Element {
    id: Scalar,
}

#[test]
fn arrays_are_bounded() {
    let few = |json: &str| {
        let LenientFew(few) = serde_json::from_str::<LenientFew<Element, 2>>(json).expect("any value");
        few.map(|few| (few.first.into_iter().map(|element| element.id.id()).collect::<Vec<_>>(), few.left_out))
    };
    assert_eq!(few("[]"), Some((vec![], 0)));
    assert_eq!(few(r#"[{"id":9007199254740993},{"id":"1"}]"#), Some((vec![Some(9_007_199_254_740_993), None], 0)));
    assert_eq!(few(r#"[7,{"id":1},{"id":2},null,[3]]"#), Some((vec![None, Some(1)], 3)));
    for other in ["null", "7", "-7", "7.5", "true", "\"[]\"", r#"{"id":1}"#] {
        assert_eq!(few(other), None, "{other}");
    }
}

/// K-10: what is cut is cut between characters, and says how long the whole is.
#[test]
fn long_texts_are_cut_and_counted() {
    let line = |json: &str| {
        let FirstLine(line) = serde_json::from_str::<FirstLine<8>>(json).expect("any value");
        line.map(|line| (line.text.clone(), line.is_cut()))
    };
    assert_eq!(line(r#""one\ntwo""#), Some(("one".into(), false)));
    assert_eq!(line(r#""one\r\n\ntwo""#), Some(("one".into(), false)));
    assert_eq!(line(r#""<object>""#), Some(("<object>".into(), false)));
    assert_eq!(line(r#""<object>/""#), Some(("<object>".into(), true)));
    assert_eq!(line("\"日本語\""), Some(("日本".into(), true)));
    assert_eq!((line("\"\""), line("null"), line("7"), line("[]")), (Some((String::new(), false)), None, None, None));
    let title = |json: &str| serde_json::from_str::<Title>(json).expect("any value").shown();
    assert_eq!(title("\"a\\nb\""), (Some("a\nb".into()), None));
    let long = "x".repeat(TEXT_BYTES);
    assert_eq!(title(&format!("\"{long}\"")), (Some(long), None));
    assert_eq!(title(&format!("\"{}\"", "語".repeat(3_000))), (Some("語".repeat(66)), Some(true)));
    assert_eq!((title("null"), title("7"), title("{}")), ((None, None), (None, None), (None, None)));
    let bytes = |json: &str| serde_json::from_str::<TextBytes>(json).expect("any value").0;
    assert_eq!((bytes("\"\u{202e}x\""), bytes("null"), bytes("{}")), (Some(4), Some(0), None));
    let LongBeginning(long) = serde_json::from_str(&format!("\"{}\"", "語".repeat(30_000))).expect("a text");
    let long = long.expect("a text");
    assert_eq!((long.text.len(), long.whole_bytes, long.is_cut()), (65_535, 90_000, true));
    let shorter = long.cut(4);
    assert_eq!((shorter.text.as_str(), shorter.whole_bytes, shorter.is_cut()), ("語", 90_000, true));
}
