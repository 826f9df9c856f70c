//! Names as a diff spells them: as they are, or quoted as in C.

use super::Rule;

/// Reads a quoted name from its opening quote on: the bytes it stands for, and what follows its closing quote.
pub(super) fn unquote(spelled: &[u8]) -> Result<(Vec<u8>, &[u8]), Rule> {
    let mut rest = spelled.strip_prefix(b"\"").ok_or(Rule::Quoting)?;
    let mut name = Vec::with_capacity(spelled.len());
    loop {
        let (&byte, after) = rest.split_first().ok_or(Rule::Quoting)?;
        rest = after;
        match byte {
            b'"' => return Ok((name, rest)),
            b'\\' => {
                let (byte, after) = escape(rest)?;
                name.push(byte);
                rest = after;
            }
            _ => name.push(byte),
        }
    }
}

/// One escape, its backslash gone: git writes eight letters, two signs and three octal digits up to 377 (K-23).
fn escape(rest: &[u8]) -> Result<(u8, &[u8]), Rule> {
    let (&first, after) = rest.split_first().ok_or(Rule::Quoting)?;
    let byte = match first {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        b'"' | b'\\' => first,
        b'0'..=b'3' => {
            let (digits, after) = rest.split_at_checked(3).ok_or(Rule::Quoting)?;
            let value = digits.iter().try_fold(0_u32, |value, digit| match digit {
                b'0'..=b'7' => Ok(value * 8 + u32::from(digit - b'0')),
                _ => Err(Rule::Quoting),
            })?;
            return Ok((u8::try_from(value).map_err(|_| Rule::Quoting)?, after));
        }
        _ => return Err(Rule::Quoting),
    };
    Ok((byte, after))
}

/// A name that takes a whole line's rest, quoted or not.
pub(super) fn whole(spelled: &[u8]) -> Result<Vec<u8>, Rule> {
    if !spelled.starts_with(b"\"") {
        return Ok(spelled.to_vec());
    }
    let (name, rest) = unquote(spelled)?;
    if rest.is_empty() { Ok(name) } else { Err(Rule::Quoting) }
}

/// What follows `spelled`'s first name, where that name is `prefix` and `name`; nothing where it is another.
pub(super) fn after<'a>(spelled: &'a [u8], prefix: &[u8], name: &[u8]) -> Result<Option<&'a [u8]>, Rule> {
    if spelled.starts_with(b"\"") {
        let (unquoted, rest) = unquote(spelled)?;
        return Ok((unquoted.strip_prefix(prefix) == Some(name)).then_some(rest));
    }
    Ok(spelled.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(name)))
}

/// The one path of a first line whose two names are the same path (S-013): quoted both, or two halves of one length.
pub(super) fn same_path(names: &[u8]) -> Result<Vec<u8>, Rule> {
    if names.starts_with(b"\"") {
        let (old, rest) = unquote(names)?;
        let path = old.strip_prefix(b"a/").ok_or(Rule::Names)?;
        let rest = rest.strip_prefix(b" ").ok_or(Rule::Names)?;
        return match after(rest, b"b/", path)? {
            Some([]) if !path.is_empty() => Ok(path.to_vec()),
            _ => Err(Rule::Names),
        };
    }
    // `a/` path ` b/` path: only one length of the path fits the line.
    let length = names.len().checked_sub(5).filter(|both| both % 2 == 0 && *both > 0).ok_or(Rule::Names)? / 2;
    let (old, new) = names.split_at_checked(length + 2).ok_or(Rule::Names)?;
    let path = old.strip_prefix(b"a/").ok_or(Rule::Names)?;
    if new.strip_prefix(b" b/") == Some(path) { Ok(path.to_vec()) } else { Err(Rule::Names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S-014, K-18, K-19: git's escapes are bytes.
    #[test]
    fn git_escapes_are_read() {
        let spelled = br#""a\a\b\t\n\v\f\r\"\\\303\251\000\377b" rest"#;
        let name = b"a\x07\x08\t\n\x0b\x0c\r\"\\\xc3\xa9\0\xffb".to_vec();
        assert_eq!(unquote(spelled), Ok((name, &b" rest"[..])));
    }

    /// K-23: what git does not write is refused, never guessed.
    #[test]
    fn other_escapes_are_refused() {
        for spelled in [r#""\400""#, r#""\777""#, r#""\8""#, r#""\12""#, r#""\x41""#, r#""\"#, r#"""#, r#""a"#, r#""\18x""#] {
            assert_eq!(unquote(spelled.as_bytes()), Err(Rule::Quoting), "{spelled}");
        }
        assert_eq!(same_path(br#""a/\400" "b/\400""#), Err(Rule::Quoting));
    }

    /// S-013, K-21: ` b/` inside a name is no boundary.
    #[test]
    fn halves_decide() {
        assert_eq!(same_path(b"a/x b/y.txt b/x b/y.txt"), Ok(b"x b/y.txt".to_vec()));
        assert_eq!(same_path(b"a/x b/x"), Ok(b"x".to_vec()));
        assert_eq!(same_path(b"a/ b/ b/ b/"), Ok(b" b/".to_vec()));
        assert_eq!(same_path("\"a/t\\303\\251\" \"b/t\\303\\251\"".as_bytes()), Ok("té".as_bytes().to_vec()));
        for wrong in [&b"a/x b/y"[..], b"a/ b/", b"x x", b"", b"\"a/x\" b/y", b"\"a/x\"  \"b/x\"", b"a/xx b/x"] {
            assert_eq!(same_path(wrong), Err(Rule::Names), "{}", wrong.escape_ascii());
        }
    }
}
