//! Errors at the edge: what, why, what to do next, and the named exit codes of spec 70.

use std::io::Write as _;
use std::process::ExitCode;

use wakeful_engine::daemon::{LockError, ServeError};
use wakeful_engine::live::FindError;

/// How a command that ran to its end answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Fine: exit 0.
    Yes,
    /// The answer is no: exit 1.
    No,
    /// One of several answers that the command documents: exit with this.
    Code(u8),
}

impl From<Answer> for ExitCode {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Yes => Self::SUCCESS,
            Answer::No => Self::from(1),
            Answer::Code(code) => Self::from(code),
        }
    }
}

/// Why a command could not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line asks for something that cannot be: exit 2.
    #[error("{what}")]
    Usage {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The machine is not as it must be (a file cannot be read): exit 3.
    #[error("{what}: {source}")]
    Environment {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
        /// What to do.
        hint: Option<String>,
    },
    /// A settings file is as it was, because it could not be changed: exit 3, or 4 if someone else was at it.
    #[error(transparent)]
    Install(#[from] wakeful_engine::install::InstallError),
    /// Our own settings are at fault: exit 3.
    #[error(transparent)]
    Settings(#[from] wakeful_engine::settings::SettingsError),
}

impl From<wakeful_engine::settings::EditError> for Error {
    fn from(error: wakeful_engine::settings::EditError) -> Self {
        use wakeful_engine::settings::EditError;
        match error {
            EditError::File(error) => Self::Install(error),
            EditError::Settings(error) => Self::Settings(error),
            EditError::Shape { .. } => Self::Usage {
                what: error.to_string(),
                hint: Some("change it with `wakeful settings edit`".to_owned()),
            },
        }
    }
}

impl Error {
    /// Something with a file or a stream went wrong.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Environment { what, source, hint: None }
    }

    /// The sessions could not be read.
    pub fn sessions(error: FindError) -> Self {
        let hint = Some("`wakeful doctor` says what is wrong".to_owned());
        Self::Environment { what: "the sessions".to_owned(), source: std::io::Error::other(error), hint }
    }

    /// The daemon could not start.
    pub fn serve(error: ServeError) -> Self {
        match error {
            ServeError::Lock(LockError::Held(_)) => Self::Usage {
                what: error.to_string(),
                hint: Some("`wakeful serve --stop` ends it".to_owned()),
            },
            ServeError::Lock(_) | ServeError::Store(_) | ServeError::Io { .. } => Self::Environment {
                what: "the daemon".to_owned(),
                source: std::io::Error::other(error),
                hint: Some("`wakeful doctor` says what is wrong".to_owned()),
            },
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            Self::Environment { .. } | Self::Settings(_) => 3,
            Self::Install(error) => {
                if error.is_conflict() {
                    4
                } else {
                    3
                }
            }
        }
    }

    /// What to do.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } | Self::Environment { hint, .. } => hint.as_deref(),
            Self::Install(error) => Some(error.hint()),
            Self::Settings(_) => {
                Some("`wakeful settings edit` opens the file; docs/settings.md has every key")
            }
        }
    }

    /// The reader of our output went away: not an error of ours.
    fn broken_pipe(&self) -> bool {
        matches!(self, Self::Environment { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// Says on standard error what went wrong; gives the exit code.
pub fn report(error: &Error) -> ExitCode {
    if error.broken_pipe() {
        return ExitCode::SUCCESS;
    }
    say(error);
    ExitCode::from(error.code())
}

/// Says on standard error what went wrong.
pub fn say(error: &Error) {
    let mut err = std::io::stderr().lock();
    // Nothing is left to tell it to if standard error is gone too.
    let _ = writeln!(err, "wakeful: {error}");
    if let Some(hint) = error.hint() {
        let _ = writeln!(err, "  {hint}");
    }
}
