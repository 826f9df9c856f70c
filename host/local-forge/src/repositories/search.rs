//! Lists of repositories: what is found, what is one's own, what is an owner's. Each shows what the caller may see.

use std::sync::Arc;

use http::{StatusCode, Uri};
use serde::Serialize;

use crate::{
    operator::accounts::Area,
    serve::{
        access::Caller,
        routes::{Forge, One, is_true},
        target::Query,
    },
    state::repository::Repository,
    wire::{
        answer::{Answer, json},
        shapes,
    },
};

#[derive(Serialize)]
struct Found {
    ok: bool,
    data: Vec<shapes::Repository>,
}

impl Forge {
    /// `GET /repos/search`. What it is not told of (`owner`, say) it passes over.
    pub(crate) async fn search(&self, caller: &Caller, query: &Query) -> Answer {
        if !caller.may(Area::Repository, false) {
            return self.wording.missing_scope(Area::Repository, false);
        }
        let mut found = self.visible(caller);
        if let Some(words) = query.get("q").map(|q| q.trim().to_lowercase()).filter(|q| !q.is_empty()) {
            found.retain(|repository| repository.address().name.to_lowercase().contains(&words));
        }
        if let Some(uid) = query.get("uid").and_then(|uid| uid.parse::<u64>().ok()).filter(|&uid| uid > 0) {
            let login = self.ledger.login(uid).unwrap_or_default();
            let exclusive = query.get("exclusive").is_some_and(is_true);
            found.retain(|repository| {
                let owned = repository.address().owner.eq_ignore_ascii_case(&login);
                owned || (!exclusive && self.access.was_let(&login, &repository.owner, &repository.name))
            });
        }
        if query.get("private").is_some_and(|private| !private.is_empty() && !is_true(private)) {
            found.retain(|repository| !repository.private);
        }
        if let Some(private) = query.get("is_private").filter(|private| !private.is_empty()) {
            found.retain(|repository| repository.private == is_true(private));
        }
        // There are no others than plain ones.
        let only = |name: &str| query.get(name).is_some_and(is_true);
        match query.get("mode").unwrap_or_default() {
            "" | "source" if !only("archived") && !only("template") => {}
            "" | "source" | "fork" | "mirror" | "collaborative" => found.clear(),
            other => return self.refuse_search("mode", other),
        }
        if let Some(sort) = query.get("sort").filter(|sort| !sort.is_empty()) {
            let order = query.get("order").filter(|order| !order.is_empty()).unwrap_or("asc");
            if !matches!(order, "asc" | "desc") {
                return self.refuse_search("sort order", order);
            }
            match sort {
                "alpha" | "stars" | "forks" => {}
                "created" | "id" => found.sort_by_key(|repository| repository.id),
                "updated" => found.sort_by_key(|repository| repository.latest().updated),
                "size" | "git_size" | "lfs_size" => found.sort_by_key(|repository| repository.latest().size),
                other => return self.refuse_search("sort mode", other),
            }
            if order == "desc" {
                found.reverse();
            }
        }
        let page = self.page(query);
        let mut data = Vec::new();
        for repository in page.cut(found.iter()) {
            data.push(self.listed(caller, repository).await);
        }
        let mut answer = json(StatusCode::OK, &Found { ok: true, data });
        page.describe(&mut answer, found.len(), &format!("{}/api/v1/repos/search", self.wording.base), query);
        answer
    }

    /// `GET /user/repos`: one's own, and those that one was let write to.
    pub(crate) async fn own_repositories(&self, caller: &Caller, query: &Query) -> Answer {
        if !caller.may(Area::Repository, false) {
            return self.wording.missing_scope(Area::Repository, false);
        }
        let Caller::Account { login, .. } = caller else { return self.wording.token_required() };
        let mut found = self.visible(caller);
        found.retain(|repository| {
            let owned = repository.address().owner.eq_ignore_ascii_case(login);
            owned || self.access.was_let(login, &repository.owner, &repository.name)
        });
        self.list(caller, &found, query, "user/repos").await
    }

    /// `GET /users/{login}/repos`.
    pub(crate) async fn repositories_of(&self, caller: &Caller, asked: &[u8], query: &Query, uri: &Uri) -> Answer {
        for area in [Area::User, Area::Repository] {
            if !caller.may(area, false) {
                return self.wording.missing_scope(area, false);
            }
        }
        let Some(login) = self.login(asked) else { return self.no_user(asked, uri) };
        let mut found = self.visible(caller);
        found.retain(|repository| repository.address().owner.eq_ignore_ascii_case(&login));
        self.list(caller, &found, query, &format!("users/{login}/repos")).await
    }

    /// Those that the caller may know of, by name.
    fn visible(&self, caller: &Caller) -> Vec<Arc<Repository>> {
        let mut visible: Vec<_> = self.repositories.iter().filter(|one| self.may_read(caller, one)).cloned().collect();
        visible.sort_by_cached_key(|repository| (repository.address().name.to_lowercase(), repository.id));
        visible
    }

    async fn list(&self, caller: &Caller, found: &[Arc<Repository>], query: &Query, route: &str) -> Answer {
        let page = self.page(query);
        let mut shown = Vec::new();
        for repository in page.cut(found.iter()) {
            shown.push(self.listed(caller, repository).await);
        }
        let mut answer = json(StatusCode::OK, &shown);
        page.describe(&mut answer, found.len(), &format!("{}/api/v1/{route}", self.wording.base), query);
        answer
    }

    /// One that cannot be read at the moment is listed as it was: it does not take the others with it.
    async fn listed(&self, caller: &Caller, repository: &Repository) -> shapes::Repository {
        let now = repository.now(&self.git, &self.ledger).await;
        let snapshot = now.unwrap_or_else(|_| repository.latest());
        let address = repository.address();
        One { forge: self, repository, snapshot: &snapshot, address: &address, caller }.shape()
    }

    fn refuse_search(&self, what: &str, asked: &str) -> Answer {
        let asked: String = asked.chars().take(64).collect();
        let message = format!("Invalid {what}: \"{asked}\"");
        self.wording.refused(StatusCode::UNPROCESSABLE_ENTITY, &message)
    }
}
