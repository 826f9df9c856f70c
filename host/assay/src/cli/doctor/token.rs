//! Whether the credential is one, and what it may do: asked without changing anything.

use super::report::Report;
use crate::{
    caller::Caller,
    cli::{probe::Probe, shown::shown},
    origin::{Fault, Origin},
};

/// A name that no repository has. A forge looks at the scope before it looks for the repository.
const NOBODY: &str = "assay-doctor-looks-for-nothing";

const CHECK: &str = "token";

/// What one question says about one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    There,
    Missing,
    /// The forge does not say.
    Unknown,
}

/// Asks who the token speaks for, then for each scope. Whether the token is one.
pub(super) async fn check(report: &mut Report, origin: &Origin, caller: &Caller) -> bool {
    let user = match Probe::ask(origin, caller, &["user"], &[]).await {
        Ok(probe) => probe,
        Err(fault) => {
            report.failed(CHECK, format!("not known: {fault}"), "try again; the forge did not answer this time");
            return false;
        }
    };
    match user.status {
        200 => report.ok(CHECK, format!("valid: it speaks for {}", shown(user.text("login").unwrap_or("an account")))),
        // G-029: a token without that scope is one all the same.
        403 if user.lacks_scope() => report.ok(CHECK, "valid: whom it speaks for takes read:user, which it has not"),
        401 => {
            report.failed(
                CHECK,
                "the forge does not know it: it was mistyped, has expired or was deleted",
                "make one with read:repository in the forge's settings under Applications, and put it into FORGEJO_TOKEN",
            );
            return false;
        }
        403 => report.warning(
            CHECK,
            "the forge knows it, and does not let its account in",
            "sign in with a browser: a password may have to be changed, or the account is locked",
        ),
        status => {
            report.failed(
                CHECK,
                format!("not known: the forge answers with status {status}"),
                "ask the forge's operator",
            );
            return false;
        }
    }
    repository(report, asked(origin, caller, &["repos", NOBODY, NOBODY]).await);
    further(report, "read:issue", asked(origin, caller, &["repos", NOBODY, NOBODY, "issues"]).await);
    further(report, "read:user", Ok(scope(&user)));
    // Whether it may write is told by writing alone.
    report.ok(
        "writing",
        "not tried: tools that change something need write:repository, and write:issue for issues and comments",
    );
    true
}

/// The one scope that the tools cannot do without (D-003).
fn repository(report: &mut Report, asked: Result<Scope, Fault>) {
    const CHECK: &str = "read:repository";
    match asked {
        Ok(Scope::There) => report.ok(CHECK, "granted"),
        Ok(Scope::Missing) => report.failed(
            CHECK,
            "not granted: no pull request can be read",
            "make a token with this scope; scopes of a token cannot be changed",
        ),
        Ok(Scope::Unknown) => report.warning(CHECK, "the forge does not say", "the first read will tell"),
        Err(fault) => report.warning(CHECK, format!("not known: {fault}"), "the first read will tell"),
    }
}

/// Scopes that are told, for whoever chooses a token's.
fn further(report: &mut Report, check: &'static str, asked: Result<Scope, Fault>) {
    let found = match asked {
        Ok(Scope::There) => "granted (reading pull requests does not need it)",
        Ok(Scope::Missing) => "not granted (reading pull requests does not need it)",
        Ok(Scope::Unknown) | Err(_) => "the forge does not say (reading pull requests does not need it)",
    };
    report.ok(check, found);
}

async fn asked(origin: &Origin, caller: &Caller, path: &[&str]) -> Result<Scope, Fault> {
    Ok(scope(&Probe::ask(origin, caller, path, &[("limit", "1")]).await?))
}

fn scope(probe: &Probe) -> Scope {
    match probe.status {
        _ if probe.lacks_scope() => Scope::Missing,
        200 => Scope::There,
        // A path that is no route is not JSON; one that is looked for nothing, and found nothing.
        404 if probe.media_type == "application/json" => Scope::There,
        _ => Scope::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(status: u16, media_type: &str, message: &str) -> Probe {
        let json = Some(serde_json::json!({ "message": message }));
        Probe { status, media_type: media_type.to_owned(), date: None, json }
    }

    /// As recorded: the scope comes before existence, and a path that is no route says nothing about it.
    #[test]
    fn a_scope_is_told_by_the_answer() {
        let missing = "token does not have at least one of required scope(s): [read:repository]";
        assert_eq!(scope(&probe(403, "application/json", missing)), Scope::Missing);
        assert_eq!(scope(&probe(404, "application/json", "not found")), Scope::There);
        assert_eq!(scope(&probe(200, "application/json", "")), Scope::There);
        for other in [
            probe(404, "text/plain", ""),
            probe(403, "application/json", "You must change your password"),
            probe(500, "", ""),
        ] {
            assert_eq!(scope(&other), Scope::Unknown, "{other:?}");
        }
    }
}
