//! What Cursor writes to its hooks, exactly as it writes it.
//!
//! The envelope is that of the hook runner in its SDK (1.0.18); the bodies are those that its adapters build, and the
//! editor may differ. Every field can be missing or damaged; each says on which event it is documented. Unknown fields
//! and events are accepted and counted.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::wire;

/// A string of the payload.
pub(crate) type Text<'a> = Cow<'a, str>;

wire! {
    /// What every hook payload has.
    Common<'a> {
        /// Every event.
        "conversation_id" => conversation_id: Text<'a>,
        /// The same; the editor may leave it out.
        "session_id" => session_id: Text<'a>,
        /// The turn.
        "generation_id" => generation_id: Text<'a>,
        /// Every event.
        "hook_event_name" => event: Text<'a>,
        /// Every event.
        "model" => model: Text<'a>,
        /// Every event; the first is where it runs.
        "workspace_roots" => workspace_roots: Vec<Text<'a>>,
        /// Every event; not read.
        "cursor_version" => cursor_version: &'a RawValue,
        /// Every event; not read.
        "user_email" => user_email: &'a RawValue,
        /// Every event; null in the terminal; not read.
        "transcript_path" => transcript_path: &'a RawValue,
    }
}

wire! {
    /// `sessionStart`.
    SessionStart<'a> {
        /// Not read.
        "is_background_agent" => is_background_agent: &'a RawValue,
        /// Not read.
        "composer_mode" => composer_mode: &'a RawValue,
    }
}

wire! {
    /// `sessionEnd`.
    SessionEnd<'a> {
        /// `completed`, `aborted`, `error`, `window_close`, `user_close`.
        "reason" => reason: Text<'a>,
        /// Not read.
        "duration_ms" => duration_ms: &'a RawValue,
        /// Not read.
        "final_status" => final_status: &'a RawValue,
        /// Not read.
        "is_background_agent" => is_background_agent: &'a RawValue,
        /// Not read.
        "error_message" => error_message: &'a RawValue,
    }
}

wire! {
    /// `beforeSubmitPrompt`.
    Prompt<'a> {
        /// The prompt verbatim.
        "prompt" => prompt: Text<'a>,
        /// Not read.
        "attachments" => attachments: &'a RawValue,
    }
}

wire! {
    /// `afterAgentResponse`.
    Response<'a> {
        /// What the agent said; `stop` does not repeat it.
        "text" => text: Text<'a>,
    }
}

wire! {
    /// `preToolUse`, `postToolUse`, `postToolUseFailure`.
    Tool<'a> {
        /// All of them.
        "tool_name" => tool_name: Text<'a>,
        /// All of them.
        "tool_input" => tool_input: &'a RawValue,
        /// All of them.
        "tool_use_id" => tool_use_id: Text<'a>,
        /// All of them; not read.
        "cwd" => cwd: &'a RawValue,
        /// `postToolUse`; not read.
        "tool_output" => tool_output: &'a RawValue,
        /// `postToolUse`; not read.
        "duration" => duration: &'a RawValue,
        /// `postToolUseFailure`; not read.
        "error_message" => error_message: &'a RawValue,
        /// `postToolUseFailure`; not read.
        "failure_type" => failure_type: &'a RawValue,
        /// `postToolUseFailure`; not read.
        "is_interrupt" => is_interrupt: &'a RawValue,
        /// `preToolUse`; not read.
        "agent_message" => agent_message: &'a RawValue,
    }
}

wire! {
    /// `beforeShellExecution`, `afterShellExecution`.
    Shell<'a> {
        /// Both.
        "command" => command: Text<'a>,
        /// `beforeShellExecution`; not read.
        "cwd" => cwd: &'a RawValue,
        /// Both; not read.
        "sandbox" => sandbox: &'a RawValue,
        /// `afterShellExecution`; not read.
        "output" => output: &'a RawValue,
        /// `afterShellExecution`; not read.
        "duration" => duration: &'a RawValue,
    }
}

wire! {
    /// `subagentStart`, `subagentStop`.
    Subagent<'a> {
        /// Both.
        "subagent_id" => subagent_id: Text<'a>,
        /// Both; not read.
        "subagent_type" => subagent_type: &'a RawValue,
        /// Both; not read.
        "task" => task: &'a RawValue,
        /// `subagentStop`; not read.
        "status" => status: &'a RawValue,
        /// `subagentStop`; not read.
        "summary" => summary: &'a RawValue,
        /// `subagentStop`; not read.
        "duration_ms" => duration_ms: &'a RawValue,
    }
}

wire! {
    /// `stop`.
    Stop<'a> {
        /// `completed`, `aborted`, `error`.
        "status" => status: Text<'a>,
        /// How often a stop hook has sent the agent on in this turn.
        "loop_count" => loop_count: u64,
        /// Not read.
        "loop_limit" => loop_limit: &'a RawValue,
        /// `error`: in the words that the user sees, where the client says so.
        "error_message" => error_message: Text<'a>,
    }
}

/// Events that carry nothing for a decision. They are known, so that `doctor` counts only what is new.
pub(crate) const QUIET: [&str; 9] = [
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeTabFileRead",
    "afterTabFileEdit",
    "afterAgentThought",
    "preCompact",
    "workspaceOpen",
];
