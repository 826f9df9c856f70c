//! A started answer: its head as it came, its body read as it comes and never ahead.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::timeout;

use super::{Fault, fault};

/// Dropping it closes its connection unless the body was read to its end.
#[derive(Debug)]
pub struct Answer {
    response: Response,
    patience: Duration,
    /// What of the last chunk was not asked for yet.
    left: Bytes,
    end: Option<Result<(), Fault>>,
}

impl Answer {
    pub(super) fn new(response: Response, patience: Duration) -> Self {
        Self { response, patience, left: Bytes::new(), end: None }
    }

    /// The HTTP status; never a redirect's.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Every field, names in lower case. Fields of one name keep their order and stand together.
    #[must_use]
    pub fn headers(&self) -> Vec<(String, Vec<u8>)> {
        let fields = self.response.headers().iter();
        fields.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
    }

    /// At most `max` bytes, at least one unless the body has ended well: none is the end.
    ///
    /// # Errors
    /// Why there is no more of the body. Asked again, it says the same.
    pub async fn read(&mut self, max: u32) -> Result<Bytes, Fault> {
        if max == 0 {
            return Err(Fault::denied("a read takes at least one byte: none would look like the end"));
        }
        while self.left.is_empty() {
            if let Some(end) = &self.end {
                return end.clone().map(|()| Bytes::new());
            }
            match timeout(self.patience, self.response.chunk()).await {
                Ok(Ok(Some(chunk))) => self.left = chunk,
                Ok(Ok(None)) => self.end = Some(Ok(())),
                Ok(Err(error)) => self.end = Some(Err(fault::of_body(error))),
                Err(_) => self.end = Some(Err(Fault::TimedOut)),
            }
        }
        let bytes = self.left.len().min(usize::try_from(max).unwrap_or(usize::MAX));
        Ok(self.left.split_to(bytes))
    }

    /// Whether the next read waits for the network.
    pub(crate) fn is_drained(&self) -> bool {
        self.left.is_empty() && self.end.is_none()
    }
}
