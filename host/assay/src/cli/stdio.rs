//! `assay stdio`: the tools for one agent, one message a line.

use clap::Args;

use super::{Failed, connection::Connection, credential::OwnCredential, editing::EditingOptions, offer::Offer};
use crate::{caller::Caller, session::Session, shutdown, surface};

/// Serve the tools to one agent over standard input and output.
///
/// Messages go one a line; logs go to standard error. The process ends when its input does.
#[derive(Debug, Args)]
pub(crate) struct Stdio {
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    credential: OwnCredential,
    #[command(flatten)]
    offer: Offer,
    #[command(flatten)]
    editing: EditingOptions,
}

impl Stdio {
    pub(crate) async fn run(self) -> Result<(), Failed> {
        let editing = self.editing.open(&self.offer).await?;
        let connected = self.connection.connect_with(editing.clone()).await?;
        let caller = Caller::new(self.credential.read(&connected)?);
        let catalogue = self.editing.profiled(self.offer.on(&connected)?)?;
        let session =
            Session::new(connected.engine, caller).offering(catalogue).responding(self.editing.response_mode());
        let ended = tokio::select! {
            ended = surface::stdio::serve(session) => ended.map_err(|e| Failed::Fault(e.into())),
            // A client may end its server by a signal; a local forge's copies must go all the same.
            () = shutdown::requested() => Ok(()),
        };
        if let Some((forge, _)) = connected.local {
            forge.shutdown().await;
        }
        if let Some(editing) = editing {
            editing.close().await;
        }
        ended
    }
}
