//! The spellings against those of CPython itself, which wrote the history.

use std::io::Write as _;
use std::process::{Command, Stdio};

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;

use super::{documents, read};

/// Reads documents, each after its length in bytes, and writes two lines for each: the ASCII and the canonical spelling.
const SCRIPT: &str = r#"
import json, sys

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

def members(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found

def constant(name):
    raise ValueError(name)

def spell(value, ensure_ascii):
    return json.dumps(value, ensure_ascii=ensure_ascii, separators=(",", ":"), sort_keys=True, allow_nan=False)

given, at = sys.stdin.buffer.read(), 0
while at < len(given):
    start = given.index(b"\n", at) + 1
    at = start + int(given[at:start])
    try:
        value = json.loads(given[start:at].decode(), object_pairs_hook=members, parse_constant=constant)
        ascii = spell(value, True).encode("ascii")
    except ValueError:
        ascii = canonical = b"refused"
    else:
        try:
            canonical = spell(value, False).encode("utf-8")
        except UnicodeEncodeError:
            canonical = b"surrogate"
    sys.stdout.buffer.write(ascii + b"\n" + canonical + b"\n")
"#;

/// The two lines of each document, by CPython.
fn by_python(documents: &[String]) -> Vec<(String, String)> {
    let mut python = Command::new("python3")
        .args(["-I", "-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs: the expectations are its own");
    let given: String = documents.iter().map(|document| format!("{}\n{document}", document.len())).collect();
    python.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    let mut lines = output.split_terminator('\n').map(str::to_owned);
    let pairs = std::iter::from_fn(|| Some((lines.next()?, lines.next()?))).collect::<Vec<_>>();
    assert_eq!(pairs.len(), documents.len());
    pairs
}

/// The two lines of a document, by this crate.
fn by_us(document: &str) -> (String, String) {
    match read(document) {
        Err(_) => ("refused".into(), "refused".into()),
        Ok(value) => (value.ascii(), value.canonical().unwrap_or_else(|_| "surrogate".into())),
    }
}

fn compare(documents: &[String]) -> Vec<(String, String)> {
    let expected = by_python(documents);
    for (document, expected) in documents.iter().zip(&expected) {
        assert!(by_us(document) == *expected, "{document:.400}\nis to be {:.400}\nand {:.400}", expected.0, expected.1);
    }
    expected
}

/// The same documents in every run.
fn some(count: usize, strategy: impl Strategy<Value = String>) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// P-059, PG-15, P-103: both spellings of what is JSON are those of `json.dumps`.
#[test]
fn documents_are_spelled_as_python_spells_them() {
    let expected = compare(&some(1_000, documents::document()));
    let refused = expected.iter().filter(|(ascii, _)| ascii == "refused").count();
    let surrogate = expected.iter().filter(|(_, canonical)| canonical == "surrogate").count();
    assert!(refused > 10 && surrogate > 100 && refused + surrogate < 700, "{refused} refused, {surrogate} surrogates");
}

/// PG-15: what `json.loads` does not take is not taken, and nothing less.
#[test]
fn texts_are_refused_as_python_refuses_them() {
    let mut texts = some(1_000, documents::broken());
    let outside =
        ["", " ", "NaN", "[Infinity]", "-Infinity", "\u{feff}1", "1 1", "'a'", "\u{a0}1", "01", "-", "tru", "\"\t\""];
    texts.extend(outside.map(str::to_owned));
    let refused = compare(&texts).iter().filter(|(ascii, _)| ascii == "refused").count();
    assert!(refused > 400 && refused < texts.len() - 100, "{refused} refused");
}

/// PG-15: doubles of every size, and those where the shortest spelling is a matter of rounding.
#[test]
fn doubles_are_spelled_as_python_spells_them() {
    let powers = (-1_074..1_024).flat_map(|power| {
        let double = 2_f64.powi(power.max(-1_022)) * 2_f64.powi(power.min(-1_022) + 1_022);
        [double, double.next_down(), double.next_up()]
    });
    let tens = (-330..309).map(|power| format!("1e{power}"));
    // Half way between two spellings of one length: the spacing of doubles is a quarter, then an eighth.
    let ties = (0..2_000_u32).flat_map(|step| {
        let step = f64::from(step);
        [2_f64.powi(50) + step / 4.0, 2_f64.powi(49) + step / 8.0, 2_f64.powi(53) + step * 2.0]
    });
    // Any bits, by a fixed sequence.
    let any = std::iter::successors(Some(1_u64), |bits| {
        Some(bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    });
    let any = any.take(20_000).map(|bits| f64::from_bits(bits ^ bits >> 31)).filter(|double| double.is_finite());
    let written = powers.chain(ties).chain(any).map(|double| format!("{double:e}"));
    compare(&written.chain(tens).collect::<Vec<_>>());
}

/// PG-15: long texts of numbers, where the exponent undoes what the digits do.
#[test]
fn long_numbers_are_spelled_as_python_spells_them() {
    let zeros = "0".repeat(70_000);
    // Between the largest double and what would be the next: from there on a number is too large.
    let nines = "9".repeat(70_000);
    let halfway = concat!(
        "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963",
        "3028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027",
        "0069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
    );
    let below = halfway.replace("4497792", "4497791");
    let expected = compare(&[
        format!("0.{zeros}1e70001"),
        format!("-1{zeros}e-70000"),
        format!("1{zeros}"),
        format!("1{zeros}.0"),
        format!("0.{zeros}{zeros}e999999999"),
        format!("1.{zeros}1"),
        format!("1.5{zeros}e+0000000000000000000000000000000000000003"),
        format!("9007199254740993.{zeros}"),
        format!("9007199254740993.{zeros}1"),
        format!("{halfway}.{zeros}"),
        format!("{below}.{nines}"),
        "1e-99999999999999999999999999".into(),
        "1e99999999999999999999999999".into(),
        "0e99999999999999999999999999".into(),
    ]);
    let refused = expected.iter().filter(|(ascii, _)| ascii == "refused").count();
    assert_eq!(refused, 3, "as much as half way is too large");
}
