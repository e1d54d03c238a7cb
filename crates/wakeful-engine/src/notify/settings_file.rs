//! The section `[notify]` of the settings file, for a command that needs nothing else of it.

use std::path::Path;

use serde::Deserialize;

use crate::settings::NotifySettings;

/// Why the section is not known.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file is there and cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is no TOML, or its `[notify]` is not as it must be.
    #[error("{0}")]
    Toml(String),
}

/// Bytes. Larger files are no settings.
const MOST: u64 = 1024 * 1024;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    notify: NotifySettings,
}

/// The section in this file; the defaults where there is no file.
///
/// # Errors
/// When the file is there and cannot be read or understood.
pub fn notify_settings(file: &Path) -> Result<NotifySettings, Unreadable> {
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(NotifySettings::default()),
        Err(error) => return Err(error.into()),
    };
    // A pipe in its place would never end.
    if !meta.is_file() || meta.len() > MOST {
        return Err(Unreadable::Toml("it is no file of settings".to_owned()));
    }
    let file: File = toml::from_str(&std::fs::read_to_string(file)?)
        .map_err(|error| Unreadable::Toml(error.to_string()))?;
    Ok(file.notify)
}
