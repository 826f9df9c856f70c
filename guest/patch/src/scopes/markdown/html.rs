//! HTML blocks: where they begin and what ends them, by CommonMark 4.6. What they hold is not looked at.

use memchr::memmem;

/// What ends an HTML block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A line with this in it.
    Sign(&'static str),
    /// A line with the end of an element whose content is not Markdown.
    Verbatim,
    /// A blank line.
    Blank,
}

/// The elements whose content is not Markdown, blank lines and all.
const VERBATIM: [&str; 4] = ["pre", "script", "style", "textarea"];

/// The elements that begin a block wherever they are.
const BLOCK: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// What ends the HTML block that a line begins. A single tag of another element, or the
/// end alone of one whose content is not Markdown, begins none within a paragraph.
pub(super) fn start(rest: &str, in_paragraph: bool) -> Option<End> {
    let tag = rest.strip_prefix('<')?;
    if tag.starts_with("!--") {
        return Some(End::Sign("-->"));
    }
    if tag.starts_with('?') {
        return Some(End::Sign("?>"));
    }
    if tag.starts_with("![CDATA[") {
        return Some(End::Sign("]]>"));
    }
    if let Some(name) = tag.strip_prefix('!') {
        return name.starts_with(|sign: char| sign.is_ascii_alphabetic()).then_some(End::Sign(">"));
    }
    let (closing, element) = tag.strip_prefix('/').map_or((false, tag), |element| (true, element));
    let after = element.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric());
    let (name, _) = element.split_at(element.len() - after.len());
    let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let ends = after.is_empty() || after.starts_with([' ', '\t', '>']);
    if is_one_of(&VERBATIM) && ends && !closing {
        return Some(End::Verbatim);
    }
    if is_one_of(&BLOCK) && (ends || after.starts_with("/>")) {
        return Some(End::Blank);
    }
    (!in_paragraph && is_lone_tag(element, closing)).then_some(End::Blank)
}

impl End {
    /// Whether it is on a line that is not blank.
    pub(super) fn is_on(self, rest: &str) -> bool {
        match self {
            Self::Sign(sign) => memmem::find(rest.as_bytes(), sign.as_bytes()).is_some(),
            Self::Verbatim => memmem::find_iter(rest.as_bytes(), "</").any(|at| {
                let tag = rest.get(at + 2..).unwrap_or_default();
                VERBATIM.iter().any(|name| {
                    tag.split_at_checked(name.len())
                        .is_some_and(|(start, after)| start.eq_ignore_ascii_case(name) && after.starts_with('>'))
                })
            }),
            Self::Blank => false,
        }
    }
}

/// Whether this, after its `<` or `</`, is one whole tag and nothing else.
fn is_lone_tag(element: &str, closing: bool) -> bool {
    if !element.starts_with(|sign: char| sign.is_ascii_alphabetic()) {
        return false;
    }
    let mut rest = element.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || sign == '-');
    while !closing && let Some(after) = attribute(rest) {
        rest = after;
    }
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = if closing { rest } else { rest.strip_prefix('/').unwrap_or(rest) };
    rest.strip_prefix('>').is_some_and(|after| after.trim_matches([' ', '\t']).is_empty())
}

/// What follows an attribute and the white space before it.
fn attribute(rest: &str) -> Option<&str> {
    let name = rest.trim_start_matches([' ', '\t']);
    let first = name.starts_with(|sign: char| sign.is_ascii_alphabetic() || matches!(sign, '_' | ':'));
    if name.len() == rest.len() || !first {
        return None;
    }
    let after = name.trim_start_matches(|sign: char| sign.is_ascii_alphanumeric() || "_.:-".contains(sign));
    let Some(value) = after.trim_start_matches([' ', '\t']).strip_prefix('=') else { return Some(after) };
    let value = value.trim_start_matches([' ', '\t']);
    for quote in ['"', '\''] {
        if let Some(value) = value.strip_prefix(quote) {
            return value.split_once(quote).map(|(_, after)| after);
        }
    }
    let after = value.trim_start_matches(|sign: char| !" \t\"'=<>`".contains(sign));
    (after.len() < value.len()).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-143, CommonMark 4.6.
    #[test]
    fn html_blocks_begin() {
        for (line, end) in [
            ("<!-- a", End::Sign("-->")),
            ("<?php", End::Sign("?>")),
            ("<!DOCTYPE html>", End::Sign(">")),
            ("<![CDATA[", End::Sign("]]>")),
            ("<pre class=a>", End::Verbatim),
            ("<SCRIPT", End::Verbatim),
            ("<div", End::Blank),
            ("</DIV> a", End::Blank),
            ("<hr/>", End::Blank),
        ] {
            assert_eq!((start(line, false), start(line, true)), (Some(end), Some(end)), "{line}");
        }
        for line in ["<a>", "</a >", "</pre>", "<x-y a b = c d='>' e=\"\" />\t", "<del>"] {
            assert_eq!((start(line, false), start(line, true)), (Some(End::Blank), None), "{line}");
        }
        for line in [
            "",
            "<",
            "a",
            "<33>",
            "<a>b",
            "<a",
            "</a b>",
            "<a h=\">",
            "<a  =b>",
            "<divx",
            "<https://a.b>",
            "<!1>",
            "<a*b>",
        ] {
            assert_eq!(start(line, false), None, "{line}");
        }
    }

    /// P-143, CommonMark 4.6.
    #[test]
    fn html_blocks_end() {
        assert!(End::Sign("-->").is_on("<!-- a --> b") && !End::Sign("-->").is_on("-- >"));
        assert!(End::Verbatim.is_on("</é></Style>") && !End::Verbatim.is_on("</ pre></style"));
        assert!(!End::Blank.is_on("</div>"));
    }
}
