//! What one process keeps and has learned, in memory.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use assay_forge::{
    ObjectId,
    object::{Kind, Object},
};
use assay_kit::case::CaseSettings;
use assay_tools_read::ports::{DiffKey, Draft, Encoding, KeptDiff, Objects, Proof, Reading, Settings, Source, Turn};
use sha2::{Digest as _, Sha256};

type Kept = Rc<RefCell<HashMap<DiffKey, Diff>>>;
type ById = HashMap<(u64, Vec<u8>), (Kind, Vec<u8>)>;

pub(crate) struct Memory {
    settings: Settings,
    keeps_diffs: bool,
    saw_evidence: Cell<bool>,
    objects: RefCell<ById>,
    diffs: Kept,
    /// Proofs running now.
    turns: Rc<Cell<u32>>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::with(&CaseSettings::default())
    }
}

impl Memory {
    pub(crate) fn with(settings: &CaseSettings) -> Self {
        let word = |text: &Option<String>| text.clone().unwrap_or_default();
        let settings_given = Settings {
            source: match word(&settings.diff_source).as_str() {
                "" | "auto" => Source::Auto,
                "evidence" => Source::Evidence,
                "observed" => Source::Observed,
                other => panic!("no source is called {other:?}"),
            },
            proof: match word(&settings.diff_proof).as_str() {
                "" | "preferred" => Proof::Preferred,
                "required" => Proof::Required,
                "off" => Proof::Off,
                other => panic!("no choice of a proof is called {other:?}"),
            },
            encoding: match word(&settings.diff_encoding).as_str() {
                "" | "base64" => Encoding::Base64,
                "text" => Encoding::Text,
                "auto" => Encoding::Auto,
                other => panic!("no encoding is called {other:?}"),
            },
            proof_file_bytes: settings.proof_file_bytes.unwrap_or(16 << 20),
            result_bytes: 49_000,
        };
        Self {
            settings: settings_given,
            keeps_diffs: settings.spool_bytes != Some(0),
            saw_evidence: Cell::default(),
            objects: RefCell::default(),
            diffs: Rc::default(),
            turns: Rc::default(),
        }
    }
}

impl Objects for Memory {
    fn has(&self, repository: u64, id: &ObjectId) -> bool {
        self.objects.borrow().contains_key(&(repository, id.as_bytes().to_vec()))
    }

    fn get(&self, repository: u64, id: &ObjectId) -> Option<(Kind, Vec<u8>)> {
        self.objects.borrow().get(&(repository, id.as_bytes().to_vec())).cloned()
    }

    fn put(&self, repository: u64, id: &ObjectId, kind: Kind, content: Vec<u8>) -> Vec<u8> {
        if Object::checked(*id, kind, content.clone()).is_ok() {
            self.objects.borrow_mut().insert((repository, id.as_bytes().to_vec()), (kind, content.clone()));
        }
        content
    }

    fn draft(&self) -> Box<dyn Draft> {
        let kept = self.keeps_diffs.then(|| Rc::clone(&self.diffs));
        Box::new(Writing { kept, diff: Diff::default() })
    }

    fn find_diff(&self, key: &DiffKey) -> Option<Box<dyn KeptDiff>> {
        Some(Box::new(self.diffs.borrow().get(key)?.clone()))
    }
}

impl Reading for Memory {
    fn settings(&self) -> Settings {
        self.settings
    }

    fn saw_evidence(&self) -> bool {
        self.saw_evidence.get()
    }

    fn note_evidence(&self) {
        self.saw_evidence.set(true);
    }

    fn take_turn(&self) -> Box<dyn Turn> {
        self.turns.set(self.turns.get() + 1);
        assert_eq!(self.turns.get(), 1, "a call takes one turn");
        Box::new(Held(Rc::clone(&self.turns)))
    }

    fn pause(&self, milliseconds: u32) {
        assert!(milliseconds <= 10_000, "the host waits no longer");
    }
}

struct Held(Rc<Cell<u32>>);

impl Turn for Held {}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

#[derive(Clone, Default)]
struct Diff {
    receipt: Vec<u8>,
    bytes: Vec<u8>,
    annotations: Vec<u8>,
}

struct Writing {
    kept: Option<Kept>,
    diff: Diff,
}

impl Draft for Writing {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.diff.bytes.extend_from_slice(bytes);
        self.kept.is_some()
    }

    fn annotate(&mut self, bytes: &[u8]) -> bool {
        self.diff.annotations.extend_from_slice(bytes);
        self.kept.is_some()
    }

    fn keep(mut self: Box<Self>, key: &DiffKey, receipt: &[u8]) -> bool {
        assert_eq!(<[u8; 32]>::from(Sha256::digest(&self.diff.bytes)), key.sha256, "a draft is kept under its hash");
        self.diff.receipt = receipt.to_vec();
        let Some(kept) = &self.kept else { return false };
        kept.borrow_mut().insert(*key, self.diff.clone());
        true
    }
}

impl KeptDiff for Diff {
    fn receipt(&self) -> Vec<u8> {
        self.receipt.clone()
    }

    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, offset: u64, max: u32) -> Vec<u8> {
        cut(&self.bytes, offset, max)
    }

    fn read_annotations(&self, offset: u64, max: u32) -> Vec<u8> {
        cut(&self.annotations, offset, max)
    }
}

/// In pieces that are small on purpose.
fn cut(bytes: &[u8], offset: u64, max: u32) -> Vec<u8> {
    let from = usize::try_from(offset).expect("small").min(bytes.len());
    let count = usize::try_from(max).expect("small").min(89);
    bytes[from..].iter().take(count).copied().collect()
}
