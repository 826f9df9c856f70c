//! Whatever a forge does, a call writes once at the most, and shows nothing that the forge said against it (G-160, D-077).

use std::cell::RefCell;

use assay_kit::{Reply, Response, ScriptedAnswer};
use assay_origin::{Answer, Fault, Method, Origin, OriginWrite, Pending, WriteFault};
use assay_tools_write::{TOOLS, ports::Ports};
use proptest::prelude::*;

use crate::{script::Heard, sound};

/// In every text of the forge's errors.
const SECRET: &str = "told-by-the-forge";

/// What happens to one request.
#[derive(Clone, Debug)]
enum Fate {
    Unsent,
    Unanswered,
    Moved,
    Answered { status: u16, body: String, is_json: bool, cut_after: Option<usize> },
}

/// A forge that does to each request what comes next, and at last the first again.
struct Fickle {
    fates: Vec<Fate>,
    requests: RefCell<Vec<bool>>,
}

impl Fickle {
    fn next(&self, writes: bool) -> Fate {
        let at = self.requests.borrow().len();
        self.requests.borrow_mut().push(writes);
        self.fates.get(at % self.fates.len()).expect("at least one").clone()
    }
}

fn said(status: u16, body: &str, is_json: bool, cut_after: Option<usize>) -> Box<dyn Answer> {
    let response = if is_json { Response::json_text(status, body) } else { Response::stock_diff(body) };
    let cut_after = cut_after.map(|at| at.min(response.body.len()));
    let response = Response { status, ..response };
    let Reply::Said(said) = Reply::from(ScriptedAnswer { cut_after, ..ScriptedAnswer::get("/", response) }) else {
        panic!("an answer")
    };
    Box::new(Heard(said))
}

struct Coming(Fate);

impl Pending for Coming {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        match self.0 {
            Fate::Unsent => Err(Fault::Budget(7)),
            Fate::Unanswered => Err(Fault::TimedOut),
            Fate::Moved => Err(Fault::Moved(307)),
            Fate::Answered { status, body, is_json, cut_after } => Ok(said(status, &body, is_json, cut_after)),
        }
    }
}

impl Origin for Fickle {
    fn get(&self, _: &[&[u8]], _: &[(&str, &str)], _: Option<(u64, u64)>) -> Box<dyn Pending> {
        Box::new(Coming(self.next(false)))
    }

    fn get_following(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        self.get(path, query, None)
    }
}

impl OriginWrite for Fickle {
    fn send(&self, _: Method, _: &[&[u8]], _: &[(&str, &str)], _: &[u8]) -> Result<Box<dyn Answer>, WriteFault> {
        match self.next(true) {
            Fate::Unsent => Err(WriteFault::Unsent(Fault::Denied("a rule".to_owned()))),
            Fate::Unanswered => Err(WriteFault::Uncertain("the connection broke".to_owned())),
            Fate::Moved => Err(WriteFault::Moved(307)),
            Fate::Answered { status, body, is_json, cut_after } => Ok(said(status, &body, is_json, cut_after)),
        }
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    let oid = "0a".repeat(20);
    let status = prop::sample::select(vec![
        200_u16, 201, 202, 204, 304, 400, 401, 403, 404, 405, 409, 413, 418, 422, 423, 429, 500, 502, 504,
    ]);
    let body = prop::sample::select(vec![
        String::new(),
        format!(r#"{{"message":"{SECRET}","url":"http://{SECRET}"}}"#),
        format!("<html>{SECRET}</html>"),
        format!(
            "{{\"id\":1,\"number\":7,\"title\":\"t\",\"merged\":true,\"state\":\"open\",\"merge_base\":\"{oid}\",\
            \"base\":{{\"repo_id\":1,\"repo\":{{\"id\":1,\"full_name\":\"o/r\"}}}},\"head\":{{\"sha\":\"{oid}\"}}}}"
        ),
        format!("[{{\"ref\":\"refs/pull/7/head\",\"object\":{{\"type\":\"commit\",\"sha\":\"{oid}\"}}}}]"),
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -2 +2 @@\n-a\n+b\n".to_owned(),
        "[]".to_owned(),
    ]);
    prop_oneof![
        1 => Just(Fate::Unsent),
        1 => Just(Fate::Unanswered),
        1 => Just(Fate::Moved),
        9 => (status, body, any::<bool>(), prop::option::weighted(0.2, 0_usize..200)).prop_map(
            |(status, body, is_json, cut_after)| Fate::Answered { status, body, is_json, cut_after }
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// G-160.
    #[test]
    fn a_call_writes_once_at_the_most(tool in 0..TOOLS.len(), fates in prop::collection::vec(fate(), 1..9)) {
        let tool = &TOOLS[tool];
        let forge = Fickle { fates, requests: RefCell::default() };
        let ports = Ports { origin: &forge, write: &forge };
        let outcome = tool.call(ports, &sound(tool.name, "").to_string(), 48_000);
        let writes = forge.requests.borrow().iter().filter(|writes| **writes).count();
        prop_assert!(writes <= 1, "{writes} writes");
        if let Err(refusal) = outcome {
            prop_assert!(!refusal.message.contains(SECRET), "{refusal}");
            // That nothing was changed is said only where it is so.
            let sure = ["nothing was changed", "Nothing was written"].iter().any(|said| refusal.message.contains(said));
            prop_assert!(!(sure && refusal.code == "delivery_uncertain"), "{refusal}");
            prop_assert!(writes == 1 || refusal.code != "delivery_uncertain", "{refusal}");
        }
    }
}
