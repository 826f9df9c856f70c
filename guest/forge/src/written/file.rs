//! A file as the forge says that it stored it.

use std::io::Read;

use serde::Deserialize;

use super::Fault;
use crate::{
    ObjectId,
    lenient::{Lenient, Object, Scalar},
};

/// A file that was written. The content in the answer is passed over: its id says which it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    /// Where it was put.
    pub path: Option<String>,
    /// Of the content that is there now.
    pub blob: Option<ObjectId>,
    /// The commit that was made.
    pub commit: Option<String>,
}

impl WrittenFile {
    /// Reads the forge's answer to its end.
    ///
    /// # Errors
    /// [`Fault::Malformed`] where it is not one whole JSON object.
    pub fn read(json: impl Read) -> Result<Self, Fault> {
        let Object(answer): Object<Answer> = serde_json::from_reader(json).map_err(|_| Fault::Malformed)?;
        let (content, commit) = (answer.content.unwrap_or_default(), answer.commit.unwrap_or_default());
        Ok(Self {
            path: content.path.text(),
            blob: content.sha.text().and_then(|sha| ObjectId::from_hex(&sha).ok()),
            commit: commit.sha.object_id(),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    content: Lenient<Content>,
    commit: Lenient<Commit>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Content {
    path: Scalar,
    sha: Scalar,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Commit {
    sha: Scalar,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_sound_is_absent() {
        let sha = "0a".repeat(20);
        let text = format!(
            r#"{{"content":{{"path":"a","sha":"{sha}","size":0,"content":"eA=="}},"commit":{{"sha":"{sha}"}}}}"#
        );
        let file = WrittenFile::read(text.as_bytes()).expect("a file");
        assert_eq!((file.path.as_deref(), file.commit), (Some("a"), Some(sha)));
        assert!(file.blob.is_some());
        let empty = WrittenFile { path: None, blob: None, commit: None };
        for text in ["{}", r#"{"content":null,"commit":[]}"#, r#"{"content":{"sha":"0A","size":-1,"path":7}}"#] {
            assert_eq!(WrittenFile::read(text.as_bytes()), Ok(empty.clone()), "{text}");
        }
        for text in ["", "[]", "{\"content\":{}", "{\"content\":{},\"content\":{}}"] {
            assert_eq!(WrittenFile::read(text.as_bytes()), Err(Fault::Malformed), "{text}");
        }
    }
}
