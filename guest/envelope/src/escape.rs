//! How many bytes a text takes inside a JSON string.
//!
//! Answers are JSON inside a JSON string, so a quote in a diff costs four bytes and a line feed three (K-02). Bounds
//! are kept on that size, never on the raw one.

/// Bytes that `text` takes between the quotes of a JSON string as `serde_json` writes it.
#[must_use]
pub fn escaped_len(text: &str) -> usize {
    text.bytes().map(cost).sum()
}

/// Bytes that one byte of UTF-8 text takes inside a JSON string.
pub(crate) const fn cost(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..=0x1f => 6,
        _ => 1,
    }
}

/// Bytes that one byte of text takes inside a JSON string inside a JSON string.
pub(crate) const fn nested_cost(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' => 4,
        b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 3,
        0x00..=0x1f => 7,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// K-02: the measure is the serializer's own, once and nested.
        #[test]
        fn agrees_with_the_serializer(text in any::<String>()) {
            let once = serde_json::to_string(&text).expect("a string serializes");
            let twice = serde_json::to_string(&once).expect("a string serializes");
            prop_assert_eq!(escaped_len(&text), once.len() - 2);
            // The inner quotes become `\"` each.
            prop_assert_eq!(text.bytes().map(nested_cost).sum::<usize>(), twice.len() - 6);
        }
    }

    #[test]
    fn agrees_on_every_single_byte_character() {
        for byte in 0..=0x7f_u8 {
            let text = char::from(byte).to_string();
            let once = serde_json::to_string(&text).expect("a string serializes");
            assert_eq!(cost(byte), once.len() - 2, "{byte:#x}");
            assert_eq!(nested_cost(byte), serde_json::to_string(&once).expect("a string serializes").len() - 6);
        }
    }
}
