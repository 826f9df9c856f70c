//! What git calls an object: the hash of its kind, its length and its content.
//!
//! The hash is computed here whoever says what it is, so that nobody can put another object in one's place.

use sha1_checked::Sha1;
use sha2::{Digest as _, Sha256};

/// The kinds of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// A full id. Which hash it is, its length says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectId {
    Sha1([u8; 20]),
    Sha256([u8; 32]),
}

impl ObjectId {
    /// From its 20 or 32 bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let sha1 = bytes.try_into().map(Self::Sha1);
        sha1.or_else(|_| bytes.try_into().map(Self::Sha256)).ok()
    }

    /// Whether it is the id of this object. Of content made to collide with another's (SHA-1) it is not.
    pub(crate) fn names(&self, kind: Kind, content: &[u8]) -> bool {
        let head = format!("{} {}\0", kind.name(), content.len());
        match self {
            Self::Sha1(id) => sha1([head.as_bytes(), content]).is_some_and(|hash| hash == *id),
            Self::Sha256(id) => {
                let hash = Sha256::new().chain_update(head).chain_update(content).finalize();
                hash.as_slice() == id
            }
        }
    }
}

/// None where the parts carry a collision attack, as git itself refuses them.
fn sha1<const N: usize>(parts: [&[u8]; N]) -> Option<[u8; 20]> {
    let mut digest = Sha1::new();
    for part in parts {
        sha1_checked::Digest::update(&mut digest, part);
    }
    let result = digest.try_finalize();
    (!result.has_collision()).then(|| (*result.hash()).into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The id of an object, for tests that put one.
    pub(in crate::keep) fn id_of(kind: Kind, content: &[u8]) -> ObjectId {
        let head = format!("{} {}\0", kind.name(), content.len());
        ObjectId::Sha1(sha1([head.as_bytes(), content]).expect("no attack"))
    }

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<_> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let pair = |pair: &[u8]| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("two digits of a byte")
        };
        digits.chunks(2).map(pair).collect()
    }

    fn id(text: &str) -> ObjectId {
        ObjectId::from_bytes(&hex(text)).expect("a full id")
    }

    /// O-012: ids that `git hash-object` gave, with either hash.
    #[test]
    fn an_object_has_the_id_that_git_gives_it() {
        for (kind, content, sha1, sha256) in [
            (
                Kind::Blob,
                &b""[..],
                "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
                "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
            ),
            (
                Kind::Tree,
                b"",
                "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
                "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
            ),
            (
                Kind::Blob,
                b"hello\n",
                "ce013625030ba8dba906f756967f9e9ca394464a",
                "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4",
            ),
        ] {
            for known in [id(sha1), id(sha256)] {
                assert!(known.names(kind, content), "{known:?}");
                assert!(!known.names(kind, b"other"), "{known:?}");
                assert!(!known.names(Kind::Commit, content), "{known:?}: the kind is part of it");
            }
        }
    }

    /// O-012: a full id has 20 or 32 bytes.
    #[test]
    fn an_id_is_full() {
        for bytes in [0, 1, 19, 21, 31, 33, 64] {
            assert_eq!(ObjectId::from_bytes(&vec![7; bytes]), None, "{bytes}");
        }
    }

    /// The first blocks of the two documents that made SHA-1's first public collision; what stands before them in both.
    const BEFORE: &str = "
        255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f54
        7970652034203020522f537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f
        4c656e6774682038203020522f42697473506572436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d312069
        7320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01";
    const ONE: &str = "
        7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb76038e972722f
        e7ad728f0e4904e046c230570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514e74ddc0f2cc1a874cd0c7830
        5a21566461309789606bd0bf3f98cda8044629a1";
    const OTHER: &str = "
        7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22f
        e7bd728f0e45bce046d23c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c
        76215660dd309791d06bd0af3f98cda4bc4629b1";

    /// O-012: two different texts of one SHA-1 are both no object, whatever else is hashed with them.
    #[test]
    fn a_collision_has_no_id() {
        let (one, other) = (hex(&(BEFORE.to_owned() + ONE)), hex(&(BEFORE.to_owned() + OTHER)));
        let plain = |bytes: &[u8]| {
            let unchecked = Sha1::builder().detect_collision(false).build();
            sha1_checked::Digest::finalize(sha1_checked::Digest::chain_update(unchecked, bytes))
        };
        assert!(one != other && plain(&one) == plain(&other), "it is the published pair");
        for text in [one, other] {
            assert_eq!(sha1([&text]), None);
            let (head, tail) = text.split_at(100);
            assert_eq!(sha1([head, tail, b"and more"]), None);
            assert!(sha1([head]).is_some());
        }
    }
}
