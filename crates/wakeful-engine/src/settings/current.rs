//! The settings of a process that goes on running.

use std::path::PathBuf;

use super::{Effective, Environment, Loaded, SettingsError, load};

/// The settings in force, and what is wrong with the file if something is. A file at fault changes nothing: the last good settings
/// stay (spec 70).
#[derive(Debug)]
pub struct Current {
    file: Option<PathBuf>,
    environment: Environment,
    last_good: Loaded,
    problem: Option<SettingsError>,
}

impl Current {
    /// Reads the file for the first time. Where it is at fault, the defaults are in force ([`Loaded::fallback`]).
    pub fn load(file: Option<PathBuf>, environment: Environment) -> Self {
        let (last_good, problem) = match load(file.as_deref(), &environment) {
            Ok(loaded) => (loaded, None),
            Err(error) => (Loaded::fallback(&environment), Some(error)),
        };
        Self { file, environment, last_good, problem }
    }

    /// Reads the file again, under the environment of the start. True if the settings in force are others now.
    pub fn reload(&mut self) -> bool {
        match load(self.file.as_deref(), &self.environment) {
            Ok(loaded) => {
                let changed = loaded.settings != self.last_good.settings;
                (self.last_good, self.problem) = (loaded, None);
                changed
            }
            Err(error) => {
                self.problem = Some(error);
                false
            }
        }
    }

    /// The settings in force.
    pub fn settings(&self) -> &Effective {
        &self.last_good.settings
    }

    /// The settings in force, with where they came from.
    pub fn loaded(&self) -> &Loaded {
        &self.last_good
    }

    /// What is wrong with the file or the environment.
    pub fn problem(&self) -> Option<&SettingsError> {
        self.problem.as_ref()
    }

    /// Where the file is, or would be.
    pub fn file(&self) -> Option<&std::path::Path> {
        self.file.as_deref()
    }
}
