//! What touches the machine: where Wakeful keeps its files, the spool between hooks and readers, the live list, set-up and
//! removal of hooks, and the look at whether all of it works.

pub mod api;
pub mod daemon;
pub mod doctor;
pub mod engine;
pub mod guard_settings;
pub mod install;
pub mod live;
pub mod mask;
pub mod notify;
pub mod paths;
pub mod settings;
pub mod shown;
pub mod spool;
pub mod store;
