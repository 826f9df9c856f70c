//! What the editing tools stand on: the database of documents, and the folder that files come from and go to.

use std::sync::Arc;

use assay_documents::Documents;
use assay_workspace::Workspace;

/// Both, as the operator configured them.
#[derive(Clone, Debug)]
pub struct Editing {
    /// Where documents are kept.
    pub documents: Arc<dyn Documents>,
    /// Whose they are: empty on standard input and output, where there is one user.
    pub owner: String,
    /// Where files are, if the operator named a folder.
    pub workspace: Option<Arc<Workspace>>,
}
