//! The cursor: where the next window starts, and everything that must still be so when it is read.
//!
//! Its checksum finds damage and grants nothing (D-049): whoever forges one learns no more than the forge shows him
//! anyway, as each page is verified anew. Nothing in it expires or belongs to a process (D-056). What differs from page to
//! page by itself (times, observations) is not in it (D-031).
//!
//! As text it is `base64url(compact JSON) "." base64url(first 16 bytes of SHA-256 of that JSON)` (D-060). Only the
//! spelling that [`Cursor::encode`] gives is read back.

use base64_simd::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    Index, Owner, RepoName, RepoPath, Slice, base64,
    evidence::{Input, Manifest},
};

/// Bytes of a cursor's text at the most (D-060).
pub const CURSOR_BYTES: usize = 8_192;
/// Written into each cursor; another one is not read.
const VERSION: u64 = 1;
const CHECKSUM_BYTES: usize = 16;

/// Why a cursor is not followed. The codes of [`Fault::code`] are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Longer than any cursor, another spelling, or its checksum does not fit (D-048).
    #[error(
        "the cursor is damaged: pass `next_cursor` exactly as the window before gave it, or start again without a cursor"
    )]
    Damaged,
    /// Written by another version.
    #[error("the cursor was written by another version of this server: start again without a cursor")]
    Version,
    /// It belongs to a call with other arguments (D-054).
    #[error("the cursor belongs to another `{0}` than this call names: repeat the first call's arguments with it")]
    Call(&'static str),
    /// A bound value is no longer what it was (D-052).
    #[error(
        "the pull request moved between two windows: {0} changed, so the windows read so far and this one would not be \
         of the same diff; nothing is shown: start again without a cursor"
    )]
    Moved(Bound),
    /// It points outside what is read (D-055).
    #[error("the cursor points outside the diff: start again without a cursor")]
    Offset,
}

/// A value that all windows of a walk share (D-051, S-011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Bound {
    /// The repository's numeric id.
    #[error("the repository's numeric id")]
    RepositoryId,
    /// The pull request's numeric id.
    #[error("the pull request's numeric id")]
    PullId,
    /// The pull request's number.
    #[error("the pull request's number")]
    Index,
    /// The repository's object format.
    #[error("the repository's object format")]
    ObjectFormat,
    /// The merge base's commit.
    #[error("the merge base's commit")]
    MergeBaseOid,
    /// The repository of the merge base.
    #[error("the repository of the merge base")]
    MergeBaseRepository,
    /// The source of the merge base.
    #[error("the source of the merge base")]
    MergeBaseSource,
    /// The head's commit.
    #[error("the head's commit")]
    HeadOid,
    /// The repository of the head.
    #[error("the repository of the head")]
    HeadRepository,
    /// The source of the head.
    #[error("the source of the head")]
    HeadSource,
    /// The ref of the head.
    #[error("the ref of the head")]
    HeadRef,
    /// The way the forge makes the diff (its generation profile).
    #[error("the way the forge makes the diff (its generation profile)")]
    Profile,
    /// The diff's byte count.
    #[error("the diff's byte count")]
    ContentBytes,
    /// The diff's SHA-256.
    #[error("the diff's SHA-256")]
    ContentSha256,
    /// The number of the file's sections.
    #[error("the number of the file's sections")]
    SectionCount,
    /// The byte count of the file's sections.
    #[error("the byte count of the file's sections")]
    SliceBytes,
    /// The SHA-256 of the file's sections.
    #[error("the SHA-256 of the file's sections")]
    SliceSha256,
}

impl Fault {
    /// A stable `snake_case` code: `cursor_invalid` (not one that was given out), `cursor_mismatch` (of another call),
    /// `inputs_moved` (what it continues is gone; restart).
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Damaged | Self::Version | Self::Offset => "cursor_invalid",
            Self::Call(_) => "cursor_mismatch",
            Self::Moved(_) => "inputs_moved",
        }
    }
}

/// A position in a walk over one diff, or over one file's sections of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    #[serde(rename = "v")]
    version: u64,
    owner: String,
    repo: String,
    index: u64,
    offset: u64,
    binding: Binding,
    file: Option<File>,
}

/// What the manifest must say on every page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    repository_id: u64,
    pull_id: u64,
    index: u64,
    object_format: String,
    merge_base: BoundInput,
    head: BoundInput,
    profile: String,
    bytes: u64,
    sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundInput {
    oid: String,
    repository_id: u64,
    source: String,
    /// Base64 of the ref's bytes.
    #[serde(rename = "ref")]
    reference: Option<String>,
}

/// The walk is over one file's sections alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// SHA-256 of the path, so that a path of 4,096 quotes fits as well.
    path: String,
    sections: u64,
    bytes: u64,
    sha256: String,
}

impl Cursor {
    /// The position `offset` in the walk that these values describe; `file_path` and `slice` come together or not at all.
    #[must_use]
    pub fn new(
        owner: &Owner,
        repo: &RepoName,
        index: Index,
        file_path: Option<&RepoPath>,
        manifest: &Manifest,
        slice: Option<&Slice>,
        offset: u64,
    ) -> Self {
        Self {
            version: VERSION,
            owner: owner.as_str().to_owned(),
            repo: repo.as_str().to_owned(),
            index: index.get(),
            offset,
            binding: Binding::of(manifest),
            file: file_path.zip(slice).map(|(path, slice)| File::of(path, slice)),
        }
    }

    /// The text of the cursor, at most [`CURSOR_BYTES`].
    #[must_use]
    pub fn encode(&self) -> String {
        let payload = serde_json::to_vec(self).expect("strings and numbers");
        let mut text = URL_SAFE_NO_PAD.encode_to_string(&payload);
        text.push('.');
        text.push_str(&checksum(&payload));
        text
    }

    /// Reads a cursor's text.
    ///
    /// # Errors
    /// [`Fault::Damaged`] for anything that [`Self::encode`] does not give, [`Fault::Version`] for what another version
    /// gave.
    pub fn decode(text: &str) -> Result<Self, Fault> {
        let (encoded, sum) = Some(text)
            .filter(|text| text.len() <= CURSOR_BYTES)
            .and_then(|text| text.split_once('.'))
            .ok_or(Fault::Damaged)?;
        let payload = URL_SAFE_NO_PAD.decode_to_vec(encoded).map_err(|_| Fault::Damaged)?;
        if checksum(&payload) != sum {
            return Err(Fault::Damaged);
        }
        let Written { version } = serde_json::from_slice(&payload).map_err(|_| Fault::Damaged)?;
        if version != VERSION {
            return Err(Fault::Version);
        }
        let cursor: Self = serde_json::from_slice(&payload).map_err(|_| Fault::Damaged)?;
        if cursor.encode() == text { Ok(cursor) } else { Err(Fault::Damaged) }
    }

    /// The byte where the next window starts, in the diff or in the file's sections.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the cursor belongs to a call with these arguments: known before any request (D-054).
    ///
    /// # Errors
    /// [`Fault::Call`] naming the argument that differs.
    pub fn check_call(
        &self,
        owner: &Owner,
        repo: &RepoName,
        index: Index,
        file_path: Option<&RepoPath>,
    ) -> Result<(), Fault> {
        let path = self.file.as_ref().map(|file| file.path.as_str());
        let same = [
            ("owner", self.owner == owner.as_str()),
            ("repo", self.repo == repo.as_str()),
            ("index", self.index == index.get()),
            ("file_path", path == file_path.map(path_sha256).as_deref()),
        ];
        first_difference(same).map_or(Ok(()), |argument| Err(Fault::Call(argument)))
    }

    /// Whether a freshly verified entity is what the walk began with, and the offset within it (D-052, D-055). `slice` is
    /// what was sliced from it, if anything was.
    ///
    /// # Errors
    /// [`Fault::Moved`] naming the first bound value that changed, [`Fault::Offset`] for a position that no window ends at.
    pub fn check_manifest(&self, manifest: &Manifest, slice: Option<&Slice>) -> Result<(), Fault> {
        self.binding.check(manifest)?;
        let count = match (&self.file, slice) {
            (None, None) => manifest.content_bytes(),
            (Some(file), Some(slice)) => {
                file.check(slice)?;
                slice.captured.count
            }
            (Some(_), None) | (None, Some(_)) => return Err(Fault::Call("file_path")),
        };
        if (1..count).contains(&self.offset) { Ok(()) } else { Err(Fault::Offset) }
    }
}

/// The one member that every version has.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "v")]
    version: u64,
}

impl Binding {
    fn of(manifest: &Manifest) -> Self {
        Self {
            repository_id: manifest.repository_id(),
            pull_id: manifest.pull_id(),
            index: manifest.index().get(),
            object_format: manifest.object_format().as_str().to_owned(),
            merge_base: BoundInput::of(manifest.merge_base()),
            head: BoundInput::of(manifest.head()),
            profile: hex(&manifest.profile_sha256()),
            bytes: manifest.content_bytes(),
            sha256: hex(&manifest.content_sha256()),
        }
    }

    fn check(&self, manifest: &Manifest) -> Result<(), Fault> {
        let fresh = Self::of(manifest);
        moved([
            (Bound::RepositoryId, self.repository_id == fresh.repository_id),
            (Bound::PullId, self.pull_id == fresh.pull_id),
            (Bound::Index, self.index == fresh.index),
            (Bound::ObjectFormat, self.object_format == fresh.object_format),
            (Bound::MergeBaseOid, self.merge_base.oid == fresh.merge_base.oid),
            (Bound::MergeBaseRepository, self.merge_base.repository_id == fresh.merge_base.repository_id),
            (Bound::MergeBaseSource, self.merge_base.source == fresh.merge_base.source),
            (Bound::MergeBaseSource, self.merge_base.reference == fresh.merge_base.reference),
            (Bound::HeadOid, self.head.oid == fresh.head.oid),
            (Bound::HeadRepository, self.head.repository_id == fresh.head.repository_id),
            (Bound::HeadSource, self.head.source == fresh.head.source),
            (Bound::HeadRef, self.head.reference == fresh.head.reference),
            (Bound::Profile, self.profile == fresh.profile),
            (Bound::ContentBytes, self.bytes == fresh.bytes),
            (Bound::ContentSha256, self.sha256 == fresh.sha256),
        ])
    }
}

impl BoundInput {
    fn of(input: &Input) -> Self {
        Self {
            oid: input.oid().to_string(),
            repository_id: input.repository_id(),
            source: input.source().to_owned(),
            reference: input.reference().map(base64::encode),
        }
    }
}

impl File {
    fn of(path: &RepoPath, slice: &Slice) -> Self {
        Self {
            path: path_sha256(path),
            sections: slice.section_count,
            bytes: slice.captured.count,
            sha256: hex(&slice.captured.sha256),
        }
    }

    fn check(&self, slice: &Slice) -> Result<(), Fault> {
        moved([
            (Bound::SectionCount, self.sections == slice.section_count),
            (Bound::SliceBytes, self.bytes == slice.captured.count),
            (Bound::SliceSha256, self.sha256 == hex(&slice.captured.sha256)),
        ])
    }
}

fn moved<const N: usize>(same: [(Bound, bool); N]) -> Result<(), Fault> {
    first_difference(same).map_or(Ok(()), |bound| Err(Fault::Moved(bound)))
}

fn first_difference<T, const N: usize>(same: [(T, bool); N]) -> Option<T> {
    same.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

fn checksum(payload: &[u8]) -> String {
    let sum = <[u8; 32]>::from(Sha256::digest(payload));
    let (sum, _) = sum.split_at(CHECKSUM_BYTES);
    URL_SAFE_NO_PAD.encode_to_string(sum)
}

fn path_sha256(path: &RepoPath) -> String {
    hex(&Sha256::digest(path.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Captured,
        evidence::fixture::{DIFF, Fixture, seven, verify},
    };

    /// What is changed, and the bound value that must be named.
    type Change<T> = (fn(&mut T), Bound);

    fn names() -> (Owner, RepoName) {
        (Owner::new("alice").expect("a segment"), RepoName::new("proj").expect("a segment"))
    }

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).expect("within bounds")
    }

    fn manifest(fixture: &Fixture) -> Manifest {
        verify(&fixture.entity()).expect("sound").manifest
    }

    fn whole(fixture: &Fixture, offset: u64) -> Cursor {
        let (owner, repo) = names();
        Cursor::new(&owner, &repo, seven(), None, &manifest(fixture), None, offset)
    }

    fn slice() -> Slice {
        Slice { section_count: 2, captured: Captured { count: 30, sha256: [7; 32], offset: 0, window: vec![] } }
    }

    fn sliced(offset: u64) -> Cursor {
        let (owner, repo) = names();
        let manifest = manifest(&Fixture::new(DIFF));
        Cursor::new(&owner, &repo, seven(), Some(&path("src/a.rs")), &manifest, Some(&slice()), offset)
    }

    /// A text with a valid checksum for any payload: anyone can write one (D-049).
    fn forge(payload: &str) -> String {
        format!("{}.{}", URL_SAFE_NO_PAD.encode_to_string(payload), checksum(payload.as_bytes()))
    }

    fn payload(cursor: &Cursor) -> String {
        serde_json::to_string(cursor).expect("strings and numbers")
    }

    /// D-051, D-056, D-060: the text alone brings everything back.
    #[test]
    fn text_brings_it_back() {
        for cursor in [whole(&Fixture::new(DIFF), 5), sliced(9), whole(&Fixture::sha256_repository(DIFF), 1)] {
            let text = cursor.encode();
            assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
            assert_eq!(Cursor::decode(&text), Ok(cursor));
        }
        assert_eq!(sliced(9).offset(), 9);
    }

    /// D-060: the longest names and a path full of quotes stay far below the bound.
    #[test]
    fn the_longest_fits() {
        let quotes = "\"".repeat(255);
        let (owner, repo) = (Owner::new(quotes.clone()).expect("255"), RepoName::new(quotes).expect("255"));
        let manifest = manifest(&Fixture::sha256_repository(DIFF));
        let long = path(&"\"".repeat(4_096));
        let cursor = Cursor::new(&owner, &repo, seven(), Some(&long), &manifest, Some(&slice()), (1 << 53) - 1);
        let text = cursor.encode();
        assert!(text.len() < CURSOR_BYTES / 2, "{}", text.len());
        assert_eq!(Cursor::decode(&text), Ok(cursor));
    }

    /// D-048, D-036b number 54: each bit of the text.
    #[test]
    fn damage_is_found() {
        let text = sliced(9).encode();
        for at in 0..text.len() {
            for bit in 0..7 {
                let mut damaged = text.clone().into_bytes();
                damaged[at] ^= 1 << bit;
                let damaged = String::from_utf8(damaged).expect("seven bits");
                assert_eq!(Cursor::decode(&damaged), Err(Fault::Damaged), "{at}");
            }
        }
        for end in 0..text.len() {
            assert_eq!(Cursor::decode(&text[..end]), Err(Fault::Damaged), "{end}");
        }
        for other in [
            "",
            ".",
            "a.b",
            "é.é",
            &format!("{text}="),
            &format!(" {text}"),
            &format!("{text}.x"),
            &"A".repeat(CURSOR_BYTES + 1),
        ] {
            assert_eq!(Cursor::decode(other), Err(Fault::Damaged), "{other:.20}");
        }
    }

    /// D-036b number 54: version, size and form, each with a checksum that fits.
    #[test]
    fn only_what_was_written_is_read() {
        let sound = payload(&sliced(9));
        assert_eq!(Cursor::decode(&forge(&sound)), Ok(sliced(9)));
        let other = sound.replace(r#""v":1"#, r#""v":2"#);
        assert_eq!(Cursor::decode(&forge(&other)), Err(Fault::Version));
        assert_eq!(Cursor::decode(&forge(r#"{"v":2,"anything":[]}"#)), Err(Fault::Version));
        let oversized = sound.replace("alice", &"a".repeat(CURSOR_BYTES));
        for payload in [
            sound.replace(r#""v":1"#, r#""v": 1"#),
            sound.replace(r#""v":1"#, r#""v":1,"more":0"#),
            sound.replace(r#""owner":"alice","#, ""),
            sound.replace(r#""offset":9"#, r#""offset":9.0"#),
            sound.replace(r#""offset":9"#, r#""offset":-1"#),
            format!("[{sound}]"),
            format!("{sound} "),
            "{}".into(),
            String::new(),
            oversized,
        ] {
            assert_eq!(Cursor::decode(&forge(&payload)), Err(Fault::Damaged), "{payload:.60}");
        }
    }

    /// D-054, D-036b number 55: the arguments of another call.
    #[test]
    fn belongs_to_its_call() {
        let (owner, repo) = names();
        let (other_owner, other_repo) = (Owner::new("Alice").expect("ok"), RepoName::new("proj2").expect("ok"));
        let eight = Index::new(8).expect("ok");
        let (own, other) = (path("src/a.rs"), path("src/a.rs.bak"));
        let cursor = sliced(9);
        assert_eq!(cursor.check_call(&owner, &repo, seven(), Some(&own)), Ok(()));
        assert_eq!(cursor.check_call(&other_owner, &repo, seven(), Some(&own)), Err(Fault::Call("owner")));
        assert_eq!(cursor.check_call(&owner, &other_repo, seven(), Some(&own)), Err(Fault::Call("repo")));
        assert_eq!(cursor.check_call(&owner, &repo, eight, Some(&own)), Err(Fault::Call("index")));
        assert_eq!(cursor.check_call(&owner, &repo, seven(), Some(&other)), Err(Fault::Call("file_path")));
        assert_eq!(cursor.check_call(&owner, &repo, seven(), None), Err(Fault::Call("file_path")));
        let cursor = whole(&Fixture::new(DIFF), 9);
        assert_eq!(cursor.check_call(&owner, &repo, seven(), None), Ok(()));
        assert_eq!(cursor.check_call(&owner, &repo, seven(), Some(&own)), Err(Fault::Call("file_path")));
    }

    /// D-052, D-053, D-058, D-036b number 52: each bound value alone, as far as a sound entity can change it alone.
    #[test]
    fn each_changed_input_refuses() {
        let start = Fixture::new(DIFF);
        let cursor = whole(&start, 5);
        assert_eq!(cursor.check_manifest(&manifest(&start), None), Ok(()));
        let mut other_repository = start.clone();
        other_repository.manifest = start.manifest.replace(":12,", ":13,").replace(":12}", ":13}");
        let shorter = Fixture::new(&DIFF[1..]);
        let mut flipped = DIFF.to_vec();
        flipped[0] ^= 1;
        for (fresh, bound) in [
            (other_repository, Bound::RepositoryId),
            (start.clone().with(r#""id":34"#, r#""id":35"#), Bound::PullId),
            (Fixture::sha256_repository(DIFF), Bound::ObjectFormat),
            (start.clone().with(&"1f".repeat(20), &"1e".repeat(20)), Bound::MergeBaseOid),
            (start.clone().with(&"2e".repeat(20), &"2f".repeat(20)), Bound::HeadOid),
            (start.clone().with("pr-diff-binary.v1", "pr-diff-binary.v2"), Bound::Profile),
            (start.clone().with("2.47.3", "2.47.4"), Bound::Profile),
            (start.clone().with("--histogram", "--patience"), Bound::Profile),
            (shorter, Bound::ContentBytes),
            (Fixture::new(&flipped), Bound::ContentSha256),
        ] {
            let fault = cursor.check_manifest(&manifest(&fresh), None).unwrap_err();
            assert_eq!(fault, Fault::Moved(bound));
            assert!(fault.to_string().contains(&bound.to_string()) && fault.to_string().contains("without a cursor"));
            assert_eq!(fault.code(), "inputs_moved");
        }
    }

    /// D-053: the values that one sound entity cannot change without another one are each compared all the same.
    #[test]
    fn each_bound_value_is_compared() {
        let fixture = Fixture::new(DIFF);
        let changes: [Change<Binding>; 16] = [
            (|b| b.repository_id += 1, Bound::RepositoryId),
            (|b| b.pull_id += 1, Bound::PullId),
            (|b| b.index += 1, Bound::Index),
            (|b| b.object_format.push('x'), Bound::ObjectFormat),
            (|b| b.merge_base.oid.push('0'), Bound::MergeBaseOid),
            (|b| b.merge_base.repository_id += 1, Bound::MergeBaseRepository),
            (|b| b.merge_base.source.push('x'), Bound::MergeBaseSource),
            (|b| b.merge_base.reference = Some(String::new()), Bound::MergeBaseSource),
            (|b| b.head.oid.push('0'), Bound::HeadOid),
            (|b| b.head.repository_id += 1, Bound::HeadRepository),
            (|b| b.head.source.push('x'), Bound::HeadSource),
            (|b| b.head.reference = Some("cmVm".into()), Bound::HeadRef),
            (|b| b.head.reference = None, Bound::HeadRef),
            (|b| b.profile.push('x'), Bound::Profile),
            (|b| b.bytes += 1, Bound::ContentBytes),
            (|b| b.sha256.push('x'), Bound::ContentSha256),
        ];
        for (change, bound) in changes {
            let mut cursor = whole(&fixture, 5);
            change(&mut cursor.binding);
            // Through its text, as a forged one would come (D-049).
            let cursor = Cursor::decode(&cursor.encode()).expect("its checksum fits");
            assert_eq!(cursor.check_manifest(&manifest(&fixture), None), Err(Fault::Moved(bound)));
        }
    }

    /// D-053, S-011: a sliced walk binds the slice as well.
    #[test]
    fn a_changed_slice_refuses() {
        let fresh = manifest(&Fixture::new(DIFF));
        assert_eq!(sliced(5).check_manifest(&fresh, Some(&slice())), Ok(()));
        let changes: [Change<Slice>; 3] = [
            (|s| s.section_count += 1, Bound::SectionCount),
            (|s| s.captured.count += 1, Bound::SliceBytes),
            (|s| s.captured.sha256 = [8; 32], Bound::SliceSha256),
        ];
        for (change, bound) in changes {
            let mut changed = slice();
            change(&mut changed);
            assert_eq!(sliced(5).check_manifest(&fresh, Some(&changed)), Err(Fault::Moved(bound)));
        }
        assert_eq!(sliced(5).check_manifest(&fresh, None), Err(Fault::Call("file_path")));
        let whole = whole(&Fixture::new(DIFF), 5);
        assert_eq!(whole.check_manifest(&fresh, Some(&slice())), Err(Fault::Call("file_path")));
    }

    /// D-031, D-057a: times, the target's tip and the fork may differ.
    #[test]
    fn observations_may_change() {
        let start = Fixture::new(DIFF);
        let tip = format!(r#""status":"present","oid":"{}""#, "3d".repeat(20));
        for fresh in [
            start.clone().with("2026-12-02T01:15:51.2Z", "2026-12-03T00:00:00Z"),
            start.clone().with("2026-12-02T01:15:51.123456789Z", "2026-12-01T00:00:00Z"),
            start.clone().with(&tip, r#""status":"missing","oid":null"#),
            start.clone().with(&"3d".repeat(20), &"4c".repeat(20)),
            start.clone().with("cmVmcy9oZWFkcy9tYWlu", "cmVmcy9oZWFkcy9kZXY="),
            start.clone().with(r#""repository_id":99"#, r#""repository_id":null"#),
            start.clone().with("ZmVhdP8=", "ZGV2"),
        ] {
            assert_eq!(whole(&start, 5).check_manifest(&manifest(&fresh), None), Ok(()));
        }
    }

    /// D-055, D-036b number 53: an honest cursor points into the diff, after its first byte.
    #[test]
    fn offsets_stay_within() {
        let fixture = Fixture::new(DIFF);
        let (count, fresh) = (DIFF.len() as u64, manifest(&fixture));
        for (offset, verdict) in [
            (0, Err(Fault::Offset)),
            (1, Ok(())),
            (count - 1, Ok(())),
            (count, Err(Fault::Offset)),
            (count + 1, Err(Fault::Offset)),
            (u64::MAX, Err(Fault::Offset)),
        ] {
            assert_eq!(whole(&fixture, offset).check_manifest(&fresh, None), verdict, "{offset}");
        }
        for (offset, verdict) in [(0, Err(Fault::Offset)), (29, Ok(())), (30, Err(Fault::Offset))] {
            assert_eq!(sliced(offset).check_manifest(&fresh, Some(&slice())), verdict, "{offset}");
        }
        let empty = Fixture::new(b"");
        assert_eq!(whole(&empty, 0).check_manifest(&manifest(&empty), None), Err(Fault::Offset));
    }

    proptest! {
        /// Hostile text never panics, with a checksum that fits or without.
        #[test]
        fn takes_any_text(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Cursor::decode(&text);
            let forged = format!("{}.{}", URL_SAFE_NO_PAD.encode_to_string(&bytes), checksum(&bytes));
            prop_assert!(Cursor::decode(&forged).is_err());
        }
    }
}
