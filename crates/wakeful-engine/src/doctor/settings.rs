//! The user's own files: settings and rules.

use std::path::{Path, PathBuf};

use wakeful_shell::PolicyLevel;

use super::finding::{Check, Finding, count};
use crate::guard_settings::guard_policy;

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

/// The settings file, as far as the guard reads it. `switched_off`: the kill switch is set in this environment.
pub(crate) fn settings(file: Option<&Path>, switched_off: bool) -> Finding {
    let Some(file) = file else {
        return Finding::ok(
            Check::Settings,
            "there is no place for a settings file; the defaults are in force",
        );
    };
    let shown = file.display();
    let policy = match guard_policy(file) {
        Ok(policy) => policy,
        Err(error) => {
            return Finding::broken(
                Check::Settings,
                format!(
                    "{shown} cannot be read, so the guard lets everything pass: {}",
                    one_line(&error.to_string())
                ),
                "repair the file, or take it away for the defaults",
            );
        }
    };
    let off = match (switched_off, policy.level == PolicyLevel::Off) {
        (true, _) => {
            Some(("WAKEFUL_DISABLE_GUARD is set, so the guard lets everything pass".to_owned(), "unset it"))
        }
        (_, true) => Some((
            format!("{shown} switches the guard off"),
            "set `guard.policy` to `standard` if that is not meant",
        )),
        _ => None,
    };
    match off {
        Some((seen, advice)) => Finding::warn(Check::Settings, seen, advice),
        None if file.exists() => Finding::ok(Check::Settings, format!("{shown} can be read")),
        None => Finding::ok(Check::Settings, format!("no {shown}; the defaults are in force")),
    }
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
        assert_eq!(settings(Some(&file), false).state, State::Ok);
        for (text, off, state) in [
            ("", false, State::Ok),
            ("[guard]\npolicy = \"strict\"", false, State::Ok),
            ("[guard]\npolicy = \"off\"", false, State::Warn),
            ("", true, State::Warn),
            ("[guard]\npolicy = \"loud\"", false, State::Broken),
            ("[guard", true, State::Broken),
        ] {
            std::fs::write(&file, text).unwrap();
            let found = settings(Some(&file), off);
            assert_eq!(found.state, state, "{text}: {found:?}");
            assert!(!found.seen.contains('\n'), "{found:?}");
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
