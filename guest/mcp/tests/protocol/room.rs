//! The room of a tool's text is exact: what fills it makes a response of the bound, to the byte.

use std::sync::Arc;

use assay_envelope::RESULT_BYTES;
use assay_mcp::http::handle;
use serde_json::{Value, json};

use crate::{
    bench::{Bench, ERAS, call},
    http::{policy, post},
    lines::Client,
};

fn ids() -> Vec<Value> {
    vec![
        1.into(),
        0.into(),
        (-7).into(),
        9_007_199_254_740_993_u64.into(),
        i64::MAX.into(),
        "x".into(),
        "".into(),
        "\"quoted\\\" \n\t\u{1}".into(),
        "ünï→🟢".into(),
        "x".repeat(8_192).into(),
        "\"".repeat(8_192).into(),
        "🟢".repeat(2_048).into(),
        "x".repeat(32_766).into(),
    ]
}

/// The length of the response over HTTP, and the response.
async fn over_http(bench: &Arc<Bench>, era: &str, message: &Value) -> (usize, Value) {
    let response = handle(Arc::clone(bench), post(era, message), &policy()).await;
    (response.body().len(), serde_json::from_slice(response.body()).unwrap())
}

/// D-064, F-047, G-084, K-02: with every kind of id, in every era, over both transports, a text that takes exactly its
/// room makes a response of exactly 49,000 bytes; one byte more is an error and is not clipped.
#[tokio::test]
async fn the_room_is_exact() {
    let bench = Bench::new();
    let mut client = Client::connect(&bench);
    for era in ERAS {
        for id in ids() {
            let exact = call(era, id.clone(), "fill", json!({}));
            let beyond = call(era, id.clone(), "fill", json!({"over": 1}));
            let shown = id.to_string();
            let shown = shown.get(..shown.floor_char_boundary(40)).unwrap();

            let (length, full) = over_http(&bench, era, &exact).await;
            assert_eq!(
                (length, &full["id"], &full["result"]["isError"]),
                (RESULT_BYTES, &id, &false.into()),
                "{era} {shown}"
            );
            let (length, refused) = over_http(&bench, era, &beyond).await;
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &(-32603).into()), "{era} {shown}");
            assert!(length < RESULT_BYTES && refused.get("result").is_none());

            client.send(&exact).await;
            assert_eq!(client.receive().await, (RESULT_BYTES, full), "{era} {shown}");
            client.send(&beyond).await;
            assert_eq!(client.receive().await.1, refused, "{era} {shown}");
        }
    }
}

/// D-064: a long id makes the room smaller by just what it takes.
#[tokio::test]
async fn a_long_id_takes_its_own_length() {
    let bench = Bench::new();
    let room = async |id: &str| {
        let (_, called) = over_http(&bench, "2025-11-25", &call("2025-11-25", id, "echo", json!({}))).await;
        let text: Value = serde_json::from_str(called["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        text["room"].as_u64().unwrap()
    };
    let whole = room("").await;
    assert_eq!(room(&"x".repeat(8_192)).await, whole - 8_192);
    assert_eq!(room(&"\n".repeat(1_000)).await, whole - 2_000);
}
