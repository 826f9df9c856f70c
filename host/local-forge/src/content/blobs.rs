//! `GET /git/blobs/{oid}`: the bytes of an object under the name that its content gives it.
//!
//! As on the recorded forge any object is given, a commit or a tree too: that is what lets a reader check a diff.

use http::StatusCode;
use serde::Serialize;

use crate::{
    Error,
    git::{
        objects::{self, Kind},
        run::Failure,
    },
    operator::{live::ObjectFault, stock::Flavour},
    serve::routes::One,
    wire::{
        answer::{Answer, json},
        base64_body::with_content,
    },
};

#[derive(Serialize)]
struct Blob<'a> {
    content: Option<&'static str>,
    encoding: Option<&'static str>,
    url: &'a str,
    sha: &'a str,
    size: u64,
}

impl One<'_> {
    /// `text` is what was asked for, an object's id if it is well formed.
    pub(crate) async fn blob(&self, text: &[u8]) -> Result<Answer, Error> {
        let wording = &self.forge.wording;
        let oid = match object_id(text, self.repository.format().digits()) {
            Ok(oid) => oid,
            Err(message) => return Ok(wording.refused(StatusCode::BAD_REQUEST, &message)),
        };
        let missing = || wording.refused(StatusCode::BAD_REQUEST, &missing(&oid));
        if let Some(fault) = self.forge.live.fault(&oid) {
            return Ok(match fault {
                ObjectFault::Missing => missing(),
                ObjectFault::NotFound => wording.not_found(),
                ObjectFault::Broken => wording.broken(),
            });
        }
        let opened = objects::open(&self.forge.git, self.repository.dir(), oid.as_bytes()).await?;
        let Some((found, content)) = opened else { return Ok(missing()) };
        let stock = &self.forge.stock;
        if found.kind == Kind::Tree && stock.refuse_trees_as_blobs {
            return Ok(wording.not_found());
        }
        let url = format!("{}/git/blobs/{}", self.api(), found.oid);
        let fits = found.size <= stock.max_blob_size;
        let (empty, base64) =
            if fits || stock.flavour == Flavour::Forgejo { (Some(""), Some("base64")) } else { (None, None) };
        let blob = Blob { content: empty, encoding: base64, url: &url, sha: &found.oid, size: found.size };
        if !fits {
            return Ok(json(StatusCode::OK, &blob));
        }
        let content = content.flipping(self.forge.live.next_flip(&found.oid));
        Ok(with_content(&blob, content).await.map_err(Failure::from)?)
    }
}

/// What the recorded forge says of an object that it does not have.
pub(crate) fn missing(oid: &str) -> String {
    format!("object does not exist [id: {oid}, rel_path: ]")
}

/// The id in lower case, or what Go says of a text that is none.
fn object_id(text: &[u8], digits: usize) -> Result<String, String> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    if text.len() != digits {
        return Err(format!("Length must be {digits}: {text}"));
    }
    match text.bytes().find(|b| !b.is_ascii_hexdigit()) {
        None => Ok(text.to_ascii_lowercase()),
        Some(b) if b.is_ascii_graphic() => {
            Err(format!("encoding/hex: invalid byte: U+{b:04X} '{}'", char::from(b).escape_default()))
        }
        Some(b) => Err(format!("encoding/hex: invalid byte: U+{b:04X}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are those of recordings 194 and of Go's own decoder.
    #[test]
    fn what_is_no_id_is_refused_in_gos_words() {
        let id = |text: &str| object_id(text.as_bytes(), 40);
        assert_eq!(id("abcd"), Err("Length must be 40: abcd".into()));
        assert_eq!(id(&"E".repeat(40)), Ok("e".repeat(40)));
        assert_eq!(id(&"g".repeat(40)), Err("encoding/hex: invalid byte: U+0067 'g'".into()));
        assert_eq!(id(""), Err("Length must be 40: ".into()));
        assert!(object_id(&[0xff; 40], 40).is_err());
    }
}
