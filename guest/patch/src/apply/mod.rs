//! The one applier: operations on a text, in order, all of them or none (P-021, P-022, P-028).
//!
//! It changes a buffer of its own and tells what it did, or which operation failed on what. It is a function of text,
//! transaction and profile, so a replay runs the same code; warnings are computed beside it and never there (P-063).

mod batch;
mod buffer;
mod expect;
mod failure;
mod select;
mod warnings;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use batch::apply_batch;
pub use failure::{Candidate, Consumed, Context, Failing, Failure, MAX_CANDIDATES};
pub use warnings::{Warning, WarningKind};

use crate::{
    Profile, Reason, Sha256Hex,
    record::{Action, Operation, Transaction},
    text::{Canonical, LineEndings, Span},
};
use buffer::Buffer;
use failure::Refusal;
use warnings::Watch;

/// What came of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The new text.
    pub text: Canonical,
    /// One for each operation, in order.
    pub changes: Vec<Change>,
    /// The line endings of the new text, where those of the old one were given.
    pub endings: Option<LineEndings>,
    /// What is odd about it; empty where nobody asked.
    pub warnings: Vec<Warning>,
}

/// What one operation did (P-060).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The operation's.
    pub change_id: String,
    /// The scope that the span is counted in; nothing where that is the whole text.
    pub scope_id: Option<String>,
    /// What was replaced, in the text as the operations before had left it.
    pub span: Span,
    /// How many code points are there now.
    pub replacement_chars: usize,
    /// Of the text that was replaced.
    pub matched_sha256: Sha256Hex,
    /// Of the text that is there now.
    pub replacement_sha256: Sha256Hex,
}

/// What beside the text is wanted of an application.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Line endings to carry along.
    pub endings: Option<LineEndings>,
    /// Whether to compute warnings.
    pub warnings: bool,
}

/// The buffer, and what was done to it so far.
struct Simulation<'a> {
    start: &'a Canonical,
    profile: &'a Profile,
    buffer: Buffer,
    changes: Vec<Change>,
    endings: Option<LineEndings>,
    warnings: Option<Vec<Warning>>,
}

/// Applies `transaction` to `start`.
///
/// # Errors
/// [`Failure`] of the first operation that does not apply; nothing of the transaction counts then.
pub fn apply(
    start: &Canonical,
    transaction: &Transaction,
    profile: &Profile,
    extras: Extras,
) -> Result<Applied, Box<Failure>> {
    let mut simulation = Simulation {
        start,
        profile,
        buffer: Buffer::of(start),
        changes: Vec::new(),
        endings: extras.endings,
        warnings: extras.warnings.then(Vec::new),
    };
    for operation in &transaction.operations {
        if let Err(refusal) = simulation.step(operation) {
            return Err(simulation.fail(operation, *refusal));
        }
    }
    let Simulation { buffer, changes, endings, warnings, .. } = simulation;
    let mut warnings = warnings.unwrap_or_default();
    if extras.warnings && buffer.as_str() == start.as_str() {
        warnings.push(Warning { kind: WarningKind::NoOpTransaction, change_id: None });
    }
    Ok(Applied { text: Canonical::of(buffer.into_string()), changes, endings, warnings })
}

impl Simulation<'_> {
    fn step(&mut self, operation: &Operation) -> Result<(), Box<Refusal>> {
        let (bytes, replace) = self.aim(&operation.action)?;
        let span = self.buffer.span(bytes.clone());
        let matched = &self.buffer.as_str()[bytes.clone()];
        self.changes.push(Change {
            change_id: operation.change_id.clone(),
            scope_id: None,
            span,
            replacement_chars: replace.code_points(),
            matched_sha256: Sha256Hex::of(matched),
            replacement_sha256: replace.sha256(),
        });
        if let Some(endings) = self.endings.take() {
            self.endings = Some(endings.replaced(self.buffer.as_str(), bytes.clone(), replace.as_str()));
        }
        let watch =
            self.warnings.is_some().then(|| Watch::before(self.start, &self.buffer, operation, &bytes, &replace));
        let seam = bytes.start..bytes.start + replace.as_str().len();
        self.buffer.replace(bytes, span, replace.as_str());
        if let (Some(warnings), Some(watch)) = (&mut self.warnings, watch) {
            warnings.extend(watch.after(&self.buffer, seam, &operation.change_id));
        }
        Ok(())
    }

    /// The bytes that an action replaces, and what it puts there.
    fn aim(&self, action: &Action) -> Result<(Range<usize>, Canonical), Box<Refusal>> {
        match action {
            Action::ReplaceAll { replace } => Ok((0..self.buffer.as_str().len(), Canonical::of(replace.as_str()))),
            Action::Match { text, replace, selectors } => {
                let text = Canonical::of(text.as_str());
                let chosen = select::choose(&self.buffer, text.as_str(), selectors, self.profile);
                let bytes = chosen.map_err(|refusal| self.missed(text, refusal))?;
                Ok((bytes, Canonical::of(replace.as_str())))
            }
            Action::Span { span, expected, replace, before, after } => {
                let beside = [before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default()];
                let bytes = expect::check(&self.buffer, *span, expected, beside)?;
                Ok((bytes, Canonical::of(replace.as_str())))
            }
        }
    }

    /// What is known more of a text that is nowhere.
    fn missed(&self, text: Canonical, refusal: Box<Refusal>) -> Box<Refusal> {
        if refusal.reason != Reason::MatchAbsent {
            return refusal;
        }
        // PG-18: it was there when the transaction began, so an earlier change took it.
        let consumed = failure::consumed(self.start, text.as_str(), &self.changes);
        let (reason, detail) = match &consumed {
            None => (refusal.reason, refusal.detail),
            Some(Consumed { change_id, .. }) => {
                let detail = format!("an earlier change of this transaction, {change_id}, replaced the text to match");
                (Reason::SequentialMatchInvalid, detail)
            }
        };
        let failing = Failing { missed: Some(text.into_string()), consumed, ..refusal.failing };
        Box::new(Refusal { reason, detail, failing })
    }

    fn fail(self, operation: &Operation, refusal: Refusal) -> Box<Failure> {
        let Refusal { reason, detail, failing } = refusal;
        Box::new(Failure {
            reason,
            detail,
            change_id: operation.change_id.clone(),
            prior_changes: self.changes.len(),
            buffer: self.buffer.into_string(),
            failing,
        })
    }
}
