//! The largest window of bytes whose answer still fits.
//!
//! A window travels twice: as base64 and, where it is UTF-8, as text. What the text costs depends on its characters, so
//! the fit is found on the escaped, nested size and then proven on the finished answer (D-040a, D-064, D-065, D-067).

use std::ops::ControlFlow;

use crate::escape::{escaped_len, nested_cost};

/// Bytes of text before a foreign byte that are worth a window of their own.
const LEAST_TEXT_BYTES: usize = 1_024;

/// A window as it will be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window<'a> {
    /// The bytes, authoritative.
    pub bytes: &'a [u8],
    /// The same bytes where they are UTF-8 as a whole, else nothing (D-039).
    pub text: Option<&'a str>,
}

/// Not even one byte fits beside the answer's other members (D-066, D-067).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer's other members take all of its room")]
pub struct TooSmall;

/// Finds the longest prefix of `candidate` for which `render` gives a text that takes at most `room` escaped bytes, and
/// gives that text.
///
/// A prefix that starts with valid UTF-8 ends before the first byte that is not part of it, so that one foreign byte
/// does not hide the text around it (K-39); one that starts elsewhere is shown as bytes alone. An empty candidate is
/// rendered once, as it is. `render` is called a handful of times.
///
/// # Errors
/// [`TooSmall`] where not even one byte (or, of an empty candidate, the answer itself) fits.
pub fn fit(candidate: &[u8], room: usize, render: impl FnMut(Window<'_>) -> String) -> Result<String, TooSmall> {
    fit_by(longest, candidate, room, render)
}

/// As [`fit`], for a file, of which nothing says beforehand whether it is text. `is_last` says that nothing follows the
/// candidate.
///
/// A file that is UTF-8 is cut between characters, so that each of its windows has its text (F-044). Of one that is not, a
/// window ends before the first foreign byte only where that saves a good piece of text: else a binary file would come in
/// windows of a few bytes, one for each that happens to be ASCII.
///
/// # Errors
/// [`TooSmall`] where not even one byte (or, of an empty candidate, the answer itself) fits.
pub fn fit_file(
    candidate: &[u8],
    is_last: bool,
    room: usize,
    render: impl FnMut(Window<'_>) -> String,
) -> Result<String, TooSmall> {
    fit_by(|candidate, budget| longest_of_file(candidate, is_last, budget), candidate, room, render)
}

fn fit_by<'a>(
    longest: impl Fn(&'a [u8], usize) -> Window<'a>,
    candidate: &'a [u8],
    room: usize,
    mut render: impl FnMut(Window<'_>) -> String,
) -> Result<String, TooSmall> {
    let overhead = escaped_len(&render(Window { bytes: &[], text: Some("") }));
    let mut budget = room.checked_sub(overhead).ok_or(TooSmall)?;
    loop {
        let window = longest(candidate, budget);
        if window.bytes.is_empty() && !candidate.is_empty() {
            return Err(TooSmall);
        }
        let answer = render(window);
        let size = escaped_len(&answer);
        let Some(over) = size.checked_sub(room).filter(|over| *over > 0) else { return Ok(answer) };
        // Longer numbers and a cursor came in with the window: give that back and try once more.
        budget = budget.checked_sub(over).ok_or(TooSmall)?;
    }
}

/// A window of a file: see [`fit_file`].
fn longest_of_file(candidate: &[u8], is_last: bool, budget: usize) -> Window<'_> {
    let valid = valid_prefix(candidate);
    // The candidate can end within a character, the file cannot.
    let is_text = valid.len() == candidate.len() || (!is_last && ends_within(candidate, valid.len()));
    if is_text || valid.len() >= LEAST_TEXT_BYTES {
        let text = longest_prefix(valid, budget, |bytes| bytes.div_ceil(3) * 4);
        if !text.is_empty() {
            return Window { bytes: text.as_bytes(), text: Some(text) };
        }
    }
    let most = candidate.len().min(budget / 4 * 3);
    let (all, _) = candidate.split_at(most);
    // Text can follow: the next window is to begin with a character, too.
    let follows = most < candidate.len() || !is_last;
    let end = (most.saturating_sub(3).max(1)..most).find(|end| follows && ends_within(all, *end));
    let bytes = candidate.get(..end.unwrap_or(most)).expect("not past the end");
    let text = std::str::from_utf8(bytes).ok();
    // Its text has to fit as well.
    let cost = |text: &str| text.bytes().map(nested_cost).sum::<usize>() + bytes.len().div_ceil(3) * 4;
    match text {
        Some(text) if cost(text) > budget => {
            let text = longest_prefix(text, budget, |bytes| bytes.div_ceil(3) * 4);
            Window { bytes: text.as_bytes(), text: Some(text) }
        }
        text => Window { bytes, text },
    }
}

/// Whether the bytes from `at` on are the beginning of one character and no more.
fn ends_within(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    let broken = std::str::from_utf8(rest).err();
    broken.is_some_and(|broken| broken.valid_up_to() == 0 && broken.error_len().is_none())
}

/// Why a window cannot be shown as text alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Not even one character fits.
    TooSmall,
    /// It does not begin with UTF-8.
    NotText,
}

/// As [`fit`], for an answer that carries the window as text alone. The window ends behind a line feed where one fits
/// (O-017), unless all of the candidate fits and `is_last` says that nothing follows it.
///
/// # Errors
/// [`Unfit`]: nothing was rendered that could be shown.
pub fn fit_text(
    candidate: &[u8],
    is_last: bool,
    room: usize,
    mut render: impl FnMut(&str) -> String,
) -> Result<String, Unfit> {
    let valid = valid_prefix(candidate);
    if valid.is_empty() && !candidate.is_empty() {
        return Err(Unfit::NotText);
    }
    let overhead = escaped_len(&render(""));
    let mut budget = room.checked_sub(overhead).ok_or(Unfit::TooSmall)?;
    loop {
        let mut text = longest_prefix(valid, budget, |_| 0);
        let whole = text.len() == candidate.len() && is_last;
        if let (false, Some(line)) = (whole, text.rfind('\n')) {
            text = text.get(..=line).expect("a line feed is one byte");
        }
        if text.is_empty() && !candidate.is_empty() {
            return Err(Unfit::TooSmall);
        }
        let answer = render(text);
        let Some(over) = escaped_len(&answer).checked_sub(room).filter(|over| *over > 0) else { return Ok(answer) };
        budget = budget.checked_sub(over).ok_or(Unfit::TooSmall)?;
    }
}

/// The longest window of `candidate` whose base64 and text take at most `budget` bytes.
fn longest(candidate: &[u8], budget: usize) -> Window<'_> {
    let valid = valid_prefix(candidate);
    let text = longest_prefix(valid, budget, |bytes| bytes.div_ceil(3) * 4);
    if !text.is_empty() {
        return Window { bytes: text.as_bytes(), text: Some(text) };
    }
    let bytes = candidate.get(..candidate.len().min(budget / 4 * 3)).expect("not past the end");
    Window { bytes, text: std::str::from_utf8(bytes).ok() }
}

/// What of the bytes is UTF-8, from the first one on.
fn valid_prefix(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let (valid, _) = bytes.split_at(e.valid_up_to());
            std::str::from_utf8(valid).expect("checked up to here")
        }
    }
}

/// The longest prefix, in whole characters, that takes at most `budget` bytes as text and whatever `beside` says that so
/// many bytes cost beside it.
fn longest_prefix(valid: &str, budget: usize, beside: impl Fn(usize) -> usize) -> &str {
    let end = valid.char_indices().try_fold((0, 0), |(end, cost), (at, c)| {
        let next = at + c.len_utf8();
        let cost =
            cost + valid.as_bytes().get(at..next).map_or(0, |b| b.iter().map(|b| nested_cost(*b)).sum::<usize>());
        if cost + beside(next) > budget { ControlFlow::Break(end) } else { ControlFlow::Continue((next, cost)) }
    });
    let end = match end {
        ControlFlow::Break(end) | ControlFlow::Continue((end, _)) => end,
    };
    valid.get(..end).expect("a character's end")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An answer like a diff page: base64 (of the right length), text, and a cursor whose length varies.
    fn render(window: Window<'_>) -> String {
        let data = "A".repeat(window.bytes.len().div_ceil(3) * 4);
        let cursor = "c".repeat(window.bytes.len() % 7);
        serde_json::json!({"data": data, "text": window.text, "chunk_bytes": window.bytes.len(), "next_cursor": cursor})
            .to_string()
    }

    fn shown(answer: &str) -> usize {
        let value: serde_json::Value = serde_json::from_str(answer).expect("rendered as JSON");
        usize::try_from(value["chunk_bytes"].as_u64().expect("a number")).expect("small")
    }

    proptest! {
        #[test]
        fn every_window_fits_and_makes_progress(
            candidate in prop_oneof![
                prop::collection::vec(any::<u8>(), 1..4_000),
                any::<String>().prop_map(String::into_bytes),
                "[\\t\"\\\\a→🟢]{0,2000}".prop_map(String::into_bytes),
            ],
            room in 0_usize..6_000,
        ) {
            if let Ok(answer) = fit(&candidate, room, render) {
                prop_assert!(escaped_len(&answer) <= room);
                prop_assert!(candidate.is_empty() || shown(&answer) > 0);
            }
        }

        /// D-065: the window shrinks, and by no more than the room asks for.
        #[test]
        fn ascii_fills_the_room(room in 2_000_usize..20_000) {
            let candidate = vec![b'x'; 32_768];
            let answer = fit(&candidate, room, render).expect("ample room");
            prop_assert!(escaped_len(&answer) + 24 > room, "{} of {room}", escaped_len(&answer));
        }
    }

    /// Everything of a file, window by window, with the size of each and whether it had text. The candidate is cut off as a
    /// range of `range` bytes is.
    fn walk(file: &[u8], range: usize, room: usize) -> (Vec<u8>, Vec<(usize, bool)>) {
        let (mut read, mut windows) = (Vec::new(), Vec::new());
        while read.len() < file.len() {
            let end = file.len().min(read.len() + range);
            let candidate = &file[read.len()..end];
            let mut last = None;
            let answer = fit_file(candidate, end == file.len(), room, |window| {
                last = Some((window.bytes.to_vec(), window.text.is_some()));
                render(window)
            });
            assert!(escaped_len(&answer.expect("ample room")) <= room);
            let (bytes, has_text) = last.expect("rendered");
            assert_eq!(has_text, std::str::from_utf8(&bytes).is_ok());
            assert!(!bytes.is_empty());
            windows.push((bytes.len(), has_text));
            read.extend(bytes);
        }
        (read, windows)
    }

    proptest! {
        /// F-040, F-044, F-045, F-050, K-55: any text comes back whole, and each window of it has its text.
        #[test]
        fn a_text_file_has_text_throughout(text in "[\\x00-\\x1fa\"\\\\é→🟢]{1,3000}", range in 4_usize..2_000, room in 400_usize..4_000) {
            let (read, windows) = walk(text.as_bytes(), range, room);
            prop_assert_eq!(read, text.as_bytes());
            prop_assert!(windows.iter().all(|(_, has_text)| *has_text));
        }

        /// F-040, F-041: so does any file.
        #[test]
        fn any_file_comes_back(file in prop::collection::vec(any::<u8>(), 1..6_000), range in 1_usize..3_000, room in 400_usize..4_000) {
            let (read, _) = walk(&file, range, room);
            prop_assert_eq!(read, file);
        }
    }

    /// A binary file does not come in windows of a few bytes; a foreign byte late in a text does not take its text.
    #[test]
    fn windows_of_a_binary_file_are_full() {
        let binary: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let (_, windows) = walk(&binary, 32_768, 48_000);
        assert!(windows.len() <= 4, "{windows:?}");
        let mixed = [&b"x".repeat(5_000)[..], b"\xe9", &"é".repeat(40_000).into_bytes()].concat();
        let (read, windows) = walk(&mixed, 32_768, 48_000);
        assert_eq!((read, windows[0]), (mixed, (5_000, true)));
        assert_eq!(windows.iter().filter(|(_, has_text)| !has_text).count(), 1, "{windows:?}");
        assert_eq!(walk(b"caf\xe9\r\n", 32_768, 4_000).1, [(6, false)]);
        assert_eq!(walk(b"\0\xff\xfe\x80", 32_768, 4_000).1, [(4, false)]);
    }

    /// D-067: an answer that cannot show one byte is refused, not shown empty.
    #[test]
    fn not_one_byte_is_too_small() {
        let overhead = escaped_len(&render(Window { bytes: &[], text: Some("") }));
        assert_eq!(fit(b"x", overhead, render), Err(TooSmall));
        assert_eq!(fit(b"x", overhead - 1, render), Err(TooSmall));
        assert!(fit(b"", overhead, render).is_ok());
    }

    /// O-017: text alone ends behind a line where one fits, makes progress, and puts together to the whole.
    #[test]
    fn text_alone_ends_at_lines() {
        let shown = |text: &str| serde_json::json!({ "text": text }).to_string();
        let text = |answer: &str| -> String {
            let value: serde_json::Value = serde_json::from_str(answer).expect("rendered as JSON");
            value["text"].as_str().expect("a string").to_owned()
        };
        let whole = "+one\n+two \"quoted\"\n+a very long line without an end";
        let (mut at, mut read) = (0, String::new());
        while at < whole.len() {
            let answer = fit_text(&whole.as_bytes()[at..], true, 44, shown).expect("ample room");
            assert!(escaped_len(&answer) <= 44);
            read.push_str(&text(&answer));
            at = read.len();
        }
        assert_eq!(read, whole);
        assert_eq!(text(&fit_text(b"+one\n+two", false, 900, shown).expect("room")), "+one\n");
        assert_eq!(text(&fit_text(b"+one\n+two", true, 900, shown).expect("room")), "+one\n+two");
        assert_eq!(text(&fit_text(b"caf\xe9\n", true, 900, shown).expect("room")), "caf");
        assert_eq!(fit_text(b"\xe9\n", true, 900, shown), Err(Unfit::NotText));
        assert_eq!(fit_text(b"abc", true, 15, shown), Err(Unfit::TooSmall));
        assert_eq!(text(&fit_text(b"", true, 15, shown).expect("room")), "");
    }

    /// K-39: one byte that is no UTF-8 takes the text from its own window alone.
    #[test]
    fn a_foreign_byte_ends_the_text_before_it() {
        let answer = fit(b"caf\xc3\xa9 caf\xe9 more", 9_000, render).expect("ample room");
        assert_eq!(shown(&answer), 9);
        let answer = fit(b"\xe9 more", 9_000, render).expect("ample room");
        assert_eq!((shown(&answer), answer.contains("\"text\":null")), (6, true));
    }
}
