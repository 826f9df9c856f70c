//! Random histories, made by what decides and applies today, replayed.

use std::collections::BTreeMap;

use super::{
    history::{History, ID},
    model::{Dice, transaction},
};
use crate::{
    Profile, Protocol,
    apply::{Extras, apply},
    json::{self, Value},
    record::Transaction,
    submit::{Locked, Parent, Submission, Verdict, judge},
    text::Canonical,
};

/// A history of some transactions under any of the profiles of one target.
pub(super) fn random(seed: u64, transactions: usize) -> History {
    let mut dice = Dice(seed);
    let text = dice.text(40);
    let mut buffer: Vec<char> = text.chars().collect();
    let first_version = dice.pick(&[0, 0, 1, 7]);
    let mut history = History::of(&dice.spelled(&text), first_version);
    for _ in 0..transactions {
        step(&mut dice, &mut history, &mut buffer);
    }
    history
}

fn step(dice: &mut Dice, history: &mut History, buffer: &mut Vec<char>) {
    let profiles = Profile::ALL.map(|profile| (profile.protocol != Protocol::ObservedBatch1).then_some(profile));
    let profiles: Vec<Profile> = profiles.into_iter().flatten().collect();
    let mut profile = dice.pick(&profiles);
    if buffer.is_empty() && profile.protocol == Protocol::Tx1 {
        profile = Profile::current(Protocol::Tx3, false);
    }
    let mut members = transaction(dice, &profile, buffer);
    let after: String = buffer.iter().collect();
    members.push(("target_file_id", ID.into()));
    if dice.is_hit(2) {
        members.push(("expected_target_version", history.target.version.into()));
    } else {
        members.push(("expected_current_hash", history.target.current_hash.as_str().into()));
    }
    if profile.enforces_selectors {
        decided(history, &profile, &json::object(members), &after);
    } else {
        applied(history, &profile, &json::object(members), &after);
    }
}

/// By the rules of today.
fn decided(history: &mut History, profile: &Profile, request: &Value, after: &str) {
    let target = Locked {
        id: ID.to_owned(),
        version: history.target.version,
        current_hash: history.target.current_hash.clone(),
        text: Canonical::of(history.target.content.as_str()),
        endings: None,
    };
    let submission = Submission {
        protocol: profile.protocol,
        request,
        keyed: None,
        parent: Parent::None,
        observed: None,
        bundle: None,
    };
    let Verdict::Accepted(acceptance) = judge(&target, &submission) else {
        panic!("{:?} does not take {}", target.text, request.ascii());
    };
    assert_eq!(acceptance.state.text.as_str(), after, "{}", request.ascii());
    assert_eq!(acceptance.state.current_hash.as_str(), crate::Sha256Hex::of(after).as_str());
    // Which of the two it is of is a matter of what it says (P-051).
    assert_eq!(acceptance.row.profile.protocol, profile.protocol);
    history.push(&acceptance.row.profile, &acceptance.row.pdcp_content, after);
}

/// By the rules of before, which nothing is submitted under any more.
fn applied(history: &mut History, profile: &Profile, record: &Value, after: &str) {
    let content = record.canonical().unwrap();
    let transaction = Transaction::read(record, profile).unwrap_or_else(|invalid| panic!("{invalid}: {content}"));
    let text = Canonical::of(history.target.content.as_str());
    let applied = apply(&text, &transaction, profile, Extras::default());
    let applied = applied.unwrap_or_else(|failure| panic!("{}: {content} on {text:?}", failure.detail));
    assert_eq!(applied.text.as_str(), after, "{content}");
    history.push(profile, &content, after);
}

/// P-126, P-127, P-129, P-131, P-133, P-134, P-135, P-021, P-024: 1,000 histories of all formats and profiles, mixed, replay to
/// the stored bytes, and to each text between.
#[test]
fn random_histories_replay_to_the_stored_bytes() {
    let mut runtimes = BTreeMap::new();
    for seed in 0..1_000 {
        let history = random(seed, 1 + usize::try_from(seed % 9).unwrap());
        let replay = history.replay().unwrap_or_else(|broken| panic!("{seed}: {broken:?}"));
        assert_eq!(replay.text().as_str(), history.target.content, "{seed}");
        assert_eq!(replay.version(), history.target.version);
        assert_eq!(replay.applied(), history.rows.len() as u64);
        assert!(history.checks().is_ok_and(|checks| checks.all()));
        for row in &history.rows {
            *runtimes.entry(row.runtime_version.clone().unwrap_or_default()).or_insert(0) += 1;
        }
    }
    assert_eq!(runtimes.len(), 7, "{runtimes:?}");
    assert!(runtimes.values().all(|count| *count > 200), "{runtimes:?}");
}
