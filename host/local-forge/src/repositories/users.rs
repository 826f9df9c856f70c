//! Accounts as they are shown: one's own, and others by their name.
//!
//! There are those that a token speaks for, and those that own a repository now. An owner that every repository left is
//! led away from, as a real forge leads from an account's old name.

use http::{Method, StatusCode, Uri};

use crate::{
    operator::accounts::Area,
    serve::{access::Caller, routes::Forge},
    state::repository::Address,
    wire::{
        answer::{Answer, json},
        redirect,
        shapes::text,
    },
};

impl Forge {
    /// `GET /user`.
    pub(crate) fn user(&self, caller: &Caller) -> Answer {
        if !caller.may(Area::User, false) {
            return self.wording.missing_scope(Area::User, false);
        }
        let Caller::Account { login, .. } = caller else { return self.wording.token_required() };
        json(StatusCode::OK, &self.account(login).own())
    }

    /// `GET /users/{login}`.
    pub(crate) fn user_named(&self, caller: &Caller, asked: &[u8], uri: &Uri) -> Answer {
        if !caller.may(Area::User, false) {
            return self.wording.missing_scope(Area::User, false);
        }
        match self.login(asked) {
            Some(login) => {
                let user = self.account(&login);
                json(StatusCode::OK, &if caller.is(&login) { user.own() } else { user })
            }
            None => self.no_user(asked, uri),
        }
    }

    /// The account of this name, spelled as it spells itself.
    pub(crate) fn login(&self, asked: &[u8]) -> Option<String> {
        let is = |login: &str| login.as_bytes().eq_ignore_ascii_case(asked);
        let owners = || self.repositories.iter().map(|repository| repository.address().owner.clone());
        self.access.logins().iter().find(|login| is(login)).cloned().or_else(|| owners().find(|login| is(login)))
    }

    /// Who is not there: gone by another name, or nobody.
    pub(crate) fn no_user(&self, asked: &[u8], uri: &Uri) -> Answer {
        let moved = self.repositories.iter().find(|repository| repository.was_of(asked));
        if let Some(repository) = moved {
            let now = Address { owner: repository.address().owner.clone(), name: String::new() };
            return redirect::answer(&Method::GET, uri, asked, b"", &now, self.stock.renamed);
        }
        let message = format!("user redirect does not exist [name: {}]", text(asked));
        self.wording.refused(StatusCode::NOT_FOUND, &message)
    }
}
