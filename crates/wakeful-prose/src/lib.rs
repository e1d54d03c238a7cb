//! Reads the last message of a turn into a [`Reading`](wakeful_core::reading::Reading) (spec 20).
//!
//! Pure: text in, values out. The rules are data (`rules/*.toml`); the code knows how a message is built, which
//! parts of it may be searched, and in what order the guards apply, but no phrase of any language.
//!
//! [`read()`] is what a decision needs, [`explain()`] is the same reading with everything that led to it.

mod analysis;
mod eta;
mod explain;
mod guards;
mod read;
mod render;
mod rules;
mod text;

pub use explain::{CandidateView, Explanation, GuardView, HitView, Outcome, QuestionView, SpanView, explain};
pub use read::{Context, read};
pub use rules::{Kind, RuleError, RuleErrors, RuleInfo, Rules};
