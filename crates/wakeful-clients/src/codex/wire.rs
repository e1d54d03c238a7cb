//! What Codex writes to its hooks, exactly as it writes it ([`lines`](super::lines) has the rollout's lines).
//!
//! Seen on 0.171.0; the fields are those of the schemas in its binary. Every field can be missing or damaged; each says
//! on which event the client documents it. Unknown fields and events are accepted and counted.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::{Object, wire};

/// A string of the payload.
pub(crate) type Text<'a> = Cow<'a, str>;

wire! {
    /// What hook payloads have in common.
    Common<'a> {
        /// Every event; the thread's id, and the parent's inside a subagent.
        "session_id" => session_id: Text<'a>,
        /// Every event.
        "hook_event_name" => event: Text<'a>,
        /// Every event but `SessionStart` and `SessionEnd`. A message that is steered into the open turn has its.
        "turn_id" => turn_id: Text<'a>,
        /// Every event; not read.
        "transcript_path" => transcript_path: &'a RawValue,
        /// Every event.
        "cwd" => cwd: Text<'a>,
        /// Every event but `SessionEnd`.
        "model" => model: Text<'a>,
        /// Most events; not read.
        "permission_mode" => permission_mode: &'a RawValue,
        /// `SubagentStart`, `SubagentStop`, and what happens inside a subagent (C4).
        "agent_id" => agent_id: Text<'a>,
        /// Beside `agent_id`; not read.
        "agent_type" => agent_type: &'a RawValue,
    }
}

wire! {
    /// `SessionStart`.
    SessionStart<'a> {
        /// `startup`, `resume`, `clear`, `compact`, `fork`.
        "source" => source: Text<'a>,
    }
}

wire! {
    /// `SessionEnd`.
    SessionEnd<'a> {
        /// Always `other`.
        "reason" => reason: Text<'a>,
    }
}

wire! {
    /// `UserPromptSubmit`.
    UserPromptSubmit<'a> {
        /// The prompt verbatim; a queued message's too.
        "prompt" => prompt: Text<'a>,
    }
}

wire! {
    /// `PreToolUse`, `PostToolUse`, `PermissionRequest`.
    Tool<'a> {
        /// All of them. The shell is `Bash`; a tool of a namespace has both names without anything between.
        "tool_name" => tool_name: Text<'a>,
        /// All of them. `PermissionRequest` has a `description` more in it.
        "tool_input" => tool_input: &'a RawValue,
        /// `PreToolUse`, `PostToolUse`.
        "tool_use_id" => tool_use_id: Text<'a>,
        /// `PostToolUse`, a text; not read.
        "tool_response" => tool_response: &'a RawValue,
    }
}

wire! {
    /// `Stop` and `SubagentStop`.
    Stop<'a> {
        /// A stop hook has already sent the agent on in this turn.
        "stop_hook_active" => stop_hook_active: bool,
        /// The last assistant text; null if there was none.
        "last_assistant_message" => last_assistant_message: Text<'a>,
        /// `SubagentStop`; not read.
        "agent_transcript_path" => agent_transcript_path: &'a RawValue,
    }
}

wire! {
    /// `PreCompact` and `PostCompact`.
    Compact<'a> {
        /// `manual`, `auto`; not read.
        "trigger" => trigger: &'a RawValue,
    }
}

wire! {
    /// The input of the tools that are read.
    ToolInput<'a> {
        /// Bash, apply_patch.
        "command" => command: Text<'a>,
        /// request_user_input, request_user_input_async.
        "questions" => questions: Vec<Object<'a>>,
        /// send_message_to_user_async.
        "message" => message: Text<'a>,
    }
}

wire! {
    /// One question.
    Question<'a> {
        /// request_user_input_async.
        "title" => title: Text<'a>,
        /// request_user_input.
        "question" => question: Text<'a>,
    }
}
