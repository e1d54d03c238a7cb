//! What every surface shows of a session (S12): computed from the session, nowhere else.

use serde::{Deserialize, Serialize};

use crate::asks::Ask;
use crate::banner::banner;
use crate::causes::{HARD, Reason, SOFT};
use crate::decision::Decision;
use crate::event::TaskKind;
use crate::event::TimerKind;
use crate::ids::{SessionKey, TaskId};
use crate::ledger::{Backing, Phase};
use crate::session::{Session, Status};
use crate::time::{Millis, Now, Wall};

/// A session as every surface shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionView {
    /// Whose.
    pub key: SessionKey,
    /// The first prompt, shortened.
    pub label: Option<String>,
    /// Where it runs.
    pub cwd: Option<String>,
    /// What it is doing.
    pub status: Status,
    /// Since when it needs its user, if it does.
    pub since: Option<Now>,
    /// The question itself, the error, what was lost.
    pub detail: Option<String>,
    /// The subagent that asks, if it is one.
    pub asked_by: Option<String>,
    /// When a limit is over.
    pub resets: Option<Wall>,
    /// Every other reason that stands, in order of precedence.
    pub also: Vec<Reason>,
    /// The ledger: whatever the status, all of it.
    pub waits: Vec<WaitView>,
    /// Until when the wait stays out of the inbox.
    pub until: Option<Bounded>,
    /// The banner of the pending scheduled wake.
    pub banner: Option<String>,
    /// The last decision.
    pub decision: Option<Decision>,
    /// Notifications sent so far.
    pub notifications: u32,
    /// Check-ins sent so far.
    pub check_ins: u32,
    /// Revision of the roster (A21).
    pub revision: u64,
}

/// One entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitView {
    /// What kind.
    pub kind: WaitKind,
    /// The task, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// What it is, for people.
    pub label: String,
    /// The agent declared that it waits for it; only tasks have such a flag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<bool>,
    /// Live or owed; only tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseView>,
    /// It keeps the session out of the inbox.
    pub holds: bool,
    /// What is behind a prose wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backing: Option<Backing>,
    /// When a scheduled wake is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Wall>,
}

/// Kind of a ledger entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// A shell command.
    Command,
    /// A monitor.
    Monitor,
    /// A subagent.
    Subagent,
    /// A workflow.
    Workflow,
    /// A task of a kind that this version does not know.
    Other,
    /// A scheduled wake.
    Wake,
    /// A scheduled check-in.
    CheckIn,
    /// A wait that only the words speak of.
    Prose,
    /// The result of a foreground subagent call.
    Accounting,
}

impl From<TaskKind> for WaitKind {
    fn from(kind: TaskKind) -> Self {
        match kind {
            TaskKind::Command => Self::Command,
            TaskKind::Monitor => Self::Monitor,
            TaskKind::Subagent => Self::Subagent,
            TaskKind::Workflow => Self::Workflow,
            TaskKind::Other => Self::Other,
        }
    }
}

/// Phase of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseView {
    /// It runs.
    Live,
    /// It has ended; its wake has not started.
    Owed,
}

/// Until when, and by which timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounded {
    /// The timer.
    pub timer: TimerKind,
    /// Its wall-clock deadline.
    pub deadline: Wall,
    /// What is left of it.
    pub left: Millis,
    /// How long it was armed for; the banner shows the same value (T5).
    pub after: Millis,
}

impl SessionView {
    /// The view of `session` at `now`.
    pub fn of(session: &Session, now: Now) -> Self {
        let status = session.status();
        let ask = session.asks.shown().filter(|_| matches!(status, Status::NeedsYou(_)));
        let cause = status.reason().filter(|_| ask.is_none()).and_then(|reason| session.causes.get(reason));
        let detail =
            ask.map(|ask| ask.snippet.clone()).or_else(|| cause.and_then(|cause| cause.detail.clone()));
        let pending = session.ledger.wakes.iter().find(|wake| wake.one_shot() && wake.confirmed);
        Self {
            key: session.key.clone(),
            label: session.label.clone(),
            cwd: session.place.cwd.clone(),
            status,
            since: ask.map(|ask| ask.since).or_else(|| cause.map(|cause| cause.since)),
            detail,
            asked_by: ask.and_then(asking_agent),
            resets: cause.and_then(|cause| cause.resets),
            also: also(session, status),
            waits: waits(session, now),
            until: bounded(session, status, now),
            banner: pending.map(|wake| banner(wake, now)),
            decision: session.decision.clone(),
            notifications: session.notices.sent,
            check_ins: session.check_ins.sent,
            revision: session.ledger.revision,
        }
    }
}

fn asking_agent(ask: &Ask) -> Option<String> {
    ask.agent.as_ref().map(|agent| agent.0.clone())
}

fn also(session: &Session, status: Status) -> Vec<Reason> {
    let order = HARD.iter().chain(&SOFT).chain(&[Reason::Done]).copied();
    order.filter(|reason| session.causes.get(*reason).is_some() && status.reason() != Some(*reason)).collect()
}

fn waits(session: &Session, now: Now) -> Vec<WaitView> {
    let ledger = &session.ledger;
    let blank = |kind, label: String, holds| WaitView {
        kind,
        task: None,
        label,
        awaited: None,
        phase: None,
        holds,
        backing: None,
        due: None,
    };
    let tasks = ledger.tasks.iter().map(|entry| WaitView {
        task: Some(entry.task.id.clone()),
        awaited: Some(entry.awaited),
        phase: Some(if matches!(entry.phase, Phase::Live) { PhaseView::Live } else { PhaseView::Owed }),
        ..blank(entry.task.kind.into(), entry.task.label.clone(), entry.holds)
    });
    let wakes = ledger.wakes.iter().filter(|wake| wake.confirmed).map(|wake| WaitView {
        due: wake.due_at(now),
        ..blank(
            if wake.is_check_in() { WaitKind::CheckIn } else { WaitKind::Wake },
            wake.reason.clone().unwrap_or_default(),
            wake.holds,
        )
    });
    let prose = ledger.prose.iter().map(|prose| WaitView {
        backing: Some(prose.backing),
        ..blank(WaitKind::Prose, prose.words.words.clone(), true)
    });
    let accounting = ledger.accounting.iter().map(|id| blank(WaitKind::Accounting, id.0.clone(), true));
    tasks.chain(wakes).chain(prose).chain(accounting).collect()
}

fn bounded(session: &Session, status: Status, now: Now) -> Option<Bounded> {
    let kinds: &[TimerKind] = match status {
        Status::Waiting => &[TimerKind::Keep, TimerKind::Cap, TimerKind::Overdue],
        Status::Snoozed => &[TimerKind::Snooze],
        Status::Working | Status::NeedsYou(_) | Status::Idle | Status::Ended => &[],
    };
    let timer = kinds.iter().find_map(|kind| session.timers.get(*kind))?;
    Some(Bounded {
        timer: timer.kind,
        deadline: timer.deadline,
        left: timer.remaining(now),
        after: timer.after,
    })
}
