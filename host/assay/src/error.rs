//! Why the program's parts cannot be made. What goes wrong in a call is a fault of that call, not one of these.

use std::path::PathBuf;

/// What stopped the start. No text holds a credential.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The forge's address is none that can be used: what is wrong and what to write.
    #[error("the forge's address {0}")]
    Address(String),
    /// The file of certificate authorities is none.
    #[error("the certificate file {}: {reason}", path.display())]
    CaFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A setting is out of its bounds.
    #[error("{name} must lie between {least} and {most}")]
    Setting {
        /// Its name in the environment.
        name: &'static str,
        /// The least it may be.
        least: u64,
        /// The most it may be.
        most: u64,
    },
    /// There can be no HTTP client.
    #[error("no HTTP client can be made: {0}")]
    Client(String),
    /// The WebAssembly engine does not start on this machine.
    #[error("the WebAssembly engine cannot be started: {0}")]
    Engine(String),
    /// A component cannot be loaded, or does not say what it offers.
    #[error("the component {component} cannot be loaded: {reason}")]
    Component {
        /// Its name.
        component: String,
        /// What is wrong with it.
        reason: String,
    },
}
