//! The user's own files: settings and rules.

use std::path::{Path, PathBuf};

use wakeful_shell::PolicyLevel;

use super::finding::{Check, Finding, count};
use crate::guard_settings::policy_in_force;
use crate::paths::Env;
use crate::settings::{Environment, KEYS, Origin, SettingsError, key, load};

/// What became of the folder of the user's own rules (P11). Read by the program, which knows rules; judged here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleFolder {
    /// There is none.
    Absent,
    /// All of it is in force.
    Read {
        /// Where it is.
        folder: PathBuf,
        /// How many rule files are in it.
        files: usize,
    },
    /// A file is at fault, or cannot be read.
    Faulty(String),
}

/// The settings: the file and what the environment says on top.
pub(crate) fn settings(file: Option<&Path>, env: Env<'_>) -> Finding {
    let environment = Environment::read(env);
    let shown = file.map_or_else(|| "a settings file".to_owned(), |file| file.display().to_string());
    let loaded = match load(file, &environment) {
        Ok(loaded) => loaded,
        Err(error) => return broken(&error, env),
    };
    let guard = key("guard.policy").filter(|_| loaded.settings.guard.level == PolicyLevel::Off);
    let off = guard.map(|key| match loaded.origin(key) {
        Origin::KillSwitch(variable) => {
            (format!("{variable} is set, so the guard lets everything pass"), "unset it".to_owned())
        }
        Origin::Environment(variable) => {
            (format!("{variable} switches the guard off"), "unset it if that is not meant".to_owned())
        }
        Origin::File | Origin::Default => (
            format!("{shown} switches the guard off"),
            "set `guard.policy` to `standard` if that is not meant".to_owned(),
        ),
    });
    if let Some((seen, advice)) = off {
        return Finding::warn(Check::Settings, seen, advice);
    }
    let overridden: Vec<String> = KEYS
        .iter()
        .filter_map(|key| match loaded.origin(key) {
            Origin::Environment(variable) => Some(variable),
            Origin::KillSwitch(variable) => Some(variable.to_owned()),
            Origin::File | Origin::Default => None,
        })
        .collect();
    let mut seen = match file {
        None => "there is no place for a settings file; the defaults are in force".to_owned(),
        Some(file) if file.exists() => format!("{shown} can be read"),
        Some(_) => format!("no {shown}; the defaults are in force"),
    };
    if !overridden.is_empty() {
        seen = format!("{seen}, overridden by {}", overridden.join(", "));
    }
    Finding::ok(Check::Settings, seen)
}

fn broken(error: &SettingsError, env: Env<'_>) -> Finding {
    let follows = if policy_in_force(env).is_err() {
        "so the defaults are in force, and the guard lets everything pass"
    } else {
        "so the defaults are in force, for the guard aside, whose part can be read"
    };
    let advice = match error {
        SettingsError::Variable { .. } => "set the variable to such a value, or unset it",
        _ => "repair it with `wakeful settings edit`, or take the file away for the defaults",
    };
    Finding::broken(Check::Settings, format!("{}, {follows}", one_line(&error.to_string())), advice)
}

/// The folder of rules.
pub(crate) fn rules(folder: &RuleFolder) -> Finding {
    match folder {
        RuleFolder::Absent => {
            Finding::ok(Check::Rules, "the built-in rules are in force, without any of your own")
        }
        RuleFolder::Read { folder, files } => {
            let files = count(u64::try_from(*files).unwrap_or(u64::MAX), "rule file");
            Finding::ok(Check::Rules, format!("{files} of {} in force", folder.display()))
        }
        RuleFolder::Faulty(why) => Finding::broken(
            Check::Rules,
            format!("your rules are not in force, the built-in ones alone are: {}", one_line(why)),
            "repair the file at that place",
        ),
    }
}

/// Parsers answer with several lines and a picture of the place.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn settings_by_what_is_in_them() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("settings.toml");
        let under = |variable: Option<(&str, &str)>| {
            settings(Some(&file), &|name| match variable {
                _ if name == "WAKEFUL_CONFIG_DIR" => Some(home.path().into()),
                Some((one, value)) if one == name => Some(value.into()),
                _ => None,
            })
        };
        assert_eq!(under(None).state, State::Ok);
        let (kill, level) = (("WAKEFUL_DISABLE_GUARD", "1"), ("WAKEFUL_GUARD_POLICY", "off"));
        for (text, variable, state, says) in [
            ("", None, State::Ok, "can be read"),
            ("[guard]\npolicy = \"strict\"", None, State::Ok, "can be read"),
            ("[guard]\npolicy = \"off\"", None, State::Warn, "switches the guard off"),
            ("", Some(kill), State::Warn, "WAKEFUL_DISABLE_GUARD is set"),
            ("", Some(("WAKEFUL_DISABLE_GUARD", "0")), State::Ok, "can be read"),
            ("", Some(level), State::Warn, "WAKEFUL_GUARD_POLICY switches"),
            (
                "",
                Some(("WAKEFUL_DISABLE_DETECTOR", "1")),
                State::Ok,
                "overridden by WAKEFUL_DISABLE_DETECTOR",
            ),
            ("", Some(("WAKEFUL_API_PORT", "high")), State::Broken, "WAKEFUL_API_PORT: `api.port` takes"),
            ("[guard]\npolicy = \"loud\"", None, State::Broken, "lets everything pass"),
            ("[guard", Some(kill), State::Broken, "lets everything pass"),
            (
                "\n[wait]\nx = 1",
                None,
                State::Broken,
                "line 2, column 2: unknown key `wait`; did you mean `waits`?",
            ),
            ("waits.promise_check = 1", None, State::Broken, "whose part can be read"),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = under(variable);
            assert_eq!(found.state, state, "{text}: {found:?}");
            assert!(found.seen.contains(says) && !found.seen.contains('\n'), "{found:?}");
        }
    }

    #[test]
    fn rules_by_what_became_of_them() {
        assert_eq!(rules(&RuleFolder::Absent).state, State::Ok);
        let read = rules(&RuleFolder::Read { folder: "/r".into(), files: 1 });
        assert_eq!((read.state, read.seen.as_str()), (State::Ok, "1 rule file of /r in force"));
        let faulty = rules(&RuleFolder::Faulty("a.toml\n  line 2".to_owned()));
        assert_eq!(faulty.state, State::Broken);
        assert!(faulty.seen.ends_with("a.toml line 2"), "{}", faulty.seen);
    }
}
