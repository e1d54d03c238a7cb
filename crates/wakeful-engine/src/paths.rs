//! Where Wakeful keeps its files. The environment comes in as a function, so that nothing here reads it twice or by surprise.

use std::ffi::OsString;
use std::path::PathBuf;

/// The environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The folder for state: `$WAKEFUL_STATE_DIR`, else `$XDG_STATE_HOME/wakeful`, else `~/.local/state/wakeful`. `None` when there is
/// not even a home.
pub fn state_dir(env: Env<'_>) -> Option<PathBuf> {
    own(env, "WAKEFUL_STATE_DIR").or_else(|| base(env, "XDG_STATE_HOME", ".local/state"))
}

/// The settings file: `settings.toml` in `$WAKEFUL_CONFIG_DIR`, else `$XDG_CONFIG_HOME/wakeful`, else `~/.config/wakeful`.
pub fn settings_file(env: Env<'_>) -> Option<PathBuf> {
    let dir = own(env, "WAKEFUL_CONFIG_DIR").or_else(|| base(env, "XDG_CONFIG_HOME", ".config"))?;
    Some(dir.join("settings.toml"))
}

/// The folder of the user's own rule files, beside the settings (P11).
pub fn rules_dir(env: Env<'_>) -> Option<PathBuf> {
    Some(settings_file(env)?.with_file_name("rules"))
}

/// The user's home folder.
pub fn home(env: Env<'_>) -> Option<PathBuf> {
    own(env, "HOME")
}

fn own(env: Env<'_>, name: &str) -> Option<PathBuf> {
    env(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn base(env: Env<'_>, xdg: &str, under_home: &str) -> Option<PathBuf> {
    // The XDG specification says that a relative path is to be ignored.
    let dir = own(env, xdg).filter(|dir| dir.is_absolute()).or_else(|| Some(home(env)?.join(under_home)))?;
    Some(dir.join("wakeful"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn state(vars: &[(&str, &str)]) -> Option<PathBuf> {
        state_dir(&|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_first_that_is_set_wins() {
        let all = [("WAKEFUL_STATE_DIR", "/s"), ("XDG_STATE_HOME", "/x"), ("HOME", "/home/eve")];
        assert_eq!(state(&all).as_deref(), Some(Path::new("/s")));
        assert_eq!(state(&all[1..]).as_deref(), Some(Path::new("/x/wakeful")));
        assert_eq!(state(&all[2..]).as_deref(), Some(Path::new("/home/eve/.local/state/wakeful")));
        assert_eq!(state(&[]), None);
    }

    #[test]
    fn empty_and_relative_ones_do_not_count() {
        let vars = [("WAKEFUL_STATE_DIR", ""), ("XDG_STATE_HOME", "x"), ("HOME", "/home/eve")];
        assert_eq!(state(&vars).as_deref(), Some(Path::new("/home/eve/.local/state/wakeful")));
        assert_eq!(state(&[("HOME", "")]), None);
    }
}
