//! `forgejo.pr-diff-evidence.v1`: a right entity by default, and every way to make it wrong.
//!
//! Hash, count and base64 are made with the usual libraries, never with the verifier's own. The member names stand here
//! a second time on purpose: a rename in the verifier has to be a visible change of the tests.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    json::Node,
    repository::ObjectFormat,
    response::{Framing, Response},
};

/// The numeric repository id of a default entity.
pub const REPOSITORY_ID: u64 = 12;
/// The numeric pull request id of a default entity.
pub const PULL_REQUEST_ID: u64 = 34;

/// Builds one entity and the response that carries it.
#[derive(Clone, Debug)]
pub struct Evidence {
    root: Node,
    data: String,
    replacements: Vec<(Vec<u8>, Vec<u8>)>,
    before: Vec<u8>,
    after: Vec<u8>,
    headers: Vec<(String, Vec<u8>)>,
}

/// A way in which `data` is no canonical base64 of the diff (D-018, D-036, facts 41 to 47).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFault {
    /// The last character before the padding has bits that belong to no byte. Needs a diff that is padded.
    PadBits,
    /// The padding is left out. Needs a diff that is padded.
    MissingPadding,
    /// Four padding characters follow what is whole.
    SurplusPadding,
    /// Padding stands before the end. Needs at least two groups of four.
    EarlyPadding,
    /// A space in the middle.
    Space,
    /// A line feed in the middle, raw.
    LineFeed,
    /// A line feed in the middle, escaped.
    EscapedLineFeed,
    /// The URL-safe alphabet.
    UrlSafe,
    /// One character spelled as a `\u` escape.
    Escape,
    /// One character spelled as `\/`.
    Solidus,
    /// A character outside every alphabet.
    Foreign,
    /// One character is another of the alphabet: decodes well, hashes otherwise.
    Flipped,
    /// The last group of four is another of the alphabet: the latest fault there is.
    FlippedLast,
    /// The last group of four is left out.
    Short,
    /// One group of four too many.
    Long,
    /// One character too few: no multiple of four.
    Ragged,
}

impl DataFault {
    /// Each of them, so that a suite can go through all.
    pub const ALL: [Self; 16] = [
        Self::PadBits,
        Self::MissingPadding,
        Self::SurplusPadding,
        Self::EarlyPadding,
        Self::Space,
        Self::LineFeed,
        Self::EscapedLineFeed,
        Self::UrlSafe,
        Self::Escape,
        Self::Solidus,
        Self::Foreign,
        Self::Flipped,
        Self::FlippedLast,
        Self::Short,
        Self::Long,
        Self::Ragged,
    ];
}

impl Evidence {
    /// A right entity about `diff` for pull request `index`, with made-up ids and inputs.
    #[must_use]
    pub fn new(diff: impl AsRef<[u8]>, index: u64, format: ObjectFormat) -> Self {
        let diff = diff.as_ref();
        let label = |name: &str| json!({ "encoding": "base64", "data": STANDARD.encode(name) });
        // A `Value` may sort its members: what has an order that matters is a `Node` from the start.
        let object = |members: &[(&str, Node)]| {
            Node::Object(members.iter().map(|(name, node)| ((*name).to_owned(), node.clone())).collect())
        };
        let leaf = |value: Value| Node::from(&value);
        let oid = |digit: &str| digit.repeat(format.hex_digits());

        let manifest = object(&[
            ("contract", leaf(json!("observed_input_range"))),
            ("atomic_latest_pr_snapshot", leaf(json!(false))),
            ("repository", leaf(json!({ "id": REPOSITORY_ID, "object_format": format.name() }))),
            ("pull_request", leaf(json!({ "id": PULL_REQUEST_ID, "index": index }))),
            (
                "generation",
                object(&[
                    (
                        "profile",
                        leaf(json!({
                            "name": "pr-diff-binary.v1",
                            "arguments": ["diff", "-p", "--binary", "--histogram"],
                            "binary": true,
                            "git_version": "2.47.3",
                        })),
                    ),
                    (
                        "inputs",
                        object(&[
                            (
                                "merge_base",
                                leaf(json!({
                                    "oid": oid("a"),
                                    "source": "stored_merge_base",
                                    "repository_id": REPOSITORY_ID,
                                })),
                            ),
                            (
                                "head",
                                leaf(json!({
                                    "oid": oid("b"),
                                    "source": "hidden_pull_head",
                                    "repository_id": REPOSITORY_ID,
                                    "ref": label(&format!("refs/pull/{index}/head")),
                                })),
                            ),
                        ]),
                    ),
                ]),
            ),
            (
                "observations",
                leaf(json!({
                    "target_tip": {
                        "status": "present",
                        "oid": oid("c"),
                        "repository_id": REPOSITORY_ID,
                        "ref": label("refs/heads/main"),
                    },
                    "original_fork": {
                        "repository_id": 99,
                        "branch": label("topic"),
                        "resolution": "not_read",
                        "generation_input": false,
                    },
                })),
            ),
            (
                "times",
                leaf(json!({
                    "captured_at": "2026-12-02T01:15:51.123456789Z",
                    "generated_at": "2026-12-02T01:15:51.2Z",
                })),
            ),
            ("content", leaf(json!({ "encoding": "base64", "bytes": diff.len(), "sha256": sha256_hex(diff) }))),
        ]);
        Self {
            root: object(&[
                ("schema", leaf(json!("forgejo.pr-diff-evidence.v1"))),
                ("manifest", manifest),
                ("data", Node::Text(String::new())),
            ]),
            data: STANDARD.encode(diff),
            replacements: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            headers: vec![
                ("Content-Type".into(), b"application/json".to_vec()),
                ("Cache-Control".into(), b"private, no-store".to_vec()),
                ("Accept-Ranges".into(), b"none".to_vec()),
            ],
        }
    }

    /// With these commits as the two inputs.
    #[must_use]
    pub fn inputs(self, merge_base: &str, head: &str) -> Self {
        self.set("/manifest/generation/inputs/merge_base/oid", json!(merge_base))
            .set("/manifest/generation/inputs/head/oid", json!(head))
    }

    /// Sets a member, or adds it as the last of an object that is there.
    ///
    /// # Panics
    /// Where the pointer's parent is no object.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "callers write json!(..) in place")]
    pub fn set(self, pointer: &str, value: Value) -> Self {
        let text = value.to_string();
        if pointer == "/data" {
            return self.set_raw(pointer, &text);
        }
        self.put(pointer, Node::from(&value))
    }

    /// Sets a member to a text that need not be JSON: `7.0`, `1e3`, `-0`, `"\ud800"`.
    ///
    /// # Panics
    /// Where the pointer's parent is no object.
    #[must_use]
    pub fn set_raw(mut self, pointer: &str, text: &str) -> Self {
        if pointer == "/data" {
            let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            if let Some(inner) = inner {
                inner.clone_into(&mut self.data);
                return self;
            }
        }
        self.put(pointer, Node::Text(text.to_owned()))
    }

    /// Takes a member out.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn remove(mut self, pointer: &str) -> Self {
        self.root.take(pointer);
        self
    }

    /// Writes a member once more behind itself, with the value it has, its name spelled as given (`"sch\\u0065ma"`).
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn duplicate(mut self, pointer: &str, spelling: &str) -> Self {
        let value = self.written().find(pointer).cloned().unwrap_or_else(|| panic!("there is no {pointer}"));
        self.root.repeat(pointer, spelling, value);
        self
    }

    /// Spells a member's name otherwise; with an escape it is the same name.
    ///
    /// # Panics
    /// Where there is none.
    #[must_use]
    pub fn respell(mut self, pointer: &str, spelling: &str) -> Self {
        self.root.respell(pointer, spelling);
        self
    }

    /// With the members of every object at and below the pointer in reverse order; `""` is the whole entity, which puts
    /// `data` first (D-033, D-035).
    ///
    /// # Panics
    /// Where there is nothing behind the pointer.
    #[must_use]
    pub fn reversed(mut self, pointer: &str) -> Self {
        self.root.reverse(pointer);
        self
    }

    /// Damages `data`.
    ///
    /// # Panics
    /// Where this diff cannot be damaged so: see the variants.
    #[must_use]
    pub fn corrupt(mut self, fault: DataFault) -> Self {
        self.data = damaged(&self.data, fault);
        self
    }

    /// Replaces the first occurrence of `from` in the final bytes.
    ///
    /// # Panics
    /// [`Evidence::body`] panics where `from` does not occur: a test would be about nothing.
    #[must_use]
    pub fn raw_replace(mut self, from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Self {
        self.replacements.push((from.as_ref().to_vec(), to.as_ref().to_vec()));
        self
    }

    /// Puts bytes before the entity: a byte-order mark.
    #[must_use]
    pub fn prepend(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.before = bytes.as_ref().to_vec();
        self
    }

    /// Puts bytes after the entity, counted by its length.
    #[must_use]
    pub fn append(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.after.extend_from_slice(bytes.as_ref());
        self
    }

    /// The pointer of every member of the entity.
    #[must_use]
    pub fn pointers(&self) -> Vec<String> {
        self.root.pointers()
    }

    /// The manifest as a value.
    ///
    /// # Panics
    /// Where it is no JSON any more.
    #[must_use]
    pub fn manifest(&self) -> Value {
        let manifest = self.root.find("/manifest").expect("the test left the manifest in").write();
        serde_json::from_str(&manifest).expect("the test left the manifest JSON")
    }

    /// The entity's bytes.
    ///
    /// # Panics
    /// Where a replacement found nothing to replace.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let mut body = self.written().write().into_bytes();
        for (from, to) in &self.replacements {
            let at = body.windows(from.len().max(1)).position(|window| window == from);
            let at = at.unwrap_or_else(|| panic!("{:?} does not occur", String::from_utf8_lossy(from)));
            body.splice(at..at + from.len(), to.iter().copied());
        }
        [&self.before[..], &body, &self.after].concat()
    }

    /// The entity as the forge sends it: 200, its four fields, a right length (D-069 to D-074).
    #[must_use]
    pub fn response(&self) -> Response {
        let mut response = Response::new(200, self.body()).framed(Framing::Length);
        response.headers.clone_from(&self.headers);
        response
    }

    fn put(mut self, pointer: &str, node: Node) -> Self {
        self.root.put(pointer, node);
        self
    }

    // `data` is large and damaged on its own, so it is put in last; a test that replaced it with something that is no
    // string, or took it out, keeps what it made.
    fn written(&self) -> Node {
        let mut root = self.root.clone();
        if root.find("/data") == Some(&Node::Text(String::new())) {
            root.put("/data", Node::Text(format!("\"{}\"", self.data)));
        }
        root
    }
}

/// SHA-256 as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    use std::fmt::Write as _;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("writing to a string does not fail");
        hex
    })
}

fn damaged(data: &str, fault: DataFault) -> String {
    let middle = data.len() / 8 * 4;
    let (front, back) = data.split_at(middle);
    let (body, padding) = data.split_at(data.find('=').unwrap_or(data.len()));
    let with_at = |at: usize, replace: &dyn Fn(char) -> String| {
        let mut out = String::with_capacity(data.len() + 8);
        for (position, have) in data.chars().enumerate() {
            if position == at { out.push_str(&replace(have)) } else { out.push(have) }
        }
        out
    };
    let last = body.len().checked_sub(1).unwrap_or_else(|| panic!("{fault:?} needs a diff that is not empty"));
    match fault {
        DataFault::PadBits => {
            assert!(!padding.is_empty(), "{fault:?} needs a diff whose length is no multiple of three");
            with_at(last, &|have| sextet_after(have).to_string())
        }
        DataFault::MissingPadding => {
            assert!(!padding.is_empty(), "{fault:?} needs a diff whose length is no multiple of three");
            body.to_owned()
        }
        DataFault::SurplusPadding => format!("{data}===="),
        DataFault::EarlyPadding => {
            assert!(middle >= 4, "{fault:?} needs two groups of four");
            with_at(middle - 1, &|_| "=".into())
        }
        DataFault::Space => format!("{front} {back}"),
        DataFault::LineFeed => format!("{front}\n{back}"),
        DataFault::EscapedLineFeed => format!("{front}\\n{back}"),
        DataFault::UrlSafe => {
            let safe = data.replace('+', "-").replace('/', "_");
            if safe == data { with_at(0, &|_| "-".into()) } else { safe }
        }
        DataFault::Escape => with_at(0, &|have| format!("\\u{:04x}", u32::from(have))),
        DataFault::Solidus => match data.find('/') {
            Some(at) => with_at(at, &|_| "\\/".into()),
            None => with_at(0, &|_| "\\/".into()),
        },
        DataFault::Foreign => with_at(0, &|_| "!".into()),
        DataFault::Flipped => with_at(0, &|have| if have == 'A' { "B".into() } else { "A".into() }),
        DataFault::FlippedLast => {
            // The first character of the last group carries six whole bits: it can change without touching pad bits.
            let at = (data.len() - 1) / 4 * 4;
            with_at(at, &|have| if have == 'A' { "B".into() } else { "A".into() })
        }
        DataFault::Short => data.get(..data.len() - 4).expect("base64 is ASCII in groups of four").to_owned(),
        DataFault::Long => format!("AAAA{data}"),
        DataFault::Ragged => data.get(1..).expect("base64 is ASCII").to_owned(),
    }
}

// The pad bits of a canonical last character are zero, so the next of the alphabet has one set.
fn sextet_after(have: char) -> char {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut alphabet = ALPHABET.chars().skip_while(|c| *c != have).skip(1);
    alphabet.next().expect("a character with zero pad bits is not the alphabet's last")
}

#[cfg(test)]
mod tests;
