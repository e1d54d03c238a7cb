//! What a finished tool call means for the ledger: tasks that it started or stopped, wakes that it set or cancelled.
//! Hooks and transcripts both come here, so that they cannot differ.

use serde_json::value::RawValue;
use wakeful_core::event::{
    EventKind, ScheduledWake, Task, TaskKind, TaskOutcome, TaskReport, ToolClass, WakeOwner,
};
use wakeful_core::ids::{AgentId, AskId, Digest, RuleId, TaskId, ToolUseId, WakeId};
use wakeful_core::time::{Millis, Wall};

use super::cron::Schedule;
use super::wire::{OutputTask, Question, ToolInput, ToolResponse};
use crate::Translation;
use crate::ask::call_ask_id;
use crate::cut::{LABEL, SNIPPET, first_line};
use crate::json::{FromRaw, Object};

/// How long a background command lives when its call states no `timeout` (2.1.332).
const DEFAULT_COMMAND_LIMIT: Millis = Millis(1_800_000);
/// The longest `timeout` that a background command can have (2.1.332).
const LONGEST_COMMAND_LIMIT: Millis = Millis(7_200_000);
/// How long a monitor lives when neither the call nor its answer says so (2.1.332).
const DEFAULT_MONITOR_LIMIT: Millis = Millis(300_000);
/// Fields that stand in the input of AskUserQuestion's end but not of its start (captures 08b, 22).
const ANSWER_FIELDS: [&str; 2] = ["answers", "annotations"];

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    /// The tool's name.
    pub(crate) tool: &'a str,
    /// The call's id.
    pub(crate) id: &'a str,
    /// Its input.
    pub(crate) input: Option<&'a RawValue>,
    /// The subagent that made it.
    pub(crate) agent: Option<&'a AgentId>,
}

impl<'a> Call<'a> {
    /// What kind of tool it is.
    pub(crate) fn class(&self) -> ToolClass {
        match self.tool {
            // `Task` is the name of older versions.
            "Agent" | "Task" => ToolClass::Subagent,
            "AskUserQuestion" | "ExitPlanMode" => ToolClass::Ask,
            _ => ToolClass::Other,
        }
    }

    /// The ask that this call would open.
    pub(crate) fn ask(&self) -> AskId {
        let apart: &[&str] = if self.tool == "AskUserQuestion" { &ANSWER_FIELDS } else { &[] };
        call_ask_id(self.agent, self.tool, self.input, apart)
    }

    /// `ToolStarted`.
    pub(crate) fn started(&self) -> EventKind {
        EventKind::ToolStarted {
            tool_use: ToolUseId::new(self.id),
            tool: self.tool.to_owned(),
            class: self.class(),
            ask: self.ask(),
        }
    }

    /// `ToolFinished`.
    pub(crate) fn finished(&self, ok: bool) -> EventKind {
        EventKind::ToolFinished {
            tool_use: ToolUseId::new(self.id),
            tool: self.tool.to_owned(),
            class: self.class(),
            ok,
            ask: self.ask(),
        }
    }

    /// The fields of the input; of an unreadable one, none.
    pub(crate) fn fields(&self) -> ToolInput<'a> {
        ToolInput::read(&mut self.input.and_then(Object::from_raw).unwrap_or_default())
    }

    /// What the call asks, for people.
    pub(crate) fn snippet(&self) -> String {
        let input = self.fields();
        let text = match self.tool {
            "AskUserQuestion" => questions(&input),
            "ExitPlanMode" => input.plan.get().map(|plan| plan.trim_start_matches('#').to_string()),
            _ => self.telling_field().map(|field| format!("{}: {}", self.tool, first_line(&field, SNIPPET))),
        };
        first_line(text.as_deref().unwrap_or(self.tool), SNIPPET)
    }

    /// The field of the input that says most of what the call would do.
    fn telling_field(&self) -> Option<String> {
        const TELLING: [&str; 8] =
            ["command", "file_path", "notebook_path", "url", "path", "query", "pattern", "prompt"];
        let mut input = Object::from_raw(self.input?)?;
        TELLING
            .iter()
            .find_map(|name| input.take::<std::borrow::Cow<str>>(name).ok())
            .map(std::borrow::Cow::into_owned)
    }
}

fn questions(input: &ToolInput<'_>) -> Option<String> {
    let asked: Vec<_> = input
        .questions
        .get()?
        .iter()
        .filter_map(|question| Question::read(&mut question.clone()).question.ok())
        .collect();
    match asked.as_slice() {
        [] => None,
        [only] => Some(only.to_string()),
        [first, rest @ ..] => Some(format!("{} (and {} more)", first_line(first, SNIPPET - 20), rest.len())),
    }
}

/// What the good end of `call` with `response` means beside `ToolFinished`.
pub(crate) fn effects(call: Call<'_>, response: Option<&RawValue>, ctx: &Translation<'_>) -> Vec<EventKind> {
    let input = call.fields();
    let response = response.and_then(Object::from_raw).map(|mut response| ToolResponse::read(&mut response));
    match call.tool {
        "Bash" => {
            response.and_then(|response| command_started(call, &input, &response, ctx)).into_iter().collect()
        }
        "Monitor" => {
            response.and_then(|response| monitor_started(call, &input, &response)).into_iter().collect()
        }
        "ScheduleWakeup" => wakeup(&input, response.as_ref(), ctx).into_iter().collect(),
        "CronCreate" => cron_created(&input, response.as_ref(), ctx).into_iter().collect(),
        "CronDelete" => cron_deleted(&input).into_iter().collect(),
        "TaskStop" | "KillShell" | "KillBash" => task_stopped(&input).into_iter().collect(),
        "TaskOutput" | "BashOutput" => {
            response.and_then(|response| output_read(&input, &response)).into_iter().collect()
        }
        _ => response.and_then(|response| launched(call, &input, &response)).into_iter().collect(),
    }
}

fn command_started(
    call: Call<'_>,
    input: &ToolInput<'_>,
    response: &ToolResponse<'_>,
    ctx: &Translation<'_>,
) -> Option<EventKind> {
    let id = response.background_task_id.get()?;
    if response.ends_with_final_response.is_on() {
        // It dies with the answer: no wake can follow, so nothing is owed.
        return None;
    }
    // The `timeout` of a command that the client moved to the background was that of the foreground.
    let stated = input.timeout.get().filter(|_| response.timed_out_after_ms.get().is_none());
    let limit = stated.map_or(DEFAULT_COMMAND_LIMIT, |ms| Millis(*ms).min(LONGEST_COMMAND_LIMIT));
    let task = Task {
        id: TaskId::new(id.as_ref()),
        kind: TaskKind::Command,
        label: label(input.description.get(), input.command.get(), "command"),
        limit: Some(limit),
        endless: endless(input.command.get().map(AsRef::as_ref), ctx),
        persistent: false,
    };
    Some(started(call, task))
}

fn monitor_started(call: Call<'_>, input: &ToolInput<'_>, response: &ToolResponse<'_>) -> Option<EventKind> {
    let id = response.task_id.get()?;
    let persistent = response.persistent.is_on() || input.persistent.is_on();
    let stated = response.timeout_ms.get().or(input.timeout_ms.get()).map(|ms| Millis(*ms));
    let task = Task {
        id: TaskId::new(id.as_ref()),
        kind: TaskKind::Monitor,
        label: label(input.description.get(), input.command.get(), "monitor"),
        limit: if persistent { None } else { Some(stated.unwrap_or(DEFAULT_MONITOR_LIMIT)) },
        endless: None,
        persistent,
    };
    Some(started(call, task))
}

/// A subagent, or something like one, that goes on after its call.
fn launched(call: Call<'_>, input: &ToolInput<'_>, response: &ToolResponse<'_>) -> Option<EventKind> {
    if response.status.get().map(AsRef::as_ref) != Some("async_launched") {
        return None;
    }
    let (id, kind) = match call.class() {
        ToolClass::Subagent => (response.agent_id.get().or(response.task_id.get())?, TaskKind::Subagent),
        _ if call.tool == "Workflow" => (response.task_id.get()?, TaskKind::Workflow),
        _ => (response.task_id.get().or(response.agent_id.get())?, TaskKind::Other),
    };
    let task = Task {
        id: TaskId::new(id.as_ref()),
        kind,
        label: label(input.description.get(), None, "subagent"),
        limit: None,
        endless: None,
        persistent: false,
    };
    Some(started(call, task))
}

fn wakeup(
    input: &ToolInput<'_>,
    response: Option<&ToolResponse<'_>>,
    ctx: &Translation<'_>,
) -> Option<EventKind> {
    let stopped = response.is_some_and(|response| response.stopped.is_on());
    if stopped || input.stop.is_on() {
        return Some(EventKind::WakeCancelled { id: None });
    }
    let stated = response.and_then(|response| response.scheduled_for.get()).map(|ms| Wall(*ms));
    let cancelled = response.is_some_and(|response| response.cancelled_wakeups.get().is_some());
    if stated.is_none() && cancelled {
        return Some(EventKind::WakeCancelled { id: None });
    }
    let asked = || input.delay_seconds.get().map(|s| ctx.now.wall.plus(Millis(s.saturating_mul(1000))));
    let due = stated.or_else(asked)?;
    Some(EventKind::WakeScheduled(ScheduledWake {
        id: None,
        due,
        delay: ctx.now.wall.until(due),
        prompt: digest(input.prompt.get()),
        by: WakeOwner::Client { recurring: false, cron: false },
        reason: input.reason.get().map(|reason| first_line(reason, SNIPPET)),
    }))
}

fn cron_created(
    input: &ToolInput<'_>,
    response: Option<&ToolResponse<'_>>,
    ctx: &Translation<'_>,
) -> Option<EventKind> {
    let said = response.and_then(|response| response.recurring.get());
    let recurring = *said.or(input.recurring.get()).unwrap_or(&true);
    let stated = response.and_then(|response| response.next_fire_at.get()).map(|ms| Wall(*ms));
    let worked_out = || Schedule::parse(input.cron.get()?)?.next(ctx.zone, ctx.now.wall);
    let due = stated.or_else(worked_out)?;
    Some(EventKind::WakeScheduled(ScheduledWake {
        id: response.and_then(|response| response.id.get()).map(|id| WakeId::new(id.as_ref())),
        due,
        delay: ctx.now.wall.until(due),
        prompt: digest(input.prompt.get()),
        by: WakeOwner::Client { recurring, cron: true },
        reason: None,
    }))
}

fn cron_deleted(input: &ToolInput<'_>) -> Option<EventKind> {
    // Without an id nothing is known to be cancelled: `None` would mean the pending wake-up.
    Some(EventKind::WakeCancelled { id: Some(WakeId::new(input.id.get()?.as_ref())) })
}

fn task_stopped(input: &ToolInput<'_>) -> Option<EventKind> {
    let id = input.task_id.get().or(input.shell_id.get())?;
    Some(EventKind::TaskFinished(TaskReport {
        task: TaskId::new(id.as_ref()),
        outcome: Some(TaskOutcome::Stopped),
        summary: "stopped by the agent".to_owned(),
    }))
}

/// Older versions: the agent reads the output of a task that has ended. It has its report then, and no wake follows:
/// to the ledger that is a task that was stopped.
fn output_read(input: &ToolInput<'_>, response: &ToolResponse<'_>) -> Option<EventKind> {
    let nested = response.task.get().map(|task| OutputTask::read(&mut task.clone()));
    let status = response.status.get().or(nested.as_ref().and_then(|task| task.status.get()));
    if !matches!(status.map(AsRef::as_ref), Some("completed" | "failed" | "killed" | "stopped")) {
        return None;
    }
    let named = [nested.as_ref().and_then(|task| task.task_id.get()), response.shell_id.get()];
    let asked = [input.task_id.get(), input.bash_id.get(), input.shell_id.get()];
    let id = named.into_iter().chain(asked).flatten().next()?;
    Some(EventKind::TaskFinished(TaskReport {
        task: TaskId::new(id.as_ref()),
        outcome: Some(TaskOutcome::Stopped),
        summary: "ended, and the agent has read its output".to_owned(),
    }))
}

fn started(call: Call<'_>, task: Task) -> EventKind {
    EventKind::TaskStarted { task, tool_use: (!call.id.is_empty()).then(|| ToolUseId::new(call.id)) }
}

/// The rule by which `command` never ends by itself.
pub(crate) fn endless(command: Option<&str>, ctx: &Translation<'_>) -> Option<RuleId> {
    command.and_then(|command| (ctx.readers.never_ends)(command))
}

/// What a task is called: what the agent called it, else its command, else what kind of thing it is.
pub(crate) fn label(
    description: Option<&impl AsRef<str>>,
    command: Option<&std::borrow::Cow<'_, str>>,
    kind: &str,
) -> String {
    let described = description.map(|text| first_line(text.as_ref(), LABEL)).filter(|text| !text.is_empty());
    let run = || command.map(|text| first_line(text, LABEL)).filter(|text| !text.is_empty());
    described.or_else(run).unwrap_or_else(|| kind.to_owned())
}

fn digest(prompt: Option<&std::borrow::Cow<'_, str>>) -> Digest {
    Digest::of(prompt.map_or("", AsRef::as_ref).as_bytes())
}
