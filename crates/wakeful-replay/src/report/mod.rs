//! What a replay says: the report as data, and as text for people.

mod case;
mod data;
mod tally;
mod text;

pub use case::{Case, Held, Interest, NextView, SurfacedView};
pub use data::{Report, TruthSummary, VERSION};
pub(crate) use tally::{Outcome, Tally, verdict_name};
pub use text::{Layout, render};
