//! One question to the forge's API, for commands that want to know something about the forge itself.

use serde_json::Value;

use crate::{
    caller::Caller,
    origin::{Answer, Fault, Origin},
};

/// Bytes of an answer that are read at the most.
const ANSWER_BYTES: usize = 4 << 20;

/// Bytes that are taken at once.
const READ_BYTES: u32 = 16 * 1024;

/// The wording by which a forge says that a scope is missing, before it looks for anything.
const MISSING_SCOPE: &str = "required scope";

/// What the forge answered.
#[derive(Debug)]
pub(crate) struct Probe {
    pub(crate) status: u16,
    /// The media type, in lower case and without parameters; empty where there is none.
    pub(crate) media_type: String,
    /// The forge's clock.
    pub(crate) date: Option<String>,
    /// The body, where it is JSON of a bounded size that came to its end.
    pub(crate) json: Option<Value>,
}

impl Probe {
    /// Asks and reads the answer.
    pub(crate) async fn ask(
        origin: &Origin,
        caller: &Caller,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Self, Fault> {
        let (mut probe, answer) = Self::start(origin, caller, path, query).await?;
        if probe.media_type == "application/json" {
            probe.json = body(answer).await;
        }
        Ok(probe)
    }

    /// Asks and leaves the body where it is.
    pub(crate) async fn head(
        origin: &Origin,
        caller: &Caller,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<Self, Fault> {
        Ok(Self::start(origin, caller, path, query).await?.0)
    }

    /// Whether the answer is that the token lacks a scope.
    pub(crate) fn lacks_scope(&self) -> bool {
        self.status == 403 && self.text("message").is_some_and(|message| message.contains(MISSING_SCOPE))
    }

    /// A member of the answer that is a text.
    pub(crate) fn text(&self, member: &str) -> Option<&str> {
        self.json.as_ref()?.get(member)?.as_str()
    }

    async fn start(
        origin: &Origin,
        caller: &Caller,
        path: &[&str],
        query: &[(&str, &str)],
    ) -> Result<(Self, Answer), Fault> {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = origin.get(caller, path, &query).await?;
        let headers = answer.headers();
        let field = |name: &str| {
            let value = headers.iter().find(|(own, _)| own == name).map(|(_, value)| value);
            value.and_then(|value| String::from_utf8(value.clone()).ok())
        };
        let media_type = field("content-type").unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Ok((Self { status: answer.status(), media_type, date: field("date"), json: None }, answer))
    }
}

async fn body(mut answer: Answer) -> Option<Value> {
    let mut body = Vec::new();
    loop {
        let bytes = answer.read(READ_BYTES).await.ok()?;
        if bytes.is_empty() {
            return serde_json::from_slice(&body).ok();
        }
        if body.len() + bytes.len() > ANSWER_BYTES {
            return None;
        }
        body.extend_from_slice(&bytes);
    }
}
