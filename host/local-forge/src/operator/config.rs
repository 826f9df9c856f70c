//! What to serve, where, and from which state folder; nothing here touches the disk but for naming a path.

use std::{
    collections::HashSet,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use crate::{Accounts, Error, Stock};

/// The longest owner or repository name, in bytes.
const MAX_NAME: usize = 100;

/// All that [`start`](crate::start) wants to know.
#[derive(Debug)]
pub struct Config {
    /// What is served. Two sources of one name are told apart by a number: `name`, `name-2`.
    pub repositories: Vec<Source>,
    /// A loopback address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where the copies and the pull request numbers live.
    pub state: State,
    /// Whether `evidence=v1` is understood (D-033). Without it the forge is a stock one, which ignores that.
    pub native_evidence: bool,
    /// Who may read what.
    pub accounts: Accounts,
    /// In what it is to differ from the forge that was recorded.
    pub stock: Stock,
}

impl Config {
    /// Serves `repositories` publicly on a free port of 127.0.0.1, with native evidence and a temporary state folder.
    pub fn serving(repositories: Vec<Source>) -> Self {
        Self {
            repositories,
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            state: State::Temporary,
            native_evidence: true,
            accounts: Accounts::public(),
            stock: Stock::default(),
        }
    }
}

/// Where the forge keeps what is its own.
#[derive(Debug, Clone)]
pub enum State {
    /// A temporary folder that goes with the forge; pull requests are numbered anew each time.
    Temporary,
    /// This folder, made when missing and held by one forge at a time. It remembers pull request numbers.
    Folder(PathBuf),
}

/// One repository to serve.
#[derive(Debug, Clone)]
pub struct Source {
    /// A clone, a linked worktree or a bare repository.
    pub path: PathBuf,
    /// The account that owns it on the forge.
    pub owner: String,
    /// Its name on the forge.
    pub name: String,
    /// Whether it is hidden from callers who were not given it.
    pub private: bool,
}

impl Source {
    /// A public repository of the owner `local`, named after its folder (without `.git`).
    pub fn from_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let name = name_of(&path);
        Self { path, owner: "local".to_owned(), name, private: false }
    }
}

/// The sources with checked names, no two of which are the same to a forge (names are compared without case).
pub(crate) fn named_apart(sources: Vec<Source>) -> Result<Vec<Source>, Error> {
    let mut taken = HashSet::new();
    let mut named = Vec::with_capacity(sources.len());
    for mut source in sources {
        check(&source.owner)?;
        check(&source.name)?;
        let plain = source.name.clone();
        let mut number = 2_u32;
        while !taken.insert(format!("{}/{}", source.owner, source.name).to_ascii_lowercase()) {
            source.name = format!("{plain}-{number}");
            number += 1;
        }
        named.push(source);
    }
    Ok(named)
}

pub(crate) fn check(name: &str) -> Result<(), Error> {
    let spelled = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if !spelled || name.is_empty() || name.len() > MAX_NAME || name == "." || name == ".." {
        return Err(Error::Name(name.chars().take(MAX_NAME).collect()));
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let last = |p: &Path| p.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut name = last(&whole);
    if name == ".git" {
        name = whole.parent().map(last).unwrap_or_default();
    }
    let name = name.strip_suffix(".git").unwrap_or(&name);
    let spelled: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
        .take(MAX_NAME)
        .collect();
    if spelled.chars().all(|c| matches!(c, '.' | '-')) { "repository".to_owned() } else { spelled }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_names_its_repository() {
        for (path, name) in [
            ("/no/such/proj", "proj"),
            ("/no/such/proj.git", "proj"),
            ("/no/such/proj/.git", "proj"),
            ("/no/such/two words", "two-words"),
            ("/", "repository"),
            ("/no/such/...", "repository"),
        ] {
            assert_eq!(Source::from_path(path).name, name, "{path}");
        }
    }

    #[test]
    fn equal_names_are_told_apart_without_regard_to_case() {
        let sources = ["/a/proj", "/b/PROJ", "/c/proj-2", "/d/proj"].map(Source::from_path);
        let named = named_apart(sources.into()).expect("these are names");
        let names: Vec<_> = named.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["proj", "PROJ-2", "proj-2-2", "proj-3"]);
    }

    #[test]
    fn names_that_could_leave_their_segment_are_refused() {
        for name in ["", ".", "..", "a/b", "a b", "a\nb", "ä", &"x".repeat(101)] {
            let source = Source { name: name.to_owned(), ..Source::from_path("/x") };
            assert!(matches!(named_apart(vec![source]), Err(Error::Name(_))), "{name:?}");
        }
    }
}
