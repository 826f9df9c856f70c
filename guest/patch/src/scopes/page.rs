//! The listing of a text's scopes, a page at a time: what `patchdiff_list_scopes` answers with.

use std::cmp::Reverse;

use super::source::Source;
use super::{Kind, Parser, Scope};
use crate::Sha256Hex;
use crate::text::{Positions, Span};

/// How many scopes a page has where nothing else is asked for (PG-28).
pub const DEFAULT_RESULTS: usize = 50;

/// How many scopes a page has at most (PG-28).
pub const MAX_RESULTS: usize = 200;

/// A scope with all that is needed to observe it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The scope.
    pub scope: Scope,
    /// Of its text.
    pub sha256: Sha256Hex,
    /// The name of what found it.
    pub parser: String,
    /// The version of what found it.
    pub grammar_version: String,
}

/// Some of the scopes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// In document order: by their start, the longer first, then as in [`Kind::BUILT_IN`].
    pub scopes: Vec<Listed>,
    /// How many there are on all pages.
    pub total: usize,
    /// The start of the next page; nothing after the last.
    pub next_start: Option<usize>,
}

/// The scopes of `text` of these kinds, or of every built-in kind, from the `start`th on: 1 to [`MAX_RESULTS`] of them
/// (P-143, PG-28).
///
/// It takes time in proportion to the text, and hashes no more than the texts of the page.
#[must_use]
pub fn outline(text: &str, kinds: Option<&[Kind]>, start: usize, max_results: usize) -> Page {
    outline_with(text, &[], kinds, start, max_results)
}

/// As [`outline`], with what these parsers find beside the built-in scopes. They are not trusted to be right.
#[must_use]
pub fn outline_with(
    text: &str,
    parsers: &[&dyn Parser],
    kinds: Option<&[Kind]>,
    start: usize,
    max_results: usize,
) -> Page {
    let positions = Positions::of(text);
    let wanted = |kind: &Kind| kinds.is_none_or(|kinds| kinds.iter().any(|wanted| wanted.name() == kind.name()));
    let built_in = Kind::BUILT_IN.into_iter().filter(wanted).filter_map(|kind| Source::built_in(text, kind));
    let parsed = parsers.iter().map(|parser| Source::parsed(&positions, *parser, wanted));
    let mut sources: Vec<_> = built_in.chain(parsed).collect();

    let mut scopes = Vec::new();
    let mut before = 0;
    while scopes.len() < max_results.clamp(1, MAX_RESULTS) {
        let Some(source) = first(&mut sources) else { break };
        if before < start {
            source.skip();
            before += 1;
        } else {
            scopes.extend(listed(source, &positions));
        }
    }
    let here = before + scopes.len();
    let total = here + sources.into_iter().map(Source::left).sum::<usize>();
    Page { next_start: (here < total).then_some(here), scopes, total }
}

/// The built-in scope of this kind at this place; nothing where there is none, or where only a parser of a language finds
/// such. However many there are, none but this one is made.
#[must_use]
pub fn find(positions: &Positions<'_>, kind: Kind, span: Span) -> Option<Listed> {
    let wanted = positions.byte(span.start)?..positions.byte(span.end)?;
    let mut source = Source::built_in(positions.text(), kind)?;
    while source.place()? < (wanted.start, Reverse(wanted.end)) {
        source.skip();
    }
    if source.peek()? == wanted { listed(&mut source, positions) } else { None }
}

/// The source whose next scope comes first. Of those at the same place it is the one that is listed first.
fn first<'s, 'a>(sources: &'s mut [Source<'a>]) -> Option<&'s mut Source<'a>> {
    let next = sources.iter_mut().filter_map(|source| Some((source.place()?, source)));
    next.min_by_key(|(place, _)| *place).map(|(_, source)| source)
}

fn listed(source: &mut Source<'_>, positions: &Positions<'_>) -> Option<Listed> {
    let text = positions.text().get(source.peek()?)?;
    let parser = source.parser();
    Some(Listed {
        scope: source.take(positions)?,
        sha256: Sha256Hex::of(text),
        parser: parser.name().to_owned(),
        grammar_version: parser.version().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{MAX_NAME, MAX_PATH, disjoint};
    use super::*;

    /// A parser that is wrong in every way.
    struct Wrong;

    impl Parser for Wrong {
        fn name(&self) -> &str {
            "wrong"
        }

        fn version(&self) -> &str {
            "7"
        }

        fn outline(&self, text: &str) -> Vec<Scope> {
            let end = text.chars().count();
            let scope = |kind: &str, start, end| Scope {
                kind: Kind::Parsed(kind.to_owned()),
                name: "n".repeat(999),
                path: vec!["p".repeat(999); 99],
                span: Span { start, end },
                has_error: true,
            };
            let past = [scope("past", 0, end + 1), scope("back", end, 0), scope("empty", 0, 0)];
            past.into_iter().chain([scope("line", 1, 2), scope("function", 0, end)]).collect()
        }
    }

    fn pages(text: &str, kinds: Option<&[Kind]>, max_results: usize) -> Vec<Listed> {
        let mut all = Vec::new();
        let mut start = Some(0);
        while let Some(from) = start {
            let page = outline(text, kinds, from, max_results);
            all.extend(page.scopes);
            start = page.next_start;
            assert!(start.is_some() || all.len() == page.total);
        }
        all
    }

    /// P-143, PG-28: every kind in one order.
    #[test]
    fn scopes_are_listed_in_document_order() {
        let text = "# A\nx:\n  y\n";
        let all = outline(text, None, 0, DEFAULT_RESULTS);
        let seen: Vec<_> = all
            .scopes
            .iter()
            .map(|listed| (listed.scope.kind.name(), listed.scope.span.start, listed.scope.span.end, &*listed.parser))
            .collect();
        let expected = [
            ("paragraph", 0, 11, "paragraphs"),
            ("markdown_heading", 0, 11, "markdown"),
            ("indent_block", 0, 11, "indentation"),
            ("line", 0, 4, "lines"),
            ("line", 4, 7, "lines"),
            ("line", 7, 11, "lines"),
        ];
        assert_eq!(seen, expected);
        assert_eq!((all.total, all.next_start), (6, None));
    }

    /// PG-28: pages are clamped, their total is exact, and one past the end is empty.
    #[test]
    fn pages_have_bounds() {
        let text = "x\n".repeat(500);
        let lines = Some(&[Kind::Line][..]);
        for (start, asked, got, next) in [
            (0, DEFAULT_RESULTS, 50, Some(50)),
            (0, 9_999, 200, Some(200)),
            (400, 200, 100, None),
            (7, 0, 1, Some(8)),
            (500, 5, 0, None),
            (usize::MAX, 5, 0, None),
        ] {
            let page = outline(&text, lines, start, asked);
            assert_eq!((page.scopes.len(), page.total, page.next_start), (got, 500, next), "{start} {asked}");
        }
        let none = Page { scopes: Vec::new(), total: 0, next_start: None };
        assert_eq!(outline(&text, Some(&[]), 0, 50), none);
        assert_eq!(outline(&text, Some(&[Kind::of_name("function")]), 0, 50), none);
        assert_eq!(outline("", None, 0, 50), none);
    }

    /// P-143: a parser's scopes are held to the same bounds as our own.
    #[test]
    fn a_parser_is_not_trusted() {
        let page = outline_with("aé\n", &[&Wrong], None, 0, 50);
        let kinds: Vec<_> = page.scopes.iter().map(|listed| (&listed.scope.kind, &*listed.parser)).collect();
        let function = Kind::of_name("function");
        let expected =
            [(&Kind::Line, "lines"), (&Kind::Paragraph, "paragraphs"), (&function, "wrong"), (&Kind::Line, "wrong")];
        assert_eq!(kinds, expected);
        let last = page.scopes.last().expect("there are four");
        assert_eq!((last.scope.name.len(), last.scope.path.len()), (MAX_NAME, MAX_PATH));
        assert_eq!((last.sha256.clone(), &*last.grammar_version), (Sha256Hex::of("é"), "7"));
        assert_eq!(outline_with("aé\n", &[&Wrong], Some(&[function]), 0, 50).total, 1);
    }

    /// PG-28: a text of nothing but line ends, headings or steps is listed as any other.
    #[test]
    fn hostile_texts_are_listed() {
        let stairs: String = (0..1_400).map(|depth| format!("{}x\n", " ".repeat(depth))).collect();
        for (text, total) in [
            ("\n".repeat(1_000_000), 1_000_000),
            ("#\n".repeat(100_000), 200_001),
            ("- ".repeat(200_000), 2),
            (format!("{}\n{}", "- ".repeat(1_000), "\n".repeat(100_000)), 100_002),
            (format!("{}\n", "> ".repeat(50_000)).repeat(4), 5),
            ("<!--\n".repeat(50_000), 50_001),
            (format!("[{}", "<a ".repeat(100_000)), 2),
            (stairs, 1_400 + 1 + 1_399),
        ] {
            let page = outline(&text, None, 900, MAX_RESULTS);
            assert_eq!(page.total, total, "{:?}", text.get(..8));
            assert!(page.scopes.iter().all(|listed| listed.scope.path.len() <= MAX_PATH));
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "\n", "\n", "\n\n", " ", "  ", "    ", "\t", "a", "é", "🧪", "漢字", "# ", "## h", "###", "===", "---",
            "- ", "1. ", "> ", "```", "~~~", "<!--", "-->", "<div>", "@d", "@d(", ")", "}", "{", "/**", " * ", "*/",
            "// ", ":", "[a]: b", "\u{2028}", "\u{b}",
        ]);
        prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// P-143, P-145, PG-28: every scope is a slice of the text, hashed as such, in one order on whatever pages.
        #[test]
        fn every_scope_is_a_slice(text in texts(), max_results in 1_usize..9) {
            let positions = Positions::of(&text);
            let all = pages(&text, None, MAX_RESULTS);
            for listed in &all {
                let Scope { span, name, path, .. } = &listed.scope;
                let slice = positions.slice(*span);
                prop_assert!(!span.is_empty());
                prop_assert_eq!(slice.map(Sha256Hex::of), Some(listed.sha256.clone()));
                prop_assert!(name.chars().count() <= MAX_NAME && path.len() <= MAX_PATH);
            }
            let order: Vec<_> = all.iter().map(|each| (each.scope.span.start, Reverse(each.scope.span.end))).collect();
            prop_assert!(order.is_sorted());
            prop_assert_eq!(pages(&text, None, max_results), all);
        }

        /// P-143, PG-28: each scope is found again by its kind and place, and at every other place there is none.
        #[test]
        fn a_scope_is_found_by_its_place(text in texts(), shift in 1_usize..4) {
            let positions = Positions::of(&text);
            for kind in Kind::BUILT_IN {
                let all = pages(&text, Some(std::slice::from_ref(&kind)), MAX_RESULTS);
                let spans: Vec<Span> = all.iter().map(|listed| listed.scope.span).collect();
                for listed in all {
                    let span = listed.scope.span;
                    for other in [
                        Span { end: span.end + shift, ..span },
                        Span { start: span.start + shift, ..span },
                        Span { start: span.end, end: span.start },
                        Span { start: span.start, end: span.start },
                        Span { end: usize::MAX, ..span },
                    ] {
                        prop_assert_eq!(find(&positions, kind.clone(), other).is_some(), spans.contains(&other));
                    }
                    prop_assert_eq!(find(&positions, kind.clone(), span), Some(listed));
                }
            }
            prop_assert_eq!(find(&positions, Kind::of_name("function"), Span { start: 0, end: 1 }), None);
        }

        /// P-143, E-39: what each kind's scopes are to each other and to the lines.
        #[test]
        fn scopes_fit_each_other(text in texts()) {
            let spans = |kind: Kind| -> Vec<Span> {
                pages(&text, Some(&[kind]), MAX_RESULTS).into_iter().map(|listed| listed.scope.span).collect()
            };
            let lines = spans(Kind::Line);
            prop_assert!(lines.is_sorted_by(|one, next| one.end == next.start));
            prop_assert_eq!(lines.iter().map(|line| line.len()).sum::<usize>(), text.chars().count());
            prop_assert!(disjoint(&spans(Kind::Paragraph)));
            for kind in Kind::BUILT_IN {
                let spans = spans(kind.clone());
                for (at, one) in spans.iter().enumerate() {
                    prop_assert!(lines.iter().any(|line| line.start == one.start));
                    prop_assert!(lines.iter().any(|line| line.end == one.end));
                    for next in spans.iter().skip(at + 1) {
                        prop_assert!(one.end <= next.start || (one.start < next.start && next.end <= one.end));
                    }
                    if kind == Kind::Paragraph || kind == Kind::IndentBlock {
                        let last = lines.iter().find(|line| line.end == one.end).copied();
                        let last = last.and_then(|line| Positions::of(&text).slice(line)).unwrap_or_default();
                        prop_assert!(!last.trim_matches([' ', '\t', '\n', '\x0b', '\x0c']).is_empty(), "{:?}", last);
                    }
                }
            }
        }

        /// P-143: the parsers on their own find what a listing has.
        #[test]
        fn a_listing_has_what_the_parsers_find(text in texts()) {
            use super::super::{IndentBlocks, Lines, MarkdownHeadings, Paragraphs};
            let parsers: [&dyn Parser; 4] = [&Lines, &Paragraphs, &MarkdownHeadings, &IndentBlocks];
            for (kind, parser) in Kind::BUILT_IN.into_iter().zip(parsers) {
                let listed = pages(&text, Some(&[kind]), MAX_RESULTS).into_iter().map(|listed| listed.scope);
                prop_assert_eq!(listed.collect::<Vec<_>>(), parser.outline(&text));
            }
        }
    }
}
