//! `wakeful setup` and `unsetup` (spec 60, C6 and C7): find the clients, read and replace their settings files, keep
//! what is needed to put them back. The environment and the home folder come in as values.

pub mod codex_config;
pub mod codex_trust;
mod digest;
mod environment;
mod error;
pub(crate) mod file;
mod find;
mod receipt;
mod run;
mod setup;
mod state;

pub use environment::Environment;
pub(crate) use environment::can_run;
pub use error::InstallError;
pub use find::{Found, find, look};
pub use setup::{Change, plan_setup, plan_unsetup};
pub use state::{Lock, StateDir};
