//! Which source owns which event, per client (S3b). The owner's event counts; other sources corroborate and never
//! add a second one.

use wakeful_core::event::{EventKind, Source, TurnHow};
use wakeful_core::ids::Client;

/// What kind of event it is, as far as ownership differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owned {
    /// Session starts and ends.
    Session,
    /// Prompts, and the reports in them.
    Prompt,
    /// Tool calls, and what follows from them: tasks and wakes started, stopped, cancelled.
    Tool,
    /// Asks and answers.
    Ask,
    /// A task's end that is reported between turns, before its wake starts.
    Report,
    /// A turn that ended by itself.
    TurnEnd,
    /// A turn that failed or hit a limit.
    Failure,
    /// A turn that the user interrupted.
    Interruption,
}

impl Owned {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Session,
        Self::Prompt,
        Self::Tool,
        Self::Ask,
        Self::Report,
        Self::TurnEnd,
        Self::Failure,
        Self::Interruption,
    ];
}

/// The kind that `event` belongs to; `None` for what no client source tells (timers, user actions, processes).
pub fn owned(event: &EventKind) -> Option<Owned> {
    match event {
        EventKind::SessionStarted { .. } | EventKind::SessionEnded { .. } => Some(Owned::Session),
        EventKind::PromptSubmitted { .. } => Some(Owned::Prompt),
        EventKind::ToolStarted { .. }
        | EventKind::ToolFinished { .. }
        | EventKind::TaskStarted { .. }
        | EventKind::TaskAwaited { .. }
        | EventKind::TaskUnawaited { .. }
        | EventKind::WakeScheduled(_)
        | EventKind::WakeCancelled { .. }
        | EventKind::WakeStarted { .. } => Some(Owned::Tool),
        EventKind::AskOpened { .. } | EventKind::AskAnswered { .. } => Some(Owned::Ask),
        EventKind::TaskFinished(_) => Some(Owned::Report),
        EventKind::TurnEnded(end) => Some(match end.how {
            TurnHow::Finished => Owned::TurnEnd,
            TurnHow::Failed { .. } | TurnHow::Limit { .. } => Owned::Failure,
            TurnHow::Interrupted => Owned::Interruption,
        }),
        EventKind::TaskRoster(_) => Some(Owned::TurnEnd),
        EventKind::Stopped
        | EventKind::ProcessStarted { .. }
        | EventKind::ProcessExited { .. }
        | EventKind::UserActed(_)
        | EventKind::TimerFired { .. }
        | EventKind::EntriesInherited(_)
        | EventKind::Noticed { .. } => None,
    }
}

/// Who owns events of this kind in an observed session of `client` (a supervised one has its stream, spec 60 C11).
pub const fn owner(client: Client, kind: Owned) -> Source {
    match (client, kind) {
        // No hook tells these two: between turns a report stands in the queue of the transcript, and an interruption
        // is a line there and silence everywhere else (2.1.332, captures 03, 11, 24).
        (Client::ClaudeCode, Owned::Report | Owned::Interruption) => Source::Transcript,
        // Its background terminals are in no list and in no hook.
        (Client::Codex | Client::Cursor | Client::Gemini | Client::Copilot, Owned::Report) => Source::Process,
        // A failed request fires no hook while the process lives on (0.171.0).
        (Client::Codex, Owned::Failure) => Source::Transcript,
        _ => Source::Hook,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claude_code() {
        for kind in Owned::ALL {
            let from_transcript = matches!(kind, Owned::Report | Owned::Interruption);
            let expected = if from_transcript { Source::Transcript } else { Source::Hook };
            assert_eq!(owner(Client::ClaudeCode, kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn codex_and_cursor() {
        for kind in Owned::ALL {
            let expected = match kind {
                Owned::Report => Source::Process,
                Owned::Failure => Source::Transcript,
                _ => Source::Hook,
            };
            assert_eq!(owner(Client::Codex, kind), expected, "{kind:?}");
            let expected = if kind == Owned::Report { Source::Process } else { Source::Hook };
            assert_eq!(owner(Client::Cursor, kind), expected, "{kind:?}");
        }
    }
}
