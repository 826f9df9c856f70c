//! Who the server must prove to be.

use std::{path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, pem::PemObject as _},
};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::Fault;

/// Verifies by the platform's authorities, or by those in this file alone.
pub(super) fn connector(root: Option<&Path>) -> Result<MakeRustlsConnect, Fault> {
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Fault::Location(error.to_string()))?;
    let config = match root {
        Some(path) => builder.with_root_certificates(roots(path)?).with_no_client_auth(),
        None => builder
            .with_platform_verifier()
            .map_err(|error| Fault::Location(format!("the platform's authorities: {error}")))?
            .with_no_client_auth(),
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(path: &Path) -> Result<RootCertStore, Fault> {
    let unusable = |what: String| Fault::Location(format!("sslrootcert {}: {what}", path.display()));
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(unusable("it has no certificate".to_owned()));
    }
    Ok(roots)
}
