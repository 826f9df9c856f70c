//! The new content, as text or as bytes, and what git calls it.

use assay_envelope::{Arguments, Refusal};
use assay_forge::{
    ObjectFormat, ObjectId, base64,
    object::{Hasher, Kind},
};

use crate::arguments::invalid;

/// Bytes of a content.
const CONTENT_BYTES: usize = 8 << 20;

#[derive(Debug)]
pub(super) struct Content {
    bytes: Vec<u8>,
    sha1: ObjectId,
    sha256: ObjectId,
}

impl Content {
    /// Takes exactly one of `text` and `content_base64`. A text that looks like base64 is a text (K-41).
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self, Refusal> {
        let text = arguments.optional_text("text", (0, CONTENT_BYTES))?;
        let encoded = arguments.optional_text("content_base64", (0, CONTENT_BYTES / 3 * 4 + 4))?;
        let bytes = match (text, encoded) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(encoded)) => base64::decode_canonical(&encoded).ok_or_else(|| {
                invalid("`content_base64` must be canonical base64: the standard alphabet, padded, no white space")
            })?,
            _ => return Err(invalid("give exactly one of `text` and `content_base64`")),
        };
        if bytes.len() > CONTENT_BYTES {
            return Err(invalid(format!("`content_base64` has more than {CONTENT_BYTES} bytes once decoded")));
        }
        let id = |format| {
            let mut hasher = Hasher::new(format, Kind::Blob, bytes.len() as u64);
            hasher.update(&bytes);
            hasher.finish().map_err(|_| invalid("the content was made to collide with another one: git does not take it"))
        };
        let (sha1, sha256) = (id(ObjectFormat::Sha1)?, id(ObjectFormat::Sha256)?);
        Ok(Self { bytes, sha1, sha256 })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The id of the blob with this content.
    pub(super) const fn id(&self, format: ObjectFormat) -> ObjectId {
        match format {
            ObjectFormat::Sha1 => self.sha1,
            ObjectFormat::Sha256 => self.sha256,
        }
    }
}
