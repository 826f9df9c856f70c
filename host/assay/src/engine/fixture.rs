//! A component that misbehaves in every way a component can, for the tests: written by hand against the canonical ABI
//! of `wit/`, so that a plain `cargo test` needs no second toolchain step for it.

use std::fmt::Write as _;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Its tools, each told from the others by its first letter.
pub(super) const TOOLS: &[&str] = &[
    "ask",    // gets one path, waits for the answer and says `answer` or `fault`
    "bare",   // refuses without a code
    "echo",   // answers with its arguments
    "forge",  // uses a handle that it was not given
    "grow",   // takes memory without end
    "hoard",  // starts requests without end
    "join",   // takes a turn, then does as `ask`
    "look",   // says `seen` where it finds an environment or arguments, else `none`
    "nap",    // pauses ten times for ten milliseconds, then does as `echo`
    "paint",  // writes to each page of 48 MiB, then does as `ask`
    "refuse", // refuses properly
    "spin",   // computes without end
    "trap",   // executes what cannot be
];

/// Bytes of memory that the fixture starts with, and that `paint` has written to.
const FIRST: u32 = 2 << 16;
pub(super) const PAINTED: u32 = 48 << 20;

/// The world of the tools, with what the standard library adds to it.
const WORLD: &str = "
package test:hostile;

world hostile {
    include assay:ports/tools-read@0.1.0;
    import wasi:cli/environment@0.2.6;
    EXTRA
}

package wasi:cli@0.2.6 {
    interface environment {
        get-environment: func() -> list<tuple<string, string>>;
        get-arguments: func() -> list<string>;
    }
}

package wasi:clocks@0.2.6 {
    interface wall-clock {
        now: func() -> u64;
    }
}
";

/// The component.
pub(super) fn hostile() -> Vec<u8> {
    component("", "", TOOLS)
}

/// The same, which also wants the time of day.
pub(super) fn greedy() -> Vec<u8> {
    let import = "(import \"wasi:clocks/wall-clock@0.2.6\" \"now\" (func (result i64)))";
    component("import wasi:clocks/wall-clock@0.2.6;", import, TOOLS)
}

/// The same, with other tools in its list.
pub(super) fn offering(tools: &[&str]) -> Vec<u8> {
    component("", "", tools)
}

fn component(extra: &str, import: &str, tools: &[&str]) -> Vec<u8> {
    let mut resolve = Resolve::default();
    resolve.push_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../wit")).expect("wit/ is sound");
    let package = resolve.push_str("hostile.wit", &WORLD.replace("EXTRA", extra)).expect("the world is sound");
    let world = resolve.select_world(&[package], Some("hostile")).expect("it is there");
    let mut module = wat::parse_str(module(import, tools)).expect("the module is sound");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the world fits");
    let mut encoder = ComponentEncoder::default().validate(true).module(&module).expect("the module fits the world");
    encoder.encode().expect("it is a component")
}

/// Texts at their places in memory; the tool list and its strings follow at 0x2000.
const DATA: &str = r#"
    (data (i32.const 0x100) "user")
    (data (i32.const 0x110) "\00\01\00\00\04\00\00\00") ;; one segment: 0x100, 4 bytes
    (data (i32.const 0x120) "answer")
    (data (i32.const 0x128) "fault")
    (data (i32.const 0x130) "seen")
    (data (i32.const 0x138) "none")
    (data (i32.const 0x140) "No Code")
    (data (i32.const 0x148) "no_way")
    (data (i32.const 0x150) "because\n")
"#;

fn module(import: &str, tools: &[&str]) -> String {
    let letter = |tool: &str| tool.as_bytes().first().copied().expect("every tool has a name");
    let on = |tool: &str, code: &str| {
        format!("(if (i32.eq (local.get $first) (i32.const {})) (then {code}))\n", letter(tool))
    };
    let get = |caller: &str| {
        format!(
            "(call $get {caller} (i32.const 0x110) (i32.const 1) (i32.const 0) (i32.const 0)
            (i32.const 0) (i64.const 0) (i64.const 0))"
        )
    };
    let mine = "(local.get $caller)";
    let refuse = |code: u32, code_len: u32| {
        format!(
            "(call $drop {mine})
            (i32.store8 (i32.const 0x400) (i32.const 1)) (i32.store8 (i32.const 0x404) (i32.const 1))
            (i32.store (i32.const 0x408) (i32.const {code})) (i32.store (i32.const 0x40c) (i32.const {code_len}))
            (i32.store (i32.const 0x410) (i32.const 0x150)) (i32.store (i32.const 0x414) (i32.const 8))
            (return (i32.const 0x400))"
        )
    };
    let say = |text: u32, bytes: u32| {
        format!("(local.set $text (i32.const {text})) (local.set $text-len (i32.const {bytes}))")
    };
    let ask = format!(
        "(call $wait {} (i32.const 0x440))
            (if (i32.load8_u (i32.const 0x440)) (then {}) (else {}))",
        get(mine),
        say(0x128, 5),
        say(0x120, 6),
    );
    let times = |count: u32, body: &str| {
        format!(
            "(local.set $count (i32.const {count}))
            (loop $again
                (local.set $count (i32.sub (local.get $count) (i32.const 1)))
                {body}
                (br_if $again (local.get $count)))"
        )
    };
    let body = [
        on("ask", &ask),
        on("bare", &refuse(0x140, 7)),
        on("forge", &format!("(drop {})", get("(i32.const 99)"))),
        on("grow", "(loop $again (drop (memory.grow (i32.const 1))) (br $again))"),
        on("hoard", &format!("(loop $again (drop {}) (br $again))", get(mine))),
        on("join", &format!("(drop (call $take-turn)) {ask}")),
        on(
            "look",
            &format!(
                "(call $environment (i32.const 0x480)) (call $arguments (i32.const 0x490))
            (if (i32.or (i32.load (i32.const 0x484)) (i32.load (i32.const 0x494))) (then {}) (else {}))",
                say(0x130, 4),
                say(0x138, 4),
            ),
        ),
        on("nap", &times(10, "(call $pause (i32.const 10))")),
        on(
            "paint",
            &format!(
                "(drop (memory.grow (i32.const {}))) {} {ask}",
                (PAINTED - FIRST) / 0x10000,
                times(
                    (PAINTED - FIRST) / 0x1000,
                    &format!("(i32.store8 (i32.add (i32.const {FIRST}) (i32.shl (local.get $count) (i32.const 12))) (i32.const 1))"),
                ),
            ),
        ),
        on("refuse", &refuse(0x148, 6)),
        on("spin", "(loop $again (br $again))"),
        on("trap", "(unreachable)"),
    ]
    .concat();
    let (list, count) = (list(tools), tools.len());
    format!(
        r#"(module
    {import}
    (import "assay:ports/callers@0.1.0" "[resource-drop]caller" (func $drop (param i32)))
    (import "assay:ports/origin-read@0.1.0" "get" (func $get (param i32 i32 i32 i32 i32 i32 i64 i64) (result i32)))
    (import "assay:ports/origin-read@0.1.0" "[method]pending.wait" (func $wait (param i32 i32)))
    (import "assay:ports/reading@0.1.0" "take-turn" (func $take-turn (result i32)))
    (import "assay:ports/reading@0.1.0" "pause" (func $pause (param i32)))
    (import "wasi:cli/environment@0.2.6" "get-environment" (func $environment (param i32)))
    (import "wasi:cli/environment@0.2.6" "get-arguments" (func $arguments (param i32)))
    (memory (export "memory") 2)
    {DATA}
    {list}
    (global $next (mut i32) (i32.const 0x10000))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (local $at i32)
        (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
        (global.set $next (i32.add (local.get $at) (local.get 3)))
        (local.get $at))
    (func (export "assay:ports/tools@0.1.0#list-tools") (result i32)
        (i32.store (i32.const 0x400) (i32.const 0x2000))
        (i32.store (i32.const 0x404) (i32.const {count}))
        (i32.const 0x400))
    (func (export "assay:ports/tools@0.1.0#call-tool")
        (param $caller i32) (param $name i32) (param $name-len i32) (param $text i32) (param $text-len i32)
        (param $room i32) (result i32)
        (local $first i32) (local $count i32)
        (local.set $first (i32.load8_u (local.get $name)))
        {body}
        (call $drop (local.get $caller))
        (i32.store8 (i32.const 0x400) (i32.const 0))
        (i32.store (i32.const 0x404) (local.get $text))
        (i32.store (i32.const 0x408) (local.get $text-len))
        (i32.const 0x400)))"#
    )
}

/// The records of `list-tools`: five strings and four booleans each.
fn list(tools: &[&str]) -> String {
    const SCHEMA: &str = r#"{"type":"object"}"#;
    let (mut records, mut texts, at) = (Vec::new(), String::new(), 0x4000);
    for tool in tools {
        for text in [*tool, "Title", "pulls", "Description.", SCHEMA] {
            records.extend(u32::to_le_bytes(at + u32::try_from(texts.len()).expect("few")));
            records.extend(u32::to_le_bytes(u32::try_from(text.len()).expect("few")));
            texts.push_str(text);
        }
        records.extend([1, 0, 1, 1]);
    }
    let mut data = "(data (i32.const 0x2000) \"".to_owned();
    for byte in records {
        write!(data, "\\{byte:02x}").expect("writing to a string does not fail");
    }
    write!(data, "\")\n(data (i32.const {at}) \"{}\")", texts.replace('"', "\\22")).expect("as above");
    data
}
