//! `patchdiff-observed-batch/1`: operations within observed scopes of one target (P-142 to P-146, PG-28).

use std::collections::BTreeSet;

use super::{Invalid, Operation, envelope, members::Members, operations::read_list, selectors::Changes};
use crate::{
    Profile, Reason, Sha256Hex,
    json::{self, Value},
    scopes::disjoint,
    text::Span,
};

/// The most scopes of one batch; as many as can be observed at once.
const MAX_GROUPS: usize = 16;
/// The most characters of an id that the editor gives out.
const MAX_ID: usize = 64;

/// What is to be done in which scopes, all of it or nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// What it is for.
    pub intent: String,
    /// In the order they were given, without one place twice.
    pub groups: Vec<Group>,
}

/// What is to be done in one scope. Its offsets are the scope's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Where it is.
    pub scope: ObservedScope,
    /// What must be there.
    pub expected_sha256: Sha256Hex,
    /// At least one.
    pub operations: Vec<Operation>,
}

/// A scope as it was observed. A record keeps it, so that no parser is asked again (P-126, P-142).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedScope {
    /// The id that it was given out under.
    pub scope_id: String,
    /// Where it is in the text of the batch's beginning.
    pub span: Span,
    /// Of its text.
    pub sha256: Sha256Hex,
}

/// The ids that a request names: its snapshot's, and its scopes'. They are looked up before anything is decided; what is
/// no id is left out, and refused in its turn.
#[must_use]
pub fn named(request: &Value) -> (Option<&str>, Vec<&str>) {
    let is_id = |id: &&str| (1..=MAX_ID).contains(&id.len()) && id.is_ascii();
    let snapshot = request.get("snapshot_id").and_then(Value::as_str).filter(is_id);
    let groups = request.get("groups").and_then(Value::as_array).unwrap_or_default();
    let scopes = groups.iter().filter_map(|group| group.get("scope_id")?.as_str()).filter(is_id);
    (snapshot, scopes.take(MAX_GROUPS + 1).collect())
}

/// The scopes as a record has them.
#[must_use]
pub fn scopes_value(scopes: &[ObservedScope]) -> Value {
    let scopes = scopes.iter().map(|scope| {
        json::object([
            ("scope_id", scope.scope_id.as_str().into()),
            ("start", scope.span.start.into()),
            ("end", scope.span.end.into()),
            ("sha256", scope.sha256.as_str().into()),
        ])
    });
    Value::Array(scopes.collect())
}

impl Batch {
    /// Reads a submission, given the scopes that were found under its ids.
    ///
    /// # Errors
    /// [`Invalid`] with the first thing that is wrong.
    pub fn read(request: &Value, scopes: &[ObservedScope], profile: &Profile) -> Result<Self, Invalid> {
        Self::read_groups(request, &[], scopes, profile)
    }

    /// Reads a stored record, which has its scopes.
    ///
    /// # Errors
    /// [`Invalid`] where it is no such record.
    pub fn read_record(record: &Value, profile: &Profile) -> Result<Self, Invalid> {
        let scopes = record.get("scopes").and_then(Value::as_array).unwrap_or_default();
        let scopes: Result<Vec<_>, _> = scopes.iter().map(ObservedScope::read).collect();
        Self::read_groups(record, &["scopes"], &scopes?, profile)
    }

    fn read_groups(
        request: &Value,
        more: &[&str],
        scopes: &[ObservedScope],
        profile: &Profile,
    ) -> Result<Self, Invalid> {
        let own: Vec<&str> = ["snapshot_id", "groups"].into_iter().chain(more.iter().copied()).collect();
        let (members, intent) = envelope::open(request, &own, profile)?;
        members.filled("snapshot_id")?;
        let items = members.items("groups")?;
        if items.len() > MAX_GROUPS {
            return Err(members.wrong("groups", "an array of at most 16 items"));
        }
        let mut changes = Changes::new(profile);
        let mut groups = Vec::with_capacity(items.len());
        let mut met = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let name = format!("groups[{at}]");
            let members = Members::of_item(item, &name, &["scope_id", "expected_scope_sha256", "operations"])?;
            let scope_id = members.filled("scope_id")?;
            let expected_sha256 = Sha256Hex::from_hex(members.string("expected_scope_sha256")?)
                .ok_or_else(|| members.wrong("expected_scope_sha256", "64 hexadecimal digits in lower case"))?;
            let scope = scopes.iter().find(|scope| scope.scope_id == scope_id).ok_or_else(|| {
                let detail = format!("scope_id of {name} is none of this snapshot's observed scopes");
                Invalid::new(Reason::ScopeUnknown, detail)
            })?;
            if !met.insert(&scope.scope_id) {
                return Err(Invalid::manifest(format!(
                    "scope_id of {name} is that of an earlier group: each scope has one"
                )));
            }
            let first = changes.len();
            read_list(members.items("operations")?, &format!("{name}.operations"), profile, &mut changes)?;
            let operations = changes.from(first).to_vec();
            groups.push(Group { scope: scope.clone(), expected_sha256, operations });
        }
        let spans: Vec<Span> = groups.iter().map(|group| group.scope.span).collect();
        if !disjoint(&spans) {
            return Err(Invalid::manifest("two of the scopes overlap: a batch has none within or across another"));
        }
        Ok(Self { intent, groups })
    }
}

impl ObservedScope {
    fn read(value: &Value) -> Result<Self, Invalid> {
        let members = Members::of(value, "a scope", &["scope_id", "start", "end", "sha256"])?;
        let [start, end] = [members.offset("start")?, members.offset("end")?];
        let [start, end] = [start, end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        let span = Span { start, end };
        if span.start > span.end {
            return Err(members.wrong("end", "not before its start"));
        }
        let sha256 = Sha256Hex::from_hex(members.string("sha256")?);
        let sha256 = sha256.ok_or_else(|| members.wrong("sha256", "64 hexadecimal digits in lower case"))?;
        Ok(Self { scope_id: members.filled("scope_id")?.to_owned(), span, sha256 })
    }
}
