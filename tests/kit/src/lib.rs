//! What the tests stand on: cases, evidence, scripted and faulty forges, awkward git repositories, a database server.
//!
//! Nothing here uses the code it tests: entities, encodings and slices are made a second time, by other means (real git,
//! a plain JSON parser), so that a mistake is not made twice in the same way.
//! A wrong use of the kit panics with the reason, as it is a mistake of the test.

pub mod case;
pub mod case_run;
pub mod content;
pub mod contract;
pub mod evidence;
pub mod faulty;
pub mod json;
pub mod names;
pub mod postgres;
pub mod random;
pub mod recorded_repo;
pub mod recording;
pub mod repository;
pub mod response;
pub mod schema;
pub mod script;
pub mod scripted;
pub mod topics;
pub mod tree;
pub mod wrong;

pub use case::{Case, ScriptedAnswer};
pub use case_run::{Asked, CallResult, Outcome, Runner};
pub use evidence::{DataFault, Evidence};
pub use faulty::Fault;
pub use recording::{RecordedBody, Recording};
pub use repository::{AwkwardRepository, Change, DiffStyle, ObjectFormat};
pub use response::{Framing, Response};
pub use script::{Reply, Said, Script};
pub use scripted::{Delivery, Gate, Request, ScriptedForge, Step};
