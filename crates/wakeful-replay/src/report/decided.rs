//! One decision with where it stands, what it rested on, and what came of it.

use serde::{Deserialize, Serialize};
use wakeful_core::causes::Reason;
use wakeful_core::decision::Gate;
use wakeful_core::ids::{Client, RuleId};
use wakeful_core::ledger::Backing;
use wakeful_core::view::WaitKind;

use crate::truth::Label;

/// One decision of a replay: a line of `--out`, a case or a disagreement of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The transcript.
    pub file: String,
    /// The line of the last message in it, from 1.
    pub line: u64,
    /// Where that line begins, in bytes.
    pub offset: u64,
    /// Whose session.
    pub client: Client,
    /// Which session.
    pub session: String,
    /// When the turn ended, in the zone of the replay.
    pub at: String,
    /// Number of the turn in the session.
    pub turn: u32,
    /// `waiting`, `needs_you` or `idle`.
    pub verdict: String,
    /// The reason of `needs_you`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The gate that decided.
    pub gate: Gate,
    /// The rule that had a say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleId>,
    /// The words that it matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What was behind a wait in the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing: Option<Backing>,
    /// What held.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<Held>,
    /// The client's lists were rebuilt from the transcript (R1).
    pub reconstructed: bool,
    /// The end of the last message, on one line.
    pub message: String,
    /// What came next.
    pub next: NextView,
    /// The first time that a timer brought it to its user before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surfaced: Option<SurfacedView>,
    /// Is it right?
    pub label: Label,
    /// Why it is thought so.
    pub why: String,
    /// See [`Report::hidden_questions`](super::Report::hidden_questions).
    pub hidden_question: bool,
    /// See [`Report::unbacked_waits`](super::Report::unbacked_waits).
    pub unbacked_wait: bool,
    /// See [`Report::lost_wakes`](super::Report::lost_wakes).
    pub lost_wake: bool,
}

/// An entry that held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// What kind.
    pub kind: WaitKind,
    /// What it is, for people.
    pub label: String,
}

/// What came next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextView {
    /// `wake`, `prompt`, `check_in`, `agent`, `went_on`, `ended`, `end`.
    pub what: String,
    /// After how long, in milliseconds; none at the end of a transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
    /// Its first words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

/// A timer brought a session to its user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurfacedView {
    /// Why.
    pub reason: Reason,
    /// After how long, in milliseconds.
    pub after_ms: u64,
}

/// Why a case is interesting; the most interesting first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interest {
    /// It was kept out of the inbox, and what followed says that it needed its user: the worse error.
    WronglyWaiting,
    /// It went to the inbox, and what followed says that it was only waiting.
    WronglySurfaced,
    /// A question that a running task would have hidden.
    HiddenQuestion,
    /// A promise with nothing behind it.
    UnbackedWait,
    /// A wake that never came.
    LostWake,
}

impl Decided {
    /// Why it is interesting, if it is.
    pub fn interest(&self) -> Option<Interest> {
        match self.label {
            Label::Wrong if self.verdict == "waiting" => Some(Interest::WronglyWaiting),
            Label::Wrong => Some(Interest::WronglySurfaced),
            _ if self.hidden_question => Some(Interest::HiddenQuestion),
            _ if self.unbacked_wait => Some(Interest::UnbackedWait),
            _ if self.lost_wake => Some(Interest::LostWake),
            _ => None,
        }
    }
}
