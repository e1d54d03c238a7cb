//! What can go wrong between us and the files of others.

use std::io;
use std::path::PathBuf;

use wakeful_clients::install::Refusal;
use wakeful_clients::install::command::BadPath;

/// Why a settings file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file or folder could not be used.
    #[error("{}: {what}: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// It does not parse, or has a shape that is not known.
    #[error("{}: {refusal}", path.display())]
    Refused {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        refusal: Refusal,
    },
    /// The file or its folder may not be written.
    #[error("{} is read-only", path.display())]
    ReadOnly {
        /// The file or the folder.
        path: PathBuf,
    },
    /// A symbolic link that leads to nothing.
    #[error("{} is a link to nothing", path.display())]
    DanglingLink {
        /// The link.
        path: PathBuf,
    },
    /// A folder, a device or the like.
    #[error("{} is not a file", path.display())]
    NotAFile {
        /// What it is called.
        path: PathBuf,
    },
    /// Someone else wrote it between our reading and our writing.
    #[error("{} was changed by another program in the meantime", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
    },
    /// Another set-up or removal is running.
    #[error("another `wakeful setup` or `unsetup` is running")]
    Busy,
    /// The program cannot be named in a settings file.
    #[error("{}: {source}", path.display())]
    Program {
        /// Where the program is.
        path: PathBuf,
        /// Why not.
        source: BadPath,
    },
    /// What set-up kept was written by a newer Wakeful.
    #[error("{}: version {version} is newer than this program knows", path.display())]
    TooNew {
        /// The record.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
}

impl InstallError {
    /// Something with `path` went wrong.
    pub(crate) fn io(path: impl Into<PathBuf>, what: &'static str) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, what, source }
    }

    /// Would the same command do if it were run again? (Exit 4, else 3.)
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Changed { .. } | Self::Busy)
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "nothing was changed; repair the file at that place and run this again",
            Self::ReadOnly { .. } => {
                "nothing was changed; make it writable, or add the hooks where it comes from"
            }
            Self::DanglingLink { .. } | Self::NotAFile { .. } => "nothing was changed",
            Self::Changed { .. } => "it was left as it is now; run this again",
            Self::Busy => "wait for it, then run this again",
            Self::Program { .. } => "install `wakeful` under its own name in a folder with an ordinary path",
            Self::TooNew { .. } => "use the newer program",
            Self::Io { .. } => "check that the path exists and that you may write there",
        }
    }
}
