//! Scopes by the ids they are given out under: where they are in a text is part of the id (PG-28).

use assay_patch::{
    Sha256Hex,
    scopes::{IndentBlocks, Kind, Lines, Listed, MarkdownHeadings, Paragraphs, Parser, Scope as Found},
    text::{Positions, Span},
};

use crate::ports::Scope;

/// The most ids that are observed at once.
pub(crate) const MAX_OBSERVED: usize = 16;

pub(crate) fn id(kind: &Kind, span: Span) -> String {
    format!("{}:{}-{}", kind.name(), span.start, span.end)
}

/// The scope of an id in this text; nothing where it has none such.
pub(crate) fn find(text: &str, id: &str) -> Option<(Scope, Span)> {
    let (kind, place) = id.rsplit_once(':')?;
    let (start, end) = place.split_once('-')?;
    let span = Span { start: start.parse().ok()?, end: end.parse().ok()? };
    let kind = Kind::of_name(kind);
    let parser: &dyn Parser = match kind {
        Kind::Line => &Lines,
        Kind::Paragraph => &Paragraphs,
        Kind::MarkdownHeading => &MarkdownHeadings,
        Kind::IndentBlock => &IndentBlocks,
        Kind::Parsed(_) => return None,
    };
    let found = parser.outline(text).into_iter().find(|scope| scope.span == span)?;
    let slice = Positions::of(text).slice(span)?.to_owned();
    let scope = stored(&found, &Sha256Hex::of(slice), parser.name(), parser.version());
    // An id has one spelling: `line:00-2` is none.
    (scope.scope_id == id).then_some((scope, span))
}

pub(crate) fn listed(listed: &Listed) -> Scope {
    stored(&listed.scope, &listed.sha256, &listed.parser, &listed.grammar_version)
}

fn stored(found: &Found, sha256: &Sha256Hex, parser: &str, version: &str) -> Scope {
    Scope {
        scope_id: id(&found.kind, found.span),
        kind: found.kind.name().to_owned(),
        name: Some(found.name.clone()),
        path: (!found.path.is_empty()).then(|| found.path.join(" > ")),
        start: found.span.start as u64,
        end: found.span.end as u64,
        sha256: sha256.to_string(),
        parser: parser.to_owned(),
        grammar_version: Some(version.to_owned()),
        has_error: found.has_error,
    }
}
