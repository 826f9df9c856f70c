//! A refusal is a value: what a tool says when it will not answer.

use std::{borrow::Cow, fmt};

/// Bytes a refusal's message may have; what is longer is cut at a character, since a refusal carries no data.
const MESSAGE_BYTES: usize = 6_000;

/// A stable code and one or two sentences: what is known, and what to do (D-077, D-011a).
///
/// The message never holds a body that the forge sent as an error, a header's value or a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Stable, `snake_case`.
    pub code: Cow<'static, str>,
    /// For a model and for people, at most 6,000 bytes, without control characters.
    pub message: String,
}

impl Refusal {
    /// Bounds the message and takes control characters out of it, so that quoted input cannot forge lines.
    #[must_use]
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let mut message: String =
            message.into().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect();
        message.truncate(message.floor_char_boundary(MESSAGE_BYTES));
        Self { code: code.into(), message }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_bounded_and_has_no_control_characters() {
        let refusal = Refusal::new("x", format!("a\nb\u{1b}[31m{}", "é".repeat(5_000)));
        assert!(refusal.message.len() <= MESSAGE_BYTES);
        assert!(!refusal.message.chars().any(char::is_control));
    }
}
