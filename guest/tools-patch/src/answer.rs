//! Answers and the ways in which there is none: one JSON object, within its room, or a refusal.

use assay_envelope::{Refusal, escaped_len};
use assay_patch::json::{self, Value};

use crate::ports::{Fault, Refusal as WorkspaceRefusal};

/// A member and its value.
pub(crate) type Member = (&'static str, Value);

/// Why a call ends early.
pub(crate) enum Stop {
    /// The tool answers so: `status` says why, and there is nothing else (P-166, P-175).
    Status(&'static str, String, Vec<Member>),
    /// The call cannot be answered.
    Refused(Refusal),
}

impl Stop {
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::Status("invalid_argument", detail.into(), Vec::new())
    }

    /// Another's document is not found, like one that does not exist.
    pub(crate) fn not_found(what: &str) -> Self {
        Self::Status("not_found", format!("there is no {what} of that id"), Vec::new())
    }

    /// What the workspace refused. P-112: where the system failed, that says nothing about what was asked for.
    pub(crate) fn of_workspace(refusal: WorkspaceRefusal) -> Self {
        let WorkspaceRefusal { code, message } = refusal;
        let of_the_system = [
            "io_failed",
            "staged_corrupt",
            "workspace_missing",
            "workspace_not_a_directory",
            "workspace_not_accessible",
        ];
        if of_the_system.contains(&code.as_str()) {
            return Self::Refused(Refusal::new("storage_failed", format!("The workspace failed: {message}")));
        }
        Self::Status("rejected", message, vec![("failure_reason", code.into())])
    }

    /// The same with members that the tool always answers with.
    pub(crate) fn with(self, members: impl IntoIterator<Item = Member>) -> Self {
        match self {
            Self::Status(status, detail, own) => Self::Status(status, detail, own.into_iter().chain(members).collect()),
            refused @ Self::Refused(_) => refused,
        }
    }

    pub(crate) fn told(self, room: usize) -> Result<String, Refusal> {
        match self {
            Self::Refused(refusal) => Err(refusal),
            Self::Status(status, detail, members) => {
                let own = [("status", status.into()), ("detail", detail.as_str().into())];
                fitted(json::object(own.into_iter().chain(members)), room)
            }
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// P-112: the infrastructure's failure says nothing about what was asked for.
impl From<Fault> for Stop {
    fn from(Fault { message, unknown }: Fault) -> Self {
        let (code, sentence) = if unknown {
            (
                "outcome_unknown",
                "Whether it was kept is not known: read the document, or repeat the call with the same client_request_id.",
            )
        } else {
            ("storage_failed", "Nothing of this call was kept.")
        };
        Self::Refused(Refusal::new(code, format!("The database failed: {message}. {sentence}")))
    }
}

/// The answer's text, if it fits.
pub(crate) fn fitted(answer: Value, room: usize) -> Result<String, Refusal> {
    let text = spelled(&answer);
    if escaped_len(&text) <= room {
        return Ok(text);
    }
    Err(Refusal::new(
        "answer_too_large",
        "The answer does not fit into its bound and is never cut: ask for less of it, or use a shorter request id.",
    ))
}

/// Whether it would.
pub(crate) fn fits(answer: &Value, room: usize) -> bool {
    cost(answer) <= room
}

/// The bytes that a value takes of a room.
pub(crate) fn cost(value: &Value) -> usize {
    escaped_len(&spelled(value))
}

/// A value's one spelling; in ASCII where it has a text that no UTF-8 spells.
pub(crate) fn spelled(answer: &Value) -> String {
    answer.canonical().unwrap_or_else(|_| answer.ascii())
}

pub(crate) fn number(count: usize) -> Value {
    Value::from(count as u64)
}

/// JSON that was stored, as a value.
pub(crate) fn stored(json: Option<&str>) -> Value {
    json.and_then(|json| json::read(json).ok()).unwrap_or(Value::Null)
}
