//! Runs cases against whatever can call a tool: natively over a scripted origin, or in wasm over a real socket.
//!
//! Beside what a case expects, every answer must be a JSON object that fits its room, every request must be one that the
//! case foresees, with the body it foresees, and a call writes once at the most (G-160).

use std::{fmt, path::Path};

use serde_json::{Map, Value};

use crate::{
    case::{ANY_STRING, Case, CaseSettings, CaseStep, Expectation, NEXT_CURSOR, ScriptedAnswer},
    faulty::Fault,
    scripted::{Delivery, ScriptedForge, Step},
};

/// Something that calls a tool.
pub trait Runner {
    /// A case begins: what one process remembers, its calls share, and no other case's.
    fn begin(&mut self, settings: &CaseSettings);

    /// Calls a tool with arguments as spelled. The forge says what `forge` says, each answer as often as it is asked for;
    /// two answers for one target are given one after the other, the last repeated.
    fn call(&mut self, tool: &str, arguments: &str, room: u32, forge: Vec<ScriptedAnswer>) -> CallResult;
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// The tool's own result.
    pub outcome: Outcome,
    /// Every request that the forge saw, in order.
    pub requests: Vec<Asked>,
}

/// A request that the forge saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The method, in capitals.
    pub method: String,
    /// Path and query below the API root.
    pub target: String,
    /// The body; none is empty.
    pub body: Vec<u8>,
}

impl Asked {
    /// Whether it is no read.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// Whether the answer is to this request, whatever was sent with it.
    #[must_use]
    pub fn is_for(&self, answer: &ScriptedAnswer) -> bool {
        self.method == answer.method && self.target == answer.target
    }

    /// Whether what was sent is what the answer foresees.
    fn sends(&self, answer: &ScriptedAnswer) -> bool {
        let sent = || serde_json::from_slice::<Value>(&self.body).ok();
        answer.body.as_ref().is_none_or(|body| sent().as_ref() == Some(body))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target)
    }
}

/// A tool's own result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The text of an answer.
    Ok(String),
    /// A refusal.
    Refused {
        /// Its code.
        code: String,
        /// Its message.
        message: String,
    },
    /// Neither: a trap, an unknown tool, a protocol error.
    Fault(String),
}

/// Runs every case of a folder.
///
/// # Panics
/// Where a case cannot be read or does not hold; every one that does not is told with its reason and path.
pub fn run_dir(folder: &Path, runner: &mut dyn Runner) {
    let cases = Case::load_dir(folder).unwrap_or_else(|error| panic!("{error:#}"));
    let failures: Vec<String> = cases.iter().filter_map(|case| run(case, runner).err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases do not hold\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

/// Runs one case.
///
/// # Errors
/// What did not hold, with the case's reason and path.
pub fn run(case: &Case, runner: &mut dyn Runner) -> Result<(), String> {
    runner.begin(&case.settings);
    let mut cursor = None;
    for (number, step) in (1..).zip(&case.steps) {
        cursor = run_step(case, step, cursor.as_deref(), runner)
            .map_err(|what| format!("{}\n  why: {}\n  call {number}: {what}", case.path.display(), case.why))?;
    }
    Ok(())
}

/// Scripts the answers of a case on a forge whose API root is `root` (`/api/v1`).
pub fn script_on(forge: &ScriptedForge, root: &str, answers: &[ScriptedAnswer]) {
    for answer in answers {
        let delivery = match answer.cut_after {
            _ if answer.unanswered => Delivery(vec![Step::Close]),
            None => Delivery::from(answer.response.clone()),
            Some(at) => {
                let cut = Fault::CutThenClose(answer.response.head().len() + at).script(&answer.response);
                cut.into_iter().next().expect("a cut is one answer")
            }
        };
        forge.script(answer.method, &format!("{root}{}", answer.target), [delivery]);
    }
}

/// A request target from raw segments and pairs, every byte outside the unreserved ones escaped once, with `%20` for a
/// space: what a host has to make of them, made a second time.
#[must_use]
pub fn target(path: &[&[u8]], query: &[(&str, &str)]) -> String {
    let mut target = String::new();
    for segment in path {
        target.push('/');
        escape_into(segment, &mut target);
    }
    for (number, (name, value)) in query.iter().enumerate() {
        target.push(if number == 0 { '?' } else { '&' });
        escape_into(name.as_bytes(), &mut target);
        target.push('=');
        escape_into(value.as_bytes(), &mut target);
    }
    target
}

// The cursor of the answer, for the next call.
fn run_step(
    case: &Case,
    step: &CaseStep,
    cursor: Option<&str>,
    runner: &mut dyn Runner,
) -> Result<Option<String>, String> {
    let placeholder = Value::from(NEXT_CURSOR).to_string();
    let arguments = if step.arguments.contains(&placeholder) {
        let cursor = cursor.ok_or("the answer before has no next_cursor")?;
        step.arguments.replace(&placeholder, &Value::from(cursor).to_string())
    } else {
        step.arguments.clone()
    };
    let result = runner.call(&case.tool, &arguments, step.room, step.forge.clone());
    foreseen(step, &result.requests).map_err(|what| format!("{what}; the outcome was {:?}", result.outcome))?;
    match (&step.expect, result.outcome) {
        (Expectation::Answer { has, members }, Outcome::Ok(text)) => {
            answered(&text, step.room, has, members.as_deref())
        }
        (Expectation::Refused { codes, has, lacks }, Outcome::Refused { code, message }) => {
            refused(codes, has, lacks, &code, &message).map(|()| None)
        }
        (Expectation::Answer { .. }, other) => Err(format!("an answer was expected, there came {other:?}")),
        (Expectation::Refused { codes, .. }, other) => Err(format!("{codes:?} was expected, there came {other:?}")),
    }
}

fn foreseen(step: &CaseStep, requests: &[Asked]) -> Result<(), String> {
    for request in requests {
        let mut answers = step.forge.iter().filter(|answer| request.is_for(answer)).peekable();
        if answers.peek().is_none() {
            return Err(format!("the forge was asked for {request}, which the case does not foresee"));
        }
        if !answers.any(|answer| request.sends(answer)) {
            let body = String::from_utf8_lossy(&request.body);
            return Err(format!("{request} was sent with {body}, which the case does not foresee"));
        }
        if !request.writes() && !request.body.is_empty() {
            return Err(format!("{request} was sent with a body"));
        }
    }
    let told = || requests.iter().map(Asked::to_string).collect::<Vec<_>>();
    if requests.iter().filter(|request| request.writes()).count() > 1 {
        return Err(format!("one call wrote more than once: {:?}", told()));
    }
    match step.requests {
        Some(count) if count != requests.len() => {
            Err(format!("{count} requests were expected, there were {:?}", told()))
        }
        _ => Ok(()),
    }
}

fn answered(
    text: &str,
    room: u32,
    has: &Map<String, Value>,
    members: Option<&[String]>,
) -> Result<Option<String>, String> {
    let escaped = Value::from(text).to_string().len() - 2;
    if escaped > usize::try_from(room).expect("32 bits fit") {
        return Err(format!("the answer takes {escaped} bytes of {room}"));
    }
    let answer: Value =
        serde_json::from_str(text).map_err(|error| format!("the answer is no JSON: {error}: {text}"))?;
    let Value::Object(answer) = answer else { return Err(format!("the answer is no object: {text}")) };
    differs("", &Value::Object(has.clone()), &Value::Object(answer.clone()))?;
    if let Some(members) = members {
        let mut expected: Vec<&str> = members.iter().map(String::as_str).collect();
        let mut have: Vec<&str> = answer.keys().map(String::as_str).collect();
        expected.sort_unstable();
        have.sort_unstable();
        if expected != have {
            return Err(format!("the members {expected:?} were expected, there are {have:?}"));
        }
    }
    Ok(answer.get("next_cursor").and_then(Value::as_str).map(str::to_owned))
}

fn differs(at: &str, expected: &Value, have: &Value) -> Result<(), String> {
    match (expected, have) {
        (Value::Object(expected), Value::Object(have)) => expected.iter().try_for_each(|(name, expected)| {
            let have = have.get(name).ok_or_else(|| format!("{at}/{name} is missing"))?;
            differs(&format!("{at}/{name}"), expected, have)
        }),
        (Value::String(any), Value::String(have)) if any == ANY_STRING && !have.is_empty() => Ok(()),
        _ if expected == have => Ok(()),
        _ => Err(format!("{at} is {have}, expected {expected}")),
    }
}

fn refused(codes: &[String], has: &[String], lacks: &[String], code: &str, message: &str) -> Result<(), String> {
    if !codes.iter().any(|expected| expected == code) {
        return Err(format!("{codes:?} was expected, there came {code}: {message}"));
    }
    if let Some(missing) = has.iter().find(|part| !message.contains(part.as_str())) {
        return Err(format!("{code} does not say {missing:?}: {message}"));
    }
    match lacks.iter().find(|part| message.contains(part.as_str())) {
        Some(surplus) => Err(format!("{code} says {surplus:?}: {message}")),
        None => Ok(()),
    }
}

fn escape_into(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<CallResult>, Vec<String>);

    impl Runner for Fixed {
        fn begin(&mut self, _: &CaseSettings) {}

        fn call(&mut self, _: &str, arguments: &str, _: u32, _: Vec<ScriptedAnswer>) -> CallResult {
            self.1.push(arguments.to_owned());
            self.0.remove(0)
        }
    }

    fn asked(method: &str, target: &str, body: &str) -> Asked {
        Asked { method: method.into(), target: target.into(), body: body.into() }
    }

    fn ok(text: &str) -> CallResult {
        CallResult { outcome: Outcome::Ok(text.into()), requests: vec![asked("GET", "/a", "")] }
    }

    fn refusal(code: &str, message: &str) -> CallResult {
        let outcome = Outcome::Refused { code: code.into(), message: message.into() };
        CallResult { outcome, requests: Vec::new() }
    }

    fn outcome(expect: &str, results: Vec<CallResult>) -> Result<Vec<String>, String> {
        let text = format!(
            r#"{{"why": "reason", "covers": ["D-001"], "call": {{}}, "room": 60,
                "forge": [{{"get": "/a", "json": {{}}}}, {{"put": "/a", "body": {{"n": 7}}, "json": {{}}}}],
                "expect": {expect}}}"#
        );
        let case = Case::parse(Path::new("t/cases/x.json"), "t".into(), &text).expect("a case");
        let mut runner = Fixed(results, Vec::new());
        run(&case, &mut runner).map(|()| runner.1)
    }

    #[test]
    fn what_holds_holds() {
        let answer = r#"{"a":{"b":1,"c":2},"next_cursor":"x"}"#;
        for expect in [
            r#"{"answer": {"a": {"b": 1}}}"#,
            r#"{"answer": {"next_cursor": "$string"}, "members": ["next_cursor", "a"], "requests": 1}"#,
        ] {
            outcome(expect, vec![ok(answer)]).expect("it holds");
        }
        let expect = r#"{"refused": {"code": ["x", "y"], "has": ["owner"], "lacks": ["secret"]}, "requests": 0}"#;
        outcome(expect, vec![refusal("y", "the owner")]).expect("it holds");
    }

    #[test]
    fn what_does_not_hold_is_told_with_reason_and_path() {
        let answer = r#"{"a":{"b":1},"c":""}"#;
        for (expect, result, told) in [
            (r#"{"answer": {"a": {"b": 2}}}"#, ok(answer), "/a/b is 1, expected 2"),
            (r#"{"answer": {"z": 2}}"#, ok(answer), "/z is missing"),
            (r#"{"answer": {"c": "$string"}}"#, ok(answer), "/c is"),
            (r#"{"answer": {}, "members": ["a"]}"#, ok(answer), "members"),
            (r#"{"answer": {}, "requests": 0}"#, ok(answer), "0 requests"),
            (r#"{"answer": {}}"#, ok(&format!(r#"{{"a":"{}"}}"#, "\\\"".repeat(20))), "bytes of 60"),
            (r#"{"answer": {}}"#, refusal("x", "m"), "an answer was expected"),
            (r#"{"refused": {"code": "x"}}"#, ok(answer), "[\"x\"] was expected"),
            (r#"{"refused": {"code": "x"}}"#, refusal("y", "m"), "y: m"),
            (r#"{"refused": {"code": "x", "has": ["n"]}}"#, refusal("x", "m"), "does not say"),
            (r#"{"refused": {"code": "x", "lacks": ["m"]}}"#, refusal("x", "m"), "says \"m\""),
        ] {
            let failure = outcome(expect, vec![result]).expect_err(expect);
            assert!(failure.contains(told), "{failure}");
            assert!(failure.contains("t/cases/x.json") && failure.contains("why: reason"), "{failure}");
        }
    }

    /// G-160.
    #[test]
    fn requests_are_foreseen_and_write_once() {
        let write = asked("PUT", "/a", "{ \"n\": 7 }");
        for (requests, told) in [
            (vec![asked("GET", "/other", "")], "asked for GET /other"),
            (vec![asked("POST", "/a", "")], "asked for POST /a"),
            (vec![asked("GET", "/a", "x")], "with a body"),
            (vec![asked("PUT", "/a", "{\"n\": 7.0}")], "was sent with {\"n\": 7.0}"),
            (vec![asked("PUT", "/a", "")], "was sent with"),
            (vec![write.clone(), write.clone()], "more than once"),
        ] {
            let other = CallResult { requests, ..ok("{}") };
            let failure = outcome(r#"{"answer": {}}"#, vec![other]).expect_err("unforeseen");
            assert!(failure.contains(told), "{failure}");
        }
        let right = CallResult { requests: vec![asked("GET", "/a", ""), write], ..ok("{}") };
        outcome(r#"{"answer": {}, "requests": 2}"#, vec![right]).expect("it holds");
    }

    #[test]
    fn a_cursor_is_carried_on() {
        let text = r#"{"why": "w", "covers": ["D-014"], "call": {}, "forge": [{"get": "/a", "json": {}}],
            "expect": {"answer": {}},
            "then": [{"call": {"cursor": "$next_cursor"}, "expect": {"answer": {"n": 2}}}]}"#;
        let case = Case::parse(Path::new("x"), "t".into(), text).expect("a case");
        let mut runner = Fixed(vec![ok(r#"{"next_cursor":"q\"x"}"#), ok(r#"{"n":2}"#)], Vec::new());
        run(&case, &mut runner).expect("it holds");
        assert_eq!(runner.1, ["{}", r#"{"cursor": "q\"x"}"#]);
        let mut runner = Fixed(vec![ok(r#"{"next_cursor":null}"#)], Vec::new());
        assert!(run(&case, &mut runner).expect_err("no cursor").contains("no next_cursor"));
    }

    /// Over a socket a script is what it is without one: writes, their bodies, and answers that never come.
    #[test]
    fn a_script_is_the_same_over_a_socket() {
        use std::io::{Read as _, Write as _};

        let text = r#"{"why": "w", "covers": ["G-160"], "call": {}, "forge": [
            {"post": "/a", "body": {"n": 7}, "status": 201, "json": {"id": 1}}, {"put": "/a", "unanswered": true}],
            "expect": {"answer": {}}}"#;
        let case = Case::parse(Path::new("x"), "t".into(), text).expect("a case");
        let forge = ScriptedForge::start();
        script_on(&forge, "/api", &case.steps.first().expect("one").forge);
        let exchange = |method: &str| {
            let mut stream = std::net::TcpStream::connect(forge.address()).expect("the forge listens");
            let body = format!("{{\"n\":7,\"long\":\"{}\"}}", "x".repeat(2 << 20));
            let head =
                format!("{method} /api/a HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).expect("the forge reads");
            stream.shutdown(std::net::Shutdown::Write).expect("the forge may still answer");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("the forge ends well");
            answer
        };
        assert!(exchange("POST").starts_with("HTTP/1.1 201 "));
        assert_eq!(exchange("PUT"), "");
        let requests = forge.requests();
        assert!(requests.iter().all(|request| request.foreseen && request.body.len() > 2 << 20));
    }

    #[test]
    fn targets_are_escaped_once() {
        assert_eq!(target(&[b"a b", b"%25", b"\xe9~"], &[("x", "1+1"), ("y", "&")]), "/a%20b/%2525/%E9~?x=1%2B1&y=%26");
    }
}
