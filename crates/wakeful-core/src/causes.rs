//! Why a session needs its user, and which reason is shown (S8b).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::AskKind;
use crate::time::{Now, Wall};

/// Why a session needs its user (spec 00). The order is the precedence of S8b, asks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A permission prompt is open.
    Permission,
    /// A question is open: in a dialog, or in the last message.
    Question,
    /// A plan waits for approval.
    Plan,
    /// An MCP server's form is open.
    Elicitation,
    /// The turn failed.
    Failed,
    /// A usage limit ended the turn.
    Limit,
    /// The process went and took promises along.
    Orphaned,
    /// A promised wake did not come.
    WakeOverdue,
    /// A wait ran to its cap.
    WaitTimeout,
    /// An open turn has been silent for too long.
    Stalled,
    /// The agent says that it waits, but nothing is armed to wake it.
    UnbackedWait,
    /// The turn is over.
    Done,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 12] = [
        Self::Permission,
        Self::Question,
        Self::Plan,
        Self::Elicitation,
        Self::Failed,
        Self::Limit,
        Self::Orphaned,
        Self::WakeOverdue,
        Self::WaitTimeout,
        Self::Stalled,
        Self::UnbackedWait,
        Self::Done,
    ];

    /// The word of spec 00.
    pub fn name(self) -> &'static str {
        match self {
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Plan => "plan",
            Self::Elicitation => "elicitation",
            Self::Failed => "failed",
            Self::Limit => "limit",
            Self::Orphaned => "orphaned",
            Self::WakeOverdue => "wake_overdue",
            Self::WaitTimeout => "wait_timeout",
            Self::Stalled => "stalled",
            Self::UnbackedWait => "unbacked_wait",
            Self::Done => "done",
        }
    }
}

impl From<AskKind> for Reason {
    fn from(ask: AskKind) -> Self {
        match ask {
            AskKind::Permission => Self::Permission,
            AskKind::Question => Self::Question,
            AskKind::Plan => Self::Plan,
            AskKind::Elicitation => Self::Elicitation,
        }
    }
}

/// One reason with what brought it about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Tells it from an earlier one of the same reason: turn, timer generation, entry. One cause rings once.
    pub key: String,
    /// Since when.
    pub since: Now,
    /// The question itself, the error, what was lost; for people.
    pub detail: Option<String>,
    /// When a limit is over, where known.
    pub resets: Option<Wall>,
    /// Never rings.
    pub silent: bool,
}

impl Cause {
    /// A cause without detail.
    pub fn new(key: impl Into<String>, since: Now) -> Self {
        Self { key: key.into(), since, detail: None, resets: None, silent: false }
    }

    /// With something for people to read.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Never rings, if `silent`.
    #[must_use]
    pub fn silent(mut self, silent: bool) -> Self {
        self.silent = silent;
        self
    }
}

/// The causes that stand. All are kept, one is shown; a message's question is the only ask among them, dialogs are
/// [`crate::asks::Asks`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Causes {
    standing: BTreeMap<Reason, Cause>,
}

/// The last of the reasons that stand above `working` and above a snooze.
pub(crate) const HARD: [Reason; 3] = [Reason::Failed, Reason::Limit, Reason::Orphaned];
/// Below `working` and a snooze, in the order of S8b.
pub(crate) const SOFT: [Reason; 5] =
    [Reason::WakeOverdue, Reason::WaitTimeout, Reason::Stalled, Reason::UnbackedWait, Reason::Question];

impl Causes {
    /// A cause stands from now on, in place of an older one of the same reason. The same cause again keeps its time.
    pub(crate) fn set(&mut self, reason: Reason, cause: Cause) {
        match self.standing.get_mut(&reason) {
            Some(old) if old.key == cause.key => old.detail = cause.detail.or(old.detail.take()),
            _ => drop(self.standing.insert(reason, cause)),
        }
    }

    /// A cause no longer stands.
    pub(crate) fn clear(&mut self, reason: Reason) -> Option<Cause> {
        self.standing.remove(&reason)
    }

    /// Only these go on standing.
    pub(crate) fn keep_only(&mut self, keep: impl Fn(Reason) -> bool) {
        self.standing.retain(|reason, _| keep(*reason));
    }

    /// The cause of a reason.
    pub fn get(&self, reason: Reason) -> Option<&Cause> {
        self.standing.get(&reason)
    }

    pub(crate) fn get_mut(&mut self, reason: Reason) -> Option<&mut Cause> {
        self.standing.get_mut(&reason)
    }

    /// The first of `order` that stands.
    pub fn first_of(&self, order: &[Reason]) -> Option<Reason> {
        order.iter().copied().find(|reason| self.standing.contains_key(reason))
    }

    /// All that stand.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, &Cause)> {
        self.standing.iter().map(|(reason, cause)| (*reason, cause))
    }
}
