//! The one place where decisions become facts: inputs in, one transaction, and what is to be done out.
//!
//! No clock, no threads: the daemon (and the simulator, and the tests) say what time it is.

mod face;
mod input;
mod intake;
mod mourn;
mod take;
mod tidy;

pub use input::{Act, EngineSettings, Input, NeverEnds, Outcome, Reader, Senses};
pub use intake::{Intake, IntakeError};
pub use take::{Engine, Took};
