//! What a replay says: the report as data, and as text for people.

mod data;
mod decided;
mod tally;
mod text;

pub use data::{Report, TruthSummary, VERSION};
pub use decided::{Decided, Held, Interest, NextView, SurfacedView};
pub(crate) use tally::{Outcome, Tally, verdict_name};
pub use text::{Layout, render};
