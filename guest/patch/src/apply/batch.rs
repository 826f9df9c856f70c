//! A batch: each group on its own scope by the one applier, and the scopes put back from the last to the first (P-142, P-144).

use super::{Applied, Change, Extras, Failing, Failure, Warning, WarningKind, apply};
use crate::{
    Profile, Protocol, Reason, Sha256Hex,
    record::{Batch, Group, Transaction},
    text::{Canonical, Positions},
};

/// Applies `batch` to `start`. The changes are told group by group; each one's span is its scope's own.
///
/// # Errors
/// [`Failure`] of the first group that does not apply; its buffer is the scope's text. Nothing of the batch counts then.
pub fn apply_batch(start: &Canonical, batch: &Batch, extras: Extras) -> Result<Applied, Box<Failure>> {
    // Each group is a transaction of matches and spans, with all that those may say.
    let profile = Profile::current(Protocol::Tx2, true);
    let positions = Positions::of(start.as_str());
    let mut changes = Vec::new();
    let mut warnings = Vec::new();
    let mut parts = Vec::with_capacity(batch.groups.len());
    for group in &batch.groups {
        let text = group.text(&positions)?;
        let transaction = Transaction { intent: batch.intent.clone(), operations: group.operations.clone() };
        let own = Extras { endings: None, warnings: extras.warnings };
        let applied = apply(&Canonical::of(text), &transaction, &profile, own)?;
        let scope_id = &group.scope.scope_id;
        changes.extend(applied.changes.into_iter().map(|change| Change { scope_id: Some(scope_id.clone()), ..change }));
        warnings.extend(applied.warnings.into_iter().filter(|warning| warning.kind != WarningKind::NoOpTransaction));
        parts.push((group.scope.span, applied.text));
    }
    parts.sort_by_key(|(span, _)| std::cmp::Reverse(*span));
    let mut buffer = start.as_str().to_owned();
    let mut endings = extras.endings;
    for (span, text) in &parts {
        let bytes = positions.byte(span.start).zip(positions.byte(span.end)).expect("a scope that was sliced");
        let bytes = bytes.0..bytes.1;
        endings = endings.map(|endings| endings.replaced(&buffer, bytes.clone(), text.as_str()));
        buffer.replace_range(bytes, text.as_str());
    }
    if extras.warnings && buffer == start.as_str() {
        warnings.push(Warning { kind: WarningKind::NoOpTransaction, change_id: None });
    }
    Ok(Applied { text: Canonical::of(buffer), changes, endings, warnings })
}

impl Group {
    /// The scope's text, which must be what was observed and what the group expects (P-145).
    fn text<'a>(&self, positions: &Positions<'a>) -> Result<&'a str, Box<Failure>> {
        let text = positions.slice(self.scope.span);
        let hash = text.map(Sha256Hex::of);
        if let (Some(text), Some(hash)) = (text, hash)
            && hash == self.scope.sha256
            && hash == self.expected_sha256
        {
            return Ok(text);
        }
        let first = self.operations.first().map(|operation| operation.change_id.clone());
        Err(Box::new(Failure {
            reason: Reason::TargetHashMismatch,
            detail: "the scope has another text than was observed: observe it again".to_owned(),
            change_id: first.unwrap_or_default(),
            prior_changes: 0,
            buffer: positions.text().to_owned(),
            failing: Failing { at: Some(self.scope.span.start.min(positions.len())), ..Failing::default() },
        }))
    }
}
