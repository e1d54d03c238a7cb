//! The program as its callers see it: arguments, standard input, an environment and a home in; output, files and exit
//! codes out. Every test runs the real binary in a world of its own (`environment`, `sandbox`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod backtest;
mod daemon;
mod desktop;
mod doctor;
mod environment;
mod explain;
mod forgotten;
mod guard;
mod hook;
mod inbox;
mod notify;
mod reference;
mod replay;
mod ringing;
mod sandbox;
mod sessions;
mod settings;
mod simulate;
mod transcripts;
mod usage;
