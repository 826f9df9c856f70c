//! Whose a token is: the forge's own word for it, asked each time.

use serde_json::{Value, json};

use super::{Ground, edit};

/// two tokens of one account are one owner; a token that was revoked is nobody's, whatever its account has.
#[test]
fn an_account_s_tokens_share_its_documents() {
    let ground = Ground::new();
    let served = ground.start();
    let id = served.made(&ground.alice, "alpha")["target_file_id"].clone();
    let accepted = served.call(&ground.alices_other, "submit_edits", &edit(&id, 1, "alpha", "beta"));
    assert_eq!(accepted["status"], json!("accepted"), "{accepted}");
    let read = json!({"target_file_id": id});
    assert_eq!(served.call(&ground.alice, "read_target", &read)["text"], json!("beta"));
    ground.forge().revoke(&ground.alice);
    let call = json!({"name": "patchdiff_read_target", "arguments": read});
    let (status, said) = served.send(&ground.alice, "tools/call", &call);
    assert!(status == 401 && said.contains("revoked") && !said.contains("beta"), "{status} {said}");
    assert_eq!(served.call(&ground.alices_other, "read_target", &read)["text"], json!("beta"));
    served.end();
}

/// X-09, K-79: a token that may not say whose it is has every tool but those that edit, each of which says what is missing.
#[test]
fn a_token_without_an_account_keeps_its_other_tools() {
    let ground = Ground::new();
    let served = ground.start();
    let pull = ground.forge().pulls().into_iter().next().expect("a branch");
    let listed = served.calling(&ground.carol, "list_pull_requests", &json!({"owner": pull.owner, "repo": pull.repo}));
    let listed = super::page(&served.wait(listed));
    assert_eq!(listed["pull_requests"][0]["number"], json!(pull.index), "{listed}");
    let tools = served.tools(&ground.carol);
    let editing: Vec<&String> = tools.iter().filter(|tool| tool.starts_with("patchdiff_")).collect();
    assert!(editing.len() >= 17, "{editing:?}");
    for tool in editing {
        // What a schema wants of a call is told first: these are enough for each of them.
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let all = json!({"target_file_id": id, "content": "x", "text": "x", "intent": "x", "replacement": "x",
            "edits": [{"match": "x", "replace": "y"}], "operations": [{"op": "match", "match": "x", "replace": "y"}],
            "items": [{"target_file_id": id, "format": "patchdiff-tx/1", "edits": [{"match": "x", "replace": "y"}]}],
            "snapshot_id": id, "scope_ids": ["line:0-1"], "to_version": 1,
            "groups": [{"scope_id": "line:0-1", "expected_scope_sha256": "0".repeat(64), "operations": [{"op": "match", "match": "x", "replace": "y"}]}]});
        let said = served.refused(&ground.carol, tool, &wanted(&served, &ground, tool, &all));
        assert!(said.contains("account_unknown") && said.contains("read:user"), "{tool}: {said}");
    }
    served.end();
}

/// Of these arguments those that the tool takes.
fn wanted(served: &super::Served<'_>, ground: &Ground, tool: &str, all: &Value) -> Value {
    let (_, body) = served.send(&ground.carol, "tools/list", &json!({}));
    let listed: Value = serde_json::from_str(&body).expect("JSON");
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let spec = tools.iter().find(|spec| spec["name"] == json!(tool)).expect("it is listed");
    let takes = spec["inputSchema"]["properties"].as_object().expect("an object");
    let given = all.as_object().expect("an object").iter().filter(|(name, _)| takes.contains_key(*name));
    given.map(|(name, value)| (name.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

/// X-09, G-028: while a token is believed without asking, so is whose it is: each token's own account, and no other's.
#[test]
fn a_believed_token_is_its_own_account() {
    let ground = Ground::new();
    let settings =
        [("PATCHDIFF_DATABASE_URL", ground.place("documents.sqlite")), ("GATEWAY_PREFLIGHT_TTL", "60".to_owned())];
    let served = ground.start_with(&settings);
    let id = served.made(&ground.alice, "alpha")["target_file_id"].clone();
    let read = json!({"target_file_id": id});
    ground.forge().clear_requests();
    for _ in 0..3 {
        assert_eq!(served.call(&ground.alice, "read_target", &read)["text"], json!("alpha"));
        assert_eq!(served.call(&ground.bob, "read_target", &read)["status"], json!("not_found"));
        let said = served.refused(&ground.carol, "patchdiff_read_target", &read);
        assert!(said.contains("account_unknown"), "{said}");
    }
    let asked = ground.forge().asked();
    assert_eq!(asked.len(), 2, "once about bob and once about carol: {asked:?}");
    served.end();
}
