//! Scenario files in virtual time: client payloads, transcript lines, user actions and expected views (docs/scenarios.md).

mod change;
mod clock;
mod expect;
mod file;
mod machine;
mod play;

pub use expect::{Expectation, Mismatch, WaitExpectation};
pub use file::{FileError, Row, RowKind, Scenario};
pub use machine::{Found, HookCall, InForce, Machine};
pub use play::{Failure, Outcome, Reading, play};
