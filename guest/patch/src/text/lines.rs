//! A bounded window of a text by lines, each with where it is, so that a span edit can be planned from it (PG-32, "missing
//! outright"). Which version it is of is the caller's to say.

use std::num::NonZeroUsize;

use memchr::memchr_iter;

use super::{MAX_READ_CHARS, Positions, Span};

/// Lines of a window that says nothing.
pub const DEFAULT_READ_LINES: usize = 200;
/// The most lines of a window.
pub const MAX_READ_LINES: usize = 1000;

/// Part of a text, by lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines<'a> {
    /// Those of the window.
    pub lines: Vec<Line<'a>>,
    /// How many the whole text has. A final LF ends the last line and begins none; an empty text has none.
    pub total_lines: usize,
    /// The first line that the window does not reach; nothing where it reaches all.
    pub next_line: Option<usize>,
    /// Whether the text ends in LF.
    pub final_newline: bool,
}

/// One line, without its LF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: usize,
    /// What it says, or its beginning where it is cut.
    pub text: &'a str,
    /// The whole line's place. An LF is behind it, unless it is the last of a text without one.
    pub span: Span,
    /// Where a line stops that is longer than a whole window: the `start` to read on from by code points.
    pub cut_at: Option<usize>,
}

/// A window that begins past the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {start_line} is past the text, which has {total_lines} lines")]
pub struct LinesPastEnd {
    /// Where it was to begin.
    pub start_line: usize,
    /// How many lines there are.
    pub total_lines: usize,
}

/// The lines from `start_line`: at most `max_lines` ([`MAX_READ_LINES`] in any case) that have at most `max_chars` code
/// points together ([`MAX_READ_CHARS`] in any case). A first line that is longer stands alone and is cut. Right behind the
/// last line the window is empty.
///
/// # Errors
/// [`LinesPastEnd`].
pub fn read_lines<'a>(
    positions: &Positions<'a>,
    start_line: NonZeroUsize,
    max_lines: NonZeroUsize,
    max_chars: NonZeroUsize,
) -> Result<Lines<'a>, LinesPastEnd> {
    let (text, start_line) = (positions.text(), start_line.get());
    let final_newline = text.ends_with('\n');
    let line_breaks = memchr_iter(b'\n', text.as_bytes()).count();
    let total_lines = line_breaks + usize::from(!final_newline && !text.is_empty());
    let past = LinesPastEnd { start_line, total_lines };
    let begin = line_start(text, start_line - 1).filter(|_| start_line - 1 <= total_lines).ok_or(past)?;

    let wanted = max_lines.get().min(MAX_READ_LINES).min(total_lines - (start_line - 1));
    let mut room = max_chars.get().min(MAX_READ_CHARS);
    let mut start = positions.code_point(begin);
    let mut lines: Vec<Line<'a>> = Vec::new();
    let rest = text.get(begin..).unwrap_or_default();
    for (number, line) in (start_line..).zip(rest.split('\n')).take(wanted) {
        let span = Span { start, end: start + line.chars().count() };
        let cut_at = (span.len() > room).then_some(start + room);
        if cut_at.is_some() && !lines.is_empty() {
            break;
        }
        let shown = cut_at.and_then(|end| positions.slice(Span { start, end })).unwrap_or(line);
        lines.push(Line { number, text: shown, span, cut_at });
        if cut_at.is_some() {
            break;
        }
        room -= span.len();
        start = span.end + 1;
    }
    let next_line = Some(start_line + lines.len()).filter(|next| *next <= total_lines);
    Ok(Lines { lines, total_lines, next_line, final_newline })
}

/// The byte behind the `line_break`th LF, or the end's for one more than there are where the last line has none.
fn line_start(text: &str, line_break: usize) -> Option<usize> {
    let Some(earlier) = line_break.checked_sub(1) else { return Some(0) };
    let mut breaks = memchr_iter(b'\n', text.as_bytes());
    match breaks.nth(earlier) {
        Some(at) => Some(at + 1),
        None => Some(text.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).expect("from 1")
    }

    fn read(text: &str, start: usize, max_lines: usize, max_chars: usize) -> Result<Lines<'_>, LinesPastEnd> {
        read_lines(&Positions::of(text), number(start), number(max_lines), number(max_chars))
    }

    /// PG-31, PG-32: how many lines there are, and where they are.
    #[test]
    fn lines_end_at_lf_or_with_the_text() {
        for (text, lines) in [
            ("", vec![]),
            ("\n", vec![("", 0, 0)]),
            ("é", vec![("é", 0, 1)]),
            ("é\n", vec![("é", 0, 1)]),
            ("a\n\n", vec![("a", 0, 1), ("", 2, 2)]),
            ("é\n\u{2028}b\nc", vec![("é", 0, 1), ("\u{2028}b", 2, 4), ("c", 5, 6)]),
        ] {
            let read = read(text, 1, 200, 8_000).expect("it begins within");
            let found: Vec<_> = read.lines.iter().map(|line| (line.text, line.span.start, line.span.end)).collect();
            assert_eq!(found, lines, "{text:?}");
            assert_eq!((read.total_lines, read.next_line), (lines.len(), None), "{text:?}");
            assert_eq!(read.final_newline, text.ends_with('\n'));
        }
    }

    /// PG-31: right behind the last line is empty, past it is refused.
    #[test]
    fn lines_end_with_the_text() {
        for (text, total_lines) in [("", 0), ("a\nb", 2), ("a\nb\n", 2)] {
            let end = read(text, total_lines + 1, 1, 1).expect("the end is within");
            assert_eq!((end.lines, end.next_line), (vec![], None));
            for start_line in [total_lines + 2, usize::MAX] {
                assert_eq!(read(text, start_line, 1, 1), Err(LinesPastEnd { start_line, total_lines }));
            }
        }
    }

    /// PG-32: the limits are clamped.
    #[test]
    fn windows_of_lines_are_bounded() {
        let blank = "\n".repeat(3_000);
        let lines = read(&blank, 2, usize::MAX, usize::MAX).expect("it begins within");
        assert_eq!((lines.lines.len(), lines.next_line), (1_000, Some(1_002)));
        let long = format!("{}\n", "é".repeat(99)).repeat(100);
        let lines = read(&long, 1, 200, usize::MAX).expect("it begins within");
        assert_eq!((lines.lines.len(), lines.next_line), (80, Some(81)));
    }

    /// PG-32: a line that no window holds stands alone, cut, and says where to read on.
    #[test]
    fn a_long_line_is_cut() {
        let text = format!("ab\n{}\ncd", "é".repeat(9_000));
        let first = read(&text, 1, 200, 8_000).expect("it begins within");
        assert_eq!((first.lines.len(), first.next_line), (1, Some(2)));
        let long = read(&text, 2, 200, 8_000).expect("it begins within");
        let [line] = long.lines[..] else { panic!("it stands alone") };
        assert_eq!((line.span, line.cut_at), (Span { start: 3, end: 9_003 }, Some(8_003)));
        assert_eq!((line.text.chars().count(), long.next_line), (8_000, Some(3)));
        let rest = crate::text::read_window(&Positions::of(&text), 8_003, number(1_000).into()).expect("it is within");
        assert_eq!([line.text, rest.text].concat(), "é".repeat(9_000));
    }

    proptest! {
        /// PG-32: windows of lines follow one another without a gap, and each line is where it says.
        #[test]
        fn windows_of_lines_make_the_whole(text in "(a|é|\u{1f9ea}|\n){0,60}", lines in 1usize..5, chars in 1usize..9) {
            let positions = Positions::of(&text);
            let (mut whole, mut next, mut total) = (Vec::new(), Some(1), 0);
            while let Some(start) = next {
                let window = read(&text, start, lines, chars).expect("it begins within");
                prop_assert!(window.lines.len() <= lines);
                prop_assert!(window.lines.iter().map(|line| line.text.chars().count()).sum::<usize>() <= chars);
                for line in &window.lines {
                    let shown = Span { end: line.cut_at.unwrap_or(line.span.end), ..line.span };
                    prop_assert_eq!(positions.slice(shown), Some(line.text));
                    whole.push(positions.slice(line.span).expect("it is within"));
                    prop_assert_eq!(whole.len(), line.number);
                }
                (next, total) = (window.next_line, window.total_lines);
            }
            prop_assert_eq!(&whole, &text.lines().collect::<Vec<_>>());
            prop_assert_eq!(whole.len(), total);
        }
    }
}
