//! The player: transcripts and scenario files become events, go through the same `translate` and `step` as live
//! events do, and come out as a report.

pub mod backtest;
pub mod case;
pub mod cases;
pub mod demo;
pub mod files;
pub mod lines;
pub mod play;
pub mod readers;
pub mod report;
pub mod simulate;
pub mod truth;
