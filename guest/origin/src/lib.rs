//! The forge as a component sees it: the ports by which it is asked, how an answer's entity is read, and which of the
//! forge's things a call is about.
//!
//! The traits are the ports of `wit/`, so that tools run natively against a script. What an answer must look like is
//! `assay_forge`'s business; who asks, where the forge is and what a caller may spend is the host's.

mod entity;
mod lists;
mod port;
mod target;
mod write;

pub use entity::{Body, READ_BYTES, feed, head, refuse};
pub use lists::Lists;
pub use port::{Answer, Fault, Origin, Pending};
pub use target::{PullTarget, RepoTarget};
pub use write::{Method, OriginWrite, WriteFault};
