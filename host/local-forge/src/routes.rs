//! From a request to an answer, in a released forge's order: credential, sign-in, method, scope, repository, object.
//!
//! Which routes there are is [`Route`]; how their answers are worded is `answer`'s and `shapes`'.

use std::sync::Arc;

use http::{HeaderMap, Method, StatusCode, Uri, header::HOST};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    Error,
    access::{Access, Caller},
    accounts::Area,
    answer::{Answer, Wording, json, no_route, sign_in_required, text, wrong_method},
    git::Git,
    ledger::Ledger,
    live::Live,
    page::Page,
    redirect,
    repository::{Address, Repository, Snapshot},
    route::{Route, What},
    shapes::{self, utc},
    stock::{Renamed, Stock},
    target::{Query, Target, encode},
};

/// A forge: what it serves and what it needs for it.
pub(crate) struct Forge {
    pub(crate) git: Git,
    pub(crate) access: Access,
    pub(crate) wording: Wording,
    pub(crate) repositories: Vec<Arc<Repository>>,
    pub(crate) ledger: Ledger,
    pub(crate) native_evidence: bool,
    pub(crate) stock: Stock,
    pub(crate) live: Live,
    /// A folder for diffs that are being hashed.
    pub(crate) spool: std::path::PathBuf,
    /// Seconds since 1970.
    pub(crate) started: i64,
}

impl Forge {
    /// Answers one request. Whatever goes wrong inside is an answer too.
    pub(crate) async fn answer(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Answer {
        if !addressed_to_this_machine(headers) {
            return text(StatusCode::MISDIRECTED_REQUEST, "this forge answers to loopback addresses alone\n");
        }
        let Ok(target) = Target::parse(uri) else { return text(StatusCode::BAD_REQUEST, "400 Bad Request") };
        let caller = match self.access.caller(headers) {
            Ok(caller) => caller,
            Err(bad) => return self.wording.bad_credential(&bad),
        };
        if self.access.require_sign_in && matches!(caller, Caller::Anonymous) {
            return sign_in_required();
        }
        let Some(route) = Route::find(&target.segments) else { return no_route() };
        if method != Method::GET {
            return wrong_method();
        }
        match route {
            Route::Version => json(StatusCode::OK, &shapes::Version::new()),
            Route::Settings => json(StatusCode::OK, &shapes::Settings::new(&self.stock)),
            Route::User => self.user(&caller),
            Route::Of { owner, name, what } => {
                let request = Request { uri, query: &target.query, headers };
                self.of_repository(&caller, owner, name, what, request).await
            }
        }
    }

    /// Looks at every repository again.
    pub(crate) async fn refresh(&self) -> Result<(), Error> {
        for repository in &self.repositories {
            repository.now(&self.git, &self.ledger).await?;
        }
        Ok(())
    }

    fn user(&self, caller: &Caller) -> Answer {
        if !caller.may_read_area(Area::User) {
            return self.wording.missing_scope(Area::User);
        }
        let Caller::Account { login, .. } = caller else { return self.wording.token_required() };
        json(StatusCode::OK, &self.account(login).own())
    }

    async fn of_repository(
        &self,
        caller: &Caller,
        owner: &[u8],
        name: &[u8],
        what: What,
        request: Request<'_>,
    ) -> Answer {
        if !caller.may_read_area(Area::Repository) {
            return self.wording.missing_scope(Area::Repository);
        }
        let served = self.repositories.iter().find(|repository| repository.address().is(owner, name));
        let Some(repository) = served else {
            return self.under_an_old_name(caller, owner, name, request.uri);
        };
        if !self.may_read(caller, repository) {
            return self.wording.not_found();
        }
        let snapshot = match repository.now(&self.git, &self.ledger).await {
            Ok(snapshot) => snapshot,
            Err(e) => return self.broken(&e),
        };
        let address = repository.address();
        let one = One { forge: self, repository, snapshot: &snapshot, address: &address };
        let query = request.query;
        let answer = match what {
            What::Repository => Ok(json(StatusCode::OK, &one.shape())),
            What::Pulls => one.pulls(query).await,
            What::Pull(index) => one.pull(&index).await,
            What::Diff(index) => one.diff(&index, query).await,
            What::Branches => Ok(one.branches(query)),
            What::Branch(name) => Ok(one.branch(&name)),
            What::Refs(prefix) => Ok(one.refs(&prefix)),
            What::PullCommits(index) => one.pull_commits(&index, query).await,
            What::Files(index) => one.files(&index, query).await,
            What::Commits => one.commits(query).await,
            What::Commit(name) => one.git_commit(&name, query).await,
            What::Contents(path) => one.contents(&path, query).await,
            What::Blob(oid) => one.blob(&oid).await,
            What::Tree(name) => one.tree(&name, query).await,
            What::Raw(path) => one.raw(&path, query, request.headers).await,
        };
        answer.unwrap_or_else(|e| self.broken(&e))
    }

    /// An old name leads to the new one. The recorded release tells it to everybody.
    fn under_an_old_name(&self, caller: &Caller, owner: &[u8], name: &[u8], uri: &Uri) -> Answer {
        let known = |repository: &&Arc<Repository>| repository.was(owner, name);
        let Some(repository) = self.repositories.iter().find(known) else { return self.wording.not_found() };
        if self.stock.renamed == Renamed::Permanent && !self.may_read(caller, repository) {
            return self.wording.not_found();
        }
        redirect::answer(uri, owner, name, &repository.address(), self.stock.renamed)
    }

    fn may_read(&self, caller: &Caller, repository: &Repository) -> bool {
        !repository.private || self.access.may_read_private(caller, &repository.owner, &repository.name)
    }

    /// The page of a list that was asked for.
    pub(crate) fn page(&self, query: &Query) -> Page {
        Page::of(query, &self.stock)
    }

    pub(crate) fn account(&self, login: &str) -> shapes::User {
        shapes::User::new(&self.wording.base, self.ledger.user(login), login, self.started)
    }

    /// The log is told what the client is not.
    fn broken(&self, error: &Error) -> Answer {
        tracing::warn!(%error, "a request could not be answered");
        self.wording.broken()
    }
}

/// What a request asks for, beyond its route.
#[derive(Clone, Copy)]
struct Request<'a> {
    uri: &'a Uri,
    query: &'a Query,
    headers: &'a HeaderMap,
}

/// One repository at one moment, and the answers about it. Most of them are in files of their own.
pub(crate) struct One<'a> {
    pub(crate) forge: &'a Forge,
    pub(crate) repository: &'a Repository,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) address: &'a Address,
}

impl One<'_> {
    fn branches(&self, query: &Query) -> Answer {
        let page = self.forge.page(query);
        let web = self.web();
        let shown = page.cut(self.snapshot.branches().map(|(name, tip)| shapes::Branch::new(name, tip, &web)));
        // Go's nil slice: an empty repository has `null` branches.
        let shown = (!self.snapshot.is_empty()).then_some(shown);
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, self.snapshot.branches().count(), &format!("{}/branches", self.api()), query);
        answer
    }

    fn branch(&self, name: &[u8]) -> Answer {
        match self.snapshot.branch(name) {
            Some(tip) => json(StatusCode::OK, &shapes::Branch::new(name, tip, &self.web())),
            None => {
                let reason = format!("branch does not exist [name: {}]", shapes::text(name));
                self.forge.wording.not_found_because(reason)
            }
        }
    }

    fn refs(&self, prefix: &[u8]) -> Answer {
        let api = self.api();
        let refs: Vec<_> = self.snapshot.refs(prefix).map(|tip| shapes::Reference::new(tip, &api)).collect();
        if refs.is_empty() { self.forge.wording.not_found() } else { json(StatusCode::OK, &refs) }
    }

    pub(crate) fn shape(&self) -> shapes::Repository {
        let owner = self.forge.account(&self.address.owner);
        shapes::Repository::new(self.repository, self.snapshot, self.address, owner, &self.web(), &self.api())
    }

    /// The address of the repository's pages.
    pub(crate) fn web(&self) -> String {
        format!("{}/{}/{}", self.forge.wording.base, encode(&self.address.owner), encode(&self.address.name))
    }

    /// The address of the repository in the API.
    pub(crate) fn api(&self) -> String {
        let (owner, name) = (encode(&self.address.owner), encode(&self.address.name));
        format!("{}/api/v1/repos/{owner}/{name}", self.forge.wording.base)
    }
}

/// A browser that was led here under another name by somebody's DNS must not read private code.
fn addressed_to_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let Ok(authority) = host.to_str().unwrap_or_default().parse::<http::uri::Authority>() else { return false };
    let name = authority.host();
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']')).unwrap_or(name);
    let is_loopback = bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}

/// What Go's forge takes for true; anything else, `yes` too, is false.
pub(crate) fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True" | "on")
}

/// The time as it is now.
pub(crate) fn rfc3339_now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_else(|_| utc(0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn foreign_host_names_are_not_answered() {
        let host = |text: &'static str| {
            addressed_to_this_machine(&HeaderMap::from_iter([(HOST, HeaderValue::from_static(text))]))
        };
        for name in ["127.0.0.1", "127.0.0.1:3000", "127.9.9.9:1", "[::1]:3000", "localhost", "LocalHost:80"] {
            assert!(host(name), "{name}");
        }
        for name in ["example.org", "127.0.0.1.example.org", "10.0.0.1", "localhost.example.org:80", "", "[::2]"] {
            assert!(!host(name), "{name}");
        }
        assert!(addressed_to_this_machine(&HeaderMap::new()));
    }

    #[test]
    fn yes_is_no() {
        assert!(["1", "t", "T", "TRUE", "true", "True", "on"].into_iter().all(is_true));
        assert!(!["yes", "tRUE", "", "0", "ON"].into_iter().any(is_true));
    }
}
