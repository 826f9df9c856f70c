//! A file's entry in the listing of its directory, found as the listing streams by (F-057).

use std::{fmt, io::Read};

use serde::{
    Deserialize, Deserializer as _,
    de::{SeqAccess, Visitor},
};

use super::{Fault, Listed, What, shown};
use crate::{
    ObjectId, RepoPath,
    lenient::{Lenient, Scalar},
};

/// Reads the forge's listing of a directory to its end and checks that the file `path` stands in it once, as a regular
/// file, with this object and this size. Of the listing one entry is held at a time.
///
/// # Errors
/// [`Fault::NotListed`] naming the first difference, [`Fault::Malformed`] where it is no listing.
pub fn check_listed(json: impl Read, path: &RepoPath, blob: ObjectId, size: u64) -> Result<(), Fault> {
    let wanted = shown(path.as_bytes());
    let mut json = serde_json::Deserializer::from_reader(json);
    let found = json.deserialize_seq(At(&wanted)).and_then(|found| json.end().map(|()| found));
    let mut found = found.map_err(|_| Fault::Malformed(What::Directory))?.into_iter();
    let (Some(entry), None) = (found.next(), found.next()) else { return Err(Fault::NotListed(Listed::Path)) };
    let same = [
        (Listed::Kind, entry.kind.is_text("file")),
        (Listed::Blob, entry.sha.is_text(&blob.to_string())),
        (Listed::Size, entry.size == Scalar::Integer(size)),
    ];
    same.into_iter().find(|(_, same)| !same).map_or(Ok(()), |(what, _)| Err(Fault::NotListed(what)))
}

/// Takes the entries of one path, two at the most, out of a list of any length.
struct At<'a>(&'a str);

impl<'de> Visitor<'de> for At<'_> {
    type Value = Vec<Entry>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<Entry>, A::Error> {
        let mut found = Vec::new();
        while let Some(entry) = entries.next_element::<Lenient<Entry>>()? {
            let here = entry.into_object().filter(|entry| entry.path.is_text(self.0));
            found.extend(here.filter(|_| found.len() < 2));
        }
        Ok(found)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    path: Scalar,
    #[serde(rename = "type")]
    kind: Scalar,
    sha: Scalar,
    size: Scalar,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOB: &str = "ce013625030ba8dba906f756967f9e9ca394464a";

    fn check(json: &str) -> Result<(), Fault> {
        let path = RepoPath::new("d/a").expect("a path");
        check_listed(json.as_bytes(), &path, ObjectId::from_hex(BLOB).expect("an id"), 6)
    }

    /// F-057: the exact path, a regular file, the same object, the same size.
    #[test]
    fn every_value_counts() {
        let one =
            format!(r#"{{"path":"d/a","type":"file","sha":"{BLOB}","size":6,"content":null,"_links":{{"git":null}}}}"#);
        assert_eq!(check(&format!(r#"[{{"path":"d/b","type":"dir","size":0}},{one},7]"#)), Ok(()));
        for (from, to, what) in [
            ("d/a", "d/A", Listed::Path),
            ("d/a", "a", Listed::Path),
            ("\"file\"", "\"symlink\"", Listed::Kind),
            ("\"file\"", "null", Listed::Kind),
            (BLOB, "ce013625030ba8dba906f756967f9e9ca394464b", Listed::Blob),
            ("6,", "7,", Listed::Size),
            ("6,", "\"6\",", Listed::Size),
        ] {
            assert_eq!(check(&format!("[{}]", one.replacen(from, to, 1))), Err(Fault::NotListed(what)), "{to}");
        }
        assert_eq!(check("[]"), Err(Fault::NotListed(Listed::Path)));
        assert_eq!(check(&format!("[{one},{one}]")), Err(Fault::NotListed(Listed::Path)));
        for broken in [one.clone(), format!("[{one}"), format!("[{one}] x"), "null".to_owned(), String::new()] {
            assert_eq!(check(&broken), Err(Fault::Malformed(What::Directory)), "{broken}");
        }
    }
}
