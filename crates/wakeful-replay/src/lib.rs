//! The player: transcripts and scenario files become events, go through the same `translate` and `step` as live
//! events do, and come out as a report.

pub mod case;
pub mod cases;
pub mod readers;
pub mod simulate;
