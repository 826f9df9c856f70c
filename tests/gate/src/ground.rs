//! Ground of our own for both suites: a throw-away forge over a private repository, gone when it ends.

use anyhow::{Context as _, Result};
use assay_kit::{AwkwardRepository, ObjectFormat};
use assay_local_forge::{Accounts, Config, LocalForge, Source};

pub(crate) struct Ground {
    forge: LocalForge,
    token: String,
    owner: String,
    repo: String,
    _repository: AwkwardRepository,
}

impl Ground {
    pub(crate) async fn make() -> Result<Self> {
        let repository = AwkwardRepository::new(ObjectFormat::Sha1);
        let (accounts, token) = Accounts::with_owner();
        let source = Source { private: true, ..Source::from_path(repository.path()) };
        let config = Config { accounts, native_evidence: false, ..Config::serving(vec![source]) };
        let forge = assay_local_forge::start(config).await?;
        let pull = forge.pulls().into_iter().next().context("its topics are pull requests")?;
        Ok(Self { forge, token: token.to_string(), owner: pull.owner, repo: pull.repo, _repository: repository })
    }

    /// T-073: every variable that admits a suite.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        Some(match name {
            "FORGEJO_URL" => self.forge.url(),
            "E2E_OWNER" => self.owner.clone(),
            "E2E_REPO" => self.repo.clone(),
            "FORGEJO_TOKEN" | "REMOTE_E2E_TOKEN" => self.token.clone(),
            _ => return None,
        })
    }

    pub(crate) async fn end(self) {
        self.forge.shutdown().await;
    }
}
