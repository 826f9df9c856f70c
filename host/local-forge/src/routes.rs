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
    copy::Tip,
    diff::{self, Inputs},
    evidence::{self, Observed},
    git::Git,
    ledger::Ledger,
    page::{DEFAULT_ITEMS, MAX_ITEMS, Page},
    pulls::Pull,
    repository::{Repository, Snapshot},
    shapes::{self, utc},
    target::{Query, Target, encode},
};

/// The longest title of a pull request, in characters.
const MAX_TITLE: usize = 255;

/// A forge: what it serves and what it needs for it.
pub(crate) struct Forge {
    pub(crate) git: Git,
    pub(crate) access: Access,
    pub(crate) wording: Wording,
    pub(crate) repositories: Vec<Arc<Repository>>,
    pub(crate) ledger: Ledger,
    pub(crate) native_evidence: bool,
    /// A folder for diffs that are being hashed.
    pub(crate) spool: std::path::PathBuf,
    /// Seconds since 1970.
    pub(crate) started: i64,
}

/// A route below `/api/v1`.
#[derive(Debug, PartialEq, Eq)]
enum Route<'a> {
    Version,
    Settings,
    User,
    Of { owner: &'a [u8], name: &'a [u8], what: What },
}

/// A route below one repository.
#[derive(Debug, PartialEq, Eq)]
enum What {
    Repository,
    Pulls,
    Pull(Vec<u8>),
    Diff(Vec<u8>),
    Branches,
    Branch(Vec<u8>),
    Refs(Vec<u8>),
}

impl<'a> Route<'a> {
    fn find(segments: &'a [Vec<u8>]) -> Option<Self> {
        let segments: Vec<&[u8]> = segments.iter().map(|segment| &segment[..]).collect();
        let [b"api", b"v1", rest @ ..] = &segments[..] else { return None };
        match rest {
            [b"version"] => Some(Self::Version),
            [b"settings", b"api"] => Some(Self::Settings),
            [b"user"] => Some(Self::User),
            [b"repos", owner, name, rest @ ..] => Some(Self::Of { owner, name, what: What::find(rest)? }),
            _ => None,
        }
    }
}

impl What {
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
            _ => return None,
        })
    }
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
            Route::Settings => json(StatusCode::OK, &settings()),
            Route::User => self.user(&caller),
            Route::Of { owner, name, what } => self.of_repository(&caller, owner, name, what, &target.query).await,
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

    async fn of_repository(&self, caller: &Caller, owner: &[u8], name: &[u8], what: What, query: &Query) -> Answer {
        if !caller.may_read_area(Area::Repository) {
            return self.wording.missing_scope(Area::Repository);
        }
        let named = |r: &&Arc<Repository>| {
            r.owner.as_bytes().eq_ignore_ascii_case(owner) && r.name.as_bytes().eq_ignore_ascii_case(name)
        };
        let Some(repository) = self.repositories.iter().find(named) else { return self.wording.not_found() };
        if repository.private && !caller.may_read_private(&repository.owner, &repository.name) {
            return self.wording.not_found();
        }
        let snapshot = match repository.now(&self.git, &self.ledger).await {
            Ok(snapshot) => snapshot,
            Err(e) => return self.broken(&e),
        };
        let one = One { forge: self, repository, snapshot: &snapshot };
        let answer = match what {
            What::Repository => Ok(json(StatusCode::OK, &one.shape())),
            What::Pulls => one.pulls(query).await,
            What::Pull(index) => one.pull(&index).await,
            What::Diff(index) => one.diff(&index, query).await,
            What::Branches => Ok(one.branches(query)),
            What::Branch(name) => Ok(one.branch(&name)),
            What::Refs(prefix) => Ok(one.refs(&prefix)),
        };
        answer.unwrap_or_else(|e| self.broken(&e))
    }

    fn account(&self, login: &str) -> shapes::User {
        shapes::User::new(&self.wording.base, self.ledger.user(login), login, self.started)
    }

    /// The log is told what the client is not.
    fn broken(&self, error: &Error) -> Answer {
        tracing::warn!(%error, "a request could not be answered");
        self.wording.broken()
    }
}

/// One repository at one moment, and the answers about it.
struct One<'a> {
    forge: &'a Forge,
    repository: &'a Repository,
    snapshot: &'a Snapshot,
}

impl One<'_> {
    async fn pulls(&self, query: &Query) -> Result<Answer, Error> {
        if self.snapshot.is_empty() {
            return Ok(self.forge.wording.not_found());
        }
        let wanted = |pull: &Pull| match query.get("state") {
            Some("all") => true,
            Some("closed") => !pull.open,
            _ => pull.open,
        };
        let newest_first = self.snapshot.numbered.pulls.iter().rev();
        let numbers: Vec<u64> = newest_first.filter(|(_, pull)| wanted(pull)).map(|(&number, _)| number).collect();
        let page = Page::of(query);
        let mut shown = Vec::new();
        for number in page.cut(numbers.iter().copied()) {
            if let Some((pull, tip)) = self.snapshot.pull(number) {
                shown.push(self.pull_shape(number, pull, tip).await?);
            }
        }
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, numbers.len(), &format!("{}/pulls", self.api()), query);
        Ok(answer)
    }

    async fn pull(&self, index: &[u8]) -> Result<Answer, Error> {
        let Some((number, pull, tip)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        Ok(json(StatusCode::OK, &self.pull_shape(number, pull, tip).await?))
    }

    async fn diff(&self, index: &[u8], query: &Query) -> Result<Answer, Error> {
        let Some((number, pull, _)) = self.find(index) else { return Ok(self.forge.wording.not_found()) };
        let captured_at = rfc3339_now();
        let git = &self.forge.git;
        let range = self.repository.range(git, pull).await?;
        let inputs = Inputs { from: range.merge_base, to: pull.head.clone() };
        let binary = query.get("binary").is_some_and(is_true);
        let command = diff::command(git, self.repository.dir(), &inputs, binary);
        if !(self.forge.native_evidence && binary && query.get("evidence") == Some("v1")) {
            return diff::stock(git, command, &self.forge.wording).await.map_err(|e| Error::Git(Box::new(e)));
        }
        let observed = Observed {
            repository: self.repository.id,
            object_format: self.repository.format().name(),
            pull: self.repository.pull_id(number),
            index: number,
            merge_base: &inputs.from,
            head: &inputs.to,
            base: (&pull.base, self.snapshot.branch(&pull.base).map(|tip| &*tip.oid)),
            branch: &pull.branch,
            captured_at,
        };
        Ok(evidence::native(git, command, &self.forge.spool, observed, rfc3339_now).await?)
    }

    fn branches(&self, query: &Query) -> Answer {
        let page = Page::of(query);
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

    /// A number that is none is zero, and zero is nobody's, as in a real forge.
    fn find(&self, index: &[u8]) -> Option<(u64, &Pull, &Tip)> {
        let number = std::str::from_utf8(index).ok()?.parse().ok()?;
        let (pull, tip) = self.snapshot.pull(number)?;
        Some((number, pull, tip))
    }

    async fn pull_shape(&self, number: u64, pull: &Pull, tip: &Tip) -> Result<shapes::PullRequest, Error> {
        let range = self.repository.range(&self.forge.git, pull).await?;
        let page = format!("{}/pulls/{number}", self.web());
        let repo = self.shape();
        let base = shapes::text(&pull.base);
        let branch = shapes::text(&pull.branch);
        let hidden = || format!("refs/pull/{number}/head");
        let date = utc(tip.committed);
        Ok(shapes::PullRequest {
            id: self.repository.pull_id(number),
            url: page.clone(),
            number,
            user: self.forge.account(&self.repository.owner),
            title: title(tip, &branch),
            body: body(tip),
            labels: [],
            milestone: None,
            assignee: None,
            assignees: None,
            requested_reviewers: None,
            state: if pull.open { "open" } else { "closed" },
            is_locked: false,
            comments: 0,
            html_url: page.clone(),
            diff_url: format!("{page}.diff"),
            patch_url: format!("{page}.patch"),
            mergeable: pull.open && range.mergeable,
            merged: false,
            merged_at: None,
            merge_commit_sha: None,
            merged_by: None,
            allow_maintainer_edit: false,
            base: shapes::Side {
                label: base.clone(),
                r#ref: base,
                // The branch's tip now, empty when it is gone: never an input of the diff.
                sha: self.snapshot.branch(&pull.base).map(|tip| tip.oid.clone()).unwrap_or_default(),
                repo_id: repo.id,
                repo: repo.clone(),
            },
            head: shapes::Side {
                label: branch.clone(),
                r#ref: if pull.open { branch } else { hidden() },
                sha: pull.head.clone(),
                repo_id: repo.id,
                repo,
            },
            merge_base: range.merge_base,
            due_date: None,
            created_at: date.clone(),
            updated_at: date.clone(),
            closed_at: (!pull.open).then_some(date),
            pin_order: 0,
        })
    }

    fn shape(&self) -> shapes::Repository {
        let owner = self.forge.account(&self.repository.owner);
        shapes::Repository::new(self.repository, self.snapshot, owner, &self.web(), &self.api())
    }

    fn web(&self) -> String {
        format!("{}/{}/{}", self.forge.wording.base, encode(&self.repository.owner), encode(&self.repository.name))
    }

    fn api(&self) -> String {
        let (owner, name) = (encode(&self.repository.owner), encode(&self.repository.name));
        format!("{}/api/v1/repos/{owner}/{name}", self.forge.wording.base)
    }
}

/// The subject of the branch's last commit, as a forge proposes it; the branch's name when there is none.
pub(crate) fn title(tip: &Tip, branch: &str) -> String {
    let title = if tip.subject.is_empty() { branch } else { &tip.subject };
    title.chars().take(MAX_TITLE).collect()
}

/// What the message says after its subject.
fn body(tip: &Tip) -> String {
    tip.message.split_once("\n\n").map(|(_, body)| body.trim_end().to_owned()).unwrap_or_default()
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
fn is_true(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True" | "on")
}

fn settings() -> shapes::Settings {
    shapes::Settings {
        max_response_items: MAX_ITEMS,
        default_paging_num: DEFAULT_ITEMS,
        default_git_trees_per_page: 1000,
        default_max_blob_size: 10 << 20,
    }
}

fn rfc3339_now() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_else(|_| utc(0))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

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
        for path in ["", "api", "api/v1", "api/v1/repos/o", "api/v1/nope", "api/v1/repos/o/r/pulls/7.patch", "version"]
        {
            assert_eq!(find(path), None, "{path}");
        }
    }

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
