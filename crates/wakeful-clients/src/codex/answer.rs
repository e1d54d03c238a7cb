//! What Codex accepts from a `PreToolUse` hook (0.171.0). Its output types refuse unknown keys, and a refused answer lets the
//! command run, so nothing is said here but what its schema names.

use serde_json::json;
use wakeful_shell::Refusal;

use crate::refusal::{refused, tolerated};

/// What to do instead, with this client's names. Nothing wakes this agent when a terminal of its ends.
const INSTEAD: [&str; 4] = [
    "read the output file now, without a sleep before it",
    "wait on the terminal that runs the job: write_stdin with its session_id, empty chars and a long yield_time_ms (in code \
     mode `wait` with the cell_id)",
    "the end of a job does not wake you here: if it takes longer than this turn should, say so and end the turn",
    "else run a reviewed script that owns a deadline, exits non-zero at its time-out and notices the producer's exit",
];

/// The command must not run; the model reads the reason.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refused(refusal, &INSTEAD);
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }})
    .to_string()
}

/// The command runs, and the model is told in a developer message.
pub(crate) fn warn(refusal: &Refusal) -> String {
    let context = tolerated(refusal, &INSTEAD);
    json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": context}}).to_string()
}
