//! Cuts a diff that goes by where a test wants it cut.

use bytes::Bytes;

use crate::operator::live::Cut;

/// How a file's part of a diff begins. No other line of one can: those of hunks begin with their sign, and base85 has
/// no spaces.
const FILE: &[u8] = b"diff --git ";

/// A cut that has yet to be reached, or was.
#[derive(Debug)]
pub(crate) struct Scissors {
    cut: Cut,
    /// What of the line at hand has gone by and may yet begin a file. `None` in a line that does not.
    line: Option<usize>,
    done: bool,
}

impl Scissors {
    pub(crate) fn new(cut: Cut) -> Self {
        Self { cut, line: Some(0), done: cut == Cut::Bytes(0) }
    }

    /// Whether nothing more goes by.
    pub(crate) fn done(&self) -> bool {
        self.done
    }

    /// What goes by of the next bytes. The start of a line that may begin a file is kept until that is known.
    pub(crate) fn cut(&mut self, bytes: &Bytes) -> Bytes {
        match self.cut {
            Cut::Bytes(left) => {
                let passed = bytes.slice(..usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len())));
                let left = left - passed.len() as u64;
                (self.cut, self.done) = (Cut::Bytes(left), left == 0);
                passed
            }
            Cut::Files(files) => self.cut_files(files, bytes),
        }
    }

    fn cut_files(&mut self, mut files: u64, bytes: &Bytes) -> Bytes {
        let mut passed = Vec::with_capacity(bytes.len() + FILE.len());
        for &byte in bytes {
            match self.line {
                Some(matched) if FILE.get(matched) == Some(&byte) => {
                    self.line = Some(matched + 1);
                    if matched + 1 == FILE.len() {
                        let Some(one_fewer) = files.checked_sub(1) else {
                            self.done = true;
                            break;
                        };
                        files = one_fewer;
                        self.line = None;
                        passed.extend_from_slice(FILE);
                    }
                }
                matched => {
                    passed.extend_from_slice(matched.and_then(|matched| FILE.get(..matched)).unwrap_or_default());
                    passed.push(byte);
                    self.line = (byte == b'\n').then_some(0);
                }
            }
        }
        self.cut = Cut::Files(files);
        passed.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &[u8] = b"diff --git a/a b/a\n+dif\n+diff --git \ndiff --git a/b b/b\n-x\n";

    fn cut(cut: Cut, piece: usize) -> Vec<u8> {
        let mut scissors = Scissors::new(cut);
        let mut passed = Vec::new();
        for piece in DIFF.chunks(piece) {
            if scissors.done() {
                break;
            }
            passed.extend_from_slice(&scissors.cut(&Bytes::copy_from_slice(piece)));
        }
        passed
    }

    #[test]
    fn a_diff_is_cut_at_the_byte_and_at_the_file_whatever_its_pieces_are() {
        let second = 37;
        assert!(DIFF[second..].starts_with(b"diff --git a/b"));
        for piece in 1..=DIFF.len() {
            for bytes in 0..=DIFF.len() {
                assert_eq!(cut(Cut::Bytes(bytes as u64), piece), &DIFF[..bytes], "{piece} {bytes}");
            }
            assert_eq!(cut(Cut::Files(0), piece), b"", "{piece}");
            assert_eq!(cut(Cut::Files(1), piece), &DIFF[..second], "{piece}");
            assert_eq!(cut(Cut::Files(2), piece), DIFF, "{piece}");
        }
    }
}
