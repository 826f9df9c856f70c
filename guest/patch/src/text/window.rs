//! A bounded window of a text by code points (P-166 to P-168, PG-31). Which version it is of is the caller's to say.

use std::num::NonZeroUsize;

use super::{Positions, Span};

/// Code points of a window that says nothing (P-167).
pub const DEFAULT_READ_CHARS: usize = 4000;
/// The most code points of a window (P-167).
pub const MAX_READ_CHARS: usize = 8000;

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<'a> {
    /// Where it is.
    pub span: Span,
    /// What is there.
    pub text: &'a str,
    /// How many code points the whole text has.
    pub total_chars: usize,
    /// Where the next window begins; nothing where this one reaches the end (so: whether it is truncated).
    pub next_start: Option<usize>,
}

/// A window that begins past the text (PG-31).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("start {start} is past the text, which has {total_chars} code points")]
pub struct StartPastEnd {
    /// Where it was to begin.
    pub start: usize,
    /// How many code points there are.
    pub total_chars: usize,
}

/// The window from `start`, [`DEFAULT_READ_CHARS`] long where no length is given and never more than [`MAX_READ_CHARS`].
/// At the very end it is empty.
///
/// # Errors
/// [`StartPastEnd`].
pub fn read_window<'a>(
    positions: &Positions<'a>,
    start: usize,
    length: Option<NonZeroUsize>,
) -> Result<Window<'a>, StartPastEnd> {
    let length = length.map_or(DEFAULT_READ_CHARS, NonZeroUsize::get).min(MAX_READ_CHARS);
    any_window(positions, start, length)
}

/// The window from `start` of at most so many code points, which the caller bounds.
///
/// # Errors
/// [`StartPastEnd`].
pub fn any_window<'a>(positions: &Positions<'a>, start: usize, length: usize) -> Result<Window<'a>, StartPastEnd> {
    let total_chars = positions.len();
    let span = Span { start, end: start.saturating_add(length).min(total_chars) };
    let text = positions.slice(span).filter(|_| start <= total_chars).ok_or(StartPastEnd { start, total_chars })?;
    let next_start = (span.end < total_chars).then_some(span.end);
    Ok(Window { span, text, total_chars, next_start })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// P-167, P-168, E-38: the defaults, the limit, and a window far in.
    #[test]
    fn windows_are_bounded() {
        let text = "é".repeat(1_000_000);
        let positions = Positions::of(&text);
        let ends = |start, length| read_window(&positions, start, length).map(|window| window.span.end);
        assert_eq!(ends(0, None), Ok(4_000));
        assert_eq!(ends(0, NonZeroUsize::new(8_001)), Ok(8_000));
        assert_eq!(ends(0, Some(NonZeroUsize::MAX)), Ok(8_000));
        assert_eq!(ends(999_000, None), Ok(1_000_000));
        let window = read_window(&positions, 999_000, NonZeroUsize::new(999)).expect("it begins within");
        assert_eq!((window.text.len(), window.next_start), (2 * 999, Some(999_999)));
    }

    /// PG-31: the very end is empty and complete, past it is refused.
    #[test]
    fn windows_end_with_the_text() {
        for text in ["", "é\n", "plain"] {
            let positions = Positions::of(text);
            let total_chars = positions.len();
            let end = Span { start: total_chars, end: total_chars };
            let empty = Window { span: end, text: "", total_chars, next_start: None };
            assert_eq!(read_window(&positions, total_chars, None), Ok(empty));
            for start in [total_chars + 1, usize::MAX] {
                assert_eq!(read_window(&positions, start, None), Err(StartPastEnd { start, total_chars }));
            }
        }
    }

    proptest! {
        /// P-168, K-55: windows follow one another without a gap, wherever they cut.
        #[test]
        fn windows_make_the_whole(text in "(a|é|→|\u{1f9ea}|\n){0,600}", length in 1usize..300) {
            let positions = Positions::of(&text);
            let (mut whole, mut next) = (String::new(), Some(0));
            while let Some(start) = next {
                let window = read_window(&positions, start, NonZeroUsize::new(length)).expect("it begins within");
                prop_assert_eq!(window.span.len(), window.text.chars().count());
                prop_assert_eq!(window.total_chars, text.chars().count());
                whole.push_str(window.text);
                next = window.next_start;
            }
            prop_assert_eq!(whole, text);
        }
    }
}
