//! The component's tools on the operator's documents, asked as an agent asks them, with room for a whole text.

use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use assay_envelope::Refusal;
use serde_json::Value;

use crate::{
    budget::{Budget, Rates},
    caller::{Caller, Credential},
    cli::{Failed, call, editing::Ground},
    editing::Editing,
    engine::{Engine, Parts},
    origin::Origin,
};

/// Bytes of an answer: a text of the greatest size, with each of its characters escaped, has less.
const ROOM: u32 = 16 << 20;

/// Documents, and the tools on them.
pub(super) struct Asked {
    pub(super) editing: Arc<Editing>,
    engine: Engine,
    caller: Arc<Caller>,
}

/// What a tool answered: its own words, and what they say.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
}

impl Asked {
    /// On what is there already.
    pub(super) async fn of(ground: &Ground) -> Result<Self, Failed> {
        Self::on(ground.found().await?)
    }

    pub(super) fn on(editing: Arc<Editing>) -> Result<Self, Failed> {
        // Whoever edits stored texts needs no forge.
        let parts = Parts::new(Arc::new(Origin::nowhere()), Arc::new(Budget::new(Rates::default())));
        let engine = Engine::new(Parts { editing: Some(Arc::clone(&editing)), ..parts });
        let engine = engine.map_err(|error| Failed::Fault(error.context("the components cannot be loaded")))?;
        Ok(Self { editing, engine, caller: Arc::new(Caller::new(Credential::anonymous())) })
    }

    /// What a tool says, whatever it says.
    pub(super) async fn ask(&self, tool: &str, arguments: &Value) -> Result<Answer, Failed> {
        let called = self.engine.call(Arc::clone(&self.caller), tool, arguments.to_string(), ROOM).await;
        let text = called.map_err(|failure| call::failed(tool, failure))?;
        let value = serde_json::from_str(&text).context("the tool's answer is no JSON").map_err(Failed::Fault)?;
        Ok(Answer { text, value })
    }

    /// The same, where all but `ok` and `success` ends the command.
    pub(super) async fn told(&self, tool: &str, arguments: &Value) -> Result<Answer, Failed> {
        let answer = self.ask(tool, arguments).await?;
        match text(&answer.value, "status") {
            "ok" | "success" => Ok(answer),
            status => Err(refused(status, &answer.value)),
        }
    }
}

/// What a tool answered instead.
pub(super) fn refused(status: &str, answer: &Value) -> Failed {
    let reason = ["reason", "failure_reason"].into_iter().map(|name| text(answer, name)).find(|text| !text.is_empty());
    let code = reason.unwrap_or(status).to_owned();
    if code.is_empty() {
        return Failed::Fault(anyhow!("the tool's answer has no status"));
    }
    Failed::Refused(Refusal::new(code, text(answer, "detail")))
}

/// A member that is a text; nothing of one where it is none.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A member that counts.
pub(super) fn number(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}

/// The members of an array.
pub(super) fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
