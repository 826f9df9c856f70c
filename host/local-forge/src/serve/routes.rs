//! From a request to an answer, in a released forge's order: credential, sign-in, method, scope, repository, object.
//!
//! Which routes there are is [`Route`]; how their answers are worded is `answer`'s and `shapes`'.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri, header::HOST};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    Error,
    git::run::Git,
    operator::{
        live::Live,
        stock::{Renamed, Stock},
    },
    serve::{
        access::{Access, Caller},
        route::{Route, What},
        sent::{self, Sent, Stop, Unread},
        target::{Query, Target, encode},
    },
    state::{
        ledger::Ledger,
        repository::{Address, Repository},
        snapshot::Snapshot,
        writing::Writing,
    },
    wire::{
        answer::{Answer, Wording, json, no_route, sign_in_required, text, wrong_method},
        page::Page,
        redirect,
        shapes::{self, utc},
    },
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
    pub(crate) async fn answer<B>(&self, method: &Method, uri: &Uri, headers: &HeaderMap, body: B) -> Answer
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
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
        if !route.methods().split(", ").any(|allowed| allowed == method) {
            return wrong_method(route.methods());
        }
        match route {
            Route::Version => json(StatusCode::OK, &shapes::Version::new()),
            Route::Settings => json(StatusCode::OK, &shapes::Settings::new(&self.stock)),
            Route::User => self.user(&caller),
            Route::OwnRepositories => self.own_repositories(&caller, &target.query).await,
            Route::RepositoriesOf(login) => self.repositories_of(&caller, login, &target.query, uri).await,
            Route::Search => self.search(&caller, &target.query).await,
            Route::Users(login) => self.user_named(&caller, login, uri),
            Route::Of { owner, name, what } => {
                let request = Request { method, uri, query: &target.query, headers };
                self.of_repository(&caller, owner, name, what, request, body).await
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

    async fn of_repository<B>(
        &self,
        caller: &Caller,
        owner: &[u8],
        name: &[u8],
        what: What,
        request: Request<'_>,
        body: B,
    ) -> Answer
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let writes = request.method != Method::GET;
        if !caller.may(what.area(), writes) {
            return self.wording.missing_scope(what.area(), writes);
        }
        let served = self.repositories.iter().find(|repository| repository.address().is(owner, name));
        let Some(repository) = served else {
            return self.under_an_old_name(caller, owner, name, request);
        };
        if !self.may_read(caller, repository) {
            return self.wording.not_found();
        }
        let body = match caller {
            _ if !writes => None,
            Caller::Anonymous => return self.wording.token_required(),
            Caller::Account { login, .. } => match sent::read(body).await {
                Ok(body) => Some(Sent { login, headers: request.headers, body }),
                Err(Unread::TooLarge) => return text(StatusCode::PAYLOAD_TOO_LARGE, "413 Request Entity Too Large\n"),
                Err(Unread::Broken) => return text(StatusCode::BAD_REQUEST, "400 Bad Request"),
            },
        };
        let snapshot = match repository.now(&self.git, &self.ledger).await {
            Ok(snapshot) => snapshot,
            Err(e) => return self.broken(&e),
        };
        let address = repository.address();
        let one = One { forge: self, repository, snapshot: &snapshot, address: &address, caller };
        let answer = match body {
            None => one.read(what, request).await.map_err(Stop::Failed),
            Some(sent) => one.write(what, request.method, &sent).await,
        };
        match answer {
            Ok(answer) => answer,
            Err(Stop::Refused(answer)) => *answer,
            Err(Stop::Failed(e)) => self.broken(&e),
        }
    }

    /// An old name leads to the new one. The recorded release tells it to everybody.
    fn under_an_old_name(&self, caller: &Caller, owner: &[u8], name: &[u8], request: Request<'_>) -> Answer {
        let known = |repository: &&Arc<Repository>| repository.was(owner, name);
        let Some(repository) = self.repositories.iter().find(known) else { return self.wording.not_found() };
        if self.stock.renamed == Renamed::Permanent && !self.may_read(caller, repository) {
            return self.wording.not_found();
        }
        let Request { method, uri, .. } = request;
        redirect::answer(method, uri, owner, name, &repository.address(), self.stock.renamed)
    }

    pub(crate) fn may_read(&self, caller: &Caller, repository: &Repository) -> bool {
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
    pub(crate) fn broken(&self, error: &Error) -> Answer {
        tracing::warn!(%error, "a request could not be answered");
        self.wording.broken()
    }
}

/// What a request asks for, beyond its route.
#[derive(Clone, Copy)]
struct Request<'a> {
    method: &'a Method,
    uri: &'a Uri,
    query: &'a Query,
    headers: &'a HeaderMap,
}

/// One repository at one moment, and the answers about it to one caller. They are in files of their own.
#[derive(Clone, Copy)]
pub(crate) struct One<'a> {
    pub(crate) forge: &'a Forge,
    pub(crate) repository: &'a Repository,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) address: &'a Address,
    pub(crate) caller: &'a Caller,
}

impl One<'_> {
    async fn read(&self, what: What, request: Request<'_>) -> Result<Answer, Error> {
        let query = request.query;
        Ok(match what {
            What::Repository => json(StatusCode::OK, &self.shape()),
            What::Pulls => self.pulls(query).await?,
            What::Pull(index) => self.pull(&index).await?,
            What::Diff(index) => self.diff(&index, query).await?,
            What::Branches => self.branches(query),
            What::Branch(name) => self.branch(&name),
            What::Refs(prefix) => self.refs(&prefix),
            What::PullCommits(index) => self.pull_commits(&index, query).await?,
            What::Files(index) => self.files(&index, query).await?,
            What::Commits => self.commits(query).await?,
            What::Commit(name) => self.git_commit(&name, query).await?,
            What::Contents(path) => self.contents(&path, query).await?,
            What::Blob(oid) => self.blob(&oid).await?,
            What::Tree(name) => self.tree(&name, query).await?,
            What::Raw(path) => self.raw(&path, query, request.headers).await?,
            What::Tags => self.tags(query),
            What::Tag(name) => self.tag(&name),
            What::GitTag(sha) => self.git_tag(&sha).await?,
            What::Issues => self.issues(query),
            What::Issue(index) => self.issue(&index),
            What::Comments(index) => self.comments(&index),
            What::Labels => self.labels(query),
            What::Merge(index) => self.is_merged(&index),
            What::Reviews(index) => self.reviews(&index, query),
            What::Review(index, id) => self.review(&index, &id),
            What::ReviewComments(index, id) => self.review_comments(&index, &id),
            What::Releases => self.releases(query),
            What::Release(which) => self.release(&which),
            What::ReleaseOfTag(tag) => self.release_of_tag(&tag),
        })
    }

    async fn write(&self, what: What, method: &Method, sent: &Sent<'_>) -> Result<Answer, Stop> {
        match what {
            What::Issues => self.create_issue(sent).await,
            What::Issue(index) => self.edit(&index, sent, false).await,
            What::Comments(index) => self.create_comment(&index, sent).await,
            What::Labels => self.create_label(sent).await,
            What::Releases => self.create_release(sent).await,
            What::Pulls => self.create_pull(sent).await,
            What::Merge(index) => self.merge(&index, sent).await,
            What::Reviews(index) => self.create_review(&index, sent).await,
            What::Contents(path) => self.write_contents(&path, method, sent).await,
            What::Pull(index) => self.edit(&index, sent, true).await,
            // Kept out before.
            _ => Err(wrong_method("GET").into()),
        }
    }

    /// Waits for the right to change the repository.
    pub(crate) async fn writing(&self) -> Result<Writing<'_>, Error> {
        Writing::begin(self.repository, &self.forge.git, &self.forge.ledger).await
    }

    /// The same at another moment.
    pub(crate) fn later<'b>(&'b self, snapshot: &'b Snapshot) -> One<'b> {
        One { snapshot, ..*self }
    }

    /// Whether the caller may change what is in the repository.
    pub(crate) fn may_write(&self) -> bool {
        self.forge.access.may_write(self.caller, &self.repository.owner, &self.repository.name)
    }

    pub(crate) fn shape(&self) -> shapes::Repository {
        let owner = self.forge.account(&self.address.owner);
        let admin = self.forge.access.administers(self.caller, &self.repository.owner);
        let permissions = shapes::Permissions { admin, push: self.may_write(), pull: true };
        let at = (&*self.web(), &*self.api());
        shapes::Repository::new(self.repository, self.snapshot, self.address, owner, permissions, at)
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

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp()
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
