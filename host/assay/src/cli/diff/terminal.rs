//! A diff on a terminal: its text, with everything that would drive the terminal made visible.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use crate::cli::shown::visible;

/// Writes what it is given, but for line feeds and tabs with every control character as `<1B>`.
pub(crate) struct Escaped<W> {
    out: W,
    /// The first bytes of a character whose other bytes have not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Escaped<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let (whole, begun) = all.split_at(all.len() - unfinished(&all));
        self.begun = begun.to_vec();
        self.out.write_all(escaped(whole).as_bytes())
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.out.write_all(escaped(&self.begun).as_bytes())?;
        self.out.flush()
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(&visible(chunk.valid()));
        for byte in chunk.invalid() {
            write!(text, "<{byte:02X}>").expect("a string takes everything");
        }
    }
    text
}

/// How many bytes at the end are the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let begins = |count: &usize| {
        let tail = bytes.len().checked_sub(*count).and_then(|at| bytes.get(at..)).unwrap_or_default();
        matches!(std::str::from_utf8(tail), Err(error) if error.error_len().is_none() && error.valid_up_to() == 0)
    };
    (1..=3).find(begins).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut escaped = Escaped::new(&mut out);
        for piece in pieces {
            escaped.write_all(piece).expect("a vector takes everything");
        }
        escaped.finish().expect("a vector takes everything");
        String::from_utf8(out).expect("it is text")
    }

    #[test]
    fn a_terminal_is_not_driven() {
        assert_eq!(shown(&[b"+a\tb\r\n\x1b]0;x\x07\x00"]), "+a\tb<0D>\n<1B>]0;x<07><00>");
        assert_eq!(shown(&["\u{202e}x\u{9b}".as_bytes()]), "<202E>x<9B>");
        assert_eq!(shown(&[b"caf\xe9\xff"]), "caf<E9><FF>");
    }

    #[test]
    fn windows_that_split_a_character_show_it_whole() {
        let text = "größer 路径 🦀";
        for at in 0..=text.len() {
            let (before, after) = text.as_bytes().split_at(at);
            assert_eq!(shown(&[before, after]), text);
        }
        assert_eq!(shown(&[b"\xff\xe8", b"\xb7\xaf"]), "<FF>路");
        assert_eq!(shown(&[b"\xe8\xb7"]), "<E8><B7>");
    }
}
