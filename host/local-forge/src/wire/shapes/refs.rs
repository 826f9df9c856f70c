//! Branches and other refs, with the commit that each is at.

use serde::Serialize;

use super::text;
use crate::git::copy::{Person, Tip};

/// A branch.
#[derive(Serialize)]
pub(crate) struct Branch {
    name: String,
    commit: Commit,
    protected: bool,
    required_approvals: u64,
    enable_status_check: bool,
    status_check_contexts: [(); 0],
    user_can_push: bool,
    user_can_merge: bool,
    effective_branch_protection_name: &'static str,
}

#[derive(Serialize)]
struct Commit {
    id: String,
    message: String,
    url: String,
    author: Signature,
    committer: Signature,
    verification: Verification,
    timestamp: String,
    added: Option<()>,
    removed: Option<()>,
    modified: Option<()>,
}

#[derive(Serialize)]
struct Signature {
    name: String,
    email: String,
    username: &'static str,
}

/// What a forge says of a commit's signature.
#[derive(Serialize)]
pub(crate) struct Verification {
    verified: bool,
    reason: &'static str,
    signature: &'static str,
    signer: Option<()>,
    payload: &'static str,
}

impl Verification {
    /// Looking for a signature would run a program of the signer's choice of format; none is run here.
    pub(crate) fn unsigned() -> Self {
        Self { verified: false, reason: "gpg.error.not_signed_commit", signature: "", signer: None, payload: "" }
    }
}

impl Branch {
    /// `web` is the address of the repository's pages.
    pub(crate) fn new(name: &[u8], tip: &Tip, web: &str, may_write: bool) -> Self {
        let signature = |who: &Person| Signature { name: who.name.clone(), email: who.email.clone(), username: "" };
        Self {
            name: text(name),
            commit: Commit {
                id: tip.oid.clone(),
                message: tip.message.clone(),
                url: format!("{web}/commit/{}", tip.oid),
                author: signature(&tip.author),
                committer: signature(&tip.committer),
                verification: Verification::unsigned(),
                timestamp: tip.authored.clone(),
                added: None,
                removed: None,
                modified: None,
            },
            protected: false,
            required_approvals: 0,
            enable_status_check: false,
            status_check_contexts: [],
            user_can_push: may_write,
            user_can_merge: may_write,
            effective_branch_protection_name: "",
        }
    }
}

/// A ref and its object.
#[derive(Serialize)]
pub(crate) struct Reference {
    r#ref: String,
    url: String,
    object: Object,
}

#[derive(Serialize)]
struct Object {
    r#type: &'static str,
    sha: String,
    url: String,
}

impl Reference {
    /// `api` is the repository's address in the API.
    pub(crate) fn new(tip: &Tip, api: &str) -> Self {
        let name = text(&tip.name);
        let url = format!("{api}/git/{name}");
        let object = Object { r#type: "commit", sha: tip.oid.clone(), url: format!("{api}/git/commits/{}", tip.oid) };
        Self { r#ref: name, url, object }
    }
}
