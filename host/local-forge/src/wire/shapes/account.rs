//! An account, as everything that has an author shows it.

use serde::Serialize;

use super::{NEVER, utc};

/// An account.
#[derive(Clone, Serialize)]
pub(crate) struct User {
    id: u64,
    login: String,
    login_name: &'static str,
    full_name: &'static str,
    email: String,
    avatar_url: String,
    language: &'static str,
    is_admin: bool,
    last_login: &'static str,
    created: String,
    restricted: bool,
    active: bool,
    prohibit_login: bool,
    location: &'static str,
    website: &'static str,
    description: &'static str,
    visibility: &'static str,
    followers_count: u64,
    following_count: u64,
    starred_repos_count: u64,
    username: String,
}

impl User {
    pub(crate) fn new(base: &str, id: u64, login: &str, created: i64) -> Self {
        Self {
            id,
            login: login.to_owned(),
            login_name: "",
            full_name: "",
            email: format!("{login}@noreply.localhost"),
            avatar_url: format!("{base}/avatars/{id}"),
            language: "",
            is_admin: false,
            last_login: NEVER,
            created: utc(created),
            restricted: false,
            active: false,
            prohibit_login: false,
            location: "",
            website: "",
            description: "",
            visibility: "public",
            followers_count: 0,
            following_count: 0,
            starred_repos_count: 0,
            username: login.to_owned(),
        }
    }

    /// The account as it sees itself.
    pub(crate) fn own(self) -> Self {
        Self { active: true, last_login: "1970-01-01T00:00:00Z", ..self }
    }
}
