//! What can go wrong with the store.

use std::path::PathBuf;

/// Why the store could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says so: the disk is full, the folder is read-only, the file is damaged.
    #[error("the store: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file was written by a newer version of Wakeful.
    #[error("{path} is of version {found} of the store's format; this program writes version {ours}", path = path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that this program knows.
        ours: u32,
    },
    /// The file could not be put aside or made.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A value could not be written down. Never seen; here so that nothing panics.
    #[error("a value that cannot be written down: {0}")]
    Json(#[from] serde_json::Error),
}

impl StoreError {
    /// The file is no (whole) SQLite file: it must be put aside.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        matches!(self, Self::Sqlite(error) if matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase)))
    }

    /// There is no room, or no right, to write: what is in memory can go on, and the next batch may do better.
    pub fn is_no_room(&self) -> bool {
        use rusqlite::ErrorCode::{DiskFull, PermissionDenied, ReadOnly, SystemIoFailure};
        matches!(
            self,
            Self::Sqlite(error)
                if matches!(error.sqlite_error_code(), Some(DiskFull | PermissionDenied | ReadOnly | SystemIoFailure))
        )
    }
}
