//! One agent over standard input and output.

use std::sync::Arc;

use anyhow::Result;
use assay_mcp::{Server, lines::Lines};
use rmcp::ServiceExt as _;
use tokio::io::BufReader;

use crate::session::Session;

/// Serves until the input ends (G-015).
///
/// # Errors
/// Where the output can no longer be written.
pub async fn serve(session: Session) -> Result<()> {
    let lines = Lines::new(BufReader::new(tokio::io::stdin()), tokio::io::stdout());
    let running = Server::new(Arc::new(session)).serve(lines).await?;
    running.waiting().await?;
    Ok(())
}
