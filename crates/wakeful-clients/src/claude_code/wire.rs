//! What Claude Code writes, exactly as it writes it (hooks; [`lines`](super::lines) has the transcript's lines).
//!
//! Seen on 2.1.332. Every field can be missing or damaged; each says on which event the client documents it.
//! Unknown fields and events are accepted and counted.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Object, wire};

/// A string of the payload.
pub(crate) type Text<'a> = Cow<'a, str>;

wire! {
    /// What every hook payload has.
    Common<'a> {
        /// Every event. Without it there is nothing to hold on to.
        "session_id" => session_id: Text<'a>,
        /// Every event.
        "hook_event_name" => event: Text<'a>,
        /// Every event.
        "cwd" => cwd: Text<'a>,
        /// Every event; not read.
        "transcript_path" => transcript_path: Text<'a>,
        /// Every event after the first prompt. A wake has a new one; a report folded into the open turn has its.
        "prompt_id" => prompt_id: Text<'a>,
        /// Events inside a subagent only (C4).
        "agent_id" => agent_id: Text<'a>,
        /// Beside `agent_id`; `SessionStart` of a session that was started as an agent.
        "agent_type" => agent_type: Text<'a>,
        /// Tool events, prompts and turn ends; not read.
        "permission_mode" => permission_mode: &'a RawValue,
        /// Tool events and turn ends, with models that have it; not read.
        "effort" => effort: &'a RawValue,
    }
}

wire! {
    /// `SessionStart`.
    SessionStart<'a> {
        /// `startup`, `resume`, `clear`, `compact`, `fork`.
        "source" => source: Text<'a>,
        /// In the terminal only, not with `-p`.
        "model" => model: Text<'a>,
        /// Where the session has a name; not read.
        "session_title" => session_title: &'a RawValue,
        /// `resume` and `fork`; not read.
        "seconds_since_last_response" => seconds_since_last_response: &'a RawValue,
        /// `resume` and `fork`; not read.
        "context_tokens" => context_tokens: &'a RawValue,
        /// `resume` and `fork`; not read.
        "prompt_cache_likely_expired" => prompt_cache_likely_expired: &'a RawValue,
        /// `resume` and `fork`; not read.
        "estimated_cache_write_usd" => estimated_cache_write_usd: &'a RawValue,
    }
}

wire! {
    /// `SessionEnd`.
    SessionEnd<'a> {
        /// `clear`, `resume`, `logout`, `prompt_input_exit`, `other` (`-p` is over, SIGTERM).
        "reason" => reason: Text<'a>,
    }
}

wire! {
    /// `UserPromptSubmit`.
    UserPromptSubmit<'a> {
        /// The prompt verbatim; a wake's is the report, a schedule's the stored prompt.
        "prompt" => prompt: Text<'a>,
        /// Documented (`user`, `sdk`, `system`, `loop_wakeup`, `schedule_wakeup`, `poll_event`), never seen.
        "source" => source: Text<'a>,
        /// Where the session has a name; not read.
        "session_title" => session_title: &'a RawValue,
    }
}

wire! {
    /// `PreToolUse`, `PostToolUse`, `PostToolUseFailure`, `PermissionRequest`, `PermissionDenied`.
    Tool<'a> {
        /// All of them.
        "tool_name" => tool_name: Text<'a>,
        /// All of them. `PostToolUse` of AskUserQuestion has `answers` and `annotations` more in it.
        "tool_input" => tool_input: &'a RawValue,
        /// All but `PermissionRequest`.
        "tool_use_id" => tool_use_id: Text<'a>,
        /// `PostToolUse`.
        "tool_response" => tool_response: &'a RawValue,
        /// `PostToolUseFailure`; not read.
        "error" => error: &'a RawValue,
        /// `PostToolUseFailure`; not read.
        "is_interrupt" => is_interrupt: &'a RawValue,
        /// `PostToolUse`, `PostToolUseFailure`; not read.
        "duration_ms" => duration_ms: &'a RawValue,
        /// `PermissionRequest`; not read.
        "permission_suggestions" => permission_suggestions: &'a RawValue,
        /// Tools of an MCP server; not read.
        "mcp_server" => mcp_server: &'a RawValue,
        /// `PermissionDenied`; not read.
        "reason" => reason: &'a RawValue,
    }
}

wire! {
    /// `Notification`.
    Notification<'a> {
        /// What the client would show.
        "message" => message: Text<'a>,
        /// Some types; not read.
        "title" => title: &'a RawValue,
        /// Which (S5).
        "notification_type" => kind: Text<'a>,
    }
}

wire! {
    /// `Elicitation` and `ElicitationResult` (documented, not captured).
    Elicitation<'a> {
        /// Both.
        "mcp_server_name" => server: Text<'a>,
        /// `Elicitation`: what the form says.
        "message" => message: Text<'a>,
        /// Both, where the server gave one.
        "elicitation_id" => id: Text<'a>,
        /// Both; not read.
        "mode" => mode: &'a RawValue,
        /// `Elicitation`; not read.
        "url" => url: &'a RawValue,
        /// `Elicitation`; not read.
        "requested_schema" => requested_schema: &'a RawValue,
        /// `ElicitationResult`; not read.
        "action" => action: &'a RawValue,
        /// `ElicitationResult`; not read.
        "content" => content: &'a RawValue,
    }
}

wire! {
    /// `Stop`. `SubagentStop` has the same and `agent_transcript_path`; its lists still have the subagent itself.
    Stop<'a> {
        /// A stop hook has already sent the agent on in this turn.
        "stop_hook_active" => stop_hook_active: bool,
        /// The last assistant text.
        "last_assistant_message" => last_assistant_message: Text<'a>,
        /// Live background work, foreground work excluded.
        "background_tasks" => background_tasks: Vec<Object<'a>>,
        /// Schedules.
        "session_crons" => session_crons: Vec<Object<'a>>,
    }
}

wire! {
    /// One row of `background_tasks`; strings longer than 1000 characters are cut.
    BackgroundTask<'a> {
        /// Unique within the session.
        "id" => id: Text<'a>,
        /// `shell`, `monitor`, `subagent`, `workflow`, and more to come.
        "type" => kind: Text<'a>,
        /// `running`, `pending`.
        "status" => status: Text<'a>,
        /// What the agent called it.
        "description" => description: Text<'a>,
        /// Shells and monitors.
        "command" => command: Text<'a>,
        /// Workflows.
        "name" => name: Text<'a>,
        /// Subagents; not read.
        "agent_type" => agent_type: &'a RawValue,
        /// Tasks of an MCP server; not read.
        "server" => server: &'a RawValue,
        /// Tasks of an MCP server; not read.
        "tool" => tool: &'a RawValue,
    }
}

wire! {
    /// One row of `session_crons`. It has no fire time.
    SessionCron<'a> {
        /// The row's id; that of CronCreate's answer, a new one for ScheduleWakeup.
        "id" => id: Text<'a>,
        /// Five fields, local time; a wake-up is pinned to `M H * * *`.
        "schedule" => schedule: Text<'a>,
        /// It fires again and again.
        "recurring" => recurring: bool,
        /// The stored prompt.
        "prompt" => prompt: Text<'a>,
    }
}

wire! {
    /// `StopFailure`: the turn died on an API error; `Stop` does not follow.
    StopFailure<'a> {
        /// What kind of error.
        "error" => error: Text<'a>,
        /// Some kinds.
        "error_details" => error_details: Text<'a>,
        /// The error as the user sees it.
        "last_assistant_message" => last_assistant_message: Text<'a>,
    }
}

wire! {
    /// The input of the tools that lead to waiting.
    ToolInput<'a> {
        /// Bash, Monitor.
        "command" => command: Text<'a>,
        /// Bash, Monitor, Agent.
        "description" => description: Text<'a>,
        /// Bash: milliseconds; in the background the deadline of the task.
        "timeout" => timeout: u64,
        /// Monitor: milliseconds.
        "timeout_ms" => timeout_ms: u64,
        /// Monitor of older versions.
        "persistent" => persistent: bool,
        /// ScheduleWakeup.
        "delaySeconds" => delay_seconds: u64,
        /// ScheduleWakeup.
        "reason" => reason: Text<'a>,
        /// ScheduleWakeup, CronCreate: what the agent will be told. Agent: its task.
        "prompt" => prompt: Text<'a>,
        /// ScheduleWakeup: cancel the pending one.
        "stop" => stop: bool,
        /// CronCreate: five fields.
        "cron" => cron: Text<'a>,
        /// CronCreate; on unless it says no.
        "recurring" => recurring: bool,
        /// CronDelete.
        "id" => id: Text<'a>,
        /// TaskStop, TaskOutput.
        "task_id" => task_id: Text<'a>,
        /// TaskStop (deprecated), KillShell, KillBash.
        "shell_id" => shell_id: Text<'a>,
        /// BashOutput of older versions.
        "bash_id" => bash_id: Text<'a>,
        /// AskUserQuestion.
        "questions" => questions: Vec<Object<'a>>,
        /// ExitPlanMode.
        "plan" => plan: Text<'a>,
    }
}

wire! {
    /// The response of the tools that lead to waiting.
    ToolResponse<'a> {
        /// Bash: the command runs in the background under this id.
        "backgroundTaskId" => background_task_id: Text<'a>,
        /// Bash: it was moved there by the client after this long.
        "timedOutAfterMs" => timed_out_after_ms: u64,
        /// Bash: it is ended with the final response, so no wake can follow.
        "backgroundEndsWithFinalResponse" => ends_with_final_response: bool,
        /// Monitor, Workflow.
        "taskId" => task_id: Text<'a>,
        /// Monitor.
        "timeoutMs" => timeout_ms: u64,
        /// Monitor of older versions: it has no end of its own.
        "persistent" => persistent: bool,
        /// Agent: `async_launched`, `completed`. BashOutput of older versions: the shell's.
        "status" => status: Text<'a>,
        /// Agent: its id, also the id of its task.
        "agentId" => agent_id: Text<'a>,
        /// ScheduleWakeup: milliseconds since the epoch.
        "scheduledFor" => scheduled_for: i64,
        /// ScheduleWakeup with `stop`.
        "stopped" => stopped: bool,
        /// ScheduleWakeup: what it cancelled, a number or a list.
        "cancelledWakeups" => cancelled_wakeups: &'a RawValue,
        /// CronCreate.
        "id" => id: Text<'a>,
        /// CronCreate: milliseconds since the epoch.
        "nextFireAt" => next_fire_at: i64,
        /// CronCreate.
        "recurring" => recurring: bool,
        /// BashOutput of older versions.
        "shellId" => shell_id: Text<'a>,
        /// TaskOutput of older versions.
        "task" => task: Object<'a>,
    }
}

wire! {
    /// One question of AskUserQuestion.
    Question<'a> {
        /// The question.
        "question" => question: Text<'a>,
    }
}

wire! {
    /// The task in the response of TaskOutput.
    OutputTask<'a> {
        /// Its id.
        "task_id" => task_id: Text<'a>,
        /// How it stands.
        "status" => status: Text<'a>,
    }
}

/// Events that carry nothing for a decision. They are known, so that `doctor` counts only what is new.
pub(crate) const QUIET: [&str; 21] = [
    "PostToolBatch",
    "UserPromptExpansion",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
    "PreSkillShellCommand",
];
