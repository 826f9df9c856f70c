//! Every case of every tool, natively: the tools over a scripted origin.

use std::{cell::RefCell, collections::VecDeque, path::Path};

use assay_kit::{
    CallResult, Outcome, Runner, ScriptedAnswer,
    case_run::{run_dir, target},
};
use assay_tools_read::{
    TOOLS, find,
    origin::{Answer, Fault, Origin, Pending},
};
use serde_json::{Value, json};

#[test]
fn every_tool_keeps_its_cases() {
    for tool in TOOLS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(tool.name).join("cases");
        run_dir(&folder, &mut Native);
    }
}

/// The list is what `tool.json` files say, and they say enough.
#[test]
fn every_tool_describes_itself() {
    for tool in TOOLS {
        let spec = tool.spec();
        assert!(!spec.title.is_empty() && spec.title.len() <= 60, "{}", tool.name);
        let description = spec.description();
        assert!(description.len() > 80 && description.chars().count() < 2_000, "{}", tool.name);
        assert!(spec.annotations.read_only_hint && !spec.annotations.destructive_hint, "{} only reads", tool.name);
    }
    assert!(TOOLS.is_sorted_by_key(|tool| tool.name));
}

/// D-012, D-013: every bound that a schema publishes is the one that is kept, to the byte, and a refusal names the argument.
#[test]
fn the_schema_is_what_is_kept() {
    for tool in TOOLS {
        let schema: Value = serde_json::from_str(tool.spec().input_schema.get()).expect("a schema is JSON");
        let mut arguments = json!({"owner": "o", "repo": "r", "index": 1});
        for (name, property) in schema["properties"].as_object().expect("an object of properties") {
            let mut probe = |value: Value| {
                let before = arguments[name].take();
                arguments[name] = value;
                let outcome = Native.call(tool.name, &arguments.to_string(), 48_000, Vec::new()).outcome;
                match before {
                    Value::Null => drop(arguments.as_object_mut().expect("an object").remove(name)),
                    before => arguments[name] = before,
                }
                let Outcome::Refused { code, message } = outcome else { panic!("nothing answers here: {outcome:?}") };
                assert!(code != "invalid_argument" || message.contains(&format!("`{name}`")), "{name}: {message}");
                code == "invalid_argument"
            };
            let bound = |bound: &str| property[bound].as_u64();
            if property["type"] == "string" {
                let most = usize::try_from(bound("maxLength").expect("a string has a bound")).expect("small");
                assert!(!probe("x".repeat(most).into()), "{name} of {most} bytes");
                assert!(probe("x".repeat(most + 1).into()), "{name} of {} bytes", most + 1);
                assert_eq!(probe("".into()), bound("minLength") == Some(1), "an empty {name}");
                assert!(probe(7.into()), "{name} as a number");
            } else {
                let (least, most) = (bound("minimum").expect("a bound"), bound("maximum").expect("a bound"));
                assert!(!probe(least.into()) && !probe(most.into()), "{name} within its bounds");
                assert!(probe((least - 1).into()) && probe((most + 1).into()), "{name} outside its bounds");
            }
        }
    }
}

struct Native;

impl Runner for Native {
    fn call(&mut self, tool: &str, arguments: &str, room: u32, forge: Vec<ScriptedAnswer>) -> CallResult {
        let script = Script { left: RefCell::new(forge), seen: RefCell::default() };
        let tool = find(tool).expect("cases stand in their tool's folder");
        let outcome = match tool.call(&script, arguments, usize::try_from(room).expect("small")) {
            Ok(text) => Outcome::Ok(text),
            Err(refusal) => Outcome::Refused { code: refusal.code.into_owned(), message: refusal.message },
        };
        CallResult { outcome, requests: script.seen.into_inner() }
    }
}

struct Script {
    left: RefCell<Vec<ScriptedAnswer>>,
    seen: RefCell<Vec<String>>,
}

impl Origin for Script {
    fn get(&self, path: &[&[u8]], query: &[(&str, &str)]) -> Box<dyn Pending> {
        let target = target(path, query);
        self.seen.borrow_mut().push(target.clone());
        let mut left = self.left.borrow_mut();
        let mut of_target = left.iter().enumerate().filter(|(_, answer)| answer.get == target);
        let first = of_target.next().map(|(at, answer)| (at, answer.clone()));
        let repeated = of_target.next().is_none();
        Box::new(Started(first.map(|(at, answer)| {
            if !repeated {
                left.remove(at);
            }
            answer
        })))
    }
}

struct Started(Option<ScriptedAnswer>);

impl Pending for Started {
    fn wait(self: Box<Self>) -> Result<Box<dyn Answer>, Fault> {
        let answer = self.0.ok_or_else(|| Fault::Transport("the script has no answer".to_owned()))?;
        let status = answer.response.status;
        if (300..400).contains(&status) && status != 304 {
            return Err(Fault::Moved(status));
        }
        let cut = answer.cut_after.unwrap_or(answer.response.body.len());
        let body = answer.response.body.get(..cut).expect("checked when the case was read");
        Ok(Box::new(Said {
            status,
            headers: answer.response.wire_headers(),
            body: body.iter().copied().collect(),
            cut: answer.cut_after.is_some(),
        }))
    }
}

struct Said {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: VecDeque<u8>,
    cut: bool,
}

impl Answer for Said {
    fn status(&self) -> u16 {
        self.status
    }

    fn headers(&self) -> Vec<(String, Vec<u8>)> {
        self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect()
    }

    fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
        if self.body.is_empty() && self.cut {
            return Err(Fault::Transport("the connection broke".to_owned()));
        }
        let count = self.body.len().min(usize::try_from(max).expect("fits")).min(997);
        Ok(self.body.drain(..count).collect())
    }
}
