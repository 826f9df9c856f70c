//! The bytes of a part whose head was judged: as many as were asked for, no more and no fewer (F-024).

use super::Fault;
use crate::{
    ObjectId, Verified,
    object::{self, Kind, Object},
};

/// Takes a part of a file.
#[derive(Debug)]
pub struct Part {
    wanted: usize,
    bytes: Vec<u8>,
}

impl Part {
    /// A part of exactly `wanted` bytes.
    #[must_use]
    pub fn new(wanted: usize) -> Self {
        Self { wanted, bytes: Vec::with_capacity(wanted) }
    }

    /// Takes the next bytes, split anywhere.
    ///
    /// # Errors
    /// [`Fault::Content`] where more come than were asked for.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() > self.wanted - self.bytes.len() {
            return Err(Fault::Content(object::Fault::Size));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The bytes, of which nothing is known but that the forge sent them for this place.
    ///
    /// # Errors
    /// [`Fault::Content`] where fewer came than were asked for.
    pub fn finish(self) -> Result<Vec<u8>, Fault> {
        if self.bytes.len() == self.wanted { Ok(self.bytes) } else { Err(Fault::Content(object::Fault::Size)) }
    }

    /// The bytes as the whole of the file `blob`, hashed before one of them is shown (F-036).
    ///
    /// # Errors
    /// [`Fault::Content`] where they are not that object.
    pub fn finish_whole(self, blob: ObjectId) -> Result<Verified<Vec<u8>>, Fault> {
        let object = Object::checked(blob, Kind::Blob, self.finish()?).map_err(Fault::Content)?;
        Ok(Verified::seal(object.into_content()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F-024, F-036: the exact count, and of a whole file its hash.
    #[test]
    fn a_part_has_its_length_and_a_whole_its_hash() {
        let take = |wanted: usize, pieces: &[&str]| {
            let mut part = Part::new(wanted);
            pieces.iter().try_for_each(|piece| part.feed(piece.as_bytes()))?;
            Ok::<_, Fault>(part)
        };
        assert_eq!(take(6, &["hel", "lo\n"]).and_then(Part::finish), Ok(b"hello\n".to_vec()));
        assert_eq!(take(6, &["hello"]).and_then(Part::finish), Err(Fault::Content(object::Fault::Size)));
        assert!(take(6, &["hello", "\n", "x"]).is_err());
        let blob = ObjectId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a").expect("git's own example");
        assert_eq!(*take(6, &["hello\n"]).and_then(|part| part.finish_whole(blob)).expect("it"), b"hello\n");
        let lie = take(6, &["Hello\n"]).and_then(|part| part.finish_whole(blob));
        assert_eq!(lie.expect_err("another"), Fault::Content(object::Fault::Foreign));
    }
}
