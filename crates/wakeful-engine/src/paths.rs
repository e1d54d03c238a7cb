//! Where Wakeful keeps its files. The environment comes in as a function, so that nothing here reads it twice or by surprise.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A folder of the XDG specification: the variable that names it, and where it is in a home else.
#[derive(Clone, Copy)]
struct Base {
    variable: &'static str,
    at_home: &'static str,
}

const STATE: Base = Base { variable: "XDG_STATE_HOME", at_home: ".local/state" };
const CONFIG: Base = Base { variable: "XDG_CONFIG_HOME", at_home: ".config" };
/// What our folders in them are called.
const OWN: &str = "wakeful";

/// The folder for state: `$WAKEFUL_STATE_DIR`, else `$XDG_STATE_HOME/wakeful`, else `~/.local/state/wakeful`. `None` when there is
/// not even a home.
pub fn state_dir(env: Env<'_>) -> Option<PathBuf> {
    own(env, "WAKEFUL_STATE_DIR").or_else(|| base(env, STATE, home(env).as_deref()))
}

/// [`state_dir`] of who has a home for certain; `HOME` itself plays no part.
pub fn state_dir_at(env: Env<'_>, home: &Path) -> PathBuf {
    let stated = own(env, "WAKEFUL_STATE_DIR").or_else(|| base(env, STATE, None));
    stated.unwrap_or_else(|| under(home, STATE))
}

/// The settings file: `settings.toml` in `$WAKEFUL_CONFIG_DIR`, else `$XDG_CONFIG_HOME/wakeful`, else `~/.config/wakeful`.
pub fn settings_file(env: Env<'_>) -> Option<PathBuf> {
    let dir = own(env, "WAKEFUL_CONFIG_DIR").or_else(|| base(env, CONFIG, home(env).as_deref()))?;
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

fn base(env: Env<'_>, base: Base, home: Option<&Path>) -> Option<PathBuf> {
    // The XDG specification says that a relative path is to be ignored.
    let stated = own(env, base.variable).filter(|dir| dir.is_absolute()).map(|dir| dir.join(OWN));
    stated.or_else(|| Some(under(home?, base)))
}

fn under(home: &Path, base: Base) -> PathBuf {
    home.join(base.at_home).join(OWN)
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn who_has_a_home_for_certain_gets_the_same_folder() {
        for vars in
            [&[("WAKEFUL_STATE_DIR", "/s")][..], &[("XDG_STATE_HOME", "/x")], &[("XDG_STATE_HOME", "x")], &[]]
        {
            let env = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            let with_home = |name: &str| if name == "HOME" { Some("/home/eve".into()) } else { env(name) };
            assert_eq!(Some(state_dir_at(&env, Path::new("/home/eve"))), state_dir(&with_home), "{vars:?}");
        }
    }
}
