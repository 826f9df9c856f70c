//! The prover: hears a diff, asks for objects, and says at the end what they show.

use super::{
    Contradiction, Level, ObjectSource, Reached, Sides, Stopped,
    bases::Bases,
    binary::Binary,
    changes::Changes,
    inflate::Inflater,
    section::{Claims, Told, explains_similarity, judge},
    side::{Flaw, Side},
    text::Text,
};
use crate::{
    ObjectId,
    diff::{BinaryBlock, Body, Events, HunkHeader, LineKind, SectionEnd, SectionHeader},
};

/// Bytes of one side of a file that a proof takes into memory where nobody says otherwise (O-015).
pub const FILE_BYTES: u64 = 16 * 1024 * 1024;

/// What a proof may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one side of a file. Two of them are held at once.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: FILE_BYTES }
    }
}

/// Proves a diff between two commits while it is parsed. From a contradiction on, and where the trees cannot be had, it
/// hears nothing more.
pub struct Prover<S: ObjectSource> {
    source: S,
    file_bytes: u64,
    /// What the trees show; nothing where they could not be had or the diff was found wrong.
    known: Option<Known>,
    section: Option<Section>,
    sides: Option<Sides>,
    inflater: Option<Box<Inflater>>,
    files_proven: u64,
    stopped: Option<Stopped>,
    contradiction: Option<Contradiction>,
}

/// What the trees show and how much of it was told.
struct Known {
    changes: Changes,
    told: Told,
    bases: Bases,
}

/// The section that passes.
struct Section {
    claims: Claims,
    sides: Sides,
    work: Work,
    /// The blob that was had for it.
    base: Option<ObjectId>,
    /// Nothing was left out of it so far.
    proven: bool,
}

/// How the section's body is checked.
enum Work {
    /// It has none, and needs none.
    Nothing,
    Text(Box<Text>),
    Binary(Box<Binary>),
    /// It is not: something stopped its proof.
    Skipped,
}

/// What a proof has come to. It can be made by a [`Prover`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conclusion {
    reached: Reached,
    files_proven: u64,
    stopped: Option<Stopped>,
    contradiction: Option<Contradiction>,
}

impl<S: ObjectSource> Prover<S> {
    /// Reads the two commits and walks their trees at once. What stops that is kept and told at the end.
    #[must_use]
    pub fn start(mut source: S, merge_base: ObjectId, head: ObjectId, limits: Limits) -> Self {
        let (known, stopped) = match Changes::read(&mut source, merge_base, head) {
            Ok(changes) => {
                let mut bases = Bases::new(changes.as_slice(), limits.file_bytes);
                bases.tell(&mut source);
                (Some(Known { told: Told::new(&changes), changes, bases }), None)
            }
            Err(stopped) => (None, Some(stopped)),
        };
        Self {
            source,
            file_bytes: limits.file_bytes,
            known,
            section: None,
            sides: None,
            inflater: None,
            files_proven: 0,
            stopped,
            contradiction: None,
        }
    }

    /// Both sides, as the trees have them, of the section that ended last; nothing where they are not established.
    #[must_use]
    pub fn sides(&self) -> Option<&Sides> {
        self.sides.as_ref()
    }

    /// The diff is over: what was shown of it. It holds for a diff that the parser took to its end.
    #[must_use]
    pub fn finish(mut self) -> (Conclusion, S) {
        if let Some(Known { changes, told, .. }) = &self.known
            && let Err(missing) = told.end(changes)
        {
            self.fail(missing.into());
        }
        let level = match (&self.known, self.stopped) {
            (Some(_), None) => Level::Transform,
            (Some(_), Some(_)) => Level::TreeSet,
            (None, _) => Level::Parsed,
        };
        let Self { files_proven, stopped, contradiction, source, .. } = self;
        (Conclusion { reached: Reached::at(level), files_proven, stopped, contradiction }, source)
    }

    /// The whole proof ends here.
    fn fail(&mut self, flaw: Flaw) {
        match flaw {
            Flaw::Stopped(stopped) => self.stopped = Some(stopped),
            Flaw::Contradiction(contradiction) => self.contradiction = Some(contradiction),
        }
        (self.known, self.section, self.sides, self.inflater) = (None, None, None, None);
    }

    fn open(&mut self, header: &SectionHeader) -> Result<(), Flaw> {
        let Some(Known { changes, bases, told, .. }) = &mut self.known else { return Ok(()) };
        let (claims, sides) = judge(header, changes, &mut self.source)?;
        told.check(claims, changes)?;
        if let Some(at) = claims.new.or(claims.old) {
            bases.come_to(at, &mut self.source);
        }
        if let Some((old_path, _)) = &header.paths {
            self.source.at(old_path);
        }
        self.section = Some(Section { claims, sides, work: Work::Nothing, base: None, proven: true });
        if !explains_similarity(header, sides) {
            self.leave_unproven(Stopped::UnexplainedSimilarity);
        }
        let work = self.work(header.body, sides);
        self.go_on(work, |section, work| section.work = work);
        Ok(())
    }

    /// Takes a step's outcome. A body that was found wanting is not checked further, and the section is not proven; the
    /// others can still be.
    fn go_on<T>(&mut self, outcome: Result<T, Flaw>, then: impl FnOnce(&mut Section, T)) {
        match (outcome, &mut self.section) {
            (Ok(made), Some(section)) => then(section, made),
            (Ok(_), None) => {}
            (Err(Flaw::Stopped(stopped)), _) if stopped != Stopped::Aborted => {
                self.leave_unproven(stopped);
                if let Some(section) = &mut self.section {
                    section.work = Work::Skipped;
                }
            }
            (Err(flaw), _) => self.fail(flaw),
        }
    }

    /// The section is not proven, whatever its body will show.
    fn leave_unproven(&mut self, stopped: Stopped) {
        self.stopped.get_or_insert(stopped);
        if let Some(section) = &mut self.section {
            section.proven = false;
        }
    }

    /// How the body is checked, with what it needs from the source.
    fn work(&mut self, body: Body, sides: Sides) -> Result<Work, Flaw> {
        let most = self.file_bytes;
        Ok(match body {
            Body::None => Work::Nothing,
            Body::Differ => return Err(Stopped::BinaryNotShown.into()),
            Body::Text => Work::Text(Box::new(match (sides.old, sides.new) {
                (None, _) => Text::addition(most),
                (_, None) => Text::deletion(most),
                (Some(old), _) => Text::change(self.base(Side::of(Some(old)))?, most),
            })),
            Body::Binary => {
                let [old, new] = [sides.old, sides.new].map(Side::of);
                // Git has no binary part for a commit of another repository.
                if matches!(old, Side::Made(_)) || matches!(new, Side::Made(_)) {
                    return Err(Contradiction::Body.into());
                }
                let format = sides.new.or(sides.old).ok_or(Contradiction::Body)?.id.format();
                Work::Binary(Box::new(Binary::new(old, new, format, most)))
            }
        })
    }

    fn base(&mut self, side: Side) -> Result<Vec<u8>, Flaw> {
        match (side, &mut self.known) {
            (Side::Blob(id), Some(Known { bases, .. })) => {
                let base = bases.get(&mut self.source, id)?;
                if let Some(section) = &mut self.section {
                    section.base = Some(id);
                }
                Ok(base)
            }
            (Side::Made(made), _) => Ok(made),
            (Side::Absent | Side::Blob(_), _) => Ok(Vec::new()),
        }
    }

    fn block(&mut self, block: BinaryBlock) -> Result<(), Flaw> {
        let Some(Section { work: Work::Binary(binary), .. }) = &mut self.section else { return Ok(()) };
        if let Some(id) = binary.needs(block) {
            let base = self.base(Side::Blob(id))?;
            let Some(Section { work: Work::Binary(binary), .. }) = &mut self.section else { return Ok(()) };
            binary.set_base(base);
        }
        let Some(Section { work: Work::Binary(binary), .. }) = &mut self.section else { return Ok(()) };
        binary.block(block, self.inflater.get_or_insert_with(|| Box::new(Inflater::new())))
    }

    fn close(&mut self) -> Result<(), Flaw> {
        let Some(section) = &mut self.section else { return Ok(()) };
        let Sides { old, new } = section.sides;
        let base = match std::mem::replace(&mut section.work, Work::Skipped) {
            Work::Nothing | Work::Skipped => Vec::new(),
            Work::Text(text) if new.is_none() => text.finish(&Side::of(old)).map_err(|flaw| match flaw {
                // What it removes is not the whole old side.
                Flaw::Contradiction(_) => Contradiction::Hunk.into(),
                stopped @ Flaw::Stopped(_) => stopped,
            })?,
            Work::Text(text) => text.finish(&Side::of(new))?,
            Work::Binary(binary) => match &mut self.inflater {
                Some(inflater) => binary.finish(inflater)?,
                None => Vec::new(),
            },
        };
        if let (Some(id), Some(Known { bases, .. })) = (section.base, &mut self.known) {
            bases.keep(id, base);
        }
        Ok(())
    }
}

impl<S: ObjectSource> Events for Prover<S> {
    fn section(&mut self, _: u64) {
        (self.section, self.sides) = (None, None);
    }

    fn header(&mut self, header: &SectionHeader) {
        if let Err(flaw) = self.open(header) {
            self.fail(flaw);
        }
    }

    fn hunk(&mut self, hunk: &HunkHeader) {
        if let Some(Section { work: Work::Text(text), .. }) = &mut self.section {
            match text.hunk(hunk) {
                Ok(true) => {}
                Ok(false) => self.leave_unproven(Stopped::UnexplainedHeading),
                Err(flaw) => self.go_on(Err(flaw), |_, ()| {}),
            }
        }
    }

    fn line(&mut self, kind: LineKind) {
        if let Some(Section { work: Work::Text(text), .. }) = &mut self.section
            && let Err(flaw) = text.line(kind)
        {
            self.go_on(Err(flaw), |_, ()| {});
        }
    }

    fn text(&mut self, piece: &[u8]) {
        if let Some(Section { work: Work::Text(text), .. }) = &mut self.section
            && let Err(flaw) = text.text(piece)
        {
            self.go_on(Err(flaw), |_, ()| {});
        }
    }

    fn binary_block(&mut self, block: BinaryBlock) {
        let outcome = self.block(block);
        self.go_on(outcome, |_, ()| {});
    }

    fn binary_data(&mut self, bytes: &[u8]) {
        if let (Some(Section { work: Work::Binary(binary), .. }), Some(inflater)) =
            (&mut self.section, &mut self.inflater)
            && let Err(flaw) = binary.data(bytes, inflater)
        {
            self.go_on(Err(flaw), |_, ()| {});
        }
    }

    fn section_end(&mut self, _: SectionEnd) {
        let outcome = self.close();
        self.go_on(outcome, |_, ()| {});
        let (Some(section), Some(Known { told, changes, .. })) = (self.section.take(), &mut self.known) else { return };
        told.tell(section.claims, changes);
        self.sides = Some(section.sides);
        self.files_proven += u64::from(section.proven);
    }
}

impl Conclusion {
    /// The level that the proof alone shows of a diff that is in git's grammar: `parsed`, `tree_set` or `transform`.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.reached.level()
    }

    /// The same, to be handed on.
    #[must_use]
    pub const fn reached(&self) -> Reached {
        self.reached
    }

    /// Sections that were applied to their base and gave the new side.
    #[must_use]
    pub const fn files_proven(&self) -> u64 {
        self.files_proven
    }

    /// What stopped the proof first, where it did not come to `transform`.
    #[must_use]
    pub const fn stopped(&self) -> Option<Stopped> {
        self.stopped
    }

    /// What the diff says that is not so. Then its level is `parsed`, and it is not the change between the two commits.
    #[must_use]
    pub const fn contradiction(&self) -> Option<Contradiction> {
        self.contradiction
    }
}
