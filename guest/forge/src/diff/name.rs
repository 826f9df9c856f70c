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
        return if is_plain(spelled) { Ok(spelled.to_vec()) } else { Err(Rule::Quoting) };
    }
    let (name, rest) = unquote(spelled)?;
    if rest.is_empty() { Ok(name) } else { Err(Rule::Quoting) }
}

/// The bytes that a name quoted by git stands for, where they are no UTF-8: such a name cannot be given as text.
#[must_use]
pub fn unquoted_bytes(spelled: &str) -> Option<Vec<u8>> {
    let (name, rest) = unquote(spelled.as_bytes()).ok()?;
    (rest.is_empty() && std::str::from_utf8(&name).is_err()).then_some(name)
}

/// What follows `spelled`'s first name, where that name is `prefix` and `name`; nothing where it is another.
pub(super) fn after<'a>(spelled: &'a [u8], prefix: &[u8], name: &[u8]) -> Result<Option<&'a [u8]>, Rule> {
    if spelled.starts_with(b"\"") {
        let (unquoted, rest) = unquote(spelled)?;
        return Ok((unquoted.strip_prefix(prefix) == Some(name)).then_some(rest));
    }
    Ok(spelled.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(name)).filter(|_| is_plain(name)))
}

/// The one path of a first line whose two names are the same path (S-013). Where the first is quoted, its quotes end it;
/// where the second alone is, its opening quote does, as no name has one unquoted; else both halves have one length.
pub(super) fn same_path(names: &[u8]) -> Result<Vec<u8>, Rule> {
    let old = if names.starts_with(b"\"") {
        unquote(names)?.0
    } else {
        let end = match memchr::memchr(b'"', names) {
            Some(quote) => quote.checked_sub(1),
            None => names.len().checked_sub(1).filter(|both| both % 2 == 0).map(|both| both / 2),
        };
        end.and_then(|end| names.get(..end)).ok_or(Rule::Names)?.to_vec()
    };
    let path = old.strip_prefix(b"a/").filter(|path| !path.is_empty()).ok_or(Rule::Names)?;
    two_paths(names, path, path)?;
    Ok(path.to_vec())
}

/// Checks that a first line's names are these two paths.
pub(super) fn two_paths(names: &[u8], old: &[u8], new: &[u8]) -> Result<(), Rule> {
    let rest = after(names, b"a/", old)?.and_then(|rest| rest.strip_prefix(b" ")).ok_or(Rule::Names)?;
    if after(rest, b"b/", new)? == Some(b"") { Ok(()) } else { Err(Rule::Names) }
}

/// Whether git would write these bytes without quotes, whatever `core.quotePath` says.
fn is_plain(name: &[u8]) -> bool {
    !name.iter().any(|byte| byte.is_ascii_control() || matches!(byte, b'"' | b'\\'))
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
        for spelled in
            [r#""\400""#, r#""\777""#, r#""\8""#, r#""\12""#, r#""\x41""#, r#""\"#, r#"""#, r#""a"#, r#""\18x""#]
        {
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
        for mixed in [&br#"a/x "b/x""#[..], br#""a/x" b/x"#, br#""a/x" "b/x""#] {
            assert_eq!(same_path(mixed), Ok(b"x".to_vec()), "{}", mixed.escape_ascii());
        }
        assert_eq!(same_path("\"a/t\\303\\251\" \"b/t\\303\\251\"".as_bytes()), Ok("té".as_bytes().to_vec()));
        for wrong in [
            &b"a/x b/y"[..],
            b"a/ b/",
            b"x x",
            b"",
            b"\"a/x\" b/y",
            b"\"a/x\"  \"b/x\"",
            b"a/xx b/x",
            b"a/x\ty b/x\ty",
            b"a/x\\y b/x\\y",
            b"\"",
            b"\"b/x\"",
        ] {
            assert!(same_path(wrong).is_err(), "{}", wrong.escape_ascii());
        }
    }
}
