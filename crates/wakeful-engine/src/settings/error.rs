//! Why settings cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why settings cannot be used. None of them is in force then: half of a file is not what its writer meant.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file is there and cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder, a pipe, or far too long.
    #[error("{} is no file of settings", path.display())]
    NotSettings {
        /// What it is called.
        path: PathBuf,
    },
    /// Something in the file.
    #[error("{}, {place}: {problem}", path.display())]
    Text {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        place: Place,
        /// What.
        problem: Problem,
    },
    /// A variable of the environment.
    #[error("{variable}: {problem}")]
    Variable {
        /// Its name.
        variable: String,
        /// What is wrong with its value.
        problem: Problem,
    },
}

impl SettingsError {
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }
}

/// A place in a text. Both count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place of this byte.
    pub(super) fn at(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { line: before.matches('\n').count() + 1, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is no TOML.
    #[error("{0}")]
    Syntax(String),
    /// Nobody knows that key.
    #[error("unknown key `{key}`{}", did_you_mean(*suggestion))]
    UnknownKey {
        /// In full.
        key: String,
        /// What was probably meant.
        suggestion: Option<&'static str>,
    },
    /// A value where a section belongs.
    #[error("`{0}` is a section, not a key")]
    Section(String),
    /// Another type, or a value that there is not.
    #[error("`{key}` takes {expected}")]
    Value {
        /// The key.
        key: &'static str,
        /// What it takes.
        expected: String,
    },
}

fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
