//! Counts of one file, and their sum over files. The sum does not depend on which thread counted what (R4).

use std::collections::{BTreeMap, BTreeSet};

use wakeful_clients::{Unknown, Unknowns};
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Gate, Verdict};
use wakeful_core::ids::{RuleId, SessionKey};
use wakeful_core::time::Millis;

use super::{Decided, Report, TruthSummary, VERSION};
use crate::files::{Skip, Skips};
use crate::truth::{Label, Ratio};

/// How many cases the report shows.
const CASES: usize = 10;

/// What is known of a decision when its counts are made.
pub(crate) struct Outcome<'a> {
    pub(crate) decision: &'a Decision,
    pub(crate) label: Label,
    pub(crate) why: &'static str,
    pub(crate) hidden_question: bool,
    pub(crate) unbacked_wait: bool,
    pub(crate) lost_wake: bool,
    /// It surfaced before anything came.
    pub(crate) surfaced: bool,
    /// The transcript ends after it.
    pub(crate) at_end: bool,
    /// Time until the user's prompt, if that came next.
    pub(crate) until_prompt: Option<Millis>,
    /// Time until a wake, if that came next.
    pub(crate) until_wake: Option<Millis>,
}

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) sessions: BTreeSet<SessionKey>,
    turn_ends: u64,
    waiting: BTreeMap<Gate, u64>,
    needs_you: BTreeMap<Reason, u64>,
    rules: BTreeMap<RuleId, u64>,
    pub(crate) surfaced_later: BTreeMap<Reason, u64>,
    labels: BTreeMap<(bool, Label), u64>,
    why: BTreeMap<(&'static str, Label, &'static str), u64>,
    pings_saved: u64,
    hidden_questions: u64,
    unbacked_waits: u64,
    lost_wakes: u64,
    pub(crate) guard_refusals: u64,
    unseen: u64,
    kept_out: u64,
    open_at_end: u64,
    reconstructed: u64,
    pub(crate) skipped: Skips,
    unknown: Unknowns,
    cases: Vec<Decided>,
    disagreements: Vec<Decided>,
}

impl Tally {
    /// Counts something that was skipped.
    pub(crate) fn skip(&mut self, why: Skip, times: u64) {
        if times > 0 {
            *self.skipped.entry(why).or_default() += times;
        }
    }

    /// Counts what a translator did not know.
    pub(crate) fn unknown(&mut self, seen: &Unknowns) {
        let lines = seen.iter().filter(|(what, ..)| *what == Unknown::Event).map(|(.., count)| count).sum();
        self.skip(Skip::UnknownLine, lines);
        self.unknown.merge(seen);
    }

    /// Counts a decision.
    pub(crate) fn count(&mut self, outcome: &Outcome<'_>) {
        let decision = outcome.decision;
        let waits = decision.verdict.waits();
        self.turn_ends += 1;
        match &decision.verdict {
            Verdict::Waiting { .. } => *self.waiting.entry(decision.gate).or_default() += 1,
            Verdict::NeedsYou { reason, .. } => *self.needs_you.entry(*reason).or_default() += 1,
            Verdict::Idle => {}
        }
        if let Some(rule) = &decision.rule {
            *self.rules.entry(rule.clone()).or_default() += 1;
        }
        *self.labels.entry((waits, outcome.label)).or_default() += 1;
        *self.why.entry((verdict_name(&decision.verdict), outcome.label, outcome.why)).or_default() += 1;
        self.pings_saved += u64::from(waits && !outcome.surfaced);
        self.hidden_questions += u64::from(outcome.hidden_question);
        self.unbacked_waits += u64::from(outcome.unbacked_wait);
        self.lost_wakes += u64::from(outcome.lost_wake);
        self.open_at_end += u64::from(waits && outcome.at_end);
        self.reconstructed += u64::from(decision.evidence.reconstructed);
        if outcome.hidden_question || outcome.unbacked_wait || outcome.lost_wake {
            self.unseen += outcome.until_prompt.unwrap_or_default().0;
        }
        if waits {
            self.kept_out += outcome.until_wake.unwrap_or_default().0;
        }
    }

    /// Keeps a case, if it is interesting enough.
    pub(crate) fn keep(&mut self, case: Decided) {
        if case.label == Label::Wrong {
            self.disagreements.push(case.clone());
        }
        self.cases.push(case);
        if self.cases.len() > 4 * CASES {
            self.cut_cases();
        }
    }

    fn cut_cases(&mut self) {
        // A stable sort: within one file cases come in the order of its lines.
        self.cases.sort_by(|a, b| (a.interest(), &a.file).cmp(&(b.interest(), &b.file)));
        self.cases.truncate(CASES);
    }

    /// Adds the counts of the next file. Files are added in their order, so that cases are too.
    pub(crate) fn add(&mut self, other: Tally) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.sessions.extend(other.sessions);
        self.turn_ends += other.turn_ends;
        add_all(&mut self.waiting, other.waiting);
        add_all(&mut self.needs_you, other.needs_you);
        add_all(&mut self.rules, other.rules);
        add_all(&mut self.surfaced_later, other.surfaced_later);
        add_all(&mut self.labels, other.labels);
        add_all(&mut self.why, other.why);
        add_all(&mut self.skipped, other.skipped);
        self.pings_saved += other.pings_saved;
        self.hidden_questions += other.hidden_questions;
        self.unbacked_waits += other.unbacked_waits;
        self.lost_wakes += other.lost_wakes;
        self.guard_refusals += other.guard_refusals;
        self.unseen += other.unseen;
        self.kept_out += other.kept_out;
        self.open_at_end += other.open_at_end;
        self.reconstructed += other.reconstructed;
        self.unknown.merge(&other.unknown);
        self.disagreements.extend(other.disagreements);
        self.cases.extend(other.cases);
        self.cut_cases();
    }

    /// The report of all files.
    pub(crate) fn report(mut self) -> Report {
        self.cut_cases();
        let waits: u64 = self.waiting.values().sum();
        let surfaced: u64 = self.needs_you.values().sum();
        Report {
            version: VERSION,
            files: self.files,
            bytes: self.bytes,
            sessions: self.sessions.len() as u64,
            turn_ends: self.turn_ends,
            idle: self.turn_ends - waits - surfaced,
            truth: self.truth(),
            waiting: named(&self.waiting, |gate| gate.name().to_owned()),
            needs_you: named(&self.needs_you, |reason| reason.name().to_owned()),
            rules: named(&self.rules, ToString::to_string),
            surfaced_later: named(&self.surfaced_later, |reason| reason.name().to_owned()),
            pings_saved: self.pings_saved,
            hidden_questions: self.hidden_questions,
            unbacked_waits: self.unbacked_waits,
            lost_wakes: self.lost_wakes,
            guard_refusals: self.guard_refusals,
            hours_waiting_unseen: hours(self.unseen),
            hours_kept_out: hours(self.kept_out),
            open_at_end: self.open_at_end,
            reconstructed: self.reconstructed,
            skipped: named(&self.skipped, |skip| skip.name().to_owned()),
            unknown: unknown(&self.unknown),
            cases: self.cases,
            disagreements: self.disagreements,
        }
    }

    fn truth(&self) -> TruthSummary {
        let count = |waits: bool, label| self.labels.get(&(waits, label)).copied().unwrap_or_default();
        let both = |label| count(true, label) + count(false, label);
        let hits = count(true, Label::Right);
        let precision = Ratio::new(hits, hits + count(true, Label::Wrong));
        let recall = Ratio::new(hits, hits + count(false, Label::Wrong));
        TruthSummary {
            right: both(Label::Right),
            wrong: both(Label::Wrong),
            unknown: both(Label::Unknown),
            precision: precision.map(|ratio| ratio.value),
            recall: recall.map(|ratio| ratio.value),
            precision_interval: precision,
            recall_interval: recall,
            why: named(&self.why, |(verdict, label, why)| format!("{verdict}, {}: {why}", label.name())),
        }
    }
}

/// The name of a verdict.
pub(crate) fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Waiting { .. } => "waiting",
        Verdict::NeedsYou { .. } => "needs_you",
        Verdict::Idle => "idle",
    }
}

fn add_all<K: Ord>(sum: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        *sum.entry(key).or_default() += count;
    }
}

fn named<K>(counts: &BTreeMap<K, u64>, name: impl Fn(&K) -> String) -> BTreeMap<String, u64> {
    counts.iter().map(|(key, count)| (name(key), *count)).collect()
}

fn unknown(seen: &Unknowns) -> BTreeMap<String, u64> {
    let kind = |what| match what {
        Unknown::Event => "line",
        Unknown::Field => "field",
        Unknown::Variant => "value",
        Unknown::Damaged => "damaged",
    };
    let mut names: BTreeMap<String, u64> =
        seen.iter().map(|(what, name, count)| (format!("{} {name}", kind(what)), count)).collect();
    if seen.overflow() > 0 {
        names.insert("others".to_owned(), seen.overflow());
    }
    names
}

/// To a tenth of an hour: the times of transcripts are no more exact than that, and sums of whole milliseconds are
/// the same in every order.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of a lifetime are far below 2^52")]
fn hours(ms: u64) -> f64 {
    (ms as f64 / 360_000.0).round() / 10.0
}
