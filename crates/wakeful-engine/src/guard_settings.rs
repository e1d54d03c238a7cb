//! The part of the settings file that the guard needs (spec 50 G7, spec 70). Read by the hook at every shell command, so
//! nothing else of the file is looked at.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use wakeful_shell::{GuardPolicy, PolicyLevel, RuleId, RuleSwitch};

/// Why the policy is not known.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file is there and cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is no TOML, or its `[guard]` is not as it must be.
    #[error("{0}")]
    Toml(String),
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
    fn no_file_is_the_default_and_a_folder_is_not() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(guard_policy(&dir.path().join("settings.toml")).unwrap(), GuardPolicy::default());
        assert!(guard_policy(dir.path()).is_err());
    }
}
