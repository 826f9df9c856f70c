//! What a client sends with a write: bounded, read only once it is known who asks, and JSON or nothing.
//!
//! A form that a page of another site could send without asking is not taken. What a body must hold is the answers'
//! matter; how Go words what is wrong with one is here, as far as its reader and ours see the same fault.

use std::{error::Error as StdError, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

use crate::{
    Error,
    git::run::Failure,
    wire::answer::{Answer, Wording},
};

/// The largest body, in bytes.
pub(crate) const MAX_BODY: usize = 16 << 20;
/// How long a client may take to send one.
const PATIENCE: Duration = Duration::from_secs(60);
/// How much is said of what is wrong with one, in characters.
const MAX_COMPLAINT: usize = 200;

/// A write that was asked for by an account.
pub(crate) struct Sent<'a> {
    /// Who asks.
    pub(crate) login: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: Bytes,
}

/// Why a write is not done.
pub(crate) enum Stop {
    /// The client is told why.
    Refused(Box<Answer>),
    /// The log is told why.
    Failed(Error),
}

/// A body that is none.
pub(crate) enum Unread {
    TooLarge,
    /// It broke off, or did not come in time.
    Broken,
}

impl From<Answer> for Stop {
    fn from(answer: Answer) -> Self {
        Self::Refused(Box::new(answer))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Failure::from(error).into()
    }
}

/// Reads a body to its end, but never more than [`MAX_BODY`].
pub(crate) async fn read<B>(body: B) -> Result<Bytes, Unread>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn StdError + Send + Sync>>,
{
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(Unread::TooLarge);
    }
    match timeout(PATIENCE, Limited::new(body, MAX_BODY).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(e)) if e.is::<LengthLimitError>() => Err(Unread::TooLarge),
        Ok(Err(_)) | Err(_) => Err(Unread::Broken),
    }
}

impl Sent<'_> {
    /// What was sent, or 422. Members that are not asked for are passed over; nothing at all is an object without members.
    pub(crate) fn json<T: DeserializeOwned>(&self, wording: &Wording) -> Result<T, Stop> {
        let kind = self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        parse(kind, &self.body).map_err(|complaint| unprocessable(wording, &format!("[]: {complaint}")))
    }
}

/// 422 in these words.
pub(crate) fn unprocessable(wording: &Wording, message: &str) -> Stop {
    wording.refused(StatusCode::UNPROCESSABLE_ENTITY, message).into()
}

/// 422 where a member is missing or says nothing, under the name that Go has for it.
pub(crate) fn required(value: Option<String>, name: &str, wording: &Wording) -> Result<String, Stop> {
    value.filter(|text| !text.is_empty()).ok_or_else(|| unprocessable(wording, &format!("[{name}]: Required")))
}

fn parse<T: DeserializeOwned>(kind: &str, body: &[u8]) -> Result<T, String> {
    if !kind.contains("json") {
        return Err(if kind.is_empty() { "Empty Content-Type" } else { "Unsupported Content-Type" }.to_owned());
    }
    let value = if body.trim_ascii().is_empty() {
        Value::Object(serde_json::Map::new())
    } else {
        serde_json::from_slice(body).map_err(|e| syntax(body, &e))?
    };
    // A list of the members in their order would otherwise pass for the object.
    let value = match value {
        Value::Object(_) => value,
        Value::Null => Value::Object(serde_json::Map::new()),
        other => return Err(format!("json: cannot unmarshal {} into Go value", kind_of(&other))),
    };
    T::deserialize(value).map_err(|e| {
        let said: String = e.to_string().chars().take(MAX_COMPLAINT).collect();
        format!("json: cannot unmarshal into Go struct: {said}")
    })
}

/// Go names the first byte that it cannot take.
fn syntax(body: &[u8], error: &serde_json::Error) -> String {
    if error.is_eof() {
        return "unexpected EOF".to_owned();
    }
    let line = body.split(|&b| b == b'\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let odd = line.get(error.column().saturating_sub(1)).copied().unwrap_or(b' ');
    format!("invalid character '{}' looking for beginning of value", char::from(odd).escape_default())
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Null | Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Form {
        title: Option<String>,
        number: Option<u64>,
    }

    fn form(body: &str) -> Result<Form, String> {
        parse("application/json; charset=utf-8", body.as_bytes())
    }

    #[test]
    fn what_is_no_object_of_these_members_is_refused() {
        assert_eq!(form(r#"{"title":"a","else":[1]}"#), Ok(Form { title: Some("a".into()), number: None }));
        for nothing in ["", " \n", "null", "{}", r#"{"title":null}"#] {
            assert_eq!(form(nothing), Ok(Form::default()), "{nothing}");
        }
        // Recording 200.
        assert_eq!(form("{bad"), Err("invalid character 'b' looking for beginning of value".into()));
        assert_eq!(form(r#"{"title":"#), Err("unexpected EOF".into()));
        let deep = "[".repeat(100_000);
        for wrong in [
            r#"["a",1]"#,
            "7",
            r#""title""#,
            r#"{"title":7}"#,
            r#"{"number":-1}"#,
            r#"{"number":1e400}"#,
            r#"{"number":99999999999999999999}"#,
            r#"{"title":"\ud800"}"#,
            r#"{"title":"a"}{"#,
            &deep,
        ] {
            assert!(form(wrong).is_err(), "{}", &wrong[..wrong.len().min(40)]);
        }
        let said = form(&format!(r#"{{"number":"{}"}}"#, "x".repeat(10_000))).expect_err("it is no number");
        assert!(said.len() < 400, "{said}");
    }

    #[tokio::test]
    async fn no_more_is_read_than_may_be() {
        let pieces = |count: usize| {
            let piece = || Ok::<_, std::io::Error>(http_body::Frame::data(Bytes::from(vec![b' '; 1 << 20])));
            http_body_util::StreamBody::new(futures_util::stream::iter((0..count).map(move |_| piece())))
        };
        assert!(matches!(read(pieces(16)).await, Ok(body) if body.len() == MAX_BODY));
        assert!(matches!(read(pieces(17)).await, Err(Unread::TooLarge)));
        let broken = futures_util::stream::iter([Err::<http_body::Frame<Bytes>, _>(std::io::Error::other("gone"))]);
        assert!(matches!(read(http_body_util::StreamBody::new(broken)).await, Err(Unread::Broken)));
    }

    /// What a page of another site may send without asking first.
    #[test]
    fn a_form_of_a_page_is_not_taken() {
        for kind in ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
            assert!(parse::<Form>(kind, b"{}").is_err(), "{kind}");
        }
    }
}
