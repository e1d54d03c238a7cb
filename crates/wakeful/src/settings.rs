//! The settings in force for the commands.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wakeful_engine::paths::settings_file;
use wakeful_engine::settings::{Current, Effective, Environment, SettingsError, load};

use crate::error::Error;

fn env(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Where the settings file is, or would be.
///
/// # Errors
/// When there is no place for one.
pub fn file() -> Result<PathBuf, Error> {
    settings_file(&env).ok_or_else(|| Error::Usage {
        what: "there is no place for a settings file".to_owned(),
        hint: Some("set HOME, or WAKEFUL_CONFIG_DIR to a folder of its own".to_owned()),
    })
}

/// File and environment, read once in a process.
pub fn current() -> &'static Current {
    static CURRENT: OnceLock<Current> = OnceLock::new();
    CURRENT.get_or_init(|| Current::load(settings_file(&env), Environment::read(&env)))
}

/// The settings in force. Where the file or a variable is at fault, that is said in one line on standard error, once, and the
/// defaults are in force.
pub fn in_force() -> &'static Effective {
    static SAID: OnceLock<()> = OnceLock::new();
    let current = current();
    if let Some(problem) = current.problem() {
        SAID.get_or_init(|| warn(problem));
    }
    current.settings()
}

/// Says that the defaults are in force, and why.
fn warn(problem: &SettingsError) {
    // Nothing is left to tell it to if standard error is gone.
    let _ = writeln!(std::io::stderr(), "wakeful: {problem}; the defaults are in force");
}

/// The settings in one file, without any environment, for what must come out the same everywhere.
///
/// # Errors
/// When it is not there, or at fault.
pub fn of_file(file: &Path) -> Result<Effective, Error> {
    let name = file.display().to_string();
    std::fs::metadata(file).map_err(Error::io(name))?; // a file that was named must be there
    Ok(load(Some(file), &Environment::default())?.settings)
}
