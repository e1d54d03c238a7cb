//! Reasons in words.

use wakeful_core::causes::Reason;

/// A reason as what the session does: `asks a question`.
pub fn said(reason: Reason) -> &'static str {
    match reason {
        Reason::Permission => "asks for permission",
        Reason::Question => "asks a question",
        Reason::Plan => "asks you to approve a plan",
        Reason::Elicitation => "shows a form",
        Reason::Failed => "failed",
        Reason::Limit => "stopped at a limit",
        Reason::Orphaned => "is gone, with work under way",
        Reason::WakeOverdue => "was not woken as promised",
        Reason::WaitTimeout => "has waited to its cap",
        Reason::Stalled => "went silent in the middle of a turn",
        Reason::UnbackedWait => "says it is waiting, but nothing is armed to wake it",
        Reason::Done => "is done",
    }
}

/// A reason by its name.
pub fn reason(name: &str) -> Option<Reason> {
    Reason::ALL.into_iter().find(|reason| reason.name() == name)
}
