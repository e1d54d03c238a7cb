//! The bell of the session's terminal.

use std::io::Write as _;
use std::path::Path;

use crate::notify::ring::{Did, Skip};
use crate::notify::terminal;

/// All that is ever written to a terminal. It is output, not input: no dialog that is open there gets a key.
const BELL: [u8; 1] = [0x07];

/// Rings the terminal of this process.
pub fn ring(pid: Option<u32>) -> Did {
    match pid.and_then(terminal::of_process) {
        Some(device) => ring_at(&device),
        None => Did::Skipped(Skip::NoTerminal),
    }
}

/// Rings this terminal.
pub fn ring_at(device: &Path) -> Did {
    match terminal::open(device).and_then(|mut terminal| terminal.write(&BELL)) {
        Ok(1) => Did::Rung,
        Ok(_) => Did::Failed("the terminal took nothing".to_owned()),
        Err(error) => Did::Failed(error.to_string()),
    }
}
