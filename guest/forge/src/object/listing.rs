//! A tree written anew from the forge's JSON listing, for a forge that gives trees in no other form (O-010).
//!
//! The listing shows names as text and repairs what is no UTF-8, so it is not believed either: the bytes that are written
//! here are a tree only if they have its id, which a repaired name, a missing entry or another order would change.

use std::borrow::Cow;

use serde::Deserialize;

use super::Fault;
use crate::{
    Error, ObjectId,
    json::{Members, Reader, Take},
    lenient::Scalar,
};

/// Nesting: the answer, its list, an entry, and what is in members that are not looked at.
const DEPTH: usize = 8;
/// Bytes of one page's list: a thousand entries of a kilobyte.
const PAGE_BYTES: usize = 1024 * 1024;
/// Bytes of a member that is not looked at.
const OTHER_BYTES: usize = 16 * 1024;
/// Pages of one listing: forges give a thousand entries a page, or a hundred where they were told to.
const MOST_PAGES: u32 = 1_000;

/// Reads the pages of `GET /git/trees/{oid}`, not recursive, from the first on.
#[derive(Debug)]
pub struct TreeAnswer {
    reader: Reader,
    page: Page,
    pages: u32,
    entries: u64,
    most: u64,
    tree: Vec<u8>,
    sizes: Vec<Option<u64>>,
}

#[derive(Debug, Default)]
struct Page {
    member: Member,
    list: Option<String>,
    total: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Member {
    List,
    Total,
    #[default]
    Other,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow)]
    mode: Cow<'a, str>,
    #[serde(borrow)]
    sha: Cow<'a, str>,
    #[serde(default)]
    size: Scalar,
}

impl TreeAnswer {
    /// Takes the listing of a tree of at most `most` bytes.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Self {
            reader: reader(),
            page: Page::default(),
            pages: 0,
            entries: 0,
            most,
            tree: Vec::new(),
            sizes: Vec::new(),
        }
    }

    /// Takes the next bytes of the current page, split anywhere.
    ///
    /// # Errors
    /// What is wrong with the page; the listing is of no use then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.reader.feed(bytes, &mut self.page).map_err(Fault::told)
    }

    /// The current page is over. Gives the number of the page that has to be asked for next, counted from 1; nothing where
    /// the listing is over.
    ///
    /// # Errors
    /// What is wrong with the page, [`Fault::TooLarge`] where the tree has become too large.
    pub fn end_page(&mut self) -> Result<Option<u32>, Fault> {
        std::mem::replace(&mut self.reader, reader()).finish()?;
        let Page { list, total, .. } = std::mem::take(&mut self.page);
        let list = list.ok_or(Fault::Answer)?;
        let total = total.ok_or(Fault::Answer)?;
        // A page past the end, and the page of the empty tree, has null.
        let entries: Option<Vec<Entry<'_>>> = serde_json::from_str(&list).map_err(|_| Fault::Answer)?;
        let entries = entries.unwrap_or_default();
        for entry in &entries {
            self.add(entry)?;
        }
        self.pages += 1;
        // `truncated` says the same on some forges and something else on others; the total does not.
        if self.entries >= total || entries.is_empty() {
            return Ok(None);
        }
        if self.pages < MOST_PAGES { Ok(Some(self.pages + 1)) } else { Err(Fault::TooLarge) }
    }

    /// The tree's bytes, if all pages were right.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.tree
    }

    /// The same, with what the listing says of each entry's size, which no id vouches for.
    #[must_use]
    pub fn finish_with_sizes(self) -> (Vec<u8>, Vec<Option<u64>>) {
        (self.tree, self.sizes)
    }

    fn add(&mut self, entry: &Entry<'_>) -> Result<(), Fault> {
        let id = ObjectId::from_hex(&entry.sha).map_err(|_| Fault::Answer)?;
        // Trees write a folder's mode without the leading zero that listings show.
        let mode = entry.mode.trim_start_matches('0');
        let length = mode.len() + entry.path.len() + id.as_bytes().len() + 2;
        if length as u64 > self.most.saturating_sub(self.tree.len() as u64) {
            return Err(Fault::TooLarge);
        }
        for part in [mode.as_bytes(), b" ", entry.path.as_bytes(), b"\0", id.as_bytes()] {
            self.tree.extend_from_slice(part);
        }
        self.entries += 1;
        self.sizes.push(if let Scalar::Integer(size) = entry.size { Some(size) } else { None });
        Ok(())
    }
}

fn reader() -> Reader {
    Reader::new(DEPTH).with_scalars()
}

impl Members for Page {
    fn member(&mut self, name: &str) -> Result<Take, Error> {
        let (member, most) = match name {
            "tree" => (Member::List, PAGE_BYTES),
            "total_count" => (Member::Total, 20),
            _ => (Member::Other, OTHER_BYTES),
        };
        self.member = member;
        Ok(Take::Capture { most })
    }

    fn captured(&mut self, raw: String) -> Result<(), Error> {
        match self.member {
            Member::List => self.list = Some(raw),
            Member::Total => self.total = Some(raw.parse().map_err(|_| Fault::Answer)?),
            Member::Other => {}
        }
        Ok(())
    }

    fn stream_begins(&mut self, _: u64) -> Result<(), Error> {
        Err(Fault::Answer.into())
    }

    fn streamed(&mut self, _: &[u8]) -> Result<(), Error> {
        Err(Fault::Answer.into())
    }

    fn stream_ends(&mut self) -> Result<(), Error> {
        Err(Fault::Answer.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::object::{Kind, Object};

    /// git's own tree of a file, a folder and a name that JSON has to escape.
    fn page(entries: &[&str], total: u64) -> String {
        let mut text = String::from(r#"{"sha":"x","url":"http://x","tree":["#);
        let id = "ce013625030ba8dba906f756967f9e9ca394464a";
        for (at, entry) in entries.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(text, r#"{comma}{{{entry},"type":"blob","size":6,"sha":"{id}","url":""}}"#).expect("to memory");
        }
        write!(text, r#"],"truncated":true,"page":1,"total_count":{total}}}"#).expect("to memory");
        text
    }

    fn read(pages: &[&str], most: u64) -> Result<Vec<u8>, Fault> {
        let mut answer = TreeAnswer::new(most);
        let mut next = Some(1);
        for (number, page) in (1..).zip(pages) {
            assert_eq!(next, Some(number));
            page.as_bytes().chunks(7).try_for_each(|piece| answer.feed(piece))?;
            next = answer.end_page()?;
        }
        assert_eq!(next, None);
        Ok(answer.finish())
    }

    /// O-010: pages in a row give the tree, whatever `truncated` says.
    #[test]
    fn pages_become_a_tree() {
        let first = page(&[r#""path":"a\u003cé","mode":"100644""#, r#""path":"b","mode":"040000""#], 3);
        let second = page(&[r#""path":"c","mode":"160000""#], 3);
        let id: &[u8] = b"\xce\x01\x36\x25\x03\x0b\xa8\xdb\xa9\x06\xf7\x56\x96\x7f\x9e\x9c\xa3\x94\x46\x4a";
        let tree = ["100644 a<é\0".as_bytes(), id, b"40000 b\0", id, b"160000 c\0", id].concat();
        assert_eq!(read(&[&first, &second], 1_000), Ok(tree.clone()));
        assert_eq!(read(&[&first, &second], tree.len() as u64), Ok(tree.clone()));
        assert_eq!(read(&[&first, &second], tree.len() as u64 - 1), Err(Fault::TooLarge));
        let empty = r#"{"tree":null,"truncated":false,"page":1,"total_count":0}"#;
        let empty = read(&[empty], 0).expect("no entry");
        let id = ObjectId::from_hex("4b825dc642cb6eb9a060e54bf8d69288fbee4904").expect("an id");
        assert!(Object::checked(id, Kind::Tree, empty).is_ok());
    }

    /// O-010: a listing that ends early ends, and has not the tree's id; another form is refused.
    #[test]
    fn other_listings_are_refused() {
        let first = page(&[r#""path":"a","mode":"100644""#], 2);
        let past = r#"{"tree":null,"truncated":true,"page":2,"total_count":2}"#;
        assert!(read(&[&first, past], 1_000).is_ok_and(|tree| tree.len() == 29));
        for (text, fault) in [
            (r#"{"tree":[]}"#, Fault::Answer),
            (r#"{"total_count":1}"#, Fault::Answer),
            (r#"{"tree":{},"total_count":1}"#, Fault::Answer),
            (r#"{"tree":[{"path":"a"}],"total_count":1}"#, Fault::Answer),
            (r#"{"tree":[{"path":"a","mode":"100644","sha":"zz"}],"total_count":1}"#, Fault::Answer),
            (r#"{"tree":null,"total_count":"1"}"#, Fault::Answer),
            (r#"{"message":"object does not exist","url":"http://forge"}"#, Fault::Answer),
        ] {
            assert_eq!(read(&[text], 1_000), Err(fault), "{text}");
        }
        let mut endless = TreeAnswer::new(1 << 20);
        let one = page(&[r#""path":"a","mode":"100644""#], u64::MAX >> 11);
        let ended = (0..).find_map(|_| {
            endless.feed(one.as_bytes()).expect("sound");
            endless.end_page().err()
        });
        assert_eq!((ended, endless.pages), (Some(Fault::TooLarge), MOST_PAGES));
    }
}
