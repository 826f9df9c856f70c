//! What the URL says, without ever saying it again: a mistake in it is told by what is known to be no secret.

use std::{path::PathBuf, str::FromStr as _};

use percent_encoding::percent_decode_str;
use tokio_postgres::{Config, config::SslMode};

use crate::Fault;

/// A server and how it is reached.
pub(super) struct Place {
    /// Address, user, database.
    pub(super) config: Config,
    /// The authority that alone is trusted; nothing for the platform's.
    pub(super) root: Option<PathBuf>,
}

/// What is said of every URL that cannot be read. Where in it the mistake is would quote it.
const MALFORMED: &str = "the URL cannot be read; write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with everything \
     but letters, digits, `-`, `.`, `_` and `~` percent-encoded in each part, and only libpq's parameters behind `?`";

impl Place {
    /// By its URL. `sslmode` and `sslrootcert` are read here: `require`, `verify-ca` and `verify-full` all verify the
    /// server's certificate and its name, since a mode that does not would be open to whoever is between. Without
    /// `sslmode` there is no TLS.
    pub(super) fn of(url: &str) -> Result<Self, Fault> {
        // As the driver has it: whatever is before the first `@` is user and password.
        let host = url.find('@').unwrap_or_default();
        let query = url[host..].find('?').map_or(url.len(), |at| host + at);
        let (address, query) = (&url[..query], url[query..].trim_start_matches('?'));
        let (mut mode, mut root, mut others) = (SslMode::Disable, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", value)) => mode = ssl_mode(value)?,
                Some(("sslrootcert", value)) => {
                    let path = percent_decode_str(value).decode_utf8().map_err(|_| malformed())?;
                    root = (path != "system").then(|| PathBuf::from(path.into_owned()));
                }
                Some(_) => others.push(parameter),
                None => return Err(malformed()),
            }
        }
        // Of a password with one in it the driver would take the rest for a host.
        if address.matches('@').count() > 1 {
            return Err(malformed());
        }
        let rest = format!("{address}?{}", others.join("&"));
        let mut config = Config::from_str(rest.trim_end_matches('?')).map_err(|_| malformed())?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("localhost");
        }
        config.ssl_mode(mode);
        if config.get_application_name().is_none() {
            config.application_name("assay");
        }
        Ok(Self { config, root })
    }
}

fn ssl_mode(value: &str) -> Result<SslMode, Fault> {
    match value {
        "disable" => Ok(SslMode::Disable),
        "prefer" => Ok(SslMode::Prefer),
        "require" | "verify-ca" | "verify-full" => Ok(SslMode::Require),
        _ => Err(Fault::Location("sslmode must be disable, prefer, require, verify-ca or verify-full".to_owned())),
    }
}

fn malformed() -> Fault {
    Fault::Location(MALFORMED.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> Place {
        Place::of(url).unwrap_or_else(|fault| panic!("{url}: {fault}"))
    }

    #[test]
    fn tls_is_used_where_the_url_asks_for_it() {
        for (url, mode) in [
            ("postgres://u:p@db/a", SslMode::Disable),
            ("postgres://u:p@db/a?sslmode=disable", SslMode::Disable),
            ("postgres://u:p@db/a?sslmode=prefer&connect_timeout=3", SslMode::Prefer),
            ("postgres://u:p@db/a?connect_timeout=3&sslmode=require", SslMode::Require),
            ("postgres://u:p@db/a?sslmode=verify-ca", SslMode::Require),
            ("postgresql://u:p@db/a?sslmode=verify-full&sslrootcert=/etc/a%20b.pem", SslMode::Require),
        ] {
            assert_eq!(place(url).config.get_ssl_mode(), mode, "{url}");
        }
        assert_eq!(place("postgres://db/a?sslrootcert=/etc/a%20b.pem").root, Some(PathBuf::from("/etc/a b.pem")));
        assert_eq!(place("postgres://db/a?sslrootcert=system").root, None);
    }

    #[test]
    fn the_rest_is_the_drivers() {
        let place = place("postgres://me:s%3Acret@%2Ftmp%2Fsock:5433/a%20b?application_name=x");
        assert_eq!(place.config.get_user(), Some("me"));
        assert_eq!(place.config.get_password(), Some(&b"s:cret"[..]));
        assert_eq!(place.config.get_dbname(), Some("a b"));
        assert_eq!(place.config.get_application_name(), Some("x"));
        assert_eq!(place.config.get_ports(), [5433]);
        let place = self::place("postgres://me:a?b=c&sslmode=d@db/a?sslmode=require");
        assert_eq!(place.config.get_password(), Some(&b"a?b=c&sslmode=d"[..]));
        assert_eq!(place.config.get_ssl_mode(), SslMode::Require);
    }

    /// A password with an unescaped `?`, `#`, `@`, `/` or `%` is the usual mistake, and then any part may hold a piece.
    #[test]
    fn a_secret_is_in_no_fault() {
        for url in [
            "postgres://u:se@cret@db/a",
            "postgres://u:se@cret?@db/a",
            "postgres://db/a?secret",
            "postgres://u:p@db/a?secret=1",
            "postgres://u:secret@db:port/a",
            "postgres://u:secret%zz@db/a?secret=1",
            "postgres://u:secret@db/a?sslmode=secret",
            "postgres://u:secret@db/a?sslmode=allow",
            "postgres://u:secret@db/a?sslrootcert=%ffsecret",
        ] {
            let fault = Place::of(url).err().unwrap_or_else(|| panic!("{url} is wrong"));
            let told = format!("{fault} {fault:?}");
            assert!(matches!(fault, Fault::Location(_)) && !told.contains("cret"), "{url}: {told}");
        }
    }
}
