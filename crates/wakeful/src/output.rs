//! Writing to standard output, with a reader that may go away.

use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use crate::error::Error;

/// Writes to standard output.
///
/// # Errors
/// When it is closed or full.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(Error::io("standard output"))
}

/// When colours are used: on a terminal unless `NO_COLOR` is set, always, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Colours {
    // No doc comments: clap would print them in the help of every command.
    Auto,
    Always,
    Never,
}

static WANTED: OnceLock<Colours> = OnceLock::new();

/// What `--color` says; the first call counts.
pub fn want_colours(when: Colours) {
    let _ = WANTED.set(when);
}

/// Are colours wanted? They follow `--color`, else the terminal and `NO_COLOR` (spec 70).
pub fn colours() -> bool {
    match WANTED.get() {
        Some(Colours::Always) => true,
        Some(Colours::Never) => false,
        Some(Colours::Auto) | None => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Columns of the terminal; 100 where there is none.
pub fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| (40..=200).contains(columns)).unwrap_or(100)
}
