//! Canonical base64, decoded as it streams by.
//!
//! Bytes have exactly one canonical spelling, so whoever accepts only that one cannot be shown the same bytes twice under
//! different texts (D-036). Whole quads go through SIMD; only the quad that a split or the padding touches is done by
//! hand. Where the text comes from and where the bytes go is the caller's business.

use base64_simd::{AsOut as _, STANDARD, STANDARD_NO_PAD};

/// Characters that are decoded at once: this bounds the scratch, whatever is pushed (D-061).
const PIECE_CHARS: usize = 16 * 1024;

/// Why a text is not canonical base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A character outside `A-Za-z0-9+/=`: white space, an escape, the URL-safe alphabet.
    #[error("it holds a character outside the standard alphabet")]
    Alphabet,
    /// `=` too early, too often, or followed by something.
    #[error("its padding stands where none may stand")]
    Padding,
    /// The text's length is no multiple of four: cut, or its padding left out.
    #[error("its length is not a multiple of four")]
    Length,
    /// The bits that the last character has to spare are not zero.
    #[error("the spare bits before its padding are not zero")]
    PadBits,
}

/// A decoder that takes its text in pieces of any size.
#[derive(Debug)]
pub struct Decoder {
    /// The characters of a quad that is not whole yet.
    quad: [u8; 4],
    held: usize,
    padding: usize,
    scratch: Box<[u8]>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { quad: [0; 4], held: 0, padding: 0, scratch: vec![0; PIECE_CHARS / 4 * 3].into() }
    }
}

impl Decoder {
    /// A decoder at the beginning of a text; its scratch of 12 KiB is all that it ever allocates.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Decodes the next characters and hands the bytes on, at most 12 KiB at once.
    ///
    /// # Errors
    /// A [`Fault`] as soon as it is seen; the decoder is of no use then.
    pub fn push<E: From<Fault>>(&mut self, text: &[u8], mut out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let body = memchr::memchr(b'=', text).unwrap_or(text.len());
        let (body, padding) = text.split_at(body);
        if !body.is_empty() && self.padding > 0 {
            return Err(Fault::Padding.into());
        }
        self.decode_body(body, &mut out)?;
        for character in padding {
            if *character != b'=' {
                return Err(Fault::Padding.into());
            }
            self.pad(&mut out)?;
        }
        Ok(())
    }

    /// The text is over.
    ///
    /// # Errors
    /// [`Fault::Length`] where its last quad is not whole.
    pub const fn finish(&self) -> Result<(), Fault> {
        if self.held == 0 { Ok(()) } else { Err(Fault::Length) }
    }

    fn decode_body<E: From<Fault>>(
        &mut self,
        mut body: &[u8],
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.held > 0 {
            let (missing, rest) = body.split_at(body.len().min(4 - self.held));
            missing.iter().for_each(|character| self.hold(*character));
            body = rest;
            if self.held < 4 {
                return Ok(());
            }
            self.held = 0;
            out(decode_quads(&self.quad, &mut self.scratch)?)?;
        }
        let (quads, rest) = body.split_at(body.len() - body.len() % 4);
        for piece in quads.chunks(PIECE_CHARS) {
            out(decode_quads(piece, &mut self.scratch)?)?;
        }
        rest.iter().for_each(|character| self.hold(*character));
        Ok(())
    }

    /// Takes one `=`; the last of them lets go of the bytes before it.
    fn pad<E: From<Fault>>(&mut self, out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if self.held < 2 {
            return Err(Fault::Padding.into());
        }
        self.padding += 1;
        if self.held + self.padding < 4 {
            return Ok(());
        }
        let [a, b, c, _] = self.quad;
        let bytes = if self.padding == 2 { spell_out([a, b, b'A', b'A'])? } else { spell_out([a, b, c, b'A'])? };
        self.held = 0;
        match (self.padding, bytes) {
            (2, [first, 0, 0]) => out(&[first]),
            (1, [first, second, 0]) => out(&[first, second]),
            _ => Err(Fault::PadBits.into()),
        }
    }

    fn hold(&mut self, character: u8) {
        if let Some(place) = self.quad.get_mut(self.held) {
            *place = character;
            self.held += 1;
        }
    }

    #[cfg(test)]
    pub(crate) const fn allocated(&self) -> usize {
        self.scratch.len()
    }
}

/// Canonical base64 of the bytes, padded.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode_to_string(bytes)
}

/// The bytes of a short text, or nothing where it is not canonical base64 (D-029).
#[must_use]
pub fn decode_canonical(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut decoder = Decoder::new();
    decoder
        .push(text.as_bytes(), |piece| {
            bytes.extend_from_slice(piece);
            Ok::<_, Fault>(())
        })
        .ok()?;
    decoder.finish().ok()?;
    Some(bytes)
}

/// Whole quads without padding, at most [`PIECE_CHARS`].
fn decode_quads<'a>(quads: &[u8], scratch: &'a mut [u8]) -> Result<&'a [u8], Fault> {
    match STANDARD_NO_PAD.decode(quads, scratch.as_out()) {
        Ok(bytes) => Ok(bytes),
        Err(_) => Err(Fault::Alphabet),
    }
}

fn spell_out(quad: [u8; 4]) -> Result<[u8; 3], Fault> {
    let mut bytes = [0; 3];
    decode_quads(&quad, &mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All of it in pieces of `size`.
    fn decode_by(text: &[u8], size: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let mut decoder = Decoder::new();
        for piece in text.chunks(size.max(1)) {
            decoder.push(piece, |out| {
                bytes.extend_from_slice(out);
                Ok::<_, Fault>(())
            })?;
        }
        decoder.finish().map(|()| bytes)
    }

    /// D-018 (a), D-018 (b), D-036: one spelling or a refusal, at every split.
    #[test]
    fn refuses_every_other_spelling() {
        let long = format!("{}=", "A".repeat(4 * PIECE_CHARS));
        for (text, fault) in [
            ("QQ", Fault::Length),
            ("QQ=", Fault::Length),
            ("Q", Fault::Length),
            ("QUI", Fault::Length),
            ("QUJD=", Fault::Padding),
            ("QUJD====", Fault::Padding),
            ("=", Fault::Padding),
            ("Q===", Fault::Padding),
            ("QQ=A", Fault::Padding),
            ("QQ==QQ==", Fault::Padding),
            ("QUI==", Fault::Padding),
            ("QQ==\n", Fault::Padding),
            ("QR==", Fault::PadBits),
            ("QUJ=", Fault::PadBits),
            ("Q-==", Fault::Alphabet),
            ("QUJ\n", Fault::Alphabet),
            ("QU D", Fault::Alphabet),
            ("QU_D", Fault::Alphabet),
            ("QU\\/", Fault::Alphabet),
            ("QU\0D", Fault::Alphabet),
            ("QUJé", Fault::Alphabet),
            (long.as_str(), Fault::Padding),
        ] {
            for size in 1..=text.len().min(9) {
                assert_eq!(decode_by(text.as_bytes(), size).unwrap_err(), fault, "{text:.20} by {size}");
            }
            assert_eq!(decode_canonical(text), None, "{text:.20}");
        }
    }

    proptest! {
        /// D-078: what was encoded comes back, however it is split.
        #[test]
        fn returns_what_was_encoded(bytes in prop::collection::vec(any::<u8>(), 0..70_000), size in 1_usize..40_000) {
            let text = encode(&bytes);
            prop_assert_eq!(decode_by(text.as_bytes(), size), Ok(bytes.clone()));
            prop_assert_eq!(decode_canonical(&text), Some(bytes));
        }

        /// D-036: whatever is accepted is the canonical spelling of what it gives.
        #[test]
        fn accepts_the_canonical_spelling_alone(text in "[A-D/+=_ -]{0,14}", size in 1_usize..6) {
            let whole = decode_by(text.as_bytes(), text.len());
            prop_assert_eq!(decode_by(text.as_bytes(), size).is_ok(), whole.is_ok());
            if let Ok(bytes) = whole {
                prop_assert_eq!(encode(&bytes), text);
            }
        }
    }
}
