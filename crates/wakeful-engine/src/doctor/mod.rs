//! `wakeful doctor` (C9): does all of it work, and what is to be done where it does not? Looks and changes nothing. The
//! environment, the home folder and the clocks come in as values.

mod clients;
mod daemon;
mod examine;
mod finding;
mod heard;
mod rights;
mod rings;
mod settings;
mod spool;

pub use examine::{Diagnosis, Machine, examine};
pub use finding::{Check, Finding, State};
pub use heard::{GuardCounts, UnknownName};
pub use settings::RuleFolder;
