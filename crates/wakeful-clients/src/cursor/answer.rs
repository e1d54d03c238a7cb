//! What Cursor accepts from its hooks (the runner of its SDK 1.0.18).

use serde_json::json;
use wakeful_shell::{Advisee, Refusal, refusal_text};

use crate::answer::tolerated;

/// Empty output counts as a hook that failed there (and denies where `failClosed` is set); an object without a permission is
/// valid and decides nothing.
pub(crate) const NEUTRAL: &str = "{}";

/// The command must not run. Only `user_message` reaches the agent in the SDK's runner, so the reason stands in both.
pub(crate) fn deny(refusal: &Refusal) -> String {
    let reason = refusal_text(refusal, Advisee::Cursor);
    json!({"permission": "deny", "user_message": reason, "agent_message": reason}).to_string()
}

/// The command runs, and the agent is told; only `preToolUse` has a place for that.
pub(crate) fn warn(event: &str, refusal: &Refusal) -> Option<String> {
    let context = || json!({"additional_context": tolerated(refusal, Advisee::Cursor)}).to_string();
    event.eq_ignore_ascii_case("preToolUse").then(context)
}
