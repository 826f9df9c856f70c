//! What users of other editors reported, each as a test of its name. Near misses are looked for elsewhere.

use super::*;

/// E-01: four spaces are no tab. What was looked for is handed on, with the text, to those who look for what is near.
#[test]
fn e_01_spaces_do_not_match_a_tab() {
    let failure = failure("\tfoo\n", [replace("    foo", "bar")]);
    assert_eq!((failure.reason, failure.change_id.as_str()), (Reason::MatchAbsent, "chg_001"));
    assert_eq!((failure.failing.missed.as_deref(), failure.buffer.as_str()), (Some("    foo"), "\tfoo\n"));
}

/// E-02: one letter is replaced, and tabs are none of it.
#[test]
fn e_02_tabs_stay() {
    assert_eq!(text("a:\n\tcc\nb\n", [replace("b", "c")]), is("a:\n\tcc\nc\n"));
}

/// E-03: a space does not match a tab, and nothing changes.
#[test]
fn e_03_a_space_does_not_match_a_tab() {
    let start = Canonical::of("a\tb\n");
    let failure = apply(&start, &transaction([replace(" ", "")]), &current(), Extras::default());
    assert_eq!(
        failure.map_err(|failure| (failure.reason, failure.buffer)),
        Err((Reason::MatchAbsent, "a\tb\n".into()))
    );
    assert_eq!(start.as_str(), "a\tb\n");
}

/// E-07: a line that is replaced in a file of CRLF keeps its end, and so do the others.
#[test]
fn e_07_line_ends_stay() {
    for action in [replace("a\n", "x\n"), replace("a\r\n", "x\r\n"), span(0, 2, "a\n", "x\n")] {
        assert_eq!(endings::saved("a\r\nb\r\n", [action]), "x\r\nb\r\n");
    }
}

/// E-09: quotation marks, dashes, a no-break space and a space at the end of a line stay what they are.
#[test]
fn e_09_typography_stays() {
    let line = "“a” —\u{a0}b \n";
    let applied = run(&format!("{line}name\n"), [replace("name", "n")]).expect("it applies");
    assert_eq!(applied.text.as_str().as_bytes(), format!("{line}n\n").as_bytes());
}

/// E-10: straight quotation marks are once there, curved ones are others.
#[test]
fn e_10_quotation_marks_differ() {
    assert_eq!(text("g = \"hi\"\ng = “hi”\n", [replace("\"hi\"", "\"yo\"")]), is("g = \"yo\"\ng = “hi”\n"));
}

/// E-11: what is put there is what was sent, whatever it looks like.
#[test]
fn e_11_replacements_are_literal() {
    for sent in [r#"["'(]"#, r"\1 $1 ${1} $& \n", "%s{}", "&amp;<b>", "\u{202e}\u{200b}\u{feff}"] {
        let applied = run("(.*) old", [replace("old", sent)]).expect("it applies");
        assert_eq!(applied.text.as_str(), format!("(.*) {sent}"));
        let hashes: Vec<_> = applied.changes.iter().map(|change| &change.replacement_sha256).collect();
        assert_eq!(hashes, [&Sha256Hex::of(sent.as_bytes())]);
    }
    // And what is sought is no pattern.
    assert_eq!(text("aXb a.b", [replace("a.b", "c")]), is("aXb c"));
}

/// E-13: offsets count code points, not bytes and not UTF-16.
#[test]
fn e_13_offsets_are_code_points() {
    let applied = run("🟢🔺📅 ALPHA", [replace("ALPHA", "BETA")]).expect("it applies");
    assert_eq!(applied.text.as_str(), "🟢🔺📅 BETA");
    assert_eq!(applied.changes[0].span, span_of(4, 9));
    assert_eq!(text("🟢🔺📅 ALPHA", [span(4, 9, "ALPHA", "BETA")]), is("🟢🔺📅 BETA"));
}

/// E-14: the hash is of the UTF-8, the count is of code points.
#[test]
fn e_14_hashes_are_of_utf_8() {
    let sent = "**進行中**";
    let applied = run("x", [replace("x", sent)]).expect("it applies");
    let [change] = &applied.changes[..] else { panic!("one change") };
    assert_eq!(change.replacement_sha256, Sha256Hex::of(sent.as_bytes()));
    assert_eq!((change.replacement_chars, sent.len()), (7, 13));
}

/// E-17: blank lines at the end stay; a second change of what the first one took is refused, and nothing is changed.
#[test]
fn e_17_final_lines_stay() {
    let start = "alpha\nbeta\n\n";
    let once = text(start, [replace("alpha", "x")]).expect("it applies");
    assert_eq!(once, "x\nbeta\n\n");
    assert_eq!(text(&once, [replace("alpha", "x")]), Err(Reason::MatchAbsent));
    let twice = failure(start, [replace("alpha", "x"), replace("alpha", "x")]);
    assert_eq!((twice.reason, twice.buffer.as_str()), (Reason::SequentialMatchInvalid, "x\nbeta\n\n"));
    let consumed = Consumed { change_id: "chg_001".into(), span: span_of(0, 5) };
    assert_eq!(twice.failing.consumed, Some(consumed));
    assert_eq!(text("alpha alpha\n\n", [select("alpha", "x", numbered(1)), replace("alpha", "x")]), is("x x\n\n"));
}

/// E-18: an insertion at the end of a text without a final line end adds none.
#[test]
fn e_18_an_insertion_at_the_end() {
    assert_eq!(text("hello\nworld", [span(11, 11, "", "\ntail")]), is("hello\nworld\ntail"));
    assert_eq!(endings::saved("hello\r\nworld", [span(11, 11, "", "\ntail")]), "hello\r\nworld\r\ntail");
}

/// E-25: the first change that fails is named, though a later one would fail too.
#[test]
fn e_25_the_first_failure_is_told() {
    let failure = failure("text", [replace("absent", "x"), replace("absent too", "y")]);
    assert_eq!((failure.change_id.as_str(), failure.reason), ("chg_001", Reason::MatchAbsent));
    assert_eq!(failure.prior_changes, 0);
}

/// E-30: changes need not be in the order of the text.
#[test]
fn e_30_edits_in_any_order() {
    let start: String = (1..=100).map(|line| format!("line {line};\n")).collect();
    let expected = start.replace("line 90;", "ninety").replace("line 10;", "ten and\nmore");
    let edits = [replace("line 90;", "ninety"), replace("line 10;", "ten and\nmore")];
    assert_eq!(text(&start, edits.clone()), is(&expected));
    assert_eq!(text(&start, edits.into_iter().rev()), is(&expected));
}

/// E-31: a change that changes nothing is accepted, and told.
#[test]
fn e_31_nothing_is_changed() {
    let applied = run("x", [replace("x", "x")]).expect("it applies");
    let told: Vec<_> =
        applied.warnings.iter().map(|warning| (warning.kind.name(), warning.change_id.as_deref())).collect();
    assert_eq!(told, [("no_op_change", Some("chg_001")), ("no_op_transaction", None)]);
    assert_eq!(applied.text.as_str(), "x");
}

/// E-33: occurrences that share a letter are two.
#[test]
fn e_33_overlapping_occurrences() {
    let failure = failure("a\na\na", [replace("a\na", "x")]);
    assert_eq!((failure.reason, failure.failing.occurrence_count), (Reason::MatchAmbiguous, Some(2)));
    assert_eq!(text("a\na\na", [select("a\na", "x", numbered(2))]), is("a\nx"));
}

/// E-34: a stale line is nowhere; all of the text is handed on to those who look for what is near.
#[test]
fn e_34_a_stale_block() {
    let block = "x := 1\ny := 2\nz := 3\n";
    let failure = failure(block, [replace("x := 1\ny := 99\n", "")]);
    assert_eq!(failure.reason, Reason::MatchAbsent);
    assert_eq!(failure.failing.missed.as_deref(), Some("x := 1\ny := 99\n"));
    assert_eq!((failure.buffer.as_str(), failure.context().text), (block, block));
}

/// E-35: three braces are three candidates.
#[test]
fn e_35_braces() {
    let failure = failure("{\n}\n}\n}\n", [replace("}", "x")]);
    assert_eq!((failure.reason, failure.failing.occurrence_count), (Reason::MatchAmbiguous, Some(3)));
    let places: Vec<_> = failure.failing.candidates.iter().map(|place| place.span.start).collect();
    assert_eq!(places, [2, 4, 6]);
    let many = super::failure(&"}\n".repeat(100), [replace("}", "x")]);
    assert_eq!((many.failing.occurrence_count, many.failing.candidates.len()), (Some(100), 5));
}

/// E-38: a change far within a text of a million code points.
#[test]
fn e_38_far_within_a_long_text() {
    for letter in ["a", "é"] {
        let start = format!("{}here{}", letter.repeat(999_000), letter.repeat(996));
        let expected = format!("{}THERE{}", letter.repeat(999_000), letter.repeat(996));
        for action in [replace("here", "THERE"), span(999_000, 999_004, "here", "THERE")] {
            let applied = run(&start, [action]).expect("it applies");
            assert_eq!(applied.changes[0].span, span_of(999_000, 999_004));
            assert!(applied.text.as_str() == expected);
        }
    }
}

/// E-41: of two, neither is taken in silence.
#[test]
fn e_41_never_the_first_of_two() {
    let failure = failure("x\nx\n", [replace("x", "y")]);
    assert_eq!((failure.reason, failure.failing.occurrence_count), (Reason::MatchAmbiguous, Some(2)));
}

/// E-42, P-027: what other formats take for their marks is text like any other.
#[test]
fn e_42_marks_are_text() {
    let start = "<<<<<<< SEARCH\n:start_line:7\n=======\n>>>>>>> REPLACE\n";
    assert_eq!(
        text(start, [replace(":start_line:7\n", "-------\n<<<<<<< SEARCH\n")]),
        is("<<<<<<< SEARCH\n-------\n<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n")
    );
    assert_eq!(text(start, [replace("<<<<<<< SEARCH\n:start_line:7\n=======\n>>>>>>> REPLACE\n", "")]), is(""));
    assert_eq!(
        text(start, [span(0, 14, "<<<<<<< SEARCH", "=======")]),
        is(&start.replace("<<<<<<< SEARCH", "======="))
    );
}
