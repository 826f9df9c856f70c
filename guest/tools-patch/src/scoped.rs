//! Scopes by the ids they are given out under: where they are in a text is part of the id (PG-28).

use assay_patch::{
    scopes::{self, Kind, Listed},
    text::{Positions, Span},
};

use crate::ports::Scope;

/// The most ids that are observed at once.
pub(crate) const MAX_OBSERVED: usize = 16;

pub(crate) fn id(kind: &Kind, span: Span) -> String {
    format!("{}:{}-{}", kind.name(), span.start, span.end)
}

/// The scope of an id in this text; nothing where it has none such.
pub(crate) fn find(positions: &Positions<'_>, id: &str) -> Option<(Scope, Span)> {
    let (kind, place) = id.rsplit_once(':')?;
    let (start, end) = place.split_once('-')?;
    let span = Span { start: start.parse().ok()?, end: end.parse().ok()? };
    let scope = listed(&scopes::find(positions, Kind::of_name(kind), span)?);
    // An id has one spelling: `line:00-2` is none.
    (scope.scope_id == id).then_some((scope, span))
}

pub(crate) fn listed(listed: &Listed) -> Scope {
    let found = &listed.scope;
    Scope {
        scope_id: id(&found.kind, found.span),
        kind: found.kind.name().to_owned(),
        name: Some(found.name.clone()),
        path: (!found.path.is_empty()).then(|| found.path.join(" > ")),
        start: found.span.start as u64,
        end: found.span.end as u64,
        sha256: listed.sha256.to_string(),
        parser: listed.parser.clone(),
        grammar_version: Some(listed.grammar_version.clone()),
        has_error: found.has_error,
    }
}
