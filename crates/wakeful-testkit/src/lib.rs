//! What the tests need to run the real clients offline: scripted model servers on the loopback address, and drivers that start
//! the installed programs in a fresh home. A dev-dependency only.
//!
//! Nothing here sleeps. Whatever a test waits for is an event that it observes, and every wait has a limit ([`patience`]).

pub mod claude;
pub mod clients;
pub mod codex;
pub mod latch;
pub mod model;
pub mod patience;
pub mod running;
pub mod sandbox;
