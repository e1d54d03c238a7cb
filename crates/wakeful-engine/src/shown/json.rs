//! A session as `--json` and the API print it (docs/json.md). Types of their own, so that the inside can change and this cannot.

use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;
use wakeful_core::causes::Reason;
use wakeful_core::decision::{Decision, Verdict};
use wakeful_core::event::TimerKind;
use wakeful_core::ledger::Backing;
use wakeful_core::time::{Now, Wall};
use wakeful_core::view::{PhaseView, WaitKind, WaitView};

use super::{Section, Shown};

/// Version of everything in this file.
pub const VERSION: u32 = 1;

/// One session.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionJson<'a> {
    /// The client.
    #[schema(example = "claude-code")]
    client: &'static str,
    /// The client's own id of the session.
    id: &'a str,
    /// The shortest beginning of the id that names no other session.
    prefix: &'a str,
    /// Name of the working folder.
    project: &'a str,
    /// The first prompt, shortened.
    #[schema(required)]
    label: Option<&'a str>,
    /// The working folder.
    #[schema(required)]
    cwd: Option<&'a str>,
    /// Section of the inbox.
    section: Section,
    /// `needs_you`, `waiting`, `snoozed`, `working`, `idle`, `ended`.
    status: &'static str,
    /// Why it needs its user: `permission`, `question`, `plan`, `elicitation`, `failed`, `limit`, `orphaned`, `wake_overdue`,
    /// `wait_timeout`, `stalled`, `unbacked_wait`, `done`.
    #[schema(required)]
    reason: Option<&'static str>,
    /// The question itself, the error, what was lost.
    #[schema(required)]
    detail: Option<&'a str>,
    /// The subagent that asks, if it is one.
    #[schema(required)]
    asked_by: Option<&'a str>,
    /// Since when it needs its user.
    #[schema(required, format = DateTime)]
    since: Option<String>,
    /// When the client was last heard of.
    #[schema(required, format = DateTime)]
    last_event: Option<String>,
    /// When a limit is over.
    #[schema(required, format = DateTime)]
    resets: Option<String>,
    /// Other reasons that stand.
    #[schema(value_type = Vec<String>)]
    also: &'a [Reason],
    /// The ledger.
    waits: Vec<WaitJson<'a>>,
    /// How long a wait stays out of the inbox.
    #[schema(required)]
    until: Option<UntilJson>,
    /// Of the pending scheduled wake.
    #[schema(required)]
    banner: Option<&'a str>,
    /// The last decision.
    #[schema(required)]
    decision: Option<DecisionJson<'a>>,
    /// Notifications so far.
    notifications: u32,
    /// Revision of the ledger.
    ledger_revision: u64,
    /// What an action on the session must name; `null` where it is not known.
    #[schema(required)]
    revision: Option<i64>,
}

/// An entry of the ledger.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Wait)]
pub struct WaitJson<'a> {
    /// `command`, `monitor`, `subagent`, `workflow`, `other`, `wake`, `check_in`, `prose`, `accounting`.
    #[schema(value_type = String)]
    kind: WaitKind,
    /// The client's id of the task.
    #[schema(required)]
    task: Option<&'a str>,
    /// What it is, for people.
    label: &'a str,
    /// The agent has declared that it waits for it; of tasks.
    #[schema(required)]
    awaited: Option<bool>,
    /// `live` or `owed`; of tasks.
    #[schema(required, value_type = Option<String>)]
    phase: Option<PhaseView>,
    /// It keeps the session out of the inbox.
    holds: bool,
    /// What is behind words: `backed`, `external`, `unknown`, `unbacked`.
    #[schema(required, value_type = Option<String>)]
    backing: Option<Backing>,
    /// When a scheduled wake is due.
    #[schema(required, format = DateTime)]
    due: Option<String>,
}

/// Until when, and by which timer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Until)]
pub struct UntilJson {
    /// The timer.
    #[schema(value_type = String)]
    timer: TimerKind,
    /// When it is due.
    #[schema(required, format = DateTime)]
    at: Option<String>,
    /// What is left of it.
    left_seconds: u64,
}

/// One decision.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Decision)]
pub struct DecisionJson<'a> {
    /// When.
    #[schema(required, format = DateTime)]
    at: Option<String>,
    /// Number of the turn in the session.
    turn: u32,
    /// `needs_you`, `waiting`, `idle`.
    verdict: &'static str,
    /// Why the session needs its user.
    #[schema(required)]
    reason: Option<&'static str>,
    /// The gate that decided.
    gate: &'static str,
    /// The rule, where one had a say.
    #[schema(required)]
    rule: Option<&'a str>,
    /// The words that it matched.
    #[schema(required)]
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
            ledger_revision: view.revision,
            revision: shown.revision.map(|pos| pos.0),
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
