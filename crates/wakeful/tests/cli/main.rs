//! The program from outside: every test runs the real binary in a world of its own (`environment`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backtest;
mod environment;
mod explain;
mod forgotten;
mod reference;
mod replay;
mod simulate;
mod transcripts;
mod usage;
