//! Counts of what a client wrote and this version does not know, for `doctor` (C9).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// At most this many different names are kept: far more than a client has, and a bound on what a stream of made-up
/// names can cost.
const MOST_NAMES: usize = 512;

/// What kind of thing was unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unknown {
    /// An event, or a kind of transcript line.
    Event,
    /// A field of a known event.
    Field,
    /// A value of a known field, where the client documents which values there are.
    Variant,
    /// A known field with a value of another type, or twice with different values.
    Damaged,
}

/// Counts of unknown things by name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub struct Unknowns {
    counts: BTreeMap<(Unknown, String), u64>,
    overflow: u64,
}

/// [`Unknowns`] as they are kept: JSON has no maps with such keys.
#[derive(Serialize, Deserialize)]
struct Kept {
    counts: Vec<(Unknown, String, u64)>,
    overflow: u64,
}

impl From<Kept> for Unknowns {
    fn from(kept: Kept) -> Self {
        let counts = kept.counts.into_iter().map(|(what, name, count)| ((what, name), count));
        Self { counts: counts.collect(), overflow: kept.overflow }
    }
}

impl From<Unknowns> for Kept {
    fn from(unknowns: Unknowns) -> Self {
        let counts = unknowns.counts.into_iter().map(|((what, name), count)| (what, name, count));
        Self { counts: counts.collect(), overflow: unknowns.overflow }
    }
}

impl Unknowns {
    /// Counts one; `name` is the client's own name of it, such as `Stop.new_field`.
    pub fn count(&mut self, what: Unknown, name: impl Into<String>) {
        self.add((what, name.into()), 1);
    }

    fn add(&mut self, key: (Unknown, String), times: u64) {
        if let Some(count) = self.counts.get_mut(&key) {
            *count += times;
        } else if self.counts.len() < MOST_NAMES {
            self.counts.insert(key, times);
        } else {
            self.overflow += times;
        }
    }

    /// Every name with its count, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Unknown, &str, u64)> {
        self.counts.iter().map(|((what, name), count)| (*what, name.as_str(), *count))
    }

    /// How many could not be kept by name.
    pub fn overflow(&self) -> u64 {
        self.overflow
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, count) in &other.counts {
            self.add(key.clone(), *count);
        }
        self.overflow += other.overflow;
    }

    /// Counts what is left over and what was damaged in `object`, a part of the payload that is called `of`.
    pub(crate) fn count_rest(&mut self, of: &str, object: &crate::json::Object<'_>) {
        for name in object.untouched() {
            self.count(Unknown::Field, format!("{of}.{name}"));
        }
        for name in object.damaged() {
            self.count(Unknown::Damaged, format!("{of}.{name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_names_cost_a_bounded_amount() {
        let mut unknowns = Unknowns::default();
        for n in 0..MOST_NAMES + 7 {
            unknowns.count(Unknown::Event, format!("E{n}"));
        }
        unknowns.count(Unknown::Event, "E1");
        assert_eq!(unknowns.iter().count(), MOST_NAMES);
        assert_eq!(unknowns.overflow(), 7);
        let mut sum = unknowns.clone();
        sum.merge(&unknowns);
        assert!(sum.iter().any(|(_, name, count)| name == "E1" && count == 4));
        assert_eq!(sum.overflow(), 14);
    }
}
