//! Records, their hashes and fingerprints against those of CPython, which wrote the history.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use proptest::{
    collection::{btree_map, vec},
    prelude::*,
    strategy::ValueTree as _,
    test_runner::TestRunner,
};

use super::desk::{ID, rejected, target};
use crate::{
    Protocol,
    json::{self, Text, Value},
    submit::{Parent, Submission, judge},
};

/// Reads requests, each after its protocol, its parent and its length in bytes, and writes four lines for each: whether it can
/// be stored, its content, the content's hash and the fingerprint.
const SCRIPT: &str = r#"
import hashlib, json, sys

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

def spell(value, ensure_ascii=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, separators=(",", ":"), sort_keys=True)

def sha256(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()

def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)

def is_storable(text):
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in text)

given, at = sys.stdin.buffer.read(), 0
target = sys.argv[1]
while at < len(given):
    start = given.index(b"\n", at) + 1
    protocol, parent, length = given[at:start].decode().split()
    at = start + int(length)
    request = json.loads(given[start:at].decode())
    request.pop("correlation_id", None)
    storable = all(map(is_storable, texts(request)))
    if storable:
        record = {"format": protocol, **request, "target_file_id": target}
        record.pop("client_request_id", None)
        content = spell(record)
        identity = {
            "protocol_version": protocol,
            "target_file_id": target,
            "pdcp_content_hash": sha256(content),
            "expected_target_version": request.get("expected_target_version"),
            "expected_current_hash": request.get("expected_current_hash"),
            "parent_pdcp_log_id": request.get("parent_pdcp_log_id") if parent == "-" else parent,
        }
        fingerprint = sha256(spell(identity))
    else:
        content = spell({"evidence_format": "patchdiff-invalid-input/1", "original": request}, True)
        safe = spell({"protocol_version": protocol, "target_file_id": target})
        fingerprint = sha256("patchdiff-invalid-input/1\0" + sha256(content) + safe)
    lines = "\n".join([str(storable), content, sha256(content), fingerprint]) + "\n"
    sys.stdout.buffer.write(lines.encode("utf-8"))
"#;

/// A request, by the tool that it was given to and the parent that it was found to have.
#[derive(Debug)]
struct Given {
    protocol: Protocol,
    parent: Option<String>,
    request: Value,
}

/// The four lines of each, by CPython.
fn by_python(requests: &[Given]) -> Vec<[String; 4]> {
    let mut python = Command::new("python3")
        .args(["-I", "-c", SCRIPT, ID])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs: the expectations are its own");
    let mut stdin = python.stdin.take().unwrap();
    for Given { protocol, parent, request } in requests {
        let json = request.ascii();
        let head = format!("{} {} {}\n", protocol.name(), parent.as_deref().unwrap_or("-"), json.len());
        stdin.write_all(format!("{head}{json}").as_bytes()).unwrap();
    }
    drop(stdin);
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    let mut lines = output.split_terminator('\n').map(str::to_owned);
    std::iter::from_fn(|| Some([lines.next()?, lines.next()?, lines.next()?, lines.next()?])).collect()
}

/// The same, by a decision that refuses whatever the request says: a row is a row.
fn by_us(given: &Given) -> [String; 4] {
    let parent = given.parent.clone().map_or(Parent::Unfit, Parent::Rejected);
    let submission = Submission {
        observed: None,
        bundle: None,
        protocol: given.protocol,
        request: &given.request,
        keyed: None,
        parent,
    };
    let mut target = target("");
    target.version = 0;
    let rejection = rejected(judge(&target, &submission));
    let is_storable = rejection.reason != crate::Reason::TargetEncodingInvalid;
    let row = rejection.row;
    let storable = if is_storable { "True" } else { "False" };
    [storable.to_owned(), row.pdcp_content, row.pdcp_content_hash.to_string(), row.request_fingerprint.to_string()]
}

fn compare(requests: &[Given]) -> usize {
    let expected = by_python(requests);
    assert_eq!(expected.len(), requests.len());
    for (given, expected) in requests.iter().zip(&expected) {
        assert_eq!(by_us(given), *expected, "{:.400}", given.request.ascii());
    }
    expected.iter().filter(|[storable, ..]| storable == "True").count()
}

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        4 => "[a-c\"\\\\/~ \n\r\t\u{1}\u{7f}é漢\u{2028}\u{fffd}\u{1f600}]{0,8}".prop_map(Text::from),
        1 => vec(prop_oneof![Just(0_u16), 0xd7f0..0xe010_u16, any::<u16>()], 0..4).prop_map(Text::from_utf16),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof!["-?(0|[1-9][0-9]{0,30})", "-?(0|[1-9][0-9]{0,5})\\.[0-9]{1,8}([eE][+-]?[0-9]{1,2})?"];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => number.prop_map(|number| json::read(&number).unwrap()),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |value| {
        let key = prop_oneof!["(match|replace|change_id|op|start)".prop_map(Text::from), text()];
        prop_oneof![
            vec(value.clone(), 0..4).prop_map(Value::Array),
            btree_map(key, value, 0..4).prop_map(Value::Object),
        ]
    })
}

fn requests() -> impl Strategy<Value = Given> {
    let known = concat!(
        "(intent|edits|operations|replacement|expected_target_version|expected_current_hash|source|attempt|rationale",
        "|parent_pdcp_log_id|client_request_id|correlation_id|change_id|risk|format|target_file_id)"
    );
    let key = prop_oneof![8 => known.prop_map(Text::from), 1 => text()];
    let parent = prop_oneof![Just(None), "[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}".prop_map(Some)];
    let protocol = prop_oneof![Just(Protocol::Tx1), Just(Protocol::Tx2), Just(Protocol::Tx3)];
    (protocol, parent, btree_map(key, value(), 0..8)).prop_map(|(protocol, parent, mut members)| {
        // What names the target was found to be a UUID before.
        members.insert(Text::from("target_file_id"), ID.to_uppercase().into());
        members.remove("replacement".as_bytes());
        Given { protocol, parent, request: Value::Object(members) }
    })
}

/// P-059, P-029, P-103, P-106, P-107, P-114, PG-15, PG-26: the content, its hash and the fingerprint are those of `json.dumps`,
/// whatever was submitted.
#[test]
fn records_are_spelled_as_python_spells_them() {
    let mut runner = TestRunner::deterministic();
    let any = requests();
    let requests: Vec<_> = (0..2_000).map(|_| any.new_tree(&mut runner).unwrap().current()).collect();
    let storable = compare(&requests);
    assert!((500..1_900).contains(&storable), "{storable} can be stored");
}

/// P-059, P-029, P-114, PG-15: requests as they are made, and odd ones.
#[test]
fn requests_are_spelled_as_python_spells_them() {
    let long = "é\u{1f600}\\n".repeat(10_000);
    let members = [
        r#""intent":"mend","edits":[{"match":"a\r\nb","replace":"a\nb"}],"expected_target_version":1"#,
        r#""intent":"mend","edits":[{"match":"a","replace":"","change_id":null,"rationale":null,"risk":"low"}],"attempt":2"#,
        r#""z":1,"\ufffd":2,"\ud83d\ude00":3,"a":4,"A":5,"":6,"expected_target_version":1180591620717411303424"#,
        r#""expected_target_version":1.0,"expected_current_hash":1e16,"attempt":-0,"source":-0.0"#,
        r#""expected_target_version":1e-7,"attempt":123456789012345678901234567890.0"#,
        r#""intent":"\/\u007f\u0080\u2028\u2029\u0001\b\f\n\r\t\"\\","expected_target_version":1"#,
        r#""client_request_id":"k","correlation_id":"c","expected_target_version":1"#,
        r#""client_request_id":null,"parent_pdcp_log_id":null,"expected_current_hash":null"#,
        r#""format":"patchdiff-tx/3","expected_target_version":1"#,
        r#""format":null,"expected_target_version":1"#,
        r#""operations":[{"op":"span","start":0,"end":1,"expected_text":"\u0000","replace":""}]"#,
        r#""client_request_id":"\ud800","correlation_id":"\ud801","intent":"\u00e9""#,
        &format!(r#""intent":"{long}","edits":[],"expected_target_version":1"#),
    ];
    let parents = [None, Some("abcdef00-0000-4000-8000-00000000abcd".to_owned())];
    let given = |protocol, parent: &Option<String>, members: &str| {
        let request = json::read(&format!(r#"{{"target_file_id":"{}",{members}}}"#, ID.to_uppercase())).unwrap();
        Given { protocol, parent: parent.clone(), request }
    };
    let mut requests = Vec::new();
    for protocol in [Protocol::Tx1, Protocol::Tx2, Protocol::Tx3] {
        for parent in &parents {
            requests.extend(members.iter().map(|members| given(protocol, parent, members)));
        }
    }
    assert_eq!(compare(&requests), 3 * 2 * 11);
}
