//! Names that tripped other tools: each is a legal git path and each is awkward in its own way.

/// A path and why it is here.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// The path's bytes.
    pub path: &'static [u8],
    /// What is awkward about it.
    pub why: &'static str,
}

const fn name(path: &'static [u8], why: &'static str) -> Name {
    Name { path, why }
}

const ASCII_255: [u8; 255] = [b'n'; 255];
const UTF8_255: [u8; 255] = utf8_255();

/// The names, none of which is a folder of another.
pub const AWKWARD: &[Name] = &[
    name("naïve.txt".as_bytes(), "K-18: one character, two octal escapes"),
    name("漢字/日本語.txt".as_bytes(), "K-18: three escapes a character, in a folder's name too"),
    name("emoji-🟢.txt".as_bytes(), "K-18: four escapes a character"),
    name(b"nai\xcc\x88ve.txt", "K-18: the same to the eye as another name, other bytes"),
    name(b"q\"uote.txt", "K-19: a quote"),
    name(b"back\\slash", "K-19: a backslash"),
    name(b"back\\303\\251.txt", "K-19: a name that looks like an escape"),
    name(b"\"", "K-19: nothing but a quote"),
    name(b"x b/y.txt", "K-21: ` b/` inside"),
    name(b"y b/y b/y", "K-21: ` b/` inside, several times, both halves alike"),
    name(b"a/b/a b/a", "K-21: prefixes as names"),
    name(b"bin with space.dat", "K-22: spaces, binary"),
    name(b"tab\there.txt", "a tab, which also ends names in `---` lines"),
    name(b"line\nfeed.txt", "a line feed"),
    name(b"return\r.txt", "a carriage return"),
    name(b"bell\x07del\x7f.txt", "control bytes with and without a short escape"),
    name(b"latin1-\xe9.txt", "no UTF-8"),
    name(b"half-\xc3", "UTF-8 cut in the middle"),
    name(b"mix\xe9\"\t.txt", "no UTF-8, a quote and a tab"),
    name(b" leading", "a space in front"),
    name(b"trailing ", "a space at the end"),
    name(b" ", "nothing but a space"),
    name(b"dev/null", "reads like the absent side"),
    name(b"-- a", "reads like a removed header with its minus"),
    name(b"++ b", "reads like an added header with its plus"),
    name(b"diff --git a/z b/z", "reads like a header"),
    name(b"rename from x", "reads like an extended header"),
    name(b"@@ -1 +1 @@", "reads like a hunk"),
    name(b"50%25.txt", "an escape of another kind"),
    name(b"hash#question?semi;plus+.txt", "what a URL would end at"),
    name(b"star*[a]?.txt", "what a pathspec would match"),
    name(b":(top)magic", "what a pathspec would obey"),
    name(&ASCII_255, "255 bytes, the most a file system takes"),
    name(&UTF8_255, "255 bytes of which 254 are escaped"),
];

const fn utf8_255() -> [u8; 255] {
    let mut bytes = [b'x'; 255];
    let mut at = 0;
    while at < 254 {
        bytes[at] = 0xc3;
        bytes[at + 1] = 0xa9;
        at += 2;
    }
    bytes
}
