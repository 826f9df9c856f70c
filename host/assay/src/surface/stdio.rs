//! One agent over standard input and output.

use std::{io, sync::Arc};

use assay_mcp::lines;
use tokio::io::BufReader;

use crate::session::Session;

/// Serves until the input ends (G-015).
///
/// # Errors
/// Where the output can no longer be written.
pub async fn serve(session: Session) -> io::Result<()> {
    lines::serve(Arc::new(session), BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}
