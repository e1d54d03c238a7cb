//! What Codex accepts from a `PreToolUse` hook (0.171.0). Its output types refuse unknown keys, and a refused answer lets the
//! command run, so nothing is said here but what its schema names.

use serde_json::json;
use wakeful_shell::{Advisee, Refusal, refusal_text};

use crate::answer::tolerated;

/// The command must not run; the model reads the reason.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refusal_text(refusal, Advisee::Codex);
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }})
    .to_string()
}

/// The command runs, and the model is told in a developer message.
pub(crate) fn warn(refusal: &Refusal) -> String {
    let context = tolerated(refusal, Advisee::Codex);
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": context}}).to_string()
}
