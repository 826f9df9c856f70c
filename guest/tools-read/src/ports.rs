//! What a tool may reach: the ports of its component's world as traits, so that the tools run natively against a script.

use assay_forge::{ObjectId, object::Kind};
use assay_origin::{Lists, Origin};

/// Everything a call has.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The forge.
    pub origin: &'a dyn Origin,
    /// Its lists of repositories.
    pub lists: &'a dyn Lists,
    /// What the process keeps between calls.
    pub objects: &'a dyn Objects,
    /// What the operator wants, and what the process has learned.
    pub reading: &'a dyn Reading,
}

/// The `objects` port: git objects and proven diffs within one repository (O-012). It grants nothing: whoever shows a byte
/// of it has asked the forge first.
pub trait Objects {
    /// Whether [`Self::get`] would give it now.
    fn has(&self, repository: u64, id: &ObjectId) -> bool;
    /// An object's content, with what it is.
    fn get(&self, repository: u64, id: &ObjectId) -> Option<(Kind, Vec<u8>)>;
    /// Offers an object, which is kept where there is room and it has this id. The content comes back: it can be large, and
    /// is not copied on this side.
    fn put(&self, repository: u64, id: &ObjectId, kind: Kind, content: Vec<u8>) -> Vec<u8>;
    /// Begins a diff that may be kept.
    fn draft(&self) -> Box<dyn Draft>;
    /// A kept diff.
    fn find_diff(&self, key: &DiffKey) -> Option<Box<dyn KeptDiff>>;
}

/// What a proven diff is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiffKey {
    /// Numeric id of the repository.
    pub repository: u64,
    /// The old side's commit.
    pub merge_base: ObjectId,
    /// The new side's commit.
    pub head: ObjectId,
    /// Of the diff's bytes.
    pub sha256: [u8; 32],
}

/// A diff while it is read. Dropped, it is gone.
pub trait Draft {
    /// The next bytes; false where there is no room for them, and none for more.
    fn write(&mut self, bytes: &[u8]) -> bool;
    /// The next bytes of what is to be found beside it.
    fn annotate(&mut self, bytes: &[u8]) -> bool;
    /// Keeps it.
    fn keep(self: Box<Self>, key: &DiffKey, receipt: &[u8]) -> bool;
}

/// A kept diff, whole for as long as it is held.
pub trait KeptDiff {
    /// What was kept as its receipt.
    fn receipt(&self) -> Vec<u8>;
    /// Bytes of the diff.
    fn length(&self) -> u64;
    /// At most `max` bytes from `offset` on; none past the end.
    fn read(&self, offset: u64, max: u32) -> Vec<u8>;
    /// The same of the annotations.
    fn read_annotations(&self, offset: u64, max: u32) -> Vec<u8>;
}

/// The `reading` port.
pub trait Reading {
    /// What the operator wants.
    fn settings(&self) -> Settings;
    /// Whether this forge has served native evidence to this process (O-018).
    fn saw_evidence(&self) -> bool;
    /// It has now.
    fn note_evidence(&self);
    /// Waits for the right to run one proof, which is held until it is dropped (O-015).
    fn take_turn(&self) -> Box<dyn Turn>;
    /// Waits.
    fn pause(&self, milliseconds: u32);
}

/// The right to run one proof.
pub trait Turn {}

/// What the operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which receipts count.
    pub source: Source,
    /// What becomes of a diff that cannot be proven.
    pub proof: Proof,
    /// How windows are shown where the call does not say.
    pub encoding: Encoding,
    /// Bytes of one file's side that a proof takes into memory.
    pub proof_file_bytes: u64,
    /// Bytes of the whole response that carries an answer.
    pub result_bytes: u32,
}

/// O-001.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Native evidence where the forge has it, else a proof.
    Auto,
    /// Native evidence alone.
    Evidence,
    /// A proof, whatever the forge has.
    Observed,
}

/// O-011.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It is shown with the level that was reached.
    Preferred,
    /// It is refused.
    Required,
    /// Nothing is proven.
    Off,
}

/// O-017.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The contract's shape: `data` always, `text` beside it where the window is UTF-8.
    Base64,
    /// `text` alone.
    Text,
    /// Text where the window is UTF-8, else base64.
    Auto,
}
