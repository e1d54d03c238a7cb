//! The part of the settings file that the guard needs (spec 50 G7, spec 70). Read by the hook at every shell command, so
//! nothing else of the file is looked at. What the rest of the settings go by is [`crate::settings`].

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use wakeful_shell::{GuardPolicy, PolicyLevel, RuleId, RuleSwitch};

use crate::paths::{Env, settings_file};
use crate::settings::{Effective, key};

/// Why the policy is not known.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file is there and cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is no TOML, or its `[guard]` is not as it must be.
    #[error("{0}")]
    Toml(String),
    /// A variable of the environment that overrides it is at fault.
    #[error("{variable}: `{key}` takes {expected}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// The key that it overrides.
        key: &'static str,
        /// What that takes.
        expected: String,
    },
}

/// The variables that override the file, by key. Written out, so that a hook need not build them.
const VARIABLES: [(&str, &str); 3] = [
    ("WAKEFUL_GUARD_POLICY", "guard.policy"),
    ("WAKEFUL_GUARD_RULES", "guard.rules"),
    ("WAKEFUL_GUARD_ALLOW", "guard.allow"),
];

/// The guard's policy by the settings file of this environment and by the variables that override it. The kill switch is the
/// caller's: it is looked at before any file is.
///
/// # Errors
/// When the file or a variable is there and cannot be read or understood. A hook then lets the guard pass (spec 70).
pub fn policy_in_force(env: Env<'_>) -> Result<GuardPolicy, Unreadable> {
    let mut policy =
        settings_file(env).map_or_else(|| Ok(GuardPolicy::default()), |file| guard_policy(&file))?;
    for (variable, name) in VARIABLES {
        let Some(value) = env(variable).filter(|value| !value.is_empty()) else { continue };
        let Some(key) = key(name) else { continue };
        let wrong = |expected| Unreadable::Variable { variable, key: name, expected };
        let value = key.read(&value.to_string_lossy()).map_err(wrong)?;
        let mut all = Effective { guard: policy, ..Effective::default() };
        (key.put)(&mut all, &value);
        policy = all.guard;
    }
    Ok(policy)
}

/// Larger files are no settings; a hook must not read them to their end.
const MOST: u64 = 1024 * 1024;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    guard: Table,
}

#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Table {
    policy: PolicyLevel,
    rules: BTreeMap<RuleId, RuleSwitch>,
    allow: Vec<String>,
}

/// The guard's policy in the settings file; the default where there is no file.
///
/// # Errors
/// When the file is there and cannot be read or understood. A hook then lets the guard pass (spec 70).
pub fn guard_policy(file: &Path) -> Result<GuardPolicy, Unreadable> {
    let meta = match std::fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(GuardPolicy::default()),
        Err(error) => return Err(error.into()),
    };
    // A pipe in its place would never end.
    if !meta.is_file() || meta.len() > MOST {
        return Err(Unreadable::Toml("it is no file of settings".to_owned()));
    }
    parse(&std::fs::read_to_string(file)?)
}

fn parse(text: &str) -> Result<GuardPolicy, Unreadable> {
    let file: File = toml::from_str(text).map_err(|error| Unreadable::Toml(error.to_string()))?;
    let Table { policy: level, rules, allow } = file.guard;
    Ok(GuardPolicy { level, rules, allow })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_switches_and_exceptions() {
        let text = "[waits]\nauto_wait_minutes = 20\n[guard]\npolicy = \"strict\"\nallow = [\"./wait-for-db*\"]\n\
                    rules = { poll-loop = \"warn\" }\n";
        let policy = parse(text).unwrap();
        assert_eq!(policy.level, PolicyLevel::Strict);
        assert_eq!(policy.switch(RuleId::PollLoop), RuleSwitch::Warn);
        assert_eq!(policy.allow, ["./wait-for-db*"]);
        assert_eq!(parse("").unwrap(), GuardPolicy::default());
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for text in ["[guard", "[guard]\npolicy = \"loud\"", "[guard]\npolicies = \"off\"", "guard = 7"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("settings.toml"), "[guard]\npolicy = \"off\"\nallow = [\"a\"]\n")
            .unwrap();
        let under = |variables: &[(&str, &str)]| {
            policy_in_force(&|name| match name {
                "WAKEFUL_CONFIG_DIR" => Some(dir.path().into()),
                _ => variables.iter().find(|(one, _)| *one == name).map(|(_, value)| value.into()),
            })
        };
        assert_eq!(under(&[]).unwrap().level, PolicyLevel::Off);
        let policy = under(&[
            ("WAKEFUL_GUARD_POLICY", "strict"),
            ("WAKEFUL_GUARD_RULES", "{ poll-loop = \"warn\" }"),
            ("WAKEFUL_GUARD_ALLOW", ""),
        ]);
        let policy = policy.unwrap();
        assert_eq!((policy.level, policy.allow), (PolicyLevel::Strict, vec!["a".to_owned()]));
        assert_eq!(policy.rules.get(&RuleId::PollLoop), Some(&RuleSwitch::Warn));
        assert!(under(&[("WAKEFUL_GUARD_POLICY", "loud")]).is_err());
    }

    #[test]
    fn the_variables_are_those_of_the_table() {
        for (variable, name) in VARIABLES {
            assert_eq!(key(name).unwrap().variable(), variable);
        }
        let keys = crate::settings::KEYS.iter().filter(|key| key.name.starts_with("guard."));
        assert_eq!(keys.count(), VARIABLES.len());
    }

    #[test]
    fn no_file_is_the_default_and_a_folder_is_not() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(guard_policy(&dir.path().join("settings.toml")).unwrap(), GuardPolicy::default());
        assert!(guard_policy(dir.path()).is_err());
    }
}
