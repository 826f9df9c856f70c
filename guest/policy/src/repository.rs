//! Which repository a route is about, and how a repository is named in a setting.

use std::{fmt, str::FromStr};

/// Bytes of an owner's or a repository's name.
const NAME_BYTES: usize = 255;

/// `owner/name`, compared without regard to letter case, as a forge does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryName(String);

/// A text that names no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a repository is named `owner/name`")]
pub struct NoRepositoryName;

impl RepositoryName {
    /// Two raw segments of a path.
    ///
    /// # Errors
    /// Where one of them cannot be a name.
    pub fn from_segments(owner: &[u8], name: &[u8]) -> Result<Self, NoRepositoryName> {
        let sound = |segment: &[u8]| {
            (1..=NAME_BYTES).contains(&segment.len())
                && !matches!(segment, b"." | b"..")
                && !segment.iter().any(|b| *b == b'/' || b.is_ascii_control())
        };
        let text = |segment| std::str::from_utf8(segment).map_err(|_| NoRepositoryName);
        if !sound(owner) || !sound(name) {
            return Err(NoRepositoryName);
        }
        Ok(Self(format!("{}/{}", text(owner)?, text(name)?).to_ascii_lowercase()))
    }

    /// Owner and name as path segments, in lower case.
    #[must_use]
    pub fn segments(&self) -> (&str, &str) {
        self.0.split_once('/').unwrap_or_default()
    }
}

impl FromStr for RepositoryName {
    type Err = NoRepositoryName;

    fn from_str(text: &str) -> Result<Self, NoRepositoryName> {
        let (owner, name) = text.trim().split_once('/').ok_or(NoRepositoryName)?;
        Self::from_segments(owner.as_bytes(), name.as_bytes())
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a route says about the repository that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// This one.
    Repository(RepositoryName),
    /// None, or none that the path names.
    Other,
}

/// The repository that a route below the API root names. Segments are raw.
#[must_use]
pub fn about<S: AsRef<[u8]>>(segments: &[S]) -> About {
    let mut segments = segments.iter().map(AsRef::as_ref);
    // The forge's router compares `repos` exactly; whatever else it may take, it is not let through as a repository.
    match (segments.next(), segments.next(), segments.next()) {
        (Some(b"repos"), Some(owner), Some(name)) => {
            RepositoryName::from_segments(owner, name).map_or(About::Other, About::Repository)
        }
        _ => About::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_case_and_two_parts() {
        let name: RepositoryName = " Team/Proj.git ".parse().expect("a name");
        assert_eq!((name.to_string(), name.segments()), ("team/proj.git".to_owned(), ("team", "proj.git")));
        for bad in ["", "team", "team/", "/proj", "a/b/c", "a/..", "a/b\u{7}c", "./b"] {
            assert!(bad.parse::<RepositoryName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_route_names_its_repository() {
        let about = |path: &str| about(&path.split('/').collect::<Vec<_>>());
        let team = About::Repository("team/proj".parse().expect("a name"));
        assert_eq!(about("repos/Team/PROJ"), team);
        assert_eq!(about("repos/team/proj/pulls/7"), team);
        for other in
            ["repos/search", "user/repos", "repositories/7", "Repos/team/proj", "users/team", "orgs/team/repos"]
        {
            assert_eq!(about(other), About::Other, "{other}");
        }
    }
}
