//! Objects out of real repositories for the prover, and one call that proves a diff.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use assay_forge::{
    ObjectFormat, ObjectId,
    diff::{BinaryBlock, Events, Fault, HunkHeader, LineKind, Parser, SectionEnd, SectionHeader},
    object::{Hasher, Kind, Object},
    proof::{Conclusion, Level, Limits, ObjectSource, Prover, Sides, Stopped, Wanted},
};
use assay_kit::AwkwardRepository;

mod small;

pub(crate) use small::every_kind;

/// Objects by id. What it is asked for is written down.
#[derive(Clone, Default)]
pub(crate) struct Objects {
    all: Rc<BTreeMap<String, Object>>,
    /// Objects that are given instead of what is asked for, or the reason why they are not.
    faults: BTreeMap<String, Result<Object, Stopped>>,
    pub(crate) expected: Vec<Wanted>,
    pub(crate) got: Vec<Wanted>,
}

impl Objects {
    /// Every object of a repository, as git itself prints it.
    pub(crate) fn of(repository: &AwkwardRepository) -> Self {
        let printed = repository.git(["cat-file", "--batch-all-objects", "--batch"]);
        let mut all = BTreeMap::new();
        let mut rest = printed.as_slice();
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').expect("a header line");
            let header = String::from_utf8(rest[..end].to_vec()).expect("ASCII");
            let words: Vec<&str> = header.split(' ').collect();
            let [id, kind, size] = words.as_slice() else { panic!("{header}") };
            let size: usize = size.parse().expect("a size");
            let content = rest[end + 1..][..size].to_vec();
            rest = &rest[end + 1 + size + 1..];
            let kind = match *kind {
                "commit" => Kind::Commit,
                "tree" => Kind::Tree,
                "blob" => Kind::Blob,
                other => panic!("no {other} in these repositories"),
            };
            let object = Object::checked(oid(id), kind, content).expect("git's own id");
            all.insert((*id).to_owned(), object);
        }
        Self { all: Rc::new(all), ..Self::default() }
    }

    /// These objects alone.
    pub(crate) fn made(objects: Vec<Object>) -> Self {
        let all = objects.into_iter().map(|object| (object.id().to_string(), object)).collect();
        Self { all: Rc::new(all), ..Self::default() }
    }

    /// The same objects, but for one.
    pub(crate) fn with_fault(&self, id: ObjectId, fault: Result<Object, Stopped>) -> Self {
        let mut objects = self.clone();
        objects.faults.insert(id.to_string(), fault);
        objects
    }

    pub(crate) fn object(&self, id: &str) -> &Object {
        self.all.get(id).expect("it is in the repository")
    }
}

impl ObjectSource for Objects {
    fn expect(&mut self, wanted: &[Wanted]) {
        self.expected.extend(wanted);
    }

    fn get(&mut self, wanted: Wanted, most: u64) -> Result<Object, Stopped> {
        self.got.push(wanted);
        let id = wanted.id.to_string();
        if let Some(fault) = self.faults.get(&id) {
            return fault.clone();
        }
        let object = self.all.get(&id).ok_or(Stopped::ObjectUnavailable)?;
        if object.content().len() as u64 > most { Err(Stopped::FileTooLarge) } else { Ok(object.clone()) }
    }
}

pub(crate) fn oid(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex).expect("a full id")
}

/// An object of SHA-1, with the id that it has.
pub(crate) fn object(kind: Kind, content: Vec<u8>) -> Object {
    let mut hasher = Hasher::new(ObjectFormat::Sha1, kind, content.len() as u64);
    hasher.update(&content);
    Object::checked(hasher.finish().expect("whole"), kind, content).expect("its own id")
}

/// What became of a diff.
pub(crate) struct Outcome {
    pub(crate) parsed: Result<(), Fault>,
    pub(crate) conclusion: Conclusion,
    pub(crate) objects: Objects,
    /// What the prover showed of each section.
    pub(crate) sides: Vec<Option<Sides>>,
}

impl Outcome {
    /// Whether the diff is taken for the change, as whoever writes a receipt decides.
    pub(crate) fn is_transform(&self) -> bool {
        self.parsed.is_ok() && self.conclusion.level() == Level::Transform
    }

    /// What was against it, in one line.
    pub(crate) fn verdict(&self) -> String {
        format!("{:?} {:?}", self.parsed, self.conclusion)
    }
}

/// Two commits of a repository and what it has.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) objects: Objects,
    pub(crate) old: ObjectId,
    pub(crate) new: ObjectId,
    pub(crate) limits: Limits,
}

impl Pair {
    pub(crate) fn of(repository: &AwkwardRepository, old: &str, new: &str) -> Self {
        let [old, new] = [old, new].map(|revision| oid(&repository.oid(revision)));
        Self { objects: Objects::of(repository), old, new, limits: Limits::default() }
    }

    pub(crate) fn prove(&self, diff: &[u8]) -> Outcome {
        self.prove_by(diff, diff.len().max(1))
    }

    pub(crate) fn prove_by(&self, diff: &[u8], piece: usize) -> Outcome {
        let prover = Prover::start(self.objects.clone(), self.old, self.new, self.limits);
        let (mut parser, mut heard) = (Parser::new(), Heard { prover, sides: Vec::new() });
        let fed = diff.chunks(piece).try_for_each(|piece| parser.feed(piece, &mut heard));
        let parsed = fed.and_then(|()| parser.finish_line(&mut heard));
        let (conclusion, objects) = heard.prover.finish();
        Outcome { parsed, conclusion, objects, sides: heard.sides }
    }

    /// Asserts that it is the change between the two, and how many sections were proven.
    pub(crate) fn proves(&self, diff: &[u8], what: &str) -> Outcome {
        let outcome = self.prove(diff);
        assert!(outcome.is_transform(), "{what}: {}", outcome.verdict());
        let (conclusion, got) = (outcome.conclusion, &outcome.objects.got);
        assert_eq!((conclusion.stopped(), conclusion.contradiction()), (None, None), "{what}");
        assert_eq!(conclusion.files_proven(), outcome.sides.len() as u64, "{what}");
        assert!(outcome.sides.iter().all(Option::is_some), "{what}");
        let blobs: Vec<String> =
            got.iter().filter(|wanted| wanted.kind == Kind::Blob).map(|wanted| wanted.id.to_string()).collect();
        assert_eq!(blobs.iter().collect::<BTreeSet<_>>().len(), blobs.len(), "{what}: a blob was asked for twice");
        outcome
    }
}

/// The prover, with what it shows at the end of each section.
struct Heard {
    prover: Prover<Objects>,
    sides: Vec<Option<Sides>>,
}

impl Events for Heard {
    fn section(&mut self, offset: u64) {
        self.prover.section(offset);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.prover.bytes(bytes);
    }

    fn header(&mut self, header: &SectionHeader) {
        self.prover.header(header);
    }

    fn hunk(&mut self, hunk: &HunkHeader) {
        self.prover.hunk(hunk);
    }

    fn line(&mut self, kind: LineKind) {
        self.prover.line(kind);
    }

    fn text(&mut self, piece: &[u8]) {
        self.prover.text(piece);
    }

    fn binary_block(&mut self, block: BinaryBlock) {
        self.prover.binary_block(block);
    }

    fn binary_data(&mut self, bytes: &[u8]) {
        self.prover.binary_data(bytes);
    }

    fn section_end(&mut self, end: SectionEnd) {
        self.prover.section_end(end);
        self.sides.push(self.prover.sides().copied());
    }
}

/// The places where sections start, and the end. No content of these tests reads like a header.
pub(crate) fn boundaries(diff: &[u8]) -> Vec<usize> {
    let starts = (0..diff.len())
        .filter(|at| diff[*at..].starts_with(b"diff --git ") && (*at == 0 || diff.get(at - 1) == Some(&b'\n')));
    starts.chain([diff.len()]).collect()
}
