//! The applier beside the model, on random texts and operations.

use proptest::{prelude::*, sample::Index};

use super::{
    model::{Model, letters},
    *,
};

/// What an operation is made of, once the buffer is known.
#[derive(Clone, Debug)]
struct Seed {
    kind: u8,
    at: Index,
    length: usize,
    texts: [String; 4],
    index: Option<u64>,
    /// For what is before and behind: nothing, what is there, or anything.
    beside: [u8; 2],
}

fn any_text(most: usize) -> impl Strategy<Value = String> {
    let letter = prop_oneof![
        4 => Just("a"),
        3 => Just("b"),
        2 => Just("é"),
        2 => Just("\n"),
        1 => Just("\u{1f9ea}"),
        1 => Just("\u{301}"),
        1 => Just("\r\n"),
        1 => Just("\r"),
    ];
    prop::collection::vec(letter, 0..=most).prop_map(|letters| letters.concat())
}

fn seed() -> impl Strategy<Value = Seed> {
    let texts = [any_text(2), any_text(3), any_text(2), any_text(2)];
    let index = prop_oneof![3 => Just(None), 2 => (1_u64..5).prop_map(Some)];
    let beside = || prop_oneof![3 => Just(0_u8), 3 => Just(1_u8), 1 => Just(2_u8)];
    (0_u8..12, any::<Index>(), 0_usize..4, texts, index, [beside(), beside()])
        .prop_map(|(kind, at, length, texts, index, beside)| Seed { kind, at, length, texts, index, beside })
}

impl Seed {
    fn action(&self, buffer: &[char]) -> Action {
        let [found, replace, before, after] = self.texts.clone();
        let start = self.at.index(buffer.len() + 1);
        let end = (start + self.length).min(buffer.len());
        let slice = |start: usize, end: usize| buffer[start..end].iter().collect::<String>();
        let given = |how: u8, there: String, any: &str| match how {
            0 => None,
            1 => Some(there),
            _ => Some(any.to_owned()),
        };
        // No record has an empty one.
        let given = |how, there, any: &str| given(how, there, any).filter(|text| !text.is_empty());
        let before = given(self.beside[0], slice(start.saturating_sub(2), start), &before);
        let after = given(self.beside[1], slice(end, (end + 1).min(buffer.len())), &after);
        let there = slice(start, end);
        let selectors =
            |before, after| Selectors { occurrence_index: self.index, anchor_before: before, anchor_after: after };
        let filled = |text: String| if text.is_empty() { "a".to_owned() } else { text };
        match self.kind {
            0..=4 => Action::Match { text: filled(there), replace, selectors: selectors(before, after) },
            5 => Action::Match { text: filled(there.clone()), replace: there, selectors: selectors(before, after) },
            6 => Action::Match { text: filled(found), replace, selectors: selectors(before, after) },
            7..=9 => Action::Span { span: span_of(start, end), expected: there, replace, before, after },
            10 => Action::Span { span: span_of(start, start + self.length), expected: found, replace, before, after },
            _ => Action::ReplaceAll { replace: [&*found, &*replace].concat() },
        }
    }
}

/// The operations, each made for the buffer that it meets; the model where they end, and what stops it.
fn play(start: &str, seeds: &[Seed], profile: Profile) -> (Transaction, Model, Option<(Operation, model::Told)>) {
    let mut model = Model::new(start, profile);
    let mut whole = transaction(None);
    let mut stopped = None;
    for (number, seed) in (1..).zip(seeds) {
        let action = seed.action(&model.buffer());
        let change_id = format!("chg_{number:03}");
        let operation = Operation { change_id, rationale: None, risk: None, action };
        if stopped.is_none() {
            stopped = model.step(&operation).err().map(|told| (operation.clone(), told));
        }
        whole.operations.push(operation);
    }
    (whole, model, stopped)
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(Profile::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// P-020 to P-022, P-026, P-029, P-050, P-060, P-062, P-064, P-067, P-084, P-085, P-089, P-091, P-127, P-129, PG-08,
    /// PG-09, PG-17, PG-18: text, changes, warnings, or all that is told of a failure, are those of the model.
    #[test]
    fn the_applier_does_what_the_model_does(
        start in any_text(14),
        seeds in prop::collection::vec(seed(), 1..6),
        profile in any_profile(),
    ) {
        let (transaction, mut model, stopped) = play(&start, &seeds, profile);
        let canonical = Canonical::of(start.as_str());
        let result = apply(&canonical, &transaction, &profile, Extras { endings: None, warnings: true });
        match (result, stopped) {
            (Ok(applied), None) => {
                if model.is_unchanged() {
                    model.warnings.push(Warning { kind: WarningKind::NoOpTransaction, change_id: None });
                }
                prop_assert_eq!(applied.text.as_str(), model.text());
                prop_assert_eq!(applied.changes, model.changes);
                prop_assert_eq!(applied.warnings, model.warnings);
            }
            (Err(failure), Some((operation, told))) => {
                let (reason, failing) = *told;
                let Failure { detail, .. } = &*failure;
                prop_assert!(!detail.is_empty());
                let expected = Failure {
                    reason,
                    detail: detail.clone(),
                    change_id: operation.change_id,
                    prior_changes: model.changes.len(),
                    buffer: model.text(),
                    failing,
                };
                prop_assert_eq!(*failure, expected);
            }
            (result, stopped) => prop_assert!(false, "{:?} and {:?}", result, stopped),
        }
    }

    /// P-021, P-022, P-024, P-028: a transaction is its operations one after the other, and each leaves every byte outside
    /// its span as it is.
    #[test]
    fn a_transaction_is_its_operations(
        start in any_text(14),
        seeds in prop::collection::vec(seed(), 1..6),
        profile in any_profile(),
    ) {
        let (whole, _, _) = play(&start, &seeds, profile);
        let result = apply(&Canonical::of(start.as_str()), &whole, &profile, Extras::default());
        let mut text = Canonical::of(start.as_str());
        let mut changes = Vec::new();
        for operation in &whole.operations {
            let one = Transaction { intent: "one".into(), operations: vec![operation.clone()] };
            let Ok(step) = apply(&text, &one, &profile, Extras::default()) else {
                let failure = result.expect_err("one of its operations does not apply");
                prop_assert_eq!(failure.buffer, text.into_string());
                prop_assert_eq!((failure.prior_changes, failure.change_id), (changes.len(), operation.change_id.clone()));
                return Ok(());
            };
            let [change] = &step.changes[..] else { return Err(TestCaseError::fail("one change")) };
            let (old, new) = (letters(text.as_str()), letters(step.text.as_str()));
            let Span { start, end } = change.span;
            prop_assert_eq!(&new[..start], &old[..start]);
            prop_assert_eq!(&new[start + change.replacement_chars..], &old[end..]);
            changes.push(change.clone());
            text = step.text;
        }
        let applied = result.expect("all of its operations apply");
        prop_assert_eq!((applied.text, applied.changes), (text, changes));
    }

    /// P-028, P-052: what a match does, a span does that says where it was, and so does the whole new text.
    #[test]
    fn a_match_is_a_span_is_a_text(start in any_text(14), seeds in prop::collection::vec(seed(), 1..4)) {
        let profile = current();
        let canonical = Canonical::of(start.as_str());
        let (mut whole, model, _) = play(&start, &seeds, profile);
        whole.operations.truncate(model.changes.len());
        let mut before = Model::new(&start, profile);
        let mut spans = whole.clone();
        for (operation, change) in spans.operations.iter_mut().zip(&model.changes) {
            let replace = match &operation.action {
                Action::Match { replace, .. } | Action::Span { replace, .. } | Action::ReplaceAll { replace } => replace.clone(),
            };
            let expected = before.buffer()[change.span.start..change.span.end].iter().collect();
            before.step(operation).expect("it applied before");
            operation.action = Action::Span { span: change.span, expected, replace, before: None, after: None };
        }
        let new_text = transaction([Action::ReplaceAll { replace: model.text() }]);
        let [matches, spans, new_text] = [whole, spans, new_text]
            .map(|transaction| apply(&canonical, &transaction, &profile, Extras::default()).expect("it applies"));
        prop_assert_eq!(&matches.changes, &spans.changes);
        prop_assert_eq!(&matches.text, &spans.text);
        prop_assert_eq!(matches.text.sha256(), new_text.text.sha256());
    }
}
