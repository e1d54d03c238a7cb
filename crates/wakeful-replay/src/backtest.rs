//! Back-test: two rule sets over the same transcripts, compared turn end by turn end (spec 80).

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use wakeful_core::ids::{Client, Digest, SessionKey};

use crate::play::end_of;
use crate::report::Decided;
use crate::truth::Label;

/// Every decision of one run, as far as it is compared. What `--save` keeps, version 1.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Run {
    /// Version of the format.
    pub version: u32,
    /// Version of the rules that read the messages.
    pub rules: String,
    /// The decisions, by where they stand.
    pub turn_ends: BTreeMap<TurnEndKey, Outcome>,
}

/// Names one turn end: the same in every run over the same transcripts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnEndKey(pub String);

impl TurnEndKey {
    /// By session, turn and message, not by file: transcripts are moved and copied.
    pub fn of(decided: &Decided) -> Self {
        Self::new(decided.client, &decided.session, decided.turn, &decided.message)
    }

    /// Of the turn end with this whole last message; and the end of it, which labels keep for their readers.
    pub fn of_message(session: &SessionKey, turn: u32, message: &str) -> (Self, String) {
        let end = end_of(message);
        (Self::new(session.client, session.id.as_str(), turn, &end), end)
    }

    fn new(client: Client, session: &str, turn: u32, end: &str) -> Self {
        Self(format!("{client}/{session}/{turn}/{:016x}", Digest::of(end.as_bytes()).0))
    }
}

/// What one run decided at one turn end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// It was kept out of the inbox.
    pub waiting: bool,
    /// By which gate.
    pub gate: String,
    /// By which rule, where one had a say.
    pub rule: Option<String>,
    /// What the transcript says of it (R1).
    pub truth: Truth,
    /// Where it stands.
    pub file: String,
    /// The line there.
    pub line: u64,
    /// The end of the message.
    pub message: String,
}

/// What is right at a turn end, whatever was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// It only waited.
    Waits,
    /// It needed its user.
    NeedsYou,
    /// Nobody knows.
    Unknown,
}

impl Truth {
    fn of(waiting: bool, label: Label) -> Self {
        match (waiting, label) {
            (true, Label::Right) | (false, Label::Wrong) => Self::Waits,
            (true, Label::Wrong) | (false, Label::Right) => Self::NeedsYou,
            (_, Label::Unknown) => Self::Unknown,
        }
    }

    /// Is it right to have kept it out, or not to have? `None`: nobody knows.
    fn agrees(self, waiting: bool) -> Option<bool> {
        match self {
            Self::Waits => Some(waiting),
            Self::NeedsYou => Some(!waiting),
            Self::Unknown => None,
        }
    }
}

/// Takes the decisions that a replay writes, and keeps a [`Run`].
#[derive(Debug, Default)]
pub struct Recorder {
    line: Vec<u8>,
    run: Run,
}

impl Recorder {
    /// For a replay that reads with rules of this version.
    pub fn new(rules: &str) -> Self {
        Self { line: Vec::new(), run: Run { version: VERSION, rules: rules.to_owned(), ..Run::default() } }
    }

    /// What was recorded.
    pub fn finish(self) -> Run {
        self.run
    }
}

/// Version of [`Run`].
pub const VERSION: u32 = 1;

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.ends_with(b"\n") {
                let decided: Decided = serde_json::from_slice(&self.line)?;
                self.run.record(&decided);
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Run {
    fn record(&mut self, decided: &Decided) {
        let waiting = decided.verdict == "waiting";
        let outcome = Outcome {
            waiting,
            gate: decided.gate.name().to_owned(),
            rule: decided.rule.as_ref().map(ToString::to_string),
            truth: Truth::of(waiting, decided.label),
            file: decided.file.clone(),
            line: decided.line,
            message: decided.message.clone(),
        };
        self.turn_ends.insert(TurnEndKey::of(decided), outcome);
    }

    /// Labels that a person gave take the place of what the transcript says.
    pub fn label(&mut self, labels: &BTreeMap<TurnEndKey, Truth>) {
        for (key, truth) in labels {
            if let Some(outcome) = self.turn_ends.get_mut(key) {
                outcome.truth = *truth;
            }
        }
    }
}

/// A turn end that one run kept out of the inbox and the other did not.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    /// Where it stands.
    pub file: String,
    /// The line there.
    pub line: u64,
    /// The candidate keeps it out of the inbox; the baseline did not, or the other way round.
    pub now_waiting: bool,
    /// Gate and rule of the run that waits.
    pub by: String,
    /// What is right.
    pub truth: Truth,
    /// The end of the message.
    pub message: String,
}

/// Counts of one rule, or in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Kept out of the inbox by the baseline.
    pub before: u64,
    /// Kept out by the candidate.
    pub after: u64,
    /// Kept out only by the candidate.
    pub net_new: u64,
    /// Kept out only by the baseline.
    pub lost: u64,
    /// Newly kept out although it needed its user.
    pub new_false: u64,
    /// Newly kept out, and it only waited.
    pub new_hits: u64,
}

/// The difference that a rule set makes.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Comparison {
    /// Rules of the baseline.
    pub baseline: String,
    /// Rules of the candidate.
    pub candidate: String,
    /// Turn ends that stand in both runs.
    pub turn_ends: u64,
    /// Over all rules.
    pub total: Counts,
    /// By the rule, or the gate where no rule had a say, that keeps the turn end out.
    pub rules: BTreeMap<String, Counts>,
    /// Turn ends that the baseline has right and the candidate wrong.
    pub regressions: u64,
    /// Every turn end that changed sides.
    pub changes: Vec<Change>,
}

/// Compares two runs over the same transcripts; a turn end that stands in one of them only is left out.
pub fn compare(baseline: &Run, candidate: &Run) -> Comparison {
    let mut comparison = Comparison {
        baseline: baseline.rules.clone(),
        candidate: candidate.rules.clone(),
        ..Comparison::default()
    };
    for (key, old) in &baseline.turn_ends {
        if let Some(new) = candidate.turn_ends.get(key) {
            comparison.count(old, new);
        }
    }
    comparison
}

impl Comparison {
    fn count(&mut self, old: &Outcome, new: &Outcome) {
        self.turn_ends += 1;
        // One of the runs may know more: a wake that came is only seen as such by the run that waited for it.
        let truth = if new.truth == Truth::Unknown { old.truth } else { new.truth };
        let regressed = truth.agrees(old.waiting) == Some(true) && truth.agrees(new.waiting) == Some(false);
        self.regressions += u64::from(regressed);
        if old.waiting {
            self.each(old, |counts| counts.before += 1);
        }
        if new.waiting {
            self.each(new, |counts| counts.after += 1);
        }
        if old.waiting == new.waiting {
            return;
        }
        let waits = if new.waiting { new } else { old };
        self.each(waits, |counts| {
            counts.net_new += u64::from(new.waiting);
            counts.lost += u64::from(old.waiting);
            counts.new_false += u64::from(new.waiting && truth == Truth::NeedsYou);
            counts.new_hits += u64::from(new.waiting && truth == Truth::Waits);
        });
        self.changes.push(Change {
            file: new.file.clone(),
            line: new.line,
            now_waiting: new.waiting,
            by: by(waits),
            truth,
            message: new.message.clone(),
        });
    }

    fn each(&mut self, outcome: &Outcome, add: impl Fn(&mut Counts)) {
        add(&mut self.total);
        add(self.rules.entry(by(outcome)).or_default());
    }
}

fn by(outcome: &Outcome) -> String {
    outcome.rule.clone().unwrap_or_else(|| format!("({})", outcome.gate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A label that is given live is about the same turn end as the one that a replay shows.
    #[test]
    fn the_key_of_a_message_is_the_key_of_its_end() {
        let session = SessionKey { client: Client::Codex, id: wakeful_core::ids::SessionId::new("s1") };
        let (key, end) = TurnEndKey::of_message(&session, 3, "Done.\n\nShall I\tgo on? \n");
        assert_eq!(end, "Done. Shall I go on?");
        assert_eq!(key, TurnEndKey::new(Client::Codex, "s1", 3, &end));
        assert_ne!(key, TurnEndKey::of_message(&session, 4, &end).0);
    }

    fn outcome(waiting: bool, truth: Truth) -> Outcome {
        Outcome {
            waiting,
            gate: "prose-wait".into(),
            rule: waiting.then(|| "standing-by".into()),
            truth,
            file: "a.jsonl".into(),
            line: 7,
            message: "Standing by.".into(),
        }
    }

    fn run(outcomes: &[(&str, Outcome)]) -> Run {
        let turn_ends =
            outcomes.iter().map(|(key, outcome)| (TurnEndKey((*key).into()), outcome.clone())).collect();
        Run { version: VERSION, rules: "r".into(), turn_ends }
    }

    #[test]
    fn a_new_suppression_of_a_session_that_needed_its_user_is_a_regression() {
        let baseline = run(&[("a", outcome(false, Truth::NeedsYou)), ("b", outcome(false, Truth::Waits))]);
        let candidate = run(&[("a", outcome(true, Truth::NeedsYou)), ("b", outcome(true, Truth::Waits))]);
        let comparison = compare(&baseline, &candidate);
        assert_eq!(comparison.regressions, 1);
        let expected = Counts { before: 0, after: 2, net_new: 2, lost: 0, new_false: 1, new_hits: 1 };
        assert_eq!(comparison.total, expected);
        assert_eq!(comparison.rules["standing-by"], expected);
        assert_eq!(comparison.changes.len(), 2);
    }

    #[test]
    fn a_lost_wait_is_a_regression_where_the_wake_came() {
        let baseline = run(&[("a", outcome(true, Truth::Waits))]);
        let candidate = run(&[("a", outcome(false, Truth::Unknown))]);
        let comparison = compare(&baseline, &candidate);
        assert_eq!((comparison.total.lost, comparison.regressions), (1, 1));
    }

    #[test]
    fn the_same_run_changes_nothing_and_what_stands_in_one_only_is_left_out() {
        let a = run(&[("a", outcome(true, Truth::Waits)), ("b", outcome(true, Truth::NeedsYou))]);
        let b = run(&[("a", outcome(true, Truth::Waits))]);
        let comparison = compare(&a, &b);
        assert_eq!((comparison.turn_ends, comparison.regressions, comparison.changes.len()), (1, 0, 0));
    }

    #[test]
    fn a_label_of_a_person_takes_the_place_of_the_transcripts() {
        let mut run = run(&[("a", outcome(true, Truth::Waits))]);
        run.label(&BTreeMap::from([(TurnEndKey("a".into()), Truth::NeedsYou)]));
        assert_eq!(run.turn_ends[&TurnEndKey("a".into())].truth, Truth::NeedsYou);
    }
}
