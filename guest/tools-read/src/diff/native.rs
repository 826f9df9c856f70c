//! Native evidence: one request, judged by itself (D).

use assay_envelope::Refusal;
use assay_forge::{
    Capture, Error, Sink, Slicer, Verified,
    cursor::{self, Binding, Walk},
    evidence::{Evidence, Verifier},
    files::Lister,
    http::{self, Served},
};
use assay_origin::{Answer, feed, head, refuse};

use super::{Ask, Found, Judged, Rows};
use crate::ports::Ports;

/// Asks for native evidence and takes nothing else (D-079).
pub(super) fn read(ports: Ports<'_>, ask: Ask<'_>) -> Result<Judged, Refusal> {
    let mut answer = ask.target.diff(ports.origin, true).wait()?;
    match http::judge_evidence(&head(answer.as_ref())).map_err(refuse)? {
        Served::Evidence { content_length } => judge(ports, ask, answer.as_mut(), content_length),
        Served::Stock(_) => Err(missing(ports, ask)),
    }
}

/// Judges an answer whose head promises native evidence.
pub(super) fn judge(
    ports: Ports<'_>,
    ask: Ask<'_>,
    answer: &mut dyn Answer,
    content_length: u64,
) -> Result<Judged, Refusal> {
    let verifier = Verifier::new(ask.target.index, content_length, Selection::of(ask));
    let evidence = verify(verifier, answer)?.into_inner();
    ports.reading.note_evidence();
    let judged = Judged {
        manifest: evidence.manifest.raw().to_owned(),
        binding: Binding::from(&evidence.manifest),
        whole_diff_verified: true,
        found: evidence.output,
    };
    ask.continues(&judged.found, &judged.binding)?;
    Ok(judged)
}

/// O-001, O-018, D-079: why a plain diff is not taken here.
pub(super) fn missing(ports: Ports<'_>, ask: Ask<'_>) -> Refusal {
    if ask.cursor.is_some_and(|cursor| cursor.binding().is_native()) {
        return refuse(cursor::Fault::Downgraded);
    }
    if ports.reading.saw_evidence() {
        return Refusal::new(
            "evidence_missing",
            "This forge has served native evidence (forgejo.pr-diff-evidence.v1) before and now answers with a plain \
             diff. It is held to what it can do for as long as this server runs, so nothing is shown: ask the forge's \
             operator; if the evidence route was taken away on purpose, restart this server.",
        );
    }
    Refusal::new(
        "evidence_unavailable",
        "This forge answered with a plain diff, without the evidence (forgejo.pr-diff-evidence.v1) that this server is \
         set to insist on (GATEWAY_DIFF_SOURCE=evidence), and a plain diff is never shown in its place. Ask the forge's \
         operator for the evidence route, or set GATEWAY_DIFF_SOURCE=auto: a plain diff is then proven against git \
         objects.",
    )
}

fn verify<S: Sink>(
    mut verifier: Verifier<S>,
    answer: &mut dyn Answer,
) -> Result<Verified<Evidence<S::Output>>, Refusal> {
    feed(answer, |bytes| verifier.feed(bytes))?;
    verifier.finish().map_err(refuse)
}

/// Takes the diff while it is being verified.
enum Selection {
    Diff(Capture),
    File(Box<Slicer>),
    Files(Box<Lister<Rows>>),
}

impl Selection {
    fn of(ask: Ask<'_>) -> Self {
        let offset = ask.offset();
        match ask.walk {
            Walk::Diff => Self::Diff(Capture::new(offset)),
            Walk::File(path) => Self::File(Box::new(Slicer::new(path.clone(), offset))),
            Walk::Files => Self::Files(Box::new(Lister::new(Rows::from(offset)))),
        }
    }
}

impl Sink for Selection {
    type Output = Found;

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Diff(capture) => capture.push(bytes),
            Self::File(slicer) => slicer.push(bytes),
            Self::Files(lister) => lister.push(bytes),
        }
    }

    fn finish(self) -> Result<Found, Error> {
        match self {
            Self::Diff(capture) => capture.finish().map(Found::Diff),
            Self::File(slicer) => slicer.finish().map(Found::File),
            Self::Files(lister) => lister.finish().map(|(totals, rows)| Found::Files(rows, totals)),
        }
    }
}
