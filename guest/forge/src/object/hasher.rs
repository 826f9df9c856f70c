//! An object's id, computed as its content streams by.

use sha1_checked::Sha1;
use sha2::{Digest as _, Sha256};

use super::{Fault, Kind};
use crate::{ObjectFormat, ObjectId};

/// Hashes a content whose kind and length are known before it: git puts both in front of it.
#[derive(Clone, Debug)]
pub struct Hasher {
    state: State,
    /// Bytes that are still to come; nothing where more came.
    left: Option<u64>,
}

#[derive(Clone, Debug)]
enum State {
    // With the detection of contents that were made to collide, as git has it: SHA-1 alone proves nothing any more. What
    // it detects is refused, never given the other id that it could compute for it.
    Sha1(Box<Sha1>),
    Sha256(Sha256),
}

impl Hasher {
    /// A hasher before the first byte of a content of `length` bytes.
    #[must_use]
    pub fn new(format: ObjectFormat, kind: Kind, length: u64) -> Self {
        let state = match format {
            ObjectFormat::Sha1 => State::Sha1(Box::new(Sha1::builder().safe_hash(false).build())),
            ObjectFormat::Sha256 => State::Sha256(Sha256::new()),
        };
        let mut hasher = Self { state, left: None };
        hasher.hash(format!("{} {length}\0", kind.as_str()).as_bytes());
        hasher.left = Some(length);
        hasher
    }

    /// Takes the next bytes of the content.
    pub fn update(&mut self, bytes: &[u8]) {
        self.left = self.left.and_then(|left| left.checked_sub(bytes.len() as u64));
        self.hash(bytes);
    }

    /// The id.
    ///
    /// # Errors
    /// [`Fault::Size`] where the content had another length, [`Fault::Collision`] where it was made to collide.
    pub fn finish(self) -> Result<ObjectId, Fault> {
        if self.left != Some(0) {
            return Err(Fault::Size);
        }
        match self.state {
            State::Sha1(sha1) => {
                let result = sha1.try_finalize();
                if result.has_collision() { Err(Fault::Collision) } else { Ok(ObjectId::Sha1((*result.hash()).into())) }
            }
            State::Sha256(sha256) => Ok(ObjectId::Sha256(sha256.finalize().into())),
        }
    }

    fn hash(&mut self, bytes: &[u8]) {
        match &mut self.state {
            State::Sha1(sha1) => sha1_checked::Digest::update(sha1.as_mut(), bytes),
            State::Sha256(sha256) => sha256.update(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-010: the declared length is held.
    #[test]
    fn a_length_is_kept() {
        for (length, given) in [(0, 1), (1, 0), (3, 4), (u64::MAX, 1)] {
            let mut hasher = Hasher::new(ObjectFormat::Sha1, Kind::Blob, length);
            for _ in 0..given {
                hasher.update(b"x");
            }
            assert_eq!(hasher.finish(), Err(Fault::Size));
        }
    }
}
