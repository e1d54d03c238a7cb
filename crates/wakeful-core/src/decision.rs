//! The recorded outcome of one turn end (spec 00): verdict, gate, rule, evidence.

use serde::{Deserialize, Serialize};

use crate::causes::Reason;
use crate::event::TaskKind;
use crate::ids::{RuleId, TaskId, TurnId};
use crate::ledger::Backing;
use crate::time::{Millis, Now, Wall};

/// A gate of the ladder (spec 10), by its name there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// An ask is open.
    OpenAsk,
    /// The turn failed, hit a limit, or was interrupted.
    Failure,
    /// The message asks the user something.
    Question,
    /// A wake is scheduled and confirmed.
    ScheduledWake,
    /// An awaited task is live, or a wake is owed.
    AwaitedWork,
    /// Background tasks are live and someone waits for them.
    LiveWork,
    /// Foreground subagent calls have no result yet.
    PendingSubagents,
    /// The words wait, and something may be behind them.
    ProseWait,
    /// Otherwise.
    Done,
}

impl Gate {
    /// The name of spec 10.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAsk => "open-ask",
            Self::Failure => "failure",
            Self::Question => "question",
            Self::ScheduledWake => "scheduled-wake",
            Self::AwaitedWork => "awaited-work",
            Self::LiveWork => "live-work",
            Self::PendingSubagents => "pending-subagents",
            Self::ProseWait => "prose-wait",
            Self::Done => "done",
        }
    }
}

/// What a gate decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The session needs its user.
    NeedsYou {
        /// Why.
        reason: Reason,
        /// The question, the error; for people.
        detail: Option<String>,
        /// When a limit is over.
        resets: Option<Wall>,
    },
    /// The session waits.
    Waiting {
        /// What for.
        on: WaitingOn,
        /// What bounds the wait (A22).
        bound: Bound,
    },
    /// Neither: an interruption by the user opens no inbox item.
    Idle,
}

impl Verdict {
    /// Needs the user, with nothing more to say.
    pub fn needs_you(reason: Reason) -> Self {
        Self::NeedsYou { reason, detail: None, resets: None }
    }

    /// Is it a wait?
    pub fn waits(&self) -> bool {
        matches!(self, Self::Waiting { .. })
    }

    /// The reason, if the session needs its user.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::NeedsYou { reason, .. } => Some(*reason),
            Self::Waiting { .. } | Self::Idle => None,
        }
    }
}

/// What a waiting session waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingOn {
    /// A scheduled wake.
    Wake,
    /// A scheduled check-in.
    CheckIn,
    /// Awaited work.
    Awaited,
    /// Live work of these kinds.
    Live(Vec<TaskKind>),
    /// The results of foreground subagent calls.
    Accounting,
    /// What the words say.
    Prose(Backing),
}

/// What bounds a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The cap: after this long the wait surfaces.
    Cap {
        /// How long.
        after: Millis,
        /// The agent's stated ETA made it longer (T7).
        by_eta: bool,
    },
    /// The wake itself, and the overdue rule after it.
    Wake,
    /// The task's own limit, and the overdue rule.
    Overdue,
    /// The stall watchdog.
    Stall,
}

/// The recorded outcome of one turn end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// When.
    pub at: Now,
    /// Number of the turn in the session.
    pub number: u32,
    /// The client's id of the turn.
    pub turn: Option<TurnId>,
    /// What was decided.
    pub verdict: Verdict,
    /// By which gate.
    pub gate: Gate,
    /// By which rule of the reading, where a rule had a say.
    pub rule: Option<RuleId>,
    /// The words that it matched, for people.
    pub words: Option<String>,
    /// What was alive, owed and armed, and which of it holds.
    pub evidence: Evidence,
}

/// What a decision rested on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// The client's lists were there.
    pub lists: bool,
    /// They were rebuilt from a transcript.
    pub reconstructed: bool,
    /// The tasks on the ledger.
    pub tasks: Vec<TaskEvidence>,
    /// Confirmed scheduled wakes.
    pub wakes: u32,
    /// Backing of a wait in the words, where there was one.
    pub backing: Option<Backing>,
    /// Vetoes of the reading.
    pub vetoes: Vec<RuleId>,
    /// The rule by which the message closes.
    pub closes: Option<RuleId>,
}

/// One task as a decision saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEvidence {
    /// Which.
    pub id: TaskId,
    /// What kind.
    pub kind: TaskKind,
    /// The agent waits for it.
    pub awaited: bool,
    /// It has ended and is owed its wake.
    pub owed: bool,
    /// It holds.
    pub holds: bool,
    /// It never ends by itself, by this rule.
    pub endless: Option<RuleId>,
}
