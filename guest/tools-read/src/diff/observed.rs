//! A stock forge's plain diff: read once, proven on the way, read once more only where its inputs moved (O).

use assay_envelope::Refusal;
use assay_forge::{
    cursor::{Binding, Walk},
    files::{FileRow, TakeRow},
    http::{self, Served, Transport},
    observed::{self, Finished, Known, Observation, Observed, Receipt, Selection},
    proof::{Level, Limits, Prover, Stopped},
};
use assay_origin::{Answer, feed, head, refuse};

use super::{
    Ask, Found, Judged, Rows,
    inputs::Look,
    native,
    objects::{Counted, ForgeObjects},
    rows,
};
use crate::ports::{DiffKey, Draft, Ports, Proof, Source};

/// O-014: how long to wait before the inputs are looked at again.
const SETTLING_MILLISECONDS: u32 = 2_000;

/// Reads what the forge has: native evidence where it answers with it, else a plain diff.
pub(super) fn read(ports: Ports<'_>, ask: Ask<'_>) -> Result<Judged, Refusal> {
    let settings = ports.reading.settings();
    let insists = settings.source == Source::Observed;
    // Before the diff is asked for: a forge breaks off what nobody reads for long. Native evidence takes no turn.
    let proves = settings.proof != Proof::Off && (insists || !ports.reading.saw_evidence());
    let turn = proves.then(|| ports.reading.take_turn());
    let mut reads = 0;
    loop {
        let mut answer = ask.target.diff(ports.origin, !insists).wait()?;
        let head = head(answer.as_ref());
        let transport = if insists {
            http::judge_diff(&head).map_err(refuse)?
        } else {
            match http::judge_evidence(&head).map_err(refuse)? {
                Served::Evidence { content_length } => {
                    drop(turn);
                    return native::judge(ports, ask, answer.as_mut(), content_length);
                }
                Served::Stock(_) if ports.reading.saw_evidence() => return Err(native::missing(ports, ask)),
                Served::Stock(transport) => transport,
            }
        };
        reads += 1;
        let attempt = Attempt::begin(ports, ask, transport, head.date())?;
        match attempt.run(answer.as_mut(), reads)? {
            Some(judged) => return Ok(judged),
            // O-006: one more diff read, once.
            None if reads == 1 => {}
            None => return Err(refuse(observed::Fault::Moved)),
        }
    }
}

/// One reading of the diff, between looks at what it is made from.
struct Attempt<'a> {
    ports: Ports<'a>,
    ask: Ask<'a>,
    origin: Counted<'a>,
    look: Look,
    transport: Transport,
    captured_at: Option<time::OffsetDateTime>,
}

impl<'a> Attempt<'a> {
    /// Looks at the inputs: after the diff's headers came, before its body is read (O-003).
    fn begin(
        ports: Ports<'a>,
        ask: Ask<'a>,
        transport: Transport,
        captured_at: Option<time::OffsetDateTime>,
    ) -> Result<Self, Refusal> {
        let origin = Counted::new(ports.origin);
        let look = Look::take(&origin, ask.target)?;
        if let Some(cursor) = ask.cursor {
            cursor.binding().check_inputs(&look.pull, look.head).map_err(refuse)?;
        }
        Ok(Self { ports, ask, origin, look, transport, captured_at })
    }

    /// Reads and judges the diff; nothing where its inputs moved meanwhile.
    fn run(self, answer: &mut dyn Answer, reads: u32) -> Result<Option<Judged>, Refusal> {
        let settings = self.ports.reading.settings();
        let is_open = settings.proof != Proof::Off;
        let objects = ForgeObjects::new(self.ports.objects, &self.origin, self.ask.target, &self.look, is_open);
        let limits = Limits { file_bytes: settings.proof_file_bytes };
        let prover = Prover::start(objects, self.look.pull.merge_base, self.look.head, limits);
        let mut observation = Observation::new(self.selection(), prover);
        let mut kept = Keeping { draft: Some(self.ports.objects.draft()), rows: self.rows() };
        feed(answer, |bytes| {
            kept.write(bytes);
            observation.feed(bytes, &mut kept)
        })?;
        let Finished { observed, source } = observation.finish(&mut kept);
        let (aborted, names_are_utf8_only) = source.finish();
        if let Some(refusal) = aborted {
            return Err(refusal);
        }
        self.conclude(observed, kept, names_are_utf8_only, reads)
    }

    fn conclude(
        self,
        observed: Result<Observed, assay_forge::Error>,
        mut kept: Keeping,
        names_are_utf8_only: bool,
        reads: u32,
    ) -> Result<Option<Judged>, Refusal> {
        let settings = self.ports.reading.settings();
        let contradicted = matches!(observed, Err(assay_forge::Error::Observed(observed::Fault::Contradicted(_))));
        let proven = observed.as_ref().is_ok_and(|observed| observed.conclusion.reached().level() == Level::Transform);
        let settling = self.ask.cursor.is_none() && self.look.is_fresh();
        if let (Err(error), false) = (&observed, contradicted) {
            return Err(refuse(error.clone()));
        }
        let mut settled = !self.look.is_fresh();
        let mut bracketed = None;
        if settling || !proven {
            if settling {
                self.ports.reading.pause(SETTLING_MILLISECONDS);
            }
            let again = Look::take(&self.origin, self.ask.target)?;
            match observed::bracket(self.look.bound(), again.bound()) {
                Ok(reached) => {
                    settled = settled || settling;
                    bracketed = Some(reached);
                }
                // What was proven is true of the two commits that it names, even if they are the latest no more (O-014).
                Err(_) if proven && reads > 1 => {}
                Err(_) => return Ok(None),
            }
        }
        let observed = observed.map_err(refuse)?;
        let known = Known {
            pull: self.look.pull.clone(),
            head: self.look.head,
            transport: self.transport.clone(),
            settled,
            requests: self.origin.count(),
            names_are_utf8_only,
            proof_is_off: settings.proof == Proof::Off,
            captured_at: self.captured_at,
        };
        let receipt = Receipt::new(&known, &observed, bracketed);
        if settings.proof == Proof::Required && !receipt.is_proven() {
            return Err(unproven(observed.conclusion.stopped()));
        }
        if receipt.is_proven() {
            kept.keep(&self.key(&observed), &receipt);
        }
        self.judged(&receipt, observed, kept.rows).map(Some)
    }

    fn judged(&self, receipt: &Receipt, observed: Observed, rows: Option<Rows>) -> Result<Judged, Refusal> {
        let found = match (rows, observed.slice) {
            (Some(rows), _) => Found::Files(rows, observed.totals),
            (None, Some(slice)) => Found::File(slice),
            (None, None) => Found::Diff(observed.captured),
        };
        let judged = Judged {
            manifest: receipt.to_json(),
            binding: Binding::from(receipt),
            whole_diff_verified: receipt.is_proven(),
            found,
        };
        self.ask.continues(&judged.found, &judged.binding)?;
        Ok(judged)
    }

    fn key(&self, observed: &Observed) -> DiffKey {
        DiffKey {
            repository: self.look.pull.repository,
            merge_base: self.look.pull.merge_base,
            head: self.look.head,
            sha256: observed.captured.sha256,
        }
    }

    fn selection(&self) -> Selection {
        match self.ask.walk {
            Walk::Diff => Selection::Whole(self.ask.offset()),
            Walk::File(path) => Selection::File(path.clone(), self.ask.offset()),
            Walk::Files => Selection::Whole(u64::MAX),
        }
    }

    fn rows(&self) -> Option<Rows> {
        matches!(self.ask.walk, Walk::Files).then(|| Rows::from(self.ask.offset()))
    }
}

/// What is put aside while the diff passes: its bytes and rows, for the next page; rows for this answer.
struct Keeping {
    /// Nothing once there was no room.
    draft: Option<Box<dyn Draft>>,
    rows: Option<Rows>,
}

impl Keeping {
    fn write(&mut self, bytes: &[u8]) {
        if self.draft.as_mut().is_some_and(|draft| !draft.write(bytes)) {
            self.draft = None;
        }
    }

    fn keep(&mut self, key: &DiffKey, receipt: &Receipt) {
        if let Some(draft) = self.draft.take() {
            draft.keep(key, receipt.to_json().as_bytes());
        }
    }
}

impl TakeRow for Keeping {
    fn row(&mut self, row: FileRow) {
        let mut line = rows::json(&row);
        if let Some(rows) = &mut self.rows {
            rows.push(&line);
        }
        line.push('\n');
        if self.draft.as_mut().is_some_and(|draft| !draft.annotate(line.as_bytes())) {
            self.draft = None;
        }
    }
}

/// O-011 under `required`.
fn unproven(stopped: Option<Stopped>) -> Refusal {
    let reason = stopped.map_or_else(|| "the proof did not begin".to_owned(), |stopped| stopped.to_string());
    Refusal::new(
        "proof_required",
        format!(
            "The forge's diff could not be proven against git objects, and this server is set to show nothing else \
             (GATEWAY_DIFF_PROOF=required): {reason}. Nothing of it is shown; with GATEWAY_DIFF_PROOF=preferred it is \
             shown with the level that it reached."
        ),
    )
}
