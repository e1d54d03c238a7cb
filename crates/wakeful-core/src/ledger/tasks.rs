//! Background tasks on the ledger: live, owed, gone (spec 40, "State").

use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::event::{Task, TaskOutcome, TaskReport, WakeStage};
use crate::ids::{TaskId, ToolUseId, WakeId};
use crate::time::{Boot, Now};

/// One background task on the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEntry {
    /// What it is.
    pub task: Task,
    /// The call that started it, where known.
    pub started_by: Option<ToolUseId>,
    /// When it started, or was first listed.
    pub started_at: Now,
    /// The agent declared that it waits for it.
    pub awaited: bool,
    /// It keeps the session out of the inbox.
    pub holds: bool,
    /// Live or owed.
    pub phase: Phase,
    /// Its overdue bound has passed (A22).
    pub overdue: bool,
}

/// Where a task is in its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// It runs.
    Live,
    /// It has ended, and the client owes the agent a wake for it.
    Owed {
        /// Since when.
        since: Now,
        /// Its end was reported, not only seen as missing from a list: then no list revives it (S6).
        reported: bool,
        /// The announced wake that will consume it (segment, A4 to A6).
        wake: Option<WakeId>,
    },
}

impl TaskEntry {
    /// Is a wake owed for it?
    pub fn owed(&self) -> bool {
        matches!(self.phase, Phase::Owed { .. })
    }

    fn owe(&mut self, now: Now, reported: bool) {
        match &mut self.phase {
            // The second arrival of roster and report changes nothing that shows (A3).
            Phase::Owed { reported: was, .. } => *was |= reported,
            Phase::Live => self.phase = Phase::Owed { since: now, reported, wake: None },
        }
    }
}

impl Ledger {
    /// A task began, or was seen to be live. The same id from another call is a new start: unawaited, owing nothing (A7).
    pub(crate) fn start_task(&mut self, task: Task, tool_use: Option<ToolUseId>, now: Now) {
        self.changed();
        let entry = self.tasks.iter_mut().find(|entry| entry.task.id == task.id);
        match entry {
            Some(entry) if entry.started_by.is_none() || entry.started_by == tool_use => {
                // Listed before its start was seen, or the same start twice (S1): keep what is known, learn the rest.
                entry.started_by = entry.started_by.take().or(tool_use);
                if !entry.owed() {
                    entry.task = task;
                }
            }
            Some(entry) => *entry = TaskEntry::new(task, tool_use, now),
            None => self.tasks.push(TaskEntry::new(task, tool_use, now)),
        }
    }

    /// The client's list of live tasks: replaces, never merges. `seen` is when the list was made: a task that
    /// started later is not missed in it.
    pub(super) fn list_tasks(&mut self, listed: &[Task], seen: Boot, now: Now) {
        for task in listed {
            match self.tasks.iter_mut().find(|entry| entry.task.id == task.id) {
                None => self.tasks.push(TaskEntry::new(task.clone(), None, now)),
                Some(entry) => {
                    if matches!(entry.phase, Phase::Owed { reported: false, .. }) {
                        entry.phase = Phase::Live; // it was only missing from one list
                        entry.overdue = false;
                    }
                    entry.relist(task);
                }
            }
        }
        for entry in &mut self.tasks {
            let missed = !listed.iter().any(|task| task.id == entry.task.id);
            if missed && entry.started_at.boot <= seen {
                entry.owe(now, false);
            }
        }
    }

    /// A task's end was reported outside a prompt: it is owed its wake until that starts. Unknown ids and repeats
    /// wake nothing (A14).
    pub(crate) fn report_task(&mut self, report: &TaskReport, now: Now) {
        let Some(outcome) = report.outcome else { return };
        let Some(at) = self.tasks.iter().position(|entry| entry.task.id == report.task) else { return };
        self.changed();
        match outcome {
            TaskOutcome::Stopped => drop(self.tasks.remove(at)), // no wake follows (A17)
            TaskOutcome::Completed
            | TaskOutcome::Failed
            | TaskOutcome::TimedOut
            | TaskOutcome::StoppedByUnknown => {
                self.tasks[at].owe(now, true);
            }
        }
    }

    /// A prompt carried these reports: the turn that it opens, or the open one that it was folded into, consumes
    /// them (A13). True when an entry was discharged.
    pub(crate) fn consume_reports(&mut self, reports: &[TaskReport]) -> bool {
        let ended = |id: &TaskId| reports.iter().any(|report| report.task == *id && report.outcome.is_some());
        let before = self.tasks.len();
        self.tasks.retain(|entry| !ended(&entry.task.id));
        let discharged = self.tasks.len() < before;
        if discharged {
            self.changed();
        }
        discharged
    }

    /// A wake of the client moved on (A4 to A6, A12). True when an entry was discharged by its turn.
    pub(crate) fn native_wake(&mut self, wake: &WakeId, stage: WakeStage, tasks: Option<&[TaskId]>) -> bool {
        self.changed();
        let announced = self.announced.contains(wake);
        if !announced {
            for entry in &mut self.tasks {
                let named = tasks.is_none_or(|ids| ids.contains(&entry.task.id));
                if let Phase::Owed { wake: slot @ None, .. } = &mut entry.phase
                    && named
                {
                    *slot = Some(wake.clone());
                }
            }
            self.announced.push(wake.clone());
        }
        if stage == WakeStage::Announced {
            return false;
        }
        self.announced.retain(|other| other != wake);
        let before = self.tasks.len();
        self.tasks.retain(
            |entry| !matches!(&entry.phase, Phase::Owed { wake: Some(segment), .. } if segment == wake),
        );
        self.tasks.len() < before && stage == WakeStage::Started
    }

    /// The agent waits, or no longer waits, for these tasks: changes only the flag, and with it the hold.
    pub(crate) fn set_awaited(&mut self, ids: &[TaskId], awaited: bool) {
        for entry in self.tasks.iter_mut().filter(|entry| ids.contains(&entry.task.id)) {
            entry.awaited = awaited;
            entry.holds = awaited;
            entry.overdue &= awaited;
        }
        self.changed();
    }

    /// The user stops waiting for one task, or for everything. True when something held until now.
    pub(crate) fn stop_waiting(&mut self, task: Option<&TaskId>) -> bool {
        let mut held = false;
        for entry in self.tasks.iter_mut().filter(|entry| task.is_none_or(|id| *id == entry.task.id)) {
            held |= entry.holds;
            entry.awaited = false;
            entry.holds = false;
            entry.overdue = false;
        }
        if task.is_none() {
            held |= self.holds();
            self.prose = None;
            self.accounting.clear();
            self.wakes.iter_mut().for_each(|wake| wake.holds = false);
        }
        self.changed();
        held
    }
}

impl TaskEntry {
    fn new(task: Task, started_by: Option<ToolUseId>, now: Now) -> Self {
        Self {
            task,
            started_by,
            started_at: now,
            awaited: false,
            holds: false,
            phase: Phase::Live,
            overdue: false,
        }
    }

    /// A list says less than a start (no limit, and a shorter command); it neither sets nor clears `awaited` (A8).
    fn relist(&mut self, listed: &Task) {
        self.task.kind = listed.kind;
        self.task.limit = self.task.limit.or(listed.limit);
        if self.task.endless.is_none() {
            self.task.endless.clone_from(&listed.endless);
        }
    }
}
