//! What a line is by CommonMark where a block can begin: each of these is given the line without the white space before it.

use std::ops::Range;

/// An open fence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    sign: char,
    len: usize,
}

/// The level of an ATX heading, and where in the line its text is.
pub(super) fn atx(rest: &str) -> Option<(usize, Range<usize>)> {
    let text = rest.trim_start_matches('#');
    let level = rest.len() - text.len();
    if !(1..=6).contains(&level) || !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let start = rest.len() - text.trim_start().len();
    let text = text.trim();
    let open = text.trim_end_matches('#');
    let closed = open.is_empty() || open.ends_with([' ', '\t']);
    let text = if closed { open.trim_end() } else { text };
    Some((level, start..start + text.len()))
}

/// The level that an underline gives to the paragraph above it.
pub(super) fn underline(rest: &str) -> Option<usize> {
    let rest = rest.trim_end_matches([' ', '\t']);
    let of = |sign| !rest.is_empty() && rest.trim_start_matches(sign).is_empty();
    if of('=') { Some(1) } else { of('-').then_some(2) }
}

/// A thematic break: three or more of one sign.
pub(super) fn is_break(rest: &str) -> bool {
    let Some(sign @ ('*' | '-' | '_')) = rest.chars().next() else { return false };
    rest.chars().all(|next| next == sign || next == ' ' || next == '\t') && rest.matches(sign).count() >= 3
}

/// The fence that a line opens.
pub(super) fn fence(rest: &str) -> Option<Fence> {
    let sign @ ('`' | '~') = rest.chars().next()? else { return None };
    let info = rest.trim_start_matches(sign);
    let len = rest.len() - info.len();
    (len >= 3 && !(sign == '`' && info.contains('`'))).then_some(Fence { sign, len })
}

impl Fence {
    /// Whether a line closes it.
    pub(super) fn is_closed_by(self, rest: &str) -> bool {
        let after = rest.trim_start_matches(self.sign);
        rest.len() - after.len() >= self.len && after.trim_matches([' ', '\t']).is_empty()
    }
}

/// How long the marker of a list item is. Within a paragraph only some begin a list: not empty ones, and of numbers only 1.
pub(super) fn item(rest: &str, in_paragraph: bool) -> Option<usize> {
    let digits = rest.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(digits);
    let signs: &[char] = if digits == 0 { &['-', '+', '*'] } else { &['.', ')'] };
    let text = after.strip_prefix(signs).filter(|_| digits < 10)?;
    if !(text.is_empty() || text.starts_with([' ', '\t'])) {
        return None;
    }
    let begins = !text.trim_matches([' ', '\t']).is_empty() && (digits == 0 || number.parse() == Ok(1_u64));
    (begins || !in_paragraph).then_some(digits + 1)
}

/// Whether a line is a link's definition, `[label]: target "title"`, which is no text of a paragraph. Definitions of several
/// lines are not looked for.
pub(super) fn is_definition(rest: &str) -> bool {
    let Some((label, target)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("]:")) else { return false };
    if label.trim().is_empty() || label.contains(['[', ']']) {
        return false;
    }
    let target = target.trim();
    let end = match target.strip_prefix('<') {
        Some(inner) => inner.find('>').map(|at| at + 2),
        None => target.find([' ', '\t']).or((!target.is_empty()).then_some(target.len())),
    };
    let Some((_, title)) = end.and_then(|end| target.split_at_checked(end)) else { return false };
    let quoted = |open, close| title.len() > 2 && title.trim_start().starts_with(open) && title.ends_with(close);
    title.is_empty() || title.starts_with([' ', '\t']) && (quoted('"', '"') || quoted('\'', '\'') || quoted('(', ')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P-143, CommonMark 4.2.
    #[test]
    fn atx_headings() {
        for (line, level, text) in [
            ("# foo", 1, "foo"),
            ("###### foo", 6, "foo"),
            ("#\tFoo", 1, "Foo"),
            ("#", 1, ""),
            ("## ##", 2, ""),
            ("### foo ###   ", 3, "foo"),
            ("# foo#", 1, "foo#"),
            ("## foo ### b", 2, "foo ### b"),
            ("# foo \\#", 1, "foo \\#"),
            ("#  é  #", 1, "é"),
        ] {
            let found = atx(line).map(|(level, at)| (level, &line[at]));
            assert_eq!(found, Some((level, text)), "{line}");
        }
        for line in ["####### foo", "#5 bolt", "#hashtag", "\\## foo", "", "foo"] {
            assert_eq!(atx(line), None, "{line}");
        }
    }

    /// P-143, CommonMark 4.1, 4.3, 4.5 and 5.2.
    #[test]
    fn other_starts() {
        assert_eq!(["=", "---  ", "==-", "", "= ="].map(underline), [Some(1), Some(2), None, None, None]);
        assert_eq!(["***", "- - -", "__", "--x", "+++", ""].map(is_break), [true, true, false, false, false, false]);
        assert_eq!(
            ["```", "~~~ `a`", "``` a`b", "``", "x"].map(|line| fence(line).is_some()),
            [true, true, false, false, false]
        );
        let open = fence("~~~~ text").expect("it opens one");
        assert_eq!(
            ["~~~~", "~~~~~~ ", "~~~", "````", "~~~~ x"].map(|line| open.is_closed_by(line)),
            [true, true, false, false, false]
        );
        for (line, anywhere, in_paragraph) in [
            ("- a", Some(1), Some(1)),
            ("-", Some(1), None),
            ("1. a", Some(2), Some(2)),
            ("12) a", Some(3), None),
            ("-a", None, None),
            ("1234567890. a", None, None),
            ("é", None, None),
        ] {
            assert_eq!((item(line, false), item(line, true)), (anywhere, in_paragraph), "{line}");
        }
    }

    /// P-143, CommonMark 4.7.
    #[test]
    fn definitions() {
        for line in ["[a]: b", "[a]: <b c>", "[a]: b \"t\"", "[a]:b 't u'", "[a]: b (t)"] {
            assert!(is_definition(line), "{line}");
        }
        for line in ["[a]", "[a]:", "[]: b", "[a] b", "[a]: b c", "[a[b]: c", "[a]: <b", "[a]: <b>c", "a"] {
            assert!(!is_definition(line), "{line}");
        }
    }
}
