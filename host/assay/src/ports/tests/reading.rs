//! Settings, turns and pauses, through the port.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::poll;
use wasmtime::component::Resource;

use super::{
    super::{
        bindings::assay::ports::reading::{Encoding, Host as _, HostTurn as _, Proof, Source},
        reading::Turn,
    },
    call, parts,
};
use crate::{
    engine::Parts,
    reading::{self, Reading, Settings},
};

fn with(settings: Settings) -> Parts {
    Parts { reading: Arc::new(Reading::new(settings).expect("within the bounds")), ..parts() }
}

/// O-001, O-011, O-015, O-017, G-084: a component finds what the operator decided.
#[test]
fn settings_pass() {
    for (source, seen) in [
        (reading::Source::Auto, Source::Auto),
        (reading::Source::Evidence, Source::Evidence),
        (reading::Source::Observed, Source::Observed),
    ] {
        let settings = with(Settings { source, ..Settings::default() });
        assert_eq!(call(&settings).settings().expect("it runs").source, seen);
    }
    for (proof, seen) in [
        (reading::Proof::Preferred, Proof::Preferred),
        (reading::Proof::Required, Proof::Required),
        (reading::Proof::Off, Proof::Off),
    ] {
        let settings = with(Settings { proof, ..Settings::default() });
        assert_eq!(call(&settings).settings().expect("it runs").proof, seen);
    }
    for (encoding, seen) in [
        (reading::Encoding::Base64, Encoding::Base64),
        (reading::Encoding::Text, Encoding::Text),
        (reading::Encoding::Auto, Encoding::Auto),
    ] {
        let settings = with(Settings { encoding, ..Settings::default() });
        assert_eq!(call(&settings).settings().expect("it runs").encoding, seen);
    }
    let settings = with(Settings { proof_file_bytes: 100_000, result_bytes: 5_000, ..Settings::default() });
    let seen = call(&settings).settings().expect("it runs");
    assert_eq!((seen.proof_file_bytes, seen.result_bytes), (100_000, 5_000));
}

/// O-018: what one call has seen, all later calls of the process know.
#[test]
fn evidence_is_remembered() {
    let parts = parts();
    assert!(!call(&parts).saw_evidence().expect("it runs"));
    call(&parts).note_evidence().expect("it runs");
    assert!(call(&parts).saw_evidence().expect("it runs"));
    assert!(!call(&self::parts()).saw_evidence().expect("another process knows nothing of it"));
}

/// O-015: calls take their turns in the order in which they came, and give them back when they let go or end.
#[tokio::test]
async fn turns_come_back() {
    let parts = with(Settings { proof_concurrency: 1, ..Settings::default() });
    let (mut first, mut second, mut third) = (call(&parts), call(&parts), call(&parts));
    let turn = first.take_turn().await.expect("it runs");
    let mut fourth = call(&parts);
    {
        let (mut second, mut given_up) = (pin!(second.take_turn()), Box::pin(fourth.take_turn()));
        let mut third = pin!(third.take_turn());
        assert!(poll!(second.as_mut()).is_pending());
        assert!(poll!(given_up.as_mut()).is_pending());
        assert!(poll!(third.as_mut()).is_pending());
        first.drop(turn).expect("it was there");
        assert!(poll!(third.as_mut()).is_pending(), "the second came before it");
        second.await.expect("it runs");
        assert!(poll!(third.as_mut()).is_pending());
        drop(given_up);
    }
    let mut third = pin!(third.take_turn());
    assert!(poll!(third.as_mut()).is_pending());
    drop(second);
    third.await.expect("the call that held it has ended");
}

/// O-015: a call that takes a second turn shares its first, for it would wait for itself; it has one as long as it holds
/// either.
#[tokio::test]
async fn a_call_has_one_turn() {
    let parts = with(Settings { proof_concurrency: 1, ..Settings::default() });
    let (mut state, mut other) = (call(&parts), call(&parts));
    let (one, two) = (state.take_turn().await.expect("it runs"), state.take_turn().await.expect("it runs"));
    let mut waiting = pin!(other.take_turn());
    state.drop(one).expect("it was there");
    assert!(poll!(waiting.as_mut()).is_pending());
    state.drop(two).expect("it was there");
    waiting.await.expect("it is free");
    let mut again = pin!(state.take_turn());
    assert!(poll!(again.as_mut()).is_pending(), "it has none any more");
}

/// Every handle is looked up, and there is a bound to them.
#[tokio::test]
async fn turns_are_handles() {
    let mut state = call(&parts());
    assert!(state.drop(Resource::<Turn>::new_own(999)).is_err());
    let mut taken = 0;
    while state.take_turn().await.is_ok() {
        taken += 1;
        assert!(taken <= 128, "there is no bound");
    }
}

/// A pause has at most ten seconds, and all of one call's have a minute.
#[tokio::test]
async fn pauses_are_bounded() {
    let mut state = call(&parts());
    assert_eq!(state.pauses, Duration::from_secs(60));
    for (asked, left) in [(0, 60), (10_000, 50), (u32::MAX, 40), (2_000, 38), (9_000, 29)] {
        let ready = {
            let pause = pin!(state.pause(asked));
            poll!(pause).is_ready()
        };
        assert_eq!(ready, asked == 0);
        assert_eq!(state.pauses, Duration::from_secs(left));
    }
    state.pauses = Duration::from_millis(1);
    state.pause(10_000).await.expect("it runs");
    assert_eq!(state.pauses, Duration::ZERO);
    let pause = pin!(state.pause(10_000));
    assert!(poll!(pause).is_ready(), "there are none left");
}
