//! The workspace: one folder whose files are read and replaced byte for byte, and out of which no path leads.
//!
//! It moves bytes. What they mean, what was edited and what a database recorded are its callers' matters: they bring the
//! digest that a file must still have, and keep what a publication says became of it. Everything here blocks.
//!
//! What it assumes is P-011: whoever writes to a published file at the same time takes the same lease on its directory. A
//! writer that does not is noticed all the same where the system can exchange two files (Linux, macOS): what was in the
//! file's place up to the last moment is looked at, and put back if it is not what was expected. Where it can only rename,
//! what is written between the last look and the rename is lost. On both, so is what a program writes into the old file
//! afterwards, because it still has it open.
#![cfg(unix)]

mod digest;
mod leaf;
mod path;
mod publish;
mod read;
mod refusal;
mod root;
mod walk;

pub use digest::Digest;
pub use path::RelativePath;
pub use publish::{Destination, Expected, Failed, Left, Observer, Published, STEPS, Step};
pub use read::File;
pub use refusal::{Fault, Refusal, Unsupported};
pub use root::Workspace;
pub use walk::Walk;
