//! Values and JSON texts of all awkward kinds, for tests.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Number, Text, Value};

/// Code units at which something changes.
const UNITS: [u16; 22] = [
    0, 0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x1f, 0x22, 0x2f, 0x5c, 0x7e, 0x7f, 0x80, 0x85, 0x7ff, 0x800, 0x2028, 0xd83d,
    0xde00, 0xfeff, 0xfffd, 0xffff,
];

/// Texts at which something changes.
const NUMBERS: [&str; 30] = [
    "0",
    "-0",
    "-1",
    "0.0",
    "-0.0",
    "-0e1",
    "1.0",
    "1.10",
    "1e0",
    "1E+2",
    "1e15",
    "1e16",
    "1e17",
    "123456789012345680.0",
    "0.0001",
    "0.00001",
    "0.00012345",
    "5e-324",
    "2.5e-324",
    "2.4e-324",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1E400",
    "-1e400",
    "1e-400",
    "9007199254740993",
    "9007199254740993.0",
    "1125899906842624.25",
    "1180591620717411303424",
    "18446744073709551616",
];

/// Any text, half of which no database stores.
pub(super) fn text() -> impl Strategy<Value = Text> {
    let storable = "[a-c\"\\\\/~ \n\u{7f}é漢\u{2028}\u{fffd}\u{1f600}]{0,6}".prop_map(Text::from);
    let unit = prop_oneof![select(&UNITS[..]), 0xd7f0..0xe010_u16, any::<u16>()];
    prop_oneof![storable, vec(unit, 0..8).prop_map(Text::from_utf16)]
}

/// Any value, not very deep.
pub(super) fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<i64>().prop_map(Number::from),
        any::<u64>().prop_map(Number::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64),
        number().prop_filter_map("finite", |written| Number::written(&written)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |value| {
        prop_oneof![
            vec(value.clone(), 0..8).prop_map(Value::Array),
            btree_map(text(), value, 0..8).prop_map(Value::Object),
        ]
    })
}

/// A JSON text; some have a number that is too large, or a key twice.
pub(super) fn document() -> impl Strategy<Value = String> {
    let word = select(&["null", "true", "false"][..]).prop_map(str::to_owned);
    let leaf = prop_oneof![1 => word, 3 => number(), 3 => string()];
    leaf.prop_recursive(5, 48, 6, |document| {
        let array = (space(), vec(spaced(document.clone().boxed()), 0..6))
            .prop_map(|(space, items)| format!("[{space}{}]", items.join(",")));
        let member =
            (spaced(string().boxed()), spaced(document.boxed())).prop_map(|(key, value)| format!("{key}:{value}"));
        let object =
            (space(), vec(member, 0..6)).prop_map(|(space, members)| format!("{{{space}{}}}", members.join(",")));
        prop_oneof![array, object]
    })
}

/// A JSON text with one character left out, doubled or replaced, which seldom leaves it one.
pub(super) fn broken() -> impl Strategy<Value = String> {
    (
        document(),
        any::<Index>(),
        select(&["", "0", "-", ".", "e", "\"", "\\", ",", ":", "]", "}", "\n", "é", "\u{0}"][..]),
    )
        .prop_map(|(document, index, other)| {
            let (at, char) = document.char_indices().nth(index.index(document.chars().count())).unwrap();
            format!("{}{other}{}", &document[..at], &document[at + char.len_utf8()..])
        })
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => select(&NUMBERS[..]).prop_map(str::to_owned),
        3 => "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?",
        1 => "-?[1-9][0-9]{300,400}",
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ !#-\\[\\]-~é漢\u{7f}\u{85}\u{2028}\u{fffd}\u{1f600}]{1,3}",
        "\\\\u[0-9a-fA-F]{4}",
        "\\\\u00[01][0-9a-fA-F]",
        "\\\\u[dD][89abcdefABCDEF][0-9a-fA-F]{2}",
        "\\\\[bfnrt\"\\\\/]",
    ];
    vec(piece, 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn spaced(document: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    (space(), document, space()).prop_map(|(before, document, after)| format!("{before}{document}{after}"))
}

fn space() -> impl Strategy<Value = String> {
    "[ \t\n\r]{0,2}"
}
