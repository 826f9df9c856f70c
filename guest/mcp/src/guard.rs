//! The wire guard: bytes in, an accepted message or its JSON-RPC error.
//!
//! The SDK answers malformed input with a bare status or with silence; clients need a code, and the id where it can be
//! read (G-012, G-013, G-023, G-024, G-026). Both transports ask this guard before the SDK sees a byte, and what passes
//! here decodes there. What a well-formed message *means* is the SDK's business.

use std::{borrow::Cow, fmt};

use rmcp::model::{ClientJsonRpcMessage, RequestId};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

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
    let not_json = |_| WireError::parse("Parse error: not JSON");
    let members = match serde_json::from_str(text).map_err(not_json)? {
        Value::Object(members) => members,
        Value::Array(_) => return Err(WireError::request("Invalid Request: batches are not taken", None)),
        _ => return Err(WireError::request("Invalid Request: not an object", None)),
    };
    let id = judge(&members, &serde_json::from_str(text).map_err(not_json)?)?;
    serde_json::from_str(text).map_err(|_| WireError::request("Invalid Request: not a message of MCP", id))
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(message: impl AsRef<[u8]>) -> (i32, Value) {
        let error = check(message.as_ref()).expect_err("not a message");
        let response: Value = serde_json::from_slice(&error.to_json()).expect("an error is JSON");
        assert_eq!((&response["jsonrpc"], &response["error"]["code"]), (&"2.0".into(), &error.code().into()));
        (error.code(), response["id"].clone())
    }

    /// G-012, G-024: what no parser reads.
    #[test]
    fn bytes_that_are_no_json() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}1{}}}"#, "[".repeat(64), "]".repeat(64));
        let huge = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"n":{}}}}}"#, "9".repeat(5_000));
        let messages: [&[u8]; 14] = [
            b"",
            b" ",
            b"{",
            b"nonsense",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x",
            b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"caf\xe9\"}",
            br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"\udc00"}}"#,
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1e400}}"#,
            br#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#,
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":-9223372036854775809}}"#,
            deep.as_bytes(),
            huge.as_bytes(),
        ];
        for message in messages {
            assert_eq!(refused(message), (-32700, Value::Null), "{}", message.escape_ascii());
        }
        for bracket in ["[", "{\"a\":", "[{\"a\":"] {
            assert_eq!(refused(bracket.repeat(100_000)).0, -32700);
        }
    }

    /// G-013, G-023: JSON, but not one request or notification; the id comes back where there is one.
    #[test]
    fn json_that_is_no_message() {
        for message in
            ["1", "null", "true", "\"x\"", "[]", "[1]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "1.5"]
        {
            assert_eq!(refused(message), (-32600, Value::Null), "{message}");
        }
        let seven = Value::from(7);
        for (members, id) in [
            (r#""#, Value::Null),
            (r#""id":7"#, seven.clone()),
            (r#""id":7,"method":"ping""#, seven.clone()),
            (r#""id":7,"method":"ping","jsonrpc":"1.0""#, seven.clone()),
            (r#""id":7,"method":"ping","jsonrpc":2.0"#, seven.clone()),
            (r#""id":"x","method":5,"jsonrpc":"2.0""#, "x".into()),
            (r#""id":7,"jsonrpc":"2.0""#, seven.clone()),
            (r#""id":null,"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":1.5,"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":{},"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":true,"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":9223372036854775808,"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":7,"id":8,"method":"ping","jsonrpc":"2.0""#, Value::Null),
            (r#""id":7,"method":"ping","method":"tools/list","jsonrpc":"2.0""#, seven.clone()),
            (r#""id":7,"method":"ping","jsonrpc":"2.0","params":{},"params":{}"#, seven.clone()),
            (r#""id":7,"method":"ping","jsonrpc":"2.0","result":{}"#, seven.clone()),
            (r#""id":7,"jsonrpc":"2.0","result":{}"#, Value::Null),
            (r#""id":7,"jsonrpc":"2.0","error":{"code":1,"message":""}"#, Value::Null),
            (r#""method":"notifications/initialized","jsonrpc":"2.0","params":[]"#, Value::Null),
        ] {
            assert_eq!(refused(format!("{{{members}}}")), (-32600, id), "{members}");
        }
        let long = "x".repeat(ID_BYTES - 1);
        assert_eq!(refused(format!(r#"{{"jsonrpc":"2.0","method":"ping","id":"{long}"}}"#)), (-32600, Value::Null));
    }

    /// G-026: parameters are an object, and null is as good as none.
    #[test]
    fn parameters_are_an_object() {
        for method in ["initialize", "tools/call", "tools/list", "ping", "made/up"] {
            for params in ["[]", "[{}]", "1", "1.5", "\"x\"", "true", r#"{"_meta":7}"#, r#"{"_meta":[]}"#] {
                let message = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"{method}","params":{params}}}"#);
                assert_eq!(refused(&message), (-32602, "a".into()), "{message}");
            }
            for params in
                ["", r#","params":null"#, r#","params":{}"#, r#","params":{"_meta":{}}"#, r#","params":{"_meta":null}"#]
            {
                for id in [r#","id":1"#, ""] {
                    let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}"{id}{params}}}"#);
                    assert_eq!(check(message.as_bytes()), Ok(()), "{message}");
                }
            }
        }
    }

    #[test]
    fn takes_every_kind_of_id_and_number() {
        let longest = format!("\"{}\"", "x".repeat(ID_BYTES - 2));
        for id in ["0", "-1", "9007199254740993", "9223372036854775807", "1.0", "\"\"", r#""\"\ud83d\ude00""#, &longest]
        {
            let message = format!(
                r#" {{"id":{id},"x":[[]],"jsonrpc":"2.0","method":"m","params":{{"n":[18446744073709551615,-9223372036854775808,1e300,-0.5e-7]}}}} "#
            );
            assert_eq!(check(message.as_bytes()), Ok(()), "{message}");
        }
        let nested = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"a":{}1{}}}}}"#,
            "[".repeat(DEPTH - 2),
            "]".repeat(DEPTH - 2)
        );
        assert_eq!(check(nested.as_bytes()), Ok(()));
        let quoted = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}\\\"{}"}}"#, "[".repeat(100), "9".repeat(100));
        assert_eq!(check(quoted.as_bytes()), Ok(()));
    }

    /// Bytes of any kind, and bytes that come close.
    fn messages() -> impl Strategy<Value = Vec<u8>> {
        let tokens = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "\\",
            "\\u",
            "d800",
            "null",
            "true",
            "1",
            "-",
            "1e9",
            "9999999999999999999999",
            "\"jsonrpc\":\"2.0\"",
            "\"id\":1",
            "\"id\":\"x\"",
            "\"method\":\"ping\"",
            "\"method\":\"tools/call\"",
            "\"params\":{}",
            "\"params\":[]",
            "\"result\":{}",
            " ",
            "\n",
            "\u{feff}",
            "é",
        ]);
        prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            prop::collection::vec(tokens.clone(), 0..40).prop_map(|tokens| tokens.concat().into_bytes()),
            prop::collection::vec(tokens, 0..8).prop_map(|tokens| format!("{{{}}}", tokens.join(",")).into_bytes()),
        ]
    }

    proptest! {
        /// G-012, G-013: no bytes are a panic, and what is taken is one object whose error would name its id.
        #[test]
        fn any_bytes_are_judged(message in messages()) {
            match check(&message) {
                Ok(()) => {
                    let value: Value = serde_json::from_slice(&message).expect("accepted, so JSON");
                    prop_assert!(value.is_object() && value["jsonrpc"] == "2.0" && value["method"].is_string());
                }
                Err(error) => {
                    let response: Value = serde_json::from_slice(&error.to_json()).expect("an error is JSON");
                    prop_assert_eq!(&response["error"]["code"], &Value::from(error.code()));
                }
            }
        }
    }
}
