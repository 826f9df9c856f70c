//! The wire guard: bytes in, an accepted message or its JSON-RPC error.
//!
//! The SDK answers malformed input with a bare status or with silence; clients need a code, and the id where it can be
//! read (G-012, G-013, G-023, G-024, G-026). Both transports ask this guard before the SDK sees a byte, and what passes
//! here decodes there. What a well-formed message *means* is the SDK's business. The arguments of an editing tool alone go
//! past it, as they were sent: see [`crate::Sent`].

#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt};

use rmcp::model::{ClientJsonRpcMessage, GetExtensions as _, JsonRpcMessage, RequestId};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};

use crate::sent::{EDITING_TOOLS, Flaw, Sent};

/// Arrays and objects within each other, the message itself counted. Deep enough for any schema of ours, far from what
/// a recursive reader can take.
pub const DEPTH: usize = 64;

/// Bytes that an id may take in a message. It comes back in the response, whose size is bounded (D-064).
pub const ID_BYTES: usize = 32_768;

/// A message that is not accepted, and what its sender is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct WireError {
    code: i32,
    message: &'static str,
    id: Option<RequestId>,
}

impl WireError {
    const PARSE: i32 = -32700;
    const REQUEST: i32 = -32600;
    const PARAMS: i32 = -32602;

    /// The JSON-RPC code: -32700, -32600 or -32602.
    #[must_use]
    pub const fn code(&self) -> i32 {
        self.code
    }

    /// The error response, one JSON object in one line. The id is null where none could be read, as JSON-RPC 2.0 has
    /// it.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        error_json(self.code, self.message, self.id.as_ref())
    }

    /// What is said of a message that is longer than its transport takes.
    pub(crate) const fn too_long() -> Self {
        Self::request("Invalid Request: the message is too long", None)
    }

    pub(crate) const fn is_params(&self) -> bool {
        self.code == Self::PARAMS
    }

    /// The message was read, so it is told by its id.
    const fn of_flaw(flaw: Flaw, id: Option<RequestId>) -> Self {
        let message = match flaw {
            Flaw::TooDeep => "Parse error: nested too deep",
            Flaw::KeyTwice => "Parse error: an object in the arguments has a key twice",
            Flaw::NotFinite => "Parse error: a number in the arguments is too large",
        };
        Self { code: Self::PARSE, message, id }
    }

    const fn parse(message: &'static str) -> Self {
        Self { code: Self::PARSE, message, id: None }
    }

    const fn request(message: &'static str, id: Option<RequestId>) -> Self {
        Self { code: Self::REQUEST, message, id }
    }
}

/// The text of an error response.
pub(crate) fn error_json(code: i32, message: &str, id: Option<&RequestId>) -> Vec<u8> {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RequestId>,
        error: Fault<'a>,
    }
    #[derive(Serialize)]
    struct Fault<'a> {
        code: i32,
        message: &'a str,
    }
    serde_json::to_vec(&Response { jsonrpc: "2.0", id, error: Fault { code, message } })
        .expect("strings and numbers serialize")
}

/// Whether `message` is one JSON-RPC request or notification that the SDK can read.
///
/// # Errors
/// The error response to give.
pub fn check(message: &[u8]) -> Result<(), WireError> {
    accept(message).map(drop)
}

/// A message that is accepted.
pub(crate) struct Accepted {
    /// As the SDK reads it, with the arguments of an editing tool among the request's extensions.
    pub(crate) message: ClientJsonRpcMessage,
    /// Its text without those, where it had them.
    pub(crate) rest: Option<String>,
}

/// As [`check`], and gives the decoded message.
pub(crate) fn accept(message: &[u8]) -> Result<Accepted, WireError> {
    let text = str::from_utf8(message).map_err(|_| WireError::parse("Parse error: not UTF-8"))?;
    let Some((arguments, rest)) = apart(text) else {
        return Ok(Accepted { message: decode(text)?.0, rest: None });
    };
    let (mut message, id) = decode(&rest)?;
    let sent = Sent::checked(arguments).map_err(|flaw| WireError::of_flaw(flaw, id))?;
    if let JsonRpcMessage::Request(request) = &mut message {
        request.request.extensions_mut().insert(sent);
    }
    Ok(Accepted { message, rest: Some(rest) })
}

/// The arguments of an editing tool's call, and the message without them: the rest is judged like any other message.
fn apart(text: &str) -> Option<(&RawValue, String)> {
    #[derive(Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        method: Cow<'a, str>,
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        arguments: &'a RawValue,
    }
    let Message { method, params: Params { name, arguments } } = serde_json::from_str(text).ok()?;
    if method != "tools/call" || !name.starts_with(EDITING_TOOLS) || !arguments.get().starts_with('{') {
        return None;
    }
    // It is a part of the text.
    let start = arguments.get().as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let (before, after) = (text.get(..start)?, text.get(start + arguments.get().len()..)?);
    Some((arguments, format!("{before}{{}}{after}")))
}

/// The message as the SDK reads it, and its id.
fn decode(text: &str) -> Result<(ClientJsonRpcMessage, Option<RequestId>), WireError> {
    scan(text)?;
    let not_json = |_| WireError::parse("Parse error: not JSON");
    let members = match serde_json::from_str(text).map_err(not_json)? {
        Value::Object(members) => members,
        Value::Array(_) => return Err(WireError::request("Invalid Request: batches are not taken", None)),
        _ => return Err(WireError::request("Invalid Request: not an object", None)),
    };
    let id = judge(&members, &serde_json::from_str(text).map_err(not_json)?)?;
    match serde_json::from_str(text) {
        Ok(message) => Ok((message, id)),
        Err(_) => Err(WireError::request("Invalid Request: not a message of MCP", id)),
    }
}

/// Gives the id to answer with; none for a notification.
fn judge(members: &Map<String, Value>, repeated: &Repeated) -> Result<Option<RequestId>, WireError> {
    let known = members.get("id").filter(|_| !repeated.id);
    let id = known.and_then(|id| RequestId::deserialize(id).ok());
    if id.as_ref().is_some_and(|id| serde_json::to_vec(id).map_or(true, |id| id.len() > ID_BYTES)) {
        return Err(WireError::request("Invalid Request: the id is too long", None));
    }
    if repeated.any {
        return Err(WireError::request("Invalid Request: a member comes twice", id));
    }
    if known.is_some() && id.is_none() {
        return Err(WireError::request("Invalid Request: the id must be a string or a 64-bit integer", None));
    }
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(WireError::request("Invalid Request: `jsonrpc` must be \"2.0\"", id));
    }
    match members.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return Err(WireError::request("Invalid Request: the method must be a string", id)),
        // Nothing was asked of this client, so its id is no request's: it is not given back as if it were.
        None if members.contains_key("result") || members.contains_key("error") => {
            return Err(WireError::request("Invalid Request: responses are not taken", None));
        }
        None => return Err(WireError::request("Invalid Request: there is no method", id)),
    }
    let message = match members.get("params") {
        None | Some(Value::Null) => return Ok(id),
        Some(Value::Object(params)) if params.get("_meta").is_none_or(|meta| meta.is_object() || meta.is_null()) => {
            return Ok(id);
        }
        Some(Value::Object(_)) => "Invalid params: `_meta` must be an object",
        Some(_) => "Invalid params: `params` must be an object",
    };
    // Nothing can be told to the sender of a notification about its parameters; without them it is no message.
    let code = if id.is_some() { WireError::PARAMS } else { WireError::REQUEST };
    Err(WireError { code, message, id })
}

/// Bounds depth and integers over the raw text, without recursion: an integer that no 64 bits hold would silently
/// become a rounded float (G-012).
fn scan(text: &str) -> Result<(), WireError> {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((start, byte)) = bytes.next() {
        match byte {
            b'"' => {
                // To the closing quote; what is escaped does not close.
                while let Some((_, byte)) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => drop(bytes.next()),
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > DEPTH {
                    return Err(WireError::parse("Parse error: nested too deep"));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let mut end = start + 1;
                while bytes.next_if(|(_, b)| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')).is_some() {
                    end += 1;
                }
                let number = text.get(start..end).expect("ASCII bytes lie between these");
                if number.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit())
                    && number.parse::<u64>().is_err()
                    && number.parse::<i64>().is_err()
                {
                    return Err(WireError::parse("Parse error: an integer of more than 64 bits"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the outermost object has one of JSON-RPC's members twice: readers differ on which of them counts.
#[derive(Default)]
struct Repeated {
    any: bool,
    id: bool,
}

impl<'de> Deserialize<'de> for Repeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;

        impl<'de> Visitor<'de> for Names {
            type Value = Repeated;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Repeated, A::Error> {
                const MEMBERS: [&str; 6] = ["id", "jsonrpc", "method", "params", "result", "error"];
                let mut seen = [false; MEMBERS.len()];
                let mut repeated = Repeated::default();
                while let Some((name, IgnoredAny)) = map.next_entry::<Cow<'de, str>, _>()? {
                    for (member, seen) in MEMBERS.iter().zip(&mut seen).filter(|(member, _)| **member == name) {
                        repeated.any |= *seen;
                        repeated.id |= *seen && *member == "id";
                        *seen = true;
                    }
                }
                Ok(repeated)
            }
        }

        deserializer.deserialize_map(Names)
    }
}
