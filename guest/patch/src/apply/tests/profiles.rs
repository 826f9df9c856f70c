//! What each profile of history does otherwise (P-127 to P-131).

use super::*;

const TX1: [&str; 4] = ["0.1.0", "0.2.0", "0.2.1", "0.2.2"];

/// P-026, P-127, P-129: occurrences overlap from 0.2.0 on. A text that is twice there by one count is once by the other.
#[test]
fn occurrences_overlap_from_0_2_0_on() {
    for (target, needle, selectors, old, new) in [
        ("aaa", "aa", Selectors::default(), is("Xa"), Err(Reason::MatchAmbiguous)),
        ("aaaa", "aa", numbered(2), is("aaX"), is("aXa")),
        ("aaaa", "aa", numbered(3), Err(Reason::DisambiguationInvalid), is("aaX")),
        ("aaaa", "aa", anchored("aa", ""), is("aaX"), is("aaX")),
        // What overlaps the one before is none, though the anchor is beside it.
        ("aaab aab", "aa", anchored("a", ""), Err(Reason::DisambiguationInvalid), is("aXb aab")),
        ("aaaab", "aa", anchored("", "a"), is("Xaab"), Err(Reason::MatchAmbiguous)),
        ("a\na\na", "a\na", Selectors::default(), is("X\na"), Err(Reason::MatchAmbiguous)),
        ("abab", "ab", Selectors::default(), Err(Reason::MatchAmbiguous), Err(Reason::MatchAmbiguous)),
    ] {
        for version in TX1 {
            let expected = if version == "0.1.0" { &old } else { &new };
            let found = text_by(&profile(Protocol::Tx1, version), target, [select(needle, "X", selectors.clone())]);
            assert_eq!(&found, expected, "{needle:?} {selectors:?} in {target:?} by {version}");
        }
    }
}

/// P-127, PG-08: before 0.2.2 nothing is asked about the only occurrence; about one of several it always was.
#[test]
fn selectors_are_enforced_from_0_2_2_on() {
    let wrong = || Err(Reason::DisambiguationInvalid);
    for (target, selectors, old, new) in [
        ("abc", numbered(7), is("aXc"), wrong()),
        ("abc", numbered(u64::MAX), is("aXc"), wrong()),
        ("abc", anchored("z", ""), is("aXc"), wrong()),
        ("abc", anchored("", "z"), is("aXc"), wrong()),
        ("abc", numbered(1), is("aXc"), is("aXc")),
        ("abcb", numbered(7), wrong(), wrong()),
        ("abcb", anchored("z", ""), wrong(), wrong()),
        ("abcb", anchored("c", ""), is("abcX"), is("abcX")),
        ("ac", numbered(1), Err(Reason::MatchAbsent), Err(Reason::MatchAbsent)),
    ] {
        for version in TX1 {
            let expected = if version == "0.2.2" { &new } else { &old };
            let found = text_by(&profile(Protocol::Tx1, version), target, [select("b", "X", selectors.clone())]);
            assert_eq!(&found, expected, "{selectors:?} in {target:?} by {version}");
        }
        for (protocol, version) in [(Protocol::Tx2, "0.3.0"), (Protocol::Tx2, "0.5.0")] {
            let found = text_by(&profile(protocol, version), target, [select("b", "X", selectors.clone())]);
            assert_eq!(found, new, "{selectors:?} in {target:?} by {version}");
        }
    }
}

/// P-127, P-128, P-130: what is submitted now is applied by rules that are those of every current format.
#[test]
fn current_profiles_have_the_same_rules() {
    for (protocol, context) in
        [(Protocol::Tx1, false), (Protocol::Tx2, false), (Protocol::Tx2, true), (Protocol::Tx3, false)]
    {
        let profile = Profile::current(protocol, context);
        assert_eq!(text_by(&profile, "aaa", [replace("aa", "")]), Err(Reason::MatchAmbiguous));
        assert_eq!(text_by(&profile, "a", [select("a", "", numbered(2))]), Err(Reason::DisambiguationInvalid));
        assert_eq!(text_by(&profile, "a", [span(1, 1, "", "b")]), is("ab"));
        assert_eq!(text_by(&profile, "a", [Action::ReplaceAll { replace: "b".into() }]), is("b"));
    }
}

/// P-131: a change is told by the id that its record has, byte for byte.
#[test]
fn ids_are_told_as_they_are() {
    let id = " é\r\n/\u{0} ";
    let mut of_history = transaction([replace("a", "b")]);
    of_history.operations[0].change_id = id.to_owned();
    let profile = profile(Protocol::Tx1, "0.1.0");
    let applied = apply(&Canonical::of("a"), &of_history, &profile, Extras::default()).expect("it applies");
    assert_eq!(applied.changes[0].change_id, id);
    let failure = apply(&Canonical::of("z"), &of_history, &profile, Extras::default()).expect_err("it does not");
    assert_eq!(failure.change_id, id);
}
