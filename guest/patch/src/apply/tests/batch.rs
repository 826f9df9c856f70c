//! Batches: groups on their own scopes, put back together, replayed without a parser (P-142 to P-146, PG-28, E-39).

use crate::{
    Profile, Protocol, Reason, Sha256Hex,
    apply::{Applied, Extras, Failure, WarningKind},
    json::{self, Value},
    record::{ObservedScope, Work, named, scopes_value},
    text::{Canonical, LineEndings, Positions, Source, Span},
};

const TEXT: &str = "# é one\nalpha\n\n# two\nbeta\n";

fn scope(text: &str, id: &str, start: usize, end: usize) -> ObservedScope {
    let span = Span { start, end };
    let slice = Positions::of(text).slice(span).unwrap_or_default();
    ObservedScope { scope_id: id.to_owned(), span, sha256: Sha256Hex::of(slice) }
}

fn group(scope: &ObservedScope, operations: Value) -> Value {
    json::object([
        ("scope_id", scope.scope_id.as_str().into()),
        ("expected_scope_sha256", scope.sha256.as_str().into()),
        ("operations", operations),
    ])
}

fn edit(from: &str, to: &str) -> Value {
    Value::Array(vec![json::object([("op", "match".into()), ("match", from.into()), ("replace", to.into())])])
}

fn request(groups: Vec<Value>) -> Value {
    json::object([("intent", "i".into()), ("snapshot_id", "s".into()), ("groups", Value::Array(groups))])
}

fn profile() -> Profile {
    Profile::current(Protocol::ObservedBatch1, false)
}

fn read(request: &Value, scopes: &[ObservedScope]) -> Result<Work, Reason> {
    Work::read(request, scopes, &profile()).map_err(|invalid| invalid.reason)
}

fn apply(work: &Work, endings: Option<LineEndings>) -> Result<Applied, Box<Failure>> {
    work.apply(&Canonical::of(TEXT), &profile(), Extras { endings, warnings: true })
}

/// P-023, P-142, P-144, E-39: both scopes change, in whatever order they are given, and nothing else does.
#[test]
fn groups_change_their_scopes_alone() {
    let (one, two) = (scope(TEXT, "one", 0, 14), scope(TEXT, "two", 15, 26));
    let scopes = [one.clone(), two.clone()];
    let groups = [group(&one, edit("alpha", "ALPHA, longer")), group(&two, edit("beta", "b"))];
    for order in [[0, 1], [1, 0]] {
        let groups = order.map(|at| groups[at].clone());
        let work = read(&request(groups.to_vec()), &scopes).expect("it is a batch");
        let applied = apply(&work, None).expect("it applies");
        assert_eq!(applied.text.as_str(), "# é one\nALPHA, longer\n\n# two\nb\n");
        let told: Vec<_> = applied.changes.iter().map(|change| (change.scope_id.as_deref(), change.span)).collect();
        let expected = [(Some("one"), Span { start: 8, end: 13 }), (Some("two"), Span { start: 6, end: 10 })];
        assert_eq!(told, order.map(|at| expected[at]));
        let ids: Vec<_> = work.operations().map(|operation| &*operation.change_id).collect();
        assert_eq!(ids, ["chg_001", "chg_002"], "counted through the batch");
    }
}

/// X-02: lines outside of the scopes keep their ends, and so do those within that stay.
#[test]
fn a_batch_keeps_line_ends() {
    let file = TEXT.replace("alpha\n", "alpha\r\n").replace("two\n", "two\r");
    let (text, source) = Source::read(file.as_bytes()).expect("it is text");
    assert_eq!(text.as_str(), TEXT);
    let two = scope(TEXT, "two", 15, 26);
    let work = read(&request(vec![group(&two, edit("beta", "b\nc"))]), &[two]).expect("it is a batch");
    let applied = apply(&work, Some(source.endings)).expect("it applies");
    let restored = applied.endings.expect("they were given").restore(&applied.text, false).expect("they fit");
    assert_eq!(String::from_utf8(restored).expect("text"), file.replace("beta", "b\nc"));
}

/// P-145: a scope with another text is a hash mismatch at its place, whichever of the two hashes says so.
#[test]
fn another_text_is_a_mismatch() {
    let two = scope(TEXT, "two", 15, 26);
    let other = ObservedScope { sha256: Sha256Hex::of("other"), ..two.clone() };
    let past = ObservedScope { span: Span { start: 15, end: 99 }, ..two.clone() };
    for (observed, expected) in [(&other, &two), (&two, &other), (&past, &two)] {
        let asked = ObservedScope { scope_id: "two".into(), ..expected.clone() };
        let work =
            read(&request(vec![group(&asked, edit("beta", "b"))]), std::slice::from_ref(observed)).expect("a batch");
        let failure = apply(&work, None).expect_err("it does not apply");
        assert_eq!((failure.reason, failure.failing.at), (Reason::TargetHashMismatch, Some(15)));
    }
}

/// P-022, P-142: one group that does not apply leaves all as it was; a scope's text is all that its operations see.
#[test]
fn a_batch_is_done_whole_or_not_at_all() {
    let (one, two) = (scope(TEXT, "one", 0, 14), scope(TEXT, "two", 15, 26));
    let groups = vec![group(&one, edit("alpha", "x")), group(&two, edit("alpha", "x"))];
    let work = read(&request(groups), &[one, two]).expect("a batch");
    let failure = apply(&work, None).expect_err("alpha is not in the second scope");
    assert_eq!((failure.reason, &*failure.buffer), (Reason::MatchAbsent, "# two\nbeta\n"));
}

/// PG-28: overlap, repetition, strangers and shapes.
#[test]
fn scopes_are_disjoint_known_and_named_once() {
    let (one, two) = (scope(TEXT, "one", 0, 14), scope(TEXT, "two", 15, 26));
    let (inner, nine) = (scope(TEXT, "inner", 8, 14), scope(TEXT, "nine", 0, 1));
    let scopes = [one.clone(), two.clone(), inner.clone()];
    let ok = |scope| group(scope, edit("a", "b"));
    for (groups, reason) in [
        (vec![ok(&one), ok(&inner)], Reason::ManifestInvalid),
        (vec![ok(&one), ok(&one)], Reason::ManifestInvalid),
        (vec![ok(&nine)], Reason::ScopeUnknown),
        (vec![], Reason::ManifestInvalid),
        (vec![ok(&one); 17], Reason::ManifestInvalid),
        (vec![group(&one, Value::Array(vec![]))], Reason::ManifestInvalid),
        (vec![json::object([])], Reason::ManifestInvalid),
    ] {
        assert_eq!(read(&request(groups.clone()), &scopes), Err(reason), "{groups:?}");
    }
    // A submission brings no places of its own.
    let mut with_places = request(vec![ok(&one)]);
    if let Value::Object(members) = &mut with_places {
        members.insert("scopes".into(), scopes_value(&scopes));
    }
    assert_eq!(read(&with_places, &scopes), Err(Reason::ManifestInvalid));
    assert_eq!(named(&request(vec![ok(&one), ok(&two)])), (Some("s"), vec!["one", "two"]));
    assert_eq!(named(&json::object([])), (None, vec![]));
}

/// P-126, P-141, P-142: a record has its scopes, and needs nothing else to be applied again.
#[test]
fn a_record_is_read_by_itself() {
    let two = scope(TEXT, "two", 15, 26);
    let mut record = request(vec![group(&two, edit("beta", "b"))]);
    let work = read(&record, std::slice::from_ref(&two)).expect("a batch");
    assert!(Work::read_record(&record, &profile()).is_err(), "without its scopes it is none");
    if let Value::Object(members) = &mut record {
        members.insert("scopes".into(), scopes_value(&[two]));
    }
    assert_eq!(Work::read_record(&record, &profile()).as_ref(), Ok(&work));
}

/// PG-17: what leaves the whole as it was is told once.
#[test]
fn a_batch_that_changes_nothing_is_accepted_with_a_warning() {
    let (one, two) = (scope(TEXT, "one", 0, 14), scope(TEXT, "two", 15, 26));
    let groups = vec![group(&one, edit("alpha", "alpha")), group(&two, edit("beta", "beta"))];
    let applied = apply(&read(&request(groups), &[one, two]).expect("a batch"), None).expect("it applies");
    let kinds: Vec<_> = applied.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::NoOpChange, WarningKind::NoOpChange, WarningKind::NoOpTransaction]);
}
