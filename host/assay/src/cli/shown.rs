//! What others wrote, made fit for a terminal.

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

/// Text for a terminal: what could drive it or turn the line around is replaced.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|c| if drives(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Text for a terminal with all of it still there: what could drive it is told as `<1B>`, but for tabs and line feeds.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            // A carriage return before a line feed would not be seen, and is what a reader of a text must see.
            c if drives(c) => write!(out, "<{:02X}>", u32::from(c)).expect("a string takes everything"),
            c => out.push(c),
        }
    }
    out
}

/// The same within one line.
pub(crate) fn in_line(text: &str) -> String {
    visible(text).replace('\n', "<0A>").replace('\t', "<09>")
}

/// A name of bytes for a terminal, as git quotes it where it does not stand there as it is: no two names look the same.
pub(crate) fn quoted(name: &[u8]) -> String {
    let plain = std::str::from_utf8(name).ok().filter(|text| !text.chars().any(|c| drives(c) || "\"\\".contains(c)));
    if let Some(plain) = plain {
        return plain.to_owned();
    }
    let mut out = String::from("\"");
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if drives(c) => octal(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => out.push(c),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out.push('"');
    out
}

/// The columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The end of a text that takes at most so many columns, with dots before it where something is left out.
pub(crate) fn tail(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(3);
    let mut kept = text;
    while columns(kept) > room {
        let mut chars = kept.chars();
        chars.next();
        kept = chars.as_str();
    }
    format!("...{kept}")
}

/// Whether a terminal does something at this character, or it reorders or hides what stands around it.
pub(crate) fn drives(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn octal(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(out, "\\{byte:03o}").expect("a string takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_quoted_as_git_does() {
        for (name, expected) in [
            (&b"src/lib.rs"[..], "src/lib.rs"),
            ("größer.txt".as_bytes(), "größer.txt"),
            (b"two words", "two words"),
            (b"a\"b\\c", r#""a\"b\\c""#),
            (b"tab\tline\n", r#""tab\tline\n""#),
            (b"caf\xe9.txt", r#""caf\351.txt""#),
            (b"\x1b[2Jgone", r#""\033[2Jgone""#),
            ("\u{202e}txt.exe".as_bytes(), r#""\342\200\256txt.exe""#),
            (b"", ""),
        ] {
            assert_eq!(quoted(name), expected);
        }
    }

    #[test]
    fn nothing_is_lost_and_nothing_drives() {
        assert_eq!(visible("a\tb\r\n\u{1b}[2J\u{202e}é"), "a\tb<0D>\n<1B>[2J<202E>é");
        assert_eq!(in_line("a\tb\n"), "a<09>b<0A>");
    }

    #[test]
    fn a_tail_fits_whatever_its_characters_take() {
        assert_eq!(tail("short", 10), "short");
        assert_eq!(tail("a/long/path.rs", 10), "...path.rs");
        for most in 0..12 {
            assert!(columns(&tail("路径/文件名字.txt", most)) <= most.max(3));
        }
    }
}
