//! The wire guard: bytes in, an accepted message or its JSON-RPC error.
//!
//! The SDK answers malformed input with a bare status or with silence; clients need a code, and the id where it can be
//! read (G-012, G-013, G-023, G-024, G-026). Both transports ask this guard before the SDK sees a byte, and what passes
//! here decodes there. What a well-formed message *means* is the SDK's business.

use std::fmt;

use rmcp::model::{ClientJsonRpcMessage, RequestId};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

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

/// As [`check`], and gives the decoded message.
pub(crate) fn accept(message: &[u8]) -> Result<ClientJsonRpcMessage, WireError> {
    let text = str::from_utf8(message).map_err(|_| WireError::parse("Parse error: not UTF-8"))?;
    scan(text)?;
    let envelope = match read(text).map_err(|_| WireError::parse("Parse error: not JSON"))? {
        Shape::Object(envelope) => envelope,
        Shape::Array => return Err(WireError::request("Invalid Request: batches are not taken", None)),
        Shape::Scalar => return Err(WireError::request("Invalid Request: not an object", None)),
    };
    let id = envelope.judge()?;
    serde_json::from_str(text).map_err(|_| WireError::request("Invalid Request: not a message of MCP", id))
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

fn read(text: &str) -> serde_json::Result<Shape> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let shape = Shape::deserialize(&mut reader)?;
    reader.end()?;
    Ok(shape)
}

/// A JSON value as far as the guard looks.
enum Shape {
    Object(Envelope),
    Array,
    Scalar,
}

/// The members that make a JSON-RPC message.
#[derive(Default)]
struct Envelope {
    jsonrpc: Option<Value>,
    id: Option<Value>,
    method: Option<Value>,
    params: Option<Params>,
    /// It has a `result` or an `error`: a response.
    outcome: bool,
    /// One of these members came twice.
    repeated: bool,
    /// `id` came twice, so that none of them can be given back.
    repeated_id: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Params {
    Null,
    Object,
    Other,
}

impl Envelope {
    /// Gives the id to answer with; none for a notification.
    fn judge(self) -> Result<Option<RequestId>, WireError> {
        let known = self.id.as_ref().filter(|_| !self.repeated_id);
        let id = known.and_then(|id| RequestId::deserialize(id).ok());
        if id.as_ref().is_some_and(|id| serde_json::to_vec(id).map_or(true, |id| id.len() > ID_BYTES)) {
            return Err(WireError::request("Invalid Request: the id is too long", None));
        }
        if self.repeated {
            return Err(WireError::request("Invalid Request: a member comes twice", id));
        }
        if self.id.is_some() && id.is_none() {
            return Err(WireError::request("Invalid Request: the id must be a string or a 64-bit integer", None));
        }
        if self.jsonrpc.as_ref().and_then(Value::as_str) != Some("2.0") {
            return Err(WireError::request("Invalid Request: `jsonrpc` must be \"2.0\"", id));
        }
        match self.method {
            Some(Value::String(_)) => {}
            Some(_) => return Err(WireError::request("Invalid Request: the method must be a string", id)),
            // Its id is one of ours, and nothing was ever asked: it is not given back as if it were the client's.
            None if self.outcome => return Err(WireError::request("Invalid Request: responses are not taken", None)),
            None => return Err(WireError::request("Invalid Request: there is no method", id)),
        }
        if self.params == Some(Params::Other) {
            let message = "Invalid params: `params` must be an object";
            // Nothing can be told to the sender of a notification about its parameters.
            let code = if id.is_some() { WireError::PARAMS } else { WireError::REQUEST };
            return Err(WireError { code, message, id });
        }
        Ok(id)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outermost;

        impl<'de> Visitor<'de> for Outermost {
            type Value = Shape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
                let mut envelope = Envelope::default();
                let mut outcomes = 0;
                while let Some(name) = map.next_key::<String>()? {
                    let repeated = match name.as_str() {
                        "jsonrpc" => envelope.jsonrpc.replace(map.next_value()?).is_some(),
                        "id" => {
                            envelope.repeated_id = envelope.id.replace(map.next_value()?).is_some();
                            envelope.repeated_id
                        }
                        "method" => envelope.method.replace(map.next_value()?).is_some(),
                        "params" => envelope.params.replace(map.next_value()?).is_some(),
                        "result" | "error" => {
                            let Well = map.next_value()?;
                            outcomes += 1;
                            outcomes > 1
                        }
                        _ => {
                            let Well = map.next_value()?;
                            false
                        }
                    };
                    envelope.repeated |= repeated;
                }
                envelope.outcome = outcomes > 0;
                Ok(Shape::Object(envelope))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
                while let Some(Well) = seq.next_element()? {}
                Ok(Shape::Array)
            }

            fn visit_bool<E: de::Error>(self, _: bool) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_str<E: de::Error>(self, _: &str) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Shape, E> {
                Ok(Shape::Scalar)
            }
        }

        deserializer.deserialize_any(Outermost)
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Kind;

        impl<'de> Visitor<'de> for Kind {
            type Value = Params;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Params, A::Error> {
                WellFormed.visit_map(map)?;
                Ok(Params::Object)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Params, A::Error> {
                WellFormed.visit_seq(seq)?;
                Ok(Params::Other)
            }

            fn visit_bool<E: de::Error>(self, _: bool) -> Result<Params, E> {
                Ok(Params::Other)
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Params, E> {
                Ok(Params::Other)
            }

            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Params, E> {
                Ok(Params::Other)
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Params, E> {
                Ok(Params::Other)
            }

            fn visit_str<E: de::Error>(self, _: &str) -> Result<Params, E> {
                Ok(Params::Other)
            }

            fn visit_unit<E: de::Error>(self) -> Result<Params, E> {
                Ok(Params::Null)
            }
        }

        deserializer.deserialize_any(Kind)
    }
}
