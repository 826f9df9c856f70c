//! The forge from outside: real repositories below it, its real HTTP above.

mod access;
mod diffs;
mod evidence;
mod files_written;
mod ground;
mod hostile;
mod life;
mod lists;
mod merging;
mod pulls;
mod recorded;
mod recorded_repo;
mod recorded_writes;
mod recording;
mod reviewing;
mod talk;
