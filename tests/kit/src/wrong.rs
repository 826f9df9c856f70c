//! Every way in which evidence can be wrong, numbered, so that a suite can go through all and say which is missing.
//!
//! The numbers are those of the catalogue that the contract's D-036b refers to. What goes wrong on the way (cuts, wrong
//! lengths on the wire, redirects) is in [`crate::faulty`]; continuations (52 to 55) take two calls and stay with the tests.

use serde_json::{Value, json};

use crate::{
    evidence::{DataFault, Evidence},
    repository::ObjectFormat,
    response::{Framing, Response},
};

/// A response that must be refused.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Its number in the catalogue.
    pub number: u8,
    /// What is wrong.
    pub why: String,
    /// The response.
    pub response: Response,
}

/// The pull request that the entities are about.
pub const INDEX: u64 = 7;

/// The entity that each wrong one was before one thing was changed: it must be accepted, in either format.
///
/// # Panics
/// Never for the diffs that a test would give: they are padded in base64 and have three groups at least.
#[must_use]
pub fn right(format: ObjectFormat) -> Evidence {
    Evidence::new("diff --git a/xy b/xy\nold mode 100644\nnew mode 100755\n", INDEX, format)
}

/// Every wrong response of the catalogue that one call shows.
#[must_use]
pub fn wrong(format: ObjectFormat) -> Vec<Wrong> {
    let mut all = Collector { format, all: Vec::new() };
    all.transport();
    all.framing();
    all.members();
    all.types();
    all.identity(format);
    all.times();
    all.content();
    all.all
}

/// Numbers that one response cannot show, or that are no fault here: order (18) and an unknown profile (the first half of
/// 35) are accepted; 52 to 55 are continuations; 2 is a redirect, which [`crate::faulty::Fault::Redirect`] makes; 10 is a
/// short body, which [`crate::faulty::Fault::CutThenClose`] makes.
pub const ELSEWHERE: &[u8] = &[2, 10, 18, 52, 53, 54, 55];

struct Collector {
    format: ObjectFormat,
    all: Vec<Wrong>,
}

impl Collector {
    fn transport(&mut self) {
        for status in [201, 203, 206, 304, 404, 409, 500, 503] {
            let response = Response { status, ..self.good() };
            self.push(1, format!("status {status}"), response);
        }
        for (number, name, values) in [
            (
                3,
                "Content-Type",
                &["text/plain; charset=utf-8", "application/octet-stream", "application/jsonp", ""][..],
            ),
            (4, "Cache-Control", &["private", "no-store", "private, no-store, max-age=1", "public, no-store", ""][..]),
            (5, "Accept-Ranges", &["bytes", "none, bytes", ""][..]),
            (8, "Content-Encoding", &["gzip", "identity"][..]),
            (9, "Content-Range", &["bytes 0-9/10"][..]),
        ] {
            for value in values {
                let response = self.good().with(name, value);
                self.push(number, format!("{name}: {value}"), response);
            }
            if number <= 5 {
                let response = self.good().without(name);
                self.push(number, format!("no {name}"), response);
            }
        }
        let good = self.good();
        let length = good.body.len();
        for value in
            [format!("+{length}"), format!("0{length}"), format!("0x{length:x}"), format!("{length}, {length}")]
        {
            self.push(6, format!("Content-Length: {value}"), good.clone().spelled_out().with("Content-Length", value));
        }
        self.push(6, "no Content-Length".into(), good.clone().framed(Framing::UntilClose));
        let twice = good.clone().spelled_out().header("Content-Length", length.to_string());
        self.push(6, "Content-Length twice".into(), twice);
        self.push(7, "Transfer-Encoding".into(), good.framed(Framing::Chunked(vec![64])));
    }

    fn framing(&mut self) {
        for (number, why, after) in [
            (11, "bytes after the value", "x"),
            (12, "a bracket after the value", "}"),
            (12, "a NUL after the value", "\0"),
            (13, "a second value", "{}"),
            (13, "a second value behind a space", " null"),
        ] {
            self.entity(number, why, |good| good.append(after));
        }
        self.entity(14, "a byte-order mark", |good| good.prepend(b"\xef\xbb\xbf"));
        self.entity(15, "invalid UTF-8 in a string", |good| good.raw_replace("2.47.3", b"2.47.\xff"));
        self.entity(15, "an overlong character", |good| good.raw_replace("2.47.3", b"2.47.\xc0\xaf"));
        self.entity(15, "a surrogate in UTF-8", |good| good.raw_replace("2.47.3", b"2.47.\xed\xa0\x80"));
        for (why, from, to) in [
            ("a comment", "\"manifest\":", "/**/\"manifest\":"),
            ("a trailing comma", "\"index\":7}", "\"index\":7,}"),
            ("a leading comma", "{\"schema\"", "{,\"schema\""),
            ("NaN", "\"index\":7", "\"index\":NaN"),
            ("a name without quotes", "\"contract\"", "contract"),
            ("quotes of another kind", "\"contract\"", "'contract'"),
        ] {
            self.entity(21, why, |good| good.raw_replace(from, to));
        }
        for (why, text) in [
            ("a lone high surrogate", "\"\\ud800\""),
            ("a lone low surrogate", "\"\\udc00\""),
            ("surrogates the wrong way round", "\"\\udc00\\ud800\""),
            ("a raw line feed", "\"a\nb\""),
            ("an unknown escape", "\"\\x41\""),
            ("half an escape", "\"\\u00\""),
        ] {
            self.entity(22, why, |good| good.set_raw("/manifest/generation/profile/git_version", text));
        }
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        self.entity(23, "ten thousand arrays", |good| good.set_raw("/manifest/generation/profile/git_version", &deep));
        self.entity(23, "an object for a string", |good| good.set("/manifest/contract", json!({"a": {"b": {}}})));
        let long = "x".repeat(64 * 1_024);
        self.entity(24, "64 KiB of a label", |good| good.set("/manifest/generation/profile/git_version", json!(long)));
        let wide = vec!["x"; 20_000];
        self.entity(24, "60 KB of arguments", |good| good.set("/manifest/generation/profile/arguments", json!(wide)));
        for text in ["[]", "null", "\"text\"", "7", ""] {
            let mut response = self.good();
            response.body = text.as_bytes().to_vec();
            self.push(25, format!("the top level is {text:?}"), response);
        }
    }

    fn members(&mut self) {
        for pointer in right(self.format).pointers() {
            let name = pointer.rsplit('/').next().unwrap_or_default().to_owned();
            self.entity(16, &format!("{pointer} twice"), |good| good.duplicate(&pointer, &name));
            let (first, rest) = name.split_at_checked(1).expect("a name has a first letter");
            let escaped = format!("\\u{:04x}{rest}", first.bytes().next().expect("one byte"));
            self.entity(16, &format!("{pointer} twice, once as {escaped}"), |good| good.duplicate(&pointer, &escaped));
            self.entity(17, &format!("{pointer} missing"), |good| good.remove(&pointer));
            self.entity(17, &format!("{pointer} in capitals"), |good| good.respell(&pointer, &name.to_uppercase()));
        }
        let objects =
            ["", "/manifest", "/manifest/repository", "/manifest/content", "/manifest/generation/inputs/head/ref"];
        for object in objects {
            self.entity(17, &format!("{object}/extra"), |good| good.set(&format!("{object}/extra"), json!(1)));
        }
    }

    fn types(&mut self) {
        let integers = [
            "/manifest/repository/id",
            "/manifest/pull_request/id",
            "/manifest/pull_request/index",
            "/manifest/generation/inputs/merge_base/repository_id",
            "/manifest/generation/inputs/head/repository_id",
            "/manifest/observations/target_tip/repository_id",
            "/manifest/observations/original_fork/repository_id",
            "/manifest/content/bytes",
        ];
        for pointer in integers {
            let manifest = json!({ "manifest": right(self.format).manifest() });
            let have = manifest.pointer(pointer).and_then(Value::as_u64).expect("it is an integer");
            let spellings = [
                format!("\"{have}\""),
                format!("{have}.0"),
                format!("{have}e0"),
                format!("0{have}"),
                format!("+{have}"),
                format!("-{have}"),
                "true".into(),
                "-0".into(),
                "9007199254740992".into(),
                "18446744073709551616".into(),
                format!("[{have}]"),
            ];
            for text in spellings {
                self.entity(19, &format!("{pointer} is {text}"), |good| good.set_raw(pointer, &text));
            }
        }
        let nullable = ["/manifest/observations/original_fork/repository_id", "/manifest/observations/target_tip/oid"];
        for pointer in right(self.format).pointers() {
            if !nullable.contains(&pointer.as_str()) {
                self.entity(20, &format!("{pointer} is null"), |good| good.set_raw(&pointer, "null"));
            }
        }
    }

    fn identity(&mut self, format: ObjectFormat) {
        let (merge_base, head) = ("/manifest/generation/inputs/merge_base", "/manifest/generation/inputs/head");
        self.set(26, "/schema", &[json!("forgejo.pr-diff-evidence.v2"), json!("forgejo.pr-diff-evidence.v1 ")]);
        self.set(26, "/manifest/contract", &[json!("observed"), json!("Observed_Input_Range")]);
        self.set(27, "/manifest/atomic_latest_pr_snapshot", &[json!(true), json!("false"), json!(0)]);
        for pointer in ["/manifest/repository/id", "/manifest/pull_request/id"] {
            self.set(28, pointer, &[json!(0), json!(-1)]);
        }
        self.set(29, "/manifest/pull_request/index", &[json!(8), json!(70)]);
        for input in [merge_base, head] {
            self.set(30, &format!("{input}/repository_id"), &[json!(13)]);
            let oid = format!("{input}/oid");
            let digits = format.hex_digits();
            self.set(
                32,
                &oid,
                &[
                    json!("a".repeat(digits - 1)),
                    json!("a".repeat(digits + 1)),
                    json!("A".repeat(digits)),
                    json!("g".repeat(digits)),
                    json!("0".repeat(digits)),
                    json!(""),
                ],
            );
            self.set(33, &oid, &[json!("a".repeat(104 - digits))]);
            self.set(34, &format!("{input}/source"), &[json!("branch"), json!("pull_json"), json!("")]);
        }
        self.set(34, &format!("{merge_base}/source"), &[json!("hidden_pull_head")]);
        self.set(34, &format!("{head}/source"), &[json!("stored_merge_base")]);
        // In base64: refs/pull/8/head, refs/heads/main, refs/pull/07/head, and the right one with a NUL behind it.
        for other in
            ["cmVmcy9wdWxsLzgvaGVhZA==", "cmVmcy9oZWFkcy9tYWlu", "cmVmcy9wdWxsLzA3L2hlYWQ=", "cmVmcy9wdWxsLzcvaGVhZAA="]
        {
            self.set(31, &format!("{head}/ref/data"), &[json!(other)]);
        }
        self.set(35, "/manifest/generation/profile/binary", &[json!(false), json!(1)]);
        let fork = "/manifest/observations/original_fork";
        self.set(36, &format!("{fork}/resolution"), &[json!("read"), json!("")]);
        self.set(36, &format!("{fork}/generation_input"), &[json!(true), json!("false")]);
        self.set(37, &format!("{fork}/repository_id"), &[json!(0), json!(-1)]);
        let tip = "/manifest/observations/target_tip";
        self.set(38, &format!("{tip}/status"), &[json!("missing"), json!("unknown")]);
        self.entity(38, "present without an id", |good| good.set_raw(&format!("{tip}/oid"), "null"));
    }

    fn times(&mut self) {
        let (captured, generated) = ("/manifest/times/captured_at", "/manifest/times/generated_at");
        let no_times = ["", "2026-12-02", "2026-12-02T01:15:51", "2026-13-02T01:15:51Z", "2026-12-02T01:15:51+01:00"];
        for pointer in [captured, generated] {
            self.set(39, pointer, &no_times.map(|text| json!(text)));
            self.set(39, pointer, &[json!(1_700_000_000)]);
        }
        self.set(39, generated, &[json!("2026-12-02T01:15:51.1Z")]);
    }

    fn content(&mut self) {
        self.set(40, "/manifest/content/encoding", &[json!("base64url"), json!("Base64"), json!("")]);
        for fault in DataFault::ALL {
            let number = match fault {
                DataFault::Foreign | DataFault::UrlSafe | DataFault::Space | DataFault::LineFeed => 41,
                DataFault::Escape | DataFault::Solidus | DataFault::EscapedLineFeed => 42,
                DataFault::Ragged => 43,
                DataFault::MissingPadding | DataFault::EarlyPadding | DataFault::SurplusPadding => 44,
                DataFault::PadBits => 45,
                DataFault::Short | DataFault::Long => 46,
                DataFault::Flipped | DataFault::FlippedLast => 47,
            };
            self.entity(number, &format!("{fault:?}"), |good| good.corrupt(fault));
        }
        let manifest = right(self.format).manifest();
        let bytes = manifest.pointer("/content/bytes").and_then(Value::as_u64).expect("a count");
        let hash = manifest.pointer("/content/sha256").and_then(Value::as_str).expect("a hash").to_owned();
        self.set(46, "/manifest/content/bytes", &[json!(bytes - 1), json!(bytes + 1)]);
        self.set(47, "/manifest/content/sha256", &[json!("0".repeat(64))]);
        let short = hash.get(1..).unwrap_or_default();
        self.set(
            48,
            "/manifest/content/sha256",
            &[json!(hash.to_uppercase()), json!(short), json!(format!("{hash}0"))],
        );
        // The count differs by a whole group of four, so that the length on the wire cannot be right.
        self.set(49, "/manifest/content/bytes", &[json!(bytes + 3), json!(bytes + 3_000_000_000)]);
        self.set(50, "/manifest/content/bytes", &[json!(0)]);
        self.entity(50, "no data for a diff that is not empty", |good| good.set("/data", json!("")));
        let empty = Evidence::new("", INDEX, self.format);
        let bad_hash = empty.clone().set("/manifest/content/sha256", json!(hash));
        self.push(50, "an empty diff with another hash".into(), bad_hash.response());
        self.push(50, "an empty diff with data".into(), empty.set("/data", json!("AAAA")).response());
        for label in [
            "/manifest/generation/inputs/head/ref",
            "/manifest/observations/target_tip/ref",
            "/manifest/observations/original_fork/branch",
        ] {
            self.set(51, &format!("{label}/encoding"), &[json!("utf-8")]);
            // No padding, one bit too many, the URL-safe alphabet, a line feed, not in groups.
            let texts = ["cmVmcw", "cmVmcx==", "cm_-", "cmVm\ncw==", "cmVmc", "cmVmcw==="];
            self.set(51, &format!("{label}/data"), &texts.map(|text| json!(text)));
        }
    }

    fn set(&mut self, number: u8, pointer: &str, values: &[Value]) {
        for value in values {
            self.entity(number, &format!("{pointer} is {value}"), |good| good.set(pointer, value.clone()));
        }
    }

    fn entity(&mut self, number: u8, why: &str, change: impl FnOnce(Evidence) -> Evidence) {
        let response = change(right(self.format)).response();
        self.push(number, why.to_owned(), response);
    }

    fn push(&mut self, number: u8, why: String, response: Response) {
        self.all.push(Wrong { number, why, response });
    }

    fn good(&self) -> Response {
        right(self.format).response()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// D-036b: no number of the catalogue is forgotten, and none is right after all.
    #[test]
    fn the_catalogue_is_whole_and_wrong() {
        for format in ObjectFormat::ALL {
            let good = right(format).response();
            let all = wrong(format);
            for one in &all {
                assert_ne!(one.response.bytes(), good.bytes(), "{}: {}", one.number, one.why);
            }
            let numbers: BTreeSet<u8> = all.iter().map(|one| one.number).chain(ELSEWHERE.iter().copied()).collect();
            assert_eq!(numbers, (1..=55).collect());
            let different: BTreeSet<_> = all.iter().map(|one| (one.number, one.why.as_str())).collect();
            assert_eq!(different.len(), all.len(), "two have the same name");
        }
    }
}
