//! The daemon's files, in a folder of its own in the state folder.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use wakeful_core::ids::Digest;

/// The longest path that a socket may have: 104 bytes on macOS, 108 on Linux, each with an end mark.
const LONGEST_SOCKET: usize = 100;

/// Where the daemon's files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The state folder.
    pub state: PathBuf,
    /// Folder of all that follows.
    pub dir: PathBuf,
    /// Folder of the sockets: the same, unless its path is too long for one.
    sockets: PathBuf,
}

impl Files {
    /// Of this state folder.
    pub fn of(state: &Path) -> Self {
        let dir = state.join("daemon");
        let fits = dir.as_os_str().len() + "/hook.sock".len() <= LONGEST_SOCKET;
        let short = || {
            let uid = rustix::process::getuid().as_raw();
            let digest = Digest::of(dir.as_os_str().as_bytes()).0;
            std::env::temp_dir().join(format!("wakeful-{uid}-{digest:016x}"))
        };
        let sockets = if fits { dir.clone() } else { short() };
        Self { state: state.to_owned(), dir, sockets }
    }

    /// Held for as long as the daemon runs; says which process it is.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// Where hooks hand events over.
    pub fn hook_socket(&self) -> PathBuf {
        self.sockets.join("hook.sock")
    }

    /// Where the API listens.
    pub fn api_socket(&self) -> PathBuf {
        self.sockets.join("api.sock")
    }

    /// The user stopped the daemon, and hooks must not start it again.
    pub fn stopped(&self) -> PathBuf {
        self.dir.join("stopped")
    }

    /// Changed whenever a hook tries to start the daemon.
    pub fn tried(&self) -> PathBuf {
        self.dir.join("tried")
    }

    /// What a detached daemon says.
    pub fn log(&self) -> PathBuf {
        self.dir.join("log")
    }

    /// Makes the folders, for this user alone. A folder in the way that belongs to somebody else is an error.
    ///
    /// # Errors
    /// When they cannot be made, or are not this user's own.
    pub fn make(&self) -> std::io::Result<()> {
        use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
        for dir in [&self.dir, &self.sockets] {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
            let meta = std::fs::symlink_metadata(dir)?;
            if !meta.is_dir() || meta.uid() != rustix::process::getuid().as_raw() {
                return Err(std::io::Error::other(format!("{} is not a folder of this user", dir.display())));
            }
            if meta.mode() & 0o077 != 0 {
                std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_gets_short_sockets() {
        let short = Files::of(Path::new("/home/eve/.local/state/wakeful"));
        assert_eq!(short.hook_socket(), Path::new("/home/eve/.local/state/wakeful/daemon/hook.sock"));
        let long = Files::of(Path::new(&format!("/{}", "x".repeat(120))));
        assert!(long.hook_socket().as_os_str().len() <= LONGEST_SOCKET);
        assert_ne!(long.hook_socket(), Files::of(Path::new(&format!("/{}", "y".repeat(120)))).hook_socket());
    }
}
