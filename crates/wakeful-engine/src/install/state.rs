//! Our own folder: where backups and records of set-up are kept.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use wakeful_core::ids::Client;

use super::digest::Sha256;
use super::file::make_private_folder;
use super::{Environment, InstallError};
use crate::paths::state_dir_at;

/// The state folder.
#[derive(Debug, Clone)]
pub struct StateDir(PathBuf);

/// Held while one set-up or removal runs. Let go when dropped, or when the process ends in whatever way.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl StateDir {
    /// `$WAKEFUL_STATE_DIR`, else `$XDG_STATE_HOME/wakeful`, else `~/.local/state/wakeful`.
    pub fn of(environment: &Environment) -> Self {
        Self(state_dir_at(&|name| environment.variable(name), environment.home()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Keeps other set-ups out until the lock is dropped.
    ///
    /// # Errors
    /// When another one runs, or the folder cannot be made.
    pub fn lock(&self) -> Result<Lock, InstallError> {
        let folder = self.0.join("install");
        make_private_folder(&folder)?;
        let path = folder.join("lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(InstallError::io(&path, "cannot open"))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock(file)),
            Err(TryLockError::WouldBlock) => Err(InstallError::Busy),
            Err(TryLockError::Error(error)) => Err(InstallError::io(path, "cannot lock")(error)),
        }
    }

    /// Where the record and the backups of one settings file are.
    pub(crate) fn slot(&self, client: Client, real: &Path) -> PathBuf {
        let digest = Sha256::of(real.as_os_str().as_encoded_bytes());
        // Sixteen digits: a user has a handful of settings files.
        self.0.join("install").join(format!("{client}-{}", &digest.as_str()[..16]))
    }
}
