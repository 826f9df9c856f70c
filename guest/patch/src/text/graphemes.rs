//! Whether a place in a text is between two extended grapheme clusters (P-064, PG-17, UAX #29).
//!
//! The Unicode version is that of the pinned `unicode-segmentation`. Only warnings depend on it, and replay evaluates none
//! (P-063), so another version changes no history.

use unicode_segmentation::GraphemeCursor;

use super::Positions;

/// How many bytes before a place can decide about it.
///
/// UAX #29 sets no limit: a flag, an emoji sequence or a conjunct may go back over marks without end, and an edit of each
/// of many places would look through all of them. Text in the Stream-Safe format has 30 marks in a row. What is not decided
/// within this many bytes counts as a boundary, which warns of nothing.
const LOOK_BACK: usize = 16 * 1024;

/// Whether code point `at` begins a cluster. The ends of the text are boundaries, and nothing past it is one.
#[must_use]
pub fn is_boundary(positions: &Positions<'_>, at: usize) -> bool {
    positions.byte(at).is_some_and(|byte| is_byte_boundary(positions.text(), byte))
}

/// The same of a place in bytes. Within a code point is no boundary.
#[must_use]
pub fn is_byte_boundary(text: &str, byte: usize) -> bool {
    let Some((before, after)) = text.split_at_checked(byte) else { return false };
    let (Some(last), Some(next)) = (before.chars().next_back(), after.chars().next()) else { return true };
    if last.is_ascii() && next.is_ascii() && last != '\r' {
        return true;
    }
    let begin = text.floor_char_boundary(byte.saturating_sub(LOOK_BACK));
    let window = &text[begin..byte + next.len_utf8()];
    let decided = GraphemeCursor::new(byte - begin, window.len(), true).is_boundary(window, 0);
    decided.expect("a window that begins at 0 has all the context there is")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation as _;

    use super::*;

    /// P-064, PG-17: clusters of every kind, by the places within them.
    #[test]
    fn clusters_are_extended_grapheme_clusters() {
        for (text, boundaries) in [
            ("", "1"),
            ("ab", "111"),
            ("e\u{301}x", "1011"),
            ("\r\n", "101"),
            ("🇩🇪🇫🇷", "10101"),
            ("👩\u{200d}👧", "1001"),
            ("👍🏽", "101"),
            ("\u{915}\u{94d}\u{937}", "1001"),
            ("\u{1100}\u{1161}\u{11a8}", "1001"),
            ("\u{600}1", "101"),
            ("a\u{200d}👧", "1011"),
        ] {
            let positions = Positions::of(text);
            let found: String =
                (0..=positions.len()).map(|at| u8::from(is_boundary(&positions, at)).to_string()).collect();
            assert_eq!(found, boundaries, "{text:?}");
            assert!(!is_boundary(&positions, positions.len() + 1));
            assert!(!is_byte_boundary(text, text.len() + 1));
        }
        assert!(!is_byte_boundary("é", 1));
    }

    /// P-064, PG-17: a text that is one cluster is looked at piece by piece, at every place of it.
    #[test]
    fn one_cluster_may_be_the_whole_text() {
        let text = format!("e{}", "\u{301}".repeat(200_000));
        let positions = Positions::of(&text);
        assert!((1..positions.len()).all(|at| !is_boundary(&positions, at)));

        let marks = |count| format!("👩{}\u{200d}👧", "\u{fe0f}".repeat(count));
        let (short, long) = (marks(5_000), marks(200_000));
        assert!(!is_byte_boundary(&short, short.len() - 4));
        assert!(is_byte_boundary(&long, long.len() - 4), "undecided within the limit");

        let flags = "🇩".repeat(20_000);
        let positions = Positions::of(&flags);
        let near = LOOK_BACK / 4;
        assert!((0..near).all(|at| is_boundary(&positions, at) == (at % 2 == 0)));
        assert!((near..near + 4_000).all(|at| is_boundary(&positions, at)), "undecided within the limit");
    }

    proptest! {
        /// P-064: the same places as cutting the whole text.
        #[test]
        fn places_are_those_of_the_whole_text(
            text in "(a|\r|\n|\u{301}|\u{200d}|👩|🏽|🇩|\u{915}|\u{94d}|\u{600}|\u{1100}|\u{1161}|\u{11a8}|\u{903}){0,40}",
        ) {
            let starts: Vec<_> = text.grapheme_indices(true).map(|(byte, _)| byte).chain([text.len()]).collect();
            for byte in 0..=text.len() {
                prop_assert_eq!(is_byte_boundary(&text, byte), starts.contains(&byte), "{} of {:?}", byte, text);
            }
        }
    }
}
