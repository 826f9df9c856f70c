//! The fixture as the component that it is, in the program's engine.

use std::{fs, path::Path, sync::Arc};

use anyhow::{Context as _, Result};
use assay_host::{
    budget::{Budget, Rates},
    caller::{Caller, Credential},
    engine::{Engine, Parts},
    origin::Origin,
    session::Session,
};

/// A session of nobody's, on no forge. It needs a tokio runtime.
pub(crate) fn load(component: &Path) -> Result<Session> {
    let bytes = fs::read(component)
        .with_context(|| format!("{}: run `make conformance`, which builds it", component.display()))?;
    let parts = Parts::new(Arc::new(Origin::nowhere()), Arc::new(Budget::new(Rates::default())));
    let engine = Engine::compile(parts, &[("fixture", bytes.as_slice())])?;
    Ok(Session::new(Arc::new(engine), Caller::new(Credential::anonymous())))
}
