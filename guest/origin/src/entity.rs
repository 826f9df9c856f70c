//! Reads an answer's entity from the port: its head for a judge, its body in small pieces for a verifier.

use std::io;

use assay_envelope::Refusal;
use assay_forge::{Error, http::Head};

use crate::{Answer, Fault};

/// Bytes asked for at once (D-061).
pub const READ_BYTES: u32 = 16 * 1024;

/// The answer's status and fields, as the judges of `assay_forge::http` take them.
pub fn head(answer: &dyn Answer) -> Head {
    Head { status: answer.status(), headers: answer.headers() }
}

/// Feeds the whole body, piece by piece.
pub fn feed(answer: &mut dyn Answer, mut take: impl FnMut(&[u8]) -> Result<(), Error>) -> Result<(), Refusal> {
    loop {
        let bytes = answer.read(READ_BYTES)?;
        if bytes.is_empty() {
            return Ok(());
        }
        take(&bytes).map_err(refuse)?;
    }
}

/// What a fault found in an answer or an argument is to the caller.
pub fn refuse(error: impl Into<Error>) -> Refusal {
    let error = error.into();
    Refusal::new(error.code(), error.to_string())
}

/// The body as a reader that ends in an error past `left` bytes.
pub struct Body<'a> {
    answer: &'a mut dyn Answer,
    left: u64,
    is_too_long: bool,
    fault: Option<Fault>,
}

impl<'a> Body<'a> {
    /// At most `most` bytes of it.
    pub fn new(answer: &'a mut dyn Answer, most: u64) -> Self {
        Self { answer, left: most, is_too_long: false, fault: None }
    }

    /// The port's fault, if one ended the body: it says more than the parser that met the early end.
    pub fn fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// Whether it has more bytes than are taken of it.
    #[must_use]
    pub const fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    /// What a parser made of it, or why the body ended before its end, which says more than the parser that met the early end.
    ///
    /// # Errors
    /// The port's fault, `answer_too_large`, or what the parser found.
    pub fn outcome<T, E: Into<Error>>(&mut self, parsed: Result<T, E>) -> Result<T, Refusal> {
        if let Some(fault) = self.fault() {
            return Err(fault.into());
        }
        parsed.map_err(|fault| if self.is_too_long { too_long() } else { refuse(fault) })
    }
}

impl io::Read for Body<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more than is taken tells that there are more.
        let left = u32::try_from(self.left).unwrap_or(u32::MAX).saturating_add(1);
        let most = u32::try_from(buffer.len()).unwrap_or(u32::MAX).min(READ_BYTES).min(left);
        let bytes = self.answer.read(most).map_err(|fault| {
            self.fault = Some(fault);
            io::Error::from(io::ErrorKind::ConnectionAborted)
        })?;
        self.left = self.left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            self.is_too_long = true;
            io::ErrorKind::FileTooLarge
        })?;
        let target = buffer.get_mut(..bytes.len()).ok_or(io::ErrorKind::InvalidData)?;
        target.copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

fn too_long() -> Refusal {
    Refusal::new(
        "answer_too_large",
        "The forge's answer is longer than what is read of such an answer; nothing of it is shown. Ask for less where the tool \
         pages, call again, and tell the forge's operator if it stays so.",
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// White space without end.
    struct Endless(u64);

    impl Answer for Endless {
        fn status(&self) -> u16 {
            200
        }

        fn headers(&self) -> Vec<(String, Vec<u8>)> {
            Vec::new()
        }

        fn read(&mut self, max: u32) -> Result<Vec<u8>, Fault> {
            self.0 += u64::from(max);
            Ok(vec![b' '; usize::try_from(max).expect("small")])
        }
    }

    /// No more is read than is taken, but for the byte that tells; and the bound is told, not what the parser makes of it.
    #[test]
    fn a_body_ends_at_its_bound() {
        let mut answer = Endless(0);
        let mut body = Body::new(&mut answer, 100_000);
        let read = io::BufReader::new(&mut body).read_to_end(&mut Vec::new());
        assert!(read.is_err() && body.is_too_long());
        let parsed: Result<(), _> = Err(assay_forge::listing::Fault::Malformed);
        assert_eq!(body.outcome(parsed).map_err(|refusal| refusal.code), Err("answer_too_large".into()));
        assert_eq!(answer.0, 100_001);
    }
}
