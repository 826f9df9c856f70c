//! Names as a forge and git know them, parsed at the edge: inside, no string is called owner or sha.

use std::{fmt, num::NonZeroU64};

use crate::diff::unquoted_bytes;

/// Bytes of an owner's or a repository's name.
const SEGMENT_BYTES: usize = 255;
/// Bytes of a path that can be asked for.
const PATH_BYTES: usize = 4_096;

/// A name, number or path outside its bounds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// Not one path segment of 1 to 255 bytes.
    #[error("`{0}` must be 1 to 255 bytes, one path segment: no slash, no control character, not `.` or `..`")]
    Segment(&'static str),
    /// Not in 1..=2^63-1.
    #[error("`index` must be an integer from 1 to 9223372036854775807")]
    Index,
    /// Not 1 to 4,096 bytes.
    #[error("`file_path` must have 1 to 4,096 bytes")]
    Path,
    /// Not a path below a repository's root.
    #[error(
        "`path` must be 1 to 4,096 bytes below the repository's root, its names parted by single slashes: no leading or \
         trailing slash, no `.` or `..`, no control character"
    )]
    TreePath,
    /// No name that a branch or tag can have, and no full commit id.
    #[error(
        "`ref` must be the name of a branch or tag, a full commit id, or `HEAD`: expressions such as `main~1` or `a..b` are \
         not resolved; give the full id of the commit that is meant"
    )]
    Ref,
    /// `refs/` something else than heads and tags.
    #[error(
        "`ref` below refs/ can be a branch (refs/heads/) or a tag (refs/tags/) alone; for a pull request give the full id of \
         its head commit"
    )]
    RefKind,
    /// Not 40 or 64 lower-case hexadecimal digits.
    #[error("an object id must have 40 or 64 lower-case hexadecimal digits")]
    ObjectId,
}

macro_rules! segment {
    ($(#[$doc:meta])* $name:ident, $argument:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// # Errors
            /// [`InvalidName::Segment`] where it is not one path segment of 1 to 255 bytes (D-013, G-082).
            pub fn new(name: impl Into<String>) -> Result<Self, InvalidName> {
                let name = name.into();
                let sound = (1..=SEGMENT_BYTES).contains(&name.len())
                    && name != "."
                    && name != ".."
                    && !name.bytes().any(|b| b == b'/' || b.is_ascii_control());
                if sound { Ok(Self(name)) } else { Err(InvalidName::Segment($argument)) }
            }

            /// The name as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
    };
}

segment!(
    /// The user or organisation that a repository belongs to.
    Owner, "owner"
);
segment!(
    /// A repository's name, without its owner.
    RepoName, "repo"
);

/// The number of a pull request within its repository: 1..=2^63-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index(NonZeroU64);

impl Index {
    /// The least and the greatest index (D-012).
    pub const BOUNDS: (u64, u64) = (1, i64::MAX as u64);

    /// # Errors
    /// [`InvalidName::Index`] outside [`Self::BOUNDS`].
    pub fn new(index: u64) -> Result<Self, InvalidName> {
        NonZeroU64::new(index).filter(|i| i.get() <= Self::BOUNDS.1).map(Self).ok_or(InvalidName::Index)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a repository names its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectFormat {
    /// 20 bytes, 40 digits.
    Sha1,
    /// 32 bytes, 64 digits.
    Sha256,
}

impl ObjectFormat {
    /// The name git and the evidence give it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }
}

/// A full object id.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectId {
    /// Of a repository whose format is `sha1`.
    Sha1([u8; 20]),
    /// Of a repository whose format is `sha256`.
    Sha256([u8; 32]),
}

impl ObjectId {
    /// Reads full lower-case hex; the length says which format it is (D-024).
    ///
    /// # Errors
    /// [`InvalidName::ObjectId`] for anything shorter, longer or mixed.
    pub fn from_hex(hex: &str) -> Result<Self, InvalidName> {
        match hex.len() {
            40 => decode_hex(hex).map(Self::Sha1),
            64 => decode_hex(hex).map(Self::Sha256),
            _ => None,
        }
        .ok_or(InvalidName::ObjectId)
    }

    /// The format its length belongs to.
    #[must_use]
    pub const fn format(&self) -> ObjectFormat {
        match self {
            Self::Sha1(_) => ObjectFormat::Sha1,
            Self::Sha256(_) => ObjectFormat::Sha256,
        }
    }

    /// The raw bytes, 20 or 32.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Sha1(bytes) => bytes,
            Self::Sha256(bytes) => bytes,
        }
    }

    /// Whether every byte is zero: git's way of saying "no object".
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.as_bytes().iter().all(|b| *b == 0)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self}", self.format().as_str())
    }
}

/// Reads exactly `N` bytes of lower-case hex.
pub(crate) fn decode_hex<const N: usize>(hex: &str) -> Option<[u8; N]> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let mut out = [0; N];
    for (byte, [high, low]) in out.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(out)
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// A path inside a repository, in bytes: git's names need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// # Errors
    /// [`InvalidName::Path`] where it has not 1 to 4,096 bytes.
    pub fn new(path: impl Into<Vec<u8>>) -> Result<Self, InvalidName> {
        let path = path.into();
        if (1..=PATH_BYTES).contains(&path.len()) { Ok(Self(path)) } else { Err(InvalidName::Path) }
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A file as a caller spells it: by its name as it stands or, where the diff has none of that name, by the name that git's
/// quotes around it stand for. A JSON string cannot hold a name that is no UTF-8, and a name can look like a quoted one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePath {
    spelled: RepoPath,
    unquoted: Option<RepoPath>,
}

impl FilePath {
    /// # Errors
    /// [`InvalidName::Path`] where it is not 1 to 4,096 bytes.
    pub fn new(spelled: &str) -> Result<Self, InvalidName> {
        let unquoted = unquoted_bytes(spelled).map(RepoPath::new).transpose()?;
        Ok(Self { spelled: RepoPath::new(spelled)?, unquoted })
    }

    /// As it was spelled.
    #[must_use]
    pub const fn spelled(&self) -> &RepoPath {
        &self.spelled
    }

    /// The names that can be meant, the first choice first (S-007, S-014).
    pub fn names(&self) -> impl Iterator<Item = &RepoPath> {
        std::iter::once(&self.spelled).chain(&self.unquoted)
    }
}

impl From<RepoPath> for FilePath {
    fn from(spelled: RepoPath) -> Self {
        Self { spelled, unquoted: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D-013: one path segment or nothing.
    #[test]
    fn a_segment_is_one_segment() {
        for good in ["a", "...", "a b", "ü", &"x".repeat(255)] {
            assert!(Owner::new(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "a\0", "a\n", "\u{7f}", &"x".repeat(256)] {
            assert_eq!(RepoName::new(bad), Err(InvalidName::Segment("repo")), "{bad:?}");
        }
    }

    /// D-024: full lower-case hex of 40 or 64 digits.
    #[test]
    fn object_ids_are_whole() {
        for digits in [40, 64] {
            let hex = "0a".repeat(digits / 2);
            assert_eq!(ObjectId::from_hex(&hex).expect("whole").to_string(), hex);
            assert!(ObjectId::from_hex(&hex.to_uppercase()).is_err());
            assert!(ObjectId::from_hex(&format!("g{}", &hex[1..])).is_err());
            assert!(ObjectId::from_hex(&hex[1..]).is_err());
            assert!(ObjectId::from_hex(&format!("{hex}0")).is_err());
        }
        assert!(ObjectId::from_hex(&"é".repeat(20)).is_err());
        assert!(ObjectId::from_hex(&"00".repeat(20)).expect("whole").is_zero());
    }

    /// D-012.
    #[test]
    fn an_index_is_positive() {
        assert_eq!(Index::new(0), Err(InvalidName::Index));
        assert_eq!(Index::new(1 << 63), Err(InvalidName::Index));
        assert_eq!(Index::new((1 << 63) - 1).expect("the greatest").get(), i64::MAX as u64);
    }
}
