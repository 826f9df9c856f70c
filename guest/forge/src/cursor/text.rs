//! A cursor as text: its JSON and a checksum of it, in one spelling (D-060).

use base64_simd::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use super::{CURSOR_BYTES, Fault, VERSION};

const CHECKSUM_BYTES: usize = 16;

pub(super) fn encode(cursor: &impl Serialize) -> String {
    let payload = serde_json::to_vec(cursor).expect("strings and numbers");
    let mut text = URL_SAFE_NO_PAD.encode_to_string(&payload);
    text.push('.');
    text.push_str(&checksum(&payload));
    text
}

/// Reads the spelling that [`encode`] gives, of a cursor of this `kind`; one over a diff has none.
pub(super) fn decode<T: Serialize + DeserializeOwned>(text: &str, kind: Option<&str>) -> Result<T, Fault> {
    let (encoded, sum) = Some(text)
        .filter(|text| text.len() <= CURSOR_BYTES)
        .and_then(|text| text.split_once('.'))
        .ok_or(Fault::Damaged)?;
    let payload = URL_SAFE_NO_PAD.decode_to_vec(encoded).map_err(|_| Fault::Damaged)?;
    if checksum(&payload) != sum {
        return Err(Fault::Damaged);
    }
    let written: Written = serde_json::from_slice(&payload).map_err(|_| Fault::Damaged)?;
    if written.version != VERSION {
        return Err(Fault::Version);
    }
    if written.kind.as_deref() != kind {
        return Err(Fault::Call("tool"));
    }
    let cursor: T = serde_json::from_slice(&payload).map_err(|_| Fault::Damaged)?;
    if encode(&cursor) == text { Ok(cursor) } else { Err(Fault::Damaged) }
}

/// What tells a cursor's form.
#[derive(Deserialize)]
struct Written {
    #[serde(rename = "v")]
    version: u64,
    kind: Option<String>,
}

pub(super) fn checksum(payload: &[u8]) -> String {
    let sum = <[u8; 32]>::from(Sha256::digest(payload));
    let (sum, _) = sum.split_at(CHECKSUM_BYTES);
    URL_SAFE_NO_PAD.encode_to_string(sum)
}
