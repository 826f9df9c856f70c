//! Where a forge says that a repository is now (G-053a).
//!
//! Released forges build `Location` wrongly at times, and whoever writes it chooses where a credential would go. So only
//! one thing is taken from it: another owner and another name, on this very origin, in front of the very same route. The
//! query is dropped, and ours kept.

use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::address::Address;

/// The asked path with the owner and the name that `location` says, where it says nothing else.
pub(super) fn renamed(address: &Address, from: &Url, asked: &[Vec<u8>], location: &[u8]) -> Option<Vec<Vec<u8>>> {
    let location = std::str::from_utf8(location).ok()?;
    let to = from.join(location).ok()?;
    let same_origin = to.origin() == from.origin() && to.username().is_empty() && to.password().is_none();
    if !same_origin || to.fragment().is_some() {
        return None;
    }
    let below = to.path().strip_prefix(address.root_path())?.strip_prefix('/')?;
    let told: Vec<Vec<u8>> = below.split('/').map(|segment| percent_decode_str(segment).collect()).collect();
    let ([repos, owner, name, rest @ ..], [_, _, _, wanted @ ..]) = (told.as_slice(), asked) else { return None };
    let same_route = repos == b"repos" && asked.first() == told.first() && rest == wanted;
    let moved = (owner, name) != (asked.get(1)?, asked.get(2)?);
    (same_route && moved && !owner.is_empty() && !name.is_empty()).then_some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(location: &str) -> Option<String> {
        let address = Address::parse("https://forge.example/git").expect("an address");
        let from = Url::parse(&address.below("/repos/old/proj/pulls/7", "binary=true")).expect("a URL");
        let asked: Vec<Vec<u8>> = ["repos", "old", "proj", "pulls", "7"].map(|s| s.as_bytes().to_vec()).into();
        let told = renamed(&address, &from, &asked, location.as_bytes())?;
        Some(told.iter().map(|s| String::from_utf8_lossy(s).into_owned()).collect::<Vec<_>>().join("/"))
    }

    /// G-053a: the same route with another owner or name, whatever the query says.
    #[test]
    fn another_name_is_taken() {
        for (location, path) in [
            ("/git/api/v1/repos/old/new/pulls/7", "repos/old/new/pulls/7"),
            ("/git/api/v1/repos/new/proj/pulls/7?binary=a/c", "repos/new/proj/pulls/7"),
            ("https://forge.example/git/api/v1/repos/n%20w/new/pulls/7", "repos/n w/new/pulls/7"),
            ("https://forge.example:443/git/api/v1/repos/new/new/pulls/7", "repos/new/new/pulls/7"),
            ("../../new/pulls/7", "repos/old/new/pulls/7"),
        ] {
            assert_eq!(told(location).as_deref(), Some(path), "{location}");
        }
    }

    /// G-051, G-052, G-053a: everything else is not.
    #[test]
    fn nothing_else_is() {
        for location in [
            "",
            "/alicepi/v1/repos/a/proj",
            "http://forge.example/git/api/v1/repos/old/new/pulls/7",
            "https://forge.example:444/git/api/v1/repos/old/new/pulls/7",
            "https://evil.example/git/api/v1/repos/old/new/pulls/7",
            "//evil.example/git/api/v1/repos/old/new/pulls/7",
            "https://u:p@forge.example/git/api/v1/repos/old/new/pulls/7",
            "/git/api/v1/repos/old/new/pulls/8",
            "/git/api/v1/repos/old/new/pulls/7/",
            "/git/api/v1/repos/old/new/pulls",
            "/git/api/v1/repos/old/proj/pulls/7",
            "/git/api/v1/repos/old%2Fx/new/y/pulls/7",
            "/git/api/v1/users/old/tokens/pulls/7",
            "/git/api/v1/repos//new/pulls/7",
            "/api/v1/repos/old/new/pulls/7",
            "/git/api/v1/repos/old/new/pulls/7#x",
            "\u{0}",
        ] {
            assert_eq!(told(location), None, "{location}");
        }
    }
}
