//! Random transactions that apply, beside the plainest model of what they do: a list of code points.
//!
//! The model knows nothing of the applier, so the two are compared where a history is made.

use std::collections::BTreeSet;

use crate::{
    IdGrammar, Profile, Protocol,
    json::{self, Value},
    text::Canonical,
};

/// The same rolls for the same seed, in every run (splitmix64).
pub(super) struct Dice(pub(super) u64);

/// What texts are made of: few letters, so that they overlap and repeat, and code points of every length.
const PIECES: [&str; 10] = ["a", "a", "aa", "b", "ab", "\n", "é", "→ ", "🧪", "e\u{301}"];
/// The line ends that a request may have for one.
const LINE_ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

impl Dice {
    /// Below `sides`, which is not zero.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ mixed >> 31) % sides as u64).unwrap()
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }

    /// Once in `times`.
    pub(super) fn is_hit(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    /// A text of up to so many pieces.
    pub(super) fn text(&mut self, pieces: usize) -> String {
        (0..self.roll(pieces + 1)).map(|_| self.pick(&PIECES)).collect()
    }

    /// As a request may spell it: all line ends alike, and not all of them LF.
    pub(super) fn spelled(&mut self, text: &str) -> String {
        text.replace('\n', self.pick(&LINE_ENDS))
    }
}

/// The members of a record of `profile` that applies to `buffer`, beside what tells whose it is; and `buffer` as it leaves it.
pub(super) fn transaction(dice: &mut Dice, profile: &Profile, buffer: &mut Vec<char>) -> Vec<(&'static str, Value)> {
    let mut members = vec![("intent", dice.pick(&["mend", " x\n", "zweck – é"]).into())];
    let mut ids = BTreeSet::new();
    if profile.protocol == Protocol::Tx3 {
        let text = dice.text(30);
        members.push(("replacement", dice.spelled(&text).into()));
        members.extend(describing(dice, profile, 1, &mut ids));
        *buffer = text.chars().collect();
        return members;
    }
    let mut operations = Vec::new();
    for at in 1..=1 + dice.roll(4) {
        let is_span = profile.protocol == Protocol::Tx2 && (buffer.is_empty() || dice.is_hit(2));
        if buffer.is_empty() && !is_span {
            break;
        }
        let mut operation = if is_span { span(dice, profile, buffer) } else { matched(dice, profile, buffer) };
        if profile.protocol == Protocol::Tx2 {
            operation.push(("op", if is_span { "span" } else { "match" }.into()));
        }
        operation.extend(describing(dice, profile, at, &mut ids));
        operations.push(json::object(operation));
    }
    let name = if profile.protocol == Protocol::Tx1 { "edits" } else { "operations" };
    members.push((name, Value::Array(operations)));
    members
}

/// A span of the buffer with what is there, replaced.
fn span(dice: &mut Dice, profile: &Profile, buffer: &mut Vec<char>) -> Vec<(&'static str, Value)> {
    let start = dice.roll(buffer.len() + 1);
    let end = start + dice.roll((buffer.len() - start).min(5) + 1);
    let mut members = vec![
        ("start", Value::from(start)),
        ("end", end.into()),
        ("expected_text", spelled_part(dice, &buffer[start..end])),
    ];
    if profile.span_context {
        members.extend(beside(dice, buffer, start, end, ["expected_before", "expected_after"]));
    } else if dice.is_hit(4) {
        members.push(("expected_before", Value::Null));
    }
    members.push(("replace", replace(dice, buffer, start, end)));
    members
}

/// An occurrence of some text of the buffer, told from the others by the profile's rules, replaced.
fn matched(dice: &mut Dice, profile: &Profile, buffer: &mut Vec<char>) -> Vec<(&'static str, Value)> {
    let from = dice.roll(buffer.len());
    let needle = buffer[from..(from + 1 + dice.roll(4)).min(buffer.len())].to_vec();
    let found = occurrences(buffer, &needle, profile.overlapping);
    let index = dice.roll(found.len());
    let (start, end) = (found[index], found[index] + needle.len());
    let mut members = vec![("match", spelled_part(dice, &needle))];
    let is_only = found.len() == 1;
    if !is_only || dice.is_hit(3) {
        members.push(("occurrence_index", Value::from(index + 1)));
        members.extend(beside(dice, buffer, start, end, ["anchor_before", "anchor_after"]));
    }
    if is_only && !profile.enforces_selectors && dice.is_hit(2) {
        // P-127, PG-08: nobody asked them of the only occurrence.
        members.retain(|(key, _)| *key == "match");
        members.extend([("occurrence_index", Value::from(7_u64)), ("anchor_before", "not there".into())]);
    }
    members.push(("replace", replace(dice, buffer, start, end)));
    members
}

/// Where `needle` is, by looking at every place.
fn occurrences(buffer: &[char], needle: &[char], overlapping: bool) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for start in 0..buffer.len() {
        let is_free = overlapping || found.last().is_none_or(|last| last + needle.len() <= start);
        if is_free && buffer[start..].starts_with(needle) {
            found.push(start);
        }
    }
    found
}

/// What is directly beside a place, some of it, on one side or on both.
fn beside(
    dice: &mut Dice,
    buffer: &[char],
    start: usize,
    end: usize,
    [before, after]: [&'static str; 2],
) -> Vec<(&'static str, Value)> {
    let (first, last) = (start - dice.roll(start.min(3) + 1), end + dice.roll((buffer.len() - end).min(3) + 1));
    let sides = [(before, &buffer[first..start]), (after, &buffer[end..last])];
    let told = sides.into_iter().filter(|(_, part)| !part.is_empty());
    told.map(|(key, part)| (key, spelled_part(dice, part))).collect()
}

/// Puts some text there.
fn replace(dice: &mut Dice, buffer: &mut Vec<char>, start: usize, end: usize) -> Value {
    let same: String = buffer[start..end].iter().collect();
    let given = if dice.is_hit(5) { same } else { dice.text(4) };
    let given = dice.spelled(&given);
    buffer.splice(start..end, Canonical::of(given.as_str()).as_str().chars());
    given.into()
}

fn spelled_part(dice: &mut Dice, part: &[char]) -> Value {
    let text: String = part.iter().collect();
    dice.spelled(&text).into()
}

/// The members that say nothing of the text, where there are some.
fn describing(dice: &mut Dice, profile: &Profile, at: usize, ids: &mut BTreeSet<String>) -> Vec<(&'static str, Value)> {
    let mut members = Vec::new();
    if dice.is_hit(2) {
        let id = match profile.change_ids {
            IdGrammar::Strict => format!("{}:{at}", dice.pick(&["a", "chg_002", "A.b-c", "x_"])),
            IdGrammar::Historical => {
                format!("{}{at}", dice.pick(&[" ", "a b\n", "änderung", "\u{1}\t", "🧪\r\n", "\""]))
            }
        };
        ids.insert(id.clone()).then_some(()).unwrap();
        members.push(("change_id", id.into()));
    }
    if dice.is_hit(4) {
        members.push(("rationale", dice.pick(&[Some("because"), None]).into()));
    }
    if dice.is_hit(4) {
        members.push(("risk", dice.pick(&["low", "medium", "high"]).into()));
    }
    members
}
