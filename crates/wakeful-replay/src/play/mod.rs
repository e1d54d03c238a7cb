//! Plays transcripts through the live code (spec 80): lines → events → `Board::apply` → decisions → counts.
//!
//! [`replay`] plays many files; one file is `file.rs`, one session's way through the board is `player.rs`.

mod commands;
mod file;
mod player;
mod run;
pub(crate) mod translator;

pub(crate) use player::end_of;
pub use run::{Options, Progress, ReplayError, Tools, replay};
