//! Running git: the served repositories, which are only read, the forge's bare copies of them, and what lies in those.

pub(crate) mod copy;
pub(crate) mod follow;
pub(crate) mod history;
pub(crate) mod listing;
pub(crate) mod objects;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod source;
