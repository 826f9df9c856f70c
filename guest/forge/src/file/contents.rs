//! The forge's answer with a file's content: decoded and hashed as it streams by, of which only the beginning is kept.
//!
//! `{"name":"a","path":"d/a","sha":"<id>","type":"file","size":6,"encoding":"base64","content":"<base64>",…}`. No returned
//! URL is looked at (F-017), and `last_commit_sha` is nothing that was asked for (F-008).

use super::{Fault, Kind, What, shown};
use crate::{
    Error, ObjectFormat, ObjectId, RepoPath, Verified,
    base64::Decoder,
    json::{self, Members, Reader, Take},
    object::{self, Hasher, Object},
};

/// Bytes that are kept from the beginning of a file on: as many as an answer can show at the most.
pub const HELD_BYTES: usize = 49_000;
/// Bytes of a content that is read at the most: as base64, 16 MiB, above what forges give of themselves. An operator may let
/// his forge give more; what is longer is read as a part then, as what the forge withholds.
const MOST_BYTES: u64 = 12 * 1024 * 1024;
/// Nesting of what is in members that are not looked at.
const DEPTH: usize = 8;
/// Bytes of the path, and of a member that is not looked at: URLs hold the path, each byte of it escaped.
const OTHER_BYTES: usize = 128 * 1024;

/// Reads the answer of `GET /contents/{path}` for one file.
#[derive(Debug)]
pub struct ContentsAnswer {
    reader: Reader,
    read: Read,
    begun: bool,
}

/// A file as the forge has it at a commit.
#[derive(Debug)]
pub struct Contents {
    /// Its object.
    pub blob: ObjectId,
    /// Its bytes.
    pub size: u64,
    /// Its beginning, up to [`HELD_BYTES`], where all of the file came and had its id; nothing where the content has to be
    /// read elsewhere (F-018).
    pub held: Option<Verified<Vec<u8>>>,
}

#[derive(Debug)]
struct Read {
    format: ObjectFormat,
    /// The path as JSON can show it.
    path: String,
    decoder: Decoder,
    held: Vec<u8>,
    count: u64,
    /// Where the size came before the content, as forges write it.
    hasher: Option<Hasher>,
    given: Given,
    is_base64: Option<bool>,
    blob: Option<ObjectId>,
    size: Option<u64>,
    is_file: bool,
    is_path: bool,
    /// The content is longer than what is read of it, and everything else is known.
    is_elsewhere: bool,
    member: Member,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    Absent,
    Null,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Path,
    Type,
    Sha,
    Size,
    Encoding,
    Content,
    Other,
}

impl ContentsAnswer {
    /// Takes the answer for the file at `path` in a repository of this format.
    #[must_use]
    pub fn new(path: &RepoPath, format: ObjectFormat) -> Self {
        let read = Read {
            format,
            path: shown(path.as_bytes()),
            decoder: Decoder::new(),
            held: Vec::new(),
            count: 0,
            hasher: None,
            given: Given::Absent,
            is_base64: None,
            blob: None,
            size: None,
            is_file: false,
            is_path: false,
            is_elsewhere: false,
            member: Member::Other,
        };
        Self { reader: Reader::new(DEPTH).with_scalars(), read, begun: false }
    }

    /// Takes the next bytes, split anywhere.
    ///
    /// # Errors
    /// A [`Fault`] as soon as it is seen, of what is no regular file among them; the answer is of no use then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if !self.begun
            && let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace())
        {
            self.begun = true;
            // F-015: a list is a directory's.
            if *first == b'[' {
                return Err(Fault::NotFile(Kind::Directory));
            }
        }
        self.reader.feed(bytes, &mut self.read).map_err(told)
    }

    /// Whether the rest of the answer is not needed: the content is to be read elsewhere.
    #[must_use]
    pub const fn is_enough(&self) -> bool {
        self.read.is_elsewhere
    }

    /// The file, once the answer is over or [enough](Self::is_enough).
    ///
    /// # Errors
    /// What is wrong with the answer, or [`Fault::Content`] where its bytes are not the file (F-014).
    pub fn finish(self) -> Result<Contents, Fault> {
        let read = self.read;
        if !read.is_elsewhere {
            self.reader.finish().map_err(|fault| told(fault.into()))?;
        }
        if !read.is_file {
            return Err(Fault::Malformed(What::File));
        }
        // The forge cleans a path before it looks: what it found must be what was asked for.
        if !read.is_path {
            return Err(Fault::Foreign(What::File));
        }
        let (Some(blob), Some(size)) = (read.blob, read.size) else { return Err(Fault::Malformed(What::File)) };
        let withheld = Contents { blob, size, held: None };
        if read.is_elsewhere {
            return Ok(withheld);
        }
        match read.given {
            Given::Absent => return Err(Fault::Malformed(What::File)),
            // Above the forge's knob: an empty content of Forgejo's, a null of Gitea's (F-018, O-F5).
            Given::Null | Given::Text if read.count == 0 && size > 0 => return Ok(withheld),
            Given::Text if read.is_base64 != Some(true) => return Err(Fault::Malformed(What::File)),
            Given::Null | Given::Text => {}
        }
        let id = match read.hasher {
            _ if read.count != size => return Err(Fault::Content(object::Fault::Size)),
            Some(hasher) => hasher.finish(),
            // The size came behind the content: what is held can be hashed still, what is longer is read elsewhere.
            None if read.held.len() as u64 == size => {
                Object::checked(blob, object::Kind::Blob, read.held.clone()).map(|object| object.id())
            }
            None => return Ok(withheld),
        };
        if id.map_err(Fault::Content)? != blob {
            return Err(Fault::Content(object::Fault::Foreign));
        }
        Ok(Contents { held: Some(Verified::seal(read.held)), ..withheld })
    }
}

impl Members for Read {
    fn member(&mut self, name: &str) -> Result<Take, Error> {
        let (member, take) = match name {
            "path" => (Member::Path, Take::Capture { most: OTHER_BYTES }),
            "type" => (Member::Type, Take::Capture { most: 32 }),
            "sha" => (Member::Sha, Take::Capture { most: 80 }),
            "size" => (Member::Size, Take::Capture { most: 20 }),
            "encoding" => (Member::Encoding, Take::Capture { most: 32 }),
            "content" => (Member::Content, Take::StreamOr { most: 4 }),
            _ => (Member::Other, Take::Capture { most: OTHER_BYTES }),
        };
        self.member = member;
        Ok(take)
    }

    fn captured(&mut self, raw: String) -> Result<(), Error> {
        let text = || serde_json::from_str::<String>(&raw).map_err(|_| Fault::Malformed(What::File));
        match self.member {
            Member::Path => self.is_path = text()? == self.path,
            Member::Type => {
                self.is_file = true;
                match text()?.as_str() {
                    "file" => {}
                    "dir" => return Err(Fault::NotFile(Kind::Directory).into()),
                    "symlink" => return Err(Fault::NotFile(Kind::Symlink).into()),
                    "submodule" => return Err(Fault::NotFile(Kind::Submodule).into()),
                    _ => return Err(Fault::NotFile(Kind::Other).into()),
                }
            }
            Member::Sha => {
                let blob = ObjectId::from_hex(&text()?).map_err(|_| Fault::Malformed(What::File))?;
                if blob.format() != self.format {
                    return Err(Fault::Foreign(What::File).into());
                }
                self.blob = Some(blob);
            }
            Member::Size => self.size = Some(raw.parse().map_err(|_| Fault::Malformed(What::File))?),
            Member::Encoding => self.is_base64 = Some(raw == "\"base64\""),
            Member::Content if raw == "null" => self.given = Given::Null,
            Member::Content => return Err(Fault::Malformed(What::File).into()),
            Member::Other => {}
        }
        Ok(())
    }

    fn stream_begins(&mut self, _: u64) -> Result<(), Error> {
        self.given = Given::Text;
        self.hasher = self.size.map(|size| Hasher::new(self.format, object::Kind::Blob, size));
        Ok(())
    }

    fn streamed(&mut self, text: &[u8]) -> Result<(), Error> {
        let is_known = self.is_file && self.is_path && self.blob.is_some() && self.size.is_some();
        let Self { decoder, held, count, size, hasher, is_elsewhere, .. } = self;
        if *is_elsewhere {
            return Ok(());
        }
        decoder
            .push(text, |bytes| {
                *count += bytes.len() as u64;
                if size.is_some_and(|size| *count > size) {
                    return Err(object::Fault::Size);
                }
                if let Some(hasher) = hasher {
                    hasher.update(bytes);
                }
                held.extend(bytes.iter().take(HELD_BYTES.saturating_sub(held.len())));
                Ok(())
            })
            .map_err(Fault::Content)?;
        if *count > MOST_BYTES {
            if !is_known {
                return Err(Fault::AnswerTooLarge(What::File).into());
            }
            *is_elsewhere = true;
        }
        Ok(())
    }

    fn stream_ends(&mut self) -> Result<(), Error> {
        if self.is_elsewhere {
            return Ok(());
        }
        self.decoder.finish().map_err(|fault| Fault::Content(fault.into()).into())
    }
}

/// What the reader hands back, which can be of two kinds alone.
fn told(error: Error) -> Fault {
    match error {
        Error::File(fault) => fault,
        // A file's content has no escape in any forge's spelling, so it is no canonical base64 either.
        Error::Json(json::Fault::EscapeInContent) => Fault::Content(json::Fault::EscapeInContent.into()),
        Error::Json(json::Fault::TooMuch) => Fault::AnswerTooLarge(What::File),
        _ => Fault::Malformed(What::File),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base64;

    const HELLO: &str = "ce013625030ba8dba906f756967f9e9ca394464a";
    const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    fn read_by(text: &str, format: ObjectFormat, piece: usize) -> Result<Contents, Fault> {
        let path = RepoPath::new("d/a<b").expect("a path");
        let mut answer = ContentsAnswer::new(&path, format);
        text.as_bytes().chunks(piece).try_for_each(|piece| answer.feed(piece))?;
        answer.finish()
    }

    /// What is held, at every split.
    fn read(text: &str) -> Result<Option<Vec<u8>>, Fault> {
        let by = |piece| {
            let contents = read_by(text, ObjectFormat::Sha1, piece)?;
            Ok(contents.held.map(Verified::into_inner))
        };
        let whole = by(text.len().max(1));
        for piece in 1..9 {
            assert_eq!(by(piece), whole, "{text} by {piece}");
        }
        whole
    }

    fn answer(sha: &str, size: u64, content: &str) -> String {
        format!(
            r#"{{"name":"a","path":"d/a\u003cb","sha":"{sha}","last_commit_sha":"{EMPTY}","type":"file","size":{size},"encoding":"base64","content":{content},"target":null,"_links":{{"self":"http://x"}}}}"#
        )
    }

    /// F-002 to F-005, F-014, F-019: complete, and the object that it is said to be.
    #[test]
    fn a_complete_file_is_hashed() {
        assert_eq!(read(&answer(HELLO, 6, r#""aGVsbG8K""#)), Ok(Some(b"hello\n".to_vec())));
        assert_eq!(read(&answer(EMPTY, 0, r#""""#)), Ok(Some(vec![])));
        assert_eq!(read(&answer(EMPTY, 0, "null")), Ok(Some(vec![])));
        let content = |fault| Err(Fault::Content(fault));
        assert_eq!(read(&answer(HELLO, 6, r#""SGVsbG8K""#)), content(object::Fault::Foreign));
        assert_eq!(read(&answer(EMPTY, 6, r#""aGVsbG8K""#)), content(object::Fault::Foreign));
        assert_eq!(read(&answer(HELLO, 5, r#""aGVsbG8K""#)), content(object::Fault::Size));
        assert_eq!(read(&answer(HELLO, 7, r#""aGVsbG8K""#)), content(object::Fault::Size));
        assert_eq!(read(&answer(HELLO, 0, r#""""#)), content(object::Fault::Foreign));
        assert_eq!(
            read(&answer(HELLO, 6, r#""aGVs\nbG8K""#)),
            content(object::Fault::Json(json::Fault::EscapeInContent))
        );
        let padding = base64::Fault::Length;
        assert_eq!(read(&answer(HELLO, 6, r#""aGVsbG8""#)), content(object::Fault::Base64(padding)));
        assert_eq!(read(&answer(HELLO, 6, r#""aGVsbG8 ""#)), content(object::Fault::Base64(base64::Fault::Alphabet)));
    }

    /// F-018, O-F5: withheld above the knob, in both forges' ways.
    #[test]
    fn an_empty_content_is_withheld() {
        assert_eq!(read(&answer(HELLO, 6, r#""""#)), Ok(None));
        assert_eq!(read(&answer(HELLO, 6, "null").replace("\"base64\"", "null")), Ok(None));
    }

    /// F-015: what is no regular file is named.
    #[test]
    fn other_kinds_are_named() {
        for (word, kind) in
            [("dir", Kind::Directory), ("symlink", Kind::Symlink), ("submodule", Kind::Submodule), ("x", Kind::Other)]
        {
            let text = answer(HELLO, 6, "null").replace("\"file\"", &format!("\"{word}\""));
            assert_eq!(read(&text), Err(Fault::NotFile(kind)));
        }
        assert_eq!(read(" [{}]"), Err(Fault::NotFile(Kind::Directory)));
    }

    #[test]
    fn other_answers_are_refused() {
        let sound = answer(HELLO, 6, r#""aGVsbG8K""#);
        for (from, to, fault) in [
            ("d/a", "d/b", Fault::Foreign(What::File)),
            ("\"path\"", "\"paths\"", Fault::Foreign(What::File)),
            ("\"type\"", "\"types\"", Fault::Malformed(What::File)),
            ("\"sha\"", "\"shas\"", Fault::Malformed(What::File)),
            (HELLO, &HELLO[1..], Fault::Malformed(What::File)),
            (HELLO, &HELLO.repeat(2)[..64], Fault::Foreign(What::File)),
            ("\"size\"", "\"sizes\"", Fault::Malformed(What::File)),
            ("\"content\"", "\"contents\"", Fault::Malformed(What::File)),
            ("\"base64\"", "\"utf-8\"", Fault::Malformed(What::File)),
            ("\"base64\"", "null", Fault::Malformed(What::File)),
            ("\"name\"", "\"sha\"", Fault::Malformed(What::File)),
            ("}}", "}", Fault::Malformed(What::File)),
        ] {
            assert_eq!(read(&sound.replacen(from, to, 1)), Err(fault), "{to}");
        }
        for text in ["", "null", "{}", "7", r#"{"message":"x"}"#] {
            assert_eq!(read(text), Err(Fault::Malformed(What::File)), "{text}");
        }
    }

    /// An answer without end is not read without end: a content that is longer than what is read of it is read elsewhere where
    /// all else is known, and is refused where it is not.
    #[test]
    fn an_endless_answer_ends() {
        let endless = |start: &str, piece: &str| {
            let path = RepoPath::new("d/a<b").expect("a path");
            let mut answer = ContentsAnswer::new(&path, ObjectFormat::Sha1);
            answer.feed(start.as_bytes())?;
            let piece = piece.repeat(16 * 1024 / piece.len());
            let pieces = (1_u64..).take_while(|number| number * 16 * 1024 <= 20 * 1024 * 1024);
            for _ in pieces {
                if answer.is_enough() {
                    return answer.finish().map(|contents| (contents.size, contents.held.is_none()));
                }
                answer.feed(piece.as_bytes())?;
            }
            panic!("it is still read: {start}");
        };
        let large = 1 << 40;
        let given = answer(HELLO, large, "\"");
        let (head, _) = given.split_once(",\"target\"").expect("a member follows");
        let head = head.trim_end_matches('"');
        let too_large = Err(Fault::AnswerTooLarge(What::File));
        assert_eq!(endless(&format!("{head}\""), "QUJD"), Ok((large, true)));
        assert_eq!(endless(&format!("{head}\"").replace("\"size\"", "\"sizes\""), "QUJD"), too_large);
        assert_eq!(endless(&format!("{head}null"), " "), too_large);
        assert_eq!(endless("", "\n"), too_large);
        assert_eq!(endless("{\"content\":\"", "QUJD"), too_large);
    }

    /// F-004: the id's length tells the format, which must be the repository's.
    #[test]
    fn sha256_works() {
        let empty = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813";
        assert!(read_by(&answer(empty, 0, r#""""#), ObjectFormat::Sha256, 7).expect("sound").held.is_some());
        let foreign = read_by(&answer(HELLO, 6, "null"), ObjectFormat::Sha256, 7);
        assert_eq!(foreign.map(|_| ()), Err(Fault::Foreign(What::File)));
    }

    proptest! {
        /// F-014, F-038: any file, the size before the content or behind it: what is held is its beginning, or it has to
        /// be read elsewhere; memory is bounded by it.
        #[test]
        fn the_beginning_is_held(bytes in prop::collection::vec(any::<u8>(), 0..120_000), piece in 1_usize..20_000, behind: bool) {
            let mut hasher = Hasher::new(ObjectFormat::Sha1, object::Kind::Blob, bytes.len() as u64);
            hasher.update(&bytes);
            let id = hasher.finish().expect("whole").to_string();
            let content = format!("\"{}\"", base64::encode(&bytes));
            let text = if behind {
                format!(r#"{{"content":{content},"encoding":"base64","path":"d/a<b","sha":"{id}","size":{},"type":"file"}}"#, bytes.len())
            } else {
                answer(&id, bytes.len() as u64, &content)
            };
            let contents = read_by(&text, ObjectFormat::Sha1, piece).expect("sound");
            match contents.held {
                Some(held) => prop_assert_eq!(&held[..], &bytes[..bytes.len().min(HELD_BYTES)]),
                None => prop_assert!(behind && bytes.len() > HELD_BYTES),
            }
        }
    }
}
