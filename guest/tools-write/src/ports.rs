//! What a tool may reach: the ports of its component's world as traits, so that the tools run natively against a script.

use assay_origin::{Origin, OriginWrite};

/// Everything a call has.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// The forge, to read from.
    pub origin: &'a dyn Origin,
    /// The forge, to write to.
    pub write: &'a dyn OriginWrite,
}
