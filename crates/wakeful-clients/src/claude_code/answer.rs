//! What Claude Code accepts from a `PreToolUse` hook (2.1.332).

use serde_json::json;
use wakeful_shell::Refusal;

use crate::refusal::{refused, tolerated};

/// What to do instead, with this client's names. It starts a turn by itself when a background task ends.
const INSTEAD: [&str; 4] = [
    "read the output file now, with Read or a plain `tail`, without a sleep before it",
    "if the job already runs in the background, end your turn: its completion wakes you (start such jobs with Bash and \
     run_in_background, or as an Agent)",
    "to react to a line of output, use the Monitor tool with a timeout_ms",
    "else run a reviewed script that owns a deadline, exits non-zero at its time-out and notices the producer's exit",
];

/// The command must not run; the model reads the reason as the tool's result.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refused(refusal, &INSTEAD);
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }})
    .to_string()
}

/// The command runs, and the model is told. No decision: an allow would skip the user's permission prompt (G2).
pub(crate) fn warn(refusal: &Refusal) -> String {
    let context = tolerated(refusal, &INSTEAD);
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": context}}).to_string()
}
