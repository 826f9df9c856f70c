//! Records that nobody means well: whatever is given is read or refused.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Values of every kind, under the names that records have.
fn any_value() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("intent"),
        Just("edits"),
        Just("operations"),
        Just("replacement"),
        Just("op"),
        Just("match"),
        Just("replace"),
        Just("start"),
        Just("end"),
        Just("expected_text"),
        Just("expected_before"),
        Just("occurrence_index"),
        Just("anchor_after"),
        Just("change_id"),
        Just("risk"),
        Just("format"),
        Just("stranger"),
    ];
    let text =
        prop_oneof![Just("span"), Just("match"), Just(""), Just("a"), Just("low"), Just("chg_002"), Just("\r\n")];
    let numbers = ["0", "1", "7", "-1", "1.5", "1e400", "18446744073709551616"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        text.prop_map(Value::from),
        prop::sample::select(numbers.to_vec()).prop_map(|number| json::read(number).unwrap_or(Value::Null)),
        Just(json::read(r#""\ud800""#).expect("it is JSON")),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..7).prop_map(json::object),
        ]
    })
}

/// A change that may well be one.
fn likely_change() -> impl Strategy<Value = Value> {
    let members = prop::collection::vec((0usize..8, any_value()), 0..2);
    (any::<bool>(), members).prop_map(|(is_span, more)| {
        let mut members = if is_span {
            vec![("op", "span".into()), ("start", 0_u64.into()), ("end", 1_u64.into()), ("expected_text", "a".into())]
        } else {
            vec![("op", "match".into()), ("match", "a".into())]
        };
        members.push(("replace", "b".into()));
        let names =
            ["change_id", "risk", "rationale", "occurrence_index", "start", "expected_before", "replace", "match"];
        members.extend(more.into_iter().filter_map(|(at, value)| Some((*names.get(at)?, value))));
        json::object(members)
    })
}

fn check(record: &Value) -> Result<(), TestCaseError> {
    for profile in &Profile::ALL {
        match Transaction::read(record, profile) {
            Ok(Transaction { intent, operations }) => {
                prop_assert!(!intent.trim().is_empty() && !operations.is_empty());
                let ids: BTreeSet<_> = operations.iter().map(|operation| &operation.change_id).collect();
                prop_assert_eq!(ids.len(), operations.len());
                for operation in &operations {
                    match &operation.action {
                        Action::Match { text, .. } => prop_assert!(!text.is_empty()),
                        Action::Span { span, before, after, .. } => {
                            prop_assert!(span.start <= span.end);
                            prop_assert!(profile.span_context || before.is_none() && after.is_none());
                        }
                        Action::ReplaceAll { .. } => prop_assert_eq!(operations.len(), 1),
                    }
                }
            }
            Err(invalid) => {
                let reasons = [
                    Reason::ManifestInvalid,
                    Reason::ManifestMissing,
                    Reason::BlockMalformed,
                    Reason::DisambiguationInvalid,
                ];
                prop_assert!(reasons.contains(&invalid.reason));
                prop_assert!(invalid.detail.len() < 500 && !invalid.detail.contains("stranger"));
            }
        }
        let _ = Transaction::profile_of(record, profile.protocol);
    }
    let read = identity(record);
    prop_assert_eq!(read.flaw, None, "no member of an identity is given");
    Ok(())
}

proptest! {
    /// P-025, P-033, P-041, P-043, P-066: whatever is given is read as data or refused, and what is read can be relied on.
    #[test]
    fn anything_is_read_or_refused(record in any_value()) {
        check(&record)?;
    }

    /// P-043, P-049, P-050: the same of what is nearly right.
    #[test]
    fn what_is_nearly_right_is_read_or_refused(changes in prop::collection::vec(likely_change(), 0..4)) {
        check(&json::object([("intent", "x".into()), ("operations", Value::Array(changes))]))?;
    }
}
