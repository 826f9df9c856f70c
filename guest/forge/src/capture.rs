//! Counts and hashes all bytes that pass, and keeps one window of them.
//!
//! This is why memory does not grow with a diff (D-061, S-016): what is outside the window is hashed and dropped.

use sha2::{Digest, Sha256};

/// Bytes a window holds at the most (D-063).
pub const WINDOW_BYTES: usize = 32_768;

/// Where the decoded bytes of an entity go while it is being verified.
///
/// A sink cannot fail half-way: what it has to say against the bytes it says in `finish`, which is called only after the
/// entity was verified whole (S-008).
pub trait Sink {
    /// What is known when all bytes have passed.
    type Output;

    /// Takes the next bytes, in order, split anywhere (D-078).
    fn push(&mut self, bytes: &[u8]);

    /// All bytes have passed.
    ///
    /// # Errors
    /// What the sink found in the bytes.
    fn finish(self) -> Result<Self::Output, crate::Error>;
}

/// Bytes counted, hashed and, from `offset` on, kept up to [`WINDOW_BYTES`].
#[derive(Clone, Debug)]
pub struct Capture {
    offset: u64,
    count: u64,
    hash: Sha256,
    window: Vec<u8>,
}

/// What a [`Capture`] knows at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// Bytes that passed.
    pub count: u64,
    /// SHA-256 of the bytes that passed.
    pub sha256: [u8; 32],
    /// Where the window starts.
    pub offset: u64,
    /// The window: bytes from `offset`, at most [`WINDOW_BYTES`], fewer only at the end.
    pub window: Vec<u8>,
}

impl Capture {
    /// Keeps the window that starts at `offset`.
    #[must_use]
    pub fn new(offset: u64) -> Self {
        Self { offset, count: 0, hash: Sha256::new(), window: Vec::new() }
    }
}

impl Sink for Capture {
    type Output = Captured;

    fn push(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        let before = self.offset.saturating_sub(self.count);
        self.count = self.count.saturating_add(bytes.len() as u64);
        // What the window has already starts before these bytes, so `before` is 0 once it is open.
        let skip = usize::try_from(before).unwrap_or(usize::MAX);
        if let Some(wanted) = bytes.get(skip..).filter(|wanted| !wanted.is_empty()) {
            let left = WINDOW_BYTES.saturating_sub(self.window.len());
            self.window.extend(wanted.iter().take(left));
        }
    }

    fn finish(self) -> Result<Captured, crate::Error> {
        Ok(Captured {
            count: self.count,
            sha256: self.hash.finalize().into(),
            offset: self.offset,
            window: self.window,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// D-037, D-063, D-078: any chunking, any offset: the window is the bytes from there on.
        #[test]
        fn keeps_the_bytes_from_its_offset(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9_000), 0..12),
            offset in 0_u64..90_000,
        ) {
            let whole = chunks.concat();
            let mut capture = Capture::new(offset);
            chunks.iter().for_each(|chunk| capture.push(chunk));
            let captured = capture.finish().expect("a capture has no objections");
            let start = whole.len().min(usize::try_from(offset).expect("small"));
            let end = whole.len().min(start + WINDOW_BYTES);
            prop_assert_eq!(&captured.window, &whole[start..end]);
            prop_assert_eq!(captured.count, whole.len() as u64);
            prop_assert_eq!(captured.sha256, <[u8; 32]>::from(Sha256::digest(&whole)));
        }
    }
}
