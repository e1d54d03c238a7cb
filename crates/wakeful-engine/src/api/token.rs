//! The token of the loopback port: in a file that only this user can read.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Name of the file in the state folder.
const FILE: &str = "api-token";
/// 256 bits: nobody guesses it.
const BYTES: usize = 32;

/// The token.
pub struct Token(String);

/// Why there is no token; then the port stays closed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file could not be read or made.
    #[error("{path}: {error}", path = path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// Others can read it, or it is somebody else's.
    #[error("{path} is not this user's alone; remove it, and a new one is made", path = .0.display())]
    Open(PathBuf),
    /// It is no token.
    #[error("{path} does not hold a token; remove it, and a new one is made", path = .0.display())]
    Damaged(PathBuf),
    /// The system has no randomness to give.
    #[error("the system gives no random numbers")]
    Random,
}

impl Token {
    /// The token of this state folder; made if there is none.
    ///
    /// # Errors
    /// When it cannot be read or made, or is not a secret any more.
    pub fn of(state: &Path) -> Result<Self, TokenError> {
        let path = state.join(FILE);
        match Self::read(&path)? {
            Some(token) => Ok(token),
            None => {
                Self::make(state, &path)?;
                Self::read(&path)?.ok_or(TokenError::Damaged(path))
            }
        }
    }

    fn read(path: &Path) -> Result<Option<Self>, TokenError> {
        let wrong = |error| TokenError::File { path: path.to_owned(), error };
        let nofollow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
        let file = match OpenOptions::new().read(true).custom_flags(nofollow).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(error)),
        };
        let meta = file.metadata().map_err(wrong)?;
        if !meta.is_file() || meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::getuid().as_raw() {
            return Err(TokenError::Open(path.to_owned()));
        }
        let mut said = String::new();
        file.take(1024).read_to_string(&mut said).map_err(wrong)?;
        let said = said.trim();
        let whole = said.len() == 2 * BYTES && said.bytes().all(|byte| byte.is_ascii_hexdigit());
        if whole { Ok(Some(Self(said.to_owned()))) } else { Err(TokenError::Damaged(path.to_owned())) }
    }

    /// Whole or not at all; one that somebody else has made meanwhile stays.
    fn make(state: &Path, path: &Path) -> Result<(), TokenError> {
        let wrong = |error| TokenError::File { path: path.to_owned(), error };
        let mut random = [0; BYTES];
        getrandom::fill(&mut random).map_err(|_| TokenError::Random)?;
        let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut file = tempfile::NamedTempFile::new_in(state).map_err(wrong)?; // for this user alone from the start
        writeln!(file, "{text}").and_then(|()| file.as_file().sync_all()).map_err(wrong)?;
        match file.persist_noclobber(path) {
            Err(failed) if failed.error.kind() != ErrorKind::AlreadyExists => Err(wrong(failed.error)),
            _ => Ok(()),
        }
    }

    /// Is this the token? Takes the same time wherever a wrong one differs.
    pub fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        if own.len() != given.len() {
            return false; // how long it is is no secret
        }
        let differs =
            own.iter().zip(given).fold(0, |differs, (a, b)| std::hint::black_box(differs | (a ^ b)));
        differs == 0
    }

    /// The text, for who is to send it.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn made_once_and_for_this_user_alone() {
        let state = tempfile::tempdir().unwrap();
        let first = Token::of(state.path()).unwrap();
        assert_eq!(Token::of(state.path()).unwrap().text(), first.text());
        let meta = std::fs::metadata(state.path().join(FILE)).unwrap();
        assert_eq!(meta.permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 1);
        assert!(first.is(first.text()));
        let other = first.text().replace(|c| c == first.text().chars().next().unwrap(), "z");
        assert!(!first.is(&other) && !first.is("") && !first.is(&first.text()[1..]));
        assert!(!format!("{first:?}").contains(first.text()));
    }

    #[test]
    fn one_that_is_no_secret_is_not_used() {
        let state = tempfile::tempdir().unwrap();
        let path = state.path().join(FILE);
        let good = Token::of(state.path()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Token::of(state.path()), Err(TokenError::Open(_))));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(matches!(Token::of(state.path()), Err(TokenError::Damaged(_))));
        std::fs::remove_file(&path).unwrap();
        let elsewhere = state.path().join("elsewhere");
        std::fs::write(&elsewhere, good.text()).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(Token::of(state.path()), Err(TokenError::File { .. })));
    }
}
