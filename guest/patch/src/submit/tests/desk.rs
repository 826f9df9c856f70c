//! A target and its rows in memory, as the caller of a decision keeps them.

use crate::{
    Protocol,
    json::{self, Value},
    submit::{Acceptance, Keyed, Locked, Parent, Rejection, Row, Submission, Verdict, judge, sought_key},
    text::Canonical,
};

/// The target.
pub(super) const ID: &str = "3f0d5c9a-6f3b-4b62-9d0e-7a1c2e4b5d60";

pub(super) struct Desk {
    pub(super) target: Locked,
    pub(super) rows: Vec<Stored>,
}

pub(super) struct Stored {
    pub(super) id: String,
    pub(super) row: Row,
    pub(super) is_rejected: bool,
}

/// A target of version 3.
pub(super) fn target(text: &str) -> Locked {
    let text = Canonical::of(text);
    Locked { id: ID.to_owned(), version: 3, current_hash: text.sha256().to_string(), text, endings: None }
}

/// A request about it with these members.
pub(super) fn request(members: &str) -> Value {
    json::read(&format!(r#"{{"target_file_id":"{ID}",{members}}}"#))
        .unwrap_or_else(|fault| panic!("{fault}: {members}"))
}

/// One that names no key and no parent.
pub(super) fn decide(target: &Locked, protocol: Protocol, request: &Value) -> Verdict {
    judge(target, &Submission { observed: None, bundle: None, protocol, request, keyed: None, parent: Parent::None })
}

pub(super) fn rejected(verdict: Verdict) -> Box<Rejection> {
    match verdict {
        Verdict::Rejected(rejection) => rejection,
        other => panic!("not rejected: {other:?}"),
    }
}

pub(super) fn accepted(verdict: Verdict) -> Box<Acceptance> {
    match verdict {
        Verdict::Accepted(acceptance) => acceptance,
        other => panic!("not accepted: {other:?}"),
    }
}

pub(super) fn recovered(verdict: Verdict) -> String {
    match verdict {
        Verdict::Recovered(id) => id,
        other => panic!("not recovered: {other:?}"),
    }
}

/// The value at a JSON pointer without escapes.
pub(super) fn at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(value, |value, step| match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

/// The JSON of what is at a pointer; empty where nothing is.
pub(super) fn json_at(value: &Value, pointer: &str) -> String {
    at(value, pointer).map(Value::ascii).unwrap_or_default()
}

impl Desk {
    pub(super) fn of(text: &str) -> Self {
        Self { target: target(text), rows: Vec::new() }
    }

    /// Looks up, decides and stores.
    pub(super) fn submit(&mut self, protocol: Protocol, request: &Value) -> Verdict {
        let keyed = sought_key(request).and_then(|key| self.keyed(key));
        let parent = self.parent(request.get("parent_pdcp_log_id"));
        let verdict =
            judge(&self.target, &Submission { observed: None, bundle: None, protocol, request, keyed, parent });
        match &verdict {
            Verdict::Recovered(_) => {}
            Verdict::Rejected(rejection) => self.store(rejection.row.clone(), true),
            Verdict::Accepted(acceptance) => {
                self.store(acceptance.row.clone(), false);
                self.target.text = acceptance.state.text.clone();
                self.target.version = acceptance.state.version;
                self.target.current_hash = acceptance.state.current_hash.to_string();
            }
        }
        verdict
    }

    /// A row that is there since before.
    pub(super) fn store(&mut self, row: Row, is_rejected: bool) {
        let key = row.client_request_id.as_deref();
        assert!(key.is_none_or(|key| self.keyed(key).is_none()), "P-115: two rows have one key");
        let id = format!("0000000{}-0000-4000-8000-00000000abcd", self.rows.len());
        self.rows.push(Stored { id, row, is_rejected });
    }

    fn keyed(&self, key: &str) -> Option<Keyed> {
        let stored = self.rows.iter().find(|stored| stored.row.client_request_id.as_deref() == Some(key))?;
        let request_fingerprint = stored.row.request_fingerprint.to_string();
        Some(Keyed { pdcp_log_id: stored.id.clone(), request_fingerprint })
    }

    fn parent(&self, given: Option<&Value>) -> Parent {
        let Some(given) = given.filter(|given| !given.is_null()) else { return Parent::None };
        let id = given.as_str().unwrap_or_default().to_lowercase();
        let stored = self.rows.iter().find(|stored| stored.id == id && stored.is_rejected);
        stored.map_or(Parent::Unfit, |stored| Parent::Rejected(stored.id.clone()))
    }
}
