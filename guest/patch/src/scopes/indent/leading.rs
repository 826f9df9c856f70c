//! What a single line is to the block below or above it, told by its first and last signs.

/// A line that leads to what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leading {
    /// All of it is on the line.
    Whole,
    /// A comment that goes on below, each line with a star.
    Comment,
    /// Its brackets are closed below.
    Brackets,
}

/// The lines that begin with `#` and are neither comments nor attributes, whichever language they are of.
const DIRECTIVES: [&str; 13] = [
    "define", "elif", "else", "endif", "error", "if", "ifdef", "ifndef", "import", "include", "line", "pragma", "undef",
];

/// Whether a line is a decorator, an attribute or a comment, and nothing else. What belongs to the lines around it, as
/// `#!/bin/sh`, `#![no_std]` and `//!` do, leads to no block.
pub(super) fn leading(said: &str) -> Option<Leading> {
    if let Some(rest) = said.strip_prefix("/*") {
        return match rest.find("*/") {
            None => Some(Leading::Comment),
            Some(at) => (at + 2 == rest.len()).then_some(Leading::Whole),
        };
    }
    if let Some(rest) = said.strip_prefix('@') {
        return decorator(rest);
    }
    if said.starts_with("#[") {
        return if opens(said) { Some(Leading::Brackets) } else { said.ends_with(']').then_some(Leading::Whole) };
    }
    let comment = if let Some(rest) = said.strip_prefix('#') {
        let word = rest.split(|sign: char| !sign.is_ascii_alphabetic()).next().unwrap_or_default();
        !rest.starts_with('!') && !DIRECTIVES.contains(&word)
    } else if let Some(rest) = said.strip_prefix("//") {
        !rest.starts_with('!')
    } else if let Some(rest) = said.strip_prefix("--") {
        // Neither an option, `--flag`, nor a line of dashes.
        rest.trim_start_matches('-').starts_with([' ', '\t', '@'])
    } else if let Some(rest) = said.strip_prefix("<!--") {
        rest.find("-->").is_some_and(|at| at + 3 == rest.len())
    } else {
        said.starts_with(';')
    };
    comment.then_some(Leading::Whole)
}

/// Whether a line begins by closing what an earlier one opened.
pub(super) fn closes(said: &str) -> bool {
    said.starts_with(['}', ')', ']'])
}

/// Whether a line ends within brackets. A brace alone opens a body, not a list.
pub(super) fn opens(said: &str) -> bool {
    said.ends_with(['(', '[']) || said.strip_suffix('{').is_some_and(|rest| rest.ends_with(['(', '[']))
}

/// What follows the `@` of a decorator: a name, and at most its arguments or a comment. `@media (print) {`, `@echo done` and
/// `@Test fun f() = 1` are none.
fn decorator(rest: &str) -> Option<Leading> {
    let after = rest.trim_start_matches(|sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.' | ':' | '$'));
    if after.len() == rest.len() {
        return None;
    }
    let arguments = after.starts_with('(');
    if arguments && opens(after) {
        return Some(Leading::Brackets);
    }
    let comment = after.trim_start().starts_with(['#', '/']);
    (after.is_empty() || comment || arguments && after.ends_with(')')).then_some(Leading::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// E-39: what comes with the block below it.
    #[test]
    fn decorators_attributes_and_comments_lead() {
        for whole in [
            "@property",
            "@app.route('/x')",
            "@ns::a",
            "@x  # why",
            "# why",
            "#why",
            "#",
            "#[test]",
            "// why",
            "/// why",
            "/* why */",
            "-- why",
            "--- @param x",
            "; why",
            "<!-- why -->",
        ] {
            assert_eq!(leading(whole), Some(Leading::Whole), "{whole}");
        }
        for brackets in ["@parametrize(", "@Foo({", "#[cfg(", "@x([", "#[derive("] {
            assert_eq!(leading(brackets), Some(Leading::Brackets), "{brackets}");
        }
        for comment in ["/*", "/**", "/* why"] {
            assert_eq!(leading(comment), Some(Leading::Comment), "{comment}");
        }
        for other in [
            "",
            "x",
            "@",
            "@ x",
            "@media (print) {",
            "@import a;",
            "@echo done",
            "@Test fun f() = 1",
            "#!/bin/sh",
            "#![no_std]",
            "#include <x>",
            "#endif",
            "#[test] fn f() {",
            "//! why",
            "/* why */ x",
            "---",
            "--flag",
            "<!-- why --> x",
            "<!-- why",
            "[x]",
            "- x",
            "}",
        ] {
            assert_eq!(leading(other), None, "{other}");
        }
    }
}
