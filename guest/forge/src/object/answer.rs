//! An object out of the forge's JSON, decoded as it streams by: the text is never held beside the bytes.
//!
//! `{"content":"<base64>","encoding":"base64","url":"…","sha":"<id>","size":6}`: the members come in any order and there
//! may be others. None of them is believed: the bytes have to have the id.

use super::Fault;
use crate::{
    Error,
    base64::Decoder,
    json::{Members, Reader, Take},
};

/// Nesting of what is in members that are not looked at.
const DEPTH: usize = 8;
/// Bytes of a member that is not looked at.
const OTHER_BYTES: usize = 16 * 1024;
/// Bytes of a declared size that room is made for before they come: what a lie costs.
const FORESEEN_BYTES: u64 = 1024 * 1024;
/// The least that the room grows by.
const GROWTH_BYTES: usize = 4 * 1024;

/// Reads the answer of `GET /git/blobs/{oid}`, which gives any object.
#[derive(Debug)]
pub struct BlobAnswer {
    reader: Reader,
    read: Read,
}

#[derive(Debug)]
struct Read {
    most: u64,
    decoder: Decoder,
    content: Vec<u8>,
    /// Whether `content` was a string.
    given: bool,
    /// Whether `encoding` says base64.
    is_base64: bool,
    size: Option<u64>,
    member: Member,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Content,
    Encoding,
    Size,
    Other,
}

impl BlobAnswer {
    /// Takes an answer with an object of at most `most` bytes.
    #[must_use]
    pub fn new(most: u64) -> Self {
        let read = Read {
            most,
            decoder: Decoder::new(),
            content: Vec::new(),
            given: false,
            is_base64: false,
            size: None,
            member: Member::Other,
        };
        Self { reader: Reader::new(DEPTH).with_scalars(), read }
    }

    /// Foresees an answer of `bytes` bytes, as its `Content-Length` says: forges tell the size behind the content.
    pub fn foresee(&mut self, bytes: u64) {
        self.read.make_room(bytes / 4 * 3);
    }

    /// Takes the next bytes, split anywhere.
    ///
    /// # Errors
    /// A [`Fault`] as soon as it is seen, [`Fault::TooLarge`] among them; the answer is of no use then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.reader.feed(bytes, &mut self.read).map_err(Fault::told)
    }

    /// The object's bytes, once the answer is over.
    ///
    /// # Errors
    /// [`Fault::Withheld`] where the forge told the size and kept the content to itself (`/raw` has it), else what is
    /// wrong with the answer.
    pub fn finish(self) -> Result<Vec<u8>, Fault> {
        self.reader.finish()?;
        let Read { content, given, is_base64, size, .. } = self.read;
        let size = size.ok_or(Fault::Answer)?;
        // Above the forge's knob: an empty content of Forgejo's, a null of Gitea's.
        if content.is_empty() && size > 0 {
            return Err(Fault::Withheld { size });
        }
        if !given || !is_base64 {
            return Err(Fault::Answer);
        }
        if content.len() as u64 == size { Ok(content) } else { Err(Fault::Size) }
    }
}

impl Read {
    fn make_room(&mut self, bytes: u64) {
        let bytes = usize::try_from(bytes.min(self.most).min(FORESEEN_BYTES)).unwrap_or(0);
        self.content.reserve_exact(bytes.saturating_sub(self.content.len()));
    }
}

impl Members for Read {
    fn member(&mut self, name: &str) -> Result<Take, Error> {
        let (member, take) = match name {
            "content" => (Member::Content, Take::StreamOr { most: 4 }),
            "encoding" => (Member::Encoding, Take::Capture { most: 32 }),
            "size" => (Member::Size, Take::Capture { most: 20 }),
            _ => (Member::Other, Take::Capture { most: OTHER_BYTES }),
        };
        self.member = member;
        Ok(take)
    }

    fn captured(&mut self, raw: String) -> Result<(), Error> {
        match (self.member, raw.as_str()) {
            (Member::Other, _) | (Member::Content | Member::Encoding, "null") => Ok(()),
            (Member::Encoding, encoding) => {
                self.is_base64 = encoding == "\"base64\"";
                Ok(())
            }
            (Member::Size, size) => {
                let size = size.parse().map_err(|_| Fault::Answer)?;
                self.size = Some(size);
                if size > self.most {
                    return Err(Fault::TooLarge.into());
                }
                self.make_room(size);
                Ok(())
            }
            (Member::Content, _) => Err(Fault::Answer.into()),
        }
    }

    fn stream_begins(&mut self, _: u64) -> Result<(), Error> {
        self.given = true;
        Ok(())
    }

    fn streamed(&mut self, text: &[u8]) -> Result<(), Error> {
        let Self { decoder, content, most, .. } = self;
        decoder
            .push(text, |bytes| {
                if bytes.len() as u64 > most.saturating_sub(content.len() as u64) {
                    return Err(Fault::TooLarge);
                }
                if bytes.len() > content.capacity() - content.len() {
                    // A quarter at a time: doubling would cost a small memory three times the content for a moment.
                    content.reserve_exact(bytes.len().max(GROWTH_BYTES).max(content.len() / 4));
                }
                content.extend_from_slice(bytes);
                Ok(())
            })
            .map_err(Error::from)
    }

    fn stream_ends(&mut self) -> Result<(), Error> {
        Ok(self.decoder.finish().map_err(Fault::from)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{base64, json};

    fn read_by(text: &str, most: u64, piece: usize) -> Result<Vec<u8>, Fault> {
        let mut answer = BlobAnswer::new(most);
        text.as_bytes().chunks(piece).try_for_each(|piece| answer.feed(piece))?;
        answer.finish()
    }

    /// D-078: each verdict is the same at every split.
    fn read(text: &str, most: u64) -> Result<Vec<u8>, Fault> {
        let whole = read_by(text, most, text.len());
        for piece in 1..text.len().min(9) {
            assert_eq!(read_by(text, most, piece), whole, "{text} by {piece}");
        }
        whole
    }

    /// O-010: as the two forges answer, in the order of their members and in others.
    #[test]
    fn the_content_is_decoded() {
        for text in [
            r#"{"content":"aGVsbG8K","encoding":"base64","url":"http://x/a\u0026b","sha":"ce01","size":6}"#,
            r#"{"size":6,"sha":null,"lfs_oid":null,"lfs_size":7,"encoding":"base64","content":"aGVsbG8K"}"#,
            r#" { "a" : [ {"size":9} , true ] , "encoding" : "base64" , "size" : 6 , "content" : "aGVsbG8K" } "#,
        ] {
            assert_eq!(read(text, 6), Ok(b"hello\n".to_vec()), "{text}");
            assert_eq!(read(text, 5), Err(Fault::TooLarge), "{text}");
        }
        assert_eq!(read(r#"{"content":"","encoding":"base64","size":0}"#, 0), Ok(vec![]));
    }

    /// O-010: what is above the forge's knob is told apart from what is wrong.
    #[test]
    fn a_withheld_content_is_no_content() {
        for text in [
            r#"{"content":"","encoding":"base64","size":6}"#,
            r#"{"content":null,"encoding":null,"size":6}"#,
            r#"{"size":6,"encoding":null,"content":null}"#,
            r#"{"size":6}"#,
        ] {
            assert_eq!(read(text, 6), Err(Fault::Withheld { size: 6 }), "{text}");
            assert_eq!(read(text, 5), Err(Fault::TooLarge), "{text}");
        }
    }

    /// O-010: another form is refused, never guessed.
    #[test]
    fn another_form_is_refused() {
        for (text, fault) in [
            (r#"{"content":"aGVsbG8K","encoding":"base64"}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","encoding":"hex","size":6}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","size":6}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","encoding":null,"size":6}"#, Fault::Answer),
            (r#"{"content":null,"encoding":"base64","size":0}"#, Fault::Answer),
            (r#"{"content":true,"encoding":"base64","size":6}"#, Fault::Answer),
            (r#"{"content":[],"encoding":"base64","size":6}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","encoding":"base64","size":"6"}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","encoding":"base64","size":null}"#, Fault::Answer),
            (r#"{"content":"aGVsbG8K","encoding":"base64","size":5}"#, Fault::Size),
            (r#"{"content":"aGVsbG8K","encoding":"base64","size":7}"#, Fault::Size),
            (r#"{"content":"aGVsbG8=","encoding":"base64","size":6}"#, Fault::Size),
            (r#"{"content":"aGVsbG8","encoding":"base64","size":5}"#, Fault::Base64(base64::Fault::Length)),
            (r#"{"content":"aGVsbG9=","encoding":"base64","size":5}"#, Fault::Base64(base64::Fault::PadBits)),
            (r#"{"content":"aGVs\u0041G8K"}"#, Fault::Json(json::Fault::EscapeInContent)),
            (r#"{"content":"aGVsbG8K","content":""}"#, Fault::Json(json::Fault::Duplicate)),
            (r#"{"content":"aGVsbG8K""#, Fault::Json(json::Fault::Truncated)),
            (r#"{"content":"aGVsbG8K"}x"#, Fault::Json(json::Fault::Trailing)),
            (r#"{"message":"object does not exist","url":"http://forge"}"#, Fault::Answer),
            ("404 page not found", Fault::Json(json::Fault::NotAnObject)),
        ] {
            assert_eq!(read(text, 9), Err(fault), "{text}");
        }
    }

    /// O-015: no more room than the bound, whatever is said, and little more than the content needs.
    #[test]
    fn room_is_bounded() {
        let content = vec![7; 3_000_000];
        let text = format!(r#"{{"content":"{}","encoding":"base64","size":3000000}}"#, base64::encode(&content));
        let mut answer = BlobAnswer::new(4_000_000);
        text.as_bytes().chunks(8_192).try_for_each(|piece| answer.feed(piece)).expect("sound");
        assert!(answer.read.content.capacity() < 4_000_000);
        assert_eq!(answer.finish(), Ok(content));
        let mut lie = BlobAnswer::new(1 << 40);
        lie.feed(br#"{"size":1000000000000,"#).expect("within the bound");
        lie.foresee(u64::MAX);
        assert!(lie.read.content.capacity() <= 1 << 20);
        let mut small = BlobAnswer::new(10);
        small.foresee(1_000);
        assert_eq!(small.read.content.capacity(), 10);
    }
}
