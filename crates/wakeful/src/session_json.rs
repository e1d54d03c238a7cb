//! A session as `--json` prints it (docs/json.md). A type of its own, so that the inside can change and this cannot.

use jiff::Timestamp;
use serde::Serialize;
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::event::TimerKind;
use wakeful_core::ledger::Backing;
use wakeful_core::time::{Now, Wall};
use wakeful_core::view::{PhaseView, WaitKind, WaitView};

use crate::sessions::{Section, Shown};

/// Version of everything in this file.
pub const VERSION: u32 = 1;

/// One session.
#[derive(Debug, Serialize)]
pub struct SessionJson<'a> {
    client: &'static str,
    id: &'a str,
    prefix: &'a str,
    project: &'a str,
    label: Option<&'a str>,
    cwd: Option<&'a str>,
    section: Section,
    status: &'static str,
    reason: Option<&'static str>,
    detail: Option<&'a str>,
    asked_by: Option<&'a str>,
    since: Option<String>,
    last_event: Option<String>,
    resets: Option<String>,
    also: &'a [Reason],
    waits: Vec<WaitJson<'a>>,
    until: Option<UntilJson>,
    banner: Option<&'a str>,
    decision: Option<DecisionJson<'a>>,
    notifications: u32,
    revision: u64,
}

#[derive(Debug, Serialize)]
struct WaitJson<'a> {
    kind: WaitKind,
    task: Option<&'a str>,
    label: &'a str,
    awaited: Option<bool>,
    phase: Option<PhaseView>,
    holds: bool,
    backing: Option<Backing>,
    due: Option<String>,
}

#[derive(Debug, Serialize)]
struct UntilJson {
    timer: TimerKind,
    at: Option<String>,
    left_seconds: u64,
}

/// One decision.
#[derive(Debug, Serialize)]
pub struct DecisionJson<'a> {
    at: Option<String>,
    turn: u32,
    verdict: &'static str,
    reason: Option<&'static str>,
    gate: &'static str,
    rule: Option<&'a str>,
    words: Option<&'a str>,
}

impl<'a> SessionJson<'a> {
    /// Of a session.
    pub fn of(shown: &'a Shown<'_>) -> Self {
        let view = &shown.view;
        Self {
            client: view.key.client.name(),
            id: view.key.id.as_str(),
            prefix: &shown.prefix,
            project: shown.project(),
            label: view.label.as_deref(),
            cwd: view.cwd.as_deref(),
            section: shown.section(),
            status: view.status.name(),
            reason: view.status.reason().map(Reason::name),
            detail: view.detail.as_deref(),
            asked_by: view.asked_by.as_deref(),
            since: view.since.and_then(instant),
            last_event: instant(shown.session.last_event),
            resets: view.resets.and_then(wall),
            also: &view.also,
            waits: view.waits.iter().map(WaitJson::of).collect(),
            until: view.until.map(|until| UntilJson {
                timer: until.timer,
                at: wall(until.deadline),
                left_seconds: until.left.0 / 1000,
            }),
            banner: view.banner.as_deref(),
            decision: view.decision.as_ref().map(DecisionJson::of),
            notifications: view.notifications,
            revision: view.revision,
        }
    }
}

impl<'a> WaitJson<'a> {
    fn of(wait: &'a WaitView) -> Self {
        Self {
            kind: wait.kind,
            task: wait.task.as_ref().map(|task| task.as_str()),
            label: &wait.label,
            awaited: wait.awaited,
            phase: wait.phase,
            holds: wait.holds,
            backing: wait.backing,
            due: wait.due.and_then(wall),
        }
    }
}

impl<'a> DecisionJson<'a> {
    /// Of a decision.
    pub fn of(decision: &'a Decision) -> Self {
        Self {
            at: instant(decision.at),
            turn: decision.number,
            verdict: match decision.verdict {
                Verdict::NeedsYou { .. } => "needs_you",
                Verdict::Waiting { .. } => "waiting",
                Verdict::Idle => "idle",
            },
            reason: decision.verdict.reason().map(Reason::name),
            gate: decision.gate.name(),
            rule: decision.rule.as_ref().map(|rule| rule.as_str()),
            words: decision.words.as_deref(),
        }
    }
}

/// RFC 3339, UTC, milliseconds; `None` for a time that no calendar has.
pub fn wall(at: Wall) -> Option<String> {
    Timestamp::from_millisecond(at.0).ok().map(|at| at.to_string())
}

/// The wall time of a reading of the clocks.
pub fn instant(at: Now) -> Option<String> {
    wall(at.wall)
}
