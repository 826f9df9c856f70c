//! What is a message, what is none, and what its sender is told.

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
    for message in ["1", "null", "true", "\"x\"", "[]", "[1]", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "1.5"] {
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
    for id in ["0", "-1", "9007199254740993", "9223372036854775807", "1.0", "\"\"", r#""\"\ud83d\ude00""#, &longest] {
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
