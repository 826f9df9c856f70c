//! Whether the forge is there, what it is, and what time it has.

use std::time::{Duration, SystemTime};

use time::{OffsetDateTime, format_description::well_known::Rfc2822};

use super::report::Report;
use crate::{
    caller::{Caller, Credential},
    cli::{probe::Probe, shown::shown},
    origin::{Fault, Origin},
};

/// By how much two clocks may differ before it is worth a word.
const SKEW: Duration = Duration::from_secs(60);

/// Characters of a version that are shown.
const VERSION_CHARS: usize = 80;

const CHECK: &str = "reachable";

/// Asks for the version. Whether it makes sense to go on.
pub(super) async fn check(report: &mut Report, origin: &Origin, caller: Option<&Caller>, url: &str) -> bool {
    // As nobody first: what is wrong with the token is another check's.
    let anonymous = Caller::new(Credential::anonymous());
    let mut asked = Probe::ask(origin, &anonymous, &["version"], &[]).await;
    if let (Ok(Probe { status: 401 | 403, .. }), Some(caller)) = (&asked, caller) {
        asked = Probe::ask(origin, caller, &["version"], &[]).await;
    }
    let probe = match asked {
        Ok(probe) => probe,
        Err(fault) => {
            let (what, advice) = unreachable(&fault);
            report.failed(CHECK, format!("no: {what}"), advice);
            return false;
        }
    };
    let at = shown(url);
    match (probe.status, probe.text("version")) {
        (200, Some(version)) => report.ok(CHECK, format!("{} at {at}", forge(version))),
        (401 | 403, _) => report.ok(CHECK, format!("{at} answers, and tells nobody its version without a sign-in")),
        (200 | 404, _) => {
            report.failed(
                CHECK,
                format!("{at} answers, but not as a Forgejo or Gitea forge does"),
                "is the address the forge's own, with its path where it lives below one (https://host/git)?",
            );
            return false;
        }
        (status, _) => {
            report.failed(
                CHECK,
                format!("{at} answers with status {status}"),
                "the forge, or a proxy before it, does not serve requests now: ask its operator, or try again later",
            );
            return false;
        }
    }
    transport(report, url);
    clock(report, probe.date.as_deref(), SystemTime::now());
    true
}

/// What is in the way, and what to do about it. The fault's own words tell name, connection, TLS and HTTP apart.
fn unreachable(fault: &Fault) -> (String, &'static str) {
    let advice = match fault {
        Fault::Moved(_) => {
            "write the address that a browser ends at into FORGEJO_URL: often https:// instead of http://, or another host"
        }
        Fault::TimedOut => {
            "the forge took the connection and said nothing: is it overloaded, or is something else behind that port?"
        }
        Fault::Transport(what) if what.contains("resolved") => {
            "is the host name spelled right? does DNS know it here (`getent hosts NAME`)?"
        }
        Fault::Transport(what) if what.contains("certificate") => {
            "--ca-file FILE adds an authority; a wrong name or date is the forge's to mend"
        }
        Fault::Transport(what) if what.contains("TLS") => {
            "does the forge speak https at that port? if it does not, the address starts with http://"
        }
        Fault::Transport(what) if what.contains("refused") => "is the forge running, and is the port right?",
        Fault::Transport(what) if what.contains("connection could be made") || what.contains("cannot be reached") => {
            "is a firewall or a proxy in between? HTTPS_PROXY, HTTP_PROXY and NO_PROXY are looked at"
        }
        Fault::Transport(_) => {
            "something that is no web server may listen there: is the port right, and http or https?"
        }
        Fault::Denied(_) | Fault::Budget(_) => "that is a fault of this program: please report it",
    };
    (fault.to_string(), advice)
}

/// Which forge it is, by its version: Forgejo's own names itself or the Gitea that it is compatible with.
fn forge(version: &str) -> String {
    let kind = if version.contains("assay-local-forge") {
        "Assay's local forge"
    } else if version.contains("forgejo") || version.contains("+gitea-") {
        "Forgejo"
    } else {
        "Gitea"
    };
    let version: String = shown(version).chars().take(VERSION_CHARS).collect();
    format!("{kind} {version}")
}

fn transport(report: &mut Report, url: &str) {
    let loopback = ["localhost", "127.", "[::1]"].iter().any(|host| {
        let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
        authority.to_ascii_lowercase().starts_with(host)
    });
    if url.to_ascii_lowercase().starts_with("http://") && !loopback {
        report.warning(
            "transport",
            "the token goes over the network in clear text (http://)",
            "use https://, unless every network in between is your own",
        );
    }
}

fn clock(report: &mut Report, date: Option<&str>, now: SystemTime) {
    let Some(theirs) = date.and_then(|date| OffsetDateTime::parse(date, &Rfc2822).ok()) else { return };
    let theirs = SystemTime::from(theirs);
    let (skew, word) = match now.duration_since(theirs) {
        Ok(behind) => (behind, "behind"),
        Err(ahead) => (ahead.duration(), "ahead of"),
    };
    if skew > SKEW {
        report.warning(
            "clock",
            format!("the forge's clock is {} s {word} this machine's", skew.as_secs()),
            "set the wrong one: certificates, and the question whether a pull request has settled, depend on them",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forges_are_told_apart() {
        for (version, start) in [
            ("1.21.1+0-forgejo", "Forgejo 1.21.1"),
            ("11.0.1+gitea-1.22.0", "Forgejo 11.0.1"),
            ("1.22.0+dev-1-gabc", "Gitea 1.22.0"),
            ("1.21.1+assay-local-forge", "Assay's local forge 1.21.1"),
        ] {
            assert!(forge(version).starts_with(start), "{}", forge(version));
        }
        assert!(!forge(&"\u{1b}".repeat(1_000)).contains('\u{1b}') && forge(&"9".repeat(1_000)).len() < 100);
    }

    #[test]
    fn each_way_of_not_being_there_has_its_own_advice() {
        let texts = [
            Fault::Moved(301),
            Fault::TimedOut,
            Fault::Transport("the forge's host name, or the proxy's, could not be resolved".into()),
            Fault::Transport("the connection was refused: nothing listens at the forge's address".into()),
            Fault::Transport("no connection could be made within the time that is given to it".into()),
            Fault::Transport("the forge's certificate has expired".into()),
            Fault::Transport("what answered at the forge's address does not speak TLS".into()),
            Fault::Transport("what came is no well-formed HTTP answer".into()),
        ];
        let advice: std::collections::BTreeSet<_> = texts.iter().map(|fault| unreachable(fault).1).collect();
        assert_eq!(advice.len(), texts.len());
    }

    #[test]
    fn clocks_that_differ_are_told() {
        let found = |date: &str, now: u64| {
            let mut report = Report::default();
            clock(&mut report, Some(date), SystemTime::UNIX_EPOCH + Duration::from_secs(now));
            report.text()
        };
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(found(date, 784_111_777), "usable");
        assert!(found(date, 784_111_777 + 100).contains("100 s behind"));
        assert!(found(date, 784_111_777 - 100).contains("100 s ahead of"));
        assert_eq!(found("yesterday", 0), "usable");
    }

    #[test]
    fn clear_text_is_told_where_it_leaves_the_machine() {
        let found = |url: &str| {
            let mut report = Report::default();
            transport(&mut report, url);
            report.text()
        };
        assert!(found("HTTP://forge.example").contains("clear text"));
        for url in ["https://forge.example", "http://127.0.0.1:3000", "http://localhost", "http://[::1]:80/git"] {
            assert_eq!(found(url), "usable", "{url}");
        }
    }
}
