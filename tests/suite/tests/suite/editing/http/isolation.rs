//! Nobody meets another's documents: whatever is asked for by whatever id, the answer is the one for an id that is nobody's.

use serde_json::{Value, json};

use super::{Ground, Served, edit};
use crate::program::{Stdio, page};

const TEXT: &str = "# one\n\nalpha\n\n# two\n\nbeta\n";
/// What no row is called.
const NOBODYS: &str = "0f8fad5b-d9cb-469f-a165-70867728950e";

/// A document with everything that has an id: observed scopes, a rejected attempt, an accepted one.
struct Document {
    id: Value,
    snapshot: Value,
    scope: Value,
    rejected: Value,
    version: u64,
}

impl Document {
    fn made(served: &Served<'_>, token: &str) -> Self {
        let made = served.made(token, TEXT);
        let id = made["target_file_id"].clone();
        let rejected = served.call(token, "submit_edits", &edit(&id, 1, "gamma", "x"));
        assert_eq!(rejected["failure_reason"], json!("match_absent"), "{rejected}");
        let accepted = served.call(token, "submit_edits", &edit(&id, 1, "alpha", "alpha!"));
        assert_eq!(accepted["status"], json!("accepted"), "{accepted}");
        let kinds = json!({"target_file_id": id, "kinds": ["markdown_heading"]});
        let listed = served.call(token, "list_scopes", &kinds);
        let ids = json!({"snapshot_id": listed["snapshot_id"], "scope_ids": [listed["scopes"][1]["scope_id"]]});
        let observed = served.call(token, "observe_scopes", &ids);
        let scope = observed["scopes"][0].clone();
        assert_eq!(scope["text"], json!("# two\n\nbeta\n"), "{observed}");
        let (rejected, snapshot) = (rejected["pdcp_log_id"].clone(), observed["snapshot_id"].clone());
        Self { id, snapshot, scope, rejected, version: 2 }
    }

    /// What it would be if there were none of these ids.
    fn nobodys(&self) -> Self {
        let nobodys = || json!(NOBODYS);
        Self {
            id: nobodys(),
            snapshot: nobodys(),
            rejected: nobodys(),
            scope: self.scope.clone(),
            version: self.version,
        }
    }

    /// A call that its owner is answered well.
    fn arguments(&self, tool: &str) -> Value {
        let Self { id, snapshot, scope, version, .. } = self;
        match tool {
            "read_target"
            | "read_lines"
            | "export_target"
            | "get_pdcp_log"
            | "get_manifest_ledger"
            | "replay_target"
            | "list_scopes" => json!({"target_file_id": id}),
            "find_occurrences" => json!({"target_file_id": id, "text": "beta"}),
            "preview" => json!({"target_file_id": id, "edits": [{"match": "beta", "replace": "b"}]}),
            "submit_edits" => edit(id, *version, "beta", "b"),
            "submit_operations" => {
                json!({"target_file_id": id, "intent": "try", "expected_target_version": version,
                    "operations": [{"op": "match", "match": "beta", "replace": "b"}]})
            }
            "submit_replacement" => {
                json!({"target_file_id": id, "intent": "try", "expected_target_version": version, "replacement": "new"})
            }
            "submit_observed_batch" => batch(id, snapshot, scope, *version),
            "submit_bundle" => json!({"intent": "try", "items": [item(id, *version)]}),
            "observe_scopes" => json!({"snapshot_id": snapshot, "scope_ids": [scope["scope_id"]]}),
            "save" => json!({"target_file_id": id, "expected_target_version": version}),
            "restore_target" => {
                json!({"target_file_id": id, "to_version": 1, "expected_target_version": version})
            }
            other => panic!("by which ids {other} names a document must be said here"),
        }
    }
}

fn item(id: &Value, version: u64) -> Value {
    json!({"target_file_id": id, "format": "patchdiff-tx/1", "expected_target_version": version, "edits": [{"match": "beta", "replace": "b"}]})
}

fn batch(id: &Value, snapshot: &Value, scope: &Value, version: u64) -> Value {
    json!({"target_file_id": id, "intent": "try", "snapshot_id": snapshot, "expected_target_version": version,
        "groups": [{"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"],
            "operations": [{"op": "match", "match": "beta", "replace": "b"}]}]})
}

/// What an answer says but for the ids and hashes in it.
fn told(answer: &Value) -> String {
    let text = answer.to_string();
    let is_id = |word: &str| {
        let is_uuid = word.len() == 36 && word.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        is_uuid || (word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let ids: std::collections::BTreeSet<&str> = words.filter(|word| is_id(word)).collect();
    ids.into_iter().fold(text.clone(), |text, id| text.replace(id, "<id>"))
}

fn is_not_found(answer: &Value) -> bool {
    answer["status"] == json!("not_found")
        || (answer["status"] == json!("rejected") && answer["failure_reason"] == json!("target_not_found"))
}

/// every tool that is offered answers about another's document as about one that does not exist, to the word, and
/// changes nothing of it; its owner is answered the same call well.
#[test]
fn another_s_document_does_not_exist() {
    let ground = Ground::new();
    let served = ground.start();
    let (alice, bob) = (&ground.alice, &ground.bob);
    let tools = served.tools(bob);
    let tools = tools.iter().filter_map(|name| name.strip_prefix("patchdiff_"));
    let tools: Vec<&str> = tools.filter(|name| *name != "initialize_target").collect();
    assert!(tools.len() >= 16, "{tools:?}");
    for tool in tools {
        let document = Document::made(&served, alice);
        let before = served.call(alice, "get_pdcp_log", &document.arguments("get_pdcp_log"));
        let (own, nobodys) = (document.arguments(tool), document.nobodys().arguments(tool));
        let (guessed, absent) = (served.call(bob, tool, &own), served.call(bob, tool, &nobodys));
        assert!(is_not_found(&guessed), "{tool}: {guessed}");
        assert_eq!(told(&guessed), told(&absent), "{tool}");
        let after = served.call(alice, "get_pdcp_log", &document.arguments("get_pdcp_log"));
        assert_eq!(before, after, "{tool}: nothing was attempted on it");
        let well = served.call(alice, tool, &own);
        let status = well["status"].as_str().unwrap_or_default();
        assert!(["ok", "accepted", "success"].contains(&status), "{tool}: {well}");
    }
    served.end();
}

/// P-078, PG-28: in a submission to one's own document another's snapshot is none, and another's rejected attempt is no
/// parent: both are told as what does not exist.
#[test]
fn another_s_ids_are_none_beside_an_own_document() {
    let ground = Ground::new();
    let served = ground.start();
    let (alice, bob) = (&ground.alice, &ground.bob);
    let theirs = Document::made(&served, alice);
    let batched = |snapshot: &Value| {
        let own = served.made(bob, TEXT)["target_file_id"].clone();
        let answer = served.call(bob, "submit_observed_batch", &batch(&own, snapshot, &theirs.scope, 1));
        let log = json!({"target_file_id": own, "include_content": true});
        let log = served.call(bob, "get_pdcp_log", &log);
        let content = log["entries"][0]["pdcp_content"].as_str().expect("what was submitted").to_owned();
        (answer, content)
    };
    let ((guessed, kept), (absent, kept_of_absent)) = (batched(&theirs.snapshot), batched(&json!(NOBODYS)));
    assert_eq!(guessed["failure_reason"], json!("scope_unknown"), "{guessed}");
    assert_eq!(told(&guessed), told(&absent));
    // Where the scope is in the text of the other would be in a record that resolved it.
    assert_eq!(told(&json!(kept)), told(&json!(kept_of_absent)));

    let child = |parent: &Value| {
        let own = served.made(bob, TEXT)["target_file_id"].clone();
        let mut arguments = edit(&own, 1, "beta", "b");
        arguments["parent_pdcp_log_id"] = parent.clone();
        arguments["attempt"] = json!(2);
        served.call(bob, "submit_edits", &arguments)
    };
    let (guessed, absent) = (child(&theirs.rejected), child(&json!(NOBODYS)));
    assert_eq!(guessed["failure_reason"], json!("context_invalid"), "{guessed}");
    assert_eq!(told(&guessed), told(&absent));
    // A bundle with another's text is none, and what it has of one's own stays.
    let bundled = |other: &Value| {
        let own = served.made(bob, TEXT)["target_file_id"].clone();
        let items = json!({"intent": "try", "items": [item(&own, 1), item(other, theirs.version)]});
        let answer = served.call(bob, "submit_bundle", &items);
        let log = served.call(bob, "get_pdcp_log", &json!({"target_file_id": own}));
        assert_eq!(log["entries"], json!([]), "nothing was attempted");
        answer
    };
    let (guessed, absent) = (bundled(&theirs.id), bundled(&json!(NOBODYS)));
    assert_eq!(guessed["failure_reason"], json!("target_not_found"), "{guessed}");
    assert_eq!(told(&guessed), told(&absent));
    // Its own it may be.
    let mut arguments = edit(&theirs.id, 2, "beta", "b");
    arguments["parent_pdcp_log_id"] = theirs.rejected.clone();
    arguments["attempt"] = json!(2);
    assert_eq!(served.call(alice, "submit_edits", &arguments)["status"], json!("accepted"));
    served.end();
}

/// one file for both ways in: the user of standard input has none of the documents of an account, no account has theirs,
/// and the account of another forge that has the same number is another one.
#[test]
fn standard_input_and_other_forges_are_apart() {
    let (ground, elsewhere) = (Ground::new(), Ground::new());
    let place = ground.place("documents.sqlite");
    let database = [("PATCHDIFF_DATABASE_URL", place.clone())];
    let (served, other) = (ground.start_with(&database), elsewhere.start_with(&database));
    let mut stdio =
        Stdio::start_with("", "", &[("GATEWAY_TOOLSETS", "patch".to_owned()), ("PATCHDIFF_DATABASE_URL", place)]);
    let read = |id: &Value| json!({"target_file_id": id});
    let alices = served.made(&ground.alice, "of alice")["target_file_id"].clone();
    let own =
        page(&stdio.call("patchdiff_initialize_target", &json!({"content": "of nobody"})))["target_file_id"].clone();
    let mut by_stdio = |id: &Value| page(&stdio.call("patchdiff_read_target", &read(id)));
    assert_eq!(by_stdio(&own)["text"], json!("of nobody"));
    assert!(is_not_found(&by_stdio(&alices)));
    assert!(is_not_found(&served.call(&ground.alice, "read_target", &read(&own))));
    assert!(is_not_found(&other.call(&elsewhere.alice, "read_target", &read(&alices))));
    assert_eq!(served.call(&ground.alice, "read_target", &read(&alices))["text"], json!("of alice"));
    assert_eq!(stdio.end(), Some(0));
    served.end();
    other.end();
}
