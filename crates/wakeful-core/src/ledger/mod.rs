//! The wake ledger: every promise to wake the agent is an entry, and leaves only by being kept or cancelled (spec 40).

mod tasks;
mod wakes;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

pub(crate) use tasks::always_holds;
pub use tasks::{Phase, TaskEntry};
pub use wakes::{WakeEntry, WakeKind};

use crate::event::{Roster, TaskKind};
use crate::ids::{TaskId, ToolUseId, WakeId};
use crate::reading::WaitWords;
use crate::time::{Boot, Now};

/// The wake ledger of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// Background tasks, live and owed, in order of arrival.
    pub tasks: Vec<TaskEntry>,
    /// Scheduled wakes and cron rows, in order of arrival.
    pub wakes: Vec<WakeEntry>,
    /// The wait that only the last message speaks of.
    pub prose: Option<ProseWait>,
    /// Foreground subagent calls of the ended turn that have no result yet (`pending-subagents`).
    pub accounting: Vec<ToolUseId>,
    /// The client's own wakes that were announced and have not started (A12).
    pub announced: Vec<WakeId>,
    /// Hook start of the newest list seen: an older list never overwrites a newer one (A21).
    pub listed: Boot,
    /// Tasks that left, newest last: a late start or an older list does not bring them back (S6).
    gone: VecDeque<Gone>,
    /// The client's own wakes that started or were discarded, newest last: the same news twice releases nothing of
    /// another wake (A4).
    over: VecDeque<WakeId>,
    /// Grows with every change (A21).
    pub revision: u64,
}

/// How many of those that left are remembered: late hooks are seconds late, and no session starts that many tasks in seconds.
const REMEMBERED: usize = 32;

/// A task that left the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Gone {
    task: TaskId,
    started_by: Option<ToolUseId>,
    at: Now,
}

/// Keeps the newest [`REMEMBERED`].
fn remember<T>(memory: &mut VecDeque<T>, new: T) {
    if memory.len() == REMEMBERED {
        memory.pop_front();
    }
    memory.push_back(new);
}

/// A wait whose only evidence is the last message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProseWait {
    /// The words and the rule.
    pub words: WaitWords,
    /// Is there anything behind the promise?
    pub backing: Backing,
    /// Since when.
    pub since: Now,
}

/// Is there anything behind a prose wait? (spec 10)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backing {
    /// The ledger holds something that can wake this agent.
    Backed,
    /// It names something outside the client that may come back.
    External,
    /// The client sends no lists and none can be had.
    Unknown,
    /// Nothing is armed to wake this agent.
    Unbacked,
}

impl Ledger {
    /// Does any entry keep the session out of the inbox?
    pub fn holds(&self) -> bool {
        self.prose.is_some()
            || !self.accounting.is_empty()
            || self.tasks.iter().any(|entry| entry.holds)
            || self.wakes.iter().any(|wake| wake.holds)
    }

    /// Is anything on it at all? Then the process must not be replaced (A10).
    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty() && self.wakes.is_empty() && self.prose.is_none() && self.accounting.is_empty()
    }

    /// Can something on it wake the agent without help? A command that never ends cannot.
    pub fn can_wake(&self) -> bool {
        self.tasks.iter().any(|entry| entry.awaited || entry.owed() || entry.task.endless.is_none())
            || self.wakes.iter().any(|wake| wake.confirmed)
    }

    /// How many entries are overdue.
    pub fn overdue(&self) -> usize {
        let tasks = self.tasks.iter().filter(|entry| entry.overdue).count();
        tasks + self.wakes.iter().filter(|wake| wake.overdue).count()
    }

    /// Is a task alive that may have a subagent of its own?
    pub fn has_agents(&self) -> bool {
        self.tasks
            .iter()
            .any(|entry| !entry.owed() && !matches!(entry.task.kind, TaskKind::Command | TaskKind::Monitor))
    }

    /// The entry of a task.
    pub fn task(&self, id: &TaskId) -> Option<&TaskEntry> {
        self.tasks.iter().find(|entry| entry.task.id == *id)
    }

    /// The client's lists of live tasks and of schedules, as they were at `seen`. A list older than the last one
    /// changes nothing (A21), an absent one proves nothing. True when a confirmed wake went before its time (W9).
    pub(crate) fn list(&mut self, roster: &Roster, seen: Boot, now: Now) -> bool {
        if seen < self.listed || (roster.tasks.is_none() && roster.wakes.is_none()) {
            return false;
        }
        self.listed = seen;
        self.changed();
        if let Some(tasks) = &roster.tasks {
            self.list_tasks(tasks, seen, now);
        }
        roster.wakes.as_ref().is_some_and(|rows| self.list_wakes(rows, seen, now))
    }

    /// Takes everything off (Stop, A16); what was on it, by label.
    pub fn clear(&mut self, now: Now) -> Vec<String> {
        let lost = self
            .tasks
            .iter()
            .map(|entry| entry.task.label.clone())
            .chain(self.prose.iter().map(|prose| prose.words.words.clone()))
            .chain(self.accounting.iter().map(|call| format!("subagent {call}")))
            .chain(
                self.wakes
                    .iter()
                    .map(|wake| wake.reason.clone().unwrap_or_else(|| "a scheduled wake".into())),
            )
            .collect();
        self.drop_tasks(now, |_| true);
        let old = std::mem::take(self);
        *self = Self {
            listed: old.listed,
            gone: old.gone,
            over: old.over,
            revision: old.revision,
            ..Self::default()
        };
        self.changed();
        lost
    }

    /// The process went, and its entries with it; those wakes stay that Wakeful fires for a session that it resumes
    /// itself (W11). What was lost, by label.
    pub(crate) fn lose_process(&mut self, supervised: bool, now: Now) -> Vec<String> {
        let (kept, lost): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.wakes).into_iter().partition(|wake| supervised && wake.own());
        self.wakes = lost;
        let lost = self.clear(now);
        self.wakes = kept;
        lost
    }

    /// What `/clear` moves to the next session of the process (C5): its entries, but nothing that only the
    /// conversation said.
    pub(crate) fn hand_over(&mut self) -> Self {
        let mut moved = std::mem::take(self);
        self.revision = moved.revision + 1;
        moved.prose = None;
        moved.accounting.clear();
        moved
    }

    /// Takes over what another session of the process left behind, beside what is here already.
    pub(crate) fn inherit(&mut self, other: &Self) {
        let new = |id: &TaskId| self.task(id).is_none();
        let tasks: Vec<_> = other.tasks.iter().filter(|entry| new(&entry.task.id)).cloned().collect();
        self.tasks.extend(tasks);
        self.wakes.extend(other.wakes.iter().cloned());
        self.announced.extend(other.announced.iter().cloned());
        self.gone.extend(other.gone.iter().cloned());
        self.over.extend(other.over.iter().cloned());
        self.listed = self.listed.max(other.listed);
        self.revision += other.revision + 1;
    }

    /// Lets the prose wait go, if there is one.
    pub fn drop_prose(&mut self) {
        if self.prose.take().is_some() {
            self.changed();
        }
    }

    /// These foreground subagent calls have no result yet.
    pub(crate) fn account(&mut self, pending: Vec<ToolUseId>) {
        if self.accounting != pending {
            self.accounting = pending;
            self.changed();
        }
    }

    /// The result of a call is there.
    pub(crate) fn accounted(&mut self, call: &ToolUseId) {
        let pending = self.accounting.iter().filter(|pending| *pending != call).cloned().collect();
        self.account(pending);
    }

    fn changed(&mut self) {
        self.revision += 1;
    }
}
