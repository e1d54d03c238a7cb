//! The report as data: what `wakeful replay --json` prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Decided;
use crate::truth::Ratio;

/// Version of the report's format: it grows when a field changes its meaning or goes.
pub const VERSION: u32 = 1;

/// What Wakeful would have done over the transcripts that were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of this format.
    pub version: u32,
    /// Transcripts in which at least one session was found; files of subagents are not among them.
    pub files: u64,
    /// Bytes read from them, skipped lines included.
    pub bytes: u64,
    /// Different sessions in them.
    pub sessions: u64,
    /// Turn ends of main agents that were decided: `waiting`, `needs_you` and `idle` together. What a fork copied from
    /// another session is decided there, not again.
    pub turn_ends: u64,
    /// Turn ends that were kept out of the inbox, by gate.
    pub waiting: BTreeMap<String, u64>,
    /// Turn ends that went to the inbox, by reason.
    pub needs_you: BTreeMap<String, u64>,
    /// Turns that the user interrupted: neither.
    pub idle: u64,
    /// Turn ends by the rule of the reading that had a say, whatever the verdict.
    pub rules: BTreeMap<String, u64>,
    /// Between turns: how often a timer brought a session to its user (a cap that ran out, a wake that was overdue, a
    /// turn that fell silent), by reason.
    pub surfaced_later: BTreeMap<String, u64>,
    /// What the transcripts themselves say about the decisions (R1).
    pub truth: TruthSummary,
    /// Turn ends that were kept out of the inbox and did not surface later: whoever is pinged at every turn end was
    /// pinged here for nothing.
    pub pings_saved: u64,
    /// Turn ends at the gates `question` and `open-ask` at which an entry of the ledger held: a tool for which a task
    /// list that is not empty means "waiting" would have hidden the question.
    pub hidden_questions: u64,
    /// Turn ends whose words wait, with lists that are there and empty and nothing external named: nothing was armed
    /// to wake the agent.
    pub unbacked_waits: u64,
    /// Waiting turn ends whose wake never came: the cap or the overdue time passed and the next turn was not opened by
    /// a wake, or the process went and took the wait along. A wake that came late is not among them.
    pub lost_wakes: u64,
    /// Calls of the shell tool whose command the guard refuses under the standard policy (spec 50).
    pub guard_refusals: u64,
    /// Hours between a turn end that is a hidden question, an unbacked wait or a lost wake and the user's next prompt:
    /// how long agents stood still while they looked busy.
    pub hours_waiting_unseen: f64,
    /// Hours that sessions waited out of the inbox until their wake came.
    pub hours_kept_out: f64,
    /// Waiting turn ends after which the transcript ends: what became of them is not known.
    pub open_at_end: u64,
    /// Turn ends whose task list was rebuilt from the transcript, because transcripts hold none (R1).
    pub reconstructed: u64,
    /// What was not read or not used, by reason: files, folders and lines (R2).
    pub skipped: BTreeMap<String, u64>,
    /// Kinds of lines and fields that this version does not know, by name.
    pub unknown: BTreeMap<String, u64>,
    /// The ten most interesting cases: disagreements with the truth first, then hidden questions, unbacked waits and
    /// lost wakes; in the order of files and lines.
    pub cases: Vec<Decided>,
    /// Every decision that the truth calls wrong.
    pub disagreements: Vec<Decided>,
}

/// Labels of the decisions. The positive class is waiting; precision and recall are over right and wrong only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthSummary {
    /// Decisions that what followed proves right.
    pub right: u64,
    /// Decisions that it proves wrong.
    pub wrong: u64,
    /// Decisions about which it proves nothing.
    pub unknown: u64,
    /// Of those that were kept waiting: the part that was right. Null of none.
    pub precision: Option<f64>,
    /// Of those that only waited: the part that was kept waiting. Null of none.
    pub recall: Option<f64>,
    /// `precision` with its counts and its Wilson interval at 95 %.
    pub precision_interval: Option<Ratio>,
    /// `recall` with its counts and its Wilson interval at 95 %.
    pub recall_interval: Option<Ratio>,
    /// How often which reason for a label, by verdict and label.
    pub why: BTreeMap<String, u64>,
}

impl Report {
    /// Turn ends that were kept out of the inbox.
    pub fn waits(&self) -> u64 {
        self.waiting.values().sum()
    }

    /// Turn ends that went to the inbox.
    pub fn surfaced(&self) -> u64 {
        self.needs_you.values().sum()
    }
}
