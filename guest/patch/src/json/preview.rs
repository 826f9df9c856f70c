//! What is shown of texts that cannot be stored: safe, short, and for the eye. The evidence is elsewhere, and complete.

use std::fmt;

use super::Text;
use super::walk::Step;

/// The beginning of a text, with unpaired surrogates and NUL written out as `\uXXXX` (P-104, P-111).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// At most [`Preview::LIMIT`] code points, all of which a database stores.
    pub text: String,
    /// Whether there is more (P-117).
    pub truncated: bool,
}

impl Preview {
    /// Its most code points.
    pub const LIMIT: usize = 256;

    /// Of a text.
    #[must_use]
    pub fn of(text: &Text) -> Self {
        let mut draft = Draft::default();
        draft.write_text(text, |_| None);
        draft.finish()
    }

    /// Of the JSON pointer (RFC 6901) that these steps make.
    pub(super) fn of_pointer<'a>(steps: impl Iterator<Item = Step<'a>>) -> Self {
        let mut draft = Draft::default();
        for step in steps {
            draft.write("/");
            match step {
                Step::Index(index) => draft.write(&index.to_string()),
                Step::Key(key) => draft.write_text(key, |char| match char {
                    '~' => Some("~0"),
                    '/' => Some("~1"),
                    _ => None,
                }),
            }
            if draft.truncated {
                break;
            }
        }
        draft.finish()
    }
}

#[derive(Default)]
struct Draft {
    text: String,
    code_points: usize,
    truncated: bool,
}

impl Draft {
    fn write_text(&mut self, text: &Text, spelled: impl Fn(char) -> Option<&'static str>) {
        for point in text.code_points() {
            match char::from_u32(point) {
                None | Some('\0') => self.write(&format!("\\u{point:04x}")),
                Some(char) => match spelled(char) {
                    Some(spelled) => self.write(spelled),
                    None => self.write(char.encode_utf8(&mut [0; 4])),
                },
            }
            if self.truncated {
                return;
            }
        }
    }

    /// The whole piece or, at the limit, nothing of it: half an escape would say something else.
    fn write(&mut self, piece: &str) {
        let code_points = self.code_points + piece.chars().count();
        self.truncated |= code_points > Preview::LIMIT;
        if !self.truncated {
            self.text.push_str(piece);
            self.code_points = code_points;
        }
    }

    fn finish(self) -> Preview {
        Preview { text: self.text, truncated: self.truncated }
    }
}

/// The text, and an ellipsis where there is more.
impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        f.write_str(if self.truncated { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::documents;

    /// P-104, P-111: it is cut between code points and between escapes.
    #[test]
    fn a_preview_is_short_and_safe() {
        let exact = "é".repeat(256);
        for (units, text, truncated) in [
            (vec![], "", false),
            (vec![0x61, 0xd800, 0x0a, 0x00, 0xd83d, 0xde00], "a\\ud800\n\\u0000\u{1f600}", false),
            (vec![0xe9; 256], &*exact, false),
            (vec![0xe9; 257], &*exact, true),
            (vec![0xdfff; 256], &*"\\udfff".repeat(42), true),
        ] {
            let preview = Preview::of(&Text::from_utf16(units));
            assert_eq!((&*preview.text, preview.truncated), (text, truncated));
        }
    }

    proptest! {
        /// P-104: nothing of it is refused by a database, and what is storable and short is shown as it is.
        #[test]
        fn a_preview_can_be_stored(text in documents::text()) {
            let preview = Preview::of(&text);
            prop_assert!(preview.text.chars().count() <= Preview::LIMIT);
            prop_assert!(Text::from(&*preview.text).is_storable());
            prop_assert_eq!(text.is_storable(), text.as_str() == Some(&preview.text));
        }
    }
}
