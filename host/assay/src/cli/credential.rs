//! The process's own credential: for one agent over standard input, and for the commands that ask a forge themselves.
//!
//! A secret stands in the environment or in a file of its own, never on the command line, where every user of the
//! machine would see it, and never in the file of settings, which people share.

use std::{
    env,
    ffi::OsString,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use clap::Args;

use super::{Failed, connection::Connected};
use crate::caller::Credential;

/// Bytes of a token file that are read at the most.
const TOKEN_FILE_BYTES: u64 = 16 * 1024;

/// Where the credential is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Credential")]
pub(crate) struct OwnCredential {
    /// A file that holds the forge token; where it is not given, the variable FORGEJO_TOKEN does.
    #[arg(long, env = "FORGEJO_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// For throw-away forges alone: a user, with FORGEJO_PASSWORD.
    #[arg(long, env = "FORGEJO_USER", value_name = "NAME", value_parser = super::settings::text)]
    user: Option<String>,
}

impl OwnCredential {
    /// The credential that the environment or the file gives; a local forge's own token where there is one.
    pub(crate) fn read(&self, connected: &Connected) -> Result<Credential, Failed> {
        match &connected.local {
            Some((_, token)) => Ok(Credential::token(token.clone())),
            None if connected.url.is_empty() => Ok(Credential::anonymous()),
            None => self.given(),
        }
    }

    /// The credential that the environment or the file gives.
    pub(crate) fn given(&self) -> Result<Credential, Failed> {
        self.find(&|name| env::var_os(name)).map_err(Failed::Configuration)
    }

    /// The file that holds the token, where one is named.
    pub(crate) fn token_file(&self) -> Option<&Path> {
        self.token_file.as_deref()
    }

    fn find(&self, variable: &dyn Fn(&str) -> Option<OsString>) -> anyhow::Result<Credential> {
        if let Some(file) = &self.token_file {
            let mut token = String::new();
            let opened = fs::File::open(file).and_then(|open| open.take(TOKEN_FILE_BYTES).read_to_string(&mut token));
            opened.with_context(|| format!("the token file {}", file.display()))?;
            return checked(token.trim_end_matches(['\r', '\n']).to_owned(), "the token file");
        }
        if let Some(token) = secret("FORGEJO_TOKEN", variable)? {
            return checked(token, "FORGEJO_TOKEN");
        }
        match (&self.user, secret("FORGEJO_PASSWORD", variable)?) {
            (Some(_), Some(password)) if password.is_empty() => bail!("FORGEJO_PASSWORD is empty"),
            (Some(user), Some(password)) => Ok(Credential::basic(user.clone(), password)),
            (Some(_), None) => bail!("FORGEJO_PASSWORD is not set, and FORGEJO_USER is"),
            (None, _) => bail!(
                "FORGEJO_TOKEN is not set: make a token with the scope read:repository in the forge's settings under Applications, and put it there or into a file for --token-file"
            ),
        }
    }
}

/// What a variable holds. Its own complaint would repeat the value.
fn secret(name: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> anyhow::Result<Option<String>> {
    match variable(name).map(OsString::into_string) {
        None => Ok(None),
        Some(Ok(value)) => Ok(Some(value)),
        Some(Err(_)) => bail!("{name} is not UTF-8"),
    }
}

/// A token that can stand in a header: what else it is, the forge decides.
fn checked(token: String, source: &str) -> anyhow::Result<Credential> {
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
        bail!("{source} is empty or holds a space or a character that no token has");
    }
    Ok(Credential::token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(user: Option<&str>, variables: &[(&str, &str)]) -> Result<String, String> {
        let own = OwnCredential { token_file: None, user: user.map(str::to_owned) };
        let variable = |name: &str| {
            variables.iter().find(|(own, _)| *own == name).map(|(_, value)| OsString::from(value.to_string()))
        };
        own.find(&variable).map(|found| format!("{found:?}")).map_err(|error| error.to_string())
    }

    /// G-016, G-017: every refusal names the variable, and none repeats its value.
    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(find(None, &[("FORGEJO_TOKEN", "abc")]), Ok("Credential(token)".to_owned()));
        let basic = [("FORGEJO_PASSWORD", "s3cret")];
        assert_eq!(find(Some("alice"), &basic), Ok("Credential(basic)".to_owned()));
        assert!(find(None, &[]).is_err_and(|error| error.starts_with("FORGEJO_TOKEN is not set")));
        assert!(find(Some("alice"), &[]).is_err_and(|error| error.starts_with("FORGEJO_PASSWORD is not set")));
        for empty in ["FORGEJO_TOKEN", "FORGEJO_PASSWORD"] {
            assert!(find(Some("alice"), &[(empty, "")]).is_err_and(|error| error.starts_with(empty)), "{empty}");
        }
        let odd = find(None, &[("FORGEJO_TOKEN", "s3cret word")]).expect_err("a token has no space");
        assert!(odd.starts_with("FORGEJO_TOKEN") && !odd.contains("s3cret"), "{odd}");
    }

    #[test]
    fn a_token_file_comes_first_and_loses_its_line_end() {
        let mut file = tempfile::NamedTempFile::new().expect("there is room");
        std::io::Write::write_all(&mut file, b"abc\r\n").expect("there is room");
        let own = OwnCredential { token_file: Some(file.path().to_owned()), user: None };
        assert!(own.find(&|_| Some("other one".into())).is_ok());
        let gone = OwnCredential { token_file: Some("/no/such/file".into()), user: None };
        assert!(gone.find(&|_| None).is_err_and(|error| format!("{error:#}").contains("/no/such/file")));
    }
}
