//! What Cursor accepts from its hooks (the runner of its SDK 1.0.18).

use serde_json::json;
use wakeful_shell::Refusal;

use crate::refusal::{refused, tolerated};

/// Empty output counts as a hook that failed there (and denies where `failClosed` is set); an object without a permission is
/// valid and decides nothing.
pub(crate) const NEUTRAL: &str = "{}";

/// What to do instead, with this client's names. Whether the end of a job wakes this agent is not known.
const INSTEAD: [&str; 4] = [
    "read the output file now, without a sleep before it",
    "wait on the shell that runs the job: Await with its task_id and a block_until_ms (and a regex to react to a line)",
    "if it takes longer than this turn should, say what you wait for and end the turn",
    "else run a reviewed script that owns a deadline, exits non-zero at its time-out and notices the producer's exit",
];

/// The command must not run. Only `user_message` reaches the agent in the SDK's runner, so the reason stands in both.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refused(refusal, &INSTEAD);
    json!({"permission": "deny", "user_message": reason, "agent_message": reason}).to_string()
}

/// The command runs, and the agent is told; only `preToolUse` has a place for that.
pub(crate) fn warn(event: &str, refusal: &Refusal) -> Option<String> {
    let context = || json!({"additional_context": tolerated(refusal, &INSTEAD)}).to_string();
    event.eq_ignore_ascii_case("preToolUse").then(context)
}
