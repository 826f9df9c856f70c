//! Each single corruption of a history, and what is told of it.

use super::{
    history::{Entry, First, History, Target},
    random::random,
};
use crate::{
    Reason, Sha256Hex,
    replay::{Broken, Checks},
};

/// Changes one thing.
type Corrupt<T> = fn(&mut T);

const ALL: Checks =
    Checks { content_matches: true, stored_hash_matches: true, recomputed_hash_matches: true, version_matches: true };

/// What a corruption of a row is told by.
fn broken_by(history: &History, at: usize, corrupt: impl Fn(&mut Entry)) -> String {
    let mut history = history.clone();
    corrupt(&mut history.rows[at]);
    let version = history.initial.version + at as u64;
    let Broken { pdcp_log_id, version: told, detail } = history.checks().expect_err("it is corrupt");
    assert_eq!((pdcp_log_id.as_deref(), told), (Some(&*format!("log-{at}")), version), "{detail}");
    detail
}

fn other_digit(hash: &mut String) {
    let last = if hash.pop() == Some('0') { '1' } else { '0' };
    hash.push(last);
}

/// P-130, P-126, P-133, P-134: every field of every row, by what it is told.
#[test]
fn each_field_of_a_row_is_checked() {
    assert_eq!(Broken::REASON, Reason::ReplayProtocolInvalid);
    let unsupported = "no profile replays this protocol and runtime";
    let target = "the row is another target's";
    let before = "the row does not start from the version before it";
    let after = "the row makes no next version";
    let text = "the row does not start from the text before it";
    let made = "the record makes another text than the row says";
    let hash = "the record has not its hash";
    let corruptions: [(&str, Corrupt<Entry>); 22] = [
        (target, |row| other_digit(&mut row.target_file_id)),
        (target, |row| row.target_file_id.clear()),
        (target, |row| row.target_file_id = row.target_file_id.to_uppercase()),
        (unsupported, |row| row.protocol_version = "patchdiff-tx/9".into()),
        (unsupported, |row| row.protocol_version.push(' ')),
        (unsupported, |row| row.runtime_version = Some("patchdiff-mvp-0.9.0".into())),
        (unsupported, |row| row.runtime_version = Some(String::new())),
        ("the row names no runtime", |row| row.runtime_version = None),
        (before, |row| row.before_version += 1),
        (before, |row| row.before_version = u64::MAX),
        (before, |row| (row.before_version, row.after_version) = (row.before_version + 1, row.after_version + 1)),
        (after, |row| row.after_version += 1),
        (after, |row| row.after_version = row.before_version),
        (after, |row| row.after_version = u64::MAX),
        (text, |row| other_digit(&mut row.before_hash)),
        (text, |row| row.before_hash = row.before_hash.to_uppercase() + " "),
        (made, |row| other_digit(&mut row.after_hash)),
        (made, |row| row.after_hash.clear()),
        (hash, |row| other_digit(&mut row.pdcp_content_hash)),
        (hash, |row| row.pdcp_content.push(' ')),
        (hash, |row| row.pdcp_content.push_str("\r\n")),
        (hash, |row| row.pdcp_content.clear()),
    ];
    for seed in 0..60 {
        let history = random(seed, 4);
        for at in 0..history.rows.len() {
            for (told, corrupt) in corruptions {
                assert_eq!(broken_by(&history, at, corrupt), told, "{seed}, {at}");
            }
        }
    }
}

/// P-134, P-029: any one bit of any record, and any digit of any hash of a row.
#[test]
fn each_bit_of_a_record_is_checked() {
    let hashes: [fn(&mut Entry) -> &mut String; 3] =
        [|row| &mut row.before_hash, |row| &mut row.after_hash, |row| &mut row.pdcp_content_hash];
    for seed in 0..12 {
        let history = random(seed, 2);
        for at in 0..history.rows.len() {
            let content = history.rows[at].pdcp_content.clone();
            for (byte, bit) in (0..content.len()).flat_map(|byte| (0..8).map(move |bit| (byte, bit))) {
                let mut bytes = content.clone().into_bytes();
                bytes[byte] ^= 1 << bit;
                let Ok(flipped) = String::from_utf8(bytes) else { continue };
                let told = broken_by(&history, at, |row| row.pdcp_content.clone_from(&flipped));
                assert_eq!(told, "the record has not its hash");
            }
            for (digit, hash) in (0..64).flat_map(|digit| hashes.map(|hash| (digit, hash))) {
                broken_by(&history, at, |row| {
                    let hash = hash(row);
                    let other = if hash[digit..].starts_with('0') { "1" } else { "0" };
                    hash.replace_range(digit..=digit, other);
                });
            }
        }
    }
}

/// P-134, P-126, P-029: a record that was exchanged together with its hash is read, and told by what it is or makes.
#[test]
fn a_record_that_was_exchanged_is_told() {
    let history = random(5, 3);
    for (content, told) in [
        ("", "the record is no JSON: "),
        ("{\"edits\":1,\"edits\":2}", "the record is no JSON: "),
        ("null", "the record is not its format's: "),
        ("{}", "the record is not its format's: "),
        (r#"{"evidence_format":"patchdiff-invalid-input/1","original":{}}"#, "the record is not its format's: "),
    ] {
        for at in 0..history.rows.len() {
            let detail = broken_by(&history, at, |row| {
                row.pdcp_content = content.to_owned();
                row.pdcp_content_hash = Sha256Hex::of(content).to_string();
            });
            assert!(detail.starts_with(told), "{detail}");
        }
    }
    // Line ends are part of a record, be they between its members.
    let mut spaced = History::of("a", 0);
    let content = "{\"edits\":[{\"match\":\"a\",\"replace\":\"b\"}],\n\"intent\":\"x\"}";
    spaced.push(&crate::Profile::current(crate::Protocol::Tx1, false), content, "b");
    assert_eq!(spaced.checks(), Ok(ALL));
    let told = broken_by(&spaced, 0, |row| row.pdcp_content = row.pdcp_content.replace('\n', "\r\n"));
    assert_eq!(told, "the record has not its hash");

    let mut history = History::of("a b", 0);
    let edit = |from: &str, to: &str| format!(r#"{{"edits":[{{"match":"{from}","replace":"{to}"}}],"intent":"x"}}"#);
    history.push(&crate::Profile::current(crate::Protocol::Tx1, false), &edit("a", "A"), "A b");
    for (from, to, told) in [
        ("a", "B", "the record makes another text than the row says"),
        ("b", "A", "the record makes another text than the row says"),
        ("x", "A", "the record does not apply: the text to match is nowhere in the target"),
    ] {
        let detail = broken_by(&history, 0, |row| {
            row.pdcp_content = edit(from, to);
            row.pdcp_content_hash = Sha256Hex::of(&row.pdcp_content).to_string();
        });
        assert_eq!(detail, told);
    }
}

/// P-133, P-138: rows in another order, a row that is missing or there twice, and one of another target.
#[test]
fn each_row_has_its_place() {
    for seed in 0..100 {
        let history = random(seed, 5);
        let first = history.initial.version;
        let told = |history: &History| {
            let broken = history.checks().expect_err("it is corrupt");
            (broken.pdcp_log_id.unwrap_or_default(), broken.version - first)
        };
        for at in 0..5_usize {
            let mut twice = history.clone();
            twice.rows.insert(at, history.rows[at].clone());
            assert_eq!(told(&twice), (format!("log-{at}"), at as u64 + 1));
            if at == 4 {
                continue;
            }
            let mut swapped = history.clone();
            swapped.rows.swap(at, at + 1);
            assert_eq!(told(&swapped), (format!("log-{}", at + 1), at as u64));
            let mut missing = history.clone();
            missing.rows.remove(at);
            assert_eq!(told(&missing), (format!("log-{}", at + 1), at as u64));
            let mut other = history.clone();
            other.rows.insert(at, random(seed + 1_000, 5).rows[0].clone());
            other.rows[at].target_file_id = "another".into();
            other.rows[at].pdcp_log_id = "other".into();
            assert_eq!(told(&other), ("other".to_owned(), at as u64));
        }
        // Without the last one the history is whole, and is not the target's.
        let mut short = history.clone();
        let last = short.rows.pop().unwrap();
        let same = last.before_hash == last.after_hash;
        let expected = Checks {
            content_matches: same,
            stored_hash_matches: same,
            recomputed_hash_matches: same,
            version_matches: false,
        };
        assert_eq!(short.checks(), Ok(expected), "{seed}");
        assert!(!expected.all());
    }
}

/// P-132: the first text is there, is the target's, and has its hash; its line ends are one.
#[test]
fn the_first_text_is_checked() {
    let missing = Broken::without_initial();
    assert_eq!((missing.pdcp_log_id, missing.version, missing.detail.is_empty()), (None, 0, false));
    let corruptions: [(&str, Corrupt<First>); 6] = [
        ("the first text is another target's", |first| other_digit(&mut first.target_file_id)),
        ("the first text has not the hash that is stored with it", |first| first.content.push('a')),
        ("the first text has not the hash that is stored with it", |first| first.content.insert(0, '\u{feff}')),
        ("the first text has not the hash that is stored with it", |first| other_digit(&mut first.content_hash)),
        ("the first text has not the hash that is stored with it", |first| first.content_hash.clear()),
        ("the first text has not the hash that is stored with it", |first| {
            first.content_hash = first.content_hash.to_uppercase() + "\n";
        }),
    ];
    for seed in 0..50 {
        let history = random(seed, 2);
        for (told, corrupt) in corruptions {
            let mut corrupted = history.clone();
            corrupt(&mut corrupted.initial);
            let broken = corrupted.checks().expect_err("it is corrupt");
            let expected = Broken { pdcp_log_id: None, version: history.initial.version, detail: told.to_owned() };
            assert_eq!(broken, expected);
            assert_eq!(broken.to_string(), told);
        }
        let mut later = history.clone();
        later.initial.version += 1;
        assert_eq!(later.checks().expect_err("no row follows").pdcp_log_id.as_deref(), Some("log-0"));
        later.rows.clear();
        assert!(later.checks().is_ok(), "nothing is there to contradict it but the target");
    }
    for content in ["a\r\nb\r", "a\rb\n", "a\nb\r\n"] {
        let mut history = History::of("a\nb\n", 0);
        history.initial.content = content.to_owned();
        assert_eq!(history.checks(), Ok(ALL), "{content:?}");
    }
}

/// P-135, P-136, P-137, P-138: what is compared with the stored target, each by itself; nothing is repaired, and nothing is an error.
#[test]
fn the_stored_target_is_compared() {
    let history = {
        let mut history = History::of("a\r\nb", 2);
        let content = r#"{"edits":[{"match":"b","replace":"c\n"}],"intent":"x"}"#;
        history.push(&crate::Profile::current(crate::Protocol::Tx1, false), content, "a\nc\n");
        history
    };
    assert_eq!(history.checks(), Ok(ALL));
    let text = Checks { content_matches: false, ..ALL };
    let rows: [(Checks, Corrupt<Target>); 9] = [
        // P-137: the hashes agree, the bytes do not.
        (text, |target| target.content = "a\r\nc\n".into()),
        (text, |target| target.content = "a\nc\r\n".into()),
        (text, |target| target.content = "a\rc\r".into()),
        (Checks { recomputed_hash_matches: false, ..text }, |target| target.content.push('x')),
        (Checks { recomputed_hash_matches: false, ..text }, |target| target.content.clear()),
        (Checks { stored_hash_matches: false, ..ALL }, |target| other_digit(&mut target.current_hash)),
        (Checks { stored_hash_matches: false, ..ALL }, |target| target.current_hash.insert(0, ' ')),
        (Checks { version_matches: false, ..ALL }, |target| target.version += 1),
        (
            Checks { version_matches: false, stored_hash_matches: false, recomputed_hash_matches: false, ..text },
            |target| *target = Target { content: "b".into(), current_hash: Sha256Hex::of("b").to_string(), version: 0 },
        ),
    ];
    for (expected, corrupt) in rows {
        let mut corrupted = history.clone();
        corrupt(&mut corrupted.target);
        assert_eq!(corrupted.checks(), Ok(expected), "{:?}", corrupted.target);
        assert!(!expected.all());
    }
    for content_matches in [true, false] {
        for stored_hash_matches in [true, false] {
            for recomputed_hash_matches in [true, false] {
                for version_matches in [true, false] {
                    let checks =
                        Checks { content_matches, stored_hash_matches, recomputed_hash_matches, version_matches };
                    assert_eq!(checks.all(), checks == ALL, "P-135");
                }
            }
        }
    }
}

/// P-138, P-125: a row that breaks leaves what was made so far.
#[test]
fn a_broken_row_changes_nothing() {
    let history = random(3, 4);
    let mut corrupted = history.clone();
    other_digit(&mut corrupted.rows[2].after_hash);
    let mut short = history.clone();
    short.rows.truncate(2);
    let mut replay = short.replay().expect("two rows hold");
    let (text, version) = (replay.text().clone(), replay.version());
    replay.step(&corrupted.rows[2].row()).expect_err("it is corrupt");
    assert_eq!((replay.text(), replay.version(), replay.applied()), (&text, version, 2));
    replay.step(&history.rows[2].row()).expect("the row as it was");
}
