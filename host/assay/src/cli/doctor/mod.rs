//! `assay doctor`: what stands between this machine and a verified diff, one check a line, with what to do.
//!
//! It changes nothing, and shows nothing that a forge wrote but a version and a login.

mod reach;
mod receipts;
mod report;
mod token;

use anyhow::anyhow;
use assay_envelope::Refusal;
use clap::Args;

use self::report::Report;
use super::{
    Failed,
    connection::Connection,
    credential::OwnCredential,
    diff::{Pull, Target},
    say,
};
use crate::{
    caller::{Caller, Credential},
    origin::Origin,
    shutdown,
};

const AFTER_HELP: &str = "\
Examples:
  assay doctor
      Is the forge there, is the token one, which scopes does it have?
  assay doctor --pull team/project#7
      Also: does the forge serve evidence, or does it show the git objects that a proof needs?

Exit codes: 0 where everything needed works, 1 where something does not.";

/// Check the forge, the token and its scopes, and say what to do about each.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Doctor {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
    /// A pull request on which to see which receipts the forge can give.
    #[arg(long, value_name = "OWNER/REPO#7")]
    pull: Option<String>,
    /// One JSON object: `usable`, and `checks` with `check`, `outcome` (ok, warning, failed), `found` and `advice`.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let local = match self.connection.local() {
            [] => None,
            _ => Some(self.connection.serve_local().await?),
        };
        let examined = async {
            let (url, credential) = match &local {
                Some((forge, token)) => (forge.url(), Ok(Credential::token(token.clone()))),
                None => (self.connection.address()?, self.credential.given()),
            };
            let pull = self.pull.as_ref().map(|text| pull(text, &url)).transpose()?;
            let origin = self.connection.origin(url.clone())?;
            Ok(self.examine(&origin, &url, credential, pull).await)
        };
        let examined = tokio::select! {
            examined = examined => examined,
            () = shutdown::requested() => Err(Failed::Fault(anyhow!("interrupted"))),
        };
        if let Some((forge, _)) = local {
            forge.shutdown().await;
        }
        let report = examined?;
        say(&if self.json { report.json() } else { report.text() })?;
        match report.failures() {
            0 => Ok(()),
            failures => Err(Failed::Refused(Refusal::new(
                "not_usable",
                format!("{failures} of the checks failed; what to do stands below each of them"),
            ))),
        }
    }

    async fn examine(
        &self,
        origin: &Origin,
        url: &str,
        credential: Result<Credential, Failed>,
        pull: Option<Pull>,
    ) -> Report {
        let mut report = Report::default();
        let (caller, missing) = match credential {
            Ok(credential) => (Some(Caller::new(credential)), None),
            Err(failed) => (None, Some(failed)),
        };
        if !reach::check(&mut report, origin, caller.as_ref(), url).await {
            return report;
        }
        let Some(caller) = caller else {
            let reason = missing.map(|failed| failed.to_string()).unwrap_or_default();
            report.failed("token", "there is none to use", reason);
            return report;
        };
        if !token::check(&mut report, origin, &caller).await {
            return report;
        }
        match pull {
            Some(pull) => {
                let evidence_alone = self.connection.proofs().evidence_alone();
                receipts::check(&mut report, origin, &caller, &pull, evidence_alone).await;
            }
            None => report.ok(
                "receipt",
                "the first diff decides between native evidence and a proof; --pull OWNER/REPO#7 shows it now",
            ),
        }
        report
    }
}

fn pull(text: &str, url: &str) -> Result<Pull, Failed> {
    match Target::on_forge(&[text.to_owned()], url) {
        Ok(Target::Pull(pull)) => Ok(pull),
        Ok(Target::Range { .. }) => Err(Failed::Configuration(anyhow!("--pull takes OWNER/REPO#7"))),
        Err(error) => Err(Failed::Configuration(error.context("--pull"))),
    }
}
