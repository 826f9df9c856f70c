//! The machine that an entity goes through: framing, strict JSON, base64, count and hash, identity.
//!
//! What can be seen to be wrong early is refused early: bytes beyond the announced length, a foreign identity before the
//! data, a length that cannot hold the stated diff. What is right is believed at the very end alone.

use sha2::{Digest as _, Sha256};

use super::{Fault, MANIFEST_BYTES, Manifest, wire};
use crate::{
    Error, Index, Sink, Verified, base64,
    json::{Members, Reader, Take},
};

/// Bytes of the schema's name as JSON, room for any spelling of it included.
const SCHEMA_BYTES: usize = 256;
/// Bytes that may follow the data when it is the last member: a quote, a brace, and white space as a writer may leave it.
const CLOSING_BYTES: u64 = 1_024;
/// The quote and the brace.
const LEAST_CLOSING_BYTES: u64 = 2;

/// A diff and what its forge states about it.
#[derive(Debug)]
pub struct Evidence<T> {
    /// The forge's statement, of this very answer (D-030).
    pub manifest: Manifest,
    /// What the sink made of the diff.
    pub output: T,
}

/// Verifies one entity. Its memory is the manifest (32 KiB at the most) and fixed buffers, whatever comes (D-061).
#[derive(Debug)]
pub struct Verifier<S> {
    left: u64,
    reader: Reader,
    entity: Entity<S>,
    failed: Option<Error>,
}

impl<S: Sink> Verifier<S> {
    /// Expects evidence about pull request `expected_index` in exactly `content_length` bytes; the diff goes to `sink`.
    #[must_use]
    pub fn new(expected_index: Index, content_length: u64, sink: S) -> Self {
        Self {
            left: content_length,
            reader: Reader::new(wire::DEPTH),
            entity: Entity::new(expected_index, content_length, sink),
            failed: None,
        }
    }

    /// Takes the next bytes, split anywhere (D-078).
    ///
    /// # Errors
    /// What is wrong with the entity, as soon as it shows; from then on every call says the same.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.take(bytes).inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// The entity is over.
    ///
    /// # Errors
    /// What is wrong with the entity; only if nothing is, what the sink has against the diff (S-008).
    pub fn finish(self) -> Result<Verified<Evidence<S::Output>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if self.left > 0 {
            return Err(Fault::Short.into());
        }
        self.reader.finish()?;
        let (manifest, sink) = self.entity.judge()?;
        let output = sink.finish()?;
        Ok(Verified::seal(Evidence { manifest, output }))
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let left = self.left.checked_sub(bytes.len() as u64);
        // What was announced is read even if too much came: what it says may be a better reason to refuse.
        let announced = usize::try_from(self.left).unwrap_or(usize::MAX);
        self.reader.feed(bytes.get(..announced).unwrap_or(bytes), &mut self.entity)?;
        self.left = left.ok_or(Fault::Long)?;
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn allocated(&self) -> usize {
        let manifest = self.entity.manifest.as_ref().map_or(0, |manifest| manifest.raw().len());
        self.reader.allocated() + self.entity.decoder.allocated() + manifest
    }
}

/// What is known of the entity so far.
#[derive(Debug)]
struct Entity<S> {
    expected: Index,
    content_length: u64,
    member: Member,
    has_schema: bool,
    has_data: bool,
    manifest: Option<Manifest>,
    decoder: base64::Decoder,
    count: u64,
    hash: Sha256,
    sink: S,
}

/// The member that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Schema,
    Manifest,
    Data,
}

impl<S: Sink> Entity<S> {
    fn new(expected: Index, content_length: u64, sink: S) -> Self {
        Self {
            expected,
            content_length,
            member: Member::Schema,
            has_schema: false,
            has_data: false,
            manifest: None,
            decoder: base64::Decoder::new(),
            count: 0,
            hash: Sha256::new(),
            sink,
        }
    }

    /// All members have passed: is the diff the stated one (D-017)?
    fn judge(self) -> Result<(Manifest, S), Fault> {
        let manifest = self.manifest.filter(|_| self.has_schema && self.has_data).ok_or(Fault::MissingMember)?;
        if self.count != manifest.content_bytes() {
            return Err(Fault::Count);
        }
        if <[u8; 32]>::from(self.hash.finalize()) != manifest.content_sha256() {
            return Err(Fault::Hash);
        }
        Ok((manifest, self.sink))
    }

    /// D-035: whether the announced length can hold the stated diff from here on.
    fn judge_length(&self, manifest: &Manifest, position: u64) -> Result<(), Fault> {
        let data = manifest.content_bytes().div_ceil(3).saturating_mul(4);
        let closing = self.content_length.checked_sub(position).and_then(|left| left.checked_sub(data));
        let closing = closing.filter(|bytes| *bytes >= LEAST_CLOSING_BYTES).ok_or(Fault::Length)?;
        if self.has_schema && closing > CLOSING_BYTES { Err(Fault::Length) } else { Ok(()) }
    }
}

impl<S: Sink> Members for Entity<S> {
    fn member(&mut self, name: &str) -> Result<Take, Error> {
        let (member, take) = match name {
            wire::SCHEMA_MEMBER => (Member::Schema, Take::Capture { most: SCHEMA_BYTES }),
            wire::MANIFEST_MEMBER => (Member::Manifest, Take::Capture { most: MANIFEST_BYTES }),
            wire::DATA_MEMBER => (Member::Data, Take::Stream),
            _ => return Err(Fault::UnknownMember.into()),
        };
        self.member = member;
        Ok(take)
    }

    fn captured(&mut self, raw: String) -> Result<(), Error> {
        if self.member == Member::Manifest {
            self.manifest = Some(Manifest::judge(raw, self.expected)?);
            return Ok(());
        }
        let schema: Option<String> = serde_json::from_str(&raw).ok();
        if schema.as_deref() != Some(wire::SCHEMA) {
            return Err(Fault::Schema.into());
        }
        self.has_schema = true;
        Ok(())
    }

    fn stream_begins(&mut self, position: u64) -> Result<(), Error> {
        match &self.manifest {
            Some(manifest) => Ok(self.judge_length(manifest, position)?),
            None => Ok(()),
        }
    }

    fn streamed(&mut self, content: &[u8]) -> Result<(), Error> {
        let stated = self.manifest.as_ref().map(Manifest::content_bytes);
        let Self { decoder, count, hash, sink, .. } = self;
        decoder.push(content, |bytes| {
            *count += bytes.len() as u64;
            if stated.is_some_and(|stated| *count > stated) {
                return Err(Fault::Count);
            }
            hash.update(bytes);
            sink.push(bytes);
            Ok(())
        })?;
        Ok(())
    }

    fn stream_ends(&mut self) -> Result<(), Error> {
        self.decoder.finish().map_err(Fault::Base64)?;
        self.has_data = true;
        Ok(())
    }
}
