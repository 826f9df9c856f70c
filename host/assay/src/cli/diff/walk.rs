//! Reads a diff to its end and believes no page: every window is held against its own hash and its place, every page
//! against the first, and what was assembled against the whole's count and hash (D-044).

use anyhow::{Context as _, bail, ensure};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::manifest::{Content, Manifest};

/// One page as the tool writes it, as far as it is checked.
#[derive(Deserialize)]
struct Page {
    manifest: Box<RawValue>,
    byte_offset: u64,
    chunk_bytes: u64,
    data: Option<String>,
    encoding: String,
    text: Option<String>,
    chunk_sha256: String,
    whole_diff_verified: bool,
    eof: bool,
    next_byte_offset: Option<u64>,
    next_cursor: Option<String>,
    slice: Option<Slice>,
}

#[derive(Deserialize)]
struct Slice {
    byte_count: u64,
    sha256: String,
}

/// A diff, or one file's part of it, while it is being read.
#[derive(Default)]
pub(crate) struct Walk {
    digest: Sha256,
    read: u64,
    first: Option<First>,
    done: bool,
}

/// What the first page promised.
struct First {
    manifest: Manifest,
    /// Count and hash of what is read: the whole, or the slice.
    content: Content,
    verified: bool,
}

/// What one page brought.
pub(crate) struct Step {
    pub(crate) bytes: Vec<u8>,
    /// Where to go on; nothing at the end.
    pub(crate) cursor: Option<String>,
    /// The receipt as it came with this page.
    pub(crate) manifest: Box<RawValue>,
}

/// A diff that was read to its end and is what was promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub(crate) manifest: Manifest,
    /// Count and hash of what was read.
    pub(crate) content: Content,
    /// Whether the tool said that it verified the whole.
    pub(crate) verified: bool,
}

impl Walk {
    /// Takes one page.
    ///
    /// # Errors
    /// Where it is not what the pages before it, or it itself, say it is. Nothing of it may be shown then.
    pub(crate) fn take(&mut self, page: &str) -> anyhow::Result<Step> {
        ensure!(!self.done, "a page came after the last one");
        let page: Page = serde_json::from_str(page).context("the answer is no page of a diff")?;
        let bytes = match (page.encoding.as_str(), page.data, page.text) {
            ("base64", Some(data), _) => {
                STANDARD.decode(data).ok().context("the page's data is no canonical base64")?
            }
            ("text", None, Some(text)) => text.into_bytes(),
            _ => bail!("the page does not hold what its encoding says"),
        };
        ensure!(bytes.len() as u64 == page.chunk_bytes, "the page holds another number of bytes than it says");
        ensure!(hex(&Sha256::digest(&bytes)) == page.chunk_sha256, "the page's bytes do not have the page's hash");
        ensure!(page.byte_offset == self.read, "the page does not start where the one before ended");
        let manifest = Manifest::parse(&page.manifest)?;
        let content = match page.slice {
            Some(slice) => Content { bytes: slice.byte_count, sha256: slice.sha256 },
            None => manifest.content.clone(),
        };
        let first = self.first.get_or_insert_with(|| First {
            manifest: manifest.clone(),
            content: content.clone(),
            verified: page.whole_diff_verified,
        });
        let agrees = first.manifest.agrees_with(&manifest) && first.content == content;
        ensure!(
            agrees && first.verified == page.whole_diff_verified,
            "the page is about another diff than the first one"
        );

        self.digest.update(&bytes);
        self.read += page.chunk_bytes;
        self.done = page.eof;
        ensure!(
            page.eof == (self.read == content.bytes),
            "the page ends elsewhere than the diff, or the other way round"
        );
        let goes_on = page.next_cursor.is_some() && page.next_byte_offset == Some(self.read) && page.chunk_bytes > 0;
        let ends = page.next_cursor.is_none() && page.next_byte_offset.is_none();
        ensure!(if page.eof { ends } else { goes_on }, "the page does not say where to go on");
        Ok(Step { bytes, cursor: page.next_cursor, manifest: page.manifest })
    }

    /// Bytes read, and those that there are as far as is known.
    pub(crate) fn progress(&self) -> (u64, Option<u64>) {
        (self.read, self.first.as_ref().map(|first| first.content.bytes))
    }

    /// Compares what was assembled with what was promised.
    ///
    /// # Errors
    /// Where it is not the same, or the end has not come.
    pub(crate) fn finish(self) -> anyhow::Result<Assembled> {
        let Some(First { manifest, content, verified }) = self.first.filter(|_| self.done) else {
            bail!("the diff was not read to its end");
        };
        ensure!(self.read == content.bytes, "what was read has another length than the receipt says");
        ensure!(hex(&self.digest.finalize()) == content.sha256, "what was read does not have the receipt's hash");
        Ok(Assembled { manifest, content, verified })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::diff::manifest::tests::{native, observed};

    const DIFF: &[u8] = b"diff --git a/f b/f\n\xff\x00 and more\n";

    fn page(diff: &[u8], from: usize, to: usize, manifest: &Value) -> Value {
        let window = diff.get(from..to).expect("within");
        let eof = to == diff.len();
        json!({
            "requested": {}, "manifest": manifest, "byte_offset": from, "chunk_bytes": window.len(),
            "data": STANDARD.encode(window), "encoding": "base64", "text": null,
            "chunk_sha256": hex(&Sha256::digest(window)), "whole_diff_verified": true, "eof": eof,
            "next_byte_offset": (!eof).then_some(to), "next_cursor": (!eof).then_some("c"),
        })
    }

    fn pages() -> [Value; 3] {
        let manifest = native(DIFF.len() as u64, &hex(&Sha256::digest(DIFF)));
        [(0, 10), (10, 20), (20, DIFF.len())].map(|(from, to)| page(DIFF, from, to, &manifest))
    }

    fn walk(pages: &[Value]) -> anyhow::Result<(Vec<u8>, Assembled)> {
        let mut walk = Walk::default();
        let mut bytes = Vec::new();
        for page in pages {
            bytes.extend(walk.take(&page.to_string())?.bytes);
        }
        Ok((bytes, walk.finish()?))
    }

    /// D-044: what comes out is what went in, for either receipt, a slice, and nothing at all.
    #[test]
    fn a_walk_assembles_the_diff() {
        let (bytes, assembled) = walk(&pages()).expect("it is whole");
        assert_eq!((bytes.as_slice(), assembled.content.bytes, assembled.verified), (DIFF, DIFF.len() as u64, true));
        let manifest = observed("bracketed", None, 0, &hex(&Sha256::digest(b"")));
        assert_eq!(walk(&[page(b"", 0, 0, &manifest)]).expect("it is whole").0, b"");
        let mut slice = page(b"abc", 0, 3, &native(100, "ab"));
        // What is UTF-8 may come as text alone.
        slice["encoding"] = json!("text");
        slice["text"] = json!("abc");
        slice.as_object_mut().expect("an object").remove("data");
        slice["slice"] =
            json!({"file_path": "f", "section_count": 1, "byte_count": 3, "sha256": hex(&Sha256::digest(b"abc"))});
        assert_eq!(walk(&[slice]).expect("it is whole").1.content.bytes, 3);
    }

    #[test]
    fn a_page_that_lies_is_not_taken() {
        type Lie = fn(&mut [Value; 3]);
        let lies: [(&str, Lie); 16] = [
            ("bytes", |p| p[1]["data"] = json!(STANDARD.encode("other byte"))),
            ("base64", |p| p[1]["data"] = json!("!")),
            ("pad bits", |p| p[2]["data"] = json!("YWJ=")),
            ("count", |p| p[1]["chunk_bytes"] = json!(9)),
            ("hash", |p| p[1]["chunk_sha256"] = json!("0".repeat(64))),
            ("gap", |p| p[1]["byte_offset"] = json!(11)),
            ("again", |p| p[1] = p[0].clone()),
            ("encoding", |p| p[1]["encoding"] = json!("text")),
            ("total", |p| p[1]["manifest"]["content"]["bytes"] = json!(999)),
            ("head", |p| p[2]["manifest"]["generation"]["inputs"]["head"]["oid"] = json!("3")),
            ("verdict", |p| p[2]["whole_diff_verified"] = json!(false)),
            ("early end", |p| p[1]["eof"] = json!(true)),
            ("no end", |p| p[2]["eof"] = json!(false)),
            ("no cursor", |p| p[0]["next_cursor"] = json!(null)),
            ("cursor at the end", |p| p[2]["next_cursor"] = json!("c")),
            ("next", |p| p[0]["next_byte_offset"] = json!(11)),
        ];
        for (what, lie) in lies {
            let mut pages = pages();
            lie(&mut pages);
            assert!(walk(&pages).is_err(), "{what}");
        }
        let [first, second, third] = pages();
        assert!(walk(&[first.clone(), second.clone()]).is_err(), "it has no end");
        assert!(walk(&[first, second, third.clone(), third]).is_err(), "it goes on after the end");
    }

    #[test]
    fn the_whole_is_held_against_its_hash() {
        let manifest = native(3, &"0".repeat(64));
        assert!(walk(&[page(b"abc", 0, 3, &manifest)]).is_err_and(|error| error.to_string().contains("hash")));
        // A window of nothing that is not the end would never end.
        let mut stuck = page(b"abc", 0, 0, &native(3, &hex(&Sha256::digest(b"abc"))));
        stuck["eof"] = json!(false);
        stuck["next_cursor"] = json!("c");
        stuck["next_byte_offset"] = json!(0);
        assert!(walk(&[stuck]).is_err());
    }
}
