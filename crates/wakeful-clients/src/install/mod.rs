//! Set-up and removal of the hook entries in a client's settings file (C6): bytes in, a plan out.
//!
//! The table of hooks is data ([`table()`], one `install.rs` a client). The editor never prints a file anew: it works out
//! places in the original bytes, and inserts or takes away there. What it does not touch it cannot lose.

pub mod command;
mod document;
mod edit;
mod footprint;
mod insert;
mod installed;
mod note;
mod plan;
mod refusal;
mod remove;
mod render;
mod shape;
mod table;
mod unified;
mod version;

#[doc(hidden)]
pub mod probe;

pub use footprint::Footprint;
pub use installed::our_programs;
pub use plan::{After, Entry, Plan, Wanted, plan_removal, plan_setup};
pub use refusal::Refusal;
pub(crate) use table::{EXIT_TIMEOUT, TIMEOUT};
pub use table::{Format, HookRow, HookTable, Seconds, table};
pub use unified::unified_diff;
pub use version::Version;
