//! Which routes there are, what of a path belongs to each, and what can be done there.

use crate::operator::accounts::Area;

/// A route below `/api/v1`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Route<'a> {
    Version,
    Settings,
    User,
    OwnRepositories,
    Users(&'a [u8]),
    RepositoriesOf(&'a [u8]),
    Search,
    Of { owner: &'a [u8], name: &'a [u8], what: What },
}

/// A route below one repository.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    Repository,
    Pulls,
    Pull(Vec<u8>),
    Diff(Vec<u8>),
    PullCommits(Vec<u8>),
    Files(Vec<u8>),
    Commits,
    Branches,
    Branch(Vec<u8>),
    Refs(Vec<u8>),
    Commit(Vec<u8>),
    Blob(Vec<u8>),
    Tree(Vec<u8>),
    /// Also under `/media`, which differs for objects of a large file storage alone; there is none here.
    Raw(Vec<u8>),
    Contents(Vec<u8>),
    Tags,
    Tag(Vec<u8>),
    /// A tag object.
    GitTag(Vec<u8>),
    Issues,
    Issue(Vec<u8>),
    Comments(Vec<u8>),
    Labels,
    /// Whether it was merged, or merging it.
    Merge(Vec<u8>),
    Reviews(Vec<u8>),
    Review(Vec<u8>, Vec<u8>),
    ReviewComments(Vec<u8>, Vec<u8>),
    Releases,
    /// By its row id, or `latest`.
    Release(Vec<u8>),
    ReleaseOfTag(Vec<u8>),
}

impl<'a> Route<'a> {
    /// The route that the segments of a path name.
    pub(crate) fn find(segments: &'a [Vec<u8>]) -> Option<Self> {
        let segments: Vec<&[u8]> = segments.iter().map(|segment| &segment[..]).collect();
        let [b"api", b"v1", rest @ ..] = &segments[..] else { return None };
        match rest {
            [b"version"] => Some(Self::Version),
            [b"settings", b"api"] => Some(Self::Settings),
            [b"user"] => Some(Self::User),
            [b"user", b"repos"] => Some(Self::OwnRepositories),
            [b"users", login, b"repos"] => Some(Self::RepositoriesOf(login)),
            [b"repos", b"search"] => Some(Self::Search),
            [b"users", login] => Some(Self::Users(login)),
            [b"repos", owner, name, rest @ ..] => Some(Self::Of { owner, name, what: What::find(rest)? }),
            _ => None,
        }
    }

    /// What can be done there, as `Allow` says it.
    pub(crate) fn methods(&self) -> &'static str {
        if let Self::Of { what, .. } = self { what.methods() } else { "GET" }
    }
}

impl What {
    fn methods(&self) -> &'static str {
        match self {
            Self::Issues | Self::Comments(_) | Self::Labels | Self::Releases => "GET, POST",
            Self::Pulls | Self::Merge(_) | Self::Reviews(_) => "GET, POST",
            Self::Contents(_) => "GET, POST, PUT",
            Self::Issue(_) | Self::Pull(_) => "GET, PATCH",
            _ => "GET",
        }
    }

    /// The scope that it is under.
    pub(crate) fn area(&self) -> Area {
        match self {
            Self::Issues | Self::Issue(_) | Self::Comments(_) | Self::Labels => Area::Issue,
            _ => Area::Repository,
        }
    }

    fn find(rest: &[&[u8]]) -> Option<Self> {
        Some(match rest {
            [] => Self::Repository,
            [b"pulls"] => Self::Pulls,
            [b"pulls", index] => match index.strip_suffix(b".diff") {
                Some(index) => Self::Diff(index.to_vec()),
                None if index.ends_with(b".patch") => return None,
                None => Self::Pull(index.to_vec()),
            },
            [b"branches"] => Self::Branches,
            [b"branches", name @ ..] => Self::Branch(name.join(&b'/')),
            [b"git", b"refs", prefix @ ..] => Self::Refs(prefix.join(&b'/')),
            [b"pulls", index, b"commits"] => Self::PullCommits(index.to_vec()),
            [b"pulls", index, b"files"] => Self::Files(index.to_vec()),
            [b"pulls", index, b"merge"] => Self::Merge(index.to_vec()),
            [b"pulls", index, b"reviews"] => Self::Reviews(index.to_vec()),
            [b"pulls", index, b"reviews", id] => Self::Review(index.to_vec(), id.to_vec()),
            [b"pulls", index, b"reviews", id, b"comments"] => Self::ReviewComments(index.to_vec(), id.to_vec()),
            [b"commits"] => Self::Commits,
            [b"git", b"commits", name] if !name.ends_with(b".diff") && !name.ends_with(b".patch") => {
                Self::Commit(name.to_vec())
            }
            [b"issues"] => Self::Issues,
            [b"issues", index] => Self::Issue(index.to_vec()),
            [b"issues", index, b"comments"] => Self::Comments(index.to_vec()),
            [b"labels"] => Self::Labels,
            [b"releases"] => Self::Releases,
            [b"releases", b"tags", tag @ ..] => Self::ReleaseOfTag(tag.join(&b'/')),
            [b"releases", which] => Self::Release(which.to_vec()),
            [b"tags"] => Self::Tags,
            [b"tags", name @ ..] => Self::Tag(name.join(&b'/')),
            [b"git", b"tags", sha] => Self::GitTag(sha.to_vec()),
            [b"contents", path @ ..] => Self::Contents(path.join(&b'/')),
            [b"git", b"blobs", oid] => Self::Blob(oid.to_vec()),
            [b"git", b"trees", name] => Self::Tree(name.to_vec()),
            [b"raw" | b"media", path @ ..] if !path.is_empty() => Self::Raw(path.join(&b'/')),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(path: &str) -> Option<String> {
        let segments: Vec<Vec<u8>> = path.split('/').map(|s| s.as_bytes().to_vec()).collect();
        Route::find(&segments).map(|route| match route {
            Route::Of { what, .. } => format!("{what:?}"),
            other => format!("{other:?}"),
        })
    }

    #[test]
    fn only_routes_are_routes() {
        let refs = What::Refs(b"pull/1/head".to_vec());
        assert_eq!(find("api/v1/repos/o/r/git/refs/pull/1/head"), Some(format!("{refs:?}")));
        assert_eq!(find("api/v1/repos/o/r/branches/a/b"), Some(format!("{:?}", What::Branch(b"a/b".to_vec()))));
        assert_eq!(find("api/v1/repos/o/r/pulls/7.diff"), Some(format!("{:?}", What::Diff(b"7".to_vec()))));
        assert_eq!(find("api/v1/version"), Some("Version".into()));
        for path in [
            "",
            "api",
            "api/v1",
            "api/v1/repos/o",
            "api/v1/nope",
            "api/v1/repos/o/r/pulls/7.patch",
            "version",
            "api/v1/repos/o/r/raw",
            "api/v1/repos/o/r/git/commits/a.diff",
        ] {
            assert_eq!(find(path), None, "{path}");
        }
    }
}
