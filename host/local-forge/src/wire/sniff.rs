//! A released forge's guess of what a content is, from its first bytes.

use http::HeaderValue;

/// How many bytes are looked at.
pub(crate) const SNIFFED: usize = 1024;

/// What a browser may show as it is, by how it begins. Of Go's list, what repositories are likely to hold.
const SHOWN: [(&[u8], &str); 10] = [
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"OggS\x00", "application/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
];

/// The `Content-Type` of a content that begins with `start`.
pub(crate) fn content_type(start: &[u8]) -> HeaderValue {
    let start = start.get(..SNIFFED).unwrap_or(start);
    let shown = SHOWN.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, kind)| *kind);
    let webp = (start.starts_with(b"RIFF") && start.get(8..14) == Some(b"WEBPVP")).then_some("image/webp");
    let marked = match start {
        [0xff, 0xfe, ..] => Some("text/plain; charset=utf-16le"),
        [0xfe, 0xff, ..] => Some("text/plain; charset=utf-16be"),
        _ => None,
    };
    let control = |b: &u8| matches!(b, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let plain = if start.iter().any(control) { "application/octet-stream" } else { "text/plain; charset=utf-8" };
    HeaderValue::from_static(shown.or(webp).or(marked).unwrap_or(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recordings 110, 117, 119, 152, 157 and 159.
    #[test]
    fn contents_are_guessed_at_as_recorded() {
        for (start, kind) in [
            (&b""[..], "text/plain; charset=utf-8"),
            (b"readme\n", "text/plain; charset=utf-8"),
            (b"caf\xe9\n", "text/plain; charset=utf-8"),
            (b"<html>", "text/plain; charset=utf-8"),
            (b"abc\0def\n", "application/octet-stream"),
            (b"\xff\xfeh\0i\0", "text/plain; charset=utf-16le"),
            (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        ] {
            assert_eq!(content_type(start), kind, "{start:?}");
        }
        let mut late = vec![b'x'; SNIFFED];
        late.push(0);
        assert_eq!(content_type(&late), "text/plain; charset=utf-8");
    }
}
