//! One script on this program's database and on a SQLite file: every answer is the same to the byte.
//!
//! Ids and times are counted here, so even they are the same.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use assay_documents::Options;
use assay_kit::postgres::Server;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use crate::{
    ground::{Ground, LONG, ROOM},
    place::Place,
};

/// Ids and times that count.
#[derive(Default)]
struct Counted {
    ids: AtomicU64,
    times: AtomicU64,
}

impl assay_documents::Ground for Counted {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_micros(1_793_880_000_000_000 + self.times.fetch_add(1, Ordering::Relaxed))
    }

    fn id(&self) -> Uuid {
        uuid::Builder::from_random_bytes(u128::from(self.ids.fetch_add(1, Ordering::Relaxed)).to_be_bytes()).into_uuid()
    }
}

/// A ground, and what was said on it.
struct Script<'a> {
    ground: Ground,
    root: &'a Path,
    said: Vec<String>,
}

impl<'a> Script<'a> {
    fn on(place: &Arc<Place>, root: &'a Path) -> Vec<String> {
        let options = Options { patience: LONG, ground: Arc::new(Counted::default()), ..Options::default() };
        let ground = Ground::with(place, options);
        ground.work_in(Some(root));
        let mut script = Self { ground, root, said: Vec::new() };
        script.all();
        script.said
    }

    /// One call, noted with what it was.
    fn raw(&mut self, tool: &str, arguments: &str) -> Value {
        let said = self.ground.text_of(tool, arguments, ROOM);
        let answer = said.as_ref().map_or(Value::Null, |text| serde_json::from_str(text).expect("it is JSON"));
        self.said.push(format!("{tool} {arguments:.300}\n{said:?}"));
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.raw(tool, &arguments.to_string())
    }

    fn begin(&mut self, content: &str) -> String {
        let begun = self.call("initialize_target", json!({"content": content}));
        begun["target_file_id"].as_str().expect("an id").to_owned()
    }

    /// A submission on the target as it is.
    fn submit(&mut self, tool: &str, id: &str, more: Value) -> Value {
        let read = self.call("read_target", json!({"target_file_id": id, "length": 50}));
        let mut whole =
            json!({"target_file_id": id, "intent": "because — 進", "expected_target_version": read["version"]});
        whole.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call(tool, whole)
    }

    fn all(&mut self) {
        self.texts();
        self.edits();
        self.wrong();
        self.batches();
        self.files();
        self.many();
    }

    /// Texts that are hard to store, read and sought in every window.
    fn texts(&mut self) {
        let large = "0123456789 é\u{301} 🟢\r\n".repeat(9_000);
        for text in [
            "",
            "\u{feff}a\r\nb\rc\n",
            "'); DROP TABLE x; --\n\\x00 $1 ?1",
            "🟢🔺📅 e\u{301}\u{fffd}\u{10ffff}",
            &large,
        ] {
            let id = self.begin(text);
            for (start, length) in [(0, 1), (0, 8_000), (1, 4_000), (4, 10)] {
                self.call("read_target", json!({"target_file_id": id, "start": start, "length": length}));
            }
            self.call("read_lines", json!({"target_file_id": id, "max_lines": 3}));
            self.call("find_occurrences", json!({"target_file_id": id, "text": "é\u{301}", "max_results": 3}));
            self.call("export_target", json!({"target_file_id": id, "format": "original_eol"}));
            self.call("list_scopes", json!({"target_file_id": id, "max_results": 3}));
            self.call("replay_target", json!({"target_file_id": id}));
        }
    }

    /// Every format and every reason, on one target.
    fn edits(&mut self) {
        let id = self.begin("x\nx\nlonely\ntail");
        let edits = |match_: &str, replace: &str| json!({"edits": [{"match": match_, "replace": replace}]});
        for more in [
            edits("lonely", "“l”\n🟢"),
            edits("nope", ""),
            edits("x", "y"),
            edits("", "y"),
            json!({"edits": [{"match": "x", "replace": "e\u{301}", "occurrence_index": 2, "risk": "low", "rationale": "r"}]}),
            json!({"edits": [{"match": "x", "replace": "x"}]}),
            json!({"edits": [], "client_request_id": "k1"}),
            json!({"edits": 7}),
            json!({"edits": [{"match": "tail", "replace": "t"}, {"match": "tail", "replace": "u"}]}),
        ] {
            self.call("preview", json!({"target_file_id": id, "edits": more["edits"]}));
            self.submit("submit_edits", &id, more);
        }
        let span = |start: u64, end: u64, text: &str| json!({"operations": [{"op": "span", "start": start, "end": end, "expected_text": text, "replace": "S"}]});
        for more in [span(0, 1, "x"), span(0, 1, "z"), span(0, 999, "x"), span(2, 2, "")] {
            self.submit("submit_operations", &id, more);
        }
        for replacement in ["whole\n", "whole\n", ""] {
            self.submit("submit_replacement", &id, json!({"replacement": replacement}));
        }
        self.submit("restore_target", &id, json!({"to_version": 2, "intent": null}));
        self.call("restore_target", json!({"target_file_id": id, "to_version": 2, "expected_target_version": 7}));
        self.pages(&id);
        self.call("save", json!({"target_file_id": id, "expected_target_version": 1}));
        let version = self.call("read_target", json!({"target_file_id": id}))["version"].clone();
        self.call("save", json!({"target_file_id": id, "expected_target_version": version}));
        self.pages(&id);
        self.call("replay_target", json!({"target_file_id": id}));
    }

    /// Keys, lineage, guards, and text that no database holds.
    fn wrong(&mut self) {
        let id = self.begin("x\n");
        let keyed = json!({"target_file_id": id, "intent": "i", "expected_target_version": 1, "client_request_id": "k",
            "correlation_id": "c", "edits": [{"match": "x", "replace": "y"}]});
        for _ in 0..2 {
            self.call("submit_edits", keyed.clone());
        }
        for (name, value) in [
            ("intent", json!("another")),
            ("expected_target_version", json!(9)),
            ("expected_current_hash", json!("0".repeat(64))),
            ("client_request_id", json!("a b")),
            ("parent_pdcp_log_id", json!("nobody")),
            ("attempt", json!(0)),
            ("target_file_id", json!("nobody")),
            ("nope", json!(1)),
        ] {
            let mut whole = keyed.clone();
            whole[name] = value;
            self.call("submit_edits", whole);
        }
        for wrong in [r"\u0000", r"a\ud800"] {
            let raw = keyed.to_string().replace(r#""y""#, &format!(r#""{wrong}""#)).replace(r#""k""#, r#""l""#);
            self.raw("submit_edits", &raw);
            self.raw("submit_edits", &raw);
            let read = format!(r#"{{"target_file_id":"{id}","text":"{wrong}"}}"#);
            self.raw("find_occurrences", &read);
        }
        let rejected = self.submit("submit_edits", &id, json!({"edits": [{"match": "nope", "replace": ""}]}));
        let parent = &rejected["pdcp_log_id"];
        let child = json!({"edits": [{"match": "y", "replace": "z"}], "parent_pdcp_log_id": parent, "attempt": 2});
        self.submit("submit_edits", &id, child);
        for arguments in ["[]", "{", r#"{"target_file_id":7}"#, "{}"] {
            for tool in ["read_target", "submit_edits", "save", "get_pdcp_log", "replay_target"] {
                self.raw(tool, arguments);
            }
        }
        self.pages(&id);
    }

    /// Scopes, observed and edited together.
    fn batches(&mut self) {
        let id = self.begin("# One\n\nfirst\n\n## Two\n\nsecond\n\nthird\n");
        let listed = self.call("list_scopes", json!({"target_file_id": id, "kinds": ["paragraph"]}));
        let scopes = listed["scopes"].as_array().expect("an array").clone();
        let ids: Vec<&Value> = scopes.iter().map(|scope| &scope["scope_id"]).collect();
        let observed = self.call("observe_scopes", json!({"snapshot_id": listed["snapshot_id"], "scope_ids": ids}));
        let groups: Vec<Value> = scopes
            .iter()
            .map(|scope| {
                let operations = json!([{"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "+"}]);
                json!({"scope_id": scope["scope_id"], "expected_scope_sha256": scope["sha256"], "operations": operations})
            })
            .collect();
        for snapshot in [&observed["snapshot_id"], &json!("nobody"), &observed["snapshot_id"]] {
            self.submit("submit_observed_batch", &id, json!({"snapshot_id": snapshot, "groups": groups}));
        }
        self.pages(&id);
        self.call("replay_target", json!({"target_file_id": id}));
    }

    /// From files and to them.
    fn files(&mut self) {
        fs::write(self.root.join("file.txt"), "\u{feff}a\r\nb\nc").expect("it is ours");
        let begun = self.call("initialize_target", json!({"from_workspace": true, "path": "file.txt"}));
        let id = begun["target_file_id"].as_str().expect("an id").to_owned();
        self.submit("submit_edits", &id, json!({"edits": [{"match": "b", "replace": "B\nB"}]}));
        let save = json!({"target_file_id": id, "sync_workspace": true, "expected_target_version": 2});
        self.call("save", save.clone());
        fs::write(self.root.join("file.txt"), "another").expect("it is ours");
        self.call("save", save);
        for path in ["nope", "../file.txt", ""] {
            self.call("initialize_target", json!({"from_workspace": true, "path": path}));
        }
        self.call("get_manifest_ledger", json!({"target_file_id": id}));
    }

    /// A long history of chance edits.
    fn many(&mut self) {
        let id = self.begin(&"abcd\n".repeat(40));
        let mut chance = 7_u64;
        for _ in 0..120 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (index, letter) = (chance >> 60, ["a", "b", "cd", "zz"][(chance >> 33) as usize % 4]);
            let replace = format!("{}{letter}", ["", "\n", "é", "🟢"][(chance >> 40) as usize % 4]);
            let edit = json!([{"match": letter, "replace": replace, "occurrence_index": index + 1}]);
            self.submit("submit_edits", &id, json!({"edits": edit, "client_request_id": format!("k{}", chance % 90)}));
        }
        self.pages(&id);
        self.call("replay_target", json!({"target_file_id": id}));
        self.call("export_target", json!({"target_file_id": id}));
    }

    /// Both histories, page by page, with everything and with little.
    fn pages(&mut self, id: &str) {
        for (tool, more) in [
            ("get_pdcp_log", json!({"include_content": true, "limit": 7})),
            ("get_pdcp_log", json!({"status": "rejected"})),
            ("get_pdcp_log", json!({"client_request_id": "k"})),
            ("get_manifest_ledger", json!({"limit": 5, "include_previous_cycles": true})),
            ("get_manifest_ledger", json!({})),
        ] {
            let mut before = Value::Null;
            loop {
                let mut asked = json!({"target_file_id": id, "before_sequence": before});
                asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                before = self.call(tool, asked)["next_sequence"].clone();
                if before.is_null() {
                    break;
                }
            }
        }
    }
}

/// X-01: SQLite and PostgreSQL answer alike, to the byte.
#[test]
fn both_databases_answer_alike() {
    let folder = TempDir::new().expect("a folder");
    let on_sqlite = Script::on(&Place::sqlite(), folder.path());
    let on_postgres = Script::on(&Place::postgres(Server::shared()), folder.path());
    assert!(on_sqlite.len() > 400, "{}", on_sqlite.len());
    for (one, other) in on_sqlite.iter().zip(&on_postgres) {
        assert_eq!(one, other);
    }
    assert_eq!(on_sqlite.len(), on_postgres.len());
    let answered = on_sqlite.iter().filter(|said| said.contains("\nOk(")).count();
    assert!(answered > 400, "{answered}");
    let accepted = on_sqlite.iter().filter(|said| said.contains(r#"\"status\":\"accepted\""#)).count();
    assert!(accepted > 60, "{accepted}");
}
