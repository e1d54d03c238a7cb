//! The environment, as a value.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The variables and the home folder that everything here goes by. Tests make their own; only the program takes the
/// real one.
#[derive(Debug, Clone)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    home: PathBuf,
}

impl Environment {
    /// These variables, this home folder.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>, home: impl Into<PathBuf>) -> Self {
        Self { variables: variables.into_iter().collect(), home: home.into() }
    }

    /// The value of `name`; an empty one counts as none.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// The value of `name` as [`crate::paths`] asks for it: `HOME` is the home folder.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        if name == "HOME" {
            return Some(self.home.clone().into_os_string());
        }
        self.get(name).map(OsStr::to_owned)
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The folder that `name` names, else `fallback` in the home folder.
    pub fn folder(&self, name: &str, fallback: &str) -> PathBuf {
        self.get(name).map_or_else(|| self.home.join(fallback), PathBuf::from)
    }

    /// All variables, for a child process.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The program `name` in the folders of `PATH`: the first that can be run.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let path = self.get("PATH")?;
        let named = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        // A relative folder of `PATH` is one thing here and another in the client.
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&named))
            .find(|file| can_run(file))
    }
}

/// Is it a program that somebody may run?
#[cfg(unix)]
pub(crate) fn can_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Is it a program?
#[cfg(not(unix))]
pub(crate) fn can_run(file: &Path) -> bool {
    file.is_file()
}
