//! Answers without end, which no case file can hold: each is read up to its bound and refused.

use std::{cell::Cell, rc::Rc};

use assay_origin::{Answer, Fault, Lists, Origin, Pending};
use assay_tools_read::{find, ports::Ports};
use serde_json::json;

use crate::memory::Memory;

const COMMIT: &str = "111111111111111111111111111111111111111c";
/// What is read of any answer at the most.
const MOST_BYTES: u64 = 33 * 1024 * 1024;

/// A forge with a branch, all of whose other answers begin well and then go on for ever.
struct Forge {
    /// How they begin.
    start: &'static str,
    /// What follows, again and again.
    piece: &'static str,
    read: Rc<Cell<u64>>,
}

struct Said {
    text: String,
    piece: &'static str,
    /// Bytes of the piece that were read already.
    at: usize,
    read: Rc<Cell<u64>>,
}

impl Forge {
    fn ask(&self, path: &[&[u8]]) -> Box<dyn Pending> {
        let branch = format!(r#"{{"name":"main","commit":{{"id":"{COMMIT}"}}}}"#);
        let (text, piece) = match path {
            [_, _, _, b"branches", b"main"] => (branch, ""),
            _ => (self.start.to_owned(), self.piece),
        };
        Box::new(Said { text, piece, at: 0, read: Rc::clone(&self.read) })
    }
}

impl Origin for Forge {
    fn get(&self, path: &[&[u8]], _: &[(&str, &str)], _: Option<(u64, u64)>) -> Box<dyn Pending> {
        self.ask(path)
    }

    fn get_following(&self, path: &[&[u8]], _: &[(&str, &str)]) -> Box<dyn Pending> {
        self.ask(path)
    }
}

impl Lists for Forge {
    fn get(&self, path: &[&[u8]], _: &[(&str, &str)]) -> Box<dyn Pending> {
        self.ask(path)
    }

    fn shows(&self, repositories: &[u64]) -> Result<Vec<bool>, Fault> {
        Ok(vec![true; repositories.len()])
    }
}

impl Pending for Said {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        Ok(self)
    }
}

impl Answer for Said {
    fn status(&self) -> u16 {
        200
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        vec![("content-type".to_owned(), b"application/json".to_vec())]
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        let max = usize::try_from(max).expect("small");
        let bytes = match std::mem::take(&mut self.text) {
            text if text.is_empty() && self.piece.is_empty() => Vec::new(),
            text if text.is_empty() => {
                let bytes = self.piece.bytes().cycle().skip(self.at).take(max).collect();
                self.at = (self.at + max) % self.piece.len();
                bytes
            }
            text => text.into_bytes(),
        };
        self.read.set(self.read.get() + bytes.len() as u64);
        assert!(self.read.get() <= MOST_BYTES, "it is still read");
        Ok(bytes)
    }
}

/// F-029, O-F3: what has no end is read to its bound, whatever it pads itself with and wherever, and refused for that.
#[test]
fn what_does_not_end_is_refused() {
    let file = r#"{"path":"p","type":"file","sha":"ce013625030ba8dba906f756967f9e9ca394464a","content":""#;
    for (tool, start, piece) in [
        ("get_file", "", " "),
        ("get_file", "{", "\n"),
        ("get_file", r#"{"path":"p","type":"file","size":6}"#, "\t"),
        ("get_file", file, "QUJD"),
        ("list_tree", "", " "),
        ("list_tree", "{", "\r\n"),
        ("list_tree", r#"{"content":"","encoding":"base64","size":0}"#, " "),
        ("list_issues", "[", " "),
        ("list_issues", "[]", " "),
        ("list_issues", r#"[{"id":1,"number":1}"#, r#",{"id":1,"number":1}"#),
        ("list_pull_requests", r#"[{"x":""#, "x"),
        ("list_reviews", "[]", " "),
        ("list_issue_comments", "{", " "),
        ("list_commits", "[", " "),
        ("list_branches", "[", " "),
        ("list_releases", "[", " "),
        ("list_repositories", "[", " "),
        ("search_repositories", r#"{"data":[]"#, " "),
        ("get_issue", "{", " "),
        ("get_pull_request", "{", " "),
    ] {
        let forge = Forge { start, piece, read: Rc::default() };
        let memory = Memory::default();
        let ports = Ports { origin: &forge, lists: &forge, objects: &memory, reading: &memory };
        let arguments = match tool {
            "get_file" => json!({"owner": "o", "repo": "r", "path": "p", "ref": "main"}),
            "list_tree" => json!({"owner": "o", "repo": "r", "ref": "main"}),
            "list_repositories" => json!({}),
            "search_repositories" => json!({"query": "q"}),
            "list_reviews" | "list_issue_comments" | "get_issue" | "get_pull_request" => {
                json!({"owner": "o", "repo": "r", "index": 1})
            }
            _ => json!({"owner": "o", "repo": "r"}),
        };
        let refusal = find(tool).expect("a tool").call(ports, &arguments.to_string(), 48_000).expect_err("no end");
        assert_eq!(refusal.code, "answer_too_large", "{tool} {start}: {refusal}");
    }
}
