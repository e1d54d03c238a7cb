//! A command that runs until the test lets it go.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A named pipe that the test holds open. A command that reads it (`cat PIPE`) waits without a sleep or a loop, and ends when the
/// test drops the latch: also when the test fails.
#[derive(Debug)]
pub struct Latch {
    path: PathBuf,
    held: Option<File>,
}

impl Latch {
    /// A new one at `path`.
    ///
    /// # Errors
    /// When the pipe cannot be made.
    pub fn new(path: &Path) -> io::Result<Self> {
        let made = Command::new("mkfifo").arg(path).status()?;
        if !made.success() {
            return Err(io::Error::other(format!("mkfifo {}: {made}", path.display())));
        }
        // For reading too: opening for writing only would wait for a reader.
        let held = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Self { path: path.to_owned(), held: Some(held) })
    }

    /// The pipe.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets whoever reads it go on.
    pub fn open(&mut self) {
        self.held = None;
    }
}
