//! What the environment says about settings, read once at start (spec 70).

use std::collections::BTreeMap;

use super::KEYS;
use crate::paths::Env;

/// The variables of the keys, and those of the kill switches. A snapshot: later changes of the environment do nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Asks for every variable that a key knows. An empty one counts as none.
    pub fn read(env: Env<'_>) -> Self {
        let names = KEYS
            .iter()
            .flat_map(|key| std::iter::once(key.variable()).chain(key.kill_switch.map(str::to_owned)));
        let variables = names
            .filter_map(|name| {
                // What is no Unicode is no value of any key, and stays none.
                let value = env(&name).filter(|value| !value.is_empty())?.to_string_lossy().into_owned();
                Some((name, value))
            })
            .collect();
        Self { variables }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Is this kill switch on? `0` is off.
    pub fn is_on(&self, kill_switch: &str) -> bool {
        self.get(kill_switch).is_some_and(|value| value != "0")
    }
}
