//! `assay patch migrate`: an older database, brought forward.

use assay_documents::{Fault, Migrated, migrate};
use assay_envelope::Refusal;
use clap::Args;

use super::print;
use crate::cli::{
    Failed,
    editing::{Ground, unusable},
};

/// Bring the database forward to this program's schema, or make it where there is none.
///
/// Nothing is changed where a step would lose or contradict what is stored, and there is no way back: keep a copy.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  assay patch migrate --database ~/.local/share/assay/documents.sqlite")]
pub(super) struct Migrate {
    #[command(flatten)]
    ground: Ground,
}

impl Migrate {
    pub(super) async fn run(self) -> Result<(), Failed> {
        let location = self.ground.location()?;
        let migrated = migrate(&location).await.map_err(|fault| match fault {
            Fault::MigrationRefused { .. } => Failed::Refused(Refusal::new("migration_refused", fault.to_string())),
            fault => unusable(&location, fault),
        })?;
        print(&format!("{}\n", said(&migrated)))
    }
}

fn said(Migrated { from, applied }: &Migrated) -> String {
    match (from, applied.as_slice()) {
        (None, [.., last]) => format!("made the database with schema {last}"),
        (Some(from), [.., last]) => {
            format!("brought the database from schema {from} to {last}: {}", applied.join(", "))
        }
        (Some(from), []) => format!("nothing to do: the database has schema {from}, which is this program's"),
        (None, []) => "nothing to do".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// what was done is said.
    #[test]
    fn what_was_done_is_said() {
        let migrated = |from: Option<&str>, applied: &[&'static str]| {
            said(&Migrated { from: from.map(str::to_owned), applied: applied.to_vec() })
        };
        assert_eq!(migrated(None, &["b"]), "made the database with schema b");
        assert_eq!(migrated(Some("a"), &["b", "c"]), "brought the database from schema a to c: b, c");
        assert!(migrated(Some("c"), &[]).starts_with("nothing to do"));
    }
}
