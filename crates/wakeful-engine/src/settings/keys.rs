//! One key of the settings.

use super::{Effective, KEYS, Kind, Value};

/// A key: its name, what it takes, and where its value is in [`Effective`].
#[derive(Debug)]
pub struct Key {
    /// `section.name`.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// The variable that switches it off whatever else says, `WAKEFUL_DISABLE_…=1` (S4).
    pub kill_switch: Option<&'static str>,
    /// What it does, for the reference.
    pub about: &'static str,
    /// Its value. Use [`Self::of`].
    pub(super) get: fn(&Effective) -> Value,
    /// Puts a value in that [`Self::kind`] has let through.
    pub(crate) put: fn(&mut Effective, &Value),
}

impl Key {
    /// Its value in these settings.
    pub fn of(&self, settings: &Effective) -> Value {
        (self.get)(settings)
    }

    /// Its default.
    pub fn default(&self) -> Value {
        self.of(&Effective::default())
    }

    /// The variable that overrides the file: `WAKEFUL_WAITS_AUTO_WAIT_MINUTES`.
    pub fn variable(&self) -> String {
        format!("WAKEFUL_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Takes what a command line says.
    ///
    /// # Errors
    /// What is expected.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        self.kind.of_text(text).ok_or_else(|| self.kind.expected())
    }

    /// What the kill switch sets it to.
    pub(super) fn off(&self) -> Value {
        match self.kind {
            Kind::OneOf(_) => Value::text_of("off"),
            _ => Value::Switch(false),
        }
    }

    /// Section and name in it: `notify.desktop` and `enabled`.
    pub(super) fn parts(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }
}

/// The key of this name.
pub fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Is this the name of a section, such as `notify` or `notify.desktop`?
pub(super) fn is_section(name: &str) -> bool {
    sections().any(|section| section == name)
}

fn sections() -> impl Iterator<Item = &'static str> {
    KEYS.iter().flat_map(|key| key.name.match_indices('.').filter_map(|(at, _)| key.name.get(..at)))
}

/// Names less alike than this are no slip of the hand. Found by trying: one wrong, missing or doubled letter in the shortest
/// name is above it, another name of the same section below.
const ALIKE: f64 = 0.72;

/// The key or section that was probably meant.
pub fn suggestion(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase().replace('-', "_");
    let leaf = lower.rsplit('.').next().unwrap_or_default();
    // The right name in the wrong section.
    let same_leaf: Vec<_> = KEYS.iter().filter(|key| key.parts().1 == leaf).collect();
    if let [only] = same_leaf.as_slice() {
        return Some(only.name);
    }
    let all = KEYS.iter().map(|key| key.name).chain(sections());
    let scored = all.map(|known| (strsim::normalized_damerau_levenshtein(&lower, known), known));
    let best = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    if best.0 >= ALIKE {
        return Some(best.1);
    }
    // A name without its section.
    let scored =
        KEYS.iter().map(|key| (strsim::normalized_damerau_levenshtein(leaf, key.parts().1), key.name));
    scored.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|best| best.0 >= ALIKE).map(|best| best.1)
}
