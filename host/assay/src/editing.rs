//! What the editing tools stand on: the database of documents, whose each of them is, and the folder that files come from
//! and go to.

use std::sync::Arc;

use assay_documents::Documents;
use assay_envelope::Refusal;
use assay_workspace::Workspace;

use crate::{
    caller::{Account, Caller},
    origin::Origin,
};

/// Whose documents are where there is one user.
pub(crate) const NOBODY: &str = "";

/// A database, and who uses it.
#[derive(Clone, Debug)]
pub struct Editing {
    documents: Arc<dyn Documents>,
    users: Users,
}

#[derive(Clone, Debug)]
enum Users {
    /// One, and their folder.
    One(Option<Arc<Workspace>>),
    /// The accounts of a forge. There is no place for a folder beside them, so that none of them reaches the server's
    /// disk.
    Accounts,
}

impl Editing {
    /// For the one user of standard input and output, with the folder that the operator named.
    #[must_use]
    pub fn of_one(documents: Arc<dyn Documents>, workspace: Option<Arc<Workspace>>) -> Self {
        Self { documents, users: Users::One(workspace) }
    }

    /// For many, each of whom has the documents of their account at the forge.
    #[must_use]
    pub fn of_accounts(documents: Arc<dyn Documents>) -> Self {
        Self { documents, users: Users::Accounts }
    }

    /// Whether the forge says whose a document is.
    #[must_use]
    pub fn is_by_account(&self) -> bool {
        matches!(self.users, Users::Accounts)
    }

    /// Where documents are kept.
    #[must_use]
    pub fn documents(&self) -> &Arc<dyn Documents> {
        &self.documents
    }

    /// Where files are.
    #[must_use]
    pub fn workspace(&self) -> Option<&Arc<Workspace>> {
        match &self.users {
            Users::One(workspace) => workspace.as_ref(),
            Users::Accounts => None,
        }
    }

    /// Whose documents `caller` edits: nobody's name where there is one user, else `<forge>#<number of the account>`
    ///
    ///
    /// # Errors
    /// What is missing where the forge has not said who the caller is (K-79).
    pub fn owner(&self, origin: &Origin, caller: &Caller) -> Result<String, Refusal> {
        let refused = |what: &str| Err(Refusal::new("account_unknown", format!("{what} The other tools work.")));
        match (&self.users, caller.account()) {
            (Users::One(_), _) => Ok(NOBODY.to_owned()),
            (Users::Accounts, Account::Numbered(number)) => Ok(format!("{}#{number}", origin.name())),
            (Users::Accounts, Account::Withheld) => refused(
                "A document belongs to an account, and the forge does not tell this token whose it is: send a token that has the scope read:user as well.",
            ),
            (Users::Accounts, Account::Unasked | Account::Unnamed) => refused(
                "A document belongs to an account, and the forge's answer to GET /user names none: try again, and send a user's own token.",
            ),
        }
    }

    /// Lets the connections to the database go. What is under way ends as it would have.
    pub async fn close(&self) {
        self.documents.close().await;
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::{
        caller::Credential,
        origin::{Origin, OriginConfig},
    };

    fn origin(url: &str) -> Origin {
        let second = std::time::Duration::from_secs(1);
        let config = OriginConfig {
            url: url.to_owned(),
            ca_file: None,
            connect_timeout: second,
            read_timeout: second,
            user_agent: "assay/0.0.0".to_owned(),
        };
        Origin::new(config).expect("the address is sound")
    }

    fn caller(account: Account) -> Caller {
        Caller::new(Credential::token("t0k3n".to_owned())).speaking_for(account)
    }

    fn numbered(number: u64) -> Account {
        Account::Numbered(NonZeroU64::new(number).expect("it is none"))
    }

    async fn editing(by_account: bool) -> (tempfile::TempDir, Editing) {
        let folder = tempfile::tempdir().expect("there is room");
        let place = folder.path().join("documents.sqlite");
        let documents = assay_documents::open(place.to_str().expect("it is plain")).await.expect("it can be made");
        let editing = if by_account { Editing::of_accounts(documents) } else { Editing::of_one(documents, None) };
        (folder, editing)
    }

    /// an owner is a forge and an account's number there, however the address is written; no two of them are one.
    #[tokio::test]
    async fn an_owner_is_an_account_of_a_forge() {
        let (_folder, editing) = editing(true).await;
        let owner = |url: &str, number| editing.owner(&origin(url), &caller(numbered(number))).expect("it is known");
        for same in ["https://Forge.example", "https://forge.example:443/", "https://forge.example/api/v1/"] {
            assert_eq!(owner(same, 7), "https://forge.example#7");
        }
        let others = [
            owner("https://forge.example", 77),
            owner("http://forge.example", 7),
            owner("https://forge.example:8443", 7),
            owner("https://forge.example/7", 7),
            owner("https://other.example", 7),
        ];
        let all: std::collections::BTreeSet<&String> = others.iter().collect();
        assert!(all.len() == others.len() && !others.iter().any(|owner| owner == "https://forge.example#7"));
        let local = origin("http://127.0.0.1:40001").known_as("local");
        assert_eq!(editing.owner(&local, &caller(numbered(1))).as_deref(), Ok("local#1"));
    }

    /// X-09, K-79: who is not known has no documents, and is told what is missing; the one user of standard input needs
    /// no forge.
    #[tokio::test]
    async fn who_is_not_known_owns_nothing() {
        let forge = origin("https://forge.example");
        let (_folder, shared) = editing(true).await;
        for (account, said) in
            [(Account::Withheld, "read:user"), (Account::Unnamed, "try again"), (Account::Unasked, "try again")]
        {
            let refused = shared.owner(&forge, &caller(account)).expect_err("nobody");
            assert!(refused.code == "account_unknown" && refused.message.contains(said), "{refused:?}");
        }
        let (_folder, own) = editing(false).await;
        for account in [Account::Unasked, Account::Withheld, numbered(7)] {
            assert_eq!(own.owner(&forge, &caller(account)).as_deref(), Ok(""));
        }
    }
}
