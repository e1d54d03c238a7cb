//! The vocabulary of events (spec 10). Each client's payloads are translated into it where bytes arrive, once.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, AskId, Digest, Epoch, RuleId, SessionKey, TaskId, ToolUseId, TurnId, WakeId};
use crate::ledger::Ledger;
use crate::reading::Reading;
use crate::time::{Boot, Millis, Wall};
use crate::timers::Timer;

/// One event of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Whose event it is.
    pub session: SessionKey,
    /// Where it was seen.
    pub source: Source,
    /// The client's id of the turn it belongs to, where the payload has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// The subagent that it belongs to; the main agent's events have none (C4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The epoch that the source belongs to, where it is known; an older one has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Epoch>,
    /// When the hook started, on the boot clock: tells a late event from a new one (S3b).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Boot>,
    /// What happened.
    pub kind: EventKind,
}

/// Where an event was seen. Which source owns which event is a table per client (S3b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A hook of the client.
    Hook,
    /// A line of the client's transcript.
    Transcript,
    /// The stream of a supervised session.
    Stream,
    /// The process table, or a process exit.
    Process,
    /// A timer of Wakeful.
    Timer,
    /// The user, through Wakeful.
    User,
    /// A call of Wakeful's MCP tools by the agent.
    Mcp,
    /// Wakeful itself: a handed-over ledger, a changed setting.
    Wakeful,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// The client serves the session from here on.
    SessionStarted {
        /// Why it started.
        start: SessionStart,
        /// Where and as what it runs; for people.
        place: Place,
    },
    /// A prompt opened a turn, or was folded into the open one.
    PromptSubmitted {
        /// Who opened it.
        opener: Opener,
        /// Digest of the prompt, to tell a native wake's own prompt from a user's (W9a).
        digest: Digest,
        /// Tasks whose end this prompt reports.
        reports: Vec<TaskReport>,
        /// A short label for people; `step` never reads it.
        label: String,
    },
    /// A tool call began.
    ToolStarted {
        /// The call.
        tool_use: ToolUseId,
        /// The tool's name, for people.
        tool: String,
        /// What kind of tool.
        class: ToolClass,
        /// The ask that this very call would open, so that its start clears one already answered (S7b).
        ask: AskId,
    },
    /// A tool call ended.
    ToolFinished {
        /// The call.
        tool_use: ToolUseId,
        /// The tool's name, for people.
        tool: String,
        /// What kind of tool.
        class: ToolClass,
        /// How it ended.
        ok: bool,
        /// The ask that its end answers (S7b).
        ask: AskId,
    },
    /// The client asks the user.
    AskOpened {
        /// What kind of ask.
        ask: AskKind,
        /// Tells this ask from others; `None` where the source does not say which request it is (a notification).
        id: Option<AskId>,
        /// What is asked, for people.
        snippet: String,
        /// An asynchronous question that stays open beyond the turn until the next user prompt.
        outlives_turn: bool,
    },
    /// The user answered an ask.
    AskAnswered {
        /// Which; `None` answers those whose source did not say.
        id: Option<AskId>,
    },
    /// A background task began.
    TaskStarted {
        /// The task.
        task: Task,
        /// The call that started it: the same id again from another call is a new start (A7).
        tool_use: Option<ToolUseId>,
    },
    /// The agent declared that it waits for these tasks.
    TaskAwaited {
        /// Which.
        tasks: Vec<TaskId>,
    },
    /// The agent no longer waits for these tasks.
    TaskUnawaited {
        /// Which.
        tasks: Vec<TaskId>,
    },
    /// A task's end was reported.
    TaskFinished(TaskReport),
    /// The client's full list of live tasks.
    TaskRoster(Roster),
    /// The agent set a timer for itself.
    WakeScheduled(ScheduledWake),
    /// A scheduled wake was cancelled by the agent or the user.
    WakeCancelled {
        /// Which; `None`: the pending scheduled wake of the session (crons aside).
        id: Option<WakeId>,
    },
    /// A wake of the client's own was announced, started or discarded (A12).
    WakeStarted {
        /// Tells this wake from others of the session.
        wake: WakeId,
        /// How far it is.
        stage: WakeStage,
        /// The tasks that it consumes; `None`: all that were reported before it was announced (A6).
        tasks: Option<Vec<TaskId>>,
    },
    /// A turn ended.
    TurnEnded(Box<TurnEnd>),
    /// The user stopped the agent (in the client or through Wakeful): the ledger is cleared.
    Stopped,
    /// A process serves the session.
    ProcessStarted {
        /// Its process id.
        pid: Option<u32>,
    },
    /// The process that served the session is gone.
    ProcessExited {
        /// Why, as far as known.
        cause: ExitCause,
    },
    /// The client ended the session.
    SessionEnded {
        /// Why.
        end: SessionEnd,
    },
    /// The user acted in Wakeful.
    UserActed(UserAction),
    /// A timer fired.
    TimerFired {
        /// Which kind.
        kind: TimerKind,
        /// The epoch that it was armed in.
        epoch: Epoch,
        /// Its generation: a later arming makes it stale.
        generation: u32,
    },
    /// `/clear`: the entries of the process came over from the session that it served before (C5).
    EntriesInherited(Box<Inheritance>),
    /// An event of the client that carries nothing for a decision; any event proves life (S10).
    Noticed {
        /// The client's own name of it.
        name: String,
    },
}

/// Why a session started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStart {
    /// A new conversation.
    Startup,
    /// An old conversation in a new process: a new epoch.
    Resume,
    /// The conversation was cleared: entries of the process move here.
    Clear,
    /// The conversation was compacted: nothing changes.
    Compact,
    /// A copy of another conversation; takes no entries along.
    Fork,
}

/// Where and as what a session runs; for people and for finding the session that `/clear` replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Working directory.
    pub cwd: Option<String>,
    /// Model name.
    pub model: Option<String>,
    /// Process id of the client.
    pub pid: Option<u32>,
    /// Terminal device.
    pub tty: Option<String>,
    /// tmux pane.
    pub tmux_pane: Option<String>,
    /// Wakeful owns the process.
    pub supervised: bool,
}

/// Who opened a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// The user.
    User,
    /// A wake of the client: a task's end, a monitor's event, a schedule.
    Wake,
    /// A check-in of Wakeful.
    CheckIn,
    /// Another agent.
    Agent,
}

/// What kind of tool a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolClass {
    /// Starts a subagent and may wait for it in the foreground.
    Subagent,
    /// Asks the user by itself: a question or a plan.
    Ask,
    /// Anything else.
    Other,
}

/// What kind of ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// May I run this?
    Permission,
    /// A question with or without options.
    Question,
    /// Shall I carry out this plan?
    Plan,
    /// An MCP server's form.
    Elicitation,
}

/// Kind of a background task (spec 00).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// A shell command.
    Command,
    /// A monitor: each line is a wake.
    Monitor,
    /// A subagent.
    Subagent,
    /// A workflow.
    Workflow,
    /// A kind that this version does not know; holds, to be on the safe side, and is counted.
    Other,
}

/// A background task as its start or a roster describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The client's id.
    pub id: TaskId,
    /// What kind.
    pub kind: TaskKind,
    /// What it is, for people.
    pub label: String,
    /// The client kills it after this long; the client's default limit counts as known (spec 30).
    pub limit: Option<Millis>,
    /// It never ends by itself, by this rule (parsed command, whole words).
    pub endless: Option<RuleId>,
    /// A monitor without an end of its own (older transcripts).
    pub persistent: bool,
}

/// The client's full list of live tasks, with its list of schedules where it has one. Replaces, never merges.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Roster {
    /// Live tasks; `None`: the client sent no list (or a malformed one), which proves nothing.
    pub tasks: Option<Vec<Task>>,
    /// Schedules; `None` as above.
    pub wakes: Option<Vec<ListedWake>>,
    /// Rebuilt from a complete transcript, not sent by the client (R1).
    pub reconstructed: bool,
}

/// One row of a client's list of schedules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedWake {
    /// The row's id.
    pub id: WakeId,
    /// It fires again and again.
    pub recurring: bool,
    /// Digest of its prompt.
    pub prompt: Digest,
    /// When it fires next, worked out at the edge from the schedule.
    pub due: Option<Wall>,
}

/// A wake that the agent scheduled for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduledWake {
    /// The schedule row's id, where the client gives one.
    pub id: Option<WakeId>,
    /// When it is due.
    pub due: Wall,
    /// How long from now the agent set it, for the banner.
    pub delay: Millis,
    /// Digest of the prompt.
    pub prompt: Digest,
    /// Who fires it, and in which mode.
    pub by: WakeOwner,
    /// Why, in the agent's words; for people.
    pub reason: Option<String>,
}

/// Who fires a scheduled wake. The check-in flag exists only where Wakeful does (W1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum WakeOwner {
    /// The client; counts only once its own list has it (W9).
    Client {
        /// A cron row that fires again and again.
        recurring: bool,
        /// Made by the cron tool: does not replace the pending wake, and is not replaced by one (W7).
        cron: bool,
    },
    /// Wakeful, through its MCP tool.
    Wakeful {
        /// A question to itself, not a fresh instruction.
        check_in: bool,
        /// The agent's prompt, delivered verbatim.
        prompt: String,
    },
}

/// How far a client's own wake is (A12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeStage {
    /// It will come; tasks reported from here on belong to a later one (A5).
    Announced,
    /// Its turn has begun.
    Started,
    /// It will not come.
    Discarded,
}

/// A task's end as reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskReport {
    /// The task.
    pub task: TaskId,
    /// `None`: news of a task that goes on (a monitor's event line): a wake, but not an end (A19).
    pub outcome: Option<TaskOutcome>,
    /// One line, for people.
    pub summary: String,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOutcome {
    /// It ended well.
    Completed,
    /// It ended badly.
    Failed,
    /// The client killed it at its own time limit: owed like a failed one (A17).
    TimedOut,
    /// The user or the agent stopped it, or a crash left it unfinished: no wake follows (A17).
    Stopped,
    /// Stopped, and the client does not say by whom: owed, released by overdue.
    StoppedByUnknown,
}

/// How a turn ended, and what came with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnEnd {
    /// The reading of the last assistant text.
    pub reading: Reading,
    /// How.
    pub how: TurnHow,
    /// Live tasks and schedules, where the client sends them.
    pub roster: Roster,
    /// Digest of message and lists: the same turn end twice is one (S11), another one goes on (a blocked stop).
    pub digest: Digest,
    /// The client says that a stop hook already sent the agent on (`stop_hook_active`).
    pub after_stop_hook: bool,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum TurnHow {
    /// By itself.
    Finished,
    /// An error.
    Failed {
        /// What the client says, for people.
        message: String,
    },
    /// The user interrupted it: opens no inbox item.
    Interrupted,
    /// A usage limit.
    Limit {
        /// What the client says, for people.
        message: String,
        /// When it is over, where known.
        resets: Option<Wall>,
    },
}

/// Why a process went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitCause {
    /// The user closed it.
    User,
    /// Killed, crashed, or nobody knows.
    Unknown,
}

/// Why a client ended a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEnd {
    /// The user left (S9).
    User,
    /// The user cleared the conversation; the process goes on with a new session (C5).
    Clear,
    /// The client does not say.
    Unknown,
    /// The client says no more than it does of any end, but an open turn means that it failed and took the process along
    /// (C5). With no turn open this is [`Unknown`](Self::Unknown).
    Failed,
}

/// What the user did in Wakeful (spec 30). Each is idempotent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum UserAction {
    /// Send this text to the agent.
    Reply {
        /// The text.
        text: String,
    },
    /// Leave it out of the inbox for `keep_waiting_minutes`.
    KeepWaiting,
    /// Ask the agent now whether it still waits.
    CheckIn,
    /// Take the item away.
    Done,
    /// Away until then.
    Snooze {
        /// How long.
        minutes: u32,
    },
    /// Stop waiting for one task, or for all.
    StopWaiting {
        /// Which; `None`: all.
        task: Option<TaskId>,
    },
    /// Stop: clears the ledger.
    Stop,
}

/// Kinds of timers (spec 30): at most one live timer a session and kind (T2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerKind {
    /// A wait that nobody discharged.
    Cap,
    /// The user's *Keep waiting*.
    Keep,
    /// A scheduled wake that Wakeful fires.
    Wake,
    /// An owed wake that holds, a scheduled wake past its time, a live awaited task past its limit.
    Overdue,
    /// A session that surfaced as `wait_timeout` and was left alone.
    InboxCheckIn,
    /// An open turn without events.
    Stall,
    /// The user's snooze.
    Snooze,
    /// The settle window of a notification.
    Settle,
    /// A message that no turn has acknowledged (C10).
    Delivery,
}

/// What `/clear` moves from the old session of a process to the new one (C5).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Inheritance {
    /// The entries.
    pub ledger: Ledger,
    /// The timers that bound them.
    pub timers: Vec<Timer>,
}
