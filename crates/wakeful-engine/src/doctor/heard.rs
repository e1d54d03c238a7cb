//! What the events of the last days say: unknown names, and what the guard said.

use serde::Serialize;
use wakeful_clients::Unknowns;
use wakeful_clients::unknowns::Unknown;

use super::finding::{Check, Finding};
use crate::spool::GuardRecord;

/// So many names are said in the sentence; all of them are in the list for programs.
const NAMES_SAID: usize = 4;

/// How often the guard said what (G4). A plain pass is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct GuardCounts {
    /// Commands that were refused.
    pub deny: u64,
    /// Commands that passed with a warning.
    pub warn: u64,
    /// Commands that a pattern of the user's let pass.
    pub allowed: u64,
    /// Commands that passed because they could not be read to their end.
    pub undecided: u64,
}

impl GuardCounts {
    /// Of these verdicts.
    pub(crate) fn of<'a>(records: impl IntoIterator<Item = &'a GuardRecord>) -> Self {
        let mut counts = Self::default();
        counts.add(records);
        counts
    }

    /// And these.
    pub(crate) fn add<'a>(&mut self, records: impl IntoIterator<Item = &'a GuardRecord>) {
        for record in records {
            match record.verdict.as_str() {
                "deny" => self.deny += 1,
                "warn" => self.warn += 1,
                "allowed" => self.allowed += 1,
                "undecided" => self.undecided += 1,
                _ => {}
            }
        }
    }
}

/// Something that a client wrote and this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownName {
    /// `event`, `field`, `value` or `damaged`.
    pub what: &'static str,
    /// The client's own name of it.
    pub name: String,
    /// How often.
    pub count: u64,
}

/// All of them, by name.
pub(crate) fn names(unknowns: &Unknowns) -> Vec<UnknownName> {
    let what = |what| match what {
        Unknown::Event => "event",
        Unknown::Field => "field",
        Unknown::Variant => "value",
        Unknown::Damaged => "damaged",
    };
    unknowns
        .iter()
        .map(|(kind, name, count)| UnknownName { what: what(kind), name: name.to_owned(), count })
        .collect()
}

/// Unknown events and fields.
pub(crate) fn unknowns(names: &[UnknownName], overflow: u64) -> Finding {
    if names.is_empty() && overflow == 0 {
        return Finding::ok(Check::Unknowns, "the clients have written nothing unknown in the last 3 days");
    }
    let mut said: Vec<String> = names
        .iter()
        .take(NAMES_SAID)
        .map(|name| format!("{} `{}` ({}×)", name.what, name.name, name.count))
        .collect();
    if names.len() > NAMES_SAID {
        said.push(format!("{} more names", names.len() - NAMES_SAID));
    }
    Finding::warn(
        Check::Unknowns,
        format!("the clients wrote what this version does not know: {}", said.join(", ")),
        "a newer Wakeful may know it; if there is none, report these names (`wakeful doctor --json` has all)",
    )
}

/// What the guard said.
pub(crate) fn guard(counts: GuardCounts) -> Finding {
    let GuardCounts { deny, warn, allowed, undecided } = counts;
    let seen = format!(
        "in the last 3 days {deny} commands refused, {warn} warned of, {allowed} allowed by your patterns, {undecided} undecided"
    );
    if undecided == 0 {
        return Finding::ok(Check::Guard, seen);
    }
    Finding::warn(
        Check::Guard,
        format!("{seen} (those passed, because they could not be read to their end)"),
        "give such a command to `wakeful guard`; if it is an ordinary one, report it",
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use wakeful_core::ids::Client;
    use wakeful_core::time::{Boot, BootId, Now, Wall};

    use super::super::State;
    use super::*;
    use crate::spool::{DeliveryId, Envelope, Payload, VERSION};

    /// 2027-01-15T08:00:00Z.
    pub(crate) const NOW: Now =
        Now { wall: Wall(1_800_000_000_000), boot: Boot(900_000_000), boot_id: BootId(7) };

    pub(crate) fn envelope(payload: &str) -> Envelope {
        Envelope {
            v: VERSION,
            id: DeliveryId("1".to_owned()),
            client: Client::ClaudeCode,
            event: None,
            via: None,
            at: NOW,
            pid: None,
            tmux: None,
            payload: Payload::of(payload.as_bytes()),
            guard: None,
        }
    }

    #[test]
    fn the_guard_is_counted_by_verdict() {
        let said = |verdict: &str| GuardRecord {
            verdict: verdict.to_owned(),
            rule: None,
            words: None,
            allowed_by: None,
        };
        let counts = GuardCounts::of(&[said("deny"), said("deny"), said("allowed"), said("new")]);
        assert_eq!(counts, GuardCounts { deny: 2, allowed: 1, ..GuardCounts::default() });
        assert_eq!(guard(counts).state, State::Ok);
        let counts = GuardCounts::of(&[said("undecided"), said("warn")]);
        assert_eq!((counts.undecided, counts.warn), (1, 1));
        assert_eq!(guard(counts).state, State::Warn);
    }

    #[test]
    fn unknown_names_are_said_and_the_rest_counted() {
        let mut all = Unknowns::default();
        assert_eq!(unknowns(&names(&all), all.overflow()).state, State::Ok);
        for field in ["a", "b", "c", "d", "e"] {
            all.count(Unknown::Field, format!("Stop.{field}"));
        }
        all.count(Unknown::Event, "Yawn");
        let found = unknowns(&names(&all), all.overflow());
        assert_eq!(found.state, State::Warn);
        assert!(
            found.seen.contains("event `Yawn` (1×)") && found.seen.contains("2 more names"),
            "{}",
            found.seen
        );
    }
}
