//! One daemon a user: a lock on a file, which the system takes back whatever happens to its holder.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::Files;

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: i32,
    /// Its version.
    pub version: String,
}

/// The lock, held.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another daemon runs.
    #[error("a daemon runs already{}", .0.as_ref().map(|holder| format!(" (process {}, version {})", holder.pid, holder.version)).unwrap_or_default())]
    Held(Option<Holder>),
    /// The file.
    #[error("{path}: {error}", path = .path.display())]
    File {
        /// Which.
        path: std::path::PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl Lock {
    /// Takes the lock, and says in it who this is.
    ///
    /// # Errors
    /// When somebody else has it.
    pub fn take(files: &Files, version: &str) -> Result<Self, LockError> {
        let path = files.lock();
        let wrong = |error| LockError::File { path: path.clone(), error };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(wrong)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(LockError::Held(read(&mut file))),
            Err(error) => return Err(wrong(error.into())),
        }
        let me =
            Holder { pid: rustix::process::getpid().as_raw_nonzero().get(), version: version.to_owned() };
        let said = serde_json::to_vec(&me).unwrap_or_default();
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&said)).map_err(wrong)?;
        Ok(Self { _file: file })
    }
}

/// Who runs as the daemon, if anyone does.
pub fn holder(files: &Files) -> Option<Holder> {
    let mut file = File::open(files.lock()).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(Errno::WOULDBLOCK) => read(&mut file),
        _ => None,
    }
}

fn read(file: &mut File) -> Option<Holder> {
    let mut said = String::new();
    file.take(4096).read_to_string(&mut said).ok()?;
    serde_json::from_str(&said).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let state = tempfile::tempdir().unwrap();
        let files = Files::of(state.path());
        files.make().unwrap();
        assert_eq!(holder(&files), None);
        let lock = Lock::take(&files, "1.2.3").unwrap();
        assert_eq!(holder(&files).unwrap().version, "1.2.3");
        assert!(matches!(Lock::take(&files, "1"), Err(LockError::Held(Some(_)))));
        drop(lock);
        assert_eq!(holder(&files), None);
        Lock::take(&files, "2").unwrap();
    }
}
