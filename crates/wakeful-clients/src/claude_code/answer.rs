//! What Claude Code accepts from a `PreToolUse` hook (2.1.332).

use serde_json::json;
use wakeful_shell::{Advisee, Refusal, refusal_text};

use crate::answer::tolerated;

/// The command must not run; the model reads the reason as the tool's result.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refusal_text(refusal, Advisee::ClaudeCode);
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }})
    .to_string()
}

/// The command runs, and the model is told. No decision: an allow would skip the user's permission prompt (G2).
pub(crate) fn warn(refusal: &Refusal) -> String {
    let context = tolerated(refusal, Advisee::ClaudeCode);
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": context}}).to_string()
}
