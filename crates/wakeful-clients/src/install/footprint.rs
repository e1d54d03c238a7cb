//! What set-up made beside its own entries, so that removal can take it away again and nothing else.

use serde::{Deserialize, Serialize};

/// The name of the property that holds the hooks, in every client.
pub(crate) const HOOKS: &str = "hooks";
/// The name of the property that Cursor's file states its version in.
pub(crate) const VERSION: &str = "version";

/// What set-up made in one file. Kept with the backup; without it, removal takes what holds nothing but our entries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Footprint {
    /// The file itself.
    pub file: bool,
    /// The outermost object, with what was put before and behind it.
    pub root: Option<RootMade>,
    /// Properties: `hooks`, `version`, `hooks/Stop`.
    pub properties: Vec<String>,
    /// Containers that had no children (the empty path is the outermost object), and the white space that was put behind
    /// the first ones.
    pub tails: Vec<(String, String)>,
}

/// White space around an outermost object that set-up made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RootMade {
    /// Before it.
    pub before: String,
    /// Behind it.
    pub after: String,
}

impl Footprint {
    /// Did set-up make this property?
    pub(crate) fn made(&self, path: &str) -> bool {
        self.properties.iter().any(|property| property == path)
    }

    /// What set-up put behind the first children of this container.
    pub(crate) fn tail(&self, path: &str) -> Option<&str> {
        self.tails.iter().find(|(container, _)| container == path).map(|(_, tail)| tail.as_str())
    }

    /// Both; what the earlier one says of a place counts.
    pub(crate) fn merged(mut self, later: Self) -> Self {
        self.file |= later.file;
        self.root = self.root.or(later.root);
        for property in later.properties {
            if !self.made(&property) {
                self.properties.push(property);
            }
        }
        for (path, tail) in later.tails {
            if self.tail(&path).is_none() {
                self.tails.push((path, tail));
            }
        }
        self
    }
}

/// The path of the property of `event`.
pub(crate) fn event_path(event: &str) -> String {
    format!("{HOOKS}/{event}")
}
