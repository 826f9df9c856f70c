//! File contents that tripped other tools: what looks like a diff, ends unusually, or is no text.

/// Forty numbered lines with `\n`, one of them replaced.
#[must_use]
pub fn lines_with(at: usize, line: &str) -> Vec<u8> {
    (1..=40).map(|n| if n == at { format!("{line}\n") } else { format!("line {n}\n") }).collect::<String>().into_bytes()
}

/// Forty numbered lines.
#[must_use]
pub fn lines() -> Vec<u8> {
    lines_with(0, "")
}

/// Lines that, with the sign of a hunk before them, read like parts of a diff.
pub const HEADER_LIKE: &[&str] = &[
    "-- a/users note",
    "++ b/evil",
    "diff --git a/z b/z",
    "-- /dev/null",
    "@@ -1,2 +3,4 @@ fn",
    "Subproject commit 0123456789012345678901234567890123456789",
    "GIT binary patch",
    "Binary files a/x and b/x differ",
    " No newline at end of file",
    "\\ No newline at end of file",
    "rename from x",
    "similarity index 100%",
    "old mode 100644",
    "literal 10",
    "",
    "-",
    "+",
];

/// `count` bytes that no compressor shrinks and no text reader takes: the same for the same seed.
#[must_use]
pub fn noise(seed: u64, count: usize) -> Vec<u8> {
    let mut random = crate::random::Random::new(seed);
    let mut bytes = vec![0];
    while bytes.len() < count {
        bytes.extend_from_slice(&random.next().to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

/// `count` bytes of text in lines of about 60 bytes, all different: the same for the same seed.
#[must_use]
pub fn prose(seed: u64, count: usize) -> Vec<u8> {
    let mut random = crate::random::Random::new(seed);
    let mut text = String::with_capacity(count + 64);
    for number in 0.. {
        if text.len() >= count {
            break;
        }
        text.push_str(&format!("{number:08} {:016x} → {:016x} \"quoted\\\"\t\n", random.next(), random.next()));
    }
    text.into_bytes()
}
