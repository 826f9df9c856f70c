//! Which suites there are, and what admits one: its variables, and a forge on this machine.

use std::net::IpAddr;

/// A suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suite {
    /// One agent over standard input and output.
    Mcp,
    /// Many over HTTP.
    Remote,
}

/// What a suite was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    pub(crate) url: String,
    pub(crate) owner: String,
    pub(crate) repo: String,
    /// Variables that hold the credential, as the program takes them.
    pub(crate) credential: Vec<(&'static str, String)>,
}

/// Whether it may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Admitted(Admitted),
    /// These variables are not there.
    Missing(Vec<&'static str>),
    /// It must not run there: why.
    Refused(&'static str),
}

impl Suite {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Remote => "remote",
        }
    }

    pub(crate) fn admit(self, variable: &dyn Fn(&str) -> Option<String>) -> Admission {
        let given = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut missing: Vec<_> =
            ["FORGEJO_URL", "E2E_OWNER", "E2E_REPO"].into_iter().filter(|name| given(name).is_none()).collect();
        let credential: Vec<(&'static str, String)> = match self {
            Self::Remote => given("REMOTE_E2E_TOKEN").map(|token| ("FORGEJO_TOKEN", token)).into_iter().collect(),
            Self::Mcp => match (given("FORGEJO_TOKEN"), given("FORGEJO_USER"), given("FORGEJO_PASSWORD")) {
                (Some(token), ..) => vec![("FORGEJO_TOKEN", token)],
                (None, Some(user), Some(password)) => vec![("FORGEJO_USER", user), ("FORGEJO_PASSWORD", password)],
                _ => Vec::new(),
            },
        };
        if credential.is_empty() {
            missing.push(if self == Self::Remote { "REMOTE_E2E_TOKEN" } else { "FORGEJO_TOKEN" });
        }
        let (Some(url), Some(owner), Some(repo)) = (given("FORGEJO_URL"), given("E2E_OWNER"), given("E2E_REPO")) else {
            return Admission::Missing(missing);
        };
        if !missing.is_empty() {
            return Admission::Missing(missing);
        }
        if !is_loopback(&url) {
            return Admission::Refused("FORGEJO_URL is not on the loopback: an isolated forge is the only target");
        }
        Admission::Admitted(Admitted { url, owner, repo, credential })
    }
}

fn is_loopback(url: &str) -> bool {
    let Ok(url) = url.parse::<reqwest::Url>() else { return false };
    let host = url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(suite: Suite, variables: &[(&str, &str)]) -> Admission {
        suite.admit(&|name| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()))
    }

    /// T-060, T-061, T-071: every missing variable is named, and nothing is looked up that may not be there.
    #[test]
    fn what_is_missing_is_named() {
        let all = ["FORGEJO_URL", "E2E_OWNER", "E2E_REPO"];
        let with = |last: &'static str| Admission::Missing(all.into_iter().chain([last]).collect());
        assert_eq!(admit(Suite::Mcp, &[]), with("FORGEJO_TOKEN"));
        assert_eq!(admit(Suite::Remote, &[("FORGEJO_TOKEN", "t")]), with("REMOTE_E2E_TOKEN"));
        let here = [("FORGEJO_URL", "http://127.0.0.1:1"), ("E2E_OWNER", "o"), ("E2E_REPO", "")];
        assert_eq!(admit(Suite::Mcp, &here), Admission::Missing(vec!["E2E_REPO", "FORGEJO_TOKEN"]));
    }

    /// T-072: a forge elsewhere is never a target.
    #[test]
    fn only_the_loopback_is_a_target() {
        let on = |url: &'static str| {
            admit(Suite::Mcp, &[("FORGEJO_URL", url), ("E2E_OWNER", "o"), ("E2E_REPO", "r"), ("FORGEJO_TOKEN", "t")])
        };
        for here in ["http://127.0.0.1:3000", "http://[::1]:3000/git", "https://localhost"] {
            assert!(matches!(on(here), Admission::Admitted(_)), "{here}");
        }
        for elsewhere in ["https://forge.example", "http://127.0.0.1.example.org", "http://10.0.0.1", "nonsense"] {
            assert!(matches!(on(elsewhere), Admission::Refused(_)), "{elsewhere}");
        }
    }
}
