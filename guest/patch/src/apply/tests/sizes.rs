//! Many changes of a long text. Work that is their product would not end.

use super::*;

/// 20,000 lines, about a megabyte.
fn long(filler: &str) -> String {
    (0..20_000).map(|line| format!("line {line:05}: some {filler} words, more {filler} words\n")).collect()
}

/// P-021, P-026, P-052: ten thousand edits, each of another line, carry warnings and endings along.
#[test]
fn many_edits_of_a_long_text() {
    for filler in ["e", "é"] {
        let start = long(filler);
        let lines = (0..10_000).map(|edit| edit * 7_919 % 20_000);
        let edits = lines.clone().map(|line| replace(&format!("{line:05}: "), &format!("{line:05}; {filler}")));
        let extras = Extras { endings: Some(LineEndings::uniform(crate::text::Ending::CrLf, 20_000)), warnings: true };
        let applied =
            apply(&Canonical::of(start.as_str()), &transaction(edits), &current(), extras).expect("it applies");
        let edited: std::collections::BTreeSet<usize> = lines.collect();
        let expected: String = start
            .lines()
            .enumerate()
            .map(|(line, text)| match edited.contains(&line) {
                true => format!("{}\n", text.replacen(": ", &format!("; {filler}"), 1)),
                false => format!("{text}\n"),
            })
            .collect();
        assert!(applied.text.as_str() == expected);
        assert_eq!((applied.changes.len(), applied.warnings), (10_000, vec![]));
        assert_eq!(applied.endings.map(|endings| endings.to_string()).as_deref(), Some("20000C"));
    }
}

/// P-026, P-046, P-047: what each edit seeks is in tens of thousands of places.
#[test]
fn many_occurrences_for_each_edit() {
    let start = long("é");
    let numbered = (0..500).map(|edit| select("words", "Words", numbered(40_000 - edit)));
    let applied = run(&start, numbered).expect("it applies");
    assert_eq!(applied.text.as_str().matches("Words").count(), 500);
    // All are counted from the end, so each is where it was; but they are ever fewer.
    assert_eq!(applied.warnings.len(), 499);

    let anchored = (0..5_000).map(|line| select(" ", "_", anchored("line", &format!("{line:05}"))));
    let applied = run(&start, anchored).expect("it applies");
    assert_eq!(applied.text.as_str().matches("line_0").count(), 5_000);
}

/// P-022, PG-18: the last of many fails, and its failure costs no more than a change.
#[test]
fn the_last_of_many_fails() {
    let start = long("é");
    let edits = |last: &str| {
        let edits = (0..3_000).map(|line| replace(&format!("{line:05}: "), "x"));
        edits.chain([replace(last, "")]).collect::<Vec<_>>()
    };
    let absent = failure(&start, edits("nowhere"));
    assert_eq!((absent.reason, absent.prior_changes), (Reason::MatchAbsent, 3_000));
    let consumed = failure(&start, edits("02999: "));
    assert_eq!(consumed.reason, Reason::SequentialMatchInvalid);
    assert_eq!(consumed.failing.consumed.map(|consumed| consumed.change_id).as_deref(), Some("chg_3000"));
    let ambiguous = failure(&start, edits("é"));
    assert_eq!((ambiguous.reason, ambiguous.failing.occurrence_count), (Reason::MatchAmbiguous, Some(40_000)));
}

/// P-020, P-026: a text that is all alike, sought in all of its places.
#[test]
fn a_text_that_is_all_alike() {
    let start = "é".repeat(400_000);
    let needle = "é".repeat(200_000);
    let failure = failure(&start, [replace(&needle, "")]);
    assert_eq!((failure.reason, failure.failing.occurrence_count), (Reason::MatchAmbiguous, Some(200_001)));
    let selectors = Selectors { anchor_before: Some(needle.clone()), ..Selectors::default() };
    assert_eq!(text(&start, [select(&needle, "x", selectors)]), is(&format!("{needle}x")));
}
