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
}

impl io::Read for Body<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = u32::try_from(buffer.len()).unwrap_or(u32::MAX).min(READ_BYTES);
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
