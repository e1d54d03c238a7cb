//! Background tasks on the ledger: live, owed, gone (spec 40, "State").

use serde::{Deserialize, Serialize};

use super::{Gone, Ledger, remember};
use crate::event::{Task, TaskKind, TaskOutcome, TaskReport, WakeStage};
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
        /// Reported stopped, and the client does not say by whom: its overdue time releases it.
        stopped: bool,
        /// The announced wake that will consume it (segment, A4 to A6).
        wake: Option<WakeId>,
    },
}

impl TaskEntry {
    /// Is a wake owed for it?
    pub fn owed(&self) -> bool {
        matches!(self.phase, Phase::Owed { .. })
    }

    /// It has ended: by a report with this outcome, or because a list no longer has it.
    fn owe(&mut self, now: Now, report: Option<TaskOutcome>) {
        let stops = report == Some(TaskOutcome::StoppedByUnknown);
        match &mut self.phase {
            // The second arrival of roster and report changes nothing that shows (A3).
            Phase::Owed { reported, stopped, .. } => {
                *stopped |= stops && !*reported;
                *reported |= report.is_some();
            }
            Phase::Live => {
                let reported = report.is_some();
                self.phase = Phase::Owed { since: now, reported, stopped: stops, wake: None };
            }
        }
    }
}

impl Ledger {
    /// A task began, told by a hook that started at `seen`. The same id from another call is a new start: unawaited,
    /// owing nothing (A7).
    pub(crate) fn start_task(&mut self, task: Task, tool_use: Option<ToolUseId>, seen: Boot, now: Now) {
        let same_call = |started_by: &Option<ToolUseId>| tool_use.is_some() && *started_by == tool_use;
        let ended =
            |gone: &Gone| gone.task == task.id && (same_call(&gone.started_by) || gone.at.after(seen, now));
        if self.gone.iter().any(ended) {
            return; // late news of a task that has ended (S6)
        }
        self.changed();
        let entry = self.tasks.iter_mut().find(|entry| entry.task.id == task.id);
        match entry {
            Some(entry)
                if entry.started_by.is_none() || tool_use.is_none() || entry.started_by == tool_use =>
            {
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

    /// Takes tasks off, and remembers that they are gone.
    pub(super) fn drop_tasks(&mut self, now: Now, leaves: impl Fn(&TaskEntry) -> bool) -> bool {
        let (left, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut self.tasks).into_iter().partition(leaves);
        self.tasks = stay;
        let some = !left.is_empty();
        for entry in left {
            remember(&mut self.gone, Gone { task: entry.task.id, started_by: entry.started_by, at: now });
        }
        some
    }

    /// The client's list of live tasks: replaces, never merges. `seen` is when the list was made: a task that
    /// started later is not missed in it.
    pub(super) fn list_tasks(&mut self, listed: &[Task], seen: Boot, now: Now) {
        for task in listed {
            match self.tasks.iter_mut().find(|entry| entry.task.id == task.id) {
                None if self.gone.iter().any(|gone| gone.task == task.id && gone.at.after(seen, now)) => {}
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
            if missed && !entry.started_at.after(seen, now) {
                entry.owe(now, None);
            }
        }
    }

    /// A task's end was reported outside a prompt: it is owed its wake until that starts. Unknown ids and repeats
    /// wake nothing (A14).
    pub(crate) fn report_task(&mut self, report: &TaskReport, now: Now) {
        let Some(outcome) = report.outcome else { return };
        let Some(entry) = self.tasks.iter_mut().find(|entry| entry.task.id == report.task) else { return };
        match outcome {
            TaskOutcome::Stopped => drop(self.drop_tasks(now, |entry| entry.task.id == report.task)), // no wake follows (A17)
            TaskOutcome::Completed
            | TaskOutcome::Failed
            | TaskOutcome::TimedOut
            | TaskOutcome::StoppedByUnknown => {
                entry.owe(now, Some(outcome));
            }
        }
        self.changed();
    }

    /// A prompt carried these reports: the turn that it opens, or the open one that it was folded into, consumes
    /// them (A13). True when an entry was discharged.
    pub(crate) fn consume_reports(&mut self, reports: &[TaskReport], seen: Boot, now: Now) -> bool {
        let ended = |id: &TaskId| reports.iter().any(|report| report.task == *id && report.outcome.is_some());
        for report in reports.iter().filter(|report| report.outcome.is_some()) {
            if self.task(&report.task).is_none() {
                // Its start may still be on the way.
                let gone = Gone { task: report.task.clone(), started_by: None, at: now };
                remember(&mut self.gone, gone);
            }
        }
        // What started after the prompt is not what the prompt reports.
        let discharged =
            self.drop_tasks(now, |entry| ended(&entry.task.id) && !entry.started_at.after(seen, now));
        if discharged {
            self.changed();
        }
        discharged
    }

    /// Has this wake of the client started or been discarded already?
    pub(crate) fn wake_is_over(&self, wake: &WakeId) -> bool {
        self.over.contains(wake)
    }

    /// A wake of the client moved on (A4 to A6, A12). True when an entry was discharged by its turn.
    pub(crate) fn native_wake(
        &mut self,
        wake: &WakeId,
        stage: WakeStage,
        tasks: Option<&[TaskId]>,
        now: Now,
    ) -> bool {
        self.changed();
        // One that was never announced and will not come takes only what it names.
        let claims = !self.announced.contains(wake) && (stage != WakeStage::Discarded || tasks.is_some());
        if claims {
            for entry in &mut self.tasks {
                let named = tasks.is_none_or(|ids| ids.contains(&entry.task.id));
                if let Phase::Owed { wake: slot @ None, .. } = &mut entry.phase
                    && named
                {
                    *slot = Some(wake.clone());
                }
            }
        }
        self.announced.retain(|other| other != wake);
        if stage == WakeStage::Announced {
            self.announced.push(wake.clone());
            return false;
        }
        remember(&mut self.over, wake.clone());
        let released = self.drop_tasks(
            now,
            |entry| matches!(&entry.phase, Phase::Owed { wake: Some(segment), .. } if segment == wake),
        );
        released && stage == WakeStage::Started
    }

    /// Takes off what was stopped nobody knows by whom, and is overdue: no wake will come.
    pub(crate) fn release_stopped(&mut self, now: Now) {
        let released = self.drop_tasks(now, |entry| {
            entry.overdue && matches!(entry.phase, Phase::Owed { stopped: true, .. })
        });
        if released {
            self.changed();
        }
    }

    /// The agent waits, or no longer waits, for these tasks: changes only the flag, and with it the hold.
    pub(crate) fn set_awaited(&mut self, ids: &[TaskId], awaited: bool) {
        for entry in self.tasks.iter_mut().filter(|entry| ids.contains(&entry.task.id)) {
            entry.awaited = awaited;
            entry.holds = awaited || (!entry.owed() && always_holds(&entry.task));
            entry.overdue &= entry.holds;
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

/// Does this task hold a turn end whatever the message says? (spec 10, first rows of the table)
pub(crate) fn always_holds(task: &Task) -> bool {
    match task.kind {
        TaskKind::Subagent | TaskKind::Workflow | TaskKind::Other => true,
        TaskKind::Monitor => !task.persistent,
        TaskKind::Command => false,
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
        if listed.kind != TaskKind::Other {
            self.task.kind = listed.kind;
        }
        self.task.limit = self.task.limit.or(listed.limit);
        if self.task.endless.is_none() {
            self.task.endless.clone_from(&listed.endless);
        }
    }
}
